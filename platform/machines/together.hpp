// For how long how many machines had rays at once.
#pragma once

#include <cstddef>
#include <string>
#include <systemc>
#include <vector>

#include "models/common/core/state.hpp"
#include "models/common/statistics.hpp"

namespace rtvp::platform {

class Together {
 public:
  explicit Together(std::size_t machines) : times_(machines + 1) {}

  /// One more machine has rays, or one fewer; `now` does not go back.
  void begin(const sc_core::sc_time& now) {
    pass(now);
    ++busy_;
  }
  void end(const sc_core::sc_time& now) {
    pass(now);
    --busy_;
  }

  /// For checkpoints.
  void state(common::StateArchive& a) {
    a.sized(times_);
    a(busy_, since_);
  }
  /// `now`: the end of the run.
  void report(common::StatGroup& stats, const sc_core::sc_time& now) const {
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const sc_core::sc_time open = i == busy_ ? now - since_ : sc_core::SC_ZERO_TIME;
      stats.count("busy_" + std::to_string(i) + "_ps", "ps",
                  "simulated time in which exactly " + std::to_string(i) +
                      " machines had a batch under way",
                  (times_[i] + open).value());
    }
  }

 private:
  void pass(const sc_core::sc_time& now) {
    times_.at(busy_) += now - since_;
    since_ = now;
  }

  std::vector<sc_core::sc_time> times_;  ///< by the number of busy machines
  std::size_t busy_ = 0;
  sc_core::sc_time since_;
};

}  // namespace rtvp::platform
