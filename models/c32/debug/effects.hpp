// What the next instruction will do to memory and control, worked out before it executes. Debuggers
// use it for watchpoints, checks of memory and stack, and stepping over calls.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/c32/cpu.hpp"
#include "models/c32/isa.hpp"

namespace rtvp::c32 {

struct MemoryEffect {
  std::uint32_t address = 0;
  bool write = false;
};

struct Effects {
  std::array<MemoryEffect, 4> accesses{};
  unsigned count = 0;
  bool call = false;     ///< CALL, CALLcond or TRAPcond that will be taken
  bool returns = false;  ///< RETScond or RETIcond that will be taken

  void add(std::uint32_t address, bool write) {
    if (count < accesses.size()) accesses[count++] = {address & kAddressMask, write};
  }
};

/// Address that a direct or indirect operand means, with the registers as they are (c32.md 6.2).
std::uint32_t operandAddress(const Operand& o, const Cpu& cpu);

/// Data accesses of `i` with the registers as they are, in no particular order.
Effects effectsOf(const Instruction& i, const Cpu& cpu);

}  // namespace rtvp::c32
