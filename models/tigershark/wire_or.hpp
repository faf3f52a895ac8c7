// The shared vote line: wire-OR with a pull-up (board.md 1.3). Low while any lane drives it low;
// high again `rise` cycles after the last one let go.
//
// Lanes are simulated one after the other, each a little ahead of the next, so changes do not
// arrive in order of time. Every lane therefore keeps its own short history of pulls, and the level
// is worked out for one cycle on demand.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "models/c32/port.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::tigershark {

class WireOr {
 public:
  using Cycle = c32::Cycle;

  WireOr(std::size_t lanes, Cycle rise) : rise_(rise), lanes_(lanes) {}

  void clear() { std::fill(lanes_.begin(), lanes_.end(), Lane{}); }

  /// `lane` starts to pull low at the end of `cycle`.
  void pull(std::size_t lane, Cycle cycle) {
    Lane& l = lanes_[lane];
    l.newest = (l.newest + 1) % kHistory;
    l.low[l.newest] = {cycle + 1, c32::kNever};
  }

  /// `lane` lets go at the end of `cycle`.
  void release(std::size_t lane, Cycle cycle) {
    Lane& l = lanes_[lane];
    l.low[l.newest].to = cycle + 1 + rise_;
  }

  /// Lanes that hold the wire down in `cycle`. Final once every lane's own time has passed `cycle`.
  [[nodiscard]] std::size_t pullers(Cycle cycle) const {
    return static_cast<std::size_t>(std::count_if(lanes_.begin(), lanes_.end(), [&](const Lane& l) {
      return std::any_of(l.low.begin(), l.low.end(),
                         [&](const Low& low) { return cycle >= low.from && cycle < low.to; });
    }));
  }
  [[nodiscard]] bool high(Cycle cycle) const { return pullers(cycle) == 0; }

  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

 private:
  // A reader looks back no further than the synchroniser delay, and a lane is at most one epoch
  // ahead of another: the last four pulls of a lane are more than anybody can ask for.
  static constexpr std::size_t kHistory = 4;
  struct Low {
    Cycle from = c32::kNever;
    Cycle to = 0;
  };
  struct Lane {
    std::array<Low, kHistory> low{};
    std::size_t newest = 0;
  };

  Cycle rise_;
  std::vector<Lane> lanes_;
};

}  // namespace rtvp::tigershark
