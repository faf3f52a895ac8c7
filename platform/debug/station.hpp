// The debugger inside the simulation: a process that comes to life when something is to be shown,
// holds all units at that moment, and lets the user speak.
//
// Free run: nothing is looked at, models run ahead as ever, up to a time to stop at if there is
// one. Stepping: somebody looks at every instruction (ArrayControl::stepping()); what happens in
// one cycle, in whatever unit, is one stop, at the begin of the next cycle. Neither changes what
// the simulation computes or when.
//
// Breakpoints alone need no look: units halt in front of their places by themselves (halted()).
// Then others have run beyond, and the moment is come to again from an earlier state, stepping at
// the end.
//
// Backwards (reverse.cpp): an earlier state of the program is woken and runs to the goal, unheard:
// freely to a place in front of it, and stepping from there where instructions must be looked at.
//
// Questions about the past (look_back.cpp) go the same way back and come to the same moment again,
// with the instructions of the way there written down.
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "models/debug/dialogue.hpp"
#include "models/debug/history.hpp"
#include "models/debug/snapshots.hpp"
#include "platform/debug/debuggee.hpp"
#include "platform/debug/port.hpp"

namespace rtvp::platform {

class Station final : public Debuggee,
                      public sc_core::sc_module,
                      private DebugControl,
                      private DebugObserver,
                      private debug::World {
 public:
  /// `ports`: of machines that are built; they and `host` outlive it. `interrupted`: the user wants
  /// the machines to stop; asked now and then. `snapshots`: to go back in time, or null.
  Station(const sc_core::sc_module_name& name, std::vector<std::unique_ptr<DebugPort>> ports,
          debug::Host& host, std::function<bool()> interrupted, debug::Snapshots* snapshots);
  ~Station() override;

  [[nodiscard]] debug::Dialogue& dialogue() override { return *dialogue_; }
  void begin() override;
  void over(const std::string& why, int status) override;

 private:
  // ArrayControl
  [[nodiscard]] bool stepping() const override { return stepping_; }
  [[nodiscard]] const sc_core::sc_time& limit() const override { return limit_; }
  [[nodiscard]] const sc_core::sc_event& changed() const override { return changed_; }
  [[nodiscard]] const sc_core::sc_time& moment() const override { return moment_; }
  void advancing() override;
  void halted(tigershark::LockstepArray& array, c32::Cycle cycle) override;
  void before(tigershark::LockstepArray& array, c32::Cycle cycle) override;
  void after(tigershark::LockstepArray& array, c32::Cycle cycle) override;
  // DebugControl
  bool haltedAt(const DebugPort& port, std::size_t unit, const sc_core::sc_time& time) override;
  void begins(const DebugPort& port, std::size_t unit) override { before(firstOf(port) + unit); }
  void ended(const DebugPort& port, std::size_t unit, const sc_core::sc_time& moment) override;
  void arrived(const DebugPort& port, std::size_t unit, const sc_core::sc_time& moment) override;
  // DebugObserver
  void before(std::size_t unit) override;
  void after(std::size_t unit, const debug::Effects* entry) override;
  void event(std::size_t unit, std::string_view name, std::int64_t value,
             const std::string& text) override {
    debug::Watcher& watcher = dialogue_->watcher();
    if (!watcher.wants(name)) return;
    const std::uint64_t pc = dialogue_->scope().units[unit]->pc();
    watcher.event(unit, name, value, text + ", at " + dialogue_->place(pc));
  }
  void look(std::size_t unit) override { dialogue_->watcher().look(unit); }
  // World
  [[nodiscard]] std::vector<debug::Unit*> units() override;
  [[nodiscard]] std::vector<debug::EventKind> events() const override;
  [[nodiscard]] double hertz() const override { return ports_.front()->hertz(); }

  void reverse(const debug::Reverse& how) override;

  void run();
  void poll();
  void decide();
  void serve();
  void plan();
  bool armPlaces();

  // Backwards. Positions are simulated picoseconds.
  struct Goal {
    enum class Kind : std::uint8_t {
      Arrive,  ///< stop at `end`, of which `why` tells
      Hits,    ///< stop at `end`, where stops were hit
      Steps,   ///< look for instructions of `unit` in [from, end], then go `count` of them back
      Stops,   ///< look for the latest stop in [from, end]
      Ahead,   ///< stop at the first stop in [from, end], else go on with the move
      Look,    ///< write down what happens in [from, end], and answer `question` at `end`
    };
    Kind kind = Kind::Arrive;
    std::uint64_t from = 0, end = 0;
    std::size_t unit = 0;
    std::uint64_t count = 0;
    std::uint64_t since = 0;                   ///< Ahead: position of the latest stop
    std::uint64_t cycle = debug::Move::kNone;  ///< Ahead: where the move ends
    std::string why;
    debug::Question question;          ///< Look: of `unit`
    bool looking = false;              ///< [from, end] has begun
    std::vector<std::uint64_t> found;  ///< moments
    boost::json::object said;          ///< what the user had said
    std::vector<debug::Stop> stops;    ///< Hits: as they were
  };
  bool keep(std::uint64_t position, bool pinned);
  void wakeUp(const std::string& message);
  [[noreturn]] void pursue(Goal goal, boost::json::object said);
  [[noreturn]] void widen();
  [[noreturn]] void conclude();
  bool reached();
  bool aheadReached();
  [[noreturn]] void comeAgain();
  void checkArrivals();
  void overOnTheWay();
  void forgetWhatPassed();
  void beginToLook();
  void note(std::size_t unit, const debug::Effects* entry);
  // Questions about the past.
  std::vector<debug::Command> lookCommands();
  debug::Action why(debug::Words& words);
  void lookBack(const debug::Question& question);
  void beginHistories();
  void answer();
  std::pair<std::size_t, debug::History::Answer> ask() const;
  void askOf(std::size_t unit, const std::string& failure);
  [[nodiscard]] std::uint64_t floorOf(std::uint64_t position) const;
  [[nodiscard]] std::uint64_t cyclesBefore(std::uint64_t position, std::uint64_t cycles) const;
  void stopAt(const sc_core::sc_time& time);
  [[nodiscard]] const DebugPort& portOf(std::size_t unit) const;
  [[nodiscard]] std::size_t firstOf(const DebugPort& port) const;
  std::vector<debug::Command> commands();
  void autopsy();
  /// BoardPort::Suspect, of all ports.
  struct Blamed {
    std::size_t unit;
    sc_core::sc_time failed;  ///< behind its failure, which may have run ahead; 0: it has not
    std::optional<std::uint64_t> word;  ///< internal address of a word that is no instruction
  };
  [[nodiscard]] std::vector<Blamed> blamed() const;
  [[nodiscard]] std::string timeText() const;

  std::vector<std::unique_ptr<DebugPort>> ports_;
  std::vector<std::size_t> first_;  ///< by port: number of its first unit
  std::size_t units_ = 0;
  debug::Program program_;
  std::unique_ptr<debug::Dialogue> dialogue_;
  std::function<bool()> interrupted_;
  std::string why_;      ///< of the next stop, if it is none that the watcher found
  std::string failure_;  ///< of the run
  std::vector<std::unique_ptr<debug::History>> histories_;  ///< by unit; null: not looked at
  bool byUser_ = false;  ///< the next stop is one that the user wants
  debug::Snapshots* snapshots_;
  std::vector<std::uint64_t> pins_;  ///< positions at which the user changed something
  std::chrono::steady_clock::time_point keptAt_;
  std::chrono::steady_clock::duration keepTook_{};  ///< the latest time
  std::unique_ptr<Goal> goal_;                      ///< null: forwards
  std::unique_ptr<debug::Silence> silence_;

  bool stepping_ = false;
  bool halted_ = false;          ///< somebody, and the state is of no further use
  std::uint64_t stoppedAt_ = 0;  ///< position from which units move
  sc_core::sc_time limit_, moment_;
  sc_core::sc_event changed_, stop_;
};

}  // namespace rtvp::platform
