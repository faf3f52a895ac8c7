// The loop over instructions in their usual case, the shared bus for them, and their decoding.
#include "models/c32/simt/fast.hpp"

#include <algorithm>

#include "models/c32/simt/rounding.hpp"
#include "models/c32/simt/runs.hpp"
#include "models/c32/simt/word_runs.hpp"

namespace rtvp::c32::simt {

// ---- the bus

/// Which shared accesses the fast handlers may make themselves.
void Machine::openBus() {
  const Cpu& first = *cpus_.front();
  busControl_ = first.busControl(Strobe::Strb0);
  busFirst_ = first.placeAt(0).region == Region::External ? 0 : 0x1000;
  busCount_ = busControl_.plain() ? kStrobe0End - busFirst_ : 0;
  fetches_ =
      std::all_of(cpus_.begin(), cpus_.end(), [](const Cpu* cpu) { return cpu->fetchesFromBus(); });
}

void Machine::openWindow() {
  window_ = board_.window();
}

void Machine::closeWindow() {
  if (windowReads_ == 0) return;
  board_.windowRead(windowReads_, windowFetches_, windowLast_);
  windowReads_ = windowFetches_ = 0;
}

/// As busRead for an access behind STRB0 that nothing delays but the bus itself. False: nothing
/// answered, and nothing has happened.
bool Machine::Fast::read(Machine& m, const Group& g, std::uint32_t address, Cycle exec, Cycle& end,
                         std::uint32_t& word) {
  const Cycle wanted = std::max(exec, m.busFree_);
  const Cycle start = std::max(wanted, m.heldUntil_);
  std::uint32_t waitStates = m.window_.waitStates;
  if (address - m.window_.first < m.window_.count) {
    std::memcpy(&word, m.window_.bytes + std::size_t{address - m.window_.first} * 4, 4);
    ++m.windowReads_;
    m.windowLast_ = start;
  } else {
    m.stepReads_ = 0;
    BusRequest request;
    request.address = address;
    request.cycle = start;
    request.pc = g.pc;
    if (!m.ask(request, waitStates, word)) return false;
  }
  Cycle duration = 1 + m.busControl_.waits(waitStates);
  if (m.lastWasRead_ && m.lastStrobe_ == Strobe::Strb0 &&
      m.busControl_.crossesBank(m.lastRead_, address)) {
    duration += m.config_.cpu.bankSwitchCycles;
  }
  m.lastWasRead_ = true;
  m.lastStrobe_ = Strobe::Strb0;
  m.lastRead_ = address;
  m.busFree_ = start + duration;
  if (m.busFree_ > end) m.account(exec, wanted, start, end);
  ++m.reads_;
  return true;
}

// ---- decoding

bool Machine::Fast::modeOf(const OperandSpec& spec, Mode& mode) {
  switch (spec.access) {
    case Access::Register:
      mode = Mode::Register;
      return true;
    case Access::Constant:
      mode = Mode::Constant;
      return true;
    case Access::Direct:
      mode = Mode::Direct;
      return true;
    case Access::Indirect:
      mode = Mode::Indirect;
      return true;
    default:
      return false;
  }
}

void Machine::Fast::decode(const VectorOp& v, FastOp& op) {
  op = {.run = general, .straight = FastOp::kNoRun};
  op.op = &v;
  op.live = !v.flagsDead;
  op.uses = v.m.uses;
  op.marks = static_cast<std::uint8_t>(v.m.writes | v.m.reads);
  op.cond = v.m.cond;
  op.d = v.m.reg;
  op.d2 = v.m.reg2;
  op.aValue = v.m.low.value;
  op.bValue = v.m.high.value;
  op.aStep = static_cast<std::int16_t>(v.m.low.step);
  op.bStep = static_cast<std::int16_t>(v.m.high.step);
  op.shortConstant = isShortValue(v.constant[0]);
  // Registers by their place in Rest; R0-R7 as they are.
  const auto place = [&](const OperandSpec& spec) -> std::uint8_t {
    switch (spec.access) {
      case Access::Direct:
        op.needs |= 1u << (reg::DP - 8);
        return reg::DP - 8;
      case Access::Indirect:
        op.needs |= 1u << (spec.reg - 8u);
        return static_cast<std::uint8_t>(spec.reg - 8u);
      default:
        return spec.reg;
    }
  };
  op.aReg = place(v.m.low);
  op.bReg = place(v.m.high);
  // Whoever reads IOF must sample the pins first: only otherHandler's comparison does.
  if ((v.m.special & kReadsIof) != 0 && v.kind != Kind::Integer) return;
  FastOp::Run run = floatHandler(v, op);
  if (run == nullptr) run = otherHandler(v, op);
  if (run != nullptr) op.run = run;
  op.words = WordRuns::mayBegin(v);
  if (run != nullptr && (op.words || Runs::mayBegin(v.kind))) op.straight = 0;
}

// ---- the loop

/// The smallest program counter ahead of the group's where another group runs.
std::uint32_t Machine::nextOther(const Group& g) const {
  std::uint32_t limit = ~0u;
  if (alone()) return limit;
  for (const auto& other : groups_) {
    if (!other->parked && other->pc > g.pc) limit = std::min(limit, other->pc);
  }
  return limit;
}

/// The decoded word there; the last one, which is not any, for a place outside the internal RAM.
const Machine::FastOp* Machine::at(std::uint32_t pc) const {
  return &fast_[std::min(pc - kRamBase, kRamWords)];
}

/// A run has begun here and is over (runs.hpp, word_runs.hpp).
[[gnu::always_inline]] inline bool Machine::startsRun(Group& g, const FastOp& op, Since& since) {
  if (op.straight == FastOp::kNoRun || !(op.words ? g.delaySlots == 0 : Runs::mayBeginAt(g))) {
    since = {};
    return false;
  }
  if (!since.due(op.words)) return false;
  FastOp& here = fast_[g.pc - kRamBase];
  if (op.words ? !wordRuns_->execute(g, here) : !runs_->execute(g, here)) return false;
  since = {};
  return true;
}

/// Instructions of the group in their usual case. General: the one that stands next is not; Next:
/// another group has to be looked at.
template <bool Accounted>
Machine::Did Machine::fastRow(Group& g) {
  if (g.repeat) return Did::General;
  busOpen_ = alone() && !arrived_ && !anyLate_;
  const Cycle most = static_cast<Cycle>(lateBound_);
  const Cycle end = horizon_ > most ? horizon_ - most : 0;
  const std::uint32_t limit = nextOther(g);
  rowEnd_ = end;
  rowLimit_ = limit;
  const std::uint32_t lanes = g.active.lanes;
  const std::uint64_t before = g.instructions;
  Since since;
  const bool runs = !Accounted && runs_ != nullptr && g.active.full;
  const FastOp* op = at(g.pc);
  Did did = Did::General;
  while (g.cycle < end && ((g.rest.dual | g.rest.opaque) & op->needs) == 0) {
    if (runs && startsRun(g, *op, since)) {
      op = at(g.pc);
      if (g.pc >= limit) {
        did = Did::Next;
        break;
      }
      continue;
    }
    Cycle exec = g.cycle;
    Cycle waited = 0;
    if (g.lastReady > exec && op->uses != 0) [[unlikely]] {
      for (unsigned i = 0; i < 3; ++i) {
        if ((op->uses >> i & 1u) != 0) exec = std::max(exec, g.ready[i]);
      }
      waited = exec - g.cycle;
    }
    const Cycle start = g.cycle;
    const std::uint64_t ramConflict = g.ramConflict;
    // An account is kept by instruction.
    const FastOp::Run handler = Accounted && op->single != nullptr ? op->single : op->run;
    const std::uint32_t next = handler(*this, g, *op, exec);
    if (next >= Fast::kBack) {
      if (next == Fast::kBack) did = Did::HandBack;
      break;
    }
    if constexpr (Accounted) charge(g, g.cycle - start, waited, g.ramConflict - ramConflict);
    ++g.instructions;
    if (waited != 0) [[unlikely]]
      g.conflict += waited;
    if (op->marks != 0) [[unlikely]]
      mark(g, op->op->m, exec);
    ++op;
    if (g.delaySlots != 0 || next != g.pc + 1) {
      const std::size_t groups = groups_.size();
      if (g.delaySlots != 0) {
        endDelay(g, next);
        if (groups_.size() != groups) {
          did = Did::Split;
          break;
        }
      } else {
        g.pc = next;
      }
      op = at(g.pc);
      since = {};
    } else {
      g.pc = next;
    }
    if (g.pc >= limit) {
      did = Did::Next;
      break;
    }
  }
  const std::uint64_t issues = g.instructions - before;
  counters_.issues += issues;
  counters_.instructions += issues * lanes;
  return did;
}

template Machine::Did Machine::fastRow<false>(Group& g);
template Machine::Did Machine::fastRow<true>(Group& g);

}  // namespace rtvp::c32::simt
