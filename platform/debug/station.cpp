// See station.hpp.
#include "platform/debug/station.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>

#include "models/common/core/text.hpp"
#include "models/tigershark/lockstep_array.hpp"
#include "platform/debug/board_port.hpp"
#include "platform/debug/port_beside.hpp"

namespace rtvp::platform {
namespace {

const sc_core::sc_time& never() {
  static const sc_core::sc_time kNever = sc_core::sc_max_time();
  return kNever;
}

/// The programs of all, those of another kind than the first at addresses of their own. Ports of
/// the same kind run the same.
debug::Program programOf(const std::vector<std::unique_ptr<DebugPort>>& ports) {
  debug::Program all = ports.front()->program();
  std::size_t unit = ports.front()->units().size();
  for (std::size_t p = 1; p < ports.size(); ++p) {
    const std::size_t units = ports[p]->units().size();
    const debug::Program more = ports[p]->program();
    if (!more.code.empty() && !ports.front()->reaches(more.code.front().first))
      addProgram(all, more, unit, units);
    unit += units;
  }
  return all;
}

}  // namespace

Station::Station(const sc_core::sc_module_name& name, std::vector<std::unique_ptr<DebugPort>> ports,
                 debug::Host& host, std::function<bool()> interrupted, debug::Snapshots* snapshots)
    : sc_module(name),
      ports_(std::move(ports)),
      program_(programOf(ports_)),
      interrupted_(std::move(interrupted)),
      snapshots_(snapshots),
      limit_(never()) {
  for (const auto& port : ports_) {
    first_.push_back(units_);
    units_ += port->units().size();
    port->attach(*this);
  }
  debug::World& world = *this;
  dialogue_ = std::make_unique<debug::Dialogue>(world, program_, host, "(debug) ");
  dialogue_->add(commands());
  SC_HAS_PROCESS(Station);
  SC_THREAD(run);
  SC_THREAD(poll);
}

Station::~Station() = default;

std::vector<debug::Unit*> Station::units() {
  std::vector<debug::Unit*> all;
  for (const auto& port : ports_) {
    const std::vector<debug::Unit*> some = port->units();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::vector<debug::EventKind> Station::events() const {
  std::vector<debug::EventKind> all = {
      {"interrupt", "[N]", "an interrupt was entered; N: its PC or a later one"}};
  for (const auto& port : ports_) {
    for (const debug::EventKind& e : port->events()) {
      const bool known = std::any_of(all.begin(), all.end(),
                                     [&e](const debug::EventKind& k) { return k.name == e.name; });
      if (!known) all.push_back(e);
    }
  }
  return all;
}

const DebugPort& Station::portOf(std::size_t unit) const {
  const auto behind = std::upper_bound(first_.begin(), first_.end(), unit);
  return *ports_.at(static_cast<std::size_t>(behind - first_.begin()) - 1);
}

std::size_t Station::firstOf(const DebugPort& port) const {
  const auto it = std::find_if(ports_.begin(), ports_.end(),
                               [&port](const auto& known) { return known.get() == &port; });
  return first_.at(static_cast<std::size_t>(it - ports_.begin()));
}

// ---- from the arrays, and from units that are in none

void Station::advancing() {
  // Whatever a state costs on this computer, it is a small part of the whole.
  constexpr std::chrono::milliseconds kLeast{250};
  constexpr int kTimes = 100;
  const auto spacing = std::max<std::chrono::steady_clock::duration>(kLeast, kTimes * keepTook_);
  if (goal_ || halted_) return;
  const auto furthest = [this] {
    sc_core::sc_time time = sc_core::sc_time_stamp();
    for (const auto& port : ports_) time = std::max(time, port->furthest());
    return std::min(time, limit_);
  };
  if (snapshots_ != nullptr && std::chrono::steady_clock::now() >= keptAt_ + spacing &&
      keep(furthest().value(), false)) {
    return;
  }
  if (byUser_ || !interrupted_ || !interrupted_()) return;
  byUser_ = true;
  stopAt(furthest());
}

void Station::halted(tigershark::LockstepArray& array, c32::Cycle cycle) {
  halted_ = true;
  stopAt(std::min(array.clock().timeOf(cycle), limit_));
}

bool Station::haltedAt(const DebugPort& /*port*/, std::size_t /*unit*/,
                       const sc_core::sc_time& time) {
  halted_ = true;
  stopAt(std::min(time, limit_));
  return true;
}

void Station::ended(const DebugPort& port, std::size_t unit, const sc_core::sc_time& moment) {
  moment_ = moment;
  after(firstOf(port) + unit, nullptr);
  decide();
}

void Station::arrived(const DebugPort& port, std::size_t unit, const sc_core::sc_time& moment) {
  const std::size_t number = firstOf(port) + unit;
  moment_ = moment;
  const debug::Effects nothing;
  dialogue_->watcher().begins(number);
  if (goal_) note(number, &nothing);
  dialogue_->watcher().after(number, &nothing);
  decide();
}

void Station::before(tigershark::LockstepArray& array, c32::Cycle /*cycle*/) {
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    if (ports_[p]->before(array, first_[p], *this)) return;
  }
}

void Station::after(tigershark::LockstepArray& array, c32::Cycle cycle) {
  moment_ = array.clock().timeOf(cycle + 1);
  for (std::size_t p = 0; p < ports_.size(); ++p) ports_[p]->after(array, first_[p], *this);
  decide();
}

/// A moment has been seen: whether it is a stop.
void Station::decide() {
  debug::Watcher& watcher = dialogue_->watcher();
  if (!watcher.due()) return;
  const bool ahead = goal_ && goal_->kind == Goal::Kind::Ahead;
  if (!goal_ || ahead || (goal_->kind == Goal::Kind::Hits && moment_.value() >= goal_->end)) {
    stopAt(std::min(moment_, limit_));
    return;
  }
  if (goal_->kind == Goal::Kind::Stops && moment_.value() <= goal_->end &&
      (goal_->found.empty() || goal_->found.back() != moment_.value()))
    goal_->found.push_back(moment_.value());
  (void)watcher.take();
}

void Station::before(std::size_t unit) {
  dialogue_->watcher().before(unit);
  if (unit < histories_.size() && histories_[unit] != nullptr)
    histories_[unit]->before(*dialogue_->scope().units[unit]);
}

void Station::after(std::size_t unit, const debug::Effects* entry) {
  if (goal_) note(unit, entry);
  debug::Watcher& watcher = dialogue_->watcher();
  if (entry != nullptr) {
    const std::uint64_t pc = dialogue_->scope().units[unit]->pc();
    watcher.event(unit, "interrupt", static_cast<std::int64_t>(pc),
                  "interrupt, at " + dialogue_->place(pc));
  }
  watcher.after(unit, entry);
}

// ---- stops

/// Holds everybody there and comes to life.
void Station::stopAt(const sc_core::sc_time& time) {
  limit_ = time;
  stop_.cancel();
  if (time != never()) {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    stop_.notify(time > now ? time - now : sc_core::SC_ZERO_TIME);
  }
}

void Station::run() {
  for (;;) {
    // What is notified in front of the simulation is lost: the limit counts.
    while (sc_core::sc_time_stamp() < limit_) wait(stop_);
    if (halted_) comeAgain();
    moment_ = limit_;
    for (const auto& port : ports_) port->comeTo(moment_);
    if (!goal_ || reached()) serve();
    changed_.notify();
  }
}

/// What happens outside the units happens in time of its own: it is looked at each cycle, as long
/// as anybody else has something to do.
void Station::poll() {
  if (!ports_.front()->polled()) return;
  for (;;) {
    const debug::Watcher& watcher = dialogue_->watcher();
    const bool wanted = stepping_ && (watcher.valuing() || watcher.wants("fifo"));
    if (!wanted || !sc_core::sc_pending_activity()) {
      wait(changed_);
      continue;
    }
    wait(1 / hertz(), sc_core::SC_SEC);
    if (!stepping_ || sc_core::sc_time_stamp() >= limit_) continue;
    // The units may have begun the instructions of this cycle.
    moment_ = sc_core::sc_time_stamp();
    moment_ = ports_.front()->timeOf(dialogue_->scope().units.front()->cycle() + 1);
    for (std::size_t p = 0; p < ports_.size(); ++p) ports_[p]->poll(first_[p], *this);
    decide();
  }
}

/// The user's turn, until the units shall move.
void Station::serve() {
  using Reason = debug::Standing::Reason;
  debug::Watcher& watcher = dialogue_->watcher();
  if (keep(moment_.value(), false)) return;
  for (bool stands = true; stands; stands = watcher.due()) {
    const bool due = watcher.due();
    if (!why_.empty()) {
      dialogue_->pause({Reason::Back, why_});
    } else if (byUser_ && !due) {
      dialogue_->pause({Reason::Interrupted, "interrupted at " + timeText()});
    } else {
      dialogue_->pause();
    }
    why_.clear();
    byUser_ = false;
    if (dialogue_->quit()) leave();
    if (dialogue_->takeTouched() && keep(moment_.value(), true)) return;
  }
  plan();
}

/// How far they may go, and how.
void Station::plan() {
  const debug::Watcher& watcher = dialogue_->watcher();
  stepping_ = !armPlaces() && watcher.looking();
  stoppedAt_ = moment_.value();
  const std::uint64_t cycle = watcher.move().cycle;
  stopAt(cycle == debug::Move::kNone ? never() : portOf(watcher.move().unit).timeOf(cycle));
}

/// True: units halt in front of what the user wants to see, nobody needs to look.
bool Station::armPlaces() {
  debug::Watcher& watcher = dialogue_->watcher();
  std::vector<std::uint64_t> places;
  if (snapshots_ != nullptr) places = watcher.plainPlaces();
  bool all = true;
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    std::vector<bool> units(ports_[p]->units().size());
    for (std::size_t u = 0; u < units.size(); ++u) {
      units[u] = std::any_of(places.begin(), places.end(), [&](std::uint64_t place) {
        return watcher.stopsAt(first_[p] + u, place);
      });
    }
    std::vector<std::uint64_t> own;
    std::copy_if(places.begin(), places.end(), std::back_inserter(own),
                 [&](std::uint64_t place) { return ports_[p]->reaches(place); });
    all &= ports_[p]->setStops(own, units);
  }
  if (all || places.empty()) return all && !places.empty();
  for (const auto& port : ports_) (void)port->setStops({}, std::vector<bool>(port->units().size()));
  return false;
}

void Station::begin() {
  dialogue_->open();
  limit_ = moment_ = sc_core::SC_ZERO_TIME;
  if (keep(0, false)) return;
  do {
    dialogue_->pause({});
    if (dialogue_->quit()) leave();
    if (dialogue_->takeTouched() && keep(0, true)) return;
  } while (dialogue_->watcher().due());
  plan();
}

std::vector<Station::Blamed> Station::blamed() const {
  std::vector<Blamed> all;
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    const auto* const boards = dynamic_cast<const BoardPort*>(ports_[p].get());
    if (boards == nullptr) continue;
    for (const BoardPort::Suspect& s : boards->suspects()) {
      all.push_back({first_[p] + s.unit,
                     s.failed ? boards->timeOf(*s.failed + 1) : sc_core::SC_ZERO_TIME, s.word});
    }
  }
  return all;
}

