// A session under the debugger: owns the loop that moves the machine as the dialogue asks, and the
// commands that only a C32 has.
#pragma once

#include <functional>
#include <optional>

#include "models/c32/debug/session.hpp"
#include "models/c32/debug/unit.hpp"
#include "models/debug/dialogue.hpp"
#include "models/debug/snapshots.hpp"

namespace rtvp::c32 {

class Driver final : private debug::World {
 public:
  /// `interrupted`: the user wants the machine to stop; asked now and then, empty: never.
  /// `snapshots`: to go back in time; null: it only goes forwards.
  Driver(Session& session, debug::Host& host, std::function<bool()> interrupted = {},
         debug::Snapshots* snapshots = nullptr);

  debug::Dialogue& dialogue() { return dialogue_; }
  /// Until the commands end.
  void run();
  /// How the latest move ended; empty before the first.
  [[nodiscard]] const std::optional<StopReport>& last() const { return last_; }

 private:
  std::vector<debug::Unit*> units() override { return {&unit_}; }
  [[nodiscard]] std::vector<debug::EventKind> events() const override;
  [[nodiscard]] double hertz() const override;
  void reverse(const debug::Reverse& how) override;
  // Going back (reverse.cpp). A position: instructions and interrupt entries so far.
  [[nodiscard]] std::uint64_t position() const;
  bool keep(bool pinned);
  [[noreturn]] void goBack(std::uint64_t from, const boost::json::object& goal) const;
  [[noreturn]] void goTo(std::uint64_t target, bool hits, const std::string& why,
                         boost::json::object said);
  [[noreturn]] void search(std::uint64_t end, boost::json::object said);
  void wakeUp(const std::string& message);
  bool runTo(std::uint64_t target);
  void findHits(std::uint64_t target);
  [[nodiscard]] std::optional<std::uint64_t> latestHit(std::uint64_t end);

  [[nodiscard]] debug::Standing standingOf(const StopReport& ended) const;
  std::optional<StopReport> stepWatched();
  std::optional<StopReport> runFree();
  std::vector<debug::Command> commands();

  Session& session_;
  MachineTarget target_;
  DebugUnit unit_;
  debug::Program program_;
  debug::Dialogue dialogue_;
  std::function<bool()> interrupted_;
  std::optional<StopReport> last_;
  debug::Snapshots* snapshots_;
  std::uint64_t kept_ = 0;  ///< position of the latest snapshot
};

}  // namespace rtvp::c32
