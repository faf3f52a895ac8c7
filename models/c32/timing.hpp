// Fixed costs and options of the C32's timing, and the closed account of where its cycles went
// (c32.md section 7). The options are listed with their sections in cpu_options.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "models/c32/float40.hpp"
#include "models/c32/port.hpp"

namespace rtvp::c32 {

class DecodePool;

/// Fixed costs in H1 cycles (c32.md 7.2, 9.5).
inline constexpr Cycle kBranchCycles = 4;
inline constexpr Cycle kTrapCycles = 5;
inline constexpr Cycle kResetReleaseCycles = 10;
inline constexpr Cycle kLowPowerDivider = 16;
/// An E-stage write of an address register is seen by address generation this many cycles later
/// (7.4).
inline constexpr Cycle kAddressWriteLatency = 3;
/// ST.CE, CF and CC act on fetches after the instruction's E stage: three words are on their way
/// (7.6).
inline constexpr Cycle kCacheControlDelay = 4;

/// How much of the pipeline is modelled (c32.md 7.8). The external bus, wait states, cache and DMA
/// are the same in all three.
enum class Timing : std::uint8_t {
  Static,     ///< fixed costs of 7.2 only: no conflict inside the processor costs anything
  Interlock,  ///< and address-generation conflicts (7.4) and the third access to one RAM block by
              ///< the two operands of an instruction and its fetch (7.5): the default
  Pipeline,   ///< and execute-only conflicts (7.5), and every access to a RAM block counted, DMA's
              ///< included
};

/// Facts of the board and choices the manual leaves open. Every default is the one c32.md states.
struct CpuConfig {
  std::uint64_t h1Hz = 30'000'000;              ///< H1, half of CLKIN
  std::uint64_t serialBitClockHz = 11'500'000;  ///< external CLKX/CLKR; 0 = none connected
  std::array<std::uint64_t, 2> timerClockHz{};  ///< external TCLK0, TCLK1; 0 = none connected
  Timing timing = Timing::Interlock;
  unsigned bcondUntakenCycles = 4;           ///< Bcond, DBcond not taken (7.3)
  unsigned callCondCycles = 5;               ///< CALLcond taken (7.2)
  unsigned arReadStall = 1;                  ///< cost of addressing after an E-stage read (7.4)
  unsigned executeOnlyCycles = 1;            ///< 7.5, Timing::Pipeline
  unsigned interruptSynchroniserCycles = 2;  ///< INT pin to IF (7.7)
  unsigned interruptEntryCycles = 5;         ///< 7.7
  unsigned holdCycles = 3;                   ///< HOLD low to HOLDA low (9.3)
  unsigned idle2WakeCycles = 2;              ///< shortest low of INT that ends IDLE2 (4.5)
  unsigned externalWriteCycles = 2;          ///< STRBx write without wait states (8.4)
  unsigned ioStrobeCycles = 2;               ///< IOSTRB access without wait states (8.4)
  unsigned bankSwitchCycles = 1;             ///< 8.4
  std::uint32_t strbReset = 0x000F10F8;      ///< STRB0, STRB1 control after reset (8.4)
  std::uint32_t ioStrobeReset = 0x000000F8;  ///< IOSTRB control after reset (8.4)
  bool zeroFillIsOne = true;                 ///< polarity of the sign/zero bit (8.4)
  bool interlockInterruptible = true;        ///< waiting LDFI, LDII, SIGI give way (9.2)
  bool serialBlockSync = false;              ///< continuous mode: a frame bit before each block
  bool serialExternalSync = true;            ///< FSX as input: pulsed as soon as a word waits
  Alignment alignment = Alignment::IgnoreFrom32;  ///< ADDF with exponents 32 apart (3.1)
  bool exactN = true;                             ///< N of an overflowing integer result (0.3)
  bool microprocessorMode = true;                 ///< pin MCBL/MP = 0: no boot ROM (8.1)
  bool prgwPin = false;                           ///< ST bit 15
  bool prgwSelects16 = true;                      ///< PRGW = 1 means 16-bit program memory (8.4)
  bool trapUninitialised = false;                 ///< reading a word never written is a fault
  bool reservedBitsKept = false;     ///< bits of ST, IE, IF, IOF without a meaning (1.1)
  bool cacheClearKept = false;       ///< ST.CC reads back instead of 0 (1.2)
  bool pairFlagsOfSum = false;       ///< N, Z of MPYF3||ADDF3 from the sum, not 0 (4.3)
  bool secondStoreRemains = false;   ///< of two parallel stores to one address (4.4.6)
  bool repeatCountEndsZero = false;  ///< RC after a repeat: 0, not FFFFFFFFh (4.6)
  unsigned gieClearCycles = 0;       ///< an interrupt still comes so long after GIE = 0 (4.5)
  bool requestShowsInOutxf0 = true;  ///< OUTXF0 follows LDFI, LDII, STFI, STII, SIGI (9.2)
  Chip chip = Chip::C32;             ///< address map, bus control registers, boot ROM
  /// All 16M words on the port, no internal RAM, no peripherals, no bus time: the batch runner's
  /// machine.
  bool flatMemory = false;
  /// Decoded instructions, shared by processors that run the same program; null: each has its own.
  std::shared_ptr<DecodePool> decodePool{};

