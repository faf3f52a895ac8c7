// What ScalarArray says of itself: errors of its lanes, and its state for reports and statistics.
#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

#include "models/c32/single.hpp"
#include "models/common/core/host_bytes.hpp"
#include "models/common/core/text.hpp"
#include "models/tigershark/scalar_array.hpp"
#include "models/tigershark/scalar_lane.hpp"

namespace rtvp::tigershark {
namespace {

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

}  // namespace

std::string accessText(const c32::BusRequest& request) {
  return std::string(opName(request.op)) + " of " + common::hexLowerH(request.address) +
         " in cycle " + std::to_string(request.cycle);
}

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

std::size_t ScalarArray::bytes() const {
  std::size_t sum = common::bytesOf(lanes_) + common::bytesOf(log_) + common::bytesOf(tape_) +
                    common::bytesOf(answered_) + common::bytesOf(samples_);
  for (const auto& lane : lanes_)
    sum += sizeof(Lane) + lane->cpu.ownBytes() + lane->station.ownBytes();
  return sum;
}

ArrayEngine::HostCounters ScalarArray::hostCounters() const {
  HostCounters host;
  host.bytes = bytes();
  return host;
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
    const c32::CpuStatistics s = laneStatistics(static_cast<int>(lane->index), now);
    c.instructions += s.instructions;
    c.executing += s.executing;
    c.busWait += s.busWait;
    c.held += s.held;
    c.idle += s.idle;
    c.conflict += s.registerConflict + s.ramConflict + s.executeOnly + s.dmaConflict;
    c.interrupt += s.interruptEntry;
    c.other += s.interlockWait + s.lowPower + s.reset;
    c.total += std::max(now, lane->cpu.cycle()) - lane->cpu.resetCycle();
    c.lateWords += s.lateWords;
    c.lostWords += lane->cpu.serial().receiveLost() + lane->cpu.serial().transmitLost();
  }
  return c;
}

c32::CpuStatistics ScalarArray::laneStatistics(int index, Cycle now) const {
  const Lane& lane = *lanes_.at(static_cast<std::size_t>(index));
  c32::CpuStatistics s = lane.cpu.statistics();
  const Cycle waiting = std::max(now, lane.cpu.cycle()) - lane.cpu.cycle();
  (lane.state == Lane::State::Held ? s.held : s.idle) += waiting;
  return s;
}

void ScalarArray::keepAccounts() {
  for (auto& lane : lanes_) {
    accounts_.push_back(std::make_unique<c32::CycleAccount>());
    lane->cpu.setAccount(accounts_.back().get());
  }
}

c32::PlaceCosts ScalarArray::laneCosts(int index, Cycle now) const {
  if (accounts_.empty()) return {};
  const auto n = static_cast<std::size_t>(index);
  const Lane& lane = *lanes_.at(n);
  const c32::Cpu& cpu = lane.cpu;
  c32::PlaceCosts costs = accounts_.at(n)->costs();
  const Cycle waiting = std::max(now, cpu.cycle()) - cpu.cycle();
  if (waiting == 0) return costs;
  const bool held = lane.state == Lane::State::Held;
  c32::CycleAccount::stall(costs[cpu.idle() ? cpu.sleepsAt() : cpu.pc()],
                           held ? c32::StallCause::Held : c32::StallCause::Idle) += waiting;
  return costs;
}

LaneView ScalarArray::lane(int index) const {
  const Lane& lane = *lanes_.at(static_cast<std::size_t>(index));
  return {.cycle = lane.cpu.cycle(),
          .pc = lane.cpu.pc(),
          .arrived = lane.arrived,
          .arrival = lane.arrival,
          .idle = lane.state == Lane::State::Idle,
          .asleep = lane.cpu.idle(),
          .votes = lane.xf0 == c32::Drive::Low,
          .waitedAt = lane.waitedAt,
          .wordsSent = lane.wordsSent,
          .lastSent = lane.lastSent,
          .statistics = lane.cpu.statistics()};
}

std::optional<std::uint32_t> ScalarArray::peek(int lane, std::uint32_t address) const {
  return lanes_.at(static_cast<std::size_t>(lane))->cpu.peek(address);
}

Cycle ScalarArray::nextStart() const {
  Cycle first = c32::kNever;
  for (const auto& lane : lanes_) {
    if (lane->state != Lane::State::Ready && lane->state != Lane::State::Horizon) continue;
    first = std::min(first, lane->cpu.idle() ? lane->station.nextEvent() : lane->cpu.cycle());
  }
  return first;
}

/// Blocks are of all lanes: they end at the places of any.
void ScalarArray::setStops(const std::vector<const c32::StopPlaces*>& lanes) {
  halted_ = c32::kNever;
  const c32::StopPlaces* any = nullptr;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i]->cpu.setStops(lanes.at(i));
    lanes_[i]->cpu.passStop();
    if (lanes[i] != nullptr) any = lanes[i];
  }
  if (blocks_ && any != stops_) blocks_->setStops(any);
  stops_ = any;
}

c32::Cpu& ScalarArray::processor(int lane) {
  return lanes_.at(static_cast<std::size_t>(lane))->cpu;
}

std::unique_ptr<ArrayEngine> makeScalarArray(const ArrayConfig& config, ArrayBoard& board) {
  return std::make_unique<ScalarArray>(config, board);
}

unsigned ScalarArray::lanesAboveZero(std::uint32_t address) const {
  const std::uint32_t offset = (address - c32::kRamBase) % c32::kRamWords;
  unsigned count = 0;
  for (const auto& lane : lanes_) {
    count += c32::aboveZero(lane->cpu.internalRam()[offset]) ? 1U : 0U;
  }
  return count;
}

bool ScalarArray::isAboveZero(int lane, std::uint32_t address) const {
  const std::uint32_t offset = (address - c32::kRamBase) % c32::kRamWords;
  return c32::aboveZero(lanes_[static_cast<std::size_t>(lane)]->cpu.internalRam()[offset]);
}

}  // namespace rtvp::tigershark
