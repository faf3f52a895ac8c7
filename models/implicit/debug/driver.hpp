// A unit that evaluates tapes under the debugger: it is asked before each evaluation, looks at
// those that a stop may lie in instruction by instruction, and goes back in time.
//
// Evaluations come one after the other, in the order in which the model computes them: cells of a
// stage; rays of a list to their end; samples of the fragments of a face, one of each, by pixel.
// Nobody looks at an evaluation: it runs as ever, many points at once. A breakpoint is looked for
// in evaluations alone whose code has its instruction.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/debug/dialogue.hpp"
#include "models/debug/snapshots.hpp"
#include "models/debug/way_back.hpp"
#include "models/implicit/debug/codes.hpp"
#include "models/implicit/debug/unit.hpp"
#include "models/implicit/render/evaluation_watch.hpp"

namespace rtvp::implicit {

namespace unit {
class Engine;
}  // namespace unit

/// Thrown through whoever evaluates: the user has left the run.
struct RunLeft {};

class DebugDriver final : public render::EvaluationWatch, private RunWatch, private debug::World {
 public:
  struct Surroundings {
    debug::Host& host;
    std::function<bool()> interrupted;  ///< the user wants to say something; asked now and then
    debug::Snapshots* snapshots;        ///< to go back in time, or null
    double hertz;                       ///< of the unit's clock
    std::function<void()> leave = {};   ///< ends the program instead of throwing RunLeft
  };
  DebugDriver(std::string name, DebugCodes codes, Surroundings around);

  /// Whose evaluations they are, for clock and kind of job; without one the instructions' own
  /// cycles are added up. Null: it is gone, its clock stays where it is.
  void setEngine(const unit::Engine* engine);
  [[nodiscard]] debug::Dialogue& dialogue() { return dialogue_; }
  /// The run is over, `why` in a line. May come back in an earlier state of it.
  void over(const std::string& why, bool failed, int status);

  // EvaluationWatch
  RunWatch* begins(const render::Evaluation& what) override;
  bool apart(const render::Evaluation& what, std::uint64_t most) override;
  void passed(const render::Evaluation& what, std::uint64_t count) override;
  void cell(const render::CellEvent& event) override;
  void trace(const render::TraceEvent& event) override;

 private:
  // RunWatch
  void before(std::size_t at, RunValues& values) override;
  // World
  std::vector<debug::Unit*> units() override { return {&unit_}; }
  [[nodiscard]] std::vector<debug::EventKind> events() const override;
  [[nodiscard]] double hertz() const override { return around_.hertz; }
  void reverse(const debug::Reverse& how) override { way_.reverse(how, position_); }

  struct Event {
    std::string_view name;
    std::int64_t value = 0;
  };
  [[nodiscard]] bool heard();
  void happened(const std::vector<Event>& events, const std::string& text);
  [[nodiscard]] bool wanted(const render::Evaluation& what, std::uint64_t last);
  [[nodiscard]] bool stopsIn(const render::Evaluation& what) const;
  void settle();
  bool breathe();
  void reached();
  void serve(const debug::Standing* standing);
  void tellSituation();
  void plan();

  DebugCodes codes_;
  DebugUnit unit_;
  debug::Program program_;
  Surroundings around_;
  debug::Dialogue dialogue_;
  debug::WayBack way_;

  /// Of the evaluation, its instruction, or the event behind it: see positionOf() in the source.
  std::uint64_t position_ = 0;
  std::uint64_t evaluation_ = 0;  ///< the present or the latest, from 1
  std::uint64_t step_ = 0;        ///< instructions of it, then what happened behind them
  bool begun_ = false;
  bool interrupted_ = false;  ///< the user wants to speak at the next instruction
  bool open_ = false;   ///< what follows the latest instruction that was looked at is not known yet
  bool quiet_ = false;  ///< nothing is looked for
  bool watching_ = false;              ///< something is armed that each instruction may change
  bool hearing_ = false;               ///< ... that happens between evaluations
  std::vector<std::uint64_t> places_;  ///< of breakpoints
  std::uint32_t bursts_ = 0;
};

}  // namespace rtvp::implicit
