// See driver.hpp.
#include "models/theia/debug/driver.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>
#include <utility>

#include "models/theia/gpu.hpp"

namespace rtvp::theia {
namespace {

namespace json = boost::json;
using Reason = debug::Standing::Reason;

constexpr std::uint32_t kBurstsBetween = 1024;  // routines between two looks at who wants to speak
constexpr std::chrono::milliseconds kSpacing{250};

}  // namespace

DebugDriver::DebugDriver(std::vector<std::unique_ptr<DebugUnit>> units, debug::Program program,
                         Surroundings around)
    : units_(std::move(units)),
      program_(std::move(program)),
      around_(std::move(around)),
      dialogue_(*this, program_, around_.host, "(theia) "),
      open_(units_.size()) {
  if (around_.beside != nullptr) {
    around_.beside->describe(program_, units_.size());
    around_.beside->attach(*this);
  }
  dialogue_.open();
}

std::vector<debug::Unit*> DebugDriver::units() {
  std::vector<debug::Unit*> all;
  for (const auto& unit : units_) all.push_back(unit.get());
  if (around_.beside == nullptr) return all;
  for (debug::Unit* const unit : around_.beside->units()) all.push_back(unit);
  return all;
}

std::uint64_t DebugDriver::position() const {
  std::uint64_t sum = 0;
  for (const debug::Unit* const unit : dialogue_.scope().units) sum += unit->instructions();
  return sum;
}

void DebugDriver::over(const std::string& why, bool failed, int status) {
  if (goal_) {
    if (goal_->kind == Goal::Kind::Steps || goal_->kind == Goal::Kind::Stops) conclude();
    arrive(0);
  }
  while (!dialogue_.quit()) {
    dialogue_.pause({failed ? Reason::Failed : Reason::Over, why, {}, status});
    (void)dialogue_.watcher().take();
  }
}

// ---- the cores run

Stop DebugDriver::run(Core& core, Clock began) {
  const std::size_t unit = core.index();
  units_[unit]->begins(began);
  // It has just come to where it stands; else the user knows that it stands there.
  bool arriving = true;
  if (!begun_) {
    begun_ = true;
    arriving = false;
    if (!keep(false)) serve(nullptr);
  }
  for (;;) {
    if (looking_) {
      const Stop stop = look(unit, std::exchange(arriving, false));
      if (stop != Stop::None) return stop;
      continue;  // nobody looks any more
    }
    if (++bursts_ % kBurstsBetween == 0 && between(unit)) {
      arriving = false;
      continue;
    }
    Stop stop = Stop::None;
    if (!std::exchange(arriving, false)) stop = core.step();
    if (stop == Stop::None) stop = core.run();
    if (stop != Stop::Place) return stop;
    halted(unit);
  }
}

/// One instruction after the other. Stop::None: it need not be looked at any more.
Stop DebugDriver::look(std::size_t unit, bool arriving) {
  debug::Watcher& watcher = dialogue_.watcher();
  Core& core = units_[unit]->core();
  if (arriving) settle(unit);
  for (;;) {
    if (goal_ ? onTheWay(unit) : watcher.due()) {
      reached(unit);
      if (!looking_) return Stop::None;
      continue;
    }
    if (++bursts_ % kBurstsBetween == 0 && between(unit)) return Stop::None;
    watcher.before(unit);
    const std::uint16_t pc = core.pc();
    const Clock clock = units_[unit]->cycle();
    const Stop stop = core.step();
    if (stop != Stop::Faulted && around_.chained != nullptr)
      around_.chained->onInstruction(core, pc, clock);
    if (stop == Stop::Returned || stop == Stop::TextureRead) open_[unit] = true;
    if (stop != Stop::None) return stop;
    watcher.after(unit);
  }
}

// ---- units beside the cores

void DebugDriver::unitBegins(std::size_t unit) {
  const std::size_t number = units_.size() + unit;
  debug::Watcher& watcher = dialogue_.watcher();
  while (goal_ ? onTheWay(number) : watcher.due()) {
    reached(number);
    if (!looking_) return;
  }
  watcher.before(number);
}

void DebugDriver::unitArrived(std::size_t unit) {
  const debug::Effects nothing;
  dialogue_.watcher().begins(units_.size() + unit);
  dialogue_.watcher().after(units_.size() + unit, &nothing);
}

/// Plain breakpoints of the units beside the cores.
void DebugDriver::besideHalts(const std::vector<std::uint64_t>& places) {
  if (around_.beside == nullptr) return;
  std::vector<std::vector<std::uint64_t>> halts(around_.beside->units().size());
  for (std::size_t u = 0; u < halts.size(); ++u) {
    for (const std::uint64_t place : places) {
      const debug::Program::Owner* const owner = program_.ownerOf(place);
      if (owner != nullptr && dialogue_.watcher().stopsAt(units_.size() + u, place))
        halts[u].push_back(place);
    }
  }
  around_.beside->setHalts(halts);
}

// ---- stops of a core

/// The core goes on behind what look() could not see the end of.
void DebugDriver::settle(std::size_t unit) {
  if (open_[unit]) {
    dialogue_.watcher().after(unit);
  } else {
    dialogue_.watcher().arriveFirst(unit);
  }
  open_[unit] = false;
}

/// True: the user has spoken, or this is an earlier state again.
bool DebugDriver::between(std::size_t unit) {
  if (goal_) return false;
  const bool late = std::chrono::steady_clock::now() >= keptAt_ + kSpacing;
  if (around_.snapshots != nullptr && late && keep(false)) return true;
  if (!around_.interrupted || !around_.interrupted()) return false;
  const debug::Standing standing{Reason::Interrupted, interruption(unit)};
  serve(&standing);
  return true;
}

std::string DebugDriver::interruption(std::size_t unit) {
  dialogue_.setFocus(unit);
  return "interrupted, " + nameOf(unit) + " at " + dialogue_.place(dialogue_.unit().pc());
}

/// At a plain breakpoint.
void DebugDriver::halted(std::size_t unit) {
  debug::Watcher& watcher = dialogue_.watcher();
  // Who came here at full speed has not been seen.
  watcher.arriveFirst(unit);
  if (watcher.due()) reached(unit);
}

void DebugDriver::reached(std::size_t unit) {
  if (goal_) {
    if (goal_->kind == Goal::Kind::Steps || goal_->kind == Goal::Kind::Stops) conclude();
    return arrive(unit);
  }
  if (!keep(false)) serve(nullptr);
}

/// The user's turn, until the cores shall move.
void DebugDriver::serve(const debug::Standing* standing) {
  debug::Watcher& watcher = dialogue_.watcher();
  if (standing != nullptr) {
    dialogue_.pause(*standing);
  } else if (watcher.due()) {
    dialogue_.pause();
  } else {
    dialogue_.pause({});
  }
  while (!dialogue_.quit()) {
    if (dialogue_.takeTouched() && keep(true)) return;
    if (!watcher.due()) break;
    dialogue_.pause();
  }
  if (dialogue_.quit()) {
    if (around_.leave) around_.leave();
    throw RunLeft{};
  }
  plan();
}

/// How the cores go on.
void DebugDriver::plan() {
  debug::Watcher& watcher = dialogue_.watcher();
  const std::vector<std::uint64_t> places = watcher.plainPlaces();
  const bool limited = watcher.move().cycle != debug::Move::kNone;
  looking_ =
      goal_ || around_.chained != nullptr || limited || (watcher.looking() && places.empty());
  for (std::size_t u = 0; u < units_.size(); ++u) {
    std::vector<std::uint16_t> halts;
    for (const std::uint64_t place : looking_ ? std::vector<std::uint64_t>() : places) {
      if (place <= 0xFFFF && watcher.stopsAt(u, place))
        halts.push_back(static_cast<std::uint16_t>(place));
    }
    units_[u]->core().setHalts(std::move(halts));
  }
  besideHalts(looking_ ? std::vector<std::uint64_t>() : places);
  // What was open when nobody looked is none of the next look's.
  if (!looking_) open_.assign(open_.size(), false);
}

// ---- backwards

/// True: this is that state again.
bool DebugDriver::keep(bool pinned) {
  if (around_.snapshots == nullptr || goal_) return false;
  const auto message = around_.snapshots->take(position(), pinned);
  keptAt_ = std::chrono::steady_clock::now();
  if (message) wakeUp(*message);
  return message.has_value();
}

void DebugDriver::reverse(const debug::Reverse& how) {
  if (around_.snapshots == nullptr) return World::reverse(how);
  const std::uint64_t now = position(), first = around_.snapshots->positions().front();
  if (now <= first) throw debug::CommandError("this is the beginning, nothing lies before it");
  Goal goal;
  const bool steps = how.kind == debug::Reverse::Kind::Step;
  goal.kind = steps ? Goal::Kind::Steps : Goal::Kind::Stops;
  goal.end = steps ? now : now - 1;
  goal.from = *around_.snapshots->before(now - 1);
  goal.count = how.count;
  goal.unit = how.unit;
  goal.said = dialogue_.save();
  pursue(std::move(goal));
}

void DebugDriver::pursue(Goal goal) {
  const json::object message = {{"kind", static_cast<int>(goal.kind)},
                                {"from", goal.from},
                                {"end", goal.end},
                                {"count", goal.count},
                                {"unit", goal.unit},
                                {"why", goal.why},
                                {"said", goal.said}};
  around_.snapshots->goBack(goal.from, json::serialize(message));
}

/// In the process of the state that was woken.
void DebugDriver::wakeUp(const std::string& message) {
  const json::value value = json::parse(message);
  const json::object& o = value.as_object();
  silence_ = std::make_unique<debug::Silence>();
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
  debug::Watcher& watcher = dialogue_.watcher();
  goal_->stops = watcher.stops().all();
  watcher.go({});
  for (debug::Stop& s : watcher.stops().all()) {
    s.skip = 0;
    s.once = false;
  }
  plan();
}

/// In front of an instruction that is executed again. True: far enough.
bool DebugDriver::onTheWay(std::size_t unit) {
  debug::Watcher& watcher = dialogue_.watcher();
  const std::uint64_t now = position();
  const bool due = watcher.due();
  if (goal_->kind == Goal::Kind::Hits && now >= goal_->end) return true;
  if (due) {
    if (goal_->kind == Goal::Kind::Stops && now <= goal_->end) goal_->found = now;
    (void)watcher.take();
  }
  if (goal_->kind == Goal::Kind::Arrive || goal_->kind == Goal::Kind::Steps) {
    if (now >= goal_->end) return true;
  } else if (now > goal_->end) {
    return true;
  }
  if (goal_->kind == Goal::Kind::Steps && unit == goal_->unit) {
    goal_->begun.push_back(now);
    if (goal_->begun.size() > goal_->count) goal_->begun.pop_front();
  }
  return false;
}

/// All up to `end` has been seen.
void DebugDriver::conclude() {
  const std::uint64_t first = around_.snapshots->positions().front();
  Goal next;
  next.said = goal_->said;
  next.unit = goal_->unit;
  if (goal_->kind == Goal::Kind::Steps) {
    std::deque<std::uint64_t>& begun = goal_->begun;
    if (begun.size() < goal_->count && goal_->from > first) {
      // The rest of them lies in front of the state that this began from.
      next.kind = Goal::Kind::Steps;
      next.end = goal_->from;
      next.count = goal_->count - begun.size();
      next.from = *around_.snapshots->before(goal_->from - 1);
      pursue(std::move(next));
    }
    next.end = begun.empty() ? goal_->from : begun.front();
    next.from = *around_.snapshots->before(next.end);
    pursue(std::move(next));
  }
  if (goal_->found) {
    next.kind = Goal::Kind::Hits;
    next.end = *goal_->found;
    next.from = *around_.snapshots->before(next.end == 0 ? 0 : next.end - 1);
  } else if (goal_->from > first) {
    next.kind = Goal::Kind::Stops;
    next.end = goal_->from;
    next.from = *around_.snapshots->before(goal_->from - 1);
  } else {
    next.end = next.from = first;
    next.why = "no stop before: the beginning, ";
  }
  pursue(std::move(next));
}

/// The user's turn in the past.
void DebugDriver::arrive(std::size_t unit) {
  const Goal goal = std::move(*goal_);
  goal_.reset();
  silence_.reset();
  debug::Watcher& watcher = dialogue_.watcher();
  for (debug::Stop& s : watcher.stops().all()) {
    for (const debug::Stop& was : goal.stops) {
      if (was.id == s.id) s.hits = was.hits, s.skip = was.skip, s.once = was.once;
    }
  }
  if (goal.kind == Goal::Kind::Hits) return serve(nullptr);
  dialogue_.setFocus(unit);
  watcher.go({});
  const std::string who = dialogue_.scope().units.size() > 1 ? nameOf(unit) + " " : "";
  const debug::Standing standing{Reason::Back, goal.why + who + "at " +
                                                   dialogue_.place(dialogue_.unit().pc()) + "\n" +
                                                   dialogue_.standing()};
  serve(&standing);
}

}  // namespace rtvp::theia
