// See interval.hpp: rules of vectors, distance functions and whole opcodes.
#include <algorithm>
#include <cmath>

#include "models/implicit/interval.hpp"

namespace rtvp::implicit::interval {
namespace {

Interval dot(const Interval* a, const Interval* b, unsigned width) {
  Interval sum = mul(a[0], b[0]);
  for (unsigned n = 1; n < width; ++n) sum = add(sum, mul(a[n], b[n]));
  return sum;
}

/// LEN: the squares know that both factors are one number.
Interval length(const Interval* a, unsigned width) {
  Interval sum = square(a[0]);
  for (unsigned n = 1; n < width; ++n) sum = add(sum, square(a[n]));
  return sqrt(sum);
}

Interval distance(const Interval* a, const Interval* b, unsigned width) {
  std::array<Interval, 4> d;
  for (unsigned n = 0; n < width; ++n) d[n] = sub(a[n], b[n]);
  return length(d.data(), width);
}

/// One component of NORM in real numbers, x / sqrt(x^2 + r^2), with r from the other components.
/// The slack covers the six roundings of the point formula.
Interval direction(const Interval& x, double r_lo, double r_hi, bool undefined) {
  const auto at = [](double v, double r) { return v == 0 ? 0 : v / std::hypot(v, r); };
  constexpr double kSlack = 0x1p-20;
  const double hi = at(x.hi, x.hi >= 0 ? r_lo : r_hi);
  const double lo = at(x.lo, x.lo >= 0 ? r_hi : r_lo);
  // Clipping is right for points too: sqrt(fl(x^2)) is abs(x), and more terms only add.
  return {std::nextafter(static_cast<float>(std::max(lo - kSlack * std::abs(lo), -1.0)), -2.0F),
          std::nextafter(static_cast<float>(std::min(hi + kSlack * std::abs(hi), 1.0)), 2.0F),
          undefined};
}

void normalize(const Interval* a, unsigned width, Interval* out) {
  const Interval l = length(a, width);
  // Squares that neither vanish nor overflow in binary32; else only the division is safe.
  constexpr float kSmall = 0x1p-50F, kLarge = 0x1p60F;
  const bool ordinary = l.lo >= kSmall && l.hi <= kLarge;
  for (unsigned n = 0; n < width; ++n) {
    out[n] = div(a[n], l);
    if (!ordinary || l.undefined) continue;
    double r_lo = 0, r_hi = 0;
    for (unsigned k = 0; k < width; ++k) {
      if (k == n) continue;
      const Interval m = abs(a[k]);
      r_lo = std::hypot(r_lo, static_cast<double>(m.lo));
      r_hi = std::hypot(r_hi, static_cast<double>(m.hi));
    }
    const Interval exact = direction(a[n], r_lo, r_hi, false);
    out[n].lo = std::max(std::max(out[n].lo, exact.lo), -1.0F);
    out[n].hi = std::min(std::min(out[n].hi, exact.hi), 1.0F);
  }
}

void cross(const Interval* a, const Interval* b, Interval* out) {
  for (unsigned n = 0; n < 3; ++n) {
    const unsigned i = (n + 1) % 3, j = (n + 2) % 3;
    out[n] = sub(mul(a[i], b[j]), mul(a[j], b[i]));
  }
}

/// Value of the box formula at one end of q: it grows with every q.
Interval boxAt(const std::array<Interval, 3>& q) {
  std::array<Interval, 3> outside;
  for (unsigned n = 0; n < 3; ++n) outside[n] = max(q[n], Interval{});
  return add(length(outside.data(), 3), min(max(max(q[0], q[1]), q[2]), Interval{}));
}

Interval box(const Interval* half, const Interval* p) {
  std::array<Interval, 3> low, high;
  bool undefined = false;
  for (unsigned n = 0; n < 3; ++n) {
    const Interval q = sub(abs(p[n]), half[n]);
    undefined = undefined || q.undefined;
    low[n] = Interval::of(q.lo);
    high[n] = Interval::of(q.hi);
  }
  const Interval lo = boxAt(low), hi = boxAt(high);
  if (undefined || lo.undefined || hi.undefined) return Interval::whole();
  return {lo.lo, hi.hi, false};
}

Interval torus(const Interval* radii, const Interval* p) {
  const std::array<Interval, 2> flat{p[0], p[2]};
  const std::array<Interval, 2> ring{sub(length(flat.data(), 2), radii[0]), p[1]};
  return sub(length(ring.data(), 2), radii[1]);
}

void multiply(const Interval* m, const Interval* v, unsigned width, Interval* out) {
  for (unsigned row = 0; row < width; ++row) {
    Interval sum = mul(m[row], v[0]);
    for (unsigned n = 1; n < width; ++n) sum = add(sum, mul(m[n * width + row], v[n]));
    out[row] = sum;
  }
}

void reduce(const OpcodeInfo& op, const Operands& in, Interval* out) {
  const unsigned width = widthOf(op.in[0]);
  switch (op.function) {
    case Function::Cross:
      return cross(in[0], in[1], out);
    case Function::Dot:
      *out = dot(in[0], in[1], width);
      return;
    case Function::Length:
      *out = length(in[0], width);
      return;
    case Function::Distance:
      *out = distance(in[0], in[1], width);
      return;
    case Function::Normalize:
      return normalize(in[0], width, out);
    case Function::Promote:
      for (unsigned n = 0; n < op.in.size(); ++n)
        for (unsigned k = 0; k < widthOf(op.in[n]); ++k) *out++ = in[n][k];
      return;
    case Function::SDFSphere:
      *out = sub(length(in[1], 3), *in[0]);
      return;
    case Function::SDFBox:
      *out = box(in[0], in[1]);
      return;
    case Function::SDFTorus:
      *out = torus(in[0], in[1]);
      return;
    case Function::MulMat:
      return multiply(in[0], in[1], widthOf(op.in[1]), out);
    case Function::MulMatPoint: {
      const std::array<Interval, 4> homogeneous{in[1][0], in[1][1], in[1][2], Interval::of(1)};
      std::array<Interval, 4> product;
      multiply(in[0], homogeneous.data(), 4, product.data());
      std::copy_n(product.begin(), 3, out);
      return;
    }
    default:  // Extract: the component is a constant inside the vector
      *out = in[0][static_cast<unsigned>(in[1][0].lo)];
  }
}

}  // namespace

void apply(const OpcodeInfo& op, const Operands& in, Interval* out) {
  if (op.info().reduces) return reduce(op, in, out);
  const auto at = [&](unsigned input, unsigned n) -> const Interval& {
    return in[input][widthOf(op.in[input]) == 1 ? 0 : n];
  };
  for (unsigned n = 0; n < widthOf(op.out[0]); ++n) {
    switch (op.in.size()) {
      case 1:
        out[n] = unary(op.function, at(0, n));
        break;
      case 2:
        out[n] = binary(op.function, at(0, n), at(1, n));
        break;
      default:
        out[n] = ternary(op.function, at(0, n), at(1, n), at(2, n));
    }
  }
}

}  // namespace rtvp::implicit::interval
