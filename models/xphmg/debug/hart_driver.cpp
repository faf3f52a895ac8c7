// See hart_driver.hpp.
#include "models/xphmg/debug/hart_driver.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>
#include <utility>

namespace rtvp::xphmg {
namespace {

namespace json = boost::json;
using Reason = debug::Standing::Reason;

constexpr unsigned kLookEvery = 4096;  // instructions between two looks at whoever wants to speak
constexpr std::chrono::milliseconds kSpacing{250};

}  // namespace

HartDriver::HartDriver(HartModule& module, const rv64::ElfImage& image, double hertz,
                       debug::Host& host, std::function<bool()> interrupted,
                       debug::Snapshots* snapshots, rv64::Observer* chained, debug::Beside* beside)
    : module_(module),
      unit_("hart0", module.hart(),
            [&module](std::uint32_t word) { return module.extension().disassemble(word); }),
      program_(rv64::debugProgram(image)),
      hertz_(hertz),
      beside_(beside),
      dialogue_(*this, program_, host, "(hart) "),
      interrupted_(std::move(interrupted)),
      snapshots_(snapshots),
      chained_(chained) {
  module_.setControl(*this);
  if (beside_ == nullptr) return;
  beside_->describe(program_, 1);
  beside_->attach(*this);
}

std::vector<debug::Unit*> HartDriver::units() {
  std::vector<debug::Unit*> all = {&unit_};
  if (beside_ == nullptr) return all;
  for (debug::Unit* const unit : beside_->units()) all.push_back(unit);
  return all;
}

std::uint64_t HartDriver::position() const {
  std::uint64_t sum = unit_.cycle();
  const auto& all = dialogue_.scope().units;
  for (std::size_t u = 1; u < all.size(); ++u) sum += all[u]->instructions();
  return sum;
}

std::vector<debug::EventKind> HartDriver::events() const {
  return {{"interrupt", "[N]", "a trap or an interrupt was taken; N: its PC or a later one"}};
}

bool HartDriver::begin() {
  dialogue_.open();
  if (!keep(false)) serve(nullptr);
  return !dialogue_.quit();
}

void HartDriver::over(const std::string& why, bool failed, int status) {
  if (goal_) {
    if (goal_->kind == Goal::Kind::Steps || goal_->kind == Goal::Kind::Stops) conclude();
    arrive(0);
  }
  while (!dialogue_.quit()) {
    dialogue_.pause({failed ? Reason::Failed : Reason::Over, why, {}, status});
    (void)dialogue_.watcher().take();
  }
}

/// The user's turn, until the hart shall move.
void HartDriver::serve(const debug::Standing* standing) {
  debug::Watcher& watcher = dialogue_.watcher();
  if (standing != nullptr) {
    dialogue_.pause(*standing);
  } else if (watcher.due()) {
    dialogue_.pause();
  } else {
    dialogue_.pause({});
  }
  while (!dialogue_.quit()) {
    if (dialogue_.takeTouched()) {
      module_.hart().flushDecoded();
      if (keep(true)) return;
    }
    if (!watcher.due()) break;
    dialogue_.pause();
  }
  plan();
}

/// How the hart goes on.
void HartDriver::plan() {
  if (dialogue_.quit()) return;
  debug::Watcher& watcher = dialogue_.watcher();
  std::vector<std::uint64_t> places;
  if (chained_ == nullptr) places = watcher.plainPlaces();
  const bool limited = watcher.move().cycle != debug::Move::kNone;
  const bool look =
      goal_ || chained_ != nullptr || limited || (watcher.looking() && places.empty());
  looking_ = look;
  if (look) places.clear();
  besideHalts(places);
  std::erase_if(places, [this](std::uint64_t place) {
    return program_.ownerOf(place) != nullptr || !dialogue_.watcher().stopsAt(0, place);
  });
  module_.hart().setPlaces(places);
  observe(look);
  if (look) {
    module_.hart().askAgain();
  } else if (std::find(places.begin(), places.end(), unit_.pc()) != places.end()) {
    module_.hart().passHere();
  } else {
    module_.hart().askAgain();
  }
  next_ = unit_.pc();
}

void HartDriver::observe(bool wanted) {
  module_.setObserver(wanted ? static_cast<rv64::Observer*>(this) : chained_);
}

// ---- from units beside the hart

void HartDriver::unitBegins(std::size_t unit) {
  debug::Watcher& watcher = dialogue_.watcher();
  while (goal_ ? onTheWay(1 + unit) : watcher.due()) {
    reached(1 + unit);
    if (!looking_) return;
  }
  watcher.before(1 + unit);
}

void HartDriver::unitArrived(std::size_t unit) {
  const debug::Effects nothing;
  dialogue_.watcher().begins(1 + unit);
  dialogue_.watcher().after(1 + unit, &nothing);
}

void HartDriver::unitHalted(std::size_t unit) {
  dialogue_.watcher().arriveFirst(1 + unit);
  if (dialogue_.watcher().due()) reached(1 + unit);
}

void HartDriver::reached(std::size_t unit) {
  if (goal_) {
    if (goal_->kind == Goal::Kind::Steps || goal_->kind == Goal::Kind::Stops) conclude();
    arrive(unit);
  } else if (!keep(false)) {
    serve(nullptr);
  }
  // The hart may not come to ask for a long time.
  if (dialogue_.quit() && leave) leave();
}

/// Plain breakpoints of the units beside the hart.
void HartDriver::besideHalts(const std::vector<std::uint64_t>& places) {
  if (beside_ == nullptr) return;
  std::vector<std::vector<std::uint64_t>> halts(beside_->units().size());
  for (std::size_t u = 0; u < halts.size(); ++u) {
    for (const std::uint64_t place : places) {
      if (program_.ownerOf(place) != nullptr && dialogue_.watcher().stopsAt(1 + u, place))
        halts[u].push_back(place);
    }
  }
  beside_->setHalts(halts);
}

// ---- from the hart's process

void HartDriver::between() {
  if (goal_) return;
  if (snapshots_ != nullptr && std::chrono::steady_clock::now() >= keptAt_ + kSpacing &&
      keep(false))
    return;
  if (!interrupted_ || !interrupted_()) return;
  const debug::Standing standing{Reason::Interrupted,
                                 "interrupted at " + dialogue_.place(unit_.pc())};
  serve(&standing);
}

/// At a breakpoint, or because before() said so.
void HartDriver::stopped() {
  debug::Watcher& watcher = dialogue_.watcher();
  if (goal_) {
    if (goal_->kind == Goal::Kind::Steps || goal_->kind == Goal::Kind::Stops) conclude();
    return arrive(0);
  }
  if (std::exchange(byUser_, false) && !watcher.due()) {
    const debug::Standing standing{Reason::Interrupted,
                                   "interrupted at " + dialogue_.place(unit_.pc())};
    return serve(&standing);
  }
  // Who came here at full speed has not been seen.
  if (!watcher.due()) watcher.arriveFirst(0);
  if (keep(false)) return;
  if (!watcher.due()) return plan();
  serve(nullptr);
}

bool HartDriver::before(const rv64::Hart& hart, const rv64::Decoded& instruction) {
  debug::Watcher& watcher = dialogue_.watcher();
  const std::uint64_t pc = unit_.pc();
  if (next_ && *next_ != pc) {
    watcher.event(0, "interrupt", static_cast<std::int64_t>(pc),
                  "trap or interrupt, at " + dialogue_.place(pc));
    watcher.arriveFirst(0);
    next_ = pc;
  }
  if (goal_ ? onTheWay(0) : watcher.due()) return false;
  if (!goal_ && ++seen_ % kLookEvery == 0 && interrupted_ && interrupted_()) {
    byUser_ = true;
    return false;
  }
  watcher.before(0);
  return chained_ == nullptr || chained_->before(hart, instruction);
}

void HartDriver::after(const rv64::Hart& hart, const rv64::Decoded& instruction, bool retired) {
  if (chained_ != nullptr) chained_->after(hart, instruction, retired);
  next_ = unit_.pc();
  if (retired) dialogue_.watcher().after(0);
}

// ---- backwards

/// True: this is that state again.
bool HartDriver::keep(bool pinned) {
  if (snapshots_ == nullptr || goal_) return false;
  const auto message = snapshots_->take(position(), pinned);
  keptAt_ = std::chrono::steady_clock::now();
  if (message) wakeUp(*message);
  return message.has_value();
}

void HartDriver::reverse(const debug::Reverse& how) {
  if (snapshots_ == nullptr) return World::reverse(how);
  const std::uint64_t now = position(), first = snapshots_->positions().front();
  if (now <= first) throw debug::CommandError("this is the beginning, nothing lies before it");
  Goal goal;
  const bool steps = how.kind == debug::Reverse::Kind::Step;
  goal.kind = steps ? Goal::Kind::Steps : Goal::Kind::Stops;
  goal.end = steps ? now : now - 1;
  goal.from = *snapshots_->before(now - 1);
  goal.count = how.count;
  goal.unit = how.unit;
  goal.said = dialogue_.save();
  pursue(std::move(goal));
}

void HartDriver::pursue(Goal goal) {
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
void HartDriver::wakeUp(const std::string& message) {
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
  byUser_ = false;
  debug::Watcher& watcher = dialogue_.watcher();
  goal_->stops = watcher.stops().all();
  watcher.go({});
  for (debug::Stop& s : watcher.stops().all()) {
    s.skip = 0;
    s.once = false;
  }
  if (position() >= goal_->end && goal_->kind == Goal::Kind::Arrive) return arrive(goal_->unit);
  plan();
}

/// In front of an instruction that is executed again. True: far enough.
bool HartDriver::onTheWay(std::size_t unit) {
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
void HartDriver::conclude() {
  const std::uint64_t first = snapshots_->positions().front();
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
      next.from = *snapshots_->before(goal_->from - 1);
      pursue(std::move(next));
    }
    next.end = begun.empty() ? goal_->from : begun.front();
    next.from = *snapshots_->before(next.end);
    pursue(std::move(next));
  }
  if (goal_->found) {
    next.kind = Goal::Kind::Hits;
    next.end = *goal_->found;
    next.from = *snapshots_->before(next.end - 1);
  } else if (goal_->from > first) {
    next.kind = Goal::Kind::Stops;
    next.end = goal_->from;
    next.from = *snapshots_->before(goal_->from - 1);
  } else {
    next.end = next.from = first;
    next.why = "no stop before: the beginning, ";
  }
  pursue(std::move(next));
}

/// The user's turn in the past.
void HartDriver::arrive(std::size_t unit) {
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
  const debug::Unit& shown = dialogue_.unit();
  const std::string who = beside_ != nullptr ? shown.name() + " " : "";
  const debug::Standing standing{
      Reason::Back,
      goal.why + who + "at " + dialogue_.place(shown.pc()) + "\n" + dialogue_.standing()};
  serve(&standing);
}

}  // namespace rtvp::xphmg
