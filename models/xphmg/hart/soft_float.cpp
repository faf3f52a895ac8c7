#include "models/xphmg/hart/soft_float.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <utility>

namespace rtvp::rv64::fp {
namespace {

__extension__ using Wide = unsigned __int128;

struct Layout {
  int fraction;  ///< bits stored
  int bias;
  [[nodiscard]] int minExponent() const { return 1 - bias; }
  [[nodiscard]] std::uint64_t fractionMask() const { return (std::uint64_t{1} << fraction) - 1; }
  [[nodiscard]] int exponentField() const { return 2 * bias + 1; }
  [[nodiscard]] int signBit() const { return fraction == 52 ? 63 : 31; }
  [[nodiscard]] std::uint64_t infinity(bool negative) const {
    return (static_cast<std::uint64_t>(exponentField()) << fraction) |
           (std::uint64_t{negative} << signBit());
  }
  [[nodiscard]] std::uint64_t largest(bool negative) const { return infinity(negative) - 1; }
};

Layout layoutOf(Precision p) {
  return p == Precision::Double ? Layout{52, 1023} : Layout{23, 127};
}

enum class Kind : std::uint8_t { Zero, Finite, Infinity, QuietNan, SignallingNan };

/// A number taken apart: for Finite the value is significand * 2^exponent, bit 63 set.
struct Parts {
  Kind kind = Kind::Zero;
  bool negative = false;
  int exponent = 0;
  std::uint64_t significand = 0;

