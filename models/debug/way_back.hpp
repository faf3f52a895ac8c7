// Backwards, for runs whose driver can look at each instruction and that come to the same moment
// again: an earlier state of the program (Snapshots) goes on, unheard, to the goal.
//
// Positions are the driver's own numbers: each instruction and each event of the run has one, they
// ascend, and are the same in every pass.
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/debug/dialogue.hpp"
#include "models/debug/snapshots.hpp"

namespace rtvp::debug {

class WayBack {
 public:
  /// `snapshots`: null: there is no way back.
  WayBack(Dialogue& dialogue, Snapshots* snapshots);

  /// The present state is one to go back to. True: this is that state again, and somebody goes back
  /// to something behind it.
  [[nodiscard]] bool keep(std::uint64_t position, bool pinned);
  /// The latest state that was kept is old enough for another one.
  [[nodiscard]] bool late() const;
  /// Does not return, or throws CommandError. `position`: where the run stands.
  void reverse(const Reverse& how, std::uint64_t position);

  /// Something that has been is come to again.
  [[nodiscard]] bool active() const { return goal_ != nullptr; }
  /// Nothing from `first` to `last` need be looked at on the way, unless a stop might lie there.
  [[nodiscard]] bool passes(std::uint64_t last) const;
  /// ... a stop counts, too.
  [[nodiscard]] bool seeksStops() const { return goal_ && goal_->kind == Goal::Kind::Stops; }
  /// How many positions in front of the goal may be of use; of instructions, 0: none.
  [[nodiscard]] std::uint64_t wantedBefore() const {
    return goal_ && goal_->kind == Goal::Kind::Steps ? goal_->count : 0;
  }
  [[nodiscard]] std::uint64_t goal() const { return goal_->end; }

  /// At `position`, of `unit`: what the watcher has found there is known. True: far enough.
  [[nodiscard]] bool onTheWay(std::uint64_t position, std::size_t unit, bool instruction = true);
  /// After that, or where the run is over: the user's turn in the past. Empty: the watcher says
  /// why. Does not return if there is more to look for.
  [[nodiscard]] std::optional<Standing> arrive(std::size_t unit);

 private:
  struct Goal {
    enum class Kind : std::uint8_t {
      Arrive,  ///< stand at `end`
      Hits,    ///< the same, for what the watcher finds there
      Steps,   ///< look for the latest instructions of `unit` in front of `end`
      Stops,   ///< look for the latest stop at `end` or before
    };
    Kind kind = Kind::Arrive;
    std::uint64_t from = 0, end = 0, count = 0;
    std::size_t unit = 0;
    std::string why;
    boost::json::object said;
    std::deque<std::uint64_t> begun;     ///< Steps: positions of the latest instructions
    std::optional<std::uint64_t> found;  ///< Stops: the latest
    std::vector<Stop> stops;             ///< as they were
  };
  [[noreturn]] void pursue(const Goal& goal);
  [[noreturn]] void conclude();
  void wakeUp(const std::string& message);

  Dialogue& dialogue_;
  Snapshots* snapshots_;
  std::unique_ptr<Goal> goal_;  ///< null: forwards
  std::unique_ptr<Silence> silence_;
  std::chrono::steady_clock::time_point keptAt_;
};

}  // namespace rtvp::debug
