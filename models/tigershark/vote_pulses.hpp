// Pulls of the vote line that many lanes make and end together, remembered once instead of in every
// lane's history (wire_or.hpp), until somebody looks there.
//
// Invariant: what flush() tells the histories is what they would have been told at once, but for
// pulls that four later ones of everybody have followed: nobody can ask for them (WireOr).
#pragma once

#include <array>
#include <cstddef>

#include "models/c32/port.hpp"
#include "models/c32/simt/lane_mask.hpp"
#include "models/tigershark/wire_or.hpp"

namespace rtvp::tigershark {

class VotePulses {
 public:
  using Cycle = c32::Cycle;
  using Lanes = c32::simt::LaneMask;

  void clear() { count_ = 0; }
  /// At the end of `cycle` lanes let go and others start to pull. False, with nothing done, if that
  /// is not the end of the pulse under way and the begin of another one.
  bool change(const Lanes& low, const Lanes& released, Cycle cycle) {
    const bool open = count_ != 0 && pulses_[count_ - 1].open;
    const bool ends = released.any();
    if (ends && !(open && released == pulses_[count_ - 1].lanes)) return false;
    const bool begins = low.any();
    if (begins && open && !ends) return false;
    if (ends) {
      pulses_[count_ - 1].open = false;
      pulses_[count_ - 1].released = cycle;
    }
    if (begins) begin(low, cycle);
    return true;
  }
  /// To the lanes' histories.
  void flush(WireOr& line) {
    for (std::size_t i = 0; i < count_; ++i) {
      const Pulse& p = pulses_[i];
      p.lanes.forEach([&](unsigned lane) {
        line.pull(lane, p.pulled);
        if (!p.open) line.release(lane, p.released);
      });
    }
    count_ = 0;
  }

 private:
  static constexpr std::size_t kMost = 5;  ///< four that have ended, and one under way
  struct Pulse {
    Lanes lanes;
    Cycle pulled = 0;
    Cycle released = 0;
    bool open = false;
  };

  void begin(const Lanes& lanes, Cycle cycle) {
    if (count_ == kMost) {
      for (std::size_t i = 1; i < kMost; ++i) pulses_[i - 1] = pulses_[i];
      --count_;
    }
    pulses_[count_++] = {lanes, cycle, 0, true};
  }

  std::array<Pulse, kMost> pulses_;
  std::size_t count_ = 0;
};

}  // namespace rtvp::tigershark
