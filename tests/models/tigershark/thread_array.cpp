#include "tests/models/tigershark/thread_array.hpp"

#include <algorithm>

namespace rtvp::tigershark::test {
namespace {

/// H1 of the oracle's own kernel time: what a cycle lasts does not matter to it.
const sc_core::sc_time& period() {
  static const sc_core::sc_time kPeriod(2, sc_core::SC_NS);
  return kPeriod;
}

}  // namespace

/// A processor, its pins and what it has on the bus.
struct ThreadArray::Lane final : c32::CpuPort {
  Lane(ThreadArray& owner, std::size_t n) : array(owner), number(n) {}

  c32::BusReply busAccess(const c32::BusRequest& wanted) override {
    return array.access(*this, wanted);
  }
  void pinsDriven(c32::Drive xf0, c32::Drive xf1, Cycle cycle) override {
    array.driven(*this, xf0, xf1, cycle);
  }
  c32::PinReply pinsSampled(Cycle cycle) override { return array.sampled(*this, cycle); }
  void serialTransmitted(std::uint32_t word, int /*bits*/, Cycle complete) override {
    ++array.counters_.chainWords;
    if (number + 1 == array.lanes_.size()) {
      array.board_->chainOutput(word, complete);
      return;
    }
    Lane& next = *array.lanes_[number + 1];
    next.cpu->deliverSerial(word, complete);
    array.wake(next.number);
  }

  ThreadArray& array;
  std::size_t number;
  std::unique_ptr<c32::Cpu> cpu;
  bool arrived = false;
  Cycle arrival = 0;
  bool held = false;
  c32::Drive vote = c32::Drive::Released;
  std::vector<std::pair<Cycle, Cycle>> pulls;  ///< of the vote line: first cycle, and one behind
  c32::Drive barrier = c32::Drive::Released;
  // On the bus: wanted, then answered.
  bool wants = false;
  c32::BusRequest request;
  bool answered = false;
  Cycle start = 0;
  ArrayBoard::SharedReply reply;
};

/// A thread, and what it waits for besides time.
class ThreadArray::Seat : public sc_core::sc_module {
 public:
  Seat(const sc_core::sc_module_name& name, ThreadArray& array, std::size_t number)
      : sc_module(name), array_(array), number_(number) {
    SC_HAS_PROCESS(Seat);
    SC_THREAD(run);
  }
  sc_core::sc_event wake;

