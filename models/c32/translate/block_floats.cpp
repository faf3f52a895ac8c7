// Float arithmetic of translated instructions: b in rsi and edi, a in rax and edx, the result's
// field in eax and its exponent in edx.
//
// Invariants: a result is made here only if both operands are other than zero, less than 32 binades
// apart (sums), and the result is in range. Everything else - zeros, what an operand too far below
// does, a sum of zero - is done aside, or by the run loop in front of which the block is left.
// rcx and r8 are lost; r9 to r11 stay: addresses are there.
//
// Plain twin: float40.hpp; the differential tests of tests/models/c32/translate_test.cpp.
#include <cstddef>
#include <utility>

#include "models/c32/float40.hpp"
#include "models/c32/translate/block_code.hpp"

namespace rtvp::c32::translate {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

namespace {

const Gp kKeptMantissa = r15, kKeptExponent = ebp;

constexpr int kZeroExponent = -128;
constexpr unsigned kImplied = 31;        ///< bit of the explicit mantissa that the field inverts
constexpr unsigned kImpliedSingle = 23;  ///< the same of a single's

}  // namespace

// ---- operands

void BlockCode::floatOperands(Function f, const Operand& b, const Operand& a, const Place* pb,
                              const Place* pa) {
  if (f == Function::Ldf) return intoFloat(eax, edx, a, pa);
  const Operand* left = &b;
  const Operand* right = &a;
  const Place* leftPlace = pb;
  const Place* rightPlace = pa;
  // A result that is still in eax and edx had better stay there.
  const bool commutes = f == Function::Mpyf || f == Function::Addf;
  if (f == Function::Subrf || (commutes && isResult(b) && !isResult(a))) {
    std::swap(left, right);
    std::swap(leftPlace, rightPlace);
  }
  const Mantissa as = mantissaFor(f);
  const bool rightIsThere = isResult(*right);
  const bool leftIsThere = isResult(*left) && !isAccumulator(*left);
  if (leftIsThere) {
    if (as == Mantissa::Field) {
      a_.mov(esi, eax);
    } else {
      a_.movsxd(rsi, eax);
      explicitMantissa(as, rsi);
    }
    a_.mov(edi, edx);
  }
  // Words first: an address may be in rdi, of the high field, which is never the right operand if
  // the left one is a register.
  if (rightPlace != nullptr) load(edx, *rightPlace);
  if (leftPlace != nullptr) load(edi, *leftPlace);
  if (!leftIsThere) intoMantissa(as, rsi, edi, *left, leftPlace != nullptr);
  if (rightIsThere) {
    if (as == Mantissa::Field) return;
    a_.movsxd(rax, eax);
    explicitMantissa(as, rax);
  } else {
    intoMantissa(as, rax, edx, *right, rightPlace != nullptr);
  }
}

/// Is this register's value in eax and edx, too?
bool BlockCode::isResult(const Operand& o) const {
  return a_.offset() == result_.behind && o.kind == Operand::Kind::Register &&
         o.number == result_.reg;
}

/// Is this register's value in r15 and ebp, too?
bool BlockCode::isAccumulator(const Operand& o) const {
  return o.kind == Operand::Kind::Register && o.number == accumulator_.reg &&
         accumulator_.step != now_;
}

BlockCode::Mantissa BlockCode::mantissaFor(Function f) {
  if (f == Function::Cmpf) return Mantissa::Field;
  return f == Function::Mpyf ? Mantissa::Single : Mantissa::Extended;
}

/// An operand's mantissa as arithmetic takes it; a word of memory is in `exponentTo`.
void BlockCode::intoMantissa(Mantissa as, const Gp& mantissa, const Gp& exponentTo,
                             const Operand& o, bool isWord) {
  if (as == Mantissa::Field) {
    if (isWord) return singleInto(mantissa.r32(), exponentTo);
    return intoFloat(mantissa.r32(), exponentTo, o, nullptr);
  }
  if (isAccumulator(o)) {
    a_.mov(mantissa, kKeptMantissa);
    if (as == Mantissa::Single) a_.sar(mantissa, 8);
    a_.mov(exponentTo, kKeptExponent);
  } else if (isWord) {
    a_.mov(mantissa.r32(), exponentTo);
    a_.shl(mantissa, 40);
    a_.sar(mantissa, as == Mantissa::Single ? 40 : 32);
    a_.btc(mantissa, as == Mantissa::Single ? kImpliedSingle : kImplied);
    a_.sar(exponentTo, 24);
  } else if (o.kind == Operand::Kind::Register) {
    a_.movsxd(mantissa, reg(o.number));
    explicitMantissa(as, mantissa);
    a_.movsx(exponentTo, exponent(o.number));
  } else {
    const Float40 x = extendedFromShort(o.value);
    const std::int64_t m = c32::explicitMantissa(x.mantissa);
    a_.mov(mantissa, as == Mantissa::Single ? m >> 8 : m);
    a_.mov(exponentTo, static_cast<std::int32_t>(x.exponent));
  }
}

/// From a field with 32 bits of its sign before it.
void BlockCode::explicitMantissa(Mantissa as, const Gp& mantissa) {
  a_.btc(mantissa, kImplied);
  if (as == Mantissa::Single) a_.sar(mantissa, 8);
}

// ---- results

/// A register that a sum goes into and comes from is likely to be asked for again soon: loading
/// what has just been stored would take longer than the sum.
void BlockCode::keepSum(const Step& s, unsigned to, const Operand& a, const Operand& b) {
  for (const Operand* o : {&a, &b}) {
    if (o->kind == Operand::Kind::Register && o->number == to) accumulator_ = {to, &s};
  }
}

void BlockCode::floatResult(Function f) {
  switch (f) {
    case Function::Ldf:
      return;
    case Function::Cmpf:
      return compareFloats();
    case Function::Addf:
      return sum(false);
    case Function::Mpyf:
      return product();
    default:
      return sum(true);
  }
}

void BlockCode::product() {
  const Label zero = a_.newLabel(), done = a_.newLabel();
  a_.cmp(edx, kZeroExponent);
  a_.je(zero);
  a_.cmp(edi, kZeroExponent);
  a_.je(zero);
  a_.imul(rax, rsi);
  a_.lea(edx, ptr(rdx, rdi, 0, 16));
  a_.lea(rcx, ptr(rax, rax));
  a_.xor_(rcx, rax);
  a_.lzcnt(rcx, rcx);
  normalise(rax, false);
  a_.bind(done);
  aside(zero, [this, done] { zeroTo(done, false); });
}

/// b + a or b - a.
void BlockCode::sum(bool subtract) {
  const Label rare = a_.newLabel(), far = a_.newLabel();
  const Label zero = a_.newLabel(), done = a_.newLabel();
  a_.cmp(edx, kZeroExponent);
  a_.je(rare);
  a_.cmp(edi, kZeroExponent);
  a_.je(rare);
  a_.xor_(r8d, r8d);
  a_.mov(ecx, edx);
  a_.sub(ecx, edi);
  a_.cmovns(r8d, ecx);  // b goes down so far,
  a_.mov(edi, r8d);
  a_.sub(edi, ecx);  // or a
  a_.lea(ecx, ptr(r8, rdi));
  a_.cmp(ecx, 32);
  a_.jae(far);
  a_.sarx(rsi, rsi, r8);
  a_.sarx(rax, rax, rdi);
  a_.lea(edx, ptr(rdx, rdi, 0, 31));
  a_.emit(subtract ? Inst::kIdSub : Inst::kIdAdd, rsi, rax);
  a_.lea(rcx, ptr(rsi, rsi));
  a_.xor_(rcx, rsi);
  a_.lzcnt(rcx, rcx);
  a_.jc(zero);
  const bool keep = accumulator_.step == now_;
  normalise(rsi, keep);
  a_.bind(done);
  aside(zero, [this, done, keep] { zeroTo(done, keep); });
  const Label left = leave();
  aside(far, [this, subtract, rare, done, left, keep] {
    a_.sub(r8d, edi);  // b's exponent again
    a_.mov(edi, edx);
    a_.sub(edi, r8d);
    a_.bind(rare);
    a_.btc(rax, kImplied);
    a_.btc(rsi, kImplied);
    a_.call(context(subtract ? offsetof(Context, subf) : offsetof(Context, addf)));
    a_.jnc(left);
    if (keep) {
      a_.movsxd(kKeptMantissa, eax);
      a_.btc(kKeptMantissa, kImplied);
      a_.mov(kKeptExponent, edx);
    }
    a_.jmp(done);
  });
}

/// A mantissa that is not 0, rcx its signs beyond the first, edx its exponent if there were 0 of
/// them.
void BlockCode::normalise(const Gp& mantissa, bool keep) {
  a_.shlx(rax, mantissa, rcx);
  a_.sar(rax, 31);
  if (keep) a_.mov(kKeptMantissa, rax);
  a_.btc(eax, kImplied);
  a_.sub(edx, ecx);
  a_.lea(ecx, ptr(rdx, 127));
  a_.cmp(ecx, 255);
  a_.jae(leave());
  if (keep) a_.mov(kKeptExponent, edx);
}

void BlockCode::zeroTo(const Label& done, bool keep) {
  a_.mov(edx, kZeroExponent);
  if (keep) a_.mov(kKeptExponent, edx);
  a_.xor_(eax, eax);
  a_.jmp(done);
}

/// As compareFlags(): edx gets Z and N. What it leaves to subf() is the run loop's.
void BlockCode::compareFloats() {
  a_.mov(ecx, edx);
  a_.cmp(ecx, edi);
  a_.cmovl(ecx, edi);
  a_.add(ecx, 90);
  a_.cmp(ecx, 216);
  a_.ja(leave());
  const auto key = [this](const Gp& mantissa, const Gp& exponentOf) {
    a_.mov(ecx, mantissa);
    a_.sar(ecx, 31);
    a_.add(exponentOf, -kZeroExponent);
    a_.xor_(exponentOf, ecx);
    a_.shl(exponentOf.r64(), 32);
    a_.or_(exponentOf.r64(), mantissa.r64());
  };
  key(eax, edx);
  key(esi, edi);
  a_.xor_(ecx, ecx);
  a_.xor_(eax, eax);
  a_.cmp(rdi, rdx);
  a_.setl(cl);
  a_.sete(al);
  a_.lea(edx, ptr(rax, rcx, 1));
  a_.shl(edx, 2);
}

/// Result and flags of eax and edx.
void BlockCode::placeFloat(const Step& s, const Places& p) {
  if (isCompare(s.function)) {
    if ((s.used | s.atLeave) != 0) {
      a_.mov(ecx, reg(reg::ST));
      a_.and_(ecx, kC);
      a_.or_(edx, ecx);
      putFlags(edx);
    }
    commitReads(p);
    return;
  }
  intoExtended(s.i.reg);
  floatFlags(s, s.i.reg);
}

void BlockCode::intoExtended(unsigned number) {
  a_.mov(reg(number), eax);
  a_.mov(exponent(number), dl);
  result_ = {a_.offset(), number};
}

void BlockCode::floatFlags(const Step& s, unsigned number) {
  if (s.form == Form::OpStore && s.i.op == Op::LDF_STF) return;
  if (s.used != 0) {
    flagsOfFloat();
  } else if (s.atLeave != 0) {
    at_.lazy = {LazyFlags::Kind::Float, static_cast<std::uint8_t>(number)};
  }
}

/// N and Z of the float in eax and edx, the others 0, C as it is. Changes ecx, esi, eax.
void BlockCode::flagsOfFloat() {
  a_.mov(ecx, eax);
  a_.shr(ecx, 31);
  a_.shl(ecx, 3);
  a_.mov(esi, kZ);
  a_.cmp(edx, kZeroExponent);
  a_.cmove(ecx, esi);
  a_.mov(esi, reg(reg::ST));
  a_.and_(esi, kC);
  a_.or_(ecx, esi);
  putFlags(ecx);
}

}  // namespace rtvp::c32::translate
