#include "models/tigershark/array_trace.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace rtvp::tigershark {
namespace {

constexpr unsigned kAddressBits = 24;
constexpr unsigned kWordBits = 32;
/// First bit of a word to the far receiver full, and to the end of its last bit (board.md 3).
constexpr std::uint64_t kLinkBits = 34;
constexpr std::uint64_t kTailBits = 2;
/// The pins are looked at so many cycles before the window: longer than the words that are on a
/// link already then, a bus access or the vote line's rise last.
constexpr Cycle kAhead = 4096;

}  // namespace

ArrayTrace::ArrayTrace(const common::TraceScope& board, const BoardClock& clock,
                       const ArrayConfig& config, Locate locate)
    : board_(board),
      clock_(clock),
      rise_(config.riseCycles),
      locate_(std::move(locate)),
      lanes_(static_cast<std::size_t>(config.lanes)) {
  const common::TraceWindow window = board.window();
  const auto cycleAt = [&](std::uint64_t ps) {
    return clock.cycleAt(sc_core::sc_time::from_value(ps));
  };
  const Cycle from = cycleAt(window.from);
  entersAt_ = from > kAhead + rise_ ? from - kAhead - rise_ : 0;
  if (entersAt_ == 0) phase_ = Phase::Inside;
  if (window.to != common::TraceWindow().to) leavesAt_ = cycleAt(window.to) + 1;
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
  busSymbol_ = bus.text("symbol", "where that is in the program");
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const common::TraceScope dsp = board.module("dsp" + std::to_string(i));
    Lane& lane = lanes_[i];
    lane.state = dsp.state("state", {"reset", "run", "wait", "chain", "halt"},
                           "run: on the shared bus; wait: at the barrier; chain: receives, sends "
                           "or sleeps; halt: stopped with a fault");
    lane.pc = dsp.word("pc", kAddressBits, "where it waited last, or has stopped");
    lane.symbol = dsp.text("symbol", "where pc is in the program");
    lane.idle = dsp.wire("idle", "in IDLE: sleeps until a word or another interrupt comes");
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

void ArrayTrace::reset(const ArrayEngine& engine, Cycle cycle) {
  if (phase_ == Phase::Inside) showSleepers(engine, cycle);
  resolveVote(cycle);
  if (running_ && !atBarrier_ && std::min(received_, sent_) < cycle) {
    setAll(State::Chain, walkEnd_);
  }
  settle(cycle);
  ahead_.clear();
  drives_.clear();
  pulling_ = 0;
  risesAt_ = c32::kNever;
  running_ = low_ = atBarrier_ = waited_ = false;
  setAll(State::Reset, cycle);
  for (const common::TraceSignal* const s : {&vote_, &arrived_, &barrier_, &busRead_, &busWrite_}) {
    set(*s, cycle, 0);
  }
  for (const common::TraceSignal* const s : {&busAddress_, &busData_, &busPc_}) {
    set(*s, cycle, common::kNoValue);
  }
  set(busSymbol_, cycle, 0);
  for (const Lane& lane : lanes_) {
    set(lane.pc, cycle, common::kNoValue);
    set(lane.symbol, cycle, 0);
    set(lane.vote, cycle, 0);
    set(lane.idle, cycle, 0);
    set(lane.tx, cycle, 0);
    set(lane.txWord, cycle, common::kNoValue);
  }
}

void ArrayTrace::start(Cycle cycle) {
  running_ = true;
  setAll(State::Run, cycle);
  walkEnd_ = runSince_ = cycle;
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
  if (phase_ == Phase::Before) return wordsRead(end);
  if (leaveChain(begin)) setAll(State::Run, begin);
  walkEnd_ = end;
  set(write ? busWrite_ : busRead_, begin, 1);
  set(busAddress_, begin, request.address);
  set(busData_, begin, write ? request.data : reply.data);
  set(busPc_, begin, request.pc);
  if (busSymbol_) set(busSymbol_, begin, symbolOf(request.pc));
  set(write ? busWrite_ : busRead_, end, 0);
  set(busAddress_, end, common::kNoValue);
  set(busData_, end, common::kNoValue);
  set(busPc_, end, common::kNoValue);
  set(busSymbol_, end, 0);
}

void ArrayTrace::wordsRead(Cycle end) {
  walkEnd_ = end;
  received_ = sent_ = c32::kNever;
}

/// Texts are few, and locating one takes long.
std::uint64_t ArrayTrace::symbolOf(std::uint32_t pc) {
  const auto [known, added] = symbols_.emplace(pc, 0);
  if (!added || !locate_) return known->second;
  const std::string text = locate_(pc);
  const std::string name = text.substr(0, text.find(' '));
  if (!name.empty()) known->second = board_.numberOf(name);
  return known->second;
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
    if (lanes_[i].symbol) set(lanes_[i].symbol, view.arrival + 1, symbolOf(view.pc));
  }
  if (cycles.empty()) return;
  std::sort(cycles.begin(), cycles.end());
  leaveChain(cycles.front());
  set(barrier_, cycles.front(), 1);
  for (std::size_t i = 0; i < cycles.size(); ++i) set(arrived_, cycles[i], i + 1);
}

void ArrayTrace::barrier(const ArrayEngine& engine) {
  if (!running_) return;
  atBarrier_ = true;
  if (phase_ != Phase::Before) arrivals(engine, c32::kNever);
}

