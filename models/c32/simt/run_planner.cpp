// Which instructions make a run, and what they do to registers, memory and time (runs.hpp).
#include <algorithm>
#include <bit>

#include "models/c32/simt/outside.hpp"
#include "models/c32/simt/runs.hpp"

namespace rtvp::c32::simt {
namespace {

/// A run must save more than it costs to look whether it may happen.
constexpr std::size_t kLeastSteps = 5;

/// Host instructions a vector, about: with so many in a part a host holds several vectors of it at
/// once.
constexpr unsigned kPartCost = 100;
unsigned costOf(RunPlan::Do what) {
  switch (what) {
    case RunPlan::Do::Add:
    case RunPlan::Do::Subtract:
      return 20;
    case RunPlan::Do::Multiply:
    case RunPlan::Do::Round:
      return 12;
    case RunPlan::Do::Move:
    case RunPlan::Do::Select:
      return 2;
    default:
      return 5;
  }
}

}  // namespace

bool Machine::Runs::Planner::make(RunPlan& plan) {
  s_.pc = g_.pc;
  s_.plan.before = {g_.delaySlots, g_.taken == Taken::All, g_.delayTarget};
  s_.plan.after = s_.plan.before;
  s_.plan.branches = g_.delaySlots != 0;
  for (unsigned r = 0; r < kRest; ++r) {
    s_.addresses[r].reg = static_cast<std::uint8_t>(r);
    s_.addresses[r].value = g_.rest.x[r];
  }
  while (s_.plan.length < RunPlan::kLongest) {
    const State before = s_;
    const FastOp* const op = next();
    if (op == nullptr || op->op == nullptr || op->marks != 0 || !add(*op)) {
      s_ = before;
      break;
    }
    s_.plan.needs |= op->needs;
    ++s_.plan.length;
    advance();
  }
  if (s_.plan.steps.size() < kLeastSteps ||
      ((g_.rest.dual | g_.rest.opaque) & s_.plan.needs) != 0) {
    return false;
  }
  close(plan);
  return true;
}

/// The instruction at `pc`; null: the run cannot go there.
const Machine::FastOp* Machine::Runs::Planner::next() {
  if (isInside(g_.pc)) return isInside(s_.pc) ? &m_.fast_[s_.pc - kRamBase] : nullptr;
  if (s_.pc - m_.busFirst_ >= m_.busCount_) return nullptr;
  const OutsidePlace* const place =
      m_.outside_->inPage(m_, g_.pc - m_.window_.first, s_.pc - m_.window_.first);
  if (place == nullptr) return nullptr;
  if (place->farFlags) {
    if (!farFlagsDead(g_)) return nullptr;
    s_.addresses[reg::DP - 8].page = true;
    s_.plan.needs |= 1u << (reg::DP - 8);
  }
  return &place->fast;
}

void Machine::Runs::Planner::advance() {
  RunPlan::Delay& delay = s_.plan.after;
  ++s_.pc;
  if (delay.slots == 0 || --delay.slots != 0 || !delay.taken) return;
  s_.pc = delay.target;
}

bool Machine::Runs::Planner::add(const FastOp& op) {
  if (op.run == Fast::general) return false;
  switch (op.op->kind) {
    case Kind::Float:
      return addFloat(op);
    case Kind::FloatIf:
      return addIf(op);
    case Kind::StoreFloat:
      return addStore(op);
    case Kind::FloatAndStore:
      return addAndStore(op);
    case Kind::MultiplyAdd:
      return addPair(op);
    case Kind::Nop:
      return addNop(op);
    case Kind::Integer:
      return op.op->compare ? addTest(op) : addConstant(op);
    case Kind::BranchLater:
      return addBranch(op);
    default:
      return false;
  }
}

// ---- instructions

bool Machine::Runs::Planner::addFloat(const FastOp& op) {
  const VectorOp& v = *op.op;
  Mode a{};
  Mode b = Mode::Register;
  const bool round = v.floatOp == FloatOp::Round;
  if (!Fast::modeOf(v.m.low, a)) return false;
  if (v.floatOp == FloatOp::Load) return addLoad(op, a);
  Operand oa;
  Operand ob;
  begin();
  if (!operand(op, a, op.aReg, op.aValue, false, oa)) return false;
  // RND with flags looks at those before.
  if (round && live(op) && (oa.value.place == Place::Slot || !flagRow())) return false;
  if (!v.binary) {
    if (a == Mode::Indirect) move(op.aReg, s_.addresses[op.aReg].step + op.aStep);
    const Do what = round ? Do::Round : v.floatOp == FloatOp::Neg ? Do::Negate : Do::Absolute;
    return computeOne(what, op.d, oa.value, live(op), round);
  }
  if (v.threeOperand && !Fast::modeOf(v.m.high, b)) return false;
  if (!operand(op, b, op.bReg, op.bValue, false, ob) || (oa.bus && ob.bus)) return false;
  if (oa.memory && ob.memory) meet(oa.address, ob.address);
  const std::int32_t fromA = s_.addresses[op.aReg].step;
  const std::int32_t fromB = s_.addresses[op.bReg].step;
  if (a == Mode::Indirect && op.aStep != 0) move(op.aReg, fromA + op.aStep);
  if (b == Mode::Indirect && op.bStep != 0) move(op.bReg, fromB + op.bStep);
  const bool reverse = v.floatOp == FloatOp::SubReverse;
  const Value& left = reverse ? oa.value : ob.value;
  const Value& right = reverse ? ob.value : oa.value;
  const Do what = v.compare                        ? Do::Compare
                  : v.floatOp == FloatOp::Add      ? Do::Add
                  : v.floatOp == FloatOp::Multiply ? Do::Multiply
                                                   : Do::Subtract;
  return compute(what, v.compare ? RunPlan::kFlags : op.d, left, right, live(op));
}

bool Machine::Runs::Planner::addLoad(const FastOp& op, Mode mode) {
  Operand a;
  begin();
  if (!operand(op, mode, op.aReg, op.aValue, true, a)) return false;
  if (mode == Mode::Indirect) move(op.aReg, s_.addresses[op.aReg].step + op.aStep);
  // The flags of a word from the bus are set whether somebody looks or not.
  place(op.d, a.value, live(op) || a.bus);
  return true;
}

/// Somebody looks at the flags: they differ from lane to lane.
bool Machine::Runs::Planner::flagRow() {
  if (s_.flags != Flags::Before) return s_.flags == Flags::Row;
  s_.plan.readsFlags = s_.plan.readsFlags || !g_.flagsUniform;
  return !g_.flagsUniform;
}

bool Machine::Runs::Planner::addIf(const FastOp& op) {
  Mode mode{};
  Operand a;
  if (!Fast::modeOf(op.op->m.low, mode)) return false;
  if (!operand(op, mode, op.aReg, op.aValue, false, a) || a.bus) return false;
  if (mode == Mode::Indirect) move(op.aReg, s_.addresses[op.aReg].step + op.aStep);
  if (op.cond == kNzConds) {
    place(op.d, a.value, false);
    return true;
  }
  if (!flagRow()) return false;
  Value old;
  if (!readRegister(op.d, old)) return false;
  const bool isShort = old.isShort && a.value.isShort;
  // What is chosen among has a value a lane.
  if (old.place == Place::Slot) {
    s_.plan.steps.push_back({.what = Do::Move, .d = op.d, .a = old});
  }
  s_.plan.steps.push_back(
      {.what = Do::Select, .d = op.d, .cond = static_cast<NzCond>(op.cond), .a = a.value});
  s_.registers[op.d] = {true, true, {Place::Register, op.d, isShort}};
  return true;
}

bool Machine::Runs::Planner::addStore(const FastOp& op) {
  Mode mode{};
  if (!Fast::modeOf(op.op->m.low, mode) || !Fast::isMemory(mode)) return false;
  const std::uint32_t to = address(mode, op.aReg, op.aValue);
  if (!fix(mode, op.aReg)) return false;
  if (mode == Mode::Indirect) move(op.aReg, s_.addresses[op.aReg].step + op.aStep);
  return store(op.d, to - kRamBase);
}

/// The store reads the old register, the load the old word.
bool Machine::Runs::Planner::addAndStore(const FastOp& op) {
  const VectorOp& v = *op.op;
  Mode mode{};
  if (!Fast::modeOf(v.m.low, mode)) return false;
  const std::uint32_t to = address(Mode::Indirect, op.bReg, op.bValue);
  if (!fix(Mode::Indirect, op.bReg)) return false;
  Operand memory;
  Value other;
  if (!v.quiet) begin();
  const bool load = v.floatOp == FloatOp::Load;
  if (!operand(op, mode, op.aReg, op.aValue, false, memory) || (memory.bus && load)) return false;
  if (v.binary && !readRegister(v.m.reg3, other)) return false;
  const bool storeFirst = op.d == op.d2;
  if (storeFirst && memory.memory && memory.address == to) return false;
  if (memory.memory) meet(to, memory.address);
  const std::int32_t from = mode == Mode::Indirect ? s_.addresses[op.aReg].step : 0;
  if (op.bStep != 0) move(op.bReg, s_.addresses[op.bReg].step + op.bStep);
  if (mode == Mode::Indirect && op.aStep != 0) move(op.aReg, from + op.aStep);
  if (storeFirst && !store(op.d2, to - kRamBase)) return false;
  const bool flags = !v.quiet && live(op);
  if (v.binary) {
    const Value& b = v.registerFirst ? memory.value : other;
    const Value& a = v.registerFirst ? other : memory.value;
    const Do what = v.floatOp == FloatOp::Add        ? Do::Add
                    : v.floatOp == FloatOp::Multiply ? Do::Multiply
                                                     : Do::Subtract;
    if (!compute(what, op.d, b, a, flags)) return false;
  } else if (load) {
    place(op.d, memory.value, flags);
  } else {
    const Do what = v.floatOp == FloatOp::Neg ? Do::Negate : Do::Absolute;
    if (!computeOne(what, op.d, memory.value, flags)) return false;
  }
  return storeFirst || store(op.d2, to - kRamBase);
}

/// MPYF3 with ADDF3 or SUBF3: all sources are read before a result is written.
bool Machine::Runs::Planner::addPair(const FastOp& op) {
  const VectorOp& v = *op.op;
  Mode a{};
  Mode b{};
  if (v.entangled || !Fast::modeOf(v.m.low, a) || !Fast::modeOf(v.m.high, b)) return false;
  Operand o[4];
  begin();
  if (!operand(op, a, op.aReg, op.aValue, false, o[0])) return false;
  if (!operand(op, b, op.bReg, op.bValue, false, o[1])) return false;
  if (!readRegister(v.m.reg3, o[2].value) || !readRegister(v.m.reg4, o[3].value)) return false;
  if (o[0].bus && o[1].bus) return false;
  if (o[0].memory && o[1].memory) meet(o[0].address, o[1].address);
  const std::int32_t fromA = s_.addresses[op.aReg].step;
  const std::int32_t fromB = s_.addresses[op.bReg].step;
  if (a == Mode::Indirect && op.aStep != 0) move(op.aReg, fromA + op.aStep);
  if (b == Mode::Indirect && op.bStep != 0) move(op.bReg, fromB + op.bStep);
  const PairHalf product = kPairProduct[v.p];
  const PairHalf sum = kPairSum[v.p];
  const Do what = v.sumFn[0] == m_.k_.subf[m_.policy_] ? Do::Subtract : Do::Add;
  const auto doSum = [&] {
    return compute(what, op.d2, o[sum.first].value, o[sum.second].value, false);
  };
  if (v.sumFirst && !doSum()) return false;
  if (!compute(Do::Multiply, op.d, o[product.first].value, o[product.second].value, false)) {
    return false;
  }
  if (!v.sumFirst && !doSum()) return false;
  Value one;
  if (!constant(1.0, one)) return false;
  setFlags(one.index);
  return true;
}

bool Machine::Runs::Planner::addNop(const FastOp& op) {
  const Access access = op.op->m.low.access;
  if (access != Access::Indirect) return !c32::isMemory(access);
  const std::uint32_t at = address(Mode::Indirect, op.aReg, op.aValue);
  if (at - kRamBase >= kRamWords || !fix(Mode::Indirect, op.aReg)) return false;
  move(op.aReg, s_.addresses[op.aReg].step + op.aStep);
  return true;
}

/// A delayed branch that all lanes take or none, because it asks nothing or for the carry only,
/// which no float operation changes.
bool Machine::Runs::Planner::addBranch(const FastOp& op) {
  RunPlan::Delay& delay = s_.plan.after;
  const auto cond = static_cast<Cond>(op.cond);
  if (delay.slots != 0) return false;
  bool taken = true;
  if (cond == Cond::LO || cond == Cond::HS) {
    const LaneMask set = m_.c_ & g_.active.mask;
    const bool all = set == g_.active.mask;
    if (set.any() && !all) return false;
    s_.plan.carry = all ? RunPlan::Carry::Set : RunPlan::Carry::Clear;
    taken = all == (cond == Cond::LO);
  } else if (cond != Cond::U) {
    return false;
  }
  const std::uint32_t from = op.aPlace == Where::None ? s_.pc : 0;
  s_.plan.branches = true;
  // As in Machine::branchLater: this instruction counts the first one down.
  delay = {4, taken, (from + static_cast<std::uint32_t>(op.aValue)) & kAddressMask};
  return true;
}

/// TSTB of a constant and a register that this run has not written: its flags.
bool Machine::Runs::Planner::addTest(const FastOp& op) {
  const VectorOp& v = *op.op;
  if (v.bitwise != &Kernels::bitAnd || op.aPlace != Where::Constant ||
      op.bPlace != Where::Extended || s_.registers[op.bReg].written) {
    return false;
  }
  Row& row = *m_.registers_[op.bReg];
  if (row.readM(g_.active).stride == 0 || s_.rows == RunPlan::kRows) return false;
  begin();
  if (!live(op)) return true;
  Value mask;
  const auto bits = static_cast<std::uint32_t>(op.aValue);
  if (!constant(std::bit_cast<double>(std::uint64_t{bits}), mask)) return false;
  const auto index = static_cast<std::uint8_t>(s_.rows++);
  s_.plan.inputs.push_back({.row = &row, .words = true, .index = index});
  s_.plan.steps.push_back({.what = Do::Test, .flags = true, .b = {Place::Words, index}, .a = mask});
  s_.flags = Flags::Row;
  return true;
}

/// LDI of a constant to a register that is neither an address register nor looked at by anybody.
bool Machine::Runs::Planner::addConstant(const FastOp& op) {
  const VectorOp& v = *op.op;
  const unsigned r = v.m.reg;
  if (!v.copy || !v.quiet || op.aPlace != Where::Constant || r < reg::RS || r > reg::RC) {
    return false;
  }
  const std::uint32_t value = v.integer(0, static_cast<std::uint32_t>(op.aValue), 0).value;
  s_.plan.constants.push_back({static_cast<std::uint8_t>(r - 8), value});
  return true;
}

// ---- values

bool Machine::Runs::Planner::newSlot(std::uint8_t& slot) {
  if (s_.slots == RunPlan::kSlots) return false;
  slot = static_cast<std::uint8_t>(s_.slots++);
  return true;
}

bool Machine::Runs::Planner::constant(double value, Value& v) {
  v = {Place::Slot, 0, isShortValue(value)};
  if (!newSlot(v.index)) return false;
  s_.plan.values.push_back({v.index, value});
  return true;
}

bool Machine::Runs::Planner::readRow(Row& row, Word* word, Value& v) {
  const Source s = row.readF(g_.active);
  if (s.p == nullptr) return false;
  RunPlan::Input in{.row = &row, .uniform = s.stride == 0, .isShort = row.shortF()};
  if (word != nullptr) {
    in.ram = true;
    in.offset = static_cast<std::uint16_t>(word->offset);
  }
  if (in.uniform) {
    if (!newSlot(in.index)) return false;
    v = {Place::Slot, in.index, in.isShort};
  } else if (word != nullptr) {
    if (s_.rows == RunPlan::kRows) return false;
    in.index = static_cast<std::uint8_t>(s_.rows++);
    v = {Place::Row, in.index, in.isShort};
  }
  s_.plan.inputs.push_back(in);
  return true;
}

bool Machine::Runs::Planner::readRegister(unsigned r, Value& v) {
  Known& known = s_.registers[r];
  if (!known.known) {
    Row& row = *m_.registers_[r];
    known.value = {Place::Register, static_cast<std::uint8_t>(r), row.shortF()};
    if (!readRow(row, nullptr, known.value)) return false;
    if (known.value.place == Place::Register) known.value.isShort = row.shortF();
    known.known = true;
  }
  v = known.value;
  return true;
}

bool Machine::Runs::Planner::word(std::uint32_t offset, Value& v) {
  for (const Word& w : s_.words) {
    if (w.offset != offset) continue;
    v = w.value;
    return true;
  }
  Word w{.offset = offset, .row = &m_.ramRow(offset)};
  if (!readRow(*w.row, &w, w.value)) return false;
  v = w.value;
  s_.words.push_back(w);
  return true;
}

std::uint32_t Machine::Runs::Planner::address(Mode mode, unsigned reg, std::int32_t disp) const {
  const std::uint32_t x = g_.rest.x[reg];
  if (mode == Mode::Direct) return ((x & 0xFFu) << 16) | static_cast<std::uint32_t>(disp);
  return (x + static_cast<std::uint32_t>(s_.addresses[reg].step + disp)) & kAddressMask;
}

/// What is reached through the register depends on where it points.
bool Machine::Runs::Planner::fix(Mode mode, unsigned reg) {
  RunPlan::Address& a = s_.addresses[reg];
  (mode == Mode::Direct ? a.page : a.fixed) = true;
  return !a.bus;
}

bool Machine::Runs::Planner::operand(const FastOp& op, Mode mode, unsigned reg, std::int32_t disp,
                                     bool exact, Operand& o) {
  if (mode == Mode::Constant) return constant(op.op->constant[0], o.value);
  if (mode == Mode::Register) return readRegister(reg, o.value);
  o.memory = true;
  o.address = address(mode, reg, disp);
  const std::uint32_t offset = o.address - kRamBase;
  if (offset < kRamWords) return fix(mode, reg) && word(offset, o.value);
  o.bus = true;
  return mode == Mode::Indirect && bus(reg, disp, exact, o);
}

bool Machine::Runs::Planner::bus(unsigned reg, std::int32_t disp, bool exact, Operand& o) {
  RunPlan::Address& a = s_.addresses[reg];
  if (a.fixed || a.page || !Fast::onBus(m_, o.address) ||
      o.address - m_.window_.first >= m_.window_.count) {
    return false;
  }
  const std::int32_t change = a.step + disp;
  a.least = a.bus ? std::min(a.least, change) : change;
  a.most = a.bus ? std::max(a.most, change) : change;
  a.bus = true;
  RunPlan::Read read{.reg = static_cast<std::uint8_t>(reg),
                     .exact = exact,
                     .cycle = static_cast<std::uint16_t>(s_.plan.length + s_.plan.conflicts),
                     .change = change};
  if (!newSlot(read.slot)) return false;
  s_.plan.reads.push_back(read);
  if (exact) s_.plan.readsExactly = true;
  o.value = {Place::Slot, read.slot, true};
  return true;
}

/// As Fast::conflict.
void Machine::Runs::Planner::meet(std::uint32_t a, std::uint32_t b) {
  if ((((a ^ b) | (b ^ s_.pc)) & ~0xFFu) == 0) ++s_.plan.conflicts;
}

/// A value all share that has 24 bits of mantissa.
bool Machine::Runs::Planner::cut(Value& v) {
  if (v.place != Place::Slot || v.isShort) return true;
  Shared s{.what = Do::Store, .a = v};
  if (!newSlot(s.slot)) return false;
  s_.plan.shared.push_back(s);
  v = {Place::Slot, s.slot, true};
  return true;
}

/// The exponent of an addend that all share, once for all.
bool Machine::Runs::Planner::exponent(Value& v) {
  if (v.place != Place::Slot || !m_.runs_->code_.wantsExponents()) return true;
  Shared s{.what = Do::Exponent, .a = v};
  if (!newSlot(s.slot)) return false;
  s_.plan.shared.push_back(s);
  v.exponent = s.slot;
  return true;
}

bool Machine::Runs::Planner::compute(Do what, unsigned d, Value b, Value a, bool flags) {
  if (what == Do::Multiply && !(cut(b) && cut(a))) return false;
  if (a.place == Place::Slot && b.place == Place::Slot) {
    Shared s{.what = what, .b = b, .a = a};
    if (!newSlot(s.slot)) return false;
    s_.plan.shared.push_back(s);
    if (flags) setFlags(s.slot);
    if (d != RunPlan::kFlags) s_.registers[d] = {true, true, {Place::Slot, s.slot, false}};
    return true;
  }
  if ((what == Do::Add || what == Do::Subtract) && !(exponent(b) && exponent(a))) return false;
  s_.plan.steps.push_back(
      {.what = what, .d = static_cast<std::uint8_t>(d), .flags = flags, .b = b, .a = a});
  if (flags) s_.flags = Flags::Row;
  if (d != RunPlan::kFlags) {
    s_.registers[d] = {true, true, {Place::Register, static_cast<std::uint8_t>(d), false}};
  }
  return true;
}

bool Machine::Runs::Planner::computeOne(Do what, unsigned d, Value a, bool flags, bool isShort) {
  if (a.place == Place::Slot) {
    Shared s{.what = what, .a = a};
    if (!newSlot(s.slot)) return false;
    s_.plan.shared.push_back(s);
    if (flags) setFlags(s.slot);
    s_.registers[d] = {true, true, {Place::Slot, s.slot, isShort}};
    return true;
  }
  s_.plan.steps.push_back(
      {.what = what, .d = static_cast<std::uint8_t>(d), .flags = flags, .a = a});
  if (flags) s_.flags = Flags::Row;
  s_.registers[d] = {true, true, {Place::Register, static_cast<std::uint8_t>(d), isShort}};
  return true;
}

/// The value to a register, as it is.
void Machine::Runs::Planner::place(unsigned d, const Value& v, bool flags) {
  if (v.place == Place::Slot) {
    if (flags) setFlags(v.index);
    s_.registers[d] = {true, true, v};
    return;
  }
  s_.plan.steps.push_back(
      {.what = Do::Move, .d = static_cast<std::uint8_t>(d), .flags = flags, .a = v});
  if (flags) s_.flags = Flags::Row;
  s_.registers[d] = {true, true, {Place::Register, static_cast<std::uint8_t>(d), v.isShort}};
}

bool Machine::Runs::Planner::store(unsigned r, std::uint32_t offset) {
  Value v;
  if (!Fast::mayFill(m_, g_, offset) || !readRegister(r, v) || !cut(v)) return false;
  auto w = std::find_if(s_.words.begin(), s_.words.end(),
                        [&](const Word& x) { return x.offset == offset; });
  if (w == s_.words.end()) {
    s_.words.push_back({.offset = offset, .row = &m_.rowOf(offset)});
    w = s_.words.end() - 1;
  }
  if (!w->stored) {
    if (s_.stores == RunPlan::kStores) return false;
    w->number = static_cast<std::uint8_t>(s_.stores++);
    w->stored = true;
    s_.plan.stored.push_back(w->row);
  }
  if (v.place == Place::Slot) {
    w->value = v;
    return true;
  }
  s_.plan.steps.push_back({.what = Do::Store, .d = w->number, .a = v});
  w->value = {Place::Store, w->number, true};
  return true;
}

void Machine::Runs::Planner::setFlags(std::uint8_t slot) {
  s_.flags = Flags::Slot;
  s_.flagsSlot = slot;
}

/// An instruction that replaces V and UF.
void Machine::Runs::Planner::begin() {
  s_.plan.replacesFaults = true;
  s_.lastStep = s_.plan.steps.size();
  s_.lastShared = s_.plan.shared.size();
}

// ---- the whole

void Machine::Runs::Planner::divide(RunPlan& plan) {
  unsigned cost = 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const unsigned more = costOf(plan.steps[i].what);
    if (cost != 0 && cost + more > kPartCost) {
      plan.parts.push_back(static_cast<std::uint16_t>(i));
      cost = 0;
    }
    cost += more;
  }
  plan.parts.push_back(static_cast<std::uint16_t>(plan.steps.size()));
}

