// Eight lanes a vector. A lane that is good has its bit in k1.
#include "models/c32/simt/run_writer.hpp"

namespace rtvp::c32::simt {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

namespace {

// vpcmpq, vcmppd, vrangepd.
constexpr int kEq = 0, kLt = 1, kLe = 2, kNotEq = 4, kNotLt = 5, kNotLe = 6;
constexpr int kLarger = 0b0111, kSmaller = 0b0110;

const Zmm& zero() {
  return zmm31;
}

}  // namespace

void WideRunWriter::loadConstants() {
  for (unsigned i = 0; i < kApart; ++i) {
    const auto which = static_cast<Constant>(i);
    a_.vmovapd(c(which), constant(which));
  }
  a_.vpxorq(zero(), zero(), zero());
}

void WideRunWriter::beginVector() {
  a_.kxnorb(k1, k1, k1);
}

void WideRunWriter::branchIfBad(const asmjit::Label& plain) {
  a_.kortestb(k1, k1);
  a_.jnc(plain);
}

void WideRunWriter::floorTo(const Vec& d, const Vec& x, Constant lift, Constant mask) {
  a_.vpmovq2m(k2, x);
  a_.k(k2).vpaddq(x, x, c(lift));
  a_.vpandq(d, x, c(mask));
}

/// k2: the lanes that are not good, unless their value there is zero.
void WideRunWriter::bad(const Vec& zeroIfGood) {
  a_.k(k2).vptestmq(k2, zeroIfGood, zeroIfGood);
  a_.kandnb(k1, k2, k1);
}

void WideRunWriter::surely(const Vec& r, Constant up, Constant span) {
  const Vec t = v(kMeets);
  a_.vpaddq(t, r, r);
  a_.vpaddq(t, t, c(up));
  if (zeros_) {
    a_.vpcmpq(k2, t, c(span), kNotLt);
    bad(r);
  } else {
    a_.k(k1).vpcmpq(k1, t, c(span), kLt);
  }
}

/// A factor with 24 bits of mantissa.
RunWriter::Vec WideRunWriter::floored(const Value& value, unsigned temp) {
  if (value.isShort) return inRegister(value, temp);
  const Vec t = v(temp);
  a_.vmovapd(t, inRegister(value, temp));
  floorTo(t, t, kLift29, kMask29);
  return t;
}

void WideRunWriter::multiply(const Vec& d, const Value& b, const Value& a) {
  const Vec t = v(kTemp);
  const bool fromMemory = a.isShort && !isRegister(a);
  const Vec x = floored(b, kTemp);
  if (fromMemory) {
    a_.vmulpd(t, x, memory(a));
  } else {
    a_.vmulpd(t, x, floored(a, kTemp + 1));
  }
  // Rounded to nearest a zero of either sign becomes the positive one; the product is exact.
  if (zeros_) a_.rn_sae().vaddpd(t, t, zero());
  floorTo(d, t, kLift21, kMask21);
  surely(d, kUp126, kSpan126);
}

/// Floor to the grid whose constant is in kTemp + 3; a value below the grid's unit is dropped
/// unless the floor is wanted always.
void WideRunWriter::onGrid(const Vec& x) {
  const Vec c = v(kTemp + 3);
  const Vec dropped = v(kTemp + 4);
  a_.vaddpd(x, x, c);
  if (floorAlways_) {
    a_.vsubpd(x, x, c);
    return;
  }
  a_.vcmppd(k2, x, dropped, kNotEq);
  a_.k(k2).z().vsubpd(x, x, c);
}

/// Kernels' quickByMagnitude.
void WideRunWriter::sum(const Vec& d, const Value& b, const Value& a, bool subtract) {
  const Vec x = inRegister(b, kTemp);
  const Vec y = inRegister(a, kTemp + 1);
  const Vec large = v(kTemp + 2);
  const Vec grid = v(kTemp + 3);
  const Vec m = v(kMeets);
  a_.vrangepd(large, x, y, kLarger);
  a_.vpsrlq(m, large, 63);
  a_.vpsubq(m, large, m);
  a_.vpandq(m, m, c(kExponentField));
  a_.vpaddq(grid, m, c(kGrid));
  if (!floorAlways_) a_.vpsubq(v(kTemp + 4), grid, c(kUnit));
  const Vec t = v(kTemp);
  const Vec u = v(kTemp + 1);
  if (subtract) {
    if (t.id() != x.id()) a_.vmovapd(t, x);
    if (u.id() != y.id()) a_.vmovapd(u, y);
    onGrid(t);
    onGrid(u);
    a_.rn_sae().vsubpd(t, t, u);
  } else {
    a_.vrangepd(t, x, y, kSmaller);
    onGrid(t);
    a_.rn_sae().vaddpd(t, large, t);
  }
  floorTo(d, t, kLift21, kMask21);
  a_.vpsubq(t, m, c(kSumLeast));
  if (zeros_) {
    a_.vpcmpuq(k2, t, c(kSumSpan), kNotLt);
    bad(m);
  } else {
    a_.k(k1).vpcmpuq(k1, t, c(kSumSpan), kLt);
  }
}

void WideRunWriter::compare(const Vec& d, const Value& b, const Value& a) {
  const Vec x = inRegister(b, kTemp);
  const Vec y = inRegister(a, kTemp + 1);
  a_.rn_sae().vsubpd(d, x, y);
  surely(d, kUp120, kSpan120);
}

/// As the kernel: what a zero is added to lies outside the range.
void WideRunWriter::round(const Vec& d, const Value& a) {
  const Vec x = inRegister(a, kTemp);
  const Vec half = v(kTemp + 1);
  a_.vpsrlq(half, x, 63);
  a_.vpsubq(half, x, half);
  a_.vpandq(half, half, c(kExponentField));
  a_.vpsubq(half, half, constant(kHalf));
  a_.vaddpd(half, x, half);
  floorTo(d, half, kLift29, kMask29);
  surely(d, kUp126, kSpan126);
}

void WideRunWriter::keepZeros(const Vec& flags) {
  a_.vcmppd(k4, flags, zero(), kNotEq);
}

void WideRunWriter::roundFlags(const Vec& to, const Vec& result) {
  const Vec size = v(kTemp);
  a_.k(k4).z().vmovapd(size, constant(kOne));
  a_.vpandq(to, result, c(kSign));
  a_.vporq(to, to, size);
}

void WideRunWriter::test(const Vec& d, const Value& words, const Value& mask) {
  loadWords(d, words);
  a_.vpandq(d, d, memory(mask));
  a_.vpsllq(d, d, 32);
  a_.vptestmq(k2, d, d);
  a_.vpandq(d, d, c(kSign));
  a_.k(k2).z().vporq(d, d, constant(kOne));
}

void WideRunWriter::changeSign(const Vec& d, const Value& a, bool negate) {
  const Vec x = inRegister(a, kTemp);
  if (negate) {
    a_.rn_sae().vsubpd(d, zero(), x);
  } else {
    a_.vpandq(d, x, c(kNoSign));
  }
  surely(d, kUp126, kSpan126);
}

void WideRunWriter::select(const Vec& d, const Value& a, const Vec& flags, NzCond cond,
                           bool known) {
  if (!known) {
    switch (cond) {
      case NzCond::Eq:
        a_.vcmppd(k3, flags, zero(), kEq);
        break;
      case NzCond::Ne:
        a_.vcmppd(k3, flags, zero(), kNotEq);
        break;
      case NzCond::Lt:
        a_.vpcmpq(k3, flags, zero(), kLt);
        break;
      case NzCond::Le:
        a_.vpcmpq(k3, flags, zero(), kLe);
        break;
      case NzCond::Gt:
        a_.vpcmpq(k3, flags, zero(), kNotLe);
        break;
      case NzCond::Ge:
        a_.vpcmpq(k3, flags, zero(), kNotLt);
        break;
    }
  }
  if (isRegister(a)) {
    const Vec x = inRegister(a, kTemp);
    a_.k(k3).vmovapd(d, x);
  } else {
    const Mem x = memory(a);
    a_.k(k3).vmovapd(d, x);
  }
}

void WideRunWriter::cut(const Vec& d, const Vec& x) {
  if (d.id() != x.id()) a_.vmovapd(d, x);
  floorTo(d, d, kLift29, kMask29);
}

}  // namespace rtvp::c32::simt
