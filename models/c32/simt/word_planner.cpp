// Which instructions make a run of words, and what they do to registers, memory and time
// (word_runs.hpp).
#include <algorithm>
#include <bit>

#include "models/c32/simt/outside.hpp"
#include "models/c32/simt/word_runs.hpp"

namespace rtvp::c32::simt {
namespace {

constexpr unsigned kDp = reg::DP - 8;
constexpr unsigned kSp = reg::SP - 8;
constexpr std::uint32_t kWordMost = 0x7FFFFFFF;  ///< of a word that is not negative

/// Registers beside R0-R7 whose value is all there is to them.
bool isPlainRest(unsigned r) {
  const unsigned n = r + 8;
  return (n >= reg::AR0 && n <= reg::AR0 + 7) || n == reg::IR0 || n == reg::IR1 || n == reg::RS ||
         n == reg::RE || n == reg::RC;
}

WordPlan::Do whatOf(const VectorOp& v) {
  using Do = WordPlan::Do;
  if (v.copy) return Do::Copy;
  if (v.bitwise == &Kernels::bitAnd) return Do::And;
  if (v.bitwise == &Kernels::bitAndn) return Do::Andn;
  if (v.bitwise == &Kernels::bitOr) return Do::Or;
  if (v.bitwise == &Kernels::bitXor) return Do::Xor;
  if (v.arithmetic == &Kernels::addWords) return Do::Add;
  if (v.arithmetic == &Kernels::subtractWords) return Do::Subtract;
  if (v.arithmetic == &Kernels::multiplyWords) return Do::Multiply;
  if (v.arithmetic == &Kernels::shiftWords) return Do::Shift;
  return Do::ShiftSigned;
}

}  // namespace

bool Machine::WordRuns::Planner::make(WordPlan& plan) {
  s_.pc = s_.plan.least = s_.plan.most = g_.pc;
  while (s_.plan.length < WordPlan::kLongest) {
    const State before = s_;
    const FastOp* const op = at(s_.pc);
    if (op == nullptr || op->op == nullptr || op->run == Fast::general || op->aStep != 0 ||
        op->bStep != 0 || !add(*op)) {
      s_ = before;
      break;
    }
    ++s_.plan.length;
  }
  return s_.plan.steps.size() >= kLeastSteps && close(plan);
}

/// The instruction there; null: the run cannot go there.
const Machine::FastOp* Machine::WordRuns::Planner::at(std::uint32_t pc) {
  if (isInside(g_.pc)) return isInside(pc) ? &m_.fast_[pc - kRamBase] : nullptr;
  if (pc - m_.busFirst_ >= m_.busCount_) return nullptr;
  const std::uint32_t index = pc - m_.window_.first;
  const OutsidePlace* const place = m_.outside_->ifThere(m_, index);
  if (place == nullptr) return nullptr;
  if (place->farFlags && (!farFlagsDead(g_) || !guard(kDp, 0xFF))) return nullptr;
  const std::uint32_t number = Outside::pageOf(index);
  const bool known = std::any_of(s_.plan.pages.begin(), s_.plan.pages.end(),
                                 [&](const WordPlan::Page& p) { return p.number == number; });
  if (!known) s_.plan.pages.push_back({number, m_.outside_->version(m_, number)});
  return &place->fast;
}

/// Its time and place besides.
bool Machine::WordRuns::Planner::add(const FastOp& op) {
  WordPlan& p = s_.plan;
  const std::uint32_t pc = s_.pc;
  const Cycle fetched = p.cycles;
  Cycle exec = fetched;
  for (unsigned i = 0; i < 3; ++i) {
    if ((op.uses >> i & 1u) != 0) exec = std::max(exec, p.ready[i]);
  }
  bool done = false;
  Cycle cycles = kBranchCycles;
  switch (op.op->kind) {
    case Kind::Call:
      done = addCall(op);
      break;
    case Kind::Return:
      done = addReturn(op);
      break;
    case Kind::StoreWord:
    case Kind::Integer:
      cycles = 1;
      done = op.op->kind == Kind::Integer ? addInteger(op) : addStore(op);
      ++s_.pc;
      break;
    default:
      break;
  }
  if (!done) return false;
  p.extra += cycles - 1;
  p.conflict += exec - fetched;
  p.cycles = exec + cycles;
  p.lastAt = fetched;
  p.last = pc;
  p.least = std::min(p.least, pc);
  p.most = std::max(p.most, pc);
  if (op.marks != 0) mark(op, exec);
  return true;
}

/// As Machine::mark.
void Machine::WordRuns::Planner::mark(const FastOp& op, Cycle exec) {
  for (unsigned i = 0; i < 3; ++i) {
    Cycle& ready = s_.plan.ready[i];
    if ((op.op->m.writes >> i & 1u) != 0) {
      ready = std::max(ready, exec + kAddressWriteLatency);
    } else if ((op.op->m.reads >> i & 1u) != 0) {
      ready = std::max(ready, exec + 1 + m_.config_.cpu.arReadStall);
    }
  }
}

// ---- instructions

bool Machine::WordRuns::Planner::addInteger(const FastOp& op) {
  const VectorOp& v = *op.op;
  const bool covered = v.copy || v.bitwise != nullptr || v.arithmetic != nullptr;
  if (!covered || v.compare || v.usesCarry) return false;
  if (v.m.reg >= 8 && !isPlainRest(v.m.reg - 8u)) return false;
  if (op.aPlace == Where::Indirect && v.copy && v.m.reg < 8) {
    const Known& r = s_.rest[op.aReg];
    const bool spread = ((g_.rest.spread & g_.rest.opaque) >> op.aReg & 1u) != 0;
    if (r.value.place == Place::Spread || (!r.written && spread)) return addLookUp(op);
  }
  Value a;
  Value b;
  if (!operand(op.aPlace, op.aReg, op.aValue, a)) return false;
  if (!operand(op.bPlace, op.bReg, op.bValue, b)) return false;
  const auto isMemory = [](Where w) { return w == Where::Indirect || w == Where::Direct; };
  if (isMemory(op.aPlace) && isMemory(op.bPlace)) return false;
  if (!v.binary && !v.copy && !constant(v.fixedB, b)) return false;
  return compute(op, b, a);
}

bool Machine::WordRuns::Planner::addLookUp(const FastOp& op) {
  WordPlan::Step s{.what = Do::LookUp};
  Value base;
  Value mask;
  Value place;
  if (!readRest(op.aReg, s.a) || s.a.place == Place::Slot) return false;
  if (!constant(static_cast<std::uint32_t>(op.aValue), s.b)) return false;
  if (!constant(kRamBase, base) || !constant(kAddressMask, mask)) return false;
  if (!constant(kRamWords - 1, place)) return false;
  s_.plan.ramBase = base.index;
  s_.plan.addressMask = mask.index;
  s_.plan.ramMask = place.index;
  s_.plan.looksUp = s_.plan.checks = true;
  return addStep(op, s);
}

bool Machine::WordRuns::Planner::addStore(const FastOp& op) {
  Value v;
  std::uint32_t offset = 0;
  return operand(op.bPlace, op.bReg, 0, v) && address(op.aPlace, op.aReg, op.aValue, offset) &&
         storeTo(offset, v);
}

bool Machine::WordRuns::Planner::addCall(const FastOp& op) {
  std::uint32_t offset = 0;
  Value back;
  if (!guard(kSp, kAddressMask)) return false;
  ++s_.plan.stack;
  const std::uint32_t sp = g_.rest.x[kSp] + static_cast<std::uint32_t>(s_.plan.stack);
  if (!m_.stackWord(g_, sp, offset)) return false;
  if (!constant((s_.pc + 1) & kAddressMask, back) || !storeTo(offset, back)) return false;
  s_.pc = static_cast<std::uint32_t>(op.aValue) & kAddressMask;
  return true;
}

/// To where a CALL of this run came from.
bool Machine::WordRuns::Planner::addReturn(const FastOp& op) {
  std::uint32_t offset = 0;
  if (static_cast<Cond>(op.cond) != Cond::U || !guard(kSp, kAddressMask)) return false;
  const std::uint32_t sp = g_.rest.x[kSp] + static_cast<std::uint32_t>(s_.plan.stack);
  if (!m_.stackWord(g_, sp, offset)) return false;
  const auto w = std::find_if(s_.words.begin(), s_.words.end(),
                              [&](const Word& x) { return x.offset == offset; });
  if (w == s_.words.end() || !w->known.value.known) return false;
  --s_.plan.stack;
  s_.pc = w->known.value.bits & kAddressMask;
  return true;
}

// ---- values

bool Machine::WordRuns::Planner::newSlot(std::uint8_t& slot) {
  if (s_.slots == WordPlan::kSlots) return false;
  slot = static_cast<std::uint8_t>(s_.slots++);
  return true;
}

bool Machine::WordRuns::Planner::constant(std::uint32_t bits, Value& v) {
  v = {.place = Place::Slot, .known = true, .bits = bits, .most = bits};
  for (const WordPlan::Immediate& i : s_.plan.values) {
    if (i.value != bits) continue;
    v.index = i.slot;
    return true;
  }
  if (!newSlot(v.index)) return false;
  s_.plan.values.push_back({v.index, bits});
  return true;
}

bool Machine::WordRuns::Planner::row(WordPlan::Input in, Row& row, Value& v) {
  in.row = &row;
  in.uniform = row.readM(g_.active).stride == 0;
  if (in.uniform) {
    if (!newSlot(in.to)) return false;
    v = {.place = Place::Slot, .index = in.to};
  } else {
    if (s_.rows == WordPlan::kInputs) return false;
    in.to = static_cast<std::uint8_t>(s_.rows++);
    v = {.place = Place::Input, .index = in.to};
  }
  s_.plan.inputs.push_back(in);
  return true;
}

bool Machine::WordRuns::Planner::readRegister(unsigned r, Value& v) {
  Value& known = s_.registers[r].value;
  if (known.place == Place::None &&
      !row({.from = From::Register, .index = static_cast<std::uint16_t>(r)}, *m_.registers_[r],
           known)) {
    return false;
  }
  v = known;
  return true;
}

bool Machine::WordRuns::Planner::readRest(unsigned r, Value& v) {
  Value& known = s_.rest[r].value;
  const auto index = static_cast<std::uint16_t>(r);
  const std::uint32_t bit = 1u << r;
  if (known.place == Place::None && !isPlainRest(r)) return false;
  if (known.place == Place::None && (g_.rest.opaque & g_.rest.spread & bit) != 0) {
    if (m_.spread_[r]->readM(g_.active).stride == 0) return false;
    s_.plan.spreads |= bit;
    if (!row({.from = From::Rest, .index = index}, *m_.spread_[r], known)) return false;
  } else if (known.place == Place::None) {
    if (((g_.rest.dual | g_.rest.opaque) & bit) != 0) return false;
    s_.plan.needs |= bit;
    WordPlan::Input in{.from = From::Rest, .index = index, .uniform = true};
    if (!newSlot(in.to)) return false;
    s_.plan.inputs.push_back(in);
    known = {.place = Place::Slot, .index = in.to};
  }
  v = known;
  return true;
}

bool Machine::WordRuns::Planner::readWord(std::uint32_t offset, Value& v) {
  for (const Word& w : s_.words) {
    if (w.offset != offset) continue;
    v = w.known.value;
    return true;
  }
  Word w{.offset = offset};
  if (!row({.from = From::Ram, .index = static_cast<std::uint16_t>(offset)}, m_.ramRow(offset),
           w.known.value)) {
    return false;
  }
  v = w.known.value;
  s_.words.push_back(w);
  return true;
}

/// What comes depends on these bits of a register that the run does not write before.
bool Machine::WordRuns::Planner::guard(unsigned reg, std::uint32_t mask) {
  const std::uint32_t bit = 1u << reg;
  if (((g_.rest.dual | g_.rest.opaque) & bit) != 0 || s_.rest[reg].written) return false;
  s_.plan.needs |= bit;
  for (WordPlan::Guard& x : s_.plan.guards) {
    if (x.reg != reg) continue;
    x.mask |= mask;
    x.value = g_.rest.x[reg] & x.mask;
    return true;
  }
  s_.plan.guards.push_back({static_cast<std::uint8_t>(reg), mask, g_.rest.x[reg] & mask});
  return true;
}

bool Machine::WordRuns::Planner::address(Where place, unsigned reg, std::int32_t value,
                                         std::uint32_t& offset) {
  const std::uint32_t x = g_.rest.x[reg];
  const auto by = static_cast<std::uint32_t>(value);
  const bool direct = place == Where::Direct;
  if (!guard(reg, direct ? 0xFFu : kAddressMask)) return false;
  offset = (direct ? ((x & 0xFFu) << 16 | by) : (x + by) & kAddressMask) - kRamBase;
  return offset < kRamWords;
}

bool Machine::WordRuns::Planner::operand(Where place, unsigned reg, std::int32_t value, Value& v) {
  std::uint32_t offset = 0;
  switch (place) {
    case Where::None:
      return true;
    case Where::Constant:
      return constant(static_cast<std::uint32_t>(value), v);
    case Where::Extended:
      return readRegister(reg, v);
    case Where::Rest:
      return readRest(reg, v);
    default:
      return address(place, reg, value, offset) && readWord(offset, v);
  }
}

// ---- results

bool Machine::WordRuns::Planner::compute(const FastOp& op, const Value& b, const Value& a) {
  const VectorOp& v = *op.op;
  if (a.place == Place::Slot && (b.place == Place::Slot || b.place == Place::None)) {
    return computeShared(op, b, a);
  }
  if (v.m.reg >= 8 && !v.copy) return false;
  WordPlan::Step s{.what = whatOf(v), .b = v.swapped ? a : b, .a = v.swapped ? b : a};
  s.swapped = v.swapped;
  if (s.what == Do::ShiftSigned && !s.a.known) return false;
  bound(s);
  s_.plan.checks = s_.plan.checks || s.checks;
  return addStep(op, s);
}

bool Machine::WordRuns::Planner::computeShared(const FastOp& op, const Value& b, const Value& a) {
  const VectorOp& v = *op.op;
  WordPlan::Shared s{.b = b.place == Place::None ? a.index : b.index,
                     .a = a.index,
                     .flags = !v.quiet,
                     .one = v.integer};
  if (!newSlot(s.slot)) return false;
  Value result{.place = Place::Slot, .index = s.slot};
  if (a.known && (b.known || b.place == Place::None)) {
    result.known = true;
    result.bits = result.most = v.integer(b.bits, a.bits, 0).value;
  }
  const std::size_t number = s_.plan.shared.size();
  s_.plan.shared.push_back(s);
  Known& to = v.m.reg < 8 ? s_.registers[v.m.reg] : s_.rest[v.m.reg - 8u];
  to = {true, result};
  if (v.quiet) return true;
  setFlags(op);
  s_.plan.flagsAfter = WordPlan::After::Slot;
  s_.plan.flagsShared = static_cast<std::uint8_t>(number);
  if ((v.flagMask & kC) == 0) return true;
  if (s_.carrier != kNobody) s_.plan.steps[s_.carrier].carries = false;
  s_.carrier = kNobody;
  s_.plan.carryAfter = WordPlan::After::Slot;
  s_.plan.carryShared = static_cast<std::uint8_t>(number);
  return true;
}

void Machine::WordRuns::Planner::setFlags(const FastOp& op) {
  s_.plan.replacesFlags = true;
  s_.flagsLive = op.live;
  for (WordPlan::Step& s : s_.plan.steps) s.lastFlags = false;
}

/// To R0-R7, or a register beside them.
bool Machine::WordRuns::Planner::addStep(const FastOp& op, WordPlan::Step s) {
  const VectorOp& v = *op.op;
  s.one = v.integer;
  s.flags = !v.quiet;
  Value d{.place = Place::Register, .index = v.m.reg, .most = s.d.most};
  if (v.m.reg >= 8) {
    const Known& old = s_.rest[v.m.reg - 8u];
    d.place = Place::Spread;
    if (old.value.place == Place::Spread) {
      d.index = old.value.index;
    } else {
      if (s_.spread == WordPlan::kSpread) return false;
      d.index = static_cast<std::uint8_t>(s_.spread++);
    }
  }
  s.d = d;
  (v.m.reg < 8 ? s_.registers[v.m.reg] : s_.rest[v.m.reg - 8u]) = {true, d};
  const std::size_t number = s_.plan.steps.size();
  if (s.flags) {
    setFlags(op);
    s.lastFlags = true;
    s_.plan.flagsAfter = WordPlan::After::Row;
    s_.plan.flagsRow = v.m.reg;
    if ((v.flagMask & kC) != 0) {
      if (s_.carrier != kNobody) s_.plan.steps[s_.carrier].carries = false;
      s_.carrier = number;
      s.carries = true;
      s_.plan.carryAfter = WordPlan::After::Row;
    }
  }
  s_.plan.steps.push_back(s);
  return true;
}

bool Machine::WordRuns::Planner::storeTo(std::uint32_t offset, const Value& v) {
  if (!Fast::mayFill(m_, g_, offset)) return false;
  auto w = std::find_if(s_.words.begin(), s_.words.end(),
                        [&](const Word& x) { return x.offset == offset; });
  if (w == s_.words.end()) {
    s_.words.push_back({.offset = offset});
    w = s_.words.end() - 1;
  }
  w->known.written = true;
  if (v.place == Place::Slot) {
    w->known.value = v;
    return true;
  }
  if (w->output == kNoOutput) {
    if (s_.outputs == WordPlan::kOutputs) return false;
    w->output = static_cast<std::uint8_t>(s_.outputs++);
  }
  const Value d{.place = Place::Output, .index = w->output, .most = v.most};
  s_.plan.steps.push_back({.what = Do::Copy, .d = d, .a = v});
  w->known.value = d;
  return true;
}

/// Whether an overflow is possible, and how large the result can be.
void Machine::WordRuns::Planner::bound(WordPlan::Step& s) {
  const std::uint64_t a = s.a.most;
  const std::uint64_t b = s.b.most;
  const auto cut = [](std::uint32_t x) { return std::abs(static_cast<std::int32_t>(x << 8) >> 8); };
  std::uint64_t most = ~0U;
  switch (s.what) {
    case Do::Copy:
      most = a;
      break;
    case Do::And:
      most = std::min(a, b);
      break;
    case Do::Andn:
      most = b;
      break;
    case Do::Or:
    case Do::Xor:
      most = std::bit_ceil((a | b) + 1) - 1;
      break;
    case Do::Add:
      s.checks = a + b > kWordMost;
      if (!s.checks) most = a + b;
      break;
    case Do::Subtract:
      s.checks = a > kWordMost || b > kWordMost;
      break;
    case Do::Multiply: {
      const std::uint64_t x = s.a.known ? static_cast<std::uint64_t>(cut(s.a.bits)) : a;
      const std::uint64_t y = s.b.known ? static_cast<std::uint64_t>(cut(s.b.bits)) : b;
      const bool fits = (s.a.known || a < 0x800000) && (s.b.known || b < 0x800000);
      s.checks = !fits || x * y > kWordMost;
      if (!s.checks && a < 0x800000 && b < 0x800000) most = a * b;
      break;
    }
    default:
      return boundShift(s);
  }
  s.d.most = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, ~0U));
}

