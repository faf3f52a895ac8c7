// A program on the hart under the debugger: what the hart's process calls when it has stopped, and
// the way back. The rest of the simulation stands meanwhile, at the time that it has come to.
//
// Nothing armed, or plain breakpoints: the hart runs at its own speed and stops in front of those
// by itself (Hart::setPlaces). Anything else: an observer sees each instruction.
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/debug/beside.hpp"
#include "models/debug/dialogue.hpp"
#include "models/debug/snapshots.hpp"
#include "models/xphmg/debug/hart_unit.hpp"
#include "models/xphmg/hart_control.hpp"
#include "models/xphmg/hart_module.hpp"

namespace rtvp::xphmg {

class HartDriver final : public HartControl,
                         private rv64::Observer,
                         private debug::World,
                         private debug::BesideHost {
 public:
  /// `chained`: sees each instruction, too (a trace); or null. `interrupted`: somebody wants to say
  /// something, asked now and then. `snapshots`: to go back in time, or null. `beside`: units that
  /// are shown with the hart, or null.
  HartDriver(HartModule& module, const rv64::ElfImage& image, double hertz, debug::Host& host,
             std::function<bool()> interrupted, debug::Snapshots* snapshots,
             rv64::Observer* chained, debug::Beside* beside = nullptr);

  [[nodiscard]] debug::Dialogue& dialogue() { return dialogue_; }
  /// The user leaves the run at a unit beside the hart; does not return.
  std::function<void()> leave;
  /// Before the simulation: the first word. False: there is nothing to simulate.
  [[nodiscard]] bool begin();
  /// The program is over, `why` in a line.
  void over(const std::string& why, bool failed, int status);

  // HartControl
  void stopped() override;
  void between() override;
  [[nodiscard]] bool left() const override { return dialogue_.quit(); }

 private:
  // rv64::Observer
  bool before(const rv64::Hart& hart, const rv64::Decoded& instruction) override;
  void after(const rv64::Hart& hart, const rv64::Decoded& instruction, bool retired) override;
  void stalled(rv64::Spent cause, std::uint64_t cycles) override {
    if (chained_ != nullptr) chained_->stalled(cause, cycles);
  }
  // World
  std::vector<debug::Unit*> units() override;
  [[nodiscard]] std::vector<debug::EventKind> events() const override;
  [[nodiscard]] double hertz() const override { return hertz_; }
  void reverse(const debug::Reverse& how) override;

  // BesideHost
  [[nodiscard]] bool looking() const override { return looking_; }
  void unitBegins(std::size_t unit) override;
  void unitEnded(std::size_t unit) override { dialogue_.watcher().after(1 + unit); }
  void unitArrived(std::size_t unit) override;
  void unitHalted(std::size_t unit) override;
  void unitsAdvance() override { between(); }

  void reached(std::size_t unit);
  void besideHalts(const std::vector<std::uint64_t>& places);
  /// Ascends with every instruction of whatever unit.
  [[nodiscard]] std::uint64_t position() const;

  void plan();
  void serve(const debug::Standing* standing);
  bool keep(bool pinned);
  void observe(bool wanted);

  // Back in time: positions are cycles of the hart, which begin one instruction at most, and
  // instructions of the units beside it.
  struct Goal {
    enum class Kind : std::uint8_t {
      Arrive,  ///< stand in front of the instruction of cycle `end`, or a later one
      Hits,    ///< the same, for what the watcher finds there
      Steps,   ///< look for the latest instructions in front of `end`
      Stops,   ///< look for the latest stop at `end` or before
    };
    Kind kind = Kind::Arrive;
    std::uint64_t from = 0, end = 0, count = 0;
    std::size_t unit = 0;
    std::string why;
    boost::json::object said;
    std::deque<std::uint64_t> begun;     ///< Steps: cycles of the latest instructions
    std::optional<std::uint64_t> found;  ///< Stops: the latest
    std::vector<debug::Stop> stops;      ///< as they were
  };
  [[noreturn]] void pursue(Goal goal);
  void wakeUp(const std::string& message);
  bool onTheWay(std::size_t unit);
  [[noreturn]] void conclude();
  void arrive(std::size_t unit);

  HartModule& module_;
  rv64::DebugUnit unit_;
  debug::Program program_;
  double hertz_;
  debug::Beside* beside_;
  debug::Dialogue dialogue_;
  std::function<bool()> interrupted_;
  debug::Snapshots* snapshots_;
  rv64::Observer* chained_;
  std::unique_ptr<Goal> goal_;  ///< null: forwards
  std::unique_ptr<debug::Silence> silence_;
  std::chrono::steady_clock::time_point keptAt_;
  std::optional<std::uint64_t> next_;  ///< PC behind the latest instruction seen
  bool byUser_ = false;
  bool looking_ = true;
  unsigned seen_ = 0;
};

}  // namespace rtvp::xphmg
