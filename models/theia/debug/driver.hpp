// THEIA cores under the debugger: runs them for the GPU (or for who has a core alone), stops them
// where the user wants, and goes back in time.
//
// Nothing armed, or plain breakpoints: cores run at their own speed and halt in front of those by
// themselves (Core::setHalts). Anything else: one instruction at a time.
//
// Between two operations of the host each core runs as far as it can, one after the other; a stop
// shows them so, each with its own clock. They share nothing that they write.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/debug/beside.hpp"
#include "models/debug/dialogue.hpp"
#include "models/debug/snapshots.hpp"
#include "models/debug/way_back.hpp"
#include "models/theia/core_control.hpp"
#include "models/theia/debug/unit.hpp"

namespace rtvp::theia {

class GpuObserver;

/// Thrown through whoever drives the cores: the user has left the run.
struct RunLeft {};

class DebugDriver final : public CoreControl, private debug::World, private debug::BesideHost {
 public:
  struct Surroundings {
    debug::Host& host;
    std::function<bool()> interrupted;  ///< the user wants to say something; asked now and then
    debug::Snapshots* snapshots;        ///< to go back in time, or null
    GpuObserver* chained;               ///< hears of each instruction, too; or null
    double hertz;                       ///< of the cores' clock
    std::function<void()> leave = {};   ///< ends the program instead of throwing RunLeft
    debug::Beside* beside = nullptr;    ///< units behind the cores, or null
  };
  /// `units`: core 0 first.
  DebugDriver(std::vector<std::unique_ptr<DebugUnit>> units, debug::Program program,
              Surroundings around);

  [[nodiscard]] debug::Dialogue& dialogue() { return dialogue_; }
  /// The run is over, `why` in a line. May come back in an earlier state of it.
  void over(const std::string& why, bool failed, int status);

  Stop run(Core& core, Clock began) override;

 private:
  // World
  std::vector<debug::Unit*> units() override;
  [[nodiscard]] double hertz() const override { return around_.hertz; }
  void reverse(const debug::Reverse& how) override { way_.reverse(how, position()); }

  // BesideHost
  [[nodiscard]] bool looking() const override { return looking_; }
  void unitBegins(std::size_t unit) override;
  void unitEnded(std::size_t unit) override { dialogue_.watcher().after(units_.size() + unit); }
  void unitArrived(std::size_t unit) override;
  void unitHalted(std::size_t unit) override { halted(units_.size() + unit); }
  void unitsAdvance() override { (void)between(units_.size()); }

  [[nodiscard]] Stop look(std::size_t unit, bool arriving);
  [[nodiscard]] bool between(std::size_t unit);
  void halted(std::size_t unit);
  void settle(std::size_t unit);
  void serve(const debug::Standing* standing);
  void plan();
  bool keep(bool pinned);
  [[nodiscard]] std::string interruption(std::size_t unit);
  /// Instructions that all units have executed.
  [[nodiscard]] std::uint64_t position() const;

  void reached(std::size_t unit);
  void back(std::size_t unit);

  [[nodiscard]] const std::string& nameOf(std::size_t unit) const {
    return dialogue_.scope().units[unit]->name();
  }
  void besideHalts(const std::vector<std::uint64_t>& places);

  std::vector<std::unique_ptr<DebugUnit>> units_;
  debug::Program program_;
  Surroundings around_;
  debug::Dialogue dialogue_;
  debug::WayBack way_;
  /// The core's latest instruction has been looked at, and what follows it is not known yet: it
  /// ended the routine, or waits for texture memory.
  std::vector<bool> open_;
  bool begun_ = false;
  bool looking_ = true;
  std::uint32_t bursts_ = 0;
};

}  // namespace rtvp::theia
