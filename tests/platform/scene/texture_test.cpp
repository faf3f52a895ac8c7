// Textures: the 2 x 2 box of sl_batch.md, bump normals, cube faces.
#include "platform/scene/texture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/platform/scene/support.hpp"

namespace rtvp::scene::test {
namespace {

Texture grey(int width, int height, std::initializer_list<int> levels) {
  Texture t;
  t.width = width;
  t.height = height;
  for (const int level : levels) {
    const auto byte = static_cast<std::uint8_t>(level);
    t.rgba.insert(t.rgba.end(), {byte, byte, byte, 255});
  }
  return t;
}

TEST(Texture, EqualWeightsNotBilinear) {
  const Texture t = grey(2, 2, {0, 255, 255, 255});
  for (const double s : {0.3, 0.5, 0.7}) {
    EXPECT_FLOAT_EQ(static_cast<float>(sample(t, s, 0.5).x), 0.75F) << s;
  }
}

TEST(Texture, RepeatsInBothDirectionsAndFarAway) {
  const Texture t = grey(4, 1, {0, 51, 102, 153});
  for (const double s : {0.1, 0.4, 0.6, 0.9}) {
    EXPECT_EQ(sample(t, s, 0.2), sample(t, s - 3, -7.5)) << s;
    EXPECT_EQ(sample(t, s, 0.2), sample(t, s + 2, 1e6)) << s;
  }
  for (const double far : {1e30, -1e30, 3e9, -3e9}) {
    EXPECT_TRUE(sample(t, far, far).x >= 0) << far;
  }
}

TEST(Texture, NonFiniteCoordinatesReadBlack) {
  const Texture t = grey(1, 1, {255});
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sample(t, inf, 0), Vec3{});
  EXPECT_EQ(sample(t, 0, std::nan("")), Vec3{});
  EXPECT_EQ(sample(t, 1e300, 0), Vec3{});
  EXPECT_EQ(sample(grey(2, 1, {255, 255}), 3e38, 0), Vec3{});  // the product overflows
  EXPECT_EQ(sample(t, 3e38, 0), (Vec3{1, 1, 1}));
}

TEST(Texture, BumpIsAUnitNormalThatLeansAwayFromHigherGround) {
  Texture t = grey(4, 1, {0, 51, 102, 51});
  t.kind = Texture::Kind::Bump;
  t.bumpHeight = 10;
  // Height differences over two texels: 102/255 * 10 / 2 = 2.
  expectNear(bumpNormal(t, 1, 0), unit({-2, 0, 1}), 1e-12);
  expectNear(bumpNormal(t, 3, 0), unit({2, 0, 1}), 1e-12);
  expectNear(bumpNormal(t, 0, 0), {0, 0, 1}, 1e-12);
  for (int k = 0; k < 50; ++k) EXPECT_NEAR(length(sample(t, k * 0.037, 0.1)), 1, 1e-6);
  Texture flat = grey(2, 2, {9, 9, 9, 9});
  flat.kind = Texture::Kind::Bump;
  flat.bumpHeight = 1e6;
  EXPECT_EQ(sample(flat, 0.3, 0.8), (Vec3{0, 0, 1}));
}

TEST(Texture, CubeReadsItsFacesWithoutWrappingRound) {
  Texture cube;
  cube.kind = Texture::Kind::Cube;
  cube.width = cube.height = 2;
  for (int face = 0; face < 6; ++face) {
    for (int k = 0; k < 4; ++k) {
      cube.rgba.insert(cube.rgba.end(), {static_cast<std::uint8_t>(40 * face), 0, 0, 255});
    }
  }
  EXPECT_NEAR(sampleCube(cube, {0.1, 0.2, -1}).x, 200 / 255.0, 1e-6);
  EXPECT_NEAR(sampleCube(cube, {1, 0.99, -0.99}).x, 0, 1e-6);
  EXPECT_NEAR(sampleCube(cube, {0.1, -2, 1}).x, 120 / 255.0, 1e-6);
}

}  // namespace
}  // namespace rtvp::scene::test
