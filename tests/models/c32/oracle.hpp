// Definitional arithmetic of the C32: the step lists of c32.md section 3 word by word, on 128-bit
// integers, loops instead of bit tricks. Slow on purpose, shares no code with the engine.
#pragma once

#include <cstdint>

namespace rtvp::c32::oracle {

struct Value {
  int exponent = -128;  ///< -128..127
  std::uint32_t field = 0;
};
struct Flags {
  bool v = false, uf = false, n = false, z = false, c = false;
};
struct FloatOut {
  Value value;
  Flags flags;
};
struct WordOut {
  std::uint32_t value = 0;
  Flags flags;
};

FloatOut add(Value a, Value b, bool ignoreFrom32);
FloatOut subtract(Value a, Value b, bool ignoreFrom32);
FloatOut multiply(Value a, Value b);
FloatOut negate(Value x);
FloatOut absolute(Value x);
FloatOut fromInteger(std::uint32_t i);
WordOut toInteger(Value x);
FloatOut round(Value x);  ///< z is meaningless
FloatOut normalize(Value x);

WordOut addIntegers(std::uint32_t a, std::uint32_t b, unsigned carry, bool ovm);
WordOut subtractIntegers(std::uint32_t a, std::uint32_t b, unsigned borrow, bool ovm);
WordOut multiplyIntegers(std::uint32_t a, std::uint32_t b, bool ovm);
WordOut absoluteInteger(std::uint32_t a, bool ovm);
WordOut shift(std::uint32_t x, std::uint32_t count, bool arithmetic);

}  // namespace rtvp::c32::oracle