 private:
  void run() { array_.execute(number_); }
  ThreadArray& array_;
  std::size_t number_;
};

ThreadArray::ThreadArray(const sc_core::sc_module_name& name) : sc_module(name) {
  SC_HAS_PROCESS(ThreadArray);
  for (std::size_t n = 0; n < kMostLanes; ++n) {
    seats_.push_back(std::make_unique<Seat>(("dsp" + std::to_string(n)).c_str(), *this, n));
  }
  SC_THREAD(resolve);
}

void ThreadArray::wake(std::size_t lane) {
  seats_[lane]->wake.notify(sc_core::SC_ZERO_TIME);
}

ThreadArray::~ThreadArray() = default;

const c32::Cpu& ThreadArray::cpu(int lane) const {
  return *lanes_.at(index(lane))->cpu;
}

bool ThreadArray::arrived(int lane) const {
  return lanes_.at(index(lane))->arrived;
}

void ThreadArray::restart(const ArrayConfig& config, ArrayBoard& board) {
  config_ = config;
  board_ = &board;
  base_ = sc_core::sc_time_stamp();
  lanes_.clear();
  looks_.clear();
  votesSeen_.clear();
  counters_ = {};
  failed_ = false;
  for (std::size_t n = 0; n < index(config.lanes); ++n) {
    lanes_.push_back(std::make_unique<Lane>(*this, n));
    Lane& lane = *lanes_.back();
    lane.cpu = std::make_unique<c32::Cpu>(config.cpu, lane);
    lane.cpu->reset(0);
    wake(n);
  }
}

void ThreadArray::chainInput(std::uint32_t word, Cycle arrival) {
  lanes_.front()->cpu->deliverSerial(word, arrival);
  wake(0);
}

void ThreadArray::run(Cycle horizon) {
  const sc_core::sc_time end = timeOf(horizon);
  if (end > sc_core::sc_time_stamp()) {
    sc_core::sc_start(end - sc_core::sc_time_stamp(), sc_core::SC_EXIT_ON_STARVATION);
  }
}

Cycle ThreadArray::now() const {
  return static_cast<Cycle>((sc_core::sc_time_stamp() - base_) / period());
}

sc_core::sc_time ThreadArray::timeOf(Cycle cycle) const {
  return base_ + period() * static_cast<double>(cycle);
}

void ThreadArray::waitUntil(Lane& lane, Cycle cycle) {
  const sc_core::sc_time at = timeOf(cycle);
  if (at > sc_core::sc_time_stamp()) {
    sc_core::wait(at - sc_core::sc_time_stamp(), seats_[lane.number]->wake);
  }
}

/// Asks the arbiter to look at the bus in the middle of `cycle`.
void ThreadArray::look(Cycle cycle) {
  looks_.insert(cycle);
  const sc_core::sc_time at = timeOf(*looks_.begin()) + period() / 2;
  const sc_core::sc_time here = sc_core::sc_time_stamp();
  look_.cancel();
  look_.notify(at > here ? at - here : sc_core::SC_ZERO_TIME);
}

void ThreadArray::fail(ArrayError::Kind kind) {
  if (failed_) return;
  failed_ = true;
  failure_ = kind;
  sc_core::sc_pause();
}

// ---- a processor's thread

void ThreadArray::execute(std::size_t n) {
  for (;;) {
    if (n >= lanes_.size() || failed_) {
      sc_core::wait(seats_[n]->wake);
      continue;
    }
    Lane& lane = *lanes_[n];
    if (!lane.cpu->idle() && lane.cpu->cycle() > now()) {
      waitUntil(lane, lane.cpu->cycle());
      continue;
    }
    attend(lane);
  }
}

/// One instruction in the present cycle, or a reason to wait.
void ThreadArray::attend(Lane& lane) {
  c32::Cpu& cpu = *lane.cpu;
  switch (cpu.run(now() + 1, 1)) {
    case c32::StopReason::Steps:
    case c32::StopReason::Place:
      break;
    case c32::StopReason::Horizon:
      waitUntil(lane, cpu.idle() ? std::max(now() + 1, cpu.nextEvent()) : cpu.cycle());
      break;
    case c32::StopReason::Idle:
      sc_core::wait(seats_[lane.number]->wake);
      break;
    case c32::StopReason::Fault:
      fail(ArrayError::Kind::DspFault);
      break;
    case c32::StopReason::Blocked:
      if (cpu.pending().kind == c32::Pending::Kind::Pins) {
        waitUntil(lane, cpu.pending().cycle);
      } else {
        sc_core::wait(seats_[lane.number]->wake);
      }
  }
}

c32::BusReply ThreadArray::access(Lane& lane, const c32::BusRequest& request) {
  if (lane.answered) {
    lane.answered = false;
    return {.status = lane.reply.error ? c32::BusReply::Status::Error : c32::BusReply::Status::Done,
            .data = lane.reply.data,
            .start = lane.start,
            .externalWait = lane.reply.waitStates};
  }
  lane.wants = true;
  lane.request = request;
  if (!lane.arrived) {
    look(request.cycle);
  } else if (request.cycle <= lane.arrival + config_.holdCycles) {
    fail(ArrayError::Kind::Lockstep);  // HOLD has not acted yet
  } else {
    lane.held = true;
  }
  return {.status = c32::BusReply::Status::Blocked};
}

void ThreadArray::driven(Lane& lane, c32::Drive xf0, c32::Drive xf1, Cycle cycle) {
  if (xf0 != lane.vote) {
    if (xf0 == c32::Drive::High) fail(ArrayError::Kind::Contention);
    if (xf0 == c32::Drive::Low) lane.pulls.emplace_back(cycle + 1, c32::kNever);
    if (lane.vote == c32::Drive::Low) lane.pulls.back().second = cycle + 1 + config_.riseCycles;
    lane.vote = xf0;
  }
  if (xf1 == lane.barrier) return;
  lane.barrier = xf1;
  lane.arrived = xf1 == c32::Drive::Low;
  if (!lane.arrived) return;
  lane.arrival = cycle;
  Cycle last = 0;
  for (const auto& other : lanes_) {
    if (!other->arrived) return;
    last = std::max(last, other->arrival);
  }
  look(last + config_.releaseCycles);
}

c32::PinReply ThreadArray::sampled(const Lane& lane, Cycle cycle) {
  if (cycle > now()) return {.ready = false};
  const Cycle seen = cycle > config_.syncCycles ? cycle - config_.syncCycles : 0;
  const auto pulling = std::count_if(lanes_.begin(), lanes_.end(), [seen](const auto& l) {
    return std::any_of(l->pulls.begin(), l->pulls.end(),
                       [seen](const auto& p) { return p.first <= seen && seen < p.second; });
  });
  if (votesSeen_.insert(seen).second) {
    ++counters_.votes;
    counters_.skips += pulling == 0 ? 1 : 0;
    counters_.voters += static_cast<std::uint64_t>(pulling);
  }
  return {.ready = true, .xf0 = pulling == 0, .xf1 = lane.barrier != c32::Drive::Low};
}

// ---- the board between them

void ThreadArray::resolve() {
  for (;;) {
    sc_core::wait(look_);
    while (!looks_.empty() && *looks_.begin() <= now() && !failed_) {
      const Cycle cycle = *looks_.begin();
      looks_.erase(looks_.begin());
      releaseBarrier(cycle);
      resolveBus(cycle);
    }
    if (!looks_.empty()) look(*looks_.begin());
  }
}

/// The release edge: everybody has arrived and waits, and all that waits starts now.
void ThreadArray::releaseBarrier(Cycle edge) {
  Cycle last = 0;
  for (const auto& lane : lanes_) {
    if (!lane->arrived) return;
    last = std::max(last, lane->arrival);
  }
  if (edge < last + config_.releaseCycles) return;
  // Asleep instead of waiting: the barrier is not complete.
  if (std::any_of(lanes_.begin(), lanes_.end(), [](const auto& l) { return l->cpu->idle(); })) {
    return;
  }
  for (const auto& lane : lanes_) {
    if (!lane->held || lane->request.cycle > edge) return fail(ArrayError::Kind::Lockstep);
  }
  ++counters_.barriers;
  for (const auto& lane : lanes_) {
    counters_.epochSkew += last - lane->arrival;
    lane->arrived = lane->held = false;
    lane->request.cycle = edge;
  }
}

/// The bus in the middle of a cycle: what the master does, all others do.
void ThreadArray::resolveBus(Cycle now) {
  std::vector<Lane*> active;
  for (const auto& lane : lanes_) {
    if (lane->wants && !lane->held && lane->request.cycle == now) active.push_back(lane.get());
  }
  if (active.empty()) return;
  const c32::BusRequest& request = active.front()->request;
  const bool write = request.op == c32::BusOp::Write;
  for (const Lane* lane : active) {
    const bool writes = lane->request.op == c32::BusOp::Write;
    if (writes && lane->number != 0) return fail(ArrayError::Kind::SlaveWrite);
  }
  if (active.front()->number != 0 || active.size() != (write ? 1 : lanes_.size())) {
    return fail(ArrayError::Kind::Lockstep);
  }
  for (const Lane* lane : active) {
    if (lane->request.address != request.address || lane->request.strobe != request.strobe) {
      return fail(ArrayError::Kind::Lockstep);
    }
  }
  const ArrayBoard::SharedReply reply = board_->sharedAccess(request);
  const bool fetch = request.op == c32::BusOp::Fetch || request.op == c32::BusOp::VectorFetch;
  ++(write ? counters_.sharedWrites : fetch ? counters_.sharedFetches : counters_.sharedReads);
  for (Lane* lane : active) {
    lane->wants = false;
    lane->answered = true;
    lane->start = now;
    lane->reply = reply;
    wake(lane->number);
  }
}

}  // namespace rtvp::tigershark::test
