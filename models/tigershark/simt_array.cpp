#include "models/tigershark/simt_array.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/common/core/host_bytes.hpp"
#include "models/tigershark/scalar_lane.hpp"

namespace rtvp::tigershark {
namespace {

/// Fewer instructions than this before the lanes go back: taking them over did not pay.
constexpr std::uint64_t kWorthwhile = 40;
constexpr unsigned kMostSkipped = 6;  // at most 2^6 visits of such a place are passed over

}  // namespace

SimtArray::SimtArray(const ArrayConfig& config, ArrayBoard& board, c32::simt::Isa isa,
                     const EngineChoice& choice)
    : scalar_(config, board),
      machine_({.lanes = static_cast<unsigned>(config.lanes),
                .isa = isa,
                .cpu = config.cpu,
                .holdCycles = config.holdCycles,
                .runPatience = choice.runPatience},
               *this, [&] {
                 std::vector<c32::Cpu*> cpus;
                 for (auto& lane : scalar_.lanes_) cpus.push_back(&lane->cpu);
                 return cpus;
               }()) {
  const EngineChoice::Chain chain = choice.chain;
  if (chain == EngineChoice::Chain::Steps) return;
  // Fewer lanes do not repay the making of summaries (scripts/callgrind-gate: at 4 lanes 144 host
  // instructions a simulated one with them, 93 without; at 16 57 and 74).
  constexpr int kFewestInWave = 8;
  using Turns = c32::blocks::Engine::Turns;
  Turns turns = chain == EngineChoice::Chain::Wave ? Turns::Translated : Turns::Summaries;
  if (chain == EngineChoice::Chain::Blocks || config.lanes < kFewestInWave) turns = Turns::Blocks;
  scalar_.blocks_ = std::make_unique<c32::blocks::Engine>(config.cpu, turns);
}

SimtArray::~SimtArray() = default;

void SimtArray::reset(Cycle cycle) {
  machine_.drop();
  pulses_.clear();
  waitingWords_.clear();
  released_ = atBarrier_ = false;
  starts_ = {};
  common_.restart();
  scalar_.reset(cycle);
}

/// The record of a place in the program, a fresh one if there is none.
SimtArray::Start& SimtArray::startAt(std::uint32_t pc) {
  for (Start& s : starts_) {
    if (s.pc == pc && s.failures != 0) return s;
  }
  Start& s = starts_[oldestStart_];
  oldestStart_ = (oldestStart_ + 1) % starts_.size();
  s = {.pc = pc};
  return s;
}

bool SimtArray::mayTake() {
  if (!released_) return false;
  released_ = false;
  const std::uint32_t pc = scalar_.lanes_.front()->cpu.pc();
  for (Start& s : starts_) {
    if (s.pc != pc || s.skip == 0) continue;
    --s.skip;
    return false;
  }
  if (!machine_.take(edge_)) return false;
  takenAt_ = pc;
  issuesAtTake_ = machine_.counters().issues;
  // Pulls of the scalar lanes are known to their histories only.
  together_ = false;
  pulling_ = 0;
  for (const auto& lane : scalar_.lanes_) pulling_ += lane->xf0 == c32::Drive::Low ? 1U : 0U;
  return true;
}

/// Runs the machine; `stopped` tells that it cannot go on and the lanes are back.
ArrayOutcome SimtArray::runMachine(Cycle horizon, bool& stopped) {
  running_ = true;
  const bool barrier = machine_.run(horizon) == c32::simt::Machine::Stop::Barrier;
  running_ = false;
  stopped = !machine_.active();  // reset meanwhile
  if (stopped) return {};
  const Cycle edge = barrier ? machine_.lastArrival() + scalar_.config_.releaseCycles : 0;
  if (barrier && machine_.lastPending() <= edge) {
    atBarrier_ = true;
    for (const Word& w : std::exchange(waitingWords_, {})) chainInput(w.word, w.arrival);
    return {ArrayOutcome::Kind::Barrier, edge};
  }
  if (machine_.counters().issues - issuesAtTake_ < kWorthwhile) {
    Start& start = startAt(takenAt_);
    start.failures = std::min(start.failures + 1, kMostSkipped);
    start.skip = 1u << start.failures;
  } else {
    for (Start& s : starts_) {
      if (s.pc == takenAt_) s = {};
    }
  }
  atBarrier_ = false;
  giveBack();
  released_ = false;
  stopped = true;
  for (const Word& w : std::exchange(waitingWords_, {})) scalar_.chainInput(w.word, w.arrival);
  return {};
}

ArrayOutcome SimtArray::advance(Cycle horizon) {
  if (stepping_) {
    giveBack();
    released_ = false;
  }
  horizon_ = horizon;
  if (atBarrier_ && machine_.active())
    return {ArrayOutcome::Kind::Barrier, machine_.lastArrival() + scalar_.config_.releaseCycles};
  if (machine_.active() || mayTake()) {
    bool stopped = false;
    const ArrayOutcome outcome = runMachine(horizon, stopped);
    if (!stopped) return outcome;
  }
  return scalar_.advance(horizon);
}

void SimtArray::release(Cycle edge) {
  edge_ = edge;
  waitedInMachine_ = machine_.active();
  if (!machine_.active()) {
    scalar_.release(edge);
    released_ = true;
    return;
  }
  scalar_.samples_.clear();
  scalar_.counters_.epochSkew += machine_.arrivalSkew();
  ++scalar_.counters_.barriers;
  waitedAt_ = machine_.pendingPc();
  machine_.release(edge);
  atBarrier_ = false;
}

void SimtArray::giveBack() const {
  if (!machine_.active() || running_) return;
  const Cycle heldUntil = machine_.heldUntil();
  const bool wasReleased = !atBarrier_;
  machine_.giveBack();
  pulses_.flush(scalar_.vote_);
  ScalarArray& array = scalar_;
  array.counters_.sharedReads -= machine_.readsInVain();
  array.answered_.clear();
  for (unsigned i = machine_.readsInVain(); i-- > 0;) {
    array.answered_.push_back(latest_[i == 0 ? oldest_ ^ 1U : oldest_]);
  }
  array.arrived_ = 0;
  array.lastArrival_ = 0;
  array.frontier_ = heldUntil;
  for (std::size_t i = 0; i < array.lanes_.size(); ++i) {
    ScalarArray::Lane& lane = *array.lanes_[i];
    const auto& end = machine_.laneEnds()[i];
    lane.state = ScalarArray::Lane::State::Ready;
    lane.logIndex = 0;
    lane.heldUntil = heldUntil;
    lane.xf0 = end.xf0;
    lane.xf1 = end.xf1;
    lane.arrived = end.arrived;
    if (!end.arrived) continue;
    lane.arrival = end.arrival;
    ++array.arrived_;
    array.lastArrival_ = std::max(array.lastArrival_, end.arrival);
  }
  // Lanes at a barrier come to their held access again; nothing else happens.
  if (atBarrier_) array.advance(horizon_);
  atBarrier_ = false;
  released_ = wasReleased;
}

void SimtArray::chainInput(std::uint32_t word, Cycle arrival) {
  if (running_) {
    waitingWords_.push_back({word, arrival});
    return;
  }
  giveBack();
  scalar_.chainInput(word, arrival);
}

// ---- what the machine asks for

c32::simt::VectorBoard::Reply SimtArray::read(const c32::BusRequest& request) {
  const ArrayBoard::SharedReply reply = scalar_.board_.sharedAccess(request);
  ++scalar_.counters_.sharedReads;
  ScalarArray::Access& access = latest_[oldest_];
  oldest_ ^= 1U;
  access.request = request;
  access.reply = reply;
  return {reply.error, reply.data, reply.waitStates};
}

c32::simt::VectorBoard::Window SimtArray::window() {
  const ArrayBoard::SharedWindow w = scalar_.board_.sharedWindow();
  return {w.bytes, w.first, w.count, w.waitStates};
}

void SimtArray::windowRead(std::uint64_t words, std::uint64_t fetched, Cycle cycle) {
  scalar_.counters_.sharedReads += words - fetched;
  scalar_.counters_.sharedFetches += fetched;
  scalar_.board_.sharedWindowRead(words, cycle);
}

void SimtArray::handOver(unsigned processor) {
  scalar_.lanes_[processor]->station.handOver();
}

void SimtArray::voteDriven(const c32::simt::LaneMask& low, const c32::simt::LaneMask& released,
                           Cycle cycle, const std::int64_t* late) {
  const auto when = [&](unsigned lane) {
    return late == nullptr ? cycle : cycle + static_cast<Cycle>(late[lane]);
  };
  if (ArrayProbe* const probe = scalar_.probe_) {
    released.forEach([&](unsigned lane) { probe->voteDriven(lane, false, when(lane)); });
    low.forEach([&](unsigned lane) { probe->voteDriven(lane, true, when(lane)); });
  }
  Cycle last = cycle;
  Cycle quietest = cycle;  // the last one to let go
  bool same = true;
  if (late != nullptr || !pulses_.change(low, released, cycle)) {
    const auto seen = [&](unsigned lane) {
      const Cycle at = when(lane);
      last = std::max(last, at);
      same = same && at == cycle;
      return at;
    };
    WireOr& line = scalar_.vote_;
    pulses_.flush(line);
    released.forEach([&](unsigned lane) { line.release(lane, seen(lane)); });
    quietest = last;
    low.forEach([&](unsigned lane) { line.pull(lane, seen(lane)); });
  }
  const std::size_t less = released.count();
  pulling_ -= less;
  if (less != 0) together_ = pulling_ == 0;
  if (pulling_ == 0 && less != 0) quietFrom_ = quietest + 1 + scalar_.config_.riseCycles;
  const bool first = pulling_ == 0;
  const std::size_t more = low.count();
  pulling_ += more;
  if (more == 0) return;
  together_ = together_ && first && same;
  pulledFrom_ = cycle + 1;
}

bool SimtArray::voteHigh(Cycle cycle) {
  const Cycle sync = scalar_.config_.syncCycles;
  const Cycle seen = cycle > sync ? cycle - sync : 0;
  if (const auto* known = scalar_.sampleOf(seen)) return known->high;
  const bool ours = together_ && seen >= quietFrom_;
  if (!ours) pulses_.flush(scalar_.vote_);
  return scalar_.addSample(seen, !ours                 ? scalar_.vote_.pullers(seen)
                                 : seen >= pulledFrom_ ? pulling_
                                                       : 0);
}

// ---- observers

ArrayCounters SimtArray::counters(Cycle now) const {
  giveBack();
  return scalar_.counters(now);
}

c32::CpuStatistics SimtArray::laneStatistics(int index, Cycle now) const {
  giveBack();
  return scalar_.laneStatistics(index, now);
}

LaneView SimtArray::lane(int index) const {
  giveBack();
  LaneView view = scalar_.lane(index);
  if (waitedInMachine_) view.waitedAt = waitedAt_;
  return view;
}

bool SimtArray::allArrived() const {
  return machine_.active() ? atBarrier_ : scalar_.allArrived();
}

std::optional<std::uint32_t> SimtArray::peek(int lane, std::uint32_t address) const {
  giveBack();
  return scalar_.peek(lane, address);
}

unsigned SimtArray::lanesAboveZero(std::uint32_t address) const {
  return machine_.countAboveZero((address - c32::kRamBase) % c32::kRamWords);
}

bool SimtArray::isAboveZero(int lane, std::uint32_t address) const {
  return machine_.isAboveZero(static_cast<unsigned>(lane),
                              (address - c32::kRamBase) % c32::kRamWords);
}

Cycle SimtArray::nextStart() const {
  giveBack();
  return scalar_.nextStart();
}

void SimtArray::setStops(const std::vector<const c32::StopPlaces*>& lanes) {
  giveBack();
  const c32::StopPlaces* const before = scalar_.stops_;
  scalar_.setStops(lanes);
  if (scalar_.stops_ != before) machine_.setStops(scalar_.stops_);
}

c32::Cpu& SimtArray::processor(int lane) {
  giveBack();
  return scalar_.processor(lane);
}

void SimtArray::keepAccounts() {
  scalar_.keepAccounts();
  std::vector<c32::CycleAccount*> own;
  for (const auto& account : scalar_.accounts_) own.push_back(account.get());
  machine_.setAccounts(&common_, std::move(own));
}

c32::PlaceCosts SimtArray::laneCosts(int lane, Cycle now) const {
  giveBack();
  c32::PlaceCosts costs = scalar_.laneCosts(lane, now);
  c32::addCosts(costs, common_.costs());
  return costs;
}

std::string SimtArray::describe() const {
  giveBack();
  return scalar_.describe();
}

ArrayEngine::HostCounters SimtArray::hostCounters() const {
  const c32::simt::MachineCounters& c = machine_.counters();
  HostCounters host{"simt " + std::string(c32::simt::isaName(machine_.isa())), c.taken, c.issues,
                    c.instructions};
  host.bytes = scalar_.bytes() + machine_.bytes() + common::bytesOf(waitingWords_);
  if (const auto& blocks = scalar_.blocks_) {
    host.serviceInstructions = blocks->instructions();
    host.waveInstructions = blocks->summarised();
    host.passageInstructions = blocks->translated();
    host.lapInstructions = blocks->inLaps();
  }
  return host;
}

std::unique_ptr<ArrayEngine> makeArray(const ArrayConfig& config, ArrayBoard& board,
                                       const EngineChoice& choice) {
  using Kind = EngineChoice::Kind;
  if (choice.isa && !c32::simt::isaUsable(*choice.isa)) {
    throw std::invalid_argument("array.isa: this host cannot run " +
                                std::string(c32::simt::isaName(*choice.isa)));
  }
  if (choice.kind == Kind::Scalar || (choice.kind == Kind::Auto && config.lanes < 2)) {
    return makeScalarArray(config, board);
  }
  const auto isa = choice.isa.value_or(c32::simt::bestIsa(static_cast<unsigned>(config.lanes)));
  return std::make_unique<SimtArray>(config, board, isa, choice);
}

}  // namespace rtvp::tigershark
