// What is known of registers and of the stack at a place of a routine, whatever its callers do:
// constants, distances from the stack pointer at the routine's begin, registers that still hold
// what they held there, the return address.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "models/c32/isa.hpp"

namespace rtvp::c32::analysis {

struct AbstractValue {
  enum class Kind : std::uint8_t {
    Unknown,
    Constant,  ///< n
    Initial,   ///< what register n held when the routine began
    Stack,     ///< n words above the word that SP named when the routine began (or was loaded)
    Return,    ///< the address the routine returns to
  };
  Kind kind = Kind::Unknown;
  std::int32_t n = 0;

  static AbstractValue constant(std::int32_t n) { return {Kind::Constant, n}; }
  bool is(Kind k) const { return kind == k; }
  friend bool operator==(const AbstractValue&, const AbstractValue&) = default;
};

/// A word of the program that does not change while it runs; empty for any other address.
using ReadWord = std::function<std::optional<std::uint32_t>(std::uint32_t address)>;

struct State {
  std::array<AbstractValue, reg::kCount> registers{};
  std::map<std::int32_t, AbstractValue> stack;  ///< by distance, what is known

  /// At the begin of a routine.
  static State initial();
  const AbstractValue& sp() const { return registers[reg::SP]; }
  /// Keeps what is true of both; true if that is less than before.
  bool merge(const State& other);
  friend bool operator==(const State&, const State&) = default;
};

/// The state behind an instruction that is no call. Stores through pointers that are no distance
/// from SP are taken to leave saved registers and return addresses alone.
void execute(State& state, const Instruction& instruction, const ReadWord& read);

/// The value of a source operand that is a register or an immediate.
AbstractValue valueOf(const State& state, const Operand& operand);

/// Numbers of the registers that an instruction writes, those of address updates included.
std::uint32_t writtenRegisters(const Instruction& instruction);

}  // namespace rtvp::c32::analysis
