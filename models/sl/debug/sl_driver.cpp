// See sl_driver.hpp.
#include "models/sl/debug/sl_driver.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "models/debug/snapshots.hpp"

namespace rtvp::sl {
namespace {

using Reason = debug::Standing::Reason;

constexpr unsigned kLookEvery = 256;  // instructions between two looks at whoever wants to speak

}  // namespace

void step(Vm& vm, Environment& world) {
  vm.step();
  if (vm.state() == Stop::Trace)
    vm.finishTrace(world.trace(0, vm.traceOrigin(), vm.traceDirection()));
  if (vm.state() == Stop::Lookup)
    vm.finishLookup(world.lookup(0, vm.lookupSlot(), vm.lookupS(), vm.lookupT()));
}

debug::Profile RunAccount::profile() const {
  debug::Profile profile = emptyProfile("sl", {"executing"}, std::span(&program_, 1));
  debug::Profile::Unit& unit = profile.units.emplace_back();
  unit.name = "sl";
  for (std::uint32_t pc = 0; pc < executions_.size(); ++pc) {
    const std::uint64_t cycles = executions_[pc] * (*program_.program)[pc].info().cycles;
    if (executions_[pc] != 0) unit.places.push_back({pc, executions_[pc], {cycles}});
  }
  return profile;
}

VmDriver::VmDriver(const Vm& vm, Environment& world, const PlacedProgram& program,
                   debug::Host& host, std::function<bool()> interrupted)
    : state_{vm},
      world_(world),
      unit_(state_),
      program_(debugProgram(std::span(&program, 1))),
      dialogue_(*this, program_, host, "(sl) "),
      interrupted_(std::move(interrupted)) {}

void VmDriver::run() {
  dialogue_.open();
  dialogue_.pause({});
  while (!dialogue_.quit()) {
    (void)dialogue_.takeTouched();  // all states in front of this one are as they were
    if (back_) {
      const std::string text = *std::exchange(back_, std::nullopt);
      if (text.empty()) {
        dialogue_.pause();  // at what the watcher found
      } else {
        dialogue_.pause({Reason::Back, text});
      }
    } else if (dialogue_.watcher().due()) {
      dialogue_.pause();
    } else if (state_.vm.ended()) {
      over();
    } else {
      move();
    }
  }
}

void VmDriver::over() {
  const bool budget = state_.vm.state() == Stop::Budget;
  const std::string why = std::to_string(state_.vm.instructions()) + " instructions" +
                          (budget ? ": stopped at the budget, v0 is 0" : ": the end");
  dialogue_.pause({budget ? Reason::Failed : Reason::Over, why});
}

/// Instructions until something stops the run.
void VmDriver::move() {
  debug::Watcher& watcher = dialogue_.watcher();
  unsigned steps = 0;
  while (!state_.vm.ended() && !watcher.due()) {
    if (++steps % kLookEvery == 0 && interrupted_ && interrupted_()) {
      return dialogue_.pause(
          {Reason::Interrupted, "interrupted at " + dialogue_.place(unit_.pc())});
    }
    watcher.before(0);
    history_.push_back(state_);
    state_.cycles += state_.vm.program()[state_.vm.pc()].info().cycles;
    step(state_.vm, world_);
    watcher.after(0);
  }
}

// ---- backwards

void VmDriver::reverse(const debug::Reverse& how) {
  if (history_.empty()) throw debug::CommandError("this is the beginning, nothing lies before it");
  if (how.kind == debug::Reverse::Kind::Step) {
    stepBack(how.count);
  } else if (const auto position = latestStop()) {
    standAtStop(*position);
    back_ = "";
  } else {
    stepBack(history_.size());
    back_ = "no stop before: the beginning, " + *back_;
  }
  dialogue_.resume();
}

void VmDriver::stepBack(std::uint64_t count) {
  const std::size_t steps =
      static_cast<std::size_t>(std::min<std::uint64_t>(count, history_.size()));
  const std::size_t position = history_.size() - steps;
  state_ = history_[position];
  history_.resize(position, state_);
  dialogue_.watcher().go({});
  back_ = "at " + dialogue_.place(unit_.pc()) + "\n" + dialogue_.standing();
}

/// Instructions behind which the latest stop in front of here lies. What was let pass on the way
/// here (counts) stops.
std::optional<std::size_t> VmDriver::latestStop() {
  const debug::Silence silence;
  debug::Watcher& watcher = dialogue_.watcher();
  const std::vector<debug::Stop> as = watcher.stops().all();
  const VmState here = state_;
  for (debug::Stop& s : watcher.stops().all()) s.skip = 0, s.once = false;
  watcher.changed();
  watcher.go({});
  std::optional<std::size_t> found;
  for (std::size_t n = 0; n + 1 < history_.size(); ++n) {
    state_ = history_[n];
    watcher.before(0);
    state_ = history_[n + 1];
    watcher.after(0);
    if (!watcher.due()) continue;
    found = n + 1;
    (void)watcher.take();
  }
  state_ = here;
  watcher.stops().all() = as;
  watcher.changed();
  return found;
}

/// The watcher finds again what it found there.
void VmDriver::standAtStop(std::size_t position) {
  const debug::Silence silence;
  debug::Watcher& watcher = dialogue_.watcher();
  const std::vector<debug::Stop> as = watcher.stops().all();
  for (debug::Stop& s : watcher.stops().all()) s.skip = 0;
  watcher.go({});
  state_ = history_[position - 1];
  watcher.before(0);
  state_ = history_[position];
  watcher.after(0);
  (void)watcher.due();
  for (debug::Stop& s : watcher.stops().all()) {
    for (const debug::Stop& was : as) {
      if (was.id == s.id) s.hits = was.hits, s.skip = was.skip;
    }
  }
  history_.resize(position, state_);
}

}  // namespace rtvp::sl
