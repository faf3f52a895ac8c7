// The two views of a row when some lanes have one of them and others the other.
#include "models/c32/simt/row.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace rtvp::c32::simt {
namespace {

constexpr unsigned kLanes = 16;

RowShape shapeOf(const Kernels& k) {
  RowShape shape;
  shape.k = &k;
  shape.processors = shape.lanes = kLanes;
  shape.all = shape.real = LaneMask::first(kLanes);
  return shape;
}

/// Lane i holds 2^(i + 1), whose exponent is i + 1 and whose mantissa field is 0 (c32.md 2.4). Half
/// of the lanes are asked for their words; then one other lane gets a value of its own: nobody's
/// exponent changes but that lane's.
TEST(SimtRow, AStoreIntoOneLaneLeavesTheExponentsOfOthers) {
  for (const Isa isa : kAllIsas) {
    if (!isaUsable(isa)) continue;
    SCOPED_TRACE(isaName(isa));
    const RowShape shape = shapeOf(kernelsFor(isa, kLanes));
    Row row(shape, false);
    Active every, half, one;
    shape.choose(every, shape.all);
    shape.choose(half, LaneMask::first(kLanes / 2));
    LaneMask last;
    last.set(kLanes - 1);
    shape.choose(one, last);

    double* const f = row.writeF(every, true);
    for (unsigned i = 0; i < kLanes; ++i) f[i] = std::ldexp(1.0, static_cast<int>(i) + 1);
    EXPECT_EQ(row.readM(half).p[3], 0U);
    row.storeExtended(one, Float40{-7, 0x12345678});

    const std::uint32_t* const words = row.exportWords();
    const std::int32_t* const exponents = row.exportExponents();
    for (unsigned i = 0; i + 1 < kLanes; ++i) {
      EXPECT_EQ(exponents[i], static_cast<std::int32_t>(i) + 1) << i;
      EXPECT_EQ(words[i], 0U) << i;
    }
    EXPECT_EQ(exponents[kLanes - 1], -7);
    EXPECT_EQ(words[kLanes - 1], 0x12345678U);
  }
}

}  // namespace
}  // namespace rtvp::c32::simt
