#include "models/tigershark/array_trace.hpp"

#include <algorithm>
#include <string>

namespace rtvp::tigershark {
namespace {

constexpr unsigned kAddressBits = 24;
constexpr unsigned kWordBits = 32;
/// First bit of a word to the far receiver full, and to the end of its last bit (board.md 3).
constexpr std::uint64_t kLinkBits = 34;
constexpr std::uint64_t kTailBits = 2;

}  // namespace

ArrayTrace::ArrayTrace(const common::TraceScope& board, const BoardClock& clock,
                       const ArrayConfig& config)
    : board_(board),
      clock_(clock),
      rise_(config.riseCycles),
      lanes_(static_cast<std::size_t>(config.lanes)) {
  const common::TraceScope array = board.module("array");
  barrier_ = array.wire("barrier", "HOLD: some DSP has arrived at the barrier and waits");
  arrived_ = array.count("arrived", "DSPs that have arrived at the barrier");
  barriers_ = array.count("barriers", "barriers released so far");
  vote_ = array.wire("vote", "the vote line XF0 is low: some DSP votes");
  host_ = array.wire("host_has_bus", "the DSPs have given the bus to the host");
  const common::TraceScope bus = board.module("bus");
  busRead_ = bus.wire("read", "a word is read for all DSPs, wait states included");
  busWrite_ = bus.wire("write", "DSP 0 writes a word");
  busAddress_ = bus.word("address", kAddressBits, "of the access");
  busData_ = bus.word("data", kWordBits, "the word");
  busPc_ = bus.word("pc", kAddressBits, "instruction of DSP 0 that makes the access");
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const common::TraceScope dsp = board.module("dsp" + std::to_string(i));
    Lane& lane = lanes_[i];
    lane.state = dsp.state("state", {"reset", "run", "wait", "chain", "halt"},
                           "run: on the shared bus; wait: at the barrier; chain: receives, sends "
                           "or sleeps; halt: stopped with a fault");
    lane.pc = dsp.word("pc", kAddressBits, "where it waited last, or has stopped");
    lane.vote = dsp.wire("vote", "it pulls the vote line low");
    lane.tx = dsp.wire("tx_busy", "a word is on its link to the next DSP");
    lane.txWord = dsp.word("tx", kWordBits, "the word on its link to the next DSP");
    lane.txWords = dsp.count("tx_words", "words sent so far");
  }
}

bool ArrayTrace::wanted() const {
  return vote_ || busRead_ ||
         std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& l) { return bool(l.state); });
}

// ---- changes on their way

void ArrayTrace::set(const common::TraceSignal& signal, Cycle cycle, std::uint64_t value) {
  if (signal) setAt(signal, clock_.timeOf(cycle).value(), value);
}

void ArrayTrace::setAt(const common::TraceSignal& signal, std::uint64_t ps, std::uint64_t value) {
  ahead_.push_back({signal, ps, value});
}

void ArrayTrace::setAll(State state, Cycle cycle) {
  for (const Lane& lane : lanes_) set(lane.state, cycle, static_cast<std::uint64_t>(state));
}

void ArrayTrace::settle(Cycle cycle) {
  const std::uint64_t now = clock_.timeOf(cycle).value();
  const auto later = std::stable_partition(ahead_.begin(), ahead_.end(),
                                           [now](const Change& c) { return c.ps <= now; });
  for (auto change = ahead_.begin(); change != later; ++change) {
    change->signal.set(change->ps, change->value);
  }
  ahead_.erase(ahead_.begin(), later);
}

// ---- reset and phases

void ArrayTrace::reset(Cycle cycle) {
  resolveVote(cycle);
  if (running_ && !atBarrier_ && std::min(received_, sent_) < cycle) {
    setAll(State::Chain, walkEnd_);
  }
  settle(cycle);
  ahead_.clear();
  drives_.clear();
  pulling_ = 0;
  risesAt_ = c32::kNever;
  running_ = low_ = atBarrier_ = false;
  setAll(State::Reset, cycle);
  for (const common::TraceSignal* const s : {&vote_, &arrived_, &barrier_, &busRead_, &busWrite_}) {
    set(*s, cycle, 0);
  }
  for (const common::TraceSignal* const s : {&busAddress_, &busData_, &busPc_}) {
    set(*s, cycle, common::kNoValue);
  }
  for (const Lane& lane : lanes_) {
    set(lane.pc, cycle, common::kNoValue);
    set(lane.vote, cycle, 0);
    set(lane.tx, cycle, 0);
    set(lane.txWord, cycle, common::kNoValue);
  }
}

void ArrayTrace::start(Cycle cycle) {
  running_ = true;
  setAll(State::Run, cycle);
  walkEnd_ = cycle;
  received_ = sent_ = c32::kNever;
}

/// The DSPs are back on the bus or at the barrier. If a word came since they left, the chain has
/// given them new work, and what lies between is its time. True: so it is.
bool ArrayTrace::leaveChain(Cycle cycle) {
  const bool chain = received_ <= cycle;
  if (chain) setAll(State::Chain, walkEnd_);
  received_ = sent_ = c32::kNever;
  return chain;
}

void ArrayTrace::wordReceived(Cycle arrival) {
  if (running_ && arrival > walkEnd_) received_ = std::min(received_, arrival);
}