void Station::over(const std::string& why, int status) {
  failure_ = status == 0 ? "" : why;
  if (goal_) overOnTheWay();
  moment_ = sc_core::sc_time_stamp();
  const std::vector<Blamed> blame = status == 0 ? std::vector<Blamed>{} : blamed();
  for (const Blamed& b : blame) moment_ = std::max(moment_, b.failed);
  if (dialogue_->quit()) return;
  const bool failed = !blame.empty() && blame.front().failed > sc_core::SC_ZERO_TIME;
  if (failed) dialogue_->setFocus(blame.front().unit);
  using Reason = debug::Standing::Reason;
  do {
    const std::string said = why_.empty() ? why : std::exchange(why_, {});
    dialogue_->pause({status == 0 ? Reason::Over : Reason::Failed, said, {}, status});
    (void)dialogue_->watcher().take();
  } while (!dialogue_->quit());
}

// ---- commands of simulated machines

std::string Station::timeText() const {
  char text[64];
  std::snprintf(
      text, sizeof text, "%.6f us, cycle %llu", static_cast<double>(moment_.value()) / 1e6,
      static_cast<unsigned long long>(dialogue_->scope().units[dialogue_->focus()]->cycle()));
  return text;
}

std::vector<debug::Command> Station::commands() {
  std::vector<debug::Command> rows;
  rows.push_back({"time",
                  {},
                  "looking",
                  "",
                  "simulated time, and the cycle of the unit in focus",
                  "",
                  debug::Command::Operand::None,
                  false,
                  [this](debug::Words&) -> debug::Action {
                    return [this] { dialogue_->print(timeText() + "\n"); };
                  }});
  rows.push_back(
      {"autopsy",
       {},
       "looking",
       "",
       "of a run that has failed: the processors to blame, their last instructions",
       "  run; autopsy         registers and place of those that the report names; of the first,\n"
       "                       where its addresses come from, or a word that is no instruction\n"
       "                       or that the report names, its way (why, way), and its last ten\n"
       "                       instructions\n",
       debug::Command::Operand::None,
       false,
       [this](debug::Words&) -> debug::Action { return [this] { autopsy(); }; }});
  for (debug::Command& row : lookCommands()) rows.push_back(std::move(row));
  return rows;
}

/// What can be said here, and commands for what needs a way back.
void Station::autopsy() {
  constexpr unsigned kSteps = 10;
  debug::Dialogue& d = *dialogue_;
  const std::vector<Blamed> blame = blamed();
  if (blame.empty()) throw debug::CommandError("no processor of this run has something to say");
  for (const Blamed& b : blame) {
    d.setFocus(b.unit);
    d.print(d.unit().name() + ": at " + d.place(d.unit().pc()) + "\n" + d.standing() + "\n" +
            d.unit().registerText());
  }
  const Blamed& first = blame.front();
  d.setFocus(first.unit);
  const auto then = [&d](const std::string& command) { d.queue(command, "autopsy"); };
  if (snapshots_ != nullptr) {
    if (first.word) then("why at 0" + common::hex(*first.word, 6) + "h");
    askOf(first.unit, first.word ? "" : failure_);
  }
  then("echo the last instructions of " + d.unit().name() + ":");
  then("reverse-step " + std::to_string(kSteps));
  for (unsigned n = 1; n < kSteps; ++n) then("step");
}

}  // namespace rtvp::platform
