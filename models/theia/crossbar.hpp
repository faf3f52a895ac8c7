// The texture crossbar's arbiters (theia.md section 4): one rotating pointer per memory bank.
#pragma once

#include <cstdint>
#include <vector>

#include "models/theia/core.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::theia {

/// Which way an arbiter's pointer walks over the cores; the original's goes up.
enum class ArbiterOrder : std::uint8_t { Ascending, Descending };

struct ArbiterTiming {
  /// Clocks from the grant to the data (the registered grant and the read).
  Clock service = 2;
  /// Clocks from the grant until the pointer moves on: the request drops with the grant. Chosen
  /// because it gives the measured mean of TMREAD, 13 to 14 clocks with four cores (2.9).
  Clock hold = 1;
};

/// One bank's arbiter. The pointer moves one core per clock until it points at one that asks, stays
/// while that core is served, then moves on.
class Arbiter {
 public:
  explicit Arbiter(unsigned cores, ArbiterOrder order = ArbiterOrder::Ascending,
                   const ArbiterTiming& timing = {})
      : cores_(cores), order_(order), timing_(timing) {}

  /// When a request of `core` that is up since `asked` would be granted if no other core came
  /// first.
  [[nodiscard]] Clock grantTime(unsigned core, Clock asked) const {
    const Clock from = asked > since_ ? asked : since_;
    const auto moved = static_cast<unsigned>((from - since_) % cores_);
    const unsigned pointer = order_ == ArbiterOrder::Ascending
                                 ? (pointer_ + moved) % cores_
                                 : (pointer_ + cores_ - moved) % cores_;
    const unsigned ahead =
        order_ == ArbiterOrder::Ascending ? core + cores_ - pointer : pointer + cores_ - core;
    return from + ahead % cores_;
  }
  /// Serves the core at `granted`; returns when its data are there.
  Clock serve(unsigned core, Clock granted) {
    pointer_ = core;
    since_ = granted + timing_.hold;
    return granted + timing_.service;
  }

  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

 private:
  unsigned cores_;
  ArbiterOrder order_;
  ArbiterTiming timing_;
  unsigned pointer_ = 0;  ///< at clock since_
  Clock since_ = 0;
};

}  // namespace rtvp::theia
