#include "models/tigershark/scalar_array.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

#include "models/common/core/text.hpp"
#include "models/tigershark/scalar_lane.hpp"

namespace rtvp::tigershark {
namespace {

/// The master waits for the slaves once it is this many accesses ahead (code running from SRAM has
/// no barriers).
constexpr std::size_t kLogLimit = 1U << 16;

const char* opName(c32::BusOp op) {
  switch (op) {
    case c32::BusOp::Fetch:
      return "instruction fetch";
    case c32::BusOp::Read:
      return "read";
    case c32::BusOp::Write:
      return "write";
    case c32::BusOp::Iack:
      return "IACK read";
    case c32::BusOp::VectorFetch:
      return "vector fetch";
  }
  return "access";
}

std::string accessText(const c32::BusRequest& r) {
  return std::string(opName(r.op)) + " of " + common::hexLowerH(r.address) + " in cycle " +
         std::to_string(r.cycle);
}

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

void ScalarArray::transmitted(Lane& lane, std::uint32_t word, Cycle arrival) {
  ++counters_.chainWords;
  if (probe_ != nullptr) probe_->wordSent(lane.index, word, arrival);
  const std::size_t next = lane.index + 1;
  if (next == lanes_.size()) {
    board_.chainOutput(word, arrival);
  } else {
    deliver(*lanes_[next], word, arrival);
  }
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

// ---- errors -------------------------------------------------------------------------------------

void ScalarArray::fail(Lane& lane, ArrayError::Kind kind, const c32::BusRequest& request,
                       std::string what, std::string others) {
  anyError_ = true;
  lane.state = Lane::State::Failed;
  if (lane.error) return;
  const std::uint32_t pc = lane.cpu.pc();
  lane.error = ArrayError{kind,
                          static_cast<int>(lane.index),
                          pc,
                          instructionAt(lane, pc),
                          request.address,
                          request.cycle,
                          std::move(what),
                          std::move(others)};
}

void ScalarArray::failFault(Lane& lane) {
  const c32::Fault& fault = lane.cpu.fault();
  anyError_ = true;
  lane.state = Lane::State::Failed;
  if (lane.error) return;
  lane.error = ArrayError{ArrayError::Kind::DspFault,
                          static_cast<int>(lane.index),
                          fault.pc,
                          fault.word,
                          fault.address,
                          lane.cpu.cycle(),
                          fault.text,
                          {}};
}

/// The first error in time speaks for the array. If most slaves disagree with a master that saw
/// nothing wrong itself, it is the master that left the common path.
ArrayOutcome ScalarArray::raise() {
  checkMissingAccesses();
  const Lane* first = nullptr;
  std::size_t disagreeing = 0;
  for (const auto& lane : lanes_) {
    if (!lane->error) continue;
    if (lane->error->kind == ArrayError::Kind::Lockstep && lane->index != 0) ++disagreeing;
    if (first == nullptr || lane->error->cycle < first->error->cycle) first = lane.get();
  }
  if (first == nullptr) return {ArrayOutcome::Kind::Quiescent, 0};  // anyError_ says there is one
  error_ = *first->error;
  if (error_.kind == ArrayError::Kind::Lockstep && first->index != 0 && disagreeing > 1 &&
      disagreeing > (lanes_.size() - 1) / 2) {
    const Lane& master = *lanes_.front();
    error_.others = std::to_string(disagreeing) + " of " + std::to_string(lanes_.size() - 1) +
                    " slaves agree against the master; lane " + std::to_string(first->index) +
                    ": " + error_.what + "; " + error_.others;
    error_.lane = 0;
    error_.pc = master.cpu.pc();
    error_.word = instructionAt(master, error_.pc);
    error_.what = "the master left the common path (" + laneText(master) + ")";
  }
  if (error_.others.empty() && lanes_.size() > 1) error_.others = "now " + describe();
  failed_ = true;
  return {ArrayOutcome::Kind::Error, error_.cycle};
}

std::uint32_t ScalarArray::instructionAt(const Lane& lane, std::uint32_t pc) const {
  if (const auto word = lane.cpu.peek(pc)) return *word;
  for (auto access = log_.rbegin(); access != log_.rend(); ++access) {
    if (access->request.address == pc) return access->reply.data;
  }
  return 0;
}

// ---- observers ----------------------------------------------------------------------------------

std::string ScalarArray::laneText(const Lane& lane) const {
  const std::string at = " at PC " + common::hexLowerH(lane.cpu.pc());
  const std::string since = " since cycle " + std::to_string(lane.cpu.cycle());
  switch (lane.state) {
    case Lane::State::Held:
      return "arrived at the barrier in cycle " + std::to_string(lane.arrival) + at;
    case Lane::State::Idle:
      return (lane.arrived ? "arrived but idle" : "idle, waits for a word on the chain") + at +
             since;
    case Lane::State::Master:
      return "waits for the master to make a " + accessText(lane.blocked) + at;
    case Lane::State::Pins:
      return "reads the vote line" + at + since;
    case Lane::State::Failed:
      return "failed" + at + since;
    default:
      return "running" + at + ", cycle " + std::to_string(lane.cpu.cycle());
  }
}

std::string ScalarArray::describe() const {
  // Lanes in the same state at the same place are told together; at 512 lanes anything else is
  // unreadable.
  std::map<std::tuple<std::uint32_t, Lane::State, bool>, std::vector<std::size_t>> groups;
  for (const auto& lane : lanes_)
    groups[{lane->cpu.pc(), lane->state, lane->arrived}].push_back(lane->index);
  std::ostringstream text;
  for (const auto& [key, members] : groups) {
    text << (text.tellp() > 0 ? "; " : "") << "lane";
    if (members.size() > 1) text << 's';
    text << ' ' << members.front();
    if (members.size() > 1) text << ".." << members.back() << " (" << members.size() << ')';
    text << ' ' << laneText(*lanes_[members.front()]);
  }
  return text.str();
}

ArrayCounters ScalarArray::counters(Cycle now) const {
  ArrayCounters c = counters_;
  for (const auto& lane : lanes_) {
    const c32::CpuStatistics& s = lane->cpu.statistics();
    const Cycle until = std::max(now, lane->cpu.cycle());
    const Cycle waiting = until - lane->cpu.cycle();
    c.instructions += s.instructions;
    c.executing += s.executing;
    c.busWait += s.busWait;
    c.held += s.held;
    c.idle += s.idle;
    c.conflict += s.registerConflict + s.ramConflict + s.executeOnly + s.dmaConflict;
    c.interrupt += s.interruptEntry;
    c.other += s.interlockWait + s.lowPower + s.reset;
    (lane->state == Lane::State::Held ? c.held : c.idle) += waiting;
    c.total += until - lane->cpu.resetCycle();
    c.lateWords += s.lateWords;
    c.lostWords += lane->cpu.serial().receiveLost() + lane->cpu.serial().transmitLost();
  }
  return c;
}

LaneView ScalarArray::lane(int index) const {
  const Lane& lane = *lanes_.at(static_cast<std::size_t>(index));
  return {.cycle = lane.cpu.cycle(),
          .pc = lane.cpu.pc(),
          .arrived = lane.arrived,
          .arrival = lane.arrival,
          .idle = lane.state == Lane::State::Idle,
          .statistics = lane.cpu.statistics()};
}

std::optional<std::uint32_t> ScalarArray::peek(int lane, std::uint32_t address) const {
  return lanes_.at(static_cast<std::size_t>(lane))->cpu.peek(address);
}

std::unique_ptr<ArrayEngine> makeScalarArray(const ArrayConfig& config, ArrayBoard& board) {
  return std::make_unique<ScalarArray>(config, board);
}

}  // namespace rtvp::tigershark