void Machine::WordRuns::Planner::boundShift(WordPlan::Step& s) {
  if (!s.a.known) return;
  const int n = shiftCount(s.a.bits);
  const std::uint64_t b = s.b.most;
  std::uint64_t most = ~0U;
  if (n > 0 && n < 32) {
    most = b << n;
  } else if (n <= 0 && (s.what == Do::Shift || b <= kWordMost)) {
    most = n > -32 ? b >> -n : 0;
  }
  s.checks = s.what == Do::ShiftSigned && n > 0 && (n > 31 || most > kWordMost);
  s.d.most = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, ~0U));
}

// ---- the whole

bool Machine::WordRuns::Planner::close(WordPlan& plan) {
  WordPlan& p = s_.plan;
  p.end = s_.pc;
  const FastOp* const next = at(p.end);
  const bool dead = next != nullptr && next->op != nullptr && Fast::replacesFlags(next->op);
  if ((dead || !s_.flagsLive) && p.flagsAfter == WordPlan::After::Row) {
    p.flagsAfter = WordPlan::After::Same;
  }
  if (!closeOutputs()) return false;
  p.outputCount = s_.outputs;
  plan = std::move(p);
  return true;
}

bool Machine::WordRuns::Planner::closeOutputs() {
  WordPlan& p = s_.plan;
  const auto put = [&](const Known& k, WordPlan::Output out, std::uint8_t number) {
    if (!k.written) return true;
    out.uniform = k.value.place == Place::Slot;
    out.from = out.uniform ? k.value.index : number;
    if (!out.uniform && number == kNoOutput) {
      if (s_.outputs == WordPlan::kOutputs) return false;
      out.from = static_cast<std::uint8_t>(s_.outputs++);
      out.held = static_cast<std::uint8_t>(
          k.value.index + (k.value.place == Place::Spread ? WordPlan::kSpreadAt : 0));
    }
    p.outputs.push_back(out);
    return true;
  };
  for (const Word& w : s_.words) {
    if (!put(w.known,
             {.to = From::Ram,
              .index = static_cast<std::uint16_t>(w.offset),
              .row = &m_.rowOf(w.offset)},
             w.output)) {
      return false;
    }
  }
  for (std::uint16_t r = 0; r < 8; ++r) {
    if (!put(s_.registers[r], {.to = From::Register, .index = r, .row = m_.registers_[r]},
             kNoOutput)) {
      return false;
    }
  }
  for (std::uint16_t r = 0; r < kRest; ++r) {
    if (!put(s_.rest[r], {.to = From::Rest, .index = r}, kNoOutput)) return false;
  }
  return true;
}

}  // namespace rtvp::c32::simt
