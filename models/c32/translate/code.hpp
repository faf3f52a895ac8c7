// What translated code and the translator share: the words it finds at a fixed register, where it
// is to go on, and what has to be done when it leaves in the middle of a block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/c32/cpu_ops.hpp"
#include "models/c32/flags.hpp"
#include "models/c32/isa.hpp"
#include "models/c32/memory_map.hpp"

namespace rtvp::c32::translate {

inline constexpr std::uint32_t kNoRepeat = ~0u;
/// Bits of ST that a result replaces; the others are in a host register as well.
inline constexpr std::uint32_t kResultFlags = kC | kV | kZ | kN | kUF;

/// A place in a program and what the instructions before it leave behind, as far as code depends on
/// it.
struct Key {
  std::uint32_t pc = 0;
  std::uint32_t repeatEnd = kNoRepeat;  ///< RE while RM = 1
  bool waiting = false;                 ///< address generation may have to wait: Context::ready
  std::uint8_t lastStores = 0;          ///< of the instruction before; Timing::Pipeline

  friend bool operator==(const Key&, const Key&) = default;
};

/// Why translated code came back.
enum class Why : std::uint32_t {
  Missing,  ///< goes on at a slot that has no code yet
  Limit,    ///< no room for the block of a slot before somebody must look around
  Leave,    ///< in the middle of a block: Leave tells
  Dynamic,  ///< goes on at Context::pc
};

/// How the clock may have moved before an instruction turns out to be the run loop's.
enum class Shift : std::uint8_t { FetchWait, FetchBank, Conflict };
inline constexpr unsigned kShifts = 3;

/// Cycles are counted from the next one at which somebody must look around, hence negative.
struct Context {
  static constexpr std::uint32_t kSlots = 1u << 14;
  static constexpr std::uint32_t kReturns = 1u << 10;
  struct Return {
    std::uint64_t pc = ~std::uint64_t{0};
    const void* code = nullptr;
  };

  std::int64_t clock = 0;
  std::uint64_t instructions = 0;
  std::array<std::int64_t, 3> ready{};  ///< Cpu::groupReady_
  std::int64_t busFree = 0;
  std::int64_t exec = 0;  ///< E stage of the instruction in progress
  /// Words read, a product, addresses: of the instruction in progress.
  std::array<std::uint32_t, 6> scratch{};
  std::array<std::int64_t, kShifts> shifts{};  ///< of the instruction in progress
  std::uint32_t where = 0;                     ///< slot, number of a Leave, or Key::lastStores
  std::uint32_t sticky = 0;                    ///< ST without its five result flags
  Why why = Why::Leave;
  std::uint32_t pc = 0;
  std::array<std::uint8_t, 256> flagsOf{};  ///< C, Z, N of AH after LAHF
  /// Code that all blocks share.
  const void* addf = nullptr;
  const void* subf = nullptr;
  const void* missing = nullptr;
  const void* limit = nullptr;
  const void* leave = nullptr;
  const void* dynamic = nullptr;
  const void* callHandler = nullptr;
  std::array<const void*, kSlots> slots{};
  std::array<Return, kReturns> returns{};  ///< by PC: where RETS may go at once
};

/// What the straight part of a block has to account for.
struct Tally {
  std::int32_t cycles = 0;
  std::int32_t instructions = 0;
  std::int32_t registerConflict = 0;
  std::int32_t executeOnly = 0;
  std::int32_t busWait = 0;
  std::array<std::int32_t, 4> busWaitBy{};
  std::int32_t fetches = 0;
  std::int32_t reads = 0;
  std::int32_t writes = 0;
  std::int32_t extra = 0;
};

/// Where a result is whose flags nobody has put into ST yet.
struct LazyFlags {
  enum class Kind : std::uint8_t { None, Integer, Float };
  Kind kind = Kind::None;
  std::uint8_t reg = 0;
};

/// The processor's state in front of an instruction in the middle of a block.
struct Leave {
  std::uint32_t pc = 0;
  bool toRepeatStart = false;  ///< go on at RS instead
  std::uint8_t lastStores = 0;
  std::uint8_t delaySlots = 0;
  bool constantTarget = false;  ///< of the delayed branch
  std::uint32_t delayTarget = 0;
  std::array<std::int32_t, 3> ready{};  ///< cycles until a group may be used; 0: it may
  bool busUsed = false;
  std::int32_t busFree = 0;
  bool fetched = false;  ///< the last access was a fetch:
  std::uint32_t lastRead = 0;
  std::uint8_t shifts = 0;  ///< Context::shifts to take back, a bit each
  Tally tally;
  LazyFlags lazy;
  std::uint32_t slot = 0;  ///< of the block
};

/// Places of the processor's members, in bytes from its begin.
struct Layout {
  std::int32_t reg = 0;
  std::int32_t exponent = 0;
  std::int32_t ram = 0;
  std::int32_t code = 0;  ///< Cpu::code_
  std::int32_t repeatEnd = 0;
  std::int32_t delayTaken = 0;
  std::int32_t delayTarget = 0;
  std::int32_t extraCycles = 0;
  std::int32_t registerConflict = 0;
  std::int32_t ramConflict = 0;
  std::int32_t executeOnly = 0;
  std::int32_t busWait = 0;
  std::int32_t busWaitBy = 0;
  std::int32_t fetches = 0;
  std::int32_t reads = 0;
  std::int32_t writes = 0;
  std::int32_t lastRead = 0;
  std::int32_t lastWasRead = 0;
  std::int32_t lastStrobe = 0;
};

/// Memory outside the processor that translated code reads and writes by itself: 16M words, and
/// behind them a state byte for each.
struct PlainMemory {
  static constexpr std::uint32_t kStates = 1u << 26;  ///< bytes from the first word
  static constexpr std::uint8_t kWritten = 1;
  static constexpr std::uint8_t kTranslated = 2;  ///< a store there changes translated code
  std::uint32_t* words = nullptr;                 ///< null: there is none
  std::uint32_t holeFirst = 0;                    ///< devices in a flat memory
  std::uint32_t holeWords = 0;

  [[nodiscard]] std::uint8_t* states() const {
    return reinterpret_cast<std::uint8_t*>(words) + kStates;
  }
};

/// What of the processor's configuration code depends on. Other code is made when it changes.
struct Conditions {
  bool flat = false;
  bool conflicts = true;  ///< of addresses
  bool pipeline = false;
  bool ports = true;  ///< three accesses to one RAM block
  std::uint32_t waits = 0;
  std::uint32_t bankBits = 0;
  std::uint32_t firstPlain = 0;  ///< address; below is the boot ROM
  std::uint32_t plainEnd = 0;    ///< plain memory ends here; 0: none
  bool fetchOutside = false;     ///< instructions as well
  std::uint32_t holeFirst = 0;   ///< flat: devices in between
  std::uint32_t holeWords = 0;
  unsigned untakenCycles = 4;
  unsigned writeCycles = 2;
  unsigned bankCycles = 1;
  unsigned executeOnlyCycles = 1;
  bool exactN = true;
  bool repeatCountEndsZero = false;

  friend bool operator==(const Conditions&, const Conditions&) = default;
};

}  // namespace rtvp::c32::translate
