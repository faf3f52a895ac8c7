// Laps of the wave (wave.hpp): a processor that passes a message on goes through the same turns for
// every message and comes back to where it was. A lap is such a row of turns, from the end of one
// to the next end of the same, taken as a whole: the words are looked at and moved by code of their
// own, and no time is worked out, because all of them are known from a run that began alike.
//
// Invariants:
//  1. What happens in a lap, and when, hangs on the place where it begins, on the times of the port
//     and of the words that arrive, and on words (registers, RAM, messages). The first two are a
//     LapTiming and are compared whole, relative to the cycle of the processor's going to sleep,
//     the bit clock's phase included; the last are asked for by the guards of the lap's code.
//  2. A LapTiming is what a run of the plain turns (Wave::sleep, fits, apply, commit) has shown;
//     none is worked out. The code is a summary of several turns (summary.hpp), made of the state
//     in which that run began.
//  3. No word is on its way that arrives before the lap's end and is not one of its own.
//  4. A lap happens as a whole, before the horizon, or not at all. Its plain twin is the passages'
//     (turn_code.hpp), which are tried next, and theirs is the wave's own way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/c32/blocks/turn_frame.hpp"

namespace rtvp::c32::blocks {

inline constexpr unsigned kMostInLap = 32;                   ///< turns
inline constexpr std::size_t kMostLapWords = kMostArrivals;  ///< in, and out
static_assert(kMostLapWords < kSentinels);                   ///< the word behind is looked at

/// How a lap begins and what it does to the times. Cycles are relative to the one in which the
/// processor has gone to sleep.
struct LapTiming {
  /// Laid out as SerialWord, so that code compares and moves several at once.
  struct Word {
    Cycle when = 0;
    std::uint64_t nothing = 0;
  };
  static_assert(sizeof(Word) == sizeof(SerialWord) && offsetof(SerialWord, arrival) == 0);

  // The begin. What is under way at the port is known from the place; when a word in DXR moves on
  // follows from the phase, too, and is compared all the same.
  unsigned place = 0;  ///< as in TurnFrame
  unsigned lap = 0;    ///< number of the lap; its turns tell how many words it receives and sends
  std::int64_t phase = 0;  ///< of the transmitter's last edge: LapTimings::phaseOf()
  Cycle transfer = 0;
  Cycle empty = 0;
  std::array<Word, kMostLapWords> arrivals{};
  Cycle most = 0;  ///< the last turn may end as late as that, as far as its guards know
  // And the end.
  unsigned placeAfter = 0;
  Cycle cycles = 0;  ///< the processor sleeps again; the next word arrives after
  Cycle transferAfter = 0;
  Cycle emptyAfter = 0;
  std::uint64_t edges = 0;                       ///< the last edge has moved by so many
  std::array<Word, kMostLapWords> departures{};  ///< arrival at the neighbour
};

/// All timings known, found by their begin.
class LapTimings {
 public:
  /// `cycles` H1 cycles have `edges` edges of the bit clock.
  void clear(std::uint64_t cycles, std::uint64_t edges);
  /// Where between two cycles the edge lies, and how far away: two times with the same have all
  /// their edges alike.
  [[nodiscard]] std::int64_t phaseOf(std::uint64_t edge, Cycle cycle) const {
    return static_cast<std::int64_t>(edge * cycles_ - cycle * edges_);
  }
  void add(const LapTiming& timing);
  /// It begins like one of the same lap that has been added.
  [[nodiscard]] bool has(const LapTiming& timing) const;
  /// Takes the frame's processor through a lap that begins like this: `code` compares the rest of
  /// the timing and does what the lap does, or nothing. False: nothing has happened.
  template <class Code>
  bool take(const TurnFrame& f, const Code& code) const {
    const std::int64_t phase = phaseOf(f.last, f.cycle);
    const LapTiming* const first = &timings_[indexOf(f.place, phase, f.in->arrival - f.cycle)];
    for (unsigned n = 0; n < kTries; ++n) {
      const LapTiming& t = first[n];
      if (t.phase == phase && t.place == f.place && code(t)) return true;
    }
    return false;
  }

 private:
  static constexpr unsigned kBits = 10;
  static constexpr unsigned kTries = 4;
  static constexpr unsigned kNoPlace = ~0u;
  /// Timings that begin alike may differ later; they lie side by side.
  [[nodiscard]] static std::size_t indexOf(unsigned place, std::int64_t phase, Cycle arrival) {
    std::uint64_t h = static_cast<std::uint64_t>(phase) + (std::uint64_t{place} << 32);
    h += arrival << 48;
    return static_cast<std::size_t>(h * 0x9E3779B97F4A7C15u >> (64 - kBits));
  }
  [[nodiscard]] static std::size_t indexOf(const LapTiming& t) {
    return indexOf(t.place, t.phase, t.arrivals[0].when);
  }

  std::uint64_t cycles_ = 1;
  std::uint64_t edges_ = 1;
  std::vector<LapTiming> timings_;
  unsigned next_ = 0;  ///< which of a full row goes
};

}  // namespace rtvp::c32::blocks
