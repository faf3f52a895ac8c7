// What a tracer or debugger may see of a running C32: one record for each instruction, with its
// cycles by cause, the registers it changed and the accesses it made.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/c32/isa.hpp"
#include "models/c32/timing.hpp"

namespace rtvp::c32 {

struct RegisterWrite {
  std::uint8_t number = 0;   ///< as numbered in the file
  std::int8_t exponent = 0;  ///< R0-R7: bits 39-32
  std::uint32_t value = 0;   ///< bits 31-0 afterwards
};

struct MemoryAccess {
  std::uint32_t address = 0;
  std::uint32_t word = 0;
  bool write = false;
};

/// One executed instruction. The spans live until the call returns.
struct TraceRecord {
  std::uint32_t pc = 0;
  std::uint32_t nextPc = 0;
  std::uint32_t word = 0;
  Cycle start = 0;        ///< first cycle that is this instruction's
  Cycle end = 0;          ///< first cycle of the next one
  StallCycles stalls{};   ///< of end - start, by cause; the rest is the fixed cost
  bool cacheHit = false;  ///< the fetch was served by the cache
  std::span<const RegisterWrite> registers;  ///< that differ from before
  std::span<const MemoryAccess> accesses;    ///< data accesses in order, DMA's not among them
};

class CpuObserver {
 public:
  virtual ~CpuObserver() = default;
  virtual void executed(const TraceRecord& record) = 0;
  /// Interrupt `flag` (bit of IF) is entered: `from` was pushed, `to` is the routine.
  virtual void interrupted(unsigned /*flag*/, std::uint32_t /*from*/, std::uint32_t /*to*/,
                           Cycle /*start*/, Cycle /*end*/) {}
  /// DMA channel `channel` moved a word: its read or its write, at `cycle`.
  virtual void dmaAccess(unsigned /*channel*/, const MemoryAccess& /*access*/, Cycle /*cycle*/) {}
};

/// State before an instruction, for the differences a record shows.
struct TraceSnapshot {
  std::array<std::uint32_t, reg::kCount> registers{};
  std::array<std::int8_t, 8> exponents{};
  StallCycles stalls{};
  bool stallsKnown = false;  ///< `stalls` is what the statistics say now
  std::uint64_t cacheHits = 0;
};

}  // namespace rtvp::c32
