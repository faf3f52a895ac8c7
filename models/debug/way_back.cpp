// See way_back.hpp.
#include "models/debug/way_back.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>
#include <utility>

namespace rtvp::debug {
namespace {

namespace json = boost::json;
constexpr std::chrono::milliseconds kSpacing{250};

}  // namespace

WayBack::WayBack(Dialogue& dialogue, Snapshots* snapshots)
    : dialogue_(dialogue), snapshots_(snapshots) {}

bool WayBack::keep(std::uint64_t position, bool pinned) {
  if (snapshots_ == nullptr || goal_) return false;
  const auto message = snapshots_->take(position, pinned);
  keptAt_ = std::chrono::steady_clock::now();
  if (message) wakeUp(*message);
  return message.has_value();
}

bool WayBack::late() const {
  return snapshots_ != nullptr && !goal_ && std::chrono::steady_clock::now() >= keptAt_ + kSpacing;
}

void WayBack::reverse(const Reverse& how, std::uint64_t position) {
  if (snapshots_ == nullptr) throw CommandError("no earlier state is kept here");
  if (position <= snapshots_->positions().front())
    throw CommandError("this is the beginning, nothing lies before it");
  Goal goal;
  const bool steps = how.kind == Reverse::Kind::Step;
  goal.kind = steps ? Goal::Kind::Steps : Goal::Kind::Stops;
  goal.end = steps ? position : position - 1;
  goal.from = *snapshots_->before(position - 1);
  goal.count = how.count;
  goal.unit = how.unit;
  goal.said = dialogue_.save();
  pursue(goal);
}

void WayBack::pursue(const Goal& goal) {
  const json::object message = {{"kind", static_cast<int>(goal.kind)},
                                {"from", goal.from},
                                {"end", goal.end},
                                {"count", goal.count},
                                {"unit", goal.unit},
                                {"why", goal.why},
                                {"said", goal.said}};
  snapshots_->goBack(goal.from, json::serialize(message));
}

/// In the process of the state that was woken.
void WayBack::wakeUp(const std::string& message) {
  const json::value value = json::parse(message);
  const json::object& o = value.as_object();
  silence_ = std::make_unique<Silence>();
  goal_ = std::make_unique<Goal>();
  goal_->kind = static_cast<Goal::Kind>(o.at("kind").to_number<int>());
  goal_->from = o.at("from").to_number<std::uint64_t>();
  goal_->end = o.at("end").to_number<std::uint64_t>();
  goal_->count = o.at("count").to_number<std::uint64_t>();
  goal_->unit = o.at("unit").to_number<std::size_t>();
  goal_->why = json::value_to<std::string>(o.at("why"));
  goal_->said = o.at("said").as_object();
  dialogue_.restore(goal_->said);
  (void)dialogue_.takeTouched();
  Watcher& watcher = dialogue_.watcher();
  goal_->stops = watcher.stops().all();
  watcher.go({});
  for (Stop& s : watcher.stops().all()) {
    s.skip = 0;
    s.once = false;
  }
}

bool WayBack::passes(std::uint64_t last) const {
  return goal_ && last < goal_->end;
}

bool WayBack::onTheWay(std::uint64_t position, std::size_t unit, bool instruction) {
  Watcher& watcher = dialogue_.watcher();
  const bool due = watcher.due();
  if (goal_->kind == Goal::Kind::Hits && position >= goal_->end) return true;
  if (due) {
    if (goal_->kind == Goal::Kind::Stops && position <= goal_->end) goal_->found = position;
    (void)watcher.take();
  }
  if (goal_->kind == Goal::Kind::Arrive || goal_->kind == Goal::Kind::Steps) {
    if (position >= goal_->end) return true;
  } else if (position > goal_->end) {
    return true;
  }
  if (goal_->kind == Goal::Kind::Steps && unit == goal_->unit && instruction) {
    goal_->begun.push_back(position);
    if (goal_->begun.size() > goal_->count) goal_->begun.pop_front();
  }
  return false;
}

/// All up to `end` has been seen.
void WayBack::conclude() {
  const std::uint64_t first = snapshots_->positions().front();
  Goal next;
  next.said = goal_->said;
  next.unit = goal_->unit;
  if (goal_->kind == Goal::Kind::Steps) {
    const std::deque<std::uint64_t>& begun = goal_->begun;
    if (begun.size() < goal_->count && goal_->from > first) {
      // The rest of them lies in front of the state that this began from.
      next.kind = Goal::Kind::Steps;
      next.end = goal_->from;
      next.count = goal_->count - begun.size();
      next.from = *snapshots_->before(goal_->from - 1);
      pursue(next);
    }
    next.end = begun.empty() ? goal_->from : begun.front();
    next.from = *snapshots_->before(next.end);
    pursue(next);
  }
  if (goal_->found) {
    next.kind = Goal::Kind::Hits;
    next.end = *goal_->found;
    next.from = *snapshots_->before(next.end == 0 ? 0 : next.end - 1);
  } else if (goal_->from > first) {
    next.kind = Goal::Kind::Stops;
    next.end = goal_->from;
    next.from = *snapshots_->before(goal_->from - 1);
  } else {
    next.end = next.from = first;
    next.why = "no stop before: the beginning, ";
  }
  pursue(next);
}

std::optional<Standing> WayBack::arrive(std::size_t unit) {
  if (goal_->kind == Goal::Kind::Steps || goal_->kind == Goal::Kind::Stops) conclude();
  const Goal goal = std::move(*goal_);
  goal_.reset();
  silence_.reset();
  Watcher& watcher = dialogue_.watcher();
  for (Stop& s : watcher.stops().all()) {
    for (const Stop& was : goal.stops) {
      if (was.id == s.id) s.hits = was.hits, s.skip = was.skip, s.once = was.once;
    }
  }
  if (goal.kind == Goal::Kind::Hits) return std::nullopt;
  dialogue_.setFocus(unit);
  watcher.go({});
  const std::vector<Unit*>& units = dialogue_.scope().units;
  const std::string who = units.size() > 1 ? units[unit]->name() + " " : "";
  return Standing{
      Standing::Reason::Back,
      goal.why + who + "at " + dialogue_.place(units[unit]->pc()) + "\n" + dialogue_.standing()};
}

}  // namespace rtvp::debug
