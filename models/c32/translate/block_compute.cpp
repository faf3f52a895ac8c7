// Integer arithmetic, logic and loads of translated instructions. Each first gets its operands and
// checks them (block_operands.cpp), then computes, and only then changes anything.
#include <cstddef>

#include "models/c32/translate/block_code.hpp"

namespace rtvp::c32::translate {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

namespace {

const Gp kContext = r12;

bool inMemory(const Operand& o) {
  return o.kind == Operand::Kind::Indirect || o.kind == Operand::Kind::Direct;
}

/// Register that a quiet load of this instruction overwrites, or 32.
bool overwritesQuietly(const Step& s, unsigned number) {
  switch (s.form) {
    case Form::Conditional:
      return s.i.reg == number;
    case Form::OpStore:
      return s.i.reg == number && (s.i.op == Op::LDF_STF || s.i.op == Op::LDI_STI);
    case Form::LoadLoad:
      return s.i.reg == number || s.i.reg2 == number;
    default:
      return false;
  }
}

}  // namespace

void BlockCode::compute(const Step& s) {
  if (at_.lazy.kind != LazyFlags::Kind::None && overwritesQuietly(s, at_.lazy.reg)) settleLazy();
  switch (s.form) {
    case Form::General:
      return general(s);
    case Form::Three:
      return pairOf(s, s.i.b, s.i.a);
    case Form::Conditional:
      return conditional(s);
    case Form::Store:
      return storeRegister(s);
    case Form::MultiplyAdd:
      return multiplyAdd(s);
    case Form::OpStore:
      return opStore(s);
    case Form::LoadLoad:
      return loadLoad(s);
    case Form::StoreStore:
      return storeStore(s);
    case Form::Push:
      return push(s);
    case Form::Pop:
      return pop(s);
    case Form::Nop:
      return nop(s);
    case Form::Call:
      return callHandler(s);
    case Form::Branch:
      return (s.op.special & kDelayed) != 0 ? delayed(s) : branch(s);
    case Form::Subroutine:
      return subroutine(s);
    case Form::Return:
      return returns(s);
    case Form::Repeat:
      return repeat(s);
    case Form::Unknown:
      break;
  }
}

/// Places of the memory operands; null for those that are none. Checked. A result stays in eax and
/// edx, which only addresses of ring buffers need.
void BlockCode::placesOf(Places& p, const Operand& first, const Operand& second) {
  const auto inRing = [](const Operand& o) {
    return o.kind == Operand::Kind::Indirect && indirectMode(o.mode).circular;
  };
  const bool stays = a_.offset() == result_.behind && !inRing(first) && !inRing(second);
  findPlaces(p, first, second);
  if (stays) result_.behind = a_.offset();
}

void BlockCode::findPlaces(Places& p, const Operand& first, const Operand& second) {
  for (const Operand* o : {&first, &second}) {
    if (!inMemory(*o)) continue;
    Place& place = o->field == Field::High ? p.high : p.low;
    place = o->field == Field::High ? high() : low();
    addressOf(*o, place);
    (o == &first ? p.first : p.second) = &place;
  }
  for (const Place* place : {p.first, p.second}) {
    if (place != nullptr) check(*place);
  }
  if (p.first == nullptr || p.second == nullptr) return;
  portsOf(*p.first, *p.second);
  const bool bus = p.low.region == Region::Outside && p.high.region == Region::Outside;
  // What the second waits for, and why, depends on how long the first one takes.
  if (bus && !conditions_.flat && (conditions_.bankBits != 0 || !at_.busKnown)) a_.jmp(leave());
}

/// Accesses of operands that are read, low field first; then ARn, the high field's last.
void BlockCode::commitReads(const Places& p) {
  chargePorts();
  if (p.low.operand != nullptr) charge(p.low, false);
  if (p.high.operand != nullptr) charge(p.high, false);
  if (p.low.operand != nullptr) update(p.low);
  if (p.high.operand != nullptr) update(p.high);
}

void BlockCode::general(const Step& s) {
  Operand destination;
  destination.kind = Operand::Kind::Register;
  destination.number = s.i.reg;
  pairOf(s, destination, s.i.a);
}

/// b OP a into the instruction's register.
void BlockCode::pairOf(const Step& s, const Operand& b, const Operand& a) {
  Places p;
  placesOf(p, b, a);
  if (isFloat(s.function)) {
    floatOperands(s.function, b, a, p.first, p.second);
    if (isSum(s.function)) keepSum(s, s.i.reg, b, a);
    floatResult(s.function);
    if (!isCompare(s.function)) commitReads(p);
    placeFloat(s, p);
  } else {
    integerResult(s, b, a, p.first, p.second);
    commitReads(p);
    const bool fresh = fresh_.at == a_.offset();
    if (!isCompare(s.function)) a_.mov(reg(s.i.reg), ecx);
    if (fresh) fresh_.at = a_.offset();
    return;
  }
}

// ---- integers: b in ecx, a in eax, the result in ecx

void BlockCode::integerResult(const Step& s, const Operand& b, const Operand& a, const Place* pb,
                              const Place* pa) {
  const Function f = s.function;
  if (f == Function::Negi) {
    a_.xor_(ecx, ecx);
  } else if (isUnary(f)) {
    intoInteger(ecx, a, pa);
  } else {
    intoInteger(ecx, b, pb);
  }
  switch (f) {
    case Function::Ldi:
      return integerFlags(s);
    case Function::Not:
      a_.not_(ecx);
      return integerFlags(s);
    case Function::Lsh:
    case Function::Ash:
      return shift(s, a);
    case Function::Mpyi:
      intoInteger(eax, a, pa);
      return multiply(s);
    case Function::Andn:
      intoInteger(eax, a, pa);
      a_.not_(eax);
      a_.and_(ecx, eax);
      return integerFlags(s);
    case Function::Subri:
      intoInteger(eax, a, pa);
      a_.sub(eax, ecx);
      a_.mov(ecx, eax);
      return arithmeticFlags(s);
    case Function::Addc:
    case Function::Subb:
      intoInteger(eax, a, pa);
      a_.bt(reg(reg::ST), 0);
      a_.emit(f == Function::Addc ? Inst::kIdAdc : Inst::kIdSbb, ecx, eax);
      return arithmeticFlags(s);
    default:
      break;
  }
  directly(f, a, pa);
  const bool logic =
      f == Function::And || f == Function::Or || f == Function::Xor || f == Function::Tstb;
  logic ? integerFlags(s) : arithmeticFlags(s);
}

/// One host instruction with its operand where it is.
void BlockCode::directly(Function f, const Operand& a, const Place* pa) {
  const auto instruction = [f] {
    switch (f) {
      case Function::Addi:
        return Inst::kIdAdd;
      case Function::Cmpi:
      case Function::Subi:
      case Function::Negi:
        return Inst::kIdSub;
      case Function::Or:
        return Inst::kIdOr;
      case Function::Xor:
        return Inst::kIdXor;
      default:
        return Inst::kIdAnd;
    }
  }();
  if (pa != nullptr) {
    a_.emit(instruction, ecx, wordAt(*pa));
  } else if (a.kind == Operand::Kind::Register) {
    a_.emit(instruction, ecx, reg(a.number));
  } else {
    a_.emit(instruction, ecx, asmjit::imm(static_cast<std::int32_t>(a.value)));
  }
}

void BlockCode::shift(const Step& s, const Operand& a) {
  const int count = static_cast<std::int32_t>(a.value << 25) >> 25;
  if (count > 0) {
    a_.shl(ecx, count);
  } else if (count == 0) {
    a_.test(ecx, ecx);
  } else if (s.function == Function::Lsh) {
    a_.shr(ecx, -count);
  } else {
    a_.sar(ecx, -count);
  }
  if ((s.used | s.atLeave) == 0) return;
  hostFlags();
  putFlags(edx, Fresh::Ah);
}

/// 24 x 24 bits. V if the product does not fit.
void BlockCode::multiply(const Step& s) {
  for (const Gp& x : {ecx, eax}) {
    a_.shl(x, 8);
    a_.sar(x, 8);
  }
  a_.movsxd(rcx, ecx);
  a_.movsxd(rax, eax);
  a_.imul(rcx, rax);
  if (s.i.reg >= 8) return;
  a_.movsxd(rax, ecx);
  a_.cmp(rax, rcx);
  const Label wide = a_.newLabel(), go = a_.newLabel();
  a_.jne(wide);
  const bool wanted = (s.used | s.atLeave) != 0;
  if (wanted) flagsOfInteger();
  a_.bind(go);
  fresh_.what = Fresh::Status;  // N of a product that does not fit is not its word's
  aside(wide, [this, go, wanted] {
    a_.mov(rax, rcx);
    a_.shr(rax, conditions_.exactN ? 63 : 31);
    a_.and_(eax, 1);
    a_.xor_(edx, edx);
    a_.test(ecx, ecx);
    a_.sete(dl);
    a_.lea(edx, ptr(rdx, rax, 1));  // Z in bit 0, N in bit 1
    a_.shl(edx, 2);
    a_.mov(eax, reg(reg::ST));
    a_.and_(eax, kC);
    a_.lea(edx, ptr(rdx, rax, 0, kV));
    overflowed(wanted);
    a_.jmp(go);
  });
  at_.lazy = wanted ? LazyFlags{} : at_.lazy;
}

/// V is set: LV stays. The other flags in edx.
void BlockCode::overflowed(bool wanted) {
  a_.or_(context(offsetof(Context, sticky), 4), kLV);
  if (wanted) {
    a_.or_(edx, context(offsetof(Context, sticky), 4));
    a_.mov(reg(reg::ST), edx);
  } else {
    a_.or_(reg(reg::ST), kLV);
  }
}

/// C, Z and N of the host's flags into edx. Changes eax.
void BlockCode::hostFlags() {
  a_.lahf();
  a_.movzx(edx, ah);
  a_.movzx(edx, Mem(kContext, rdx, 0, offsetof(Context, flagsOf), 1));
}

/// ST with these flags; the host's flags are lost.
void BlockCode::putFlags(const Gp& flags, Fresh what) {
  a_.or_(flags, context(offsetof(Context, sticky), 4));
  a_.mov(reg(reg::ST), flags);
  if (flags == edx) fresh_ = {a_.offset(), what};
  at_.lazy = {};
}

/// Of a sum or difference, with the host's flags as it left them.
void BlockCode::arithmeticFlags(const Step& s) {
  if (!isCompare(s.function) && s.i.reg >= 8) return;
  const Label overflow = a_.newLabel(), go = a_.newLabel();
  const bool wanted = (s.used | s.atLeave) != 0;
  a_.jo(overflow);
  if (wanted) {
    hostFlags();
    putFlags(edx, Fresh::Ah);
  }
  a_.bind(go);  // either way they are fresh
  aside(overflow, [this, go, wanted] {
    if (wanted) {
      a_.lahf();
      if (conditions_.exactN) a_.xor_(ah, 0x80);
      a_.movzx(edx, ah);
      a_.movzx(edx, Mem(kContext, rdx, 0, offsetof(Context, flagsOf), 1));
      a_.or_(edx, kV);
    }
    overflowed(wanted);
    a_.jmp(go);
  });
}

/// N and Z of the word in ecx, the others 0, C as it is. Changes eax, edx.
void BlockCode::flagsOfInteger() {
  a_.test(ecx, ecx);
  hostFlags();
  a_.mov(eax, reg(reg::ST));
  a_.and_(eax, kC);
  a_.or_(edx, eax);
  putFlags(edx, Fresh::Word);
}

void BlockCode::integerFlags(const Step& s) {
  if (s.form == Form::OpStore && s.i.op == Op::LDI_STI) return;
  if (!isCompare(s.function) && s.i.reg >= 8) return;
  if (s.used != 0 || (s.atLeave != 0 && isCompare(s.function))) {
    flagsOfInteger();
  } else if (s.atLeave != 0) {
    at_.lazy = {LazyFlags::Kind::Integer, s.i.reg};
  }
}

/// Flags that are still in a register go to ST.
void BlockCode::settleLazy() {
  const LazyFlags lazy = at_.lazy;
  if (lazy.kind == LazyFlags::Kind::Integer) {
    a_.mov(ecx, reg(lazy.reg));
    flagsOfInteger();
  } else if (lazy.kind == LazyFlags::Kind::Float) {
    a_.mov(eax, reg(lazy.reg));
    a_.movsx(edx, exponent(lazy.reg));
    flagsOfFloat();
  }
  // Should this instruction be left, they are there as well.
  before_.lazy = at_.lazy;
}

}  // namespace rtvp::c32::translate