  [[nodiscard]] bool nan() const { return kind >= Kind::QuietNan; }
};

Parts unpack(const Layout& f, std::uint64_t bits) {
  Parts out;
  out.negative = ((bits >> f.signBit()) & 1U) != 0;
  const int field =
      static_cast<int>((bits >> f.fraction) & static_cast<unsigned>(f.exponentField()));
  const std::uint64_t fraction = bits & f.fractionMask();
  if (field == f.exponentField()) {
    if (fraction == 0) {
      out.kind = Kind::Infinity;
    } else {
      out.kind = (fraction >> (f.fraction - 1)) != 0 ? Kind::QuietNan : Kind::SignallingNan;
    }
    return out;
  }
  if (field == 0 && fraction == 0) return out;
  out.kind = Kind::Finite;
  const std::uint64_t significand =
      field == 0 ? fraction : fraction | (std::uint64_t{1} << f.fraction);
  const int shift = std::countl_zero(significand);
  out.significand = significand << shift;
  out.exponent = (field == 0 ? 1 : field) - f.bias - f.fraction - shift;
  return out;
}

int topBit(Wide value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 127 - std::countl_zero(high)
                   : 63 - std::countl_zero(static_cast<std::uint64_t>(value));
}

/// Whether a value whose discarded part compares as given with one half rounds away from zero.
bool roundsUp(Rounding rm, bool negative, bool odd, bool above_half, bool half, bool inexact) {
  switch (rm) {
    case Rounding::RNE:
      return above_half || (half && odd);
    case Rounding::RTZ:
      return false;
    case Rounding::RDN:
      return negative && inexact;
    case Rounding::RUP:
      return !negative && inexact;
    case Rounding::RMM:
      return above_half || half;
  }
  return false;
}

/// value / 2^shift rounded to an integer; `inexact` tells whether anything was lost.
Wide shiftAndRound(Wide value, int shift, bool negative, Rounding rm, bool& inexact) {
  inexact = false;
  if (shift <= 0) return value << -shift;
  const Wide kept = shift > 127 ? 0 : value >> shift;
  const Wide lost = shift > 127 ? value : value & ((Wide{1} << shift) - 1);
  inexact = lost != 0;
  const Wide half_value = shift > 128 ? Wide{0} : Wide{1} << (shift - 1);
  const bool half = half_value != 0 && lost == half_value;
  const bool above = half_value != 0 && lost > half_value;
  return kept + Wide{roundsUp(rm, negative, (kept & 1U) != 0, above, half, inexact)};
}

Result overflow(const Layout& f, bool negative, Rounding rm) {
  const bool to_infinity = rm == Rounding::RNE || rm == Rounding::RMM ||
                           (rm == Rounding::RUP && !negative) || (rm == Rounding::RDN && negative);
  return {to_infinity ? f.infinity(negative) : f.largest(negative), kOF | kNX};
}

/// Rounds value * 2^exponent (value != 0; its lowest bit may stand for lost ones) to the format.
Result roundAndPack(const Layout& f, bool negative, int exponent, Wide value, Rounding rm) {
  const int leading = topBit(value) + exponent;
  const int precise_ulp = leading - f.fraction;
  const int ulp = std::max(precise_ulp, f.minExponent() - f.fraction);
  bool inexact = false;
  const Wide rounded = shiftAndRound(value, ulp - exponent, negative, rm, inexact);
  std::uint8_t flags = inexact ? kNX : 0;
  if (inexact && leading < f.minExponent()) {
    // Tiny after rounding: rounded with an unbounded exponent it still lies below the normals.
    bool ignored = false;
    const Wide unbounded = shiftAndRound(value, precise_ulp - exponent, negative, rm, ignored);
    if (topBit(unbounded) + precise_ulp < f.minExponent()) flags |= kUF;
  }
  const auto significand = static_cast<std::uint64_t>(rounded);
  std::uint64_t bits = significand;
  if ((significand >> f.fraction) != 0) {
    // A carry into bit fraction+1 adds one to the exponent field by itself and leaves fraction 0.
    const int field = ulp + f.fraction + f.bias + ((significand >> (f.fraction + 1)) != 0 ? 1 : 0);
    if (field >= f.exponentField()) return overflow(f, negative, rm);
    bits = (static_cast<std::uint64_t>(field) << f.fraction) |
           ((significand >> (f.fraction + 1)) != 0 ? 0 : significand & f.fractionMask());
  }
  return {bits | (std::uint64_t{negative} << f.signBit()), flags};
}

std::uint64_t quietNan(const Layout& f) {
  return f.infinity(false) | (std::uint64_t{1} << (f.fraction - 1));
}

std::uint64_t zero(const Layout& f, bool negative) {
  return std::uint64_t{negative} << f.signBit();
}

Result nanResult(const Layout& f, std::initializer_list<Parts> operands, bool invalid = false) {
  for (const Parts& operand : operands) invalid = invalid || operand.kind == Kind::SignallingNan;
  return {quietNan(f), static_cast<std::uint8_t>(invalid ? kNV : 0)};
}

/// One addend: value * 2^exponent with its leading bit at kTop, so that three bits are free above.
struct Addend {
  bool negative;
  int exponent;
  Wide value;
};
constexpr int kTop = 124;

Addend normalised(bool negative, int exponent, Wide value) {
  const int shift = kTop - topBit(value);
  return {negative, exponent - shift, value << shift};
}

/// value >> shift; the lowest bit of the result also stands for what was lost.
Wide shiftWithSticky(Wide value, int shift) {
  if (shift == 0) return value;
  if (shift > 127) return Wide{1};
  return (value >> shift) | Wide{(value & ((Wide{1} << shift) - 1)) != 0};
}

Result addParts(const Layout& f, Addend a, Addend b, Rounding rm) {
  if (a.exponent < b.exponent) std::swap(a, b);
  b.value = shiftWithSticky(b.value, a.exponent - b.exponent);
  if (a.negative == b.negative) {
    return roundAndPack(f, a.negative, a.exponent, a.value + b.value, rm);
  }
  if (a.value == b.value) return {zero(f, rm == Rounding::RDN), 0};
  const bool a_wins = a.value > b.value;
  const Wide difference = a_wins ? a.value - b.value : b.value - a.value;
  return roundAndPack(f, a_wins ? a.negative : b.negative, a.exponent, difference, rm);
}

/// Sum of two zeros, or of a zero and something else that is returned as it is.
Result addSigned(const Layout& f, const Parts& a, const Parts& b, std::uint64_t a_bits,
                 std::uint64_t b_bits, Rounding rm) {
  if (a.nan() || b.nan()) return nanResult(f, {a, b});
  if (a.kind == Kind::Infinity || b.kind == Kind::Infinity) {
    if (a.kind == b.kind && a.negative != b.negative) return nanResult(f, {}, true);
    return {a.kind == Kind::Infinity ? a_bits : b_bits, 0};
  }
  if (a.kind == Kind::Zero && b.kind == Kind::Zero) {
    return {a.negative == b.negative ? a_bits : zero(f, rm == Rounding::RDN), 0};
  }
  if (a.kind == Kind::Zero) return {b_bits, 0};
  if (b.kind == Kind::Zero) return {a_bits, 0};
  return addParts(f, normalised(a.negative, a.exponent, a.significand),
                  normalised(b.negative, b.exponent, b.significand), rm);
}

/// An order-preserving integer for everything but NaN; both zeros give 0.
std::int64_t ordered(const Layout& f, std::uint64_t bits) {
  const std::uint64_t magnitude = bits & ((std::uint64_t{1} << f.signBit()) - 1);
  const auto value = static_cast<std::int64_t>(magnitude);
  return ((bits >> f.signBit()) & 1U) != 0 ? -value : value;
}

Result minMax(Precision p, std::uint64_t a, std::uint64_t b, bool want_less) {
  const Layout f = layoutOf(p);
  const Parts pa = unpack(f, a);
  const Parts pb = unpack(f, b);
  const std::uint8_t flags =
      pa.kind == Kind::SignallingNan || pb.kind == Kind::SignallingNan ? kNV : 0;
  if (pa.nan() && pb.nan()) return {quietNan(f), flags};
  if (pa.nan()) return {b, flags};
  if (pb.nan()) return {a, flags};
  const std::int64_t oa = ordered(f, a);
  const std::int64_t ob = ordered(f, b);
  const bool a_less = oa < ob || (oa == ob && pa.negative && !pb.negative);
  return {a_less == want_less ? a : b, flags};
}

Result compare(Precision p, std::uint64_t a, std::uint64_t b, bool or_equal) {
  const Layout f = layoutOf(p);
  if (unpack(f, a).nan() || unpack(f, b).nan()) return {0, kNV};
  const std::int64_t oa = ordered(f, a);
  const std::int64_t ob = ordered(f, b);
  return {std::uint64_t{oa < ob || (or_equal && oa == ob)}, 0};
}

}  // namespace

Result add(Precision p, std::uint64_t a, std::uint64_t b, Rounding rm) {
  const Layout f = layoutOf(p);
  return addSigned(f, unpack(f, a), unpack(f, b), a, b, rm);
}

Result sub(Precision p, std::uint64_t a, std::uint64_t b, Rounding rm) {
  const Layout f = layoutOf(p);
  const std::uint64_t negated = b ^ (std::uint64_t{1} << f.signBit());
  return addSigned(f, unpack(f, a), unpack(f, negated), a, negated, rm);
}

Result mul(Precision p, std::uint64_t a, std::uint64_t b, Rounding rm) {
  const Layout f = layoutOf(p);
  const Parts pa = unpack(f, a);
  const Parts pb = unpack(f, b);
  if (pa.nan() || pb.nan()) return nanResult(f, {pa, pb});
  const bool negative = pa.negative != pb.negative;
  if (pa.kind == Kind::Infinity || pb.kind == Kind::Infinity) {
    if (pa.kind == Kind::Zero || pb.kind == Kind::Zero) return nanResult(f, {}, true);
    return {f.infinity(negative), 0};
  }
  if (pa.kind == Kind::Zero || pb.kind == Kind::Zero) return {zero(f, negative), 0};
  return roundAndPack(f, negative, pa.exponent + pb.exponent, Wide{pa.significand} * pb.significand,
                      rm);
}

Result div(Precision p, std::uint64_t a, std::uint64_t b, Rounding rm) {
  const Layout f = layoutOf(p);
  const Parts pa = unpack(f, a);
  const Parts pb = unpack(f, b);
  if (pa.nan() || pb.nan()) return nanResult(f, {pa, pb});
  const bool negative = pa.negative != pb.negative;
  if (pa.kind == Kind::Infinity) {
    if (pb.kind == Kind::Infinity) return nanResult(f, {}, true);
    return {f.infinity(negative), 0};
  }
  if (pb.kind == Kind::Infinity) return {zero(f, negative), 0};
  if (pb.kind == Kind::Zero) {
    if (pa.kind == Kind::Zero) return nanResult(f, {}, true);
    return {f.infinity(negative), kDZ};
  }
  if (pa.kind == Kind::Zero) return {zero(f, negative), 0};
  const Wide dividend = Wide{pa.significand} << 63;
  const Wide quotient = dividend / pb.significand;
  const Wide sticky{dividend % pb.significand != 0};
  return roundAndPack(f, negative, pa.exponent - pb.exponent - 64, (quotient << 1) | sticky, rm);
}

Result sqrt(Precision p, std::uint64_t a, Rounding rm) {
  const Layout f = layoutOf(p);
  const Parts pa = unpack(f, a);
  if (pa.nan()) return nanResult(f, {pa});
  if (pa.kind == Kind::Zero) return {a, 0};
  if (pa.negative) return nanResult(f, {}, true);
  if (pa.kind == Kind::Infinity) return {a, 0};
  // An even exponent, so that the root of the power of two is exact.
  const bool odd = (pa.exponent & 1) != 0;
  const Wide radicand = Wide{pa.significand} << (odd ? 61 : 60);
  const int exponent = pa.exponent - (odd ? 61 : 60);
  Wide root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const Wide trial = root | (Wide{1} << bit);
    if (trial * trial <= radicand) root = trial;
  }
  const Wide sticky{root * root != radicand};
  return roundAndPack(f, false, exponent / 2 - 1, (root << 1) | sticky, rm);
}

