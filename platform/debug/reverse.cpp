// The station's way back in time: station.hpp.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include "platform/debug/station.hpp"

namespace rtvp::platform {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kFirstSteps = 4'096;   // cycles looked at for an instruction
constexpr std::uint64_t kFirstStops = 65'536;  // and for a stop; each time eight times as many
constexpr std::uint64_t kWider = 8;

}  // namespace

/// True: this is that state again, with a goal.
bool Station::keep(std::uint64_t position, bool pinned) {
  if (snapshots_ == nullptr || goal_) return false;
  if (pinned) pins_.push_back(position);
  const auto begin = std::chrono::steady_clock::now();
  const auto message = snapshots_->take(position, pinned);
  keptAt_ = std::chrono::steady_clock::now();
  keepTook_ = keptAt_ - begin;
  if (message) wakeUp(*message);
  return message.has_value();
}

/// What leads to `position` begins here: at the first state, or at the user's latest change.
std::uint64_t Station::floorOf(std::uint64_t position) const {
  std::uint64_t floor = snapshots_->positions().front();
  for (const std::uint64_t pin : pins_) {
    if (pin < position) floor = std::max(floor, pin);
  }
  return floor;
}

std::uint64_t Station::cyclesBefore(std::uint64_t position, std::uint64_t cycles) const {
  const auto time = static_cast<double>(cycles) * 1e12 / hertz();
  const std::uint64_t floor = floorOf(position);
  return static_cast<double>(position - floor) <= time
             ? floor
             : position - static_cast<std::uint64_t>(time);
}

void Station::reverse(const debug::Reverse& how) {
  if (snapshots_ == nullptr) return World::reverse(how);
  const std::uint64_t now = moment_.value();
  if (now <= snapshots_->positions().front())
    throw debug::CommandError("this is the beginning, nothing lies before it");
  const bool steps = how.kind == debug::Reverse::Kind::Step;
  Goal goal;
  goal.kind = steps ? Goal::Kind::Steps : Goal::Kind::Stops;
  goal.end = steps ? now : now - 1;
  goal.from =
      cyclesBefore(goal.end, steps ? std::max(kFirstSteps, how.count * kWider) : kFirstStops);
  goal.unit = how.unit;
  goal.count = how.count;
  pursue(std::move(goal), dialogue_->save());
}

/// Wakes the latest state in front of the goal.
void Station::pursue(Goal goal, json::object said) {
  std::uint64_t position = goal.kind == Goal::Kind::Arrive ? goal.end : goal.from;
  // Where stops were hit, one more cycle is looked at.
  if (goal.kind == Goal::Kind::Hits) position = goal.from = cyclesBefore(goal.end, 2);
  const std::uint64_t state =
      snapshots_->before(position).value_or(snapshots_->positions().front());
  const json::object message = {{"kind", static_cast<int>(goal.kind)},
                                {"from", goal.from},
                                {"end", goal.end},
                                {"unit", goal.unit},
                                {"count", goal.count},
                                {"since", goal.since},
                                {"cycle", goal.cycle},
                                {"why", goal.why},
                                {"ask", static_cast<int>(goal.question.kind)},
                                {"number", goal.question.number},
                                {"said", std::move(said)}};
  snapshots_->goBack(state, json::serialize(message));
}

/// In the process of the state that was woken: the goal, and off to it.
void Station::wakeUp(const std::string& message) {
  const json::value value = json::parse(message);
  const json::object& o = value.as_object();
  silence_ = std::make_unique<debug::Silence>();
  goal_ = std::make_unique<Goal>();
  goal_->kind = static_cast<Goal::Kind>(o.at("kind").to_number<int>());
  goal_->from = o.at("from").to_number<std::uint64_t>();
  goal_->end = o.at("end").to_number<std::uint64_t>();
  goal_->unit = o.at("unit").to_number<std::size_t>();
  goal_->count = o.at("count").to_number<std::uint64_t>();
  goal_->since = o.at("since").to_number<std::uint64_t>();
  goal_->cycle = o.at("cycle").to_number<std::uint64_t>();
  goal_->why = json::value_to<std::string>(o.at("why"));
  goal_->question.kind = static_cast<debug::Question::Kind>(o.at("ask").to_number<int>());
  goal_->question.number = o.at("number").to_number<std::uint64_t>();
  goal_->said = o.at("said").as_object();
  dialogue_->restore(goal_->said);
  (void)dialogue_->takeTouched();
  byUser_ = stepping_ = halted_ = false;
  for (const auto& port : ports_) (void)port->setStops({}, std::vector<bool>(port->units().size()));
  why_.clear();
  dialogue_->watcher().go({});
  const bool arrives = goal_->kind == Goal::Kind::Arrive;
  stopAt(sc_core::sc_time::from_value(arrives ? goal_->end : goal_->from));
}

/// Held at the goal, or at the place to look from. True: it is the user's turn.
bool Station::reached() {
  if (goal_->kind != Goal::Kind::Arrive && !goal_->looking) {
    beginToLook();
    return false;
  }
  if (goal_->kind == Goal::Kind::Ahead) return aheadReached();
  if (goal_->kind == Goal::Kind::Steps || goal_->kind == Goal::Kind::Stops) conclude();
  if (goal_->kind == Goal::Kind::Look) answer();
  if (goal_->kind == Goal::Kind::Hits || goal_->kind == Goal::Kind::Look) forgetWhatPassed();
  if (goal_->kind == Goal::Kind::Arrive) {
    const debug::Unit& unit = dialogue_->unit();
    const std::string who = dialogue_->scope().units.size() > 1 ? unit.name() + ": " : "";
    why_ = who + goal_->why + "at " + dialogue_->place(unit.pc()) + "\n" + dialogue_->standing();
  }
  goal_.reset();
  silence_.reset();
  return true;
}