void ArrayTrace::access(const c32::BusRequest& request, const ArrayBoard::SharedReply& reply) {
  if (!running_) return;
  const Cycle begin = request.cycle;
  const bool write = request.op == c32::BusOp::Write;
  const Cycle end = begin + 1 + reply.waitStates + (write ? 1U : 0U);
  if (leaveChain(begin)) setAll(State::Run, begin);
  walkEnd_ = end;
  set(write ? busWrite_ : busRead_, begin, 1);
  set(busAddress_, begin, request.address);
  set(busData_, begin, write ? request.data : reply.data);
  set(busPc_, begin, request.pc);
  set(write ? busWrite_ : busRead_, end, 0);
  set(busAddress_, end, common::kNoValue);
  set(busData_, end, common::kNoValue);
  set(busPc_, end, common::kNoValue);
}

// ---- barrier

/// Shows who has arrived by `until`.
void ArrayTrace::arrivals(const ArrayEngine& engine, Cycle until) {
  std::vector<Cycle> cycles;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const LaneView view = engine.lane(static_cast<int>(i));
    if (!view.arrived || view.arrival >= until) continue;
    cycles.push_back(view.arrival + 1);
    set(lanes_[i].state, view.arrival + 1, static_cast<std::uint64_t>(State::Wait));
    set(lanes_[i].pc, view.arrival + 1, view.pc);
  }
  if (cycles.empty()) return;
  std::sort(cycles.begin(), cycles.end());
  leaveChain(cycles.front());
  set(barrier_, cycles.front(), 1);
  for (std::size_t i = 0; i < cycles.size(); ++i) set(arrived_, cycles[i], i + 1);
}

void ArrayTrace::barrier(const ArrayEngine& engine) {
  if (!running_) return;
  arrivals(engine, c32::kNever);
  atBarrier_ = true;
}

void ArrayTrace::released(Cycle edge) {
  resolveVote(edge);
  atBarrier_ = false;
  walkEnd_ = std::max(walkEnd_, edge);
  received_ = sent_ = c32::kNever;
  set(barriers_, edge, ++releases_);
  set(arrived_, edge, 0);
  set(barrier_, edge, 0);
  setAll(State::Run, edge);
}

void ArrayTrace::horizon(Cycle cycle) {
  resolveVote(cycle);
}

void ArrayTrace::busGranted(bool toHost, Cycle cycle) {
  set(host_, cycle, toHost ? 1 : 0);
}

// ---- vote line: a wire-OR with a pull-up

void ArrayTrace::voteDriven(std::size_t lane, bool low, Cycle cycle) {
  if (!running_) return;
  set(lanes_[lane].vote, cycle + 1, low ? 1 : 0);
  if (vote_) drives_.push_back({cycle, low});
}

/// Works out the line's level up to `until`, by which every DSP has driven what it drives.
void ArrayTrace::resolveVote(Cycle until) {
  const auto later = std::stable_partition(drives_.begin(), drives_.end(),
                                           [until](const Drive& d) { return d.cycle < until; });
  std::stable_sort(drives_.begin(), later,
                   [](const Drive& a, const Drive& b) { return a.cycle < b.cycle; });
  const auto rise = [&] {
    set(vote_, risesAt_, 0);
    risesAt_ = c32::kNever;
    low_ = false;
  };
  for (auto drive = drives_.begin(); drive != later; ++drive) {
    const Cycle at = drive->cycle + 1;
    if (!drive->low) {
      if (--pulling_ == 0) risesAt_ = at + rise_;
      continue;
    }
    if (risesAt_ < at) rise();
    risesAt_ = c32::kNever;
    if (++pulling_ == 1 && !low_) set(vote_, at, 1);
    low_ = true;
  }
  drives_.erase(drives_.begin(), later);
  if (risesAt_ != c32::kNever && risesAt_ <= until) rise();
}

// ---- chain

void ArrayTrace::wordSent(std::size_t index, std::uint32_t word, Cycle arrival) {
  if (!running_) return;
  if (arrival > walkEnd_) sent_ = std::min(sent_, arrival);
  Lane& lane = lanes_[index];
  if (!lane.tx) return;
  const std::uint64_t full = std::max(clock_.bitOfCycle(arrival), kLinkBits);
  const std::uint64_t begin = clock_.timeOfBit(full - kLinkBits).value();
  const std::uint64_t end = clock_.timeOfBit(full - kTailBits).value();
  setAt(lane.tx, begin, 1);
  setAt(lane.txWord, begin, word);
  setAt(lane.tx, end, 0);
  setAt(lane.txWord, end, common::kNoValue);
  setAt(lane.txWords, end, ++lane.sent);
}

// ---- ends

void ArrayTrace::failed(const ArrayEngine& engine, const ArrayError& error) {
  resolveVote(error.cycle);
  if (!atBarrier_) arrivals(engine, error.cycle);
  const Lane& lane = lanes_.at(static_cast<std::size_t>(error.lane));
  set(lane.state, error.cycle, static_cast<std::uint64_t>(State::Halt));
  set(lane.pc, error.cycle, error.pc);
  running_ = false;
  drives_.clear();
  risesAt_ = c32::kNever;
  const std::uint64_t end = clock_.timeOf(error.cycle).value();
  board_.failedAt(end);
  std::erase_if(ahead_, [end](const Change& change) { return change.ps > end; });
}

void ArrayTrace::finish(const ArrayEngine& engine) {
  resolveVote(c32::kNever);
  if (running_ && !atBarrier_) {
    if (std::min(received_, sent_) != c32::kNever) setAll(State::Chain, walkEnd_);
    arrivals(engine, c32::kNever);
  }
  for (const Change& change : ahead_) change.signal.set(change.ps, change.value);
  ahead_.clear();
}

}  // namespace rtvp::tigershark
