// See oracle.hpp.
#include "tests/models/c32/oracle.hpp"

namespace rtvp::c32::oracle {
namespace {

__extension__ using Big = __int128;

constexpr Big kTwo31 = Big{1} << 31;
constexpr Big kTwo32 = Big{1} << 32;

Big floorDivide(Big a, Big b) {
  Big q = a / b;
  if (a % b != 0 && a < 0) --q;
  return q;
}

/// Arithmetic shift right by any distance: floor.
Big shiftDown(Big m, int distance) {
  for (int i = 0; i < distance; ++i) m = floorDivide(m, 2);
  return m;
}

/// 2.4: the 33-bit signed mantissa.
Big mantissa(Value x) {
  if (x.exponent == -128) return 0;
  const Big fraction = x.field & 0x7FFFFFFFu;
  return (x.field >> 31) != 0 ? fraction - kTwo32 : fraction + kTwo31;
}

Value pack(int e, Big m) {
  const auto low = static_cast<std::uint32_t>(static_cast<std::uint64_t>(m) & 0x7FFFFFFFu);
  return {e, (m < 0 ? 0x80000000u : 0u) | low};
}

/// 3.1 steps 4 to 8.
FloatOut settle(int e, Big m) {
  FloatOut out;
  if (m == 0) {
    out.flags.z = true;
    return out;
  }
  while (m >= kTwo32 || m < -kTwo32) {
    m = floorDivide(m, 2);
    ++e;
  }
  while (m >= -kTwo31 && m < kTwo31) {
    m *= 2;
    --e;
  }
  if (e > 127) {
    out.value = m > 0 ? Value{127, 0x7FFFFFFFu} : Value{127, 0x80000000u};
    out.flags.v = true;
    out.flags.n = m < 0;
  } else if (e <= -128) {
    out.flags.uf = out.flags.z = true;
  } else {
    out.value = pack(e, m);
    out.flags.n = m < 0;
  }
  return out;
}

FloatOut copy(Value x) {
  FloatOut out;
  out.value = x;
  out.flags.n = (x.field >> 31) != 0;
  return out;
}

FloatOut combine(Value a, Value b, int sign, bool ignoreFrom32) {
  const bool aZero = a.exponent == -128;
  const bool bZero = b.exponent == -128;
  if (aZero && bZero) return settle(0, 0);
  if (bZero) return copy(a);
  if (aZero) return sign > 0 ? copy(b) : settle(b.exponent, -mantissa(b));
  const int e = a.exponent > b.exponent ? a.exponent : b.exponent;
  const int d = a.exponent > b.exponent ? a.exponent - b.exponent : b.exponent - a.exponent;
  Big am = mantissa(a);
  Big bm = mantissa(b);
  Big& small = a.exponent < b.exponent ? am : bm;
  if (d >= 32 && ignoreFrom32) {
    small = 0;
  } else if (d != 0) {
    small = shiftDown(small, d);
  }
  return settle(e, sign > 0 ? am + bm : am - bm);
}

Big signed32(std::uint32_t x) {
  return (x >> 31) != 0 ? Big{x} - kTwo32 : Big{x};
}

WordOut integerResult(Big exact, bool carry, bool ovm) {
  WordOut out;
  const Big wrapped = ((exact % kTwo32) + kTwo32) % kTwo32;
  out.value = static_cast<std::uint32_t>(wrapped);
  out.flags.v = exact >= kTwo31 || exact < -kTwo31;
  out.flags.n = exact < 0;
  out.flags.z = wrapped == 0;
  out.flags.c = carry;
  if (out.flags.v && ovm) out.value = exact < 0 ? 0x80000000u : 0x7FFFFFFFu;
  return out;
}

Big signed24(std::uint32_t x) {
  const Big low = x & 0xFFFFFFu;
  return low >= (Big{1} << 23) ? low - (Big{1} << 24) : low;
}

}  // namespace

FloatOut add(Value a, Value b, bool ignoreFrom32) {
  return combine(a, b, 1, ignoreFrom32);
}
FloatOut subtract(Value a, Value b, bool ignoreFrom32) {
  return combine(a, b, -1, ignoreFrom32);
}

FloatOut multiply(Value a, Value b) {
  const Big a24 = shiftDown(mantissa(a), 8);
  const Big b24 = shiftDown(mantissa(b), 8);
  if (a24 == 0 || b24 == 0) return settle(0, 0);
  return settle(a.exponent + b.exponent, shiftDown(a24 * b24, 15));
}

FloatOut negate(Value x) {
  if (x.exponent == -128) return settle(0, 0);
  FloatOut out;
  int e = x.exponent;
  std::uint32_t field = 0u - x.field;
  if (x.field == 0) {
    field = 0x80000000u;
    --e;
  } else if (x.field == 0x80000000u) {
    field = 0;
    ++e;
  }
  if (e == -128) {
    out.flags.uf = out.flags.z = true;
    return out;
  }
  if (e == 128) {
    out.value = {127, 0x7FFFFFFFu};
    out.flags.v = true;
    return out;
  }
  out.value = {e, field};
  out.flags.n = (field >> 31) != 0;
  return out;
}

FloatOut absolute(Value x) {
  if (x.exponent == -128) return settle(0, 0);
  FloatOut out = (x.field >> 31) != 0 ? negate(x) : copy(x);
  out.flags.n = false;
  return out;
}

FloatOut fromInteger(std::uint32_t i) {
  if (i == 0) return settle(0, 0);
  const unsigned sign = i >> 31;
  int k = -1;
  for (int bit = 31; bit >= 0 && (i >> bit & 1u) == sign; --bit) ++k;
  const Big m = signed32(i) * (Big{1} << (k + 1));  // 33-bit mantissa: sign, implied bit, fraction
  FloatOut out;
  out.value = pack(30 - k, m);
  out.flags.n = sign != 0;
  return out;
}

WordOut toInteger(Value x) {
  WordOut out;
  if (x.exponent == -128) {
    out.flags.z = true;
    return out;
  }
  const bool negative = (x.field >> 31) != 0;
  out.flags.n = negative;
  if (x.exponent > 30) {
    out.value = negative ? 0x80000000u : 0x7FFFFFFFu;
    out.flags.v = true;
    return out;
  }
  const Big value = shiftDown(mantissa(x), 31 - x.exponent);
  out.value = static_cast<std::uint32_t>(static_cast<std::uint64_t>(value));
  out.flags.z = value == 0;
  return out;
}

FloatOut round(Value x) {
  FloatOut out;
  if (x.exponent == -128) {
    out.flags.uf = true;
    return out;
  }
  out = settle(x.exponent, mantissa(x) + 0x80);
  out.value.field &= ~0xFFu;
  return out;
}

FloatOut normalize(Value x) {
  FloatOut out;
  if (x.field == 0) {
    out.flags.z = true;
    return out;
  }
  const std::uint32_t sign = x.field >> 31;
  int k = 0;
  while (k < 32 && (x.field >> (31 - k) & 1u) == sign) ++k;
  const int e = x.exponent - k;
  if (e <= -128) {
    out.flags.uf = out.flags.z = true;
    return out;
  }
  const std::uint64_t shifted = std::uint64_t{x.field} << k;
  out.value = {e, sign << 31 | static_cast<std::uint32_t>(shifted & 0x7FFFFFFFu)};
  out.flags.n = sign != 0;
  return out;
}

WordOut addIntegers(std::uint32_t a, std::uint32_t b, unsigned carry, bool ovm) {
  return integerResult(signed32(a) + signed32(b) + carry, Big{a} + b + carry >= kTwo32, ovm);
}

WordOut subtractIntegers(std::uint32_t a, std::uint32_t b, unsigned borrow, bool ovm) {
  return integerResult(signed32(a) - signed32(b) - borrow, Big{a} < Big{b} + borrow, ovm);
}

WordOut multiplyIntegers(std::uint32_t a, std::uint32_t b, bool ovm) {
  return integerResult(signed24(a) * signed24(b), false, ovm);
}

WordOut absoluteInteger(std::uint32_t a, bool ovm) {
  const Big x = signed32(a);
  WordOut out = integerResult(x < 0 ? -x : x, false, ovm);
  out.flags.n = false;
  return out;
}

WordOut shift(std::uint32_t x, std::uint32_t count, bool arithmetic) {
  int n = static_cast<int>(count & 0x7Fu);
  if (n >= 64) n -= 128;
  WordOut out;
  std::uint32_t value = x;
  const bool left = n > 0;
  for (int i = 0; i < (left ? n : -n); ++i) {
    if (left) {
      out.flags.c = (value >> 31) != 0;
      value <<= 1;
    } else {
      out.flags.c = (value & 1u) != 0;
      value = value >> 1 | (arithmetic ? value & 0x80000000u : 0u);
    }
  }
  if (arithmetic && left) {
    Big exact = signed32(x);
    for (int i = 0; i < n; ++i) exact *= 2;
    out.flags.v = exact >= kTwo31 || exact < -kTwo31;
  }
  out.value = value;
  out.flags.n = (value >> 31) != 0;
  out.flags.z = value == 0;
  return out;
}

}  // namespace rtvp::c32::oracle
