// Turns of the wave (wave.hpp) in host code: a passage is what a processor does from the end of one
// turn through the sleep that follows to the end of the next. Where the wave goes the same way
// often it has the passage translated, and from there on runs along translated passages until one
// fails.
//
// Invariants, beyond those of summaries (summary.hpp):
//  1. A passage starts where a certain summary has ended: what that one left behind as known -
//     registers, RAM words, flags, what is under way at the port - is not asked again.
//  2. It demands that exactly the events seen when it was made happen before the wake-up, and none
//     other up to it. All of its guards come before the first lasting effect, except for stores
//     into RAM at computed addresses, which are taken back when a later guard fails.
//  3. Where a guard fails the next passage from the same place is tried, then the wave's own way
//     (Wave::sleep, fits, apply, commit), which is the plain twin: the same turns without host
//     code.
//  4. It keeps no account by instruction (profiles): the wave does not enter it then.
// Host: x86-64 with AVX and BMI2 (the test is possible()); elsewhere summaries are interpreted.
#pragma once

#include <cstdint>
#include <memory>

#include "models/c32/blocks/summary.hpp"
#include "models/c32/blocks/turn_frame.hpp"

namespace rtvp::c32::blocks {

struct LapTiming;

/// What happened at the port during a sleep.
struct Slept {
  bool emptied = false;       ///< the shift register, of the word before
  bool transferred = false;   ///< DXR moved to it
  bool emptiedAfter = false;  ///< and that word went out too
  std::uint8_t arrived = 0;   ///< words
  enum class Woken : std::uint8_t { Before, Transfer, Arrival, Both } by = Woken::Before;

  /// The enabled flags of IF that came with the last event; `before`: one was there at the begin.
  [[nodiscard]] static Woken wokenBy(std::uint32_t flags, bool before) {
    constexpr std::uint32_t kTransmit = 1u << 4;
    constexpr std::uint32_t kReceive = 1u << 5;
    if (before) return Woken::Before;
    if (flags == kTransmit) return Woken::Transfer;
    return flags == kReceive ? Woken::Arrival : Woken::Both;
  }
  friend bool operator==(const Slept&, const Slept&) = default;
};

/// Numbers up to kMostDivided are divided by numbers up to kSmallDivisor with one product.
inline constexpr std::uint64_t kSmallDivisor = 63;
inline constexpr std::uint64_t kMostDivided = std::uint64_t{1} << 58;

/// What all passages have in common.
struct TurnSetting {
  std::uint64_t cycles = 1;  ///< H1 cycles in which the bit clock has `edges` edges
  std::uint64_t edges = 1;
  Cycle entry = 1;           ///< cycles of an interrupt's entry
  std::uint32_t global = 0;  ///< the port's global control without what Wire holds
  IntegerMode mode;
};

struct Passage {
  const Summary* from = nullptr;
  Slept slept;
  const Summary* to = nullptr;
  unsigned fromPlace = 0;
  unsigned toPlace = 0;
  unsigned number = 0;
};

class TurnCode {
 public:
  TurnCode();
  ~TurnCode();
  TurnCode(const TurnCode&) = delete;
  TurnCode& operator=(const TurnCode&) = delete;

  /// No turn that may end later is taken: products of times and the clock's numbers stay in range.
  [[nodiscard]] static Cycle latest(const TurnSetting& setting);
  /// This host can run translated turns with such a clock.
  [[nodiscard]] static bool possible(std::uint64_t cycles, std::uint64_t edges);
  /// And laps (lap.hpp).
  [[nodiscard]] static bool lapsPossible();

  /// Makes the code of a passage and puts it behind those from the same place. False: it holds
  /// something that has no translation.
  bool add(const Passage& passage, const TurnSetting& setting);
  /// All code goes.
  void forget(const TurnSetting& setting);
  /// There is code to go on from there.
  [[nodiscard]] bool has(unsigned place) const { return firsts_[place] != leave_; }
  /// Goes on from frame().place until no passage fits, or to a place to stop at.
  void run() { enter_(&frame_, firsts_[frame_.place]); }
  /// run() ends at this place from now on.
  void stopAt(unsigned place) {
    frame_.heads[place] = leave_;
    stops_[place] = true;
  }
  /// And no longer.
  void passOn(unsigned place) {
    frame_.heads[place] = firsts_[place];
    stops_[place] = false;
  }

  /// A lap (lap.hpp) of a certain timing; false, and nothing has happened: it does not fit.
  using Lap = bool (*)(TurnFrame* frame, const LapTiming* timing);
  /// Its code, from the end of `from` on; null: it has no translation.
  Lap addLap(const Summary& from, const Summary& lap, const TurnSetting& setting);

  [[nodiscard]] TurnFrame& frame() { return frame_; }

 private:
  struct Runtime;
  TurnFrame frame_;
  std::unique_ptr<Runtime> runtime_;
  const void* leave_ = nullptr;
  std::array<const void*, TurnFrame::kPlaces> firsts_{};  ///< the first passage from there
  std::array<bool, TurnFrame::kPlaces> stops_{};
  void (*enter_)(TurnFrame* frame, const void* code) = nullptr;
};

}  // namespace rtvp::c32::blocks
