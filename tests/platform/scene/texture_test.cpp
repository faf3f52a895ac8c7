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

TEST(Texture, BoxIsTheWorkedExampleOfTheContract) {
  // sl_batch.md: 3 x 2 texels at (0.1, 0.3): columns 2 and 0, rows 0 and 1.
  const Box box = boxAt(0.1F, 0.3F, 3, 2);
  ASSERT_TRUE(box.valid);
  EXPECT_EQ(std::vector<int>(box.i, box.i + 4), (std::vector<int>{2, 0, 2, 0}));
  EXPECT_EQ(std::vector<int>(box.j, box.j + 4), (std::vector<int>{0, 0, 1, 1}));
}

TEST(Texture, EqualWeightsNotBilinear) {
  const Texture t = grey(2, 2, {0, 255, 255, 255});
  for (const double s : {0.3, 0.5, 0.7}) {
    EXPECT_DOUBLE_EQ(sample(t, s, 0.5).x, 0.75) << s;
  }
}

TEST(Texture, RepeatsInBothDirectionsAndFarAway) {
  const Texture t = grey(4, 1, {0, 51, 102, 153});
  for (const double s : {0.1, 0.4, 0.6, 0.9}) {
    EXPECT_EQ(sample(t, s, 0.2), sample(t, s - 3, -7.5)) << s;
    EXPECT_EQ(sample(t, s, 0.2), sample(t, s + 2, 1e6)) << s;
  }
  for (const float far : {1e30F, -1e30F, 3e9F, -3e9F}) {
    const Box box = boxAt(far, far, 4093, 7);
    EXPECT_TRUE(box.valid);
    for (int k = 0; k < 4; ++k) {
      EXPECT_TRUE(box.i[k] >= 0 && box.i[k] < 4093 && box.j[k] >= 0 && box.j[k] < 7) << far;
    }
  }
}

TEST(Texture, NonFiniteCoordinatesReadBlack) {
  const Texture t = grey(1, 1, {255});
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sample(t, inf, 0), Vec3{});
  EXPECT_EQ(sample(t, 0, std::nan("")), Vec3{});
  EXPECT_EQ(sample(t, 1e300, 0), Vec3{});
  EXPECT_FALSE(boxAt(3e38F, 0, 4096, 1).valid);  // the product overflows
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
  for (int k = 0; k < 50; ++k) EXPECT_NEAR(length(sample(t, k * 0.037, 0.1)), 1, 1e-12);
  Texture flat = grey(2, 2, {9, 9, 9, 9});
  flat.kind = Texture::Kind::Bump;
  flat.bumpHeight = 1e6;
  EXPECT_EQ(sample(flat, 0.3, 0.8), (Vec3{0, 0, 1}));
}

TEST(Texture, CubeFacesMeetAtTheirEdges) {
  EXPECT_EQ(cubePlace({1, 0, 0}).face, 0);
  EXPECT_EQ(cubePlace({-1, 0, 0}).face, 1);
  EXPECT_EQ(cubePlace({0, 2, 0}).face, 2);
  EXPECT_EQ(cubePlace({0, -2, 0}).face, 3);
  EXPECT_EQ(cubePlace({0, 0, 3}).face, 4);
  EXPECT_EQ(cubePlace({0, 0, -3}).face, 5);
  // An eye in the centre that looks along +z has -x on its right.
  EXPECT_EQ(cubePlace({-1, 0, 2}).s, 0.75F);
  EXPECT_EQ(cubePlace({0, 1, 2}).t, 0.75F);
  EXPECT_EQ(cubePlace({1, 0, 0.5}).s, 0.75F);
  // The top face continues the +z face upwards.
  EXPECT_EQ(cubePlace({-0.5, 1, 0.999}).face, 2);
  EXPECT_NEAR(cubePlace({-0.5, 1, 0.999}).t, 0, 0.001);
  EXPECT_NEAR(cubePlace({-0.5, 1, 0.999}).s, 0.75, 0.001);
  EXPECT_NEAR(cubePlace({-0.5, 0.999, 1}).t, 1, 0.001);
  EXPECT_NEAR(cubePlace({-0.5, 0.999, 1}).s, 0.75, 0.001);
  // The bottom face continues it downwards.
  EXPECT_NEAR(cubePlace({-0.5, -1, 0.999}).t, 1, 0.001);
  EXPECT_NEAR(cubePlace({-0.5, -1, 0.999}).s, 0.75, 0.001);
  for (const Vec3& odd : {Vec3{}, Vec3{std::nan(""), 1, 0}, Vec3{INFINITY, 1, 0}}) {
    const CubePlace place = cubePlace(odd);
    EXPECT_TRUE(place.face >= 0 && place.face < 6);
    EXPECT_TRUE(place.s >= 0 && place.s <= 1 && place.t >= 0 && place.t <= 1);
  }
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
  EXPECT_DOUBLE_EQ(sampleCube(cube, {0.1, 0.2, -1}).x, 200 / 255.0);
  EXPECT_DOUBLE_EQ(sampleCube(cube, {1, 0.99, -0.99}).x, 0);
  EXPECT_DOUBLE_EQ(sampleCube(cube, {0.1, -2, 1}).x, 120 / 255.0);
}

}  // namespace
}  // namespace rtvp::scene::test
