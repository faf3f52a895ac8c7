// From what a store knows of a sweep's points to its table, plots and page.
#pragma once

#include <chrono>

#include "platform/sweep/store.hpp"
#include "platform/sweep/sweep.hpp"

namespace rtvp::sweep {

/// The result of a point that a parameter refuses.
[[nodiscard]] PointResult refusal(const Point& point);
/// The result of a point that nothing is known of.
[[nodiscard]] PointResult noResult();

/// Results, figures, table, page: of what the store knows of the points. `chosen`: the user said
/// which figures. Points without a result are an error unless the sweep is running or interrupted.
void collect(SweepResult& sweep, Store& store, const SweepOptions& options, const Subject& subject,
             bool chosen);

/// The page of a sweep that goes on, from time to time.
class RunningPage {
 public:
  /// Of a sweep that writes results at all; samples are estimated at the end.
  explicit RunningPage(const SweepOptions& options);
  /// Writes it, if that is not too soon: never more than a fiftieth of the time goes into it. The
  /// sweep is what it was when this returns.
  void update(SweepResult& sweep, Store& store, const SweepOptions& options, const Subject& subject,
              bool chosen);

 private:
  double next_;  ///< seconds since start_
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace rtvp::sweep
