// Four lanes a vector. Lanes that are not good have all their bits in vector kBad.
#include "models/c32/simt/run_writer.hpp"

namespace rtvp::c32::simt {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

namespace {

constexpr int kEq = 0;

}  // namespace

void NarrowRunWriter::beginVector() {
  a_.vxorpd(v(kBad), v(kBad), v(kBad));
}

void NarrowRunWriter::branchIfBad(const asmjit::Label& plain) {
  a_.vmovmskpd(eax, v(kBad));
  a_.test(eax, eax);
  a_.jnz(plain);
}

void NarrowRunWriter::floorTo(const Vec& d, const Vec& x, unsigned temp, unsigned bits,
                              Constant mask) {
  const Vec t = v(temp);
  a_.vpxor(t, t, t);
  a_.vpcmpgtq(t, t, x);
  a_.vpsrlq(t, t, 64 - bits);
  a_.vpaddq(t, t, x);
  a_.vpand(d, t, constant(mask));
}

void NarrowRunWriter::surely(const Vec& d, const Vec& x, Constant up, Constant over) {
  const Vec t = v(kTemp + 1);
  const Vec none = v(kTemp + 2);
  if (zeros_) {
    a_.vxorpd(none, none, none);
    a_.vcmppd(none, none, x, kEq);
    a_.vandnpd(d, none, x);
  } else if (d.id() != x.id()) {
    a_.vmovapd(d, x);
  }
  a_.vpaddq(t, d, d);
  a_.vpaddq(t, t, constant(up));
  a_.vpcmpgtq(t, t, constant(over));
  if (zeros_) a_.vandnpd(t, none, t);
  a_.vorpd(v(kBad), v(kBad), t);
}

/// A factor with 24 bits of mantissa.
RunWriter::Vec NarrowRunWriter::floored(const Value& value, unsigned temp, unsigned other) {
  const Vec x = inRegister(value, temp);
  if (value.isShort) return x;
  floorTo(v(temp), x, other, 29, kMask29);
  return v(temp);
}

void NarrowRunWriter::multiply(const Vec& d, const Value& b, const Value& a) {
  const Vec t = v(kTemp);
  const bool fromMemory = a.isShort && !isRegister(a);
  const Vec x = floored(b, kTemp, kTemp + 2);
  if (fromMemory) {
    a_.vmulpd(t, x, memory(a));
  } else {
    a_.vmulpd(t, x, floored(a, kTemp + 1, kTemp + 2));
  }
  const Vec r = zeros_ ? t : d;
  floorTo(r, t, kTemp + 1, 21, kMask21);
  surely(d, r, kUp126, kOver126);
}

/// The C32's exponent as a double's.
void NarrowRunWriter::exponent(const Vec& d, const Vec& x, unsigned temp) {
  a_.vpsrlq(v(temp), x, 63);
  a_.vpsubq(d, x, v(temp));
  a_.vpand(d, d, constant(kExponentField));
}

/// Kernels' quickByExponents.
void NarrowRunWriter::sum(const Vec& d, const Value& b, const Value& a, bool subtract) {
  const Vec x = inRegister(b, kTemp);
  const Vec y = inRegister(a, kTemp + 1);
  const Vec ex = v(kTemp + 2);
  const Vec ey = v(kTemp + 3);
  const Vec m = v(kTemp + 4);
  // Not both are shared: that is done once for all.
  const std::uint8_t known = b.exponent != RunPlan::kNoSlot ? b.exponent : a.exponent;
  exponent(ex, known == RunPlan::kNoSlot || b.exponent == RunPlan::kNoSlot ? x : y, kTemp + 4);
  if (known == RunPlan::kNoSlot) {
    exponent(ey, y, kTemp + 4);
    a_.vmaxpd(m, ex, ey);
  } else {
    a_.vmaxpd(m, ex, slot(known));
  }
  if (!floorAlways_) {
    if (known == RunPlan::kNoSlot) {
      a_.vminpd(ex, ex, ey);
    } else {
      a_.vminpd(ex, ex, slot(known));
    }
    a_.vpsubq(ex, m, ex);
    a_.vpcmpgtq(ex, ex, constant(kApart));
    a_.vorpd(v(kBad), v(kBad), ex);
  }
  a_.vpaddq(m, m, constant(kGrid));
  const Vec t = v(kTemp);
  if (subtract) {
    a_.vaddpd(ex, x, m);
    a_.vsubpd(ex, ex, m);
    a_.vaddpd(ey, y, m);
    a_.vsubpd(ey, ey, m);
    a_.vsubpd(t, ex, ey);
  } else {
    a_.vaddpd(t, x, y);
    a_.vaddpd(t, t, m);
    a_.vsubpd(t, t, m);
  }
  const Vec r = zeros_ ? t : d;
  floorTo(r, t, kTemp + 2, 21, kMask21);
  surely(d, r, kUp126, kOver126);
}

void NarrowRunWriter::compare(const Vec& d, const Value& b, const Value& a) {
  const Vec x = inRegister(b, kTemp);
  const Vec t = v(kTemp);
  if (isRegister(a)) {
    a_.vsubpd(t, x, inRegister(a, kTemp));
  } else {
    a_.vsubpd(t, x, memory(a));
  }
  surely(d, t, kUp120, kOver120);
}

/// As the kernel: what a zero is added to lies outside the range.
void NarrowRunWriter::round(const Vec& d, const Value& a) {
  const Vec x = inRegister(a, kTemp);
  const Vec half = v(kTemp + 1);
  exponent(half, x, kTemp + 2);
  a_.vpsubq(half, half, constant(kHalf));
  a_.vaddpd(v(kTemp), x, half);
  floorTo(v(kTemp), v(kTemp), kTemp + 1, 29, kMask29);
  surely(d, v(kTemp), kUp126, kOver126);
}

void NarrowRunWriter::keepZeros(const Vec& flags) {
  const Vec zeros = v(kTemp + 4);
  a_.vxorpd(zeros, zeros, zeros);
  a_.vcmppd(zeros, zeros, flags, kEq);
}

void NarrowRunWriter::roundFlags(const Vec& to, const Vec& result) {
  const Vec size = v(kTemp);
  a_.vmovapd(size, constant(kOne));
  a_.vandnpd(size, v(kTemp + 4), size);
  a_.vandpd(to, result, constant(kSign));
  a_.vorpd(to, to, size);
}

void NarrowRunWriter::test(const Vec& d, const Value& words, const Value& mask) {
  const Vec none = v(kTemp);
  loadWords(d, words);
  a_.vpand(d, d, memory(mask));
  a_.vpsllq(d, d, 32);
  a_.vpxor(none, none, none);
  a_.vpcmpeqq(none, none, d);
  a_.vpand(d, d, constant(kSign));
  a_.vpor(d, d, constant(kOne));
  a_.vpandn(d, none, d);
}

void NarrowRunWriter::changeSign(const Vec& d, const Value& a, bool negate) {
  const Vec x = inRegister(a, kTemp);
  const Vec t = v(kTemp);
  if (negate) {
    a_.vxorpd(t, x, constant(kSign));
  } else {
    a_.vandpd(t, x, constant(kNoSign));
  }
  surely(d, t, kUp126, kOver126);
}

void NarrowRunWriter::select(const Vec& d, const Value& a, const Vec& flags, NzCond cond,
                             bool known) {
  const Vec meets = v(kMeets);
  const bool bySign = cond == NzCond::Lt || cond == NzCond::Ge;
  const bool other = cond == NzCond::Ge || cond == NzCond::Le || cond == NzCond::Ne;
  if (!known && bySign) {
    a_.vmovapd(meets, flags);
  } else if (!known) {
    a_.vxorpd(meets, meets, meets);
    if (cond == NzCond::Eq || cond == NzCond::Ne) {
      a_.vcmppd(meets, flags, meets, kEq);
    } else {
      a_.vpcmpgtq(meets, flags, meets);
    }
  }
  if (other) {  // those that do not meet the opposite
    a_.vblendvpd(d, inRegister(a, kTemp), d, meets);
  } else if (isRegister(a)) {
    a_.vblendvpd(d, d, inRegister(a, kTemp), meets);
  } else {
    a_.vblendvpd(d, d, memory(a), meets);
  }
}

void NarrowRunWriter::cut(const Vec& d, const Vec& x) {
  floorTo(d, x, kTemp + 1, 29, kMask29);
}

}  // namespace rtvp::c32::simt