void ArrayTrace::released(const ArrayEngine& engine, Cycle edge) {
  // The host may have held the DSPs into the window.
  if (phase_ == Phase::Before && edge >= entersAt_) enter(engine, edge);
  resolveVote(edge);
  atBarrier_ = false;
  waited_ = true;
  releasedAt_ = runSince_ = edge;
  walkEnd_ = std::max(walkEnd_, edge);
  received_ = sent_ = c32::kNever;
  ++releases_;
  if (phase_ == Phase::Before) return;
  set(barriers_, edge, releases_);
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

void ArrayTrace::slept(std::size_t lane, Cycle from, Cycle to) {
  if (!running_) return;
  set(lanes_[lane].idle, from, 1);
  set(lanes_[lane].idle, to, 0);
}

bool ArrayTrace::wantsSleep() const {
  return std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& l) { return bool(l.idle); });
}

/// Who is in IDLE now, and has been since before `until`.
void ArrayTrace::showSleepers(const ArrayEngine& engine, Cycle until) {
  for (std::size_t i = 0; running_ && i < lanes_.size(); ++i) {
    if (!lanes_[i].idle) continue;
    const LaneView view = engine.lane(static_cast<int>(i));
    if (view.asleep && view.cycle < until) set(lanes_[i].idle, view.cycle, 1);
  }
}

// ---- the window

bool ArrayTrace::proceed(const ArrayEngine& engine, Cycle cycle) {
  if (phase_ == Phase::Before && cycle >= entersAt_) enter(engine, cycle);
  // Words for the chain are collected: DSPs may be far behind the time.
  if (phase_ == Phase::Inside && cycle >= leavesAt_ && engine.nextStart() >= leavesAt_)
    leave(engine, cycle);
  // What the DSPs did since their last access is known when they make the next.
  return phase_ != Phase::After || walkEnd_ < leavesAt_;
}

Cycle ArrayTrace::limit() const {
  switch (phase_) {
    case Phase::Before:
      return entersAt_;
    case Phase::Inside:
      return leavesAt_;
    default:
      return c32::kNever;
  }
}

/// The words that were sent since the latest access, while nobody looked.
void ArrayTrace::noteSent(const ArrayEngine& engine) {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const Cycle last = engine.lane(static_cast<int>(i)).lastSent;
    if (last > walkEnd_) sent_ = std::min(sent_, last);
  }
}

/// Nothing has happened since entersAt_, and what happened before is over when the window begins.
void ArrayTrace::enter(const ArrayEngine& engine, Cycle cycle) {
  phase_ = Phase::Inside;
  if (!running_) return;
  const Cycle at = std::min(cycle, entersAt_);
  setAll(State::Run, runSince_);
  if (waited_) set(barriers_, releasedAt_, releases_);
  pulling_ = 0;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    const LaneView view = engine.lane(static_cast<int>(i));
    if (waited_) {
      set(lane.pc, releasedAt_, view.waitedAt);
      if (lane.symbol) set(lane.symbol, releasedAt_, symbolOf(view.waitedAt));
    }
    pulling_ += view.votes ? 1U : 0U;
    set(lane.vote, at, view.votes ? 1 : 0);
    lane.sent = view.wordsSent;
    set(lane.txWords, at, lane.sent);
  }
  low_ = pulling_ != 0;
  set(vote_, at, low_ ? 1 : 0);
  noteSent(engine);
  showSleepers(engine, cycle);
  if (atBarrier_) arrivals(engine, c32::kNever);
}

void ArrayTrace::leave(const ArrayEngine& engine, Cycle cycle) {
  resolveVote(cycle);
  showSleepers(engine, cycle);
  if (running_ && !atBarrier_) arrivals(engine, cycle);
  settle(cycle);
  ahead_.clear();
  phase_ = Phase::After;
}

// ---- ends

void ArrayTrace::failed(const ArrayEngine& engine, const ArrayError& error) {
  if (phase_ == Phase::Before) enter(engine, error.cycle);
  showSleepers(engine, error.cycle);
  resolveVote(error.cycle);
  if (!atBarrier_) arrivals(engine, error.cycle);
  const Lane& lane = lanes_.at(static_cast<std::size_t>(error.lane));
  set(lane.state, error.cycle, static_cast<std::uint64_t>(State::Halt));
  set(lane.pc, error.cycle, error.pc);
  if (lane.symbol) set(lane.symbol, error.cycle, symbolOf(error.pc));
  set(lane.idle, error.cycle, 0);
  running_ = false;
  drives_.clear();
  risesAt_ = c32::kNever;
  const std::uint64_t end = clock_.timeOf(error.cycle).value();
  board_.failedAt(end);
  std::erase_if(ahead_, [end](const Change& change) { return change.ps > end; });
}

void ArrayTrace::finish(const ArrayEngine& engine) {
  if (phase_ == Phase::Before) enter(engine, entersAt_);
  if (phase_ == Phase::After) noteSent(engine);
  if (phase_ == Phase::Inside) showSleepers(engine, c32::kNever);
  resolveVote(c32::kNever);
  if (running_ && !atBarrier_) {
    if (std::min(received_, sent_) != c32::kNever) setAll(State::Chain, walkEnd_);
    arrivals(engine, c32::kNever);
  }
  for (const Change& change : ahead_) change.signal.set(change.ps, change.value);
  ahead_.clear();
}

}  // namespace rtvp::tigershark
