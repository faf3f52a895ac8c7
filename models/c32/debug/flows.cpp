// See flows.hpp. Operand positions: Instruction in isa.hpp; address rules: c32.md 6.2; stack: 4.5.
#include "models/c32/debug/flows.hpp"

#include "models/c32/debug/effects.hpp"
#include "models/c32/flags.hpp"
#include "models/c32/isa_table.hpp"

namespace rtvp::c32 {
namespace {

using debug::Flow;
using Kind = Operand::Kind;

constexpr std::uint64_t bit(unsigned number) {
  return std::uint64_t{1} << number;
}

/// Registers that an indirect address is made of.
std::uint64_t pointers(const Operand& o) {
  if (o.kind != Kind::Indirect) return 0;
  const IndirectMode m = indirectMode(o.mode);
  std::uint64_t some = bit(reg::AR0 + o.number);
  if (m.index == IndirectMode::Index::Ir0) some |= bit(reg::IR0);
  if (m.index == IndirectMode::Index::Ir1) some |= bit(reg::IR1);
  if (m.circular) some |= bit(reg::BK);
  return some;
}

/// The result is made of the source alone, whatever the destination held.
bool replaces(Op op) {
  switch (op) {
    case Op::ABSF:
    case Op::ABSI:
    case Op::FIX:
    case Op::FLOAT:
    case Op::LDF:
    case Op::LDFI:
    case Op::LDI:
    case Op::LDII:
    case Op::NEGB:
    case Op::NEGF:
    case Op::NEGI:
    case Op::NORM:
    case Op::NOT:
    case Op::RND:
      return true;
    default:
      return false;
  }
}

class Reader {
 public:
  Reader(const Instruction& i, const Cpu& cpu) : i_(i), cpu_(cpu), row_(info(i.op)) {}

  debug::Flows flows() {
    byFormat();
    for (const Operand* o : {&i_.a, &i_.b, &i_.c, &i_.d}) update(*o);
    return flows_;
  }

 private:
  /// The operand is part of what `flow` makes.
  void source(Flow& flow, const Operand& o) const {
    if (o.kind == Kind::Register) flow.registers |= bit(o.number) | movedBy(o.number);
    if (o.kind != Kind::Direct && o.kind != Kind::Indirect) return;
    flow.via |= pointers(o);
    if (flow.count < flow.words.size()) flow.words[flow.count++] = operandAddress(o, cpu_);
  }
  /// Pointers move before registers are read (c32.md 6.2): what moves this one goes in, too.
  [[nodiscard]] std::uint64_t movedBy(unsigned number) const {
    std::uint64_t by = 0;
    for (const Operand* o : {&i_.a, &i_.b, &i_.c, &i_.d}) {
      const bool same = number == static_cast<unsigned>(reg::AR0) + o->number;
      if (o->kind == Kind::Indirect && same && indirectMode(o->mode).update) by |= pointers(*o);
    }
    return by;
  }
  void toRegister(unsigned number, std::initializer_list<const Operand*> sources,
                  std::uint64_t registers = 0) {
    Flow flow{.kind = Flow::To::Register, .to = number, .registers = registers};
    for (const Operand* o : sources) source(flow, *o);
    flows_.add(flow);
  }
  void toMemory(const Operand& o, unsigned stored) {
    flows_.add({.kind = Flow::To::Memory,
                .to = operandAddress(o, cpu_),
                .registers = bit(stored) | movedBy(stored),
                .via = pointers(o)});
  }
  void compares(std::initializer_list<const Operand*> sources, std::uint64_t registers = 0) {
    Flow flow{.registers = registers};
    for (const Operand* o : sources) source(flow, *o);
    flows_.add(flow);
  }
  void moves(unsigned number, std::uint64_t by = 0) {
    flows_.add(
        {.kind = Flow::To::Register, .to = number, .registers = bit(number) | by, .step = true});
  }
  void update(const Operand& o) {
    if (o.kind != Kind::Indirect || !indirectMode(o.mode).update) return;
    moves(reg::AR0 + o.number, pointers(o));
  }
  /// A word is pushed: the register, or an address that nothing goes into.
  void push(std::uint64_t registers) {
    flows_.add({.kind = Flow::To::Memory,
                .to = (cpu_.registerValue(reg::SP) + 1) & kAddressMask,
                .registers = registers,
                .via = bit(reg::SP)});
    moves(reg::SP);
  }
  [[nodiscard]] bool taken() const {
    return !row_.conditional ||
           conditionHolds(static_cast<unsigned>(i_.cond), cpu_.registerValue(reg::ST));
  }

  void byFormat() {
    switch (row_.format) {
      case Format::General:
        general();
        break;
      case Format::Rotate:
        toRegister(i_.reg, {}, bit(i_.reg));
        break;
      case Format::CondLoad:
        if (taken()) {
          toRegister(i_.reg, {&i_.a});
        } else {
          compares({&i_.a});
        }
        break;
      case Format::Three:
        toRegister(i_.reg, {&i_.a, &i_.b});
        break;
      case Format::ThreeCompare:
        compares({&i_.a, &i_.b});
        break;
      case Format::Stack:
        stack();
        break;
      case Format::Source:
      case Format::Nop:
        if (i_.op == Op::RPTS) toRegister(reg::RC, {&i_.a});
        break;
      case Format::DecBranch:
        moves(i_.reg);
        break;
      case Format::Return:
        if (taken()) moves(reg::SP);
        break;
      default:
        pair();
        break;
    }
    if ((row_.format == Format::Trap || row_.mnemonic.substr(0, 4) == "CALL") && taken()) push(0);
  }
  void general() {
    const std::uint64_t own = replaces(i_.op) ? 0 : bit(i_.reg);
    if (row_.writesRegister) {
      toRegister(i_.reg, {&i_.a}, own);
    } else {
      compares({&i_.a}, bit(i_.reg));
    }
  }
  void stack() {
    if (!row_.writesRegister) return push(bit(i_.reg));
    flows_.add({.kind = Flow::To::Register,
                .to = i_.reg,
                .via = bit(reg::SP),
                .words = {cpu_.registerValue(reg::SP) & kAddressMask},
                .count = 1});
    moves(reg::SP);
  }
  void pair() {
    switch (row_.format) {
      case Format::Store:
        toMemory(i_.a, i_.reg);
        break;
      case Format::StoreStore:
        toMemory(i_.a, i_.reg);
        toMemory(i_.c, i_.reg2);
        break;
      case Format::Op2Store:
        toRegister(i_.reg, {&i_.a});
        toMemory(i_.c, i_.reg2);
        break;
      case Format::Op3Store:
        toRegister(i_.reg, {&i_.a, &i_.b});
        toMemory(i_.c, i_.reg2);
        break;
      case Format::LoadLoad:
        toRegister(i_.reg, {&i_.a});
        toRegister(i_.reg2, {&i_.c});
        break;
      case Format::MultiplyAdd:
        toRegister(i_.reg, {&i_.a, &i_.b});
        toRegister(i_.reg2, {&i_.c, &i_.d});
        break;
      default:
        break;
    }
  }

  const Instruction& i_;
  const Cpu& cpu_;
  const OpInfo& row_;
  debug::Flows flows_;
};

}  // namespace

debug::Flows flowsOf(const Instruction& i, const Cpu& cpu) {
  return Reader(i, cpu).flows();
}

}  // namespace rtvp::c32
