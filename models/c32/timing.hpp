// Fixed costs and options of the C32's timing, and the closed account of where its cycles went
// (c32.md section 7).
#pragma once

#include <cstdint>
#include <memory>

#include "models/c32/float40.hpp"
#include "models/c32/port.hpp"

namespace rtvp::c32 {

class DecodePool;

/// Fixed costs in H1 cycles (c32.md 7.2, 7.7, 9.5).
inline constexpr Cycle kBranchCycles = 4;
inline constexpr Cycle kCallConditionalCycles = 5;
inline constexpr Cycle kTrapCycles = 5;
inline constexpr Cycle kInterruptEntryCycles = 5;
inline constexpr Cycle kInterruptSynchroniserCycles = 2;
inline constexpr Cycle kResetReleaseCycles = 10;
inline constexpr Cycle kLowPowerDivider = 16;
/// An E-stage write of an address register is seen by address generation this many cycles later
/// (7.4).
inline constexpr Cycle kAddressWriteLatency = 3;
inline constexpr Cycle kAddressReadLatency = 2;

/// Facts of the board and choices the manual leaves open. Every default is the one c32.md states.
struct CpuConfig {
  std::uint64_t h1Hz = 30'000'000;              ///< H1, half of CLKIN
  std::uint64_t serialBitClockHz = 11'500'000;  ///< external CLKX/CLKR; 0 = none connected
  unsigned bcondUntakenCycles = 4;              ///< Bcond, DBcond not taken (7.3, unverified)
  unsigned arReadStall = 1;  ///< cost of addressing right after an E-stage read (7.4, unverified)
  Alignment alignment = Alignment::IgnoreFrom32;  ///< ADDF with exponents 32 apart (3.1)
  bool exactN = true;                             ///< N of an overflowing integer result (0.3)
  bool microprocessorMode = true;                 ///< no boot ROM (8.1)
  bool prgwPin = false;                           ///< ST bit 15
  /// All 16M words on the port, no internal RAM, no peripherals, no bus time: the batch runner's
  /// machine.
  bool flatMemory = false;
  /// Decoded instructions, shared by processors that run the same program; null: each has its own.
  std::shared_ptr<DecodePool> decodePool{};
};

/// Cycles since reset by cause; they add up to the CPU's clock minus its value at reset.
struct CpuStatistics {
  std::uint64_t instructions = 0;

  std::uint64_t executing = 0;         ///< fixed costs of 7.2, one for most instructions
  std::uint64_t busWait = 0;           ///< external bus busy, wait states, second access
  std::uint64_t held = 0;              ///< accesses the board held back (barrier, HOLD)
  std::uint64_t idle = 0;              ///< in IDLE or IDLE2
  std::uint64_t registerConflict = 0;  ///< address-generation conflicts, 7.4
  std::uint64_t ramConflict = 0;       ///< third access to one RAM block in a cycle, 7.5
  std::uint64_t interruptEntry = 0;
  std::uint64_t interlockWait = 0;  ///< LDFI, LDII, SIGI waiting for XF1
  std::uint64_t lowPower = 0;       ///< cycles added by the divided clock of LOPOWER
  std::uint64_t reset = 0;          ///< from release of RESET to the fetch of the vector

  std::uint64_t externalFetches = 0;
  std::uint64_t externalReads = 0;  ///< data and vector reads
  std::uint64_t externalWrites = 0;
  std::uint64_t interruptsTaken = 0;
  std::uint64_t lateWords = 0;  ///< serial words delivered after the CPU had passed their arrival

  [[nodiscard]] std::uint64_t totalCycles() const {
    return executing + busWait + held + idle + registerConflict + ramConflict + interruptEntry +
           interlockWait + lowPower + reset;
  }
};

}  // namespace rtvp::c32