Result fma(Precision p, std::uint64_t a, std::uint64_t b, std::uint64_t c, Rounding rm) {
  const Layout f = layoutOf(p);
  const Parts pa = unpack(f, a);
  const Parts pb = unpack(f, b);
  const Parts pc = unpack(f, c);
  const bool infinite = pa.kind == Kind::Infinity || pb.kind == Kind::Infinity;
  const bool zero_factor = pa.kind == Kind::Zero || pb.kind == Kind::Zero;
  if (pa.nan() || pb.nan() || pc.nan()) return nanResult(f, {pa, pb, pc}, infinite && zero_factor);
  if (infinite && zero_factor) return nanResult(f, {}, true);
  const bool negative = pa.negative != pb.negative;
  if (infinite) {
    if (pc.kind == Kind::Infinity && pc.negative != negative) return nanResult(f, {}, true);
    return {f.infinity(negative), 0};
  }
  if (pc.kind == Kind::Infinity) return {c, 0};
  if (zero_factor) {
    if (pc.kind != Kind::Zero) return {c, 0};
    return {pc.negative == negative ? c : zero(f, rm == Rounding::RDN), 0};
  }
  const int exponent = pa.exponent + pb.exponent;
  const Wide product = Wide{pa.significand} * pb.significand;
  if (pc.kind == Kind::Zero) return roundAndPack(f, negative, exponent, product, rm);
  // The product's low bits are zeros: its factors have at most 53 significant bits each.
  const int drop = std::max(0, topBit(product) - kTop);
  const Addend factor = {negative, exponent + drop, product >> drop};
  return addParts(f, factor, normalised(pc.negative, pc.exponent, pc.significand), rm);
}

