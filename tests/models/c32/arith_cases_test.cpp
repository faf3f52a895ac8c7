// The arithmetic corner cases of c32.md section 11 (numbers in the test names) and its tables of
// section 2 and 3.
#include <gtest/gtest.h>

#include "models/c32/float40.hpp"
#include "models/c32/integer_ops.hpp"

namespace rtvp::c32 {
namespace {

Float40 f(int exponent, std::uint32_t mantissa) {
  return {static_cast<std::int8_t>(exponent), mantissa};
}

void expectFloat(const FloatResult& got, Float40 value, std::uint32_t flags) {
  EXPECT_EQ(got.value.exponent, value.exponent);
  EXPECT_EQ(got.value.mantissa, value.mantissa);
  EXPECT_EQ(got.flags, flags);
}
void expectInt(const IntegerResult& got, std::uint32_t value, std::uint32_t flags) {
  EXPECT_EQ(got.value, value);
  EXPECT_EQ(got.flags, flags);
}

const Float40 kOne = f(0, 0);
const Float40 kMinusOne = f(-1, 0x80000000);

TEST(C32Arith, Cases1To7AddAndSubtract) {
  expectFloat(addf(kMinusOne, kOne), kFloatZero, kZ);
  expectFloat(addf(kFloatZero, kFloatZero), kFloatZero, kZ);
  // -1.5 x 2^-31: exponent -31, field C0000000h.
  expectFloat(addf(kOne, f(-31, 0xC0000000)), f(-1, 0x7FFFFFFC), 0);
  expectFloat(subf(f(0, 1), kOne), f(-31, 0), 0);
  expectFloat(addf(kFloatMax, kFloatMin), f(0x5F, 0x80000000), kN);
  expectFloat(addf(kFloatMax, kFloatMax), kFloatMax, kV);
  expectFloat(addf(kFloatMin, kFloatMin), kFloatMin, kV | kN);
}

TEST(C32Arith, Cases8To14Multiply) {
  const Float40 minusTwo = f(0, 0x80000000);
  expectFloat(mpyf(minusTwo, minusTwo), f(2, 0), 0);
  expectFloat(mpyf(kMinusOne, kMinusOne), kOne, 0);
  expectFloat(mpyf(f(0, 0x40000000), f(0, 0x40000000)), f(1, 0x10000000), 0);
  expectFloat(mpyf(f(-127, 0), f(-1, 0)), kFloatZero, kUF | kZ);
  expectFloat(mpyf(kFloatZero, kFloatMax), kFloatZero, kZ);
  expectFloat(mpyf(f(0, 1), f(0, 1)), kOne, 0);
  expectFloat(mpyf(f(0, 0xF3333333), kOne), f(0, 0xF3333300), kN);
}

TEST(C32Arith, Case15StoreTruncates) {
  EXPECT_EQ(singleFromExtended(f(0, 0xF3333333)), 0x00F33333u);
  EXPECT_EQ(singleFromExtended(rnd(f(0, 0xF3333333)).value), 0x00F33333u);
  EXPECT_EQ(singleFromExtended(f(0, 0x4CCCCCCD)), 0x004CCCCCu);
  EXPECT_EQ(singleFromExtended(rnd(f(0, 0x4CCCCCCD)).value), 0x004CCCCDu);
}

TEST(C32Arith, Cases16And17Float) {
  expectFloat(floatFromInteger(0x80000000), f(0x1E, 0x80000000), kN);
  expectFloat(floatFromInteger(0xFFFFFFFF), kMinusOne, kN);
  expectFloat(floatFromInteger(1), kOne, 0);
  expectFloat(floatFromInteger(0xFFFFFFFE), f(0, 0x80000000), kN);
  expectFloat(floatFromInteger(0xFFFFFFFB), f(2, 0xE0000000), kN);
  expectFloat(floatFromInteger(0x7FFFFFFF), f(0x1E, 0x7FFFFFFE), 0);
  expectFloat(floatFromInteger(5), f(2, 0x20000000), 0);
  expectFloat(floatFromInteger(0), kFloatZero, kZ);
}

TEST(C32Arith, Cases18To20Fix) {
  expectInt(fix(extendedFromDouble(-0.5)), 0xFFFFFFFF, kN);
  expectInt(fix(extendedFromDouble(-1.5)), 0xFFFFFFFE, kN);
  expectInt(fix(extendedFromDouble(1.9)), 1, 0);
  expectInt(fix(extendedFromDouble(0.9)), 0, kZ);
  expectInt(fix(extendedFromDouble(-3.2)), 0xFFFFFFFC, kN);
  expectInt(fix(extendedFromDouble(2147483648.0)), 0x7FFFFFFF, kV);
  expectInt(fix(extendedFromDouble(-2147483648.0)), 0x80000000, kN);
  expectInt(fix(extendedFromDouble(2147483647.0)), 0x7FFFFFFF, 0);
  expectInt(fix(f(-101, 0x80000000)), 0xFFFFFFFF, kN);
}

TEST(C32Arith, Cases23And24Negate) {
  expectFloat(negf(f(-127, 0)), kFloatZero, kUF | kZ);
  expectFloat(negf(kFloatMin), kFloatMax, kV);
  expectFloat(absf(kFloatMin), kFloatMax, kV);
}

TEST(C32Arith, Cases25To27Round) {
  expectFloat(rnd(kFloatZero), kFloatZero, kUF);
  expectFloat(rnd(f(0, 0xFFFFFF80)), kMinusOne, kN);
  expectFloat(rnd(f(127, 0x7FFFFFC0)), f(127, 0x7FFFFF00), kV);
  expectFloat(rnd(f(7, 0x33C16EEF)), f(7, 0x33C16F00), 0);
}

TEST(C32Arith, Case28CompareOverflow) {
  EXPECT_EQ(subf(kFloatMax, kFloatMin).flags, kV);  // N = 0
}

TEST(C32Arith, Cases29To37Integers) {
  const IntegerMode plain;
  const IntegerMode ovm{true, true};
  expectInt(subi(0x80000000, 1, 0, plain), 0x7FFFFFFF, kN | kV);
  expectInt(subi(0x80000000, 1, 0, {false, false}), 0x7FFFFFFF, kV);
  expectInt(subi(0x7FFFFFFF, 0xFFFFFFFF, 0, plain), 0x80000000, kV | kC);
  expectInt(subi(0, 0x80000000, 0, ovm), 0x7FFFFFFF, kV | kC);
  expectInt(subi(0, 0x80000000, 0, plain), 0x80000000, kV | kC);
  expectInt(absi(0x80000000, plain), 0x80000000, kV);
  expectInt(addi(0x7FFFFFFF, 1, 0, ovm), 0x7FFFFFFF, kV);
  expectInt(addi(0xFFFFFFFF, 1, 0, plain), 0, kZ | kC);
  expectInt(subi(0, 1, 0, plain), 0xFFFFFFFF, kN | kC);
  expectInt(mpyi(0x00800000, 2, plain), 0xFF000000, kN);
  expectInt(mpyi(0x7FFFFF, 0x7FFFFF, plain), 0xFF000001, kV);
  expectInt(mpyi(0x7FFFFF, 0x7FFFFF, ovm), 0x7FFFFFFF, kV);
}

TEST(C32Arith, Cases38To43Shifts) {
  const auto minus = [](int n) { return static_cast<std::uint32_t>(-n); };
  expectInt(lsh(0x80000001, minus(32)), 0, kZ | kC);
  expectInt(lsh(1, 32), 0, kZ | kC);
  expectInt(lsh(0x12345678, 0), 0x12345678, 0);
  expectInt(ash(0x12345678, 0), 0x12345678, 0);
  expectInt(ash(0x000AE000, 16), 0xE0000000, kN | kV);
  expectInt(ash(0xAEC00001, minus(24)), 0xFFFFFFAE, kN | kC);
  expectInt(ash(0x80000000, minus(40)), 0xFFFFFFFF, kN | kC);
  expectInt(lsh(0x12345678, 0x80), 0x12345678, 0);
}

TEST(C32Arith, Cases66_71_73_74) {
  EXPECT_EQ(subc(0xFFFFFFFE, 3), 0xFFFFFFF7u);
  expectFloat(norm(f(0, 0x40000000)), f(-1, 0), 0);
  expectFloat(norm(f(0, 0xC0000000)), f(-2, 0x80000000), kN);
  expectFloat(norm(f(0, 0xFFFFFFFF)), f(-32, 0x80000000), kN);
  EXPECT_EQ(lde(f(5, 0x1234), extendedFromShort(0x8000)), kFloatZero);
  expectInt(rol(0x80000000, 0), 0, kZ | kC);
}

TEST(C32Arith, FormatsOfSection2) {
  const struct {
    double value;
    Float40 extended;
    std::uint32_t single;
    std::uint32_t brief;
  } rows[] = {
      {0.0, kFloatZero, 0x80000000, 0x8000},         {1.0, kOne, 0x00000000, 0x0000},
      {-1.0, kMinusOne, 0xFF800000, 0xF800},         {0.5, f(-1, 0), 0xFF000000, 0xF000},
      {-0.5, f(-2, 0x80000000), 0xFE800000, 0xE800}, {2.0, f(1, 0), 0x01000000, 0x1000},
      {-2.0, f(0, 0x80000000), 0x00800000, 0x0800},  {1.5, f(0, 0x40000000), 0x00400000, 0x0400},
      {-1.5, f(0, 0xC0000000), 0x00C00000, 0x0C00},  {3.0, f(1, 0x40000000), 0x01400000, 0x1400},
      {-2.5, f(1, 0xE0000000), 0x01E00000, 0x1E00},  {100.0, f(6, 0x48000000), 0x06480000, 0x6480},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(extendedFromDouble(row.value), row.extended) << row.value;
    EXPECT_EQ(singleFromDouble(row.value), row.single) << row.value;
    EXPECT_EQ(extendedFromSingle(row.single).exponent, row.extended.exponent);
    EXPECT_EQ(extendedFromShort(row.brief), row.extended) << row.value;
    EXPECT_EQ(toDouble(row.extended), row.value);
  }
  EXPECT_EQ(singleFromDouble(3.14159265358979), 0x01490FDBu);
  EXPECT_EQ(singleFromDouble(1e300), 0x7F7FFFFFu);
  EXPECT_EQ(singleFromDouble(-1e300), 0x7F800000u);
  EXPECT_EQ(singleFromDouble(1e-300), 0x80000000u);
}

TEST(C32Arith, IeeeOfSection24) {
  EXPECT_EQ(ieeeFromSingle(0x80000000), 0u);
  EXPECT_EQ(ieeeFromSingle(0x00000000), 0x3F800000u);
  EXPECT_EQ(ieeeFromSingle(0xFF800000), 0xBF800000u);
  EXPECT_EQ(ieeeFromSingle(0x7F800000), 0xFF800000u);  // -2.0 x 2^127: minus infinity
  EXPECT_EQ(ieeeFromSingle(0x81000000), 0x00400000u);  // 2^-127: a denormal
  EXPECT_EQ(singleFromIeee(0x7F800000), 0x7F7FFFFFu);
  EXPECT_EQ(singleFromIeee(0xFF800000), 0x7F800000u);
  EXPECT_EQ(singleFromIeee(0x00000001), 0x80000000u);
  EXPECT_EQ(singleFromIeee(0xBF800000), 0xFF800000u);
  EXPECT_EQ(singleFromIeee(0xBFC00000), 0x00C00000u);
}

TEST(C32Arith, AlignmentAtThirtyToThirtyFourBinades) {
  // 1.0 plus the smallest negative step d binades below: floor costs one unit in the last place
  // until it is ignored.
  for (int d = 30; d <= 34; ++d) {
    const Float40 tiny = f(-d, 0xFFFFFFFF);  // just below -1.0 x 2^-d
    const FloatResult ignored = addf(kOne, tiny, Alignment::IgnoreFrom32);
    const FloatResult floored = addf(kOne, tiny, Alignment::FloorAlways);
    EXPECT_EQ(ignored.value == kOne, d >= 32) << d;
    EXPECT_NE(floored.value, kOne) << d;
    EXPECT_EQ(ignored.value == floored.value, d < 32) << d;
  }
}

}  // namespace
}  // namespace rtvp::c32
