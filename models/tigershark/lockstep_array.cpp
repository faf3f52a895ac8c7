#include "models/tigershark/lockstep_array.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>

#include "models/c32/disasm.hpp"
#include "models/common/report_ids.hpp"
#include "models/common/tlm_payload.hpp"

namespace rtvp::tigershark {
namespace {

/// Start of a word to the far receiver full, in bit clocks (board.md 3).
constexpr Cycle kLinkBits = 34;
/// Words in a row before the next ones are fetched with them.
constexpr std::uint32_t kRow = 2;

const char* reportId(ArrayError::Kind kind) {
  switch (kind) {
    case ArrayError::Kind::Lockstep:
      return report_ids::kLockstep;
    case ArrayError::Kind::SlaveWrite:
      return report_ids::kSlaveWrite;
    case ArrayError::Kind::Contention:
      return report_ids::kContention;
    case ArrayError::Kind::DspFault:
      return report_ids::kDspFault;
  }
  return report_ids::kDspFault;
}

}  // namespace

LockstepArray::LockstepArray(const sc_core::sc_module_name& name, const LockstepArrayConfig& config,
                             const BoardClock& clock)
    : sc_module(name),
      bus_isock("bus_isock"),
      config_(config),
      clock_(clock),
      engine_(makeArray(config.array, *this, config.engine)),
      linkCycles_(kLinkBits * clock.clockHz() / clock.bitHz()) {
  bus_isock.register_invalidate_direct_mem_ptr(this, &LockstepArray::invalidate);
  burst_.resize(std::max(1U, config.burst));
  if (config_.pool && !config_.strict) ahead_ = std::make_unique<Ahead>();
  SC_HAS_PROCESS(LockstepArray);
  SC_THREAD(run);
}

void LockstepArray::setReset(bool asserted) {
  if (asserted == inReset_) return;
  touched("reset");
  inReset_ = asserted;
  if (asserted) {
    ++resets_;
    resetAt_ = now();
    if (trace_) trace_->reset(*engine_, resetAt_);
    pulled_.notify(sc_core::SC_ZERO_TIME);
  }
  changed_.notify(sc_core::SC_ZERO_TIME);
}

void LockstepArray::requestHold(bool requested) {
  if (requested == holdRequested_) return;
  touched("asked for its bus");
  holdRequested_ = requested;
  if (requested) {
    holdSince_ = now();
  } else {
    holdGranted_ = false;
    if (trace_) trace_->busGranted(false, now());
  }
  changed_.notify(sc_core::SC_ZERO_TIME);
}

void LockstepArray::chainInput(std::uint32_t word, Cycle arrival) {
  if (inReset_) return;  // a serial port in reset does not listen
  const bool ahead = ahead_ && ahead_->active;
  if (ahead && ahead_->through) touched("sent a word");
  if (ahead || advancing_) {
    arrived_.emplace_back(word, arrival);
    return;
  }
  if (recorder_ != nullptr) recorder_->chainInput(word, arrival);
  engine_->chainInput(word, arrival);
  if (trace_) trace_->wordReceived(arrival);
  if (pins_.recorder != nullptr) pins_.recorder->wordReceived(word, arrival);
  if (!chainPending_) {
    chainPending_ = true;
    // No effect of this word can leave the array before it has crossed every link between nodes.
    chainDue_ = arrival + static_cast<Cycle>(config_.array.lanes - 1) * linkCycles_;
    changed_.notify(sc_core::SC_ZERO_TIME);
  }
}

void LockstepArray::run() {
  for (;;) {
    // HOLD at the end of reset keeps the DSPs off the bus, and they start on it.
    while (inReset_ || holdRequested_) {
      if (holdRequested_ && !holdGranted_) {
        grantHold();
      } else {
        wait(changed_);
      }
    }
    if (started_) keepTotals();
    started_ = true;
    if (recorder_ != nullptr) recorder_->reset(now());
    engine_->reset(now());
    if (trace_) trace_->start(now());
    walking_ = false;
    unsettled_.reset();
    chainPending_ = false;
    polls_ = inTime_ = false;
    running_ = resets_;
    while (!inReset_ && running_ == resets_) step();
  }
}

void LockstepArray::step() {
  if (control_ != nullptr && !permitted()) return;
  if (beginsAhead()) return stepAhead();
  chainPending_ = false;
  const std::uint64_t generation = resets_;
  const ArrayOutcome outcome = advance();
  if (generation != resets_) return;  // a reset while strict timing let others run
  conclude(outcome);
}

/// What comes of an advance, at the time when it was due.
void LockstepArray::conclude(const ArrayOutcome& outcome) {
  switch (outcome.kind) {
    case ArrayOutcome::Kind::Barrier:
      if (trace_) trace_->barrier(*engine_);
      finishBarrier(outcome.cycle);
      break;
    case ArrayOutcome::Kind::Quiescent:
      settleRecord();
      walking_ = false;
      waitForInput();
      break;
    case ArrayOutcome::Kind::Horizon:
      polls_ = true;
      if (trace_) trace_->horizon(outcome.cycle);
      waitUntil(outcome.cycle);
      break;
    case ArrayOutcome::Kind::Error:
      fail();
  }
}

// With strict timing other processes run while the engine is at work. What they send to the array
// waits until it is done, as it would if the engine had run ahead of them.
ArrayOutcome LockstepArray::advance() {
  const Cycle begin = now();
  if (trace_) trace_->settle(begin);
  const Cycle end = std::min({begin + config_.quantum, recordedUntil(begin), tracedUntil(begin)});
  if (control_ == nullptr) return advanceTo(end);
  if (!control_->stepping()) {
    const ArrayOutcome outcome = advanceTo(std::min(end, clock_.cycleAt(control_->limit())));
    if (engine_->halted() != c32::kNever) control_->halted(*this, engine_->halted());
    return outcome;
  }
  control_->before(*this, begin);
  const ArrayOutcome outcome = advanceTo(begin + 1);
  control_->after(*this, begin);
  return outcome;
}

ArrayOutcome LockstepArray::advanceTo(Cycle horizon) {
  const std::uint64_t generation = resets_;
  advancing_ = true;
  dropBurst();
  if (recorder_ != nullptr) recorder_->advance(horizon);
  const ArrayOutcome outcome = engine_->advance(horizon);
  if (recorder_ != nullptr) recorder_->outcome(outcome);
  advancing_ = false;
  if (generation == resets_) {
    for (const auto& [word, arrival] : arrived_) chainInput(word, arrival);
  }
  arrived_.clear();
  return outcome;
}

/// Under a debugger: waits until the lanes may go on. False: something has happened meanwhile, and
/// it must be asked again.
bool LockstepArray::permitted() {
  control_->advancing();
  if (sc_core::sc_time_stamp() >= control_->limit()) {
    wait(control_->changed() | pulled_);
    return false;
  }
  engine_->setStepping(control_->stepping());
  updateProbe();
  if (!control_->stepping()) return true;
  const Cycle start = engine_->nextStart();
  if (start == c32::kNever || start <= now()) return true;
  // Words that come meanwhile may wake a lane sooner.
  wait(clock_.timeOf(start) - sc_core::sc_time_stamp(), changed_ | control_->changed() | pulled_);
  return false;
}

void LockstepArray::control(ArrayControl& control) {
  control_ = &control;
  config_.strict = false;
}

void LockstepArray::comeTo(Cycle cycle) {
  if (inReset_ || !started_ || running_ != resets_ || advancing_) return;
  advanceTo(cycle);  // what came of it, the array's thread finds when it asks again
}

/// A word of the memory by debug transport.
bool LockstepArray::shared(bool write, std::uint32_t address, std::uint32_t& word) {
  if (address >= config_.sramWords) return false;
  tlm::tlm_generic_payload payload;
  common::prepare(payload, write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                  sc_dt::uint64{address} * 4, reinterpret_cast<unsigned char*>(&word), 4);
  if (write) dropBurst();
  return bus_isock->transport_dbg(payload) == 4;
}

std::optional<std::uint32_t> LockstepArray::look(int lane, std::uint32_t address) {
  land();
  if (const auto inside = engine_->peek(lane, address)) return inside;
  std::uint32_t word = 0;
  if (!shared(false, address, word)) return std::nullopt;
  return word;
}

bool LockstepArray::change(int lane, std::uint32_t address, std::uint32_t word) {
  land();
  if (!engine_->processor(lane).poke(address, word)) return shared(true, address, word);
  if (recorder_ != nullptr) recorder_->poke(lane, address, word);
  return true;
}

void LockstepArray::finishBarrier(Cycle edge) {
  const std::uint64_t generation = resets_;
  waitUntil(edge);
  // A hold request that came during the epoch is granted here: the bus is idle, and the barrier
  // stays intact because the release waits for the host (board.md 2.2, deadlock rule).
  while (holdRequested_ && generation == resets_) {
    if (!holdGranted_) grantHold();
    if (holdRequested_ && generation == resets_) wait(changed_);
  }
  if (generation != resets_) return;
  release(edge, std::max(edge, now()));
}

/// Lets all lanes go at a barrier that was complete at `edge`.
void LockstepArray::release(Cycle edge, Cycle resume) {
  heldForHost_ += resume - edge;
  if (walking_) walkCycles_ += resume - released_;
  countRecord();
  walking_ = true;
  released_ = resume;
  if (trace_) {
    trace_->released(*engine_, resume);
    updateProbe();
  }
  if (pins_.recorder != nullptr) pins_.recorder->released(resume);
  if (recorder_ != nullptr) recorder_->release(resume);
  engine_->release(resume);
}

/// At a complete barrier: the record that the lanes have tested, if they came from a release.
void LockstepArray::countRecord() {
  if (!config_.walk) return;
  settleRecord();
  if (!walking_) {
    counting_ = engine_->peek(0, config_.walk->code) == config_.walk->word;
  } else if (counting_) {
    unsettled_ = open_;
    unsettledLanes_.swap(openLanes_);
  }
  if (!counting_) return;
  open_ = engine_->lanesAboveZero(config_.walk->tmax);
  openLanes_.resize(laneTests_.size());
  for (std::size_t lane = 0; lane < laneTests_.size(); ++lane) {
    openLanes_[lane] = engine_->isAboveZero(static_cast<int>(lane), config_.walk->tmax);
  }
  votesAtRelease_ = engine_->votes();
}

/// The record before the latest release: a box's vote has been read since, if it was one.
void LockstepArray::settleRecord() {
  if (!unsettled_) return;
  const bool box = engine_->votes() > votesAtRelease_;
  (box ? boxTests_ : tests_) += *unsettled_;
  unsettled_.reset();
  for (std::size_t lane = 0; lane < laneTests_.size(); ++lane) {
    if (!unsettledLanes_[lane]) continue;
    ++(box ? laneTests_[lane].boxTests : laneTests_[lane].tests);
  }
}

void LockstepArray::countLanes() {
  if (config_.walk) laneTests_.resize(static_cast<std::size_t>(config_.array.lanes));
}

std::vector<LockstepArray::LaneTests> LockstepArray::takeLaneTests() {
  land();
  return std::exchange(laneTests_, std::vector<LaneTests>(laneTests_.size()));
}

// Words for the chain are collected until the first of them could show at the far end, so that each
// lane works through many words at a time: with hundreds of lanes that keeps a lane's state in the
// cache. Nobody outside can tell.
void LockstepArray::waitForInput() {
  const std::uint64_t generation = resets_;
  while (generation == resets_) {
    if (holdRequested_ && !holdGranted_) return grantHold();
    if (!chainPending_) {
      waiting_ = true;
      wait(changed_);
      waiting_ = false;
      continue;
    }
    if (control_ != nullptr && control_->stepping()) return;  // it looks at each
    const Cycle lead = early() ? chainLead() : 0;
    const sc_core::sc_time due = clock_.timeOf(chainDue_ - lead);
    if (sc_core::sc_time_stamp() >= due) {
      aheadFrom_ = lead != 0 ? chainDue_ : 0;
      return;
    }
    const sc_core::sc_time left = due - sc_core::sc_time_stamp();
    if (control_ == nullptr) {
      wait(left, changed_);
    } else {
      wait(left, changed_ | control_->changed());
    }
  }
}

void LockstepArray::grantHold() {
  const std::uint64_t generation = resets_;
  waitUntil(std::max(holdSince_ + config_.array.holdCycles, lastShared_));
  if (!holdRequested_ || generation != resets_) return;
  holdGranted_ = true;
  if (trace_) trace_->busGranted(true, now());
  listener_->holdGranted();
}

void LockstepArray::waitUntil(Cycle cycle) {
  const sc_core::sc_time at = clock_.timeOf(cycle);
  const std::uint64_t generation = resets_;
  while (generation == resets_ && at > sc_core::sc_time_stamp()) {
    wait(at - sc_core::sc_time_stamp(), pulled_);
  }
}

void LockstepArray::fail() {
  const ArrayError& e = engine_->error();
  if (trace_) trace_->failed(*engine_, e);
  listener_->arrayFailed(e);
  std::ostringstream text;
  text << name() << ": lane " << e.lane << " at PC " << std::hex << e.pc << "h";
  if (e.word != 0) text << " (" << c32::disassemble(e.word, e.pc) << ")";  // 0: nothing was fetched
  if (config_.locate) {
    const std::string line = config_.locate(e.pc);
    if (!line.empty()) text << ", " << line;
  }
  text << ": " << e.what << "; address " << e.address << "h, cycle " << std::dec << e.cycle;
  if (!e.others.empty()) text << "; " << located(e.others);
  SC_REPORT_ERROR(reportId(e.kind), text.str().c_str());
  // Reached only if somebody turned the report's throw off: the array stays frozen, as failed
  // hardware would.
  for (;;) wait();
}

/// One transaction; false: the memory refused it. The kernel's thread makes it.
bool LockstepArray::transport(bool write, std::uint32_t address, std::uint32_t* data,
                              std::uint32_t words, Cycle cycle) {
  if (!ahead_ || !ahead_->active) return transact(write, address, data, words, cycle);
  bool done = false;
  ahead_->job.ask([&] { done = transact(write, address, data, words, cycle); });
  return done;
}

bool LockstepArray::transact(bool write, std::uint32_t address, std::uint32_t* data,
                             std::uint32_t words, Cycle cycle) {
  common::prepare(payload_, write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                  sc_dt::uint64{address} * 4, reinterpret_cast<unsigned char*>(data), 4 * words);
  const sc_core::sc_time at = clock_.timeOf(cycle);
  sc_core::sc_time delay =
      at > sc_core::sc_time_stamp() ? at - sc_core::sc_time_stamp() : sc_core::SC_ZERO_TIME;
  bus_isock->b_transport(payload_, delay);
  if (config_.dmi && payload_.is_dmi_allowed() && direct_ == nullptr) {
    tlm::tlm_dmi dmi;
    payload_.set_address(sc_dt::uint64{address} * 4);
    if (bus_isock->get_direct_mem_ptr(payload_, dmi) && dmi.is_read_allowed() &&
        dmi.get_start_address() % 4 == 0) {
      direct_ = dmi.get_dmi_ptr();
      directFirst_ = static_cast<std::uint32_t>(dmi.get_start_address() / 4);
      directWords_ = static_cast<std::uint32_t>(
          (std::min<sc_dt::uint64>(dmi.get_end_address(), (sc_dt::uint64{1} << 26) - 1) + 1 -
           dmi.get_start_address()) /
          4);
    }
  }
  return !payload_.is_response_error();
}

/// The memory takes its pointer back: another bank, for example. Words fetched ahead are void too.
void LockstepArray::invalidate(sc_dt::uint64 /*first*/, sc_dt::uint64 /*last*/) {
  touched("given another bank");
  direct_ = nullptr;
  dropBurst();
}

bool LockstepArray::readDirect(std::uint32_t address, std::uint32_t& data) {
  if (direct_ == nullptr || address - directFirst_ >= directWords_) return false;
  std::memcpy(&data, direct_ + std::size_t{address - directFirst_} * 4, 4);
  ++uncounted_;
  return true;
}

void LockstepArray::dropBurst() {
  uncounted_ -= static_cast<std::int64_t>(burstEnd_ - burstNext_);
  burstNext_ = burstEnd_ = 0;
}

/// The next word of a burst, or the first of a new one if the program reads word after word. Nobody
/// else can write the memory before the engine stops: the host needs HOLD.
bool LockstepArray::readBurst(const c32::BusRequest& request, std::uint32_t& data) {
  if (config_.burst < 2) return false;
  if (burstNext_ == burstEnd_ || request.address != burstAddress_) {
    dropBurst();
    inRow_ = request.address == lastAddress_ + 1 ? inRow_ + 1 : 0;
    lastAddress_ = request.address;
    if (inRow_ < kRow) return false;
    const std::uint32_t words = std::min(config_.burst, config_.sramWords - request.address);
    if (!transport(false, request.address, burst_.data(), words, request.cycle)) return false;
    burstAddress_ = request.address;
    burstEnd_ = words;
  }
  data = burst_[burstNext_++];
  lastAddress_ = burstAddress_++;
  return true;
}

ArrayBoard::SharedReply LockstepArray::sharedAccess(const c32::BusRequest& request) {
  const SharedReply reply = answer(request);
  if (recorder_ != nullptr) recorder_->access(request, reply);
  return reply;
}

ArrayBoard::SharedReply LockstepArray::answer(const c32::BusRequest& request) {
  SharedReply reply;
  reply.waitStates = config_.waitStates;
  if (request.strobe != c32::Strobe::Strb0 || request.address >= config_.sramWords) {
    reply.error = true;
    return reply;
  }
  // After a reset the rest of the epoch is void: it takes no time.
  if (config_.strict && running_ == resets_) waitUntil(request.cycle);
  const bool write = request.op == c32::BusOp::Write;
  reply.data = request.data;
  if (write) dropBurst();
  if (write || (!readDirect(request.address, reply.data) && !readBurst(request, reply.data))) {
    reply.error = !transport(write, request.address, &reply.data, 1, request.cycle);
  }
  lastShared_ = request.cycle + 1 + reply.waitStates + (write ? 1U : 0U);
  if (trace_) trace_->access(request, reply);
  return reply;
}

/// The memory's own words; not with strict timing, where every word has its time to wait for, nor
/// while a trace or a recording has each of them.
ArrayBoard::SharedWindow LockstepArray::sharedWindow() {
  const bool shown = trace_ && trace_->phase() != ArrayTrace::Phase::Before;
  if (config_.strict || shown || recorder_ != nullptr || direct_ == nullptr ||
      directFirst_ >= config_.sramWords) {
    return {};
  }
  return {direct_, directFirst_, std::min(directWords_, config_.sramWords - directFirst_),
          config_.waitStates};
}

void LockstepArray::sharedWindowRead(std::uint64_t words, Cycle cycle) {
  uncounted_ += static_cast<std::int64_t>(words);
  lastShared_ = cycle + 1 + config_.waitStates;
  if (trace_) trace_->wordsRead(lastShared_);
}

void LockstepArray::chainOutput(std::uint32_t word, Cycle arrival) {
  if (ahead_ && ahead_->active) {
    const std::lock_guard lock(ahead_->mutex);
    ahead_->sent.push_back({word, arrival});
    return;
  }
  listener_->chainOutput(word, arrival);
}

}  // namespace rtvp::tigershark