void Machine::Runs::Planner::close(RunPlan& plan) {
  RunPlan& p = s_.plan;
  for (std::size_t i = s_.lastStep; i < p.steps.size(); ++i) p.steps[i].last = p.replacesFaults;
  for (std::size_t i = s_.lastShared; i < p.shared.size(); ++i) {
    p.shared[i].last = p.replacesFaults;
  }
  divide(p);
  p.end = s_.pc;
  p.flagsAfter = s_.flags == Flags::Before ? RunPlan::FlagsAfter::Same
                 : s_.flags == Flags::Row  ? RunPlan::FlagsAfter::Row
                                           : RunPlan::FlagsAfter::Slot;
  p.flagsSlot = s_.flagsSlot;
  for (unsigned r = 0; r < 8; ++r) {
    const Known& k = s_.registers[r];
    if (!k.written) continue;
    p.registers.push_back(
        {.row = m_.registers_[r],
         .uniform = k.value.place == Place::Slot,
         .isShort = k.value.isShort,
         .index = k.value.place == Place::Slot ? k.value.index : static_cast<std::uint8_t>(r)});
  }
  for (const Word& w : s_.words) {
    if (!w.stored) continue;
    p.words.push_back({.row = w.row,
                       .offset = static_cast<std::uint16_t>(w.offset),
                       .uniform = w.value.place == Place::Slot,
                       .isShort = true,
                       .index = w.value.index});
  }
  for (const RunPlan::Address& a : s_.addresses) {
    if (a.fixed || a.page || a.bus || a.step != 0) p.addresses.push_back(a);
  }
  plan = std::move(p);
}

}  // namespace rtvp::c32::simt
