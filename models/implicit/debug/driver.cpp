// See driver.hpp.
#include "models/implicit/debug/driver.hpp"

#include <algorithm>
#include <utility>

#include "models/implicit/unit/engine.hpp"
#include "models/implicit/unit/layout.hpp"

namespace rtvp::implicit {
namespace {

using debug::Move;
using render::Evaluation;
using render::Outcome;
using Reason = debug::Standing::Reason;

constexpr std::uint32_t kBurstsBetween = 1024;  // questions between two looks at who wants to speak

// Positions: 2^24 for each evaluation; its instructions, 65536 at most, then what happens before
// the next one begins.
constexpr unsigned kRoomBits = 24;
constexpr std::uint64_t kBehind = 0x1'0001;

std::uint64_t positionOf(std::uint64_t evaluation, std::uint64_t step) {
  return (evaluation << kRoomBits) + step;
}
std::uint64_t endOf(std::uint64_t evaluation) {
  return positionOf(evaluation + 1, 0) - 1;
}

constexpr std::array<std::string_view, 4> kStages{"task", "mesh", "trim", "slope"};
constexpr std::array<std::string_view, 3> kVerdicts{"outside", "inside", "kept"};
constexpr std::array<std::string_view, 4> kOutcomes{"a miss", "a hit", "capped", "f undefined"};

}  // namespace

DebugDriver::DebugDriver(std::string name, DebugCodes codes, Surroundings around)
    : codes_(std::move(codes)),
      unit_(std::move(name), codes_),
      program_(codes_.program()),
      around_(std::move(around)),
      dialogue_(*this, program_, around_.host, "(sdf) "),
      way_(dialogue_, around_.snapshots) {
  dialogue_.open();
}

void DebugDriver::setEngine(const unit::Engine* engine) {
  if (engine == nullptr) {
    unit_.clock = [last = unit_.cycle()] { return last; };
    unit_.target = {};
    return;
  }
  unit_.clock = [engine] { return engine->clock(); };
  unit_.target = [engine]() -> std::string_view {
    return engine->jobKind() == unit::job::kFrame ? "pixel" : "ray";
  };
}

std::vector<debug::EventKind> DebugDriver::events() const {
  return {{"cell", "", "a cell of a hull is decided"},
          {"prune", "[N]", "it keeps a code shorter by N instructions, or by any"},
          {"trace", "[N]", "a trace in a leaf has ended, after N evaluations or more"},
          {"hit", "", "by a hit"},
          {"capped", "", "by the limit of steps"},
          {"undefined", "", "where f has no value"}};
}

void DebugDriver::over(const std::string& why, bool failed, int status) {
  unit_.ends();
  if (way_.active()) {
    const auto standing = way_.arrive(0);
    serve(standing ? &*standing : nullptr);
  }
  while (!dialogue_.quit()) {
    dialogue_.pause({failed ? Reason::Failed : Reason::Over, why, {}, status});
    (void)dialogue_.watcher().take();
  }
}

// ---- which evaluations are looked at

RunWatch* DebugDriver::begins(const Evaluation& what) {
  if (++bursts_ % kBurstsBetween == 0) (void)breathe();
  position_ = positionOf(++evaluation_, step_ = 0);
  if (begun_ && !interrupted_ && !wanted(what, evaluation_)) {
    unit_.passes(what, 1);
    position_ = positionOf(evaluation_, step_ = kBehind);
    open_ = false;
    return nullptr;
  }
  unit_.begins(what);
  return this;
}

bool DebugDriver::apart(const Evaluation& what, std::uint64_t most) {
  if (++bursts_ % kBurstsBetween == 0) (void)breathe();
  return !begun_ || interrupted_ || wanted(what, evaluation_ + most);
}

void DebugDriver::passed(const Evaluation& what, std::uint64_t count) {
  if (count == 0) return;
  evaluation_ += count;
  unit_.passes(what, count);
  position_ = positionOf(evaluation_, step_ = kBehind);
  open_ = false;
}

/// A stop may lie in evaluations of this code up to number `last`.
bool DebugDriver::wanted(const Evaluation& what, std::uint64_t last) {
  if (quiet_) return false;
  if (way_.active()) {
    if (!way_.passes(endOf(last))) return true;
    if (way_.wantedBefore() != 0 && last + way_.wantedBefore() >= way_.goal() >> kRoomBits)
      return true;
    return way_.seeksStops() && stopsIn(what);
  }
  const Move& move = dialogue_.watcher().move();
  if (move.kind != Move::Kind::Run || move.cycle != Move::kNone) return true;
  const std::uint64_t instructions =
      unit_.instructions() + (last - evaluation_ + 1) * what.code->executed;
  if (move.instructions != Move::kNone && instructions >= move.instructions) return true;
  return stopsIn(what);
}

bool DebugDriver::stopsIn(const Evaluation& what) const {
  if (watching_ || places_.empty()) return watching_;
  const std::uint64_t start = codes_.start(what.object);
  const std::uint64_t stop = codes_.of(what.object).stop;
  return std::any_of(places_.begin(), places_.end(), [&](std::uint64_t place) {
    return place >= start && place - start <= stop &&
           codes_.executed(what, place - start).has_value();
  });
}

// ---- one that is

void DebugDriver::before(std::size_t at, RunValues& values) {
  unit_.stands(at, values);
  position_ = positionOf(evaluation_, step_);
  settle();
  debug::Watcher& watcher = dialogue_.watcher();
  if (!begun_) {
    begun_ = true;
    if (!way_.keep(position_, false)) {
      serve(nullptr);
    } else {
      plan();
    }
  }
  for (;;) {
    if (way_.active() ? way_.onTheWay(position_, 0) : watcher.due()) {
      reached();
    } else if (interrupted_) {
      interrupted_ = false;
      const debug::Standing standing{Reason::Interrupted,
                                     "interrupted at " + dialogue_.place(unit_.pc())};
      serve(&standing);
    } else if (++bursts_ % kBurstsBetween != 0 || !breathe()) {
      break;
    }
  }
  watcher.before(0);
  open_ = true;
  unit_.executes();
  ++step_;
}

/// What the latest instruction has led to is known.
void DebugDriver::settle() {
  if (open_) {
    dialogue_.watcher().after(0);
  } else {
    dialogue_.watcher().arriveFirst(0);
  }
  open_ = false;
}

/// The host's time passes. True: the user wants to speak, or this is an earlier state again.
bool DebugDriver::breathe() {
  if (way_.active() || !begun_) return false;
  if (way_.late() && way_.keep(position_, false)) {
    plan();
    return true;
  }
  if (!around_.interrupted || !around_.interrupted()) return false;
  interrupted_ = true;
  return true;
}

void DebugDriver::reached() {
  if (way_.active()) {
    const auto standing = way_.arrive(0);
    return serve(standing ? &*standing : nullptr);
  }
  if (way_.keep(position_, false)) return plan();
  serve(nullptr);
}

/// The user's turn, until the unit shall move. Without `standing` the watcher says why, or nothing
/// has moved yet.
void DebugDriver::serve(const debug::Standing* standing) {
  debug::Watcher& watcher = dialogue_.watcher();
  if (standing != nullptr || watcher.due()) tellSituation();
  if (standing != nullptr) {
    dialogue_.pause(*standing);
  } else if (watcher.due()) {
    dialogue_.pause();
  } else {
    dialogue_.pause({});
  }
  while (!dialogue_.quit()) {
    if (dialogue_.takeTouched() && way_.keep(position_, true)) return plan();
    if (!watcher.due()) break;
    tellSituation();
    dialogue_.pause();
  }
  if (dialogue_.quit()) {
    if (around_.leave) around_.leave();
    throw RunLeft{};
  }
  plan();
}

void DebugDriver::tellSituation() {
  const std::string situation = unit_.situation();
  if (!situation.empty()) dialogue_.print(situation + "\n");
}

/// What is to be looked for.
void DebugDriver::plan() {
  using Kind = debug::Stop::Kind;
  watching_ = hearing_ = false;
  places_.clear();
  for (const debug::Stop& stop : dialogue_.watcher().stops().all()) {
    if (!stop.enabled) continue;
    if (stop.kind == Kind::Place) places_.push_back(stop.first);
    hearing_ |= stop.kind == Kind::Event;
    watching_ |= stop.kind != Kind::Place && stop.kind != Kind::Event;
  }
  const Move& move = dialogue_.watcher().move();
  quiet_ = !way_.active() && !watching_ && places_.empty() && move.kind == Move::Kind::Run &&
           move.cycle == Move::kNone && move.instructions == Move::kNone;
}

// ---- what comes of them

/// Each has a position of its own, whether anybody wants it or not. True: somebody does.
bool DebugDriver::heard() {
  step_ = std::max(step_ + 1, kBehind);
  position_ = positionOf(evaluation_, step_);
  return begun_ && (hearing_ || way_.active());
}

void DebugDriver::happened(const std::vector<Event>& events, const std::string& text) {
  unit_.ends();
  debug::Watcher& watcher = dialogue_.watcher();
  for (const Event& e : events)
    if (watcher.wants(e.name)) watcher.event(0, e.name, e.value, text);
  if (way_.active() ? !way_.onTheWay(position_, 0, false) : !watcher.due()) return;
  reached();
  open_ = true;  // the next instruction is behind a stop
}

void DebugDriver::cell(const render::CellEvent& event) {
  if (!heard()) return;
  std::vector<Event> events{{"cell"}};
  const bool kept = event.verdict == render::Verdict::Ambiguous;
  if (kept && event.kept < event.executed)
    events.push_back({"prune", std::int64_t{event.executed} - event.kept});
  std::string text(kStages.at(static_cast<std::size_t>(event.stage)));
  text += " cell " + std::to_string(event.number) + " of object " + std::to_string(event.object) +
          ": " + std::string(kVerdicts.at(static_cast<std::size_t>(event.verdict)));
  if (kept)
    text += ", " + std::to_string(event.kept) + " of " + std::to_string(event.executed) +
            " instructions";
  happened(events, text);
}

void DebugDriver::trace(const render::TraceEvent& event) {
  if (event.rejected || !heard()) return;
  std::vector<Event> events{{"trace", event.evaluations}};
  if (event.outcome == Outcome::Hit) events.push_back({"hit"});
  if (event.outcome == Outcome::Capped) events.push_back({"capped"});
  if (event.outcome == Outcome::Undefined) events.push_back({"undefined"});
  happened(events, std::string(unit_.target ? unit_.target() : "ray") + " " +
                       std::to_string(event.target) + " in leaf " +
                       std::to_string(unit_.evaluation().cell) + " of object " +
                       std::to_string(event.object) + ": " +
                       std::string(kOutcomes.at(static_cast<std::size_t>(event.outcome))) +
                       " after " + std::to_string(event.evaluations) + " evaluations");
}

}  // namespace rtvp::implicit
