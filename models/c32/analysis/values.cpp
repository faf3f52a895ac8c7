// See values.hpp.
#include "models/c32/analysis/values.hpp"

#include "models/c32/isa_table.hpp"

namespace rtvp::c32::analysis {
namespace {

using Kind = AbstractValue::Kind;
constexpr std::size_t kMostSlots = 4096;

std::int32_t wrapped(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

/// b + a with distances from SP; `sign` is 1 or -1.
AbstractValue sum(const AbstractValue& b, const AbstractValue& a, int sign) {
  const bool plain = a.is(Kind::Constant);
  if (plain && (b.is(Kind::Constant) || b.is(Kind::Stack)))
    return {b.kind, wrapped(std::int64_t{b.n} + std::int64_t{sign} * a.n)};
  if (sign > 0 && b.is(Kind::Constant) && a.is(Kind::Stack))
    return {Kind::Stack, wrapped(std::int64_t{a.n} + b.n)};
  if (sign < 0 && a.is(Kind::Stack) && b.is(Kind::Stack))
    return AbstractValue::constant(wrapped(std::int64_t{b.n} - a.n));
  return {};
}

/// Shift counts are 7-bit signed: positive to the left.
AbstractValue shifted(const AbstractValue& value, const AbstractValue& count, bool arithmetic) {
  if (!value.is(Kind::Constant) || !count.is(Kind::Constant)) return {};
  const std::int32_t n = static_cast<std::int32_t>(static_cast<std::uint32_t>(count.n) << 25) >> 25;
  const auto word = static_cast<std::uint32_t>(value.n);
  if (n >= 32) return AbstractValue::constant(0);
  if (n >= 0) return AbstractValue::constant(static_cast<std::int32_t>(word << n));
  if (n <= -32) return AbstractValue::constant(arithmetic && value.n < 0 ? -1 : 0);
  return AbstractValue::constant(arithmetic ? value.n >> -n
                                            : static_cast<std::int32_t>(word >> -n));
}

/// `b OP a` (isa.hpp, Instruction).
AbstractValue computed(Op op, const AbstractValue& b, const AbstractValue& a) {
  const bool both = a.is(Kind::Constant) && b.is(Kind::Constant);
  switch (op) {
    case Op::LDI:
      return a;
    case Op::ADDI:
    case Op::ADDI3:
      return sum(b, a, 1);
    case Op::SUBI:
    case Op::SUBI3:
      return sum(b, a, -1);
    case Op::SUBRI:
      return sum(a, b, -1);
    case Op::LSH:
    case Op::LSH3:
      return shifted(b, a, false);
    case Op::ASH:
    case Op::ASH3:
      return shifted(b, a, true);
    case Op::AND:
    case Op::AND3:
      return both ? AbstractValue::constant(b.n & a.n) : AbstractValue{};
    case Op::OR:
    case Op::OR3:
      return both ? AbstractValue::constant(b.n | a.n) : AbstractValue{};
    case Op::XOR:
    case Op::XOR3:
      return both ? AbstractValue::constant(b.n ^ a.n) : AbstractValue{};
    default:
      return {};
  }
}

/// Address of a memory operand before its update: a constant or a distance from SP.
AbstractValue addressOf(const State& s, const Operand& o) {
  if (o.kind == Operand::Kind::Direct) {
    const AbstractValue& page = s.registers[reg::DP];
    if (!page.is(Kind::Constant)) return {};
    return AbstractValue::constant(
        static_cast<std::int32_t>((static_cast<std::uint32_t>(page.n) & 0xFFu) << 16 | o.value));
  }
  if (o.kind != Operand::Kind::Indirect) return {};
  const AbstractValue& base = s.registers[reg::AR0 + o.number];
  const IndirectMode m = indirectMode(o.mode);
  if (!m.useModified) return base;
  AbstractValue step = AbstractValue::constant(static_cast<std::int32_t>(o.value));
  if (m.index == IndirectMode::Index::Ir0) step = s.registers[reg::IR0];
  if (m.index == IndirectMode::Index::Ir1) step = s.registers[reg::IR1];
  return sum(base, step, m.subtract ? -1 : 1);
}

AbstractValue load(const State& s, const Operand& o, const ReadWord& read) {
  if (o.kind == Operand::Kind::Register || o.kind == Operand::Kind::Immediate) return valueOf(s, o);
  const AbstractValue at = addressOf(s, o);
  if (at.is(Kind::Stack)) {
    const auto it = s.stack.find(at.n);
    return it == s.stack.end() ? AbstractValue{} : it->second;
  }
  if (!at.is(Kind::Constant)) return {};
  const auto word = read(static_cast<std::uint32_t>(at.n) & kAddressMask);
  return word ? AbstractValue::constant(static_cast<std::int32_t>(*word)) : AbstractValue{};
}

void store(State& s, const AbstractValue& at, const AbstractValue& value) {
  if (!at.is(Kind::Stack)) return;
  if (s.stack.size() < kMostSlots || s.stack.contains(at.n)) s.stack[at.n] = value;
}

void update(State& s, const Operand& o) {
  if (o.kind != Operand::Kind::Indirect) return;
  const IndirectMode m = indirectMode(o.mode);
  if (!m.update) return;
  AbstractValue& ar = s.registers[reg::AR0 + o.number];
  AbstractValue step = AbstractValue::constant(static_cast<std::int32_t>(o.value));
  if (m.index == IndirectMode::Index::Ir0) step = s.registers[reg::IR0];
  if (m.index == IndirectMode::Index::Ir1) step = s.registers[reg::IR1];
  ar = m.circular || m.bitReversed ? AbstractValue{} : sum(ar, step, m.subtract ? -1 : 1);
}

/// PUSH and POP. A float's lower mantissa is lost on the stack: nothing is known of it then.
void stackOperation(State& s, const Instruction& i) {
  AbstractValue& sp = s.registers[reg::SP];
  const bool integer = i.op == Op::PUSH || i.op == Op::POP;
  if (i.op == Op::PUSH || i.op == Op::PUSHF) {
    sp = sum(sp, AbstractValue::constant(1), 1);
    store(s, sp, integer ? s.registers[i.reg] : AbstractValue{});
    return;
  }
  AbstractValue value;
  if (sp.is(Kind::Stack)) {
    const auto it = s.stack.find(sp.n);
    if (it != s.stack.end() && integer) value = it->second;
  }
  sp = sum(sp, AbstractValue::constant(1), -1);
  s.registers[i.reg] = value;
}

/// The memory operands that an instruction stores to, with the registers stored.
void stores(State& s, const Instruction& i, const OpInfo& row) {
  switch (row.format) {
    case Format::Store:
      store(s, addressOf(s, i.a),
            i.op == Op::STI || i.op == Op::STII ? s.registers[i.reg] : AbstractValue{});
      break;
    case Format::Op2Store:
    case Format::Op3Store:
      store(s, addressOf(s, i.c), row.second == Op::STI ? s.registers[i.reg2] : AbstractValue{});
      break;
    case Format::StoreStore: {
      const bool integer = i.op == Op::STI_STI;
      const AbstractValue first = addressOf(s, i.a), second = addressOf(s, i.c);
      store(s, first, integer ? s.registers[i.reg] : AbstractValue{});
      store(s, second, integer ? s.registers[i.reg2] : AbstractValue{});
      break;
    }
    default:
      break;
  }
}

}  // namespace

State State::initial() {
  State s;
  for (unsigned n = 0; n < reg::kCount; ++n)
    s.registers[n] = {Kind::Initial, static_cast<std::int32_t>(n)};
  s.registers[reg::SP] = {Kind::Stack, 0};
  s.stack[0] = {Kind::Return, 0};
  return s;
}

bool State::merge(const State& other) {
  bool changed = false;
  for (unsigned n = 0; n < reg::kCount; ++n) {
    AbstractValue& mine = registers[n];
    if (mine == other.registers[n] || mine.is(Kind::Unknown)) continue;
    mine = {};
    changed = true;
  }
  for (auto it = stack.begin(); it != stack.end();) {
    const auto same = other.stack.find(it->first);
    if (same != other.stack.end() && same->second == it->second) {
      ++it;
    } else {
      it = stack.erase(it);
      changed = true;
    }
  }
  return changed;
}

AbstractValue valueOf(const State& state, const Operand& o) {
  if (o.kind == Operand::Kind::Immediate)
    return AbstractValue::constant(static_cast<std::int32_t>(o.value));
  if (o.kind == Operand::Kind::Register) return state.registers[o.number];
  return {};
}

std::uint32_t writtenRegisters(const Instruction& i) {
  const OpInfo& row = info(i.op);
  std::uint32_t mask = 0;
  if (row.writesRegister) mask |= 1u << i.reg;
  if (row.format == Format::LoadLoad || row.format == Format::MultiplyAdd) mask |= 1u << i.reg2;
  if (row.format == Format::Rotate) mask |= 1u << i.reg;
  if (row.format == Format::DecBranch) mask |= 1u << i.reg;
  if (row.format == Format::Stack) mask |= 1u << reg::SP;
  if (i.op == Op::RPTB || i.op == Op::RPTS) mask |= 1u << reg::RC | 1u << reg::RS | 1u << reg::RE;
  for (const Operand* o : {&i.a, &i.b, &i.c, &i.d}) {
    if (o->kind == Operand::Kind::Indirect && indirectMode(o->mode).update)
      mask |= 1u << (reg::AR0 + o->number);
  }
  return mask;
}

void execute(State& s, const Instruction& i, const ReadWord& read) {
  const OpInfo& row = info(i.op);
  if (row.format == Format::Stack) return stackOperation(s, i);
  AbstractValue result;
  bool known = true;
  switch (row.format) {
    case Format::General:
      result = computed(i.op, s.registers[i.reg], load(s, i.a, read));
      break;
    case Format::Three:
      result = computed(i.op, load(s, i.b, read), load(s, i.a, read));
      break;
    case Format::CondLoad: {
      result = i.op == Op::LDIcond ? load(s, i.a, read) : AbstractValue{};
      const bool always = i.cond == Cond::U;
      if (!always && !(result == s.registers[i.reg])) result = {};
      break;
    }
    default:
      known = false;
  }
  stores(s, i, row);
  const std::uint32_t written = writtenRegisters(i);
  for (const Operand* o : {&i.a, &i.b, &i.c, &i.d}) update(s, *o);
  for (unsigned n = 0; n < reg::kCount; ++n) {
    const bool updated = n >= reg::AR0 && n <= reg::AR7;
    const bool destination = row.writesRegister && (n == i.reg);
    const bool second =
        (row.format == Format::LoadLoad || row.format == Format::MultiplyAdd) && n == i.reg2;
    if ((written >> n & 1u) == 0 || (updated && !destination && !second)) continue;
    s.registers[n] = {};
  }
  if (row.format == Format::DecBranch) {
    AbstractValue& counter = s.registers[i.reg];
    const AbstractValue before = counter;
    counter = sum(before, AbstractValue::constant(1), -1);
  }
  if (known && row.writesRegister) s.registers[i.reg] = result;
}

}  // namespace rtvp::c32::analysis