Result min(Precision p, std::uint64_t a, std::uint64_t b) {
  return minMax(p, a, b, true);
}
Result max(Precision p, std::uint64_t a, std::uint64_t b) {
  return minMax(p, a, b, false);
}

Result equal(Precision p, std::uint64_t a, std::uint64_t b) {
  const Layout f = layoutOf(p);
  const Parts pa = unpack(f, a);
  const Parts pb = unpack(f, b);
  if (pa.nan() || pb.nan()) {
    const bool signalling = pa.kind == Kind::SignallingNan || pb.kind == Kind::SignallingNan;
    return {0, static_cast<std::uint8_t>(signalling ? kNV : 0)};
  }
  return {std::uint64_t{ordered(f, a) == ordered(f, b)}, 0};
}

Result less(Precision p, std::uint64_t a, std::uint64_t b) {
  return compare(p, a, b, false);
}
Result lessOrEqual(Precision p, std::uint64_t a, std::uint64_t b) {
  return compare(p, a, b, true);
}

std::uint64_t classify(Precision p, std::uint64_t a) {
  const Layout f = layoutOf(p);
  const Parts parts = unpack(f, a);
  const bool subnormal = ((a >> f.fraction) & static_cast<unsigned>(f.exponentField())) == 0;
  switch (parts.kind) {
    case Kind::SignallingNan:
      return 1U << 8U;
    case Kind::QuietNan:
      return 1U << 9U;
    case Kind::Infinity:
      return parts.negative ? 1U << 0U : 1U << 7U;
    case Kind::Zero:
      return parts.negative ? 1U << 3U : 1U << 4U;
    case Kind::Finite:
      break;
  }
  if (subnormal) return parts.negative ? 1U << 2U : 1U << 5U;
  return parts.negative ? 1U << 1U : 1U << 6U;
}

