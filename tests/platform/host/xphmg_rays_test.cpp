// Ray entries for an XPHMG_RT unit: what is done at once in FP32 against the same word by word.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "models/xphmg/layout.hpp"
#include "platform/drivers/xphmg/ray_entries.hpp"

namespace rtvp::host {
namespace {

using scene::Vec3;

/// Among ordinary numbers those that rounding, NaN and signs of zero could treat differently.
class Numbers {
 public:
  explicit Numbers(unsigned seed) : random_(seed) {}
  double any() {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    constexpr std::array kOdd{0.0,
                              -0.0,
                              1e-320,
                              1e-46,
                              1e39,
                              -1e39,
                              3.4028235677973366e38,
                              1e300,
                              kInf,
                              -kInf,
                              std::numeric_limits<double>::quiet_NaN()};
    if (random_() % 8 == 0) return kOdd[random_() % kOdd.size()];
    return std::ldexp(std::uniform_real_distribution<>(-1, 1)(random_),
                      static_cast<int>(random_() % 24) - 12);
  }
  Vec3 vector() {
    const double x = any(), y = any();
    return {x, y, any()};
  }
  bool coin() { return random_() % 2 != 0; }

 private:
  std::mt19937 random_;
};

TEST(XphmgRays, AllAtOnceAreTheSameBytesAsWordByWord) {
  SCOPED_TRACE("seed 21");
  Numbers numbers(21);
  for (const xphmg::Format format :
       {xphmg::Format::Fp32, xphmg::Format::Fp16, xphmg::Format::Bf16}) {
    const XphmgSpace space{format, {0.1, -2, 37}, 0.5};
    std::vector<Ray> rays(20'000);
    for (Ray& ray : rays) {
      ray = {numbers.vector(), numbers.vector(), numbers.coin() ? kInfinity : numbers.any()};
      ray.kind = numbers.coin() ? Ray::Kind::Any : Ray::Kind::Nearest;
    }
    constexpr std::uint64_t kFirst = 0xFFFF'FFFF'FFFF'FF00;
    std::vector<std::uint8_t> entries(rays.size() * xphmg::kRayEntryBytes, 0xAA);
    encodeXphmgRays(space, rays, kFirst, entries.data());
    for (std::size_t i = 0; i < rays.size(); ++i) {
      std::array<std::uint8_t, xphmg::kRayEntryBytes> plain;
      plain.fill(0x55);
      encodeXphmgRay(space, rays[i], kFirst + i, plain.data());
      ASSERT_TRUE(
          std::equal(plain.begin(), plain.end(),
                     entries.begin() + static_cast<std::ptrdiff_t>(i * xphmg::kRayEntryBytes)))
          << "ray " << i << ", format " << static_cast<int>(format);
    }
  }
}

// The words themselves, by hand.
TEST(XphmgRays, AnEntryHoldsOriginDirectionAndLimits) {
  const XphmgSpace space{xphmg::Format::Fp32, {1, 0, 0}, 2};
  Ray ray{{1.5, 0, -1}, {0, 0.5, 0}, 8};
  ray.kind = Ray::Kind::Any;
  std::array<std::uint8_t, xphmg::kRayEntryBytes> entry{};
  encodeXphmgRays(space, {&ray, 1}, 7, entry.data());
  const auto word = [&](unsigned k) { return xphmg::loadElement(entry.data() + 4 * k, 4); };
  EXPECT_EQ(word(0), 0x3F800000U);  // (1.5 - 1) * 2
  EXPECT_EQ(word(2), 0xC0000000U);
  EXPECT_EQ(word(4), 0x3F000000U);
  EXPECT_EQ(word(6), 1U);
  EXPECT_EQ(word(7), 0x41FFFFFFU);  // below 8 * 2 / 0.5 = 32
  EXPECT_EQ(xphmg::loadU64(entry.data() + xphmg::kRayTagOffset), 7U);
  ray.tmax = kInfinity;
  ray.kind = Ray::Kind::Nearest;
  encodeXphmgRays(space, {&ray, 1}, 7, entry.data());
  EXPECT_EQ(word(7), 0x7F800000U);
}

}  // namespace
}  // namespace rtvp::host
