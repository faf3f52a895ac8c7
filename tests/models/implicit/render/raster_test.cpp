// The rasteriser of cuboid faces: every ray through a cuboid is covered exactly once by the faces
// that are drawn, wherever the eye is; shared edges belong to one side (sdf.md 9.2).
#include "models/implicit/render/raster.hpp"

#include <map>

#include "tests/models/implicit/render/scene.hpp"

namespace rtvp::implicit::render::test {
namespace {

constexpr unsigned kSeed = 77;
constexpr unsigned kSize = 40;

Bounds boxAround(const Vec& centre, const Vec& half) {
  Bounds box;
  for (unsigned n = 0; n < 3; ++n) {
    box.min[n] = static_cast<float>(centre[n] - half[n]);
    box.max[n] = static_cast<float>(centre[n] + half[n]);
  }
  return box;
}

std::vector<unsigned> coverage(const View& view, const Bounds& box, FaceSet faces) {
  std::vector<std::uint32_t> pixels;
  Rasteriser(view, {0, 0, kSize, kSize}).cover(box, faces, pixels);
  std::vector<unsigned> count(kSize * kSize);
  for (const std::uint32_t pixel : pixels) ++count[pixel];
  return count;
}

TEST(Rasteriser, FrontFacesCoverEachRayOnce) {
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> number(-1, 1), size(0.02, 0.6);
  unsigned covered = 0, level = 0;
  for (unsigned n = 0; n < 400; ++n) {
    const Bounds box = boxAround({number(random), number(random), number(random)},
                                 {size(random), size(random), size(random)});
    const Vec eye = scaled(randomDirection(random), n % 2 == 0 ? 3 : 2);
    const Camera camera =
        Camera::lookAt(eye, {0.2 * number(random), 0, 0}, {0, 1, 0.01}, 70, kSize, kSize);
    const View view(camera, Affine{}, 0.01);
    const FaceSet front = frontFaces(box, eye);
    level += std::popcount(front) < 3 ? 1U : 0U;
    const std::vector<unsigned> front_count = coverage(view, box, front);
    const std::vector<unsigned> back_count = coverage(view, box, backFaces(box, eye));
    const std::vector<unsigned> seed_count = coverage(view, box, seedFaces(box, eye));
    for (unsigned pixel = 0; pixel < kSize * kSize; ++pixel) {
      const Span span = spanOf(view.pixelRay(pixel % kSize, pixel / kSize).ray, box);
      if (std::abs(span.leave - span.enter) < 1e-6) continue;  // along an edge
      const unsigned expected = span.empty() || span.leave < 0 ? 0 : 1;
      ASSERT_EQ(front_count[pixel], expected) << "seed " << kSeed << ", box " << n;
      ASSERT_EQ(back_count[pixel], expected) << "seed " << kSeed << ", box " << n;
      ASSERT_GE(seed_count[pixel], expected);
      covered += expected;
    }
  }
  EXPECT_GT(covered, 10000U);
  EXPECT_GT(level, 20U);
}

TEST(Rasteriser, BackFacesCoverEachRayFromWithin) {
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> number(-1, 1);
  for (unsigned n = 0; n < 50; ++n) {
    const Bounds box = boxAround({0, 0, 0}, {1, 0.5, 0.25});
    const Vec eye{number(random), number(random) * 0.5, number(random) * 0.25};
    const View view(
        Camera::lookAt(eye, add(eye, randomDirection(random)), {0, 1, 0.01}, 100, kSize, kSize),
        Affine{}, 1e-3);
    EXPECT_EQ(backFaces(box, eye), 0x3F);
    for (const unsigned count : coverage(view, box, 0x3F)) ASSERT_EQ(count, 1U);
  }
}

TEST(Rasteriser, PixelsOnSharedEdgesBelongToOneCuboid) {
  // An even picture size and an axis-parallel view: rays run exactly along lattice planes.
  Camera camera;
  camera.eye = {0, 0, 4};
  camera.corner = {-5, 5, -4};
  camera.column = {0.25, 0, 0};
  camera.row = {0, -0.25, 0};
  const View view(camera, Affine{}, 0.01);
  std::vector<unsigned> total(kSize * kSize);
  for (int x = -2; x < 2; ++x) {
    for (int y = -2; y < 2; ++y) {
      const auto left = static_cast<float>(x), low = static_cast<float>(y);
      const Bounds box{{left, low, -1}, {left + 1, low + 1, 0}};
      const auto count = coverage(view, box, 0x20);  // z high, at z = 0
      for (unsigned p = 0; p < total.size(); ++p) total[p] += count[p];
    }
  }
  // Rays at (x, y) = -5 + 0.25 i meet z = 0 there: 16 of them in [-2, 2), left and top edges in.
  unsigned covered = 0;
  for (const unsigned count : total) {
    ASSERT_LE(count, 1U);
    covered += count;
  }
  EXPECT_EQ(covered, 16U * 16U);
  EXPECT_EQ(total[12 + kSize * 12], 1U);  // (-2, 2): left and top
  EXPECT_EQ(total[28 + kSize * 12], 0U);  // (2, 2): right
  EXPECT_EQ(total[12 + kSize * 28], 0U);  // (-2, -2): bottom
}

TEST(Rasteriser, VertexOrderOfTheReference) {
  // Bit 2 = x high, bit 1 = y high, bit 0 = z high; faces as sdf.md 9.2 lists them.
  const std::array<std::array<std::uint8_t, 4>, 6> expected{
      {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 4, 5}, {2, 3, 6, 7}, {0, 2, 4, 6}, {1, 3, 5, 7}}};
  EXPECT_EQ(kFaceVertices, expected);
  const Bounds box{{-1, -1, -1}, {1, 1, 1}};
  EXPECT_EQ(frontFaces(box, {3, 0, -3}), 0x02 | 0x10);          // x high, z low; level in y
  EXPECT_EQ(seedFaces(box, {3, 0, -3}), 0x02 | 0x04 | 0x10);    // and y low, which shows its back
  EXPECT_EQ(seedFaces(box, {3, 0.1, -3}), 0x02 | 0x08 | 0x10);  // or y high
  EXPECT_EQ(frontFaces(box, {0, 0, 0}), 0);
}

TEST(Rasteriser, RectanglesAreParts) {
  const View view(Camera::lookAt({2, 1.5, 2.5}, {}, {0, 1, 0}, 60, kSize, kSize), Affine{}, 0.01);
  const Bounds box{{-1, -1, -1}, {1, 1, 1}};
  const FaceSet faces = frontFaces(box, view.eye());
  const std::vector<unsigned> whole = coverage(view, box, faces);
  const Rectangle part{7, 11, 13, 9};
  std::vector<std::uint32_t> pixels;
  Rasteriser(view, part).cover(box, faces, pixels);
  unsigned expected = 0;
  for (unsigned y = 0; y < part.height; ++y)
    for (unsigned x = 0; x < part.width; ++x)
      expected += whole[part.left + x + kSize * (part.top + y)];
  EXPECT_EQ(pixels.size(), expected);
  for (const std::uint32_t p : pixels)
    EXPECT_EQ(whole[part.left + p % part.width + kSize * (part.top + p / part.width)], 1U);
}

}  // namespace
}  // namespace rtvp::implicit::render::test