Result toInteger(Precision p, std::uint64_t a, unsigned width, bool is_signed, Rounding rm) {
  const Parts parts = unpack(layoutOf(p), a);
  const std::uint64_t unsigned_max = ~std::uint64_t{0};  // of a word too: it is sign-extended
  const std::uint64_t signed_max = (std::uint64_t{1} << (width - 1)) - 1;
  const std::uint64_t too_large = is_signed ? signed_max : unsigned_max;
  const std::uint64_t too_small = is_signed ? ~signed_max : 0;
  if (parts.nan()) return {too_large, kNV};
  if (parts.kind == Kind::Infinity) return {parts.negative ? too_small : too_large, kNV};
  if (parts.kind == Kind::Zero) return {0, 0};
  if (parts.exponent > 0) return {parts.negative ? too_small : too_large, kNV};
  bool inexact = false;
  const Wide magnitude =
      shiftAndRound(parts.significand, -parts.exponent, parts.negative, rm, inexact);
  const Wide limit = is_signed ? (Wide{1} << (width - 1)) - Wide{!parts.negative}
                               : (parts.negative ? Wide{0} : (Wide{1} << width) - 1);
  if (magnitude > limit) return {parts.negative ? too_small : too_large, kNV};
  auto value = static_cast<std::uint64_t>(magnitude);
  if (parts.negative) value = ~value + 1;
  if (width == 32) {
    value = static_cast<std::uint64_t>(
        static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(value))));
  }
  return {value, static_cast<std::uint8_t>(inexact ? kNX : 0)};
}

Result fromInteger(Precision p, std::uint64_t value, bool is_signed, Rounding rm) {
  const bool negative = is_signed && (value >> 63U) != 0;
  if (value == 0) return {0, 0};
  return roundAndPack(layoutOf(p), negative, 0, negative ? ~value + 1 : value, rm);
}

Result convert(Precision from, Precision to, std::uint64_t a, Rounding rm) {
  const Parts parts = unpack(layoutOf(from), a);
  const Layout f = layoutOf(to);
  if (parts.nan()) return nanResult(f, {parts});
  if (parts.kind == Kind::Infinity) return {f.infinity(parts.negative), 0};
  if (parts.kind == Kind::Zero) return {zero(f, parts.negative), 0};
  return roundAndPack(f, parts.negative, parts.exponent, parts.significand, rm);
}

bool isNan(Precision p, std::uint64_t a) {
  return unpack(layoutOf(p), a).nan();
}

bool isSignallingNan(Precision p, std::uint64_t a) {
  return unpack(layoutOf(p), a).kind == Kind::SignallingNan;
}

std::uint64_t canonicalNan(Precision p) {
  return quietNan(layoutOf(p));
}

}  // namespace rtvp::rv64::fp
