#include "models/tigershark/scalar_array.hpp"

#include <algorithm>
#include <tuple>

#include "models/common/core/text.hpp"
#include "models/tigershark/scalar_lane.hpp"

namespace rtvp::tigershark {
namespace {

/// The master waits for the slaves once it is this many accesses ahead (code running from SRAM has
/// no barriers).
constexpr std::size_t kLogLimit = 1U << 16;

bool sameOnTheBus(const c32::BusRequest& a, const c32::BusRequest& b) {
  return a.cycle == b.cycle && a.address == b.address && a.strobe == b.strobe &&
         (a.op == c32::BusOp::Write) == (b.op == c32::BusOp::Write);
}

}  // namespace

ScalarArray::ScalarArray(const ArrayConfig& config, ArrayBoard& board)
    : config_(config),
      board_(board),
      vote_(static_cast<std::size_t>(config.lanes), config.riseCycles) {
  // All lanes run the same program: what one has decoded serves the others.
  if (!config_.cpu.decodePool) config_.cpu.decodePool = std::make_shared<c32::DecodePool>();
  for (int i = 0; i < config.lanes; ++i) {
    lanes_.push_back(std::make_unique<Lane>(*this, static_cast<std::size_t>(i), config_.cpu));
  }
}

ScalarArray::~ScalarArray() = default;

void ScalarArray::reset(Cycle cycle) {
  vote_.clear();
  log_.clear();
  tape_.clear();
  answered_.clear();
  lastArrival_ = 0;
  arrived_ = 0;
  frontier_ = cycle;
  samples_.clear();
  counters_ = {};
  error_ = {};
  anyError_ = failed_ = false;
  for (auto& lane : lanes_) {
    lane->restart();
    lane->station.handOver();  // the reset decides what becomes of words on their way
    lane->cpu.reset(cycle);
  }
}

// ---- what a lane asks for -----------------------------------------------------------------------

/// What the master has got, for the slaves.
inline void ScalarArray::noteAccess(const c32::BusRequest& request,
                                    const ArrayBoard::SharedReply& shared) {
  log_.push_back({request, shared});
  const bool plain = request.op == c32::BusOp::Read && request.strobe == c32::Strobe::Strb0 &&
                     request.width == 32 && !shared.error;
  tape_.push_back({request.cycle, plain ? request.address : c32::BusTape::kAskPort, shared.data,
                   shared.waitStates});
}

c32::BusReply ScalarArray::access(Lane& lane, const c32::BusRequest& request) {
  // What the master does most.
  if (lane.index == 0 && request.op == c32::BusOp::Read && !lane.arrived &&
      request.cycle >= lane.heldUntil && answered_.empty() && log_.size() < kLogLimit) {
    const ArrayBoard::SharedReply shared = board_.sharedAccess(request);
    noteAccess(request, shared);
    ++counters_.sharedReads;
    return reply(request, shared);
  }
  if (lane.arrived) {
    if (request.cycle <= lane.arrival + config_.holdCycles) {
      return refuse(lane, request, ArrayError::Kind::Lockstep,
                    accessText(request) + " only " + std::to_string(request.cycle - lane.arrival) +
                        " cycles after its own arrival: HOLD has not acted yet, the access lies "
                        "outside an epoch");
    }
    return lane.block(Lane::State::Held, request);
  }
  c32::BusRequest started = request;
  started.cycle = std::max(request.cycle, lane.heldUntil);
  if (lane.index == 0) return masterAccess(lane, started);
  followTape(lane);
  const c32::BusReply reply = slaveAccess(lane, started);
  if (lane.tape.end != nullptr) openTape(lane);
  return reply;
}

c32::BusReply ScalarArray::refuse(Lane& lane, const c32::BusRequest& request, ArrayError::Kind kind,
                                  std::string what, std::string others) {
  fail(lane, kind, request, std::move(what), std::move(others));
  return {.status = c32::BusReply::Status::Blocked};
}

ArrayBoard::SharedReply ScalarArray::ask(const c32::BusRequest& request) {
  if (!answered_.empty()) {
    const Access first = answered_.front();
    answered_.erase(answered_.begin());
    if (sameOnTheBus(first.request, request)) return first.reply;
    answered_.clear();
  }
  return board_.sharedAccess(request);
}

c32::BusReply ScalarArray::masterAccess(Lane& lane, const c32::BusRequest& request) {
  if (log_.size() >= kLogLimit) return lane.block(Lane::State::Log, request);
  const ArrayBoard::SharedReply shared = ask(request);
  noteAccess(request, shared);
  switch (request.op) {
    case c32::BusOp::Write:
      ++counters_.sharedWrites;
      break;
    case c32::BusOp::Read:
    case c32::BusOp::Iack:
      ++counters_.sharedReads;
      break;
    case c32::BusOp::Fetch:
    case c32::BusOp::VectorFetch:
      ++counters_.sharedFetches;
      break;
  }
  return reply(request, shared);
}

c32::BusReply ScalarArray::reply(const c32::BusRequest& request,
                                 const ArrayBoard::SharedReply& shared) {
  return {.status = shared.error ? c32::BusReply::Status::Error : c32::BusReply::Status::Done,
          .data = shared.data,
          .start = request.cycle,
          .externalWait = shared.waitStates};
}

c32::BusReply ScalarArray::slaveAccess(Lane& lane, const c32::BusRequest& request) {
  if (request.op == c32::BusOp::Write) {
    return refuse(lane, request, ArrayError::Kind::SlaveWrite,
                  "slave " + accessText(request) + ", word " + common::hexLowerH(request.data) +
                      ": only the master drives the write strobe, the memory keeps its word");
  }
  skipMasterWrites(lane, request.cycle);
  if (lane.logIndex == log_.size()) return lane.block(Lane::State::Master, request);
  const Access& made = log_[lane.logIndex];
  if (!sameOnTheBus(made.request, request)) {
    return refuse(lane, request, ArrayError::Kind::Lockstep, accessText(request),
                  "the master makes a " + accessText(made.request) + " at PC " +
                      common::hexLowerH(made.request.pc));
  }
  ++lane.logIndex;
  return reply(request, made.reply);
}

// A slave's processor takes words from the log by itself as long as it reads what is next there;
// slaveAccess() deals with all the rest.
void ScalarArray::openTape(Lane& lane) const {
  if (lane.arrived) return;
  lane.tape.next = tape_.data() + lane.logIndex;
  lane.tape.end = tape_.data() + tape_.size();
}

void ScalarArray::followTape(Lane& lane) const {
  if (lane.tape.end == nullptr) return;
  lane.logIndex = static_cast<std::size_t>(lane.tape.next - tape_.data());
}

void ScalarArray::closeTape(Lane& lane) const {
  followTape(lane);
  lane.tape = {};
}

// The write strobe is the master's alone: while it writes, the slaves stay off the bus, so a write
// is no entry that they must match, only a cycle they must not use.
void ScalarArray::skipMasterWrites(Lane& lane, Cycle before) const {
  while (lane.logIndex < log_.size() && log_[lane.logIndex].request.op == c32::BusOp::Write &&
         log_[lane.logIndex].request.cycle < before) {
    ++lane.logIndex;
  }
}

void ScalarArray::pinsDriven(Lane& lane, c32::Drive xf0, c32::Drive xf1, Cycle cycle) {
  if (xf0 != lane.xf0) {
    if (xf0 == c32::Drive::High) {
      fail(lane, ArrayError::Kind::Contention, {.cycle = cycle, .pc = lane.cpu.pc()},
           "drives XF0 high: the vote line is a wire-OR with a pull-up, a node may only pull it "
           "low or release it",
           {});
    }
    if (xf0 == c32::Drive::Low) vote_.pull(lane.index, cycle);
    if (lane.xf0 == c32::Drive::Low) vote_.release(lane.index, cycle);
    if (probe_ != nullptr) probe_->voteDriven(lane.index, xf0 == c32::Drive::Low, cycle);
    lane.xf0 = xf0;
  }
  if (xf1 == lane.xf1) return;
  if (xf1 == c32::Drive::Low) {
    closeTape(lane);
    lane.arrived = true;
    lane.arrival = cycle;
    ++arrived_;
    lastArrival_ = std::max(lastArrival_, cycle);
  } else if (lane.arrived) {
    lane.arrived = false;  // let go before the release: the PLD no longer counts it
    --arrived_;
  }
  lane.xf1 = xf1;
}

c32::PinReply ScalarArray::pinsSampled(Lane& lane, Cycle cycle) {
  const Cycle seen = cycle > config_.syncCycles ? cycle - config_.syncCycles : 0;
  if (seen > frontier_) {
    lane.state = Lane::State::Pins;
    lane.pinsAt = cycle;
    return {.ready = false};
  }
  const Sample* known = sampleOf(seen);
  const bool high = known != nullptr ? known->high : addSample(seen, vote_.pullers(seen));
  return {.ready = true, .xf0 = high, .xf1 = lane.xf1 != c32::Drive::Low};
}

const ScalarArray::Sample* ScalarArray::sampleOf(Cycle seen) const {
  const auto found = std::find_if(samples_.rbegin(), samples_.rend(),
                                  [seen](const Sample& s) { return s.seen == seen; });
  return found == samples_.rend() ? nullptr : &*found;
}

/// A reading of the vote line in a cycle that nobody has asked for yet; its level.
bool ScalarArray::addSample(Cycle seen, std::size_t pullers) {
  constexpr std::size_t kMany = 64;
  if (samples_.size() >= kMany) {
    const Cycle reach = frontier_ > config_.syncCycles ? frontier_ - config_.syncCycles : 0;
    std::erase_if(samples_, [reach](const Sample& s) { return s.seen < reach; });
  }
  samples_.push_back({seen, pullers == 0});
  ++counters_.votes;
  counters_.skips += pullers == 0 ? 1 : 0;
  counters_.voters += pullers;
  return pullers == 0;
}

void ScalarArray::setProbe(ArrayProbe* probe) {
  probe_ = probe;
  const bool watched = probe != nullptr && probe->wantsSleep();
  if (watched == sleepWatched_) return;
  sleepWatched_ = watched;
  for (auto& lane : lanes_) lane->cpu.watchSleep(watched);
}

void ScalarArray::slept(const Lane& lane, Cycle from, Cycle to) {
  if (probe_ != nullptr) probe_->slept(lane.index, from, to);
}

void ScalarArray::transmitted(Lane& lane, std::uint32_t word, Cycle arrival) {
  ++counters_.chainWords;
  ++lane.wordsSent;
  lane.lastSent = arrival;
  if (probe_ != nullptr) probe_->wordSent(lane.index, word, arrival);
  const std::size_t next = lane.index + 1;
  if (next == lanes_.size()) {
    board_.chainOutput(word, arrival);
  } else {
    deliver(*lanes_[next], word, arrival);
  }
}

/// As transmitted() for each.
void ScalarArray::transmittedAll(Lane& lane, std::span<const c32::SerialWord> words) {
  const std::size_t next = lane.index + 1;
  if (words.empty()) return;
  if (!blocks_ || probe_ != nullptr || next == lanes_.size()) {
    for (const c32::SerialWord& w : words) transmitted(lane, w.word, w.arrival);
    return;
  }
  counters_.chainWords += words.size();
  lane.wordsSent += words.size();
  lane.lastSent = words.back().arrival;
  Lane& to = *lanes_[next];
  to.station.deliver(words);
  if (to.state == Lane::State::Idle) to.state = Lane::State::Ready;
}

void ScalarArray::chainInput(std::uint32_t word, Cycle arrival) {
  deliver(*lanes_.front(), word, arrival);
}

void ScalarArray::deliver(Lane& lane, std::uint32_t word, Cycle arrival) {
  if (blocks_) {
    lane.station.deliver(word, arrival);
  } else {
    lane.cpu.deliverSerial(word, arrival);
  }
  if (lane.state == Lane::State::Idle) lane.state = Lane::State::Ready;
}

// ---- one advance() ------------------------------------------------------------------------------

ArrayOutcome ScalarArray::advance(Cycle horizon) {
  if (failed_) return {ArrayOutcome::Kind::Error, error_.cycle};
  do {
    runLanes(horizon);
    if (anyError_) return raise();
    trimLog();
    updateFrontier();
  } while (wakeWaiting());
  if (anyError_) return raise();
  return classify(horizon);
}

void ScalarArray::runLanes(Cycle horizon) {
  horizon = std::min(horizon, halted_);
  for (auto& lane : lanes_) {
    if (!lane->runnable(horizon)) continue;
    lane->state = Lane::State::Ready;
    if (lane->index != 0) openTape(*lane);
    const c32::StopReason why =
        blocks_ ? blocks_->run(lane->station, horizon) : lane->cpu.run(horizon);
    closeTape(*lane);
    switch (why) {
      case c32::StopReason::Horizon:
      case c32::StopReason::Steps:
        lane->state = Lane::State::Horizon;
        break;
      case c32::StopReason::Place:
        lane->state = Lane::State::Horizon;
        halted_ = horizon = std::min({halted_, horizon, lane->cpu.cycle()});
        break;
      case c32::StopReason::Idle:
        lane->state = Lane::State::Idle;
        break;
      case c32::StopReason::Fault:
        failFault(*lane);
        break;
      case c32::StopReason::Blocked:
        break;  // the port has set the state
    }
  }
}

// A cycle is final for the vote line when no lane can still change its pin before the end of the
// cycle before. A held lane cannot until it is released, an idle one not before a word reaches it.
void ScalarArray::updateFrontier() {
  Cycle frontier = c32::kNever;
  for (const auto& lane : lanes_) {
    switch (lane->state) {
      case Lane::State::Held:
      case Lane::State::Idle:
      case Lane::State::Failed:
        break;
      case Lane::State::Pins:
        frontier = std::min(frontier, lane->pinsAt);
        break;
      default:
        if (!lane->cpu.idle()) frontier = std::min(frontier, lane->cpu.cycle());
    }
  }
  frontier_ = frontier;
}

bool ScalarArray::wakeWaiting() {
  bool woken = false;
  for (auto& lane : lanes_) {
    switch (lane->state) {
      case Lane::State::Pins:
        if (lane->pinsAt <= frontier_ || lane->pinsAt - config_.syncCycles <= frontier_) {
          lane->state = Lane::State::Ready;
          woken = true;
        }
        break;
      case Lane::State::Log:
        if (log_.empty()) {
          lane->state = Lane::State::Ready;
          woken = true;
        }
        break;
      case Lane::State::Master:
        skipMasterWrites(*lane, lane->blocked.cycle);
        if (lane->logIndex < log_.size()) {
          lane->state = Lane::State::Ready;
          woken = true;
        } else if (masterCannotJoin(lane->blocked.cycle)) {
          fail(*lane, ArrayError::Kind::Lockstep, lane->blocked, accessText(lane->blocked),
               "the master makes no access then: " + laneText(*lanes_.front()));
        }
        break;
      default:
        break;
    }
  }
  return woken;
}

/// The master will not make any further access in `cycle`: it is past it, held, or waits for the
/// chain.
bool ScalarArray::masterCannotJoin(Cycle cycle) const {
  const Lane& master = *lanes_.front();
  switch (master.state) {
    case Lane::State::Pins:
      return master.pinsAt > cycle;
    case Lane::State::Horizon:
    case Lane::State::Ready:
    case Lane::State::Log:
      return master.cpu.cycle() > cycle;
    default:
      return true;
  }
}

void ScalarArray::trimLog() {
  if (log_.empty()) return;
  for (std::size_t i = 1; i < lanes_.size(); ++i) {
    Lane& lane = *lanes_[i];
    if (lane.state == Lane::State::Master) skipMasterWrites(lane, lane.blocked.cycle);
    if (lane.logIndex != log_.size()) return;
  }
  log_.clear();
  tape_.clear();
  for (auto& lane : lanes_) lane->logIndex = 0;
}

ArrayOutcome ScalarArray::classify(Cycle horizon) {
  const auto is = [](Lane::State state) {
    return [state](const auto& lane) { return lane->state == state; };
  };
  for (auto& lane : lanes_) {
    if (lane->asleepForGood()) lane->state = Lane::State::Idle;
  }
  if (std::any_of(lanes_.begin(), lanes_.end(), is(Lane::State::Horizon))) {
    return {ArrayOutcome::Kind::Horizon, horizon};
  }
  checkMissingAccesses();
  const bool barrier = std::all_of(lanes_.begin(), lanes_.end(), is(Lane::State::Held));
  const Cycle edge = lastArrival_ + config_.releaseCycles;
  if (barrier) {
    for (auto& lane : lanes_) {
      if (lane->blocked.cycle > edge) {
        fail(*lane, ArrayError::Kind::Lockstep, lane->blocked,
             "access pending only in cycle " + std::to_string(lane->blocked.cycle) +
                 ", after the release edge",
             "the barrier releases in cycle " + std::to_string(edge));
      }
    }
  }
  if (anyError_) return raise();
  if (barrier) return {ArrayOutcome::Kind::Barrier, edge};
  return {ArrayOutcome::Kind::Quiescent, 0};
}

/// A slave that arrived or went idle without making an access that the master made (TS-003).
void ScalarArray::checkMissingAccesses() {
  for (std::size_t i = 1; i < lanes_.size(); ++i) {
    Lane& lane = *lanes_[i];
    if (lane.state != Lane::State::Held && lane.state != Lane::State::Idle) continue;
    skipMasterWrites(lane, c32::kNever);
    if (lane.logIndex == log_.size()) continue;
    const c32::BusRequest& missed = log_[lane.logIndex].request;
    fail(lane, ArrayError::Kind::Lockstep, missed, "makes no access (" + laneText(lane) + ")",
         "the master makes a " + accessText(missed) + " at PC " + common::hexLowerH(missed.pc));
  }
}

void ScalarArray::release(Cycle edge) {
  for (auto& lane : lanes_) {
    counters_.epochSkew += lastArrival_ - lane->arrival;
    lane->arrived = false;
    lane->heldUntil = edge;
    lane->logIndex = 0;
    lane->state = Lane::State::Ready;
  }
  log_.clear();
  samples_.clear();
  tape_.clear();
  arrived_ = 0;
  lastArrival_ = 0;
  frontier_ = edge;
  ++counters_.barriers;
}

}  // namespace rtvp::tigershark