/// Stops as they were: nothing was let pass on the way, and nothing counted.
void Station::forgetWhatPassed() {
  for (debug::Stop& s : dialogue_->watcher().stops().all()) {
    for (const debug::Stop& was : goal_->stops) {
      if (was.id == s.id) s.hits = was.hits, s.skip = was.skip, s.once = was.once;
    }
  }
}

/// The simulation ends where the user was when he went back.
void Station::overOnTheWay() {
  if (goal_->kind == Goal::Kind::Steps || goal_->kind == Goal::Kind::Stops) conclude();
  if (goal_->kind == Goal::Kind::Look) {
    answer();
    forgetWhatPassed();
  }
  goal_.reset();
  silence_.reset();
}

/// Somebody halts, others have run beyond: to the same moment again.
void Station::comeAgain() {
  const debug::Move& move = dialogue_->watcher().move();
  Goal goal;
  goal.kind = Goal::Kind::Ahead;
  goal.end = limit_.value();
  goal.since = stoppedAt_;
  goal.from = std::max(stoppedAt_, cyclesBefore(goal.end, kFirstSteps));
  goal.unit = move.unit;
  goal.cycle = move.cycle;
  pursue(std::move(goal), dialogue_->save());
}

/// A stop, or nothing up to the end: then the move goes on.
bool Station::aheadReached() {
  debug::Watcher& watcher = dialogue_->watcher();
  debug::Move move;
  move.unit = goal_->unit;
  move.cycle = goal_->cycle;
  goal_.reset();
  silence_.reset();
  if (watcher.due()) return true;
  watcher.go(move);
  plan();
  return false;
}

/// Who stands at a breakpoint at the begin of the look has come there unseen: begins sooner.
void Station::checkArrivals() {
  const auto& units = dialogue_->scope().units;
  if (goal_->from <= goal_->since) return;
  for (std::size_t u = 0; u < units.size(); ++u) {
    if (!dialogue_->watcher().stopsAt(u, units[u]->pc())) continue;
    Goal next = *goal_;
    const auto seen = static_cast<double>(goal_->end - goal_->from) * hertz() / 1e12;
    next.from = std::max(goal_->since,
                         cyclesBefore(goal_->end, static_cast<std::uint64_t>(seen + 1) * kWider));
    pursue(std::move(next), goal_->said);
  }
}

void Station::beginToLook() {
  goal_->looking = true;
  debug::Watcher& watcher = dialogue_->watcher();
  if (goal_->kind == Goal::Kind::Ahead) {
    checkArrivals();
    watcher.go({});
    stepping_ = true;
    stopAt(sc_core::sc_time::from_value(goal_->end));
    return;
  }
  goal_->stops = watcher.stops().all();
  watcher.go({});
  for (debug::Stop& s : watcher.stops().all()) {
    s.skip = 0;
    if (goal_->kind != Goal::Kind::Hits) s.once = false;
  }
  if (goal_->kind == Goal::Kind::Look) beginHistories();
  stepping_ = true;
  stopAt(sc_core::sc_time::from_value(goal_->end));
}

/// An instruction of `unit` is over, or an interrupt was entered.
void Station::note(std::size_t unit, const debug::Effects* entry) {
  if (unit < histories_.size() && histories_[unit] != nullptr)
    histories_[unit]->after(*dialogue_->scope().units[unit], entry);
  // Instructions that take no clock share a moment.
  const bool again = !goal_->found.empty() && goal_->found.back() == moment_.value();
  if (goal_->kind == Goal::Kind::Steps && goal_->unit == unit && !again)
    goal_->found.push_back(moment_.value());
}

/// Everything from `from` to `end` has been seen.
void Station::conclude() {
  const std::vector<std::uint64_t>& found = goal_->found;
  Goal next;
  if (goal_->kind == Goal::Kind::Stops) {
    if (found.empty()) widen();
    next.kind = Goal::Kind::Hits;
    next.end = found.back();
  } else {
    const std::uint64_t floor = floorOf(goal_->end);
    if (found.size() <= goal_->count && goal_->from > floor) widen();
    next.end = found.size() > goal_->count ? found[found.size() - 1 - goal_->count] : goal_->from;
    if (found.size() < goal_->count && floor > snapshots_->positions().front()) {
      // The rest of them lies in front of what the user changed.
      next.kind = Goal::Kind::Steps;
      next.unit = goal_->unit;
      next.count = goal_->count - found.size();
      next.from = cyclesBefore(next.end, std::max(kFirstSteps, next.count * kWider));
    }
  }
  pursue(std::move(next), goal_->said);
}

/// Not enough: the same with more time in front.
void Station::widen() {
  const std::uint64_t first = snapshots_->positions().front();
  Goal next = *goal_;
  if (goal_->kind == Goal::Kind::Stops) {
    if (goal_->from <= first) {
      next = {};
      next.end = first;
      next.why = "no stop before: the beginning, ";
      pursue(std::move(next), goal_->said);
    }
    next.end = goal_->from;
  }
  const auto seen = static_cast<double>(goal_->end - goal_->from) * hertz() / 1e12;
  next.from = cyclesBefore(next.end, static_cast<std::uint64_t>(seen) * kWider + kWider);
  pursue(std::move(next), goal_->said);
}

}  // namespace rtvp::platform
