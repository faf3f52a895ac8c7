// What translated turns (turn_code.hpp) and the wave share: the processor's and its port's state
// while they run, at a fixed host register, and where they go on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/c32/cpu_ops.hpp"
#include "models/c32/port.hpp"

namespace rtvp::c32::blocks {

/// A turn sees no more words than this.
inline constexpr std::size_t kMostArrivals = 8;
/// A turn sends no more words than this.
inline constexpr unsigned kMostSent = 4;
/// Words behind the inbox's last one that never arrive: translated code may look so far ahead.
inline constexpr std::size_t kSentinels = kMostArrivals + 2;

struct TurnFrame {
  static constexpr std::size_t kPlaces = 256;    ///< ends of summaries that code goes on from
  static constexpr std::size_t kPassages = 256;  ///< pieces of code
  static constexpr std::size_t kStores = 48;     ///< in a turn, that may have to be taken back

  // Loaded into host registers at the entry, and put back.
  const SerialWord* in = nullptr;  ///< the next word of the inbox
  SerialWord* out = nullptr;       ///< where the next word sent goes
  Cycle cycle = 0;                 ///< the processor has gone to sleep
  Cycle transfer = kNever;         ///< as in Wire
  Cycle empty = kNever;
  std::uint64_t last = 0;  ///< number of the edge at which the shift register is free again
  std::uint32_t* ram = nullptr;

  const SerialWord* outLimit = nullptr;  ///< a turn that sends begins below
  Cycle horizon = 0;
  const DecodePool::Number* decoded = nullptr;  ///< Cpu::decoded_
  std::uint32_t drr = 0;
  std::uint32_t rsr = 0;
  std::uint32_t status = 0;      ///< ST
  std::uint32_t statusNow = 0;   ///< in the middle of a turn
  std::uint32_t place = 0;       ///< end of the last turn
  std::uint64_t edgeMagic = 0;   ///< divides by H1 cycles (of the fraction cycles / edges)
  std::uint64_t cycleMagic = 0;  ///< divides by edges
  std::array<std::uint32_t, 256> value{};  ///< registers, then results
  struct Undo {
    std::uint32_t offset;
    std::uint32_t word;
  };
  std::array<Undo, kStores> undo{};
  std::array<std::uint8_t, 256> flagsOf{};  ///< C, Z, N of AH after LAHF
  /// A turn's stores at known addresses hit no program.
  std::array<std::uint8_t, kPassages> usable{};
  std::array<std::uint64_t, kPassages> uses{};
  std::array<const void*, kPlaces> heads{};    ///< code to try first from there
  std::array<const void*, kPassages> nexts{};  ///< code to try if a guard of this one fails
};

}  // namespace rtvp::c32::blocks