  /// What instructions compute is as the manual says or the default has it: engines that do not
  /// know the options about it may serve.
  [[nodiscard]] bool usualResults() const {
    return exactN && !trapUninitialised && !reservedBitsKept && !cacheClearKept &&
           !pairFlagsOfSum && !secondStoreRemains && !repeatCountEndsZero && gieClearCycles == 0 &&
           requestShowsInOutxf0;
  }

  /// Width of program memory in bits.
  [[nodiscard]] unsigned programWidth() const { return prgwPin == prgwSelects16 ? 16 : 32; }
};

/// Why an instruction took longer than its fixed cost, or why cycles passed without one. The first
/// four are TI's names (7.5) and together make CpuStatistics::busWait.
enum class StallCause : std::uint8_t {
  ProgramWait,       ///< fetch waits for the bus, which a data access uses
  FetchIncomplete,   ///< fetch of more than one cycle: wait states, two halves, bank switch
  HoldEverything,    ///< data access waits for an earlier one on the bus
  DataIncomplete,    ///< data access of more than one cycle
  Held,              ///< the board held the access back: barrier, HOLD
  DmaConflict,       ///< DMA had the bus or the RAM port
  RegisterConflict,  ///< address-generation conflict (7.4)
  RamConflict,       ///< third access to one RAM block in a cycle
  ExecuteOnly,       ///< store before reads (7.5)
  InterlockWait,     ///< LDFI, LDII, SIGI waiting for XF1
  InterruptEntry,
  Idle,
  LowPower,  ///< cycles added by LOPOWER
  Reset,
};
inline constexpr unsigned kStallCauses = 14;
using StallCycles = std::array<std::uint64_t, kStallCauses>;  ///< by StallCause

/// Name of a cause for traces and statistics, e.g. "register_conflict".
[[nodiscard]] constexpr std::string_view stallName(StallCause cause) {
  constexpr std::array<std::string_view, kStallCauses> kNames{"program_wait",
                                                              "fetch_incomplete",
                                                              "hold_everything",
                                                              "data_incomplete",
                                                              "held",
                                                              "dma_conflict",
                                                              "register_conflict",
                                                              "ram_conflict",
                                                              "execute_only",
                                                              "interlock_wait",
                                                              "interrupt_entry",
                                                              "idle",
                                                              "low_power",
                                                              "reset"};
  return kNames[static_cast<unsigned>(cause)];
}

/// Cycles since reset by cause; they add up to the CPU's clock minus its value at reset.
struct CpuStatistics {
  std::uint64_t instructions = 0;
  std::uint64_t externalFetches = 0;
  std::uint64_t externalReads = 0;  ///< data and vector reads
  std::uint64_t externalWrites = 0;

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
  std::uint64_t executeOnly = 0;    ///< 7.5; Timing::Pipeline
  std::uint64_t dmaConflict = 0;    ///< bus or RAM port taken by DMA

  /// busWait by TI's names: program wait, fetch incomplete, hold everything, data incomplete.
  std::array<std::uint64_t, 4> busWaitBy{};

  std::uint64_t interruptsTaken = 0;
  std::uint64_t lateWords = 0;  ///< serial words delivered after the CPU had passed their arrival
  std::uint64_t cacheHits = 0;
  std::uint64_t cacheMisses = 0;         ///< fetches with the cache on that it did not serve
  std::uint64_t cacheSegmentMisses = 0;  ///< those for which a segment was replaced
  std::uint64_t dmaReads = 0;
  std::uint64_t dmaWrites = 0;

  void add(const CpuStatistics& s) {
    using Member = std::uint64_t CpuStatistics::*;
    for (const Member field : {&CpuStatistics::instructions,
                               &CpuStatistics::executing,
                               &CpuStatistics::busWait,
                               &CpuStatistics::held,
                               &CpuStatistics::idle,
                               &CpuStatistics::registerConflict,
                               &CpuStatistics::ramConflict,
                               &CpuStatistics::interruptEntry,
                               &CpuStatistics::interlockWait,
                               &CpuStatistics::lowPower,
                               &CpuStatistics::reset,
                               &CpuStatistics::executeOnly,
                               &CpuStatistics::dmaConflict,
                               &CpuStatistics::externalFetches,
                               &CpuStatistics::externalReads,
                               &CpuStatistics::externalWrites,
                               &CpuStatistics::interruptsTaken,
                               &CpuStatistics::lateWords,
                               &CpuStatistics::cacheHits,
                               &CpuStatistics::cacheMisses,
                               &CpuStatistics::cacheSegmentMisses,
                               &CpuStatistics::dmaReads,
                               &CpuStatistics::dmaWrites}) {
      this->*field += s.*field;
    }
    for (std::size_t i = 0; i < busWaitBy.size(); ++i) busWaitBy[i] += s.busWaitBy[i];
  }

  [[nodiscard]] std::uint64_t totalCycles() const {
    return executing + busWait + held + idle + registerConflict + ramConflict + interruptEntry +
           interlockWait + lowPower + reset + executeOnly + dmaConflict;
  }
  /// Everything but `executing`, by cause.
  [[nodiscard]] StallCycles stalls() const {
    return {busWaitBy[0], busWaitBy[1],  busWaitBy[2],     busWaitBy[3],
            held,         dmaConflict,   registerConflict, ramConflict,
            executeOnly,  interlockWait, interruptEntry,   idle,
            lowPower,     reset};
  }
};

}  // namespace rtvp::c32
