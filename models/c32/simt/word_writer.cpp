#include "models/c32/simt/word_writer.hpp"

#include <algorithm>
#include <cstddef>

#include "models/c32/integer_ops.hpp"
#include "models/hostcode/convention.hpp"

namespace rtvp::c32::simt {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

namespace {

constexpr std::size_t kPointer = sizeof(std::uint32_t*);
constexpr unsigned kBits = 32;

}  // namespace

// ---- the frame of the code

void WordWriter::write() {
  const Gp registers[] = {rbx, r12, r13, r14};
  const hostcode::Saved saved(registers, hostcode::Saved::Inside::Calls);
  const asmjit::Label failed = a_.newLabel();
  const asmjit::Label over = a_.newLabel();
  const asmjit::Label begin = a_.newLabel();
  const asmjit::Label next = a_.newLabel();
  const asmjit::Label plain = a_.newLabel();
  saved.enter(a_);
  a_.mov(rbx, rdi);
  a_.mov(r13, frame(offsetof(WordFrame, bytes), 8));
  a_.mov(r14, frame(offsetof(WordFrame, table), 8));
  a_.xor_(r12d, r12d);
  a_.align(asmjit::AlignMode::kCode, 16);
  a_.bind(begin);
  loop();
  if (plan_.checks) branchIfBad(plain);
  a_.bind(next);
  a_.add(r12, bytes());
  a_.cmp(r12, r13);
  a_.jb(begin);
  a_.mov(eax, 1);
  a_.jmp(over);
  a_.bind(plain);
  a_.vzeroupper();
  a_.mov(rdi, rbx);
  a_.mov(rsi, r12);
  a_.call(frame(offsetof(WordFrame, plain), 8));
  a_.test(al, al);
  a_.jnz(next);
  a_.bind(failed);
  a_.xor_(eax, eax);
  a_.bind(over);
  a_.vzeroupper();
  saved.leave(a_);
  a_.ret();
}

/// A vector, up to its results.
void WordWriter::loop() {
  if (plan_.checks) zero(v(kBad));
  for (const Step& s : plan_.steps) step(s);
  for (const WordPlan::Output& out : plan_.outputs) {
    if (out.uniform || out.held == WordPlan::kStored) continue;
    store(output(out.from), v(out.held));
  }
}

/// If it is a lane: behind the last one there may be words of none.
void WordWriter::branchIfBad(const asmjit::Label& plain) {
  a_.mov(rax, frame(offsetof(WordFrame, real), 8));
  const Mem real(rax, r12, 0, 0, bytes());
  if (wide_) {
    a_.vptestmd(k1, v(kBad), real);
    a_.kortestw(k1, k1);
  } else {
    a_.vptest(v(kBad), real);
  }
  a_.jnz(plain);
}

// ---- values

WordWriter::Vec WordWriter::v(unsigned i) const {
  return wide_ ? Vec(zmm(i)) : Vec(ymm(i));
}
WordWriter::Mem WordWriter::frame(std::size_t offset, unsigned size) const {
  return {rbx, static_cast<std::int32_t>(offset), size};
}
WordWriter::Mem WordWriter::slot(unsigned number) const {
  return frame(offsetof(WordFrame, slots) + number * (WordPlan::kBlock * sizeof(std::uint32_t)),
               bytes());
}
WordWriter::Mem WordWriter::row(std::size_t pointerAt) {
  a_.mov(rax, frame(pointerAt, 8));
  return {rax, r12, 0, 0, bytes()};
}
WordWriter::Mem WordWriter::output(unsigned number) {
  return row(offsetof(WordFrame, outputs) + number * kPointer);
}

WordWriter::Operand WordWriter::where(const Value& value) {
  switch (value.place) {
    case WordPlan::Place::Register:
      return v(value.index);
    case WordPlan::Place::Spread:
      return v(WordPlan::kSpreadAt + value.index);
    case WordPlan::Place::Input:
      return row(offsetof(WordFrame, inputs) + value.index * kPointer);
    case WordPlan::Place::Output:
      return output(value.index);
    default:
      return slot(value.index);
  }
}

WordWriter::Vec WordWriter::inRegister(const Value& value, unsigned temp) {
  const Operand x = where(value);
  if (x.isReg()) return x.as<Vec>();
  move(v(temp), x);
  return v(temp);
}

WordWriter::Vec WordWriter::destination(const Step& s) const {
  return v(s.d.place == WordPlan::Place::Spread ? WordPlan::kSpreadAt + s.d.index : s.d.index);
}

void WordWriter::move(const Vec& d, const Operand& x) {
  if (x.isReg() && x.as<Vec>().id() == d.id()) return;
  a_.emit(wide_ ? Inst::kIdVmovdqu32 : Inst::kIdVmovdqu, d, x);
}
void WordWriter::load(const Vec& d, const Mem& from) {
  a_.emit(wide_ ? Inst::kIdVmovdqu32 : Inst::kIdVmovdqu, d, from);
}
void WordWriter::store(const Mem& to, const Vec& x) {
  a_.emit(wide_ ? Inst::kIdVmovdqu32 : Inst::kIdVmovdqu, to, x);
}
WordWriter::Id WordWriter::andId() const {
  return wide_ ? Inst::kIdVpandd : Inst::kIdVpand;
}
WordWriter::Id WordWriter::andnId() const {
  return wide_ ? Inst::kIdVpandnd : Inst::kIdVpandn;
}
WordWriter::Id WordWriter::orId() const {
  return wide_ ? Inst::kIdVpord : Inst::kIdVpor;
}
WordWriter::Id WordWriter::xorId() const {
  return wide_ ? Inst::kIdVpxord : Inst::kIdVpxor;
}

void WordWriter::ones(const Vec& d) {
  if (wide_) {
    a_.vpternlogd(d, d, d, 0xFF);
  } else {
    a_.vpcmpeqd(d, d, d);
  }
}

/// The highest bits of its words are the carries.
void WordWriter::carry(const Vec& x) {
  a_.mov(rcx, r12);
  a_.shr(rcx, 5);
  const auto to = static_cast<std::int32_t>(offsetof(WordFrame, carries));
  if (wide_) {
    a_.vpmovd2m(k1, x);
    a_.kmovw(eax, k1);
    a_.mov(Mem(rbx, rcx, 0, to, 2), ax);
  } else {
    a_.vmovmskps(eax, x);
    a_.mov(Mem(rbx, rcx, 0, to, 1), al);
  }
}

// ---- steps

void WordWriter::step(const Step& s) {
  using Do = WordPlan::Do;
  switch (s.what) {
    case Do::Copy:
      return copy(s);
    case Do::Add:
    case Do::Subtract:
      return sum(s);
    case Do::Multiply:
      return multiply(s);
    case Do::Shift:
    case Do::ShiftSigned:
      if (s.a.known) return shiftByOne(s, shiftCount(s.a.bits));
      return shiftByMany(s);
    case Do::LookUp:
      return lookUp(s);
    default:
      return bitwise(s);
  }
}

void WordWriter::copy(const Step& s) {
  if (s.d.place == WordPlan::Place::Output) {
    const Vec x = inRegister(s.a, kTemp);
    store(output(s.d.index), x);
    return;
  }
  move(destination(s), where(s.a));
}

void WordWriter::bitwise(const Step& s) {
  using Do = WordPlan::Do;
  const Vec d = destination(s);
  if (s.what == Do::Andn) {  // the host complements the first one
    const Vec x = inRegister(s.a, kTemp);
    op(andnId(), d, x, where(s.b));
    return;
  }
  const Vec x = inRegister(s.b, kTemp);
  op(s.what == Do::And ? andId() : s.what == Do::Or ? orId() : xorId(), d, x, where(s.a));
}

void WordWriter::sum(const Step& s) {
  const bool add = s.what == WordPlan::Do::Add;
  const Id id = add ? Inst::kIdVpaddd : Inst::kIdVpsubd;
  const Vec d = destination(s);
  const Vec x = inRegister(s.b, kTemp);
  if (!s.checks && !s.carries) {
    op(id, d, x, where(s.a));
    return;
  }
  const Vec y = inRegister(s.a, kTemp + 1);
  const Vec r = v(kTemp + 2);
  const Vec t = v(kTemp + 3);
  const Vec u = v(kTemp + 4);
  op(id, r, x, y);
  if (s.checks) {  // the signs of operands and result
    op(xorId(), t, x, add ? r : y);
    op(xorId(), u, add ? y : x, r);
    op(andId(), t, t, u);
    bad(t);
  }
  if (s.carries && add) {  // both, or one and no bit in the sum
    op(orId(), t, x, y);
    op(andnId(), t, r, t);
    op(andId(), u, x, y);
    op(orId(), t, t, u);
    carry(t);
  } else if (s.carries) {  // y alone, or not x alone and a bit in the difference
    op(andnId(), t, x, y);
    op(xorId(), u, x, y);
    op(andnId(), u, u, r);
    op(orId(), t, t, u);
    carry(t);
  }
  move(d, r);
}

/// 24 bits, sign extended.
WordWriter::Vec WordWriter::cut(const Value& value, unsigned temp) {
  const Vec x = inRegister(value, temp);
  const bool fits =
      value.known &&
      static_cast<std::uint32_t>(static_cast<std::int32_t>(value.bits << 8) >> 8) == value.bits;
  if (value.most < 0x800000 || fits) return x;
  a_.vpslld(v(temp), x, 8);
  a_.vpsrad(v(temp), v(temp), 8);
  return v(temp);
}

void WordWriter::multiply(const Step& s) {
  const Vec x = cut(s.b, kTemp);
  const Vec y = cut(s.a, kTemp + 1);
  if (s.checks) return exactProduct(destination(s), x, y);
  op(Inst::kIdVpmulld, destination(s), x, y);
}

/// The higher words must be the lower ones' signs.
void WordWriter::exactProduct(const Vec& d, const Vec& x, const Vec& y) {
  const Vec even = v(kTemp + 2);
  const Vec odd = v(kTemp + 3);
  const Vec t = v(kTemp + 4);
  op(Inst::kIdVpmuldq, even, x, y);
  a_.vpsrlq(odd, x, kBits);
  a_.vpsrlq(t, y, kBits);
  op(Inst::kIdVpmuldq, odd, odd, t);
  op(Inst::kIdVpmulld, d, x, y);
  // Higher words: of even ones moved down, of odd ones as they are.
  a_.vpsrlq(even, even, kBits);
  a_.vpsrlq(odd, odd, kBits);
  a_.vpsllq(odd, odd, kBits);
  op(orId(), even, even, odd);
  a_.vpsrad(t, d, kBits - 1);
  op(xorId(), t, t, even);
  zero(odd);
  op(Inst::kIdVpsubd, odd, odd, t);
  op(orId(), t, t, odd);
  bad(t);
}

/// By the same number of places in all lanes.
void WordWriter::shiftByOne(const Step& s, int count) {
  const bool isSigned = s.what == WordPlan::Do::ShiftSigned;
  const Vec d = destination(s);
  const Vec x = inRegister(s.b, kTemp);
  const Vec r = v(kTemp + 1);
  if (s.carries) carryOfShift(x, count, isSigned);
  const auto places = static_cast<unsigned>(std::abs(count));
  if (count < 0 && isSigned) {
    a_.vpsrad(r, x, std::min(places, kBits - 1));
  } else if (places >= kBits) {
    zero(r);
  } else if (count < 0) {
    a_.vpsrld(r, x, places);
  } else {
    a_.vpslld(r, x, places);
  }
  if (s.checks) checkShift(x, r, count);
  move(d, r);
}

/// What is shifted out last, at the top of a word.
void WordWriter::carryOfShift(const Vec& x, int count, bool isSigned) {
  const Vec t = v(kTemp + 2);
  const int bits = static_cast<int>(kBits);
  const int up = count > 0 ? count - 1 : bits + count;
  if (count < -bits && isSigned) return carry(x);
  if (count == 0 || up < 0 || up >= bits) {
    zero(t);
  } else {
    a_.vpslld(t, x, static_cast<unsigned>(up));
  }
  carry(t);
}

/// Shifted back, it must be the same.
void WordWriter::checkShift(const Vec& x, const Vec& result, int count) {
  const Vec t = v(kTemp + 2);
  const Vec u = v(kTemp + 3);
  a_.vpsrad(t, result, std::min<unsigned>(static_cast<unsigned>(count), kBits - 1));
  op(xorId(), t, t, x);
  zero(u);
  op(Inst::kIdVpsubd, u, u, t);
  op(orId(), t, t, u);
  bad(t);
}

/// LSH by each lane's own count. A shift by 32 and more, as an unsigned number, leaves nothing: of
/// the two directions only one does.
void WordWriter::shiftByMany(const Step& s) {
  const Vec x = inRegister(s.b, kTemp);
  const Vec count = v(kTemp + 1);
  const Vec back = v(kTemp + 2);
  const Vec t = v(kTemp + 3);
  const Vec u = v(kTemp + 4);
  a_.vpslld(count, inRegister(s.a, kTemp + 1), 25);
  a_.vpsrad(count, count, 25);
  zero(back);
  op(Inst::kIdVpsubd, back, back, count);
  op(Inst::kIdVpsllvd, t, x, count);
  op(Inst::kIdVpsrlvd, back, x, back);
  if (s.carries) {
    op(orId(), back, t, back);
    // As carryOfShift: to the left by one less, or by 32 more.
    ones(u);
    op(Inst::kIdVpaddd, t, count, u);
    op(Inst::kIdVpsllvd, t, x, t);
    a_.vpsrld(u, u, 31);
    a_.vpslld(u, u, 5);
    op(Inst::kIdVpaddd, u, count, u);
    op(Inst::kIdVpsllvd, u, x, u);
    op(orId(), t, t, u);
    carry(t);
    move(destination(s), back);
    return;
  }
  op(orId(), destination(s), t, back);
}

/// The word at each lane's address, if it lies in the table.
void WordWriter::lookUp(const Step& s) {
  const Vec place = v(kTemp);
  const Vec t = v(kTemp + 1);
  const Vec words = v(kTemp + 2);
  const Vec from = inRegister(s.a, kTemp);
  op(Inst::kIdVpaddd, place, from, slot(s.b.index));
  op(andId(), place, place, slot(plan_.addressMask));
  op(Inst::kIdVpsubd, place, place, slot(plan_.ramBase));
  op(Inst::kIdVpsubd, t, place, slot(WordPlan::kTableFirst));
  bad(t);
  load(t, slot(WordPlan::kTableLast));
  op(Inst::kIdVpsubd, t, t, place);
  bad(t);
  op(andId(), place, place, slot(plan_.ramMask));  // wherever it lies, the host reads the RAM
  zero(words);
  const Mem from_table(r14, place, 2, 0, 4);
  if (wide_) {
    a_.kxnorw(k2, k2, k2);
    a_.k(k2).vpgatherdd(words, from_table);
  } else {
    ones(t);
    a_.vpgatherdd(words, from_table, t);
  }
  move(destination(s), words);
}

}  // namespace rtvp::c32::simt
