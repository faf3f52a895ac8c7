// See driver.hpp.
#include "models/theia/debug/driver.hpp"

#include <algorithm>
#include <utility>

#include "models/theia/gpu.hpp"

namespace rtvp::theia {
namespace {

using Reason = debug::Standing::Reason;

constexpr std::uint32_t kBurstsBetween = 1024;  // routines between two looks at who wants to speak

}  // namespace

DebugDriver::DebugDriver(std::vector<std::unique_ptr<DebugUnit>> units, debug::Program program,
                         Surroundings around)
    : units_(std::move(units)),
      program_(std::move(program)),
      around_(std::move(around)),
      dialogue_(*this, program_, around_.host, "(theia) "),
      way_(dialogue_, around_.snapshots),
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
  if (way_.active()) back(0);
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
    if (way_.active() ? way_.onTheWay(position(), unit) : watcher.due()) {
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
  while (way_.active() ? way_.onTheWay(position(), number) : watcher.due()) {
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
  if (way_.active()) return false;
  if (way_.late() && keep(false)) return true;
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
  if (way_.active()) return back(unit);
  if (!keep(false)) serve(nullptr);
}

/// The user's turn in the past.
void DebugDriver::back(std::size_t unit) {
  const auto standing = way_.arrive(unit);
  serve(standing ? &*standing : nullptr);
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
  looking_ = way_.active() || around_.chained != nullptr || limited ||
             (watcher.looking() && places.empty());
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

/// True: this is that state again.
bool DebugDriver::keep(bool pinned) {
  if (!way_.keep(position(), pinned)) return false;
  plan();
  return true;
}

}  // namespace rtvp::theia
