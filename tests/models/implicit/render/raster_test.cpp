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

std::vector<std::uint32_t> pixelsOf(const View& view, const Rectangle& area, const Bounds& box,
                                    FaceSet faces) {
  std::vector<PixelRun> runs;
  Rasteriser(view, area).cover(box, faces, runs);
  std::vector<std::uint32_t> pixels;
  for (const PixelRun& run : runs)
    for (std::uint32_t x = run.left; x < run.right; ++x) pixels.push_back(x + area.width * run.row);
  return pixels;
}

std::vector<unsigned> coverage(const View& view, const Bounds& box, FaceSet faces) {
  std::vector<unsigned> count(kSize * kSize);
  for (const std::uint32_t pixel : pixelsOf(view, {0, 0, kSize, kSize}, box, faces)) ++count[pixel];
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
  const std::vector<std::uint32_t> pixels = pixelsOf(view, part, box, faces);
  unsigned expected = 0;
  for (unsigned y = 0; y < part.height; ++y)
    for (unsigned x = 0; x < part.width; ++x)
      expected += whole[part.left + x + kSize * (part.top + y)];
  EXPECT_EQ(pixels.size(), expected);
  for (const std::uint32_t p : pixels)
    EXPECT_EQ(whole[part.left + p % part.width + kSize * (part.top + p / part.width)], 1U);
}

TEST(Rasteriser, RunsAreThePixelsOneByOne) {
  std::mt19937 random(kSeed + 1);
  std::uniform_real_distribution<double> number(-1, 1), size(0.01, 0.9);
  std::size_t covered = 0;
  for (unsigned n = 0; n < 600; ++n) {
    // Of every fourth box corners and edges lie on rays, whose edge functions are exactly 0.
    const bool exact = n % 4 == 3;
    const auto sixteenth = [&] { return std::floor(number(random) * 16) / 16; };
    const Vec centre = exact ? Vec{sixteenth(), sixteenth(), sixteenth()}
                             : Vec{number(random), number(random), number(random)};
    const Vec half = exact ? Vec{0.25, 0.125, 0.5} : Vec{size(random), size(random), size(random)};
    const Bounds box = boxAround(centre, half);
    // From far, near, within, and along lattice planes.
    Vec eye = scaled(randomDirection(random), n % 3 == 0 ? 0.5 : 2.5);
    if (n % 5 == 0) eye[n % 3] = double{box.min[n % 3]};
    Camera camera =
        Camera::lookAt(eye, {0.3 * number(random), 0, 0}, {0, 1, 0.01}, 75, kSize, kSize);
    if (exact) {
      // The high face is 2 away, so that pixels are a sixteenth apart there.
      eye = {sixteenth(), sixteenth(), double{box.max[2]} + 2};
      camera.eye = eye;
      camera.corner = {-1.25, 1.25, -2};
      camera.column = {0.0625, 0, 0};
      camera.row = {0, -0.0625, 0};
    }
    const View view(camera, Affine{}, n % 2 == 0 ? 0.01 : 0.3);
    const Rectangle area{n % 7, n % 11, kSize - n % 13, kSize - n % 17};
    for (const FaceSet faces : {frontFaces(box, eye), backFaces(box, eye), seedFaces(box, eye)}) {
      std::vector<std::uint32_t> single;
      Rasteriser(view, area).coverPixels(box, faces, single);
      ASSERT_EQ(pixelsOf(view, area, box, faces), single) << "seed " << kSeed + 1 << ", box " << n;
      covered += single.size();
    }
  }
  EXPECT_GT(covered, 100000U);
}

/// Fragments of a face in rows beside View::pixelRay() and spanOf() of each.
TEST(Rasteriser, FragmentsInRowsAreRaysOneByOne) {
  std::mt19937 random(kSeed + 2);
  std::uniform_real_distribution<double> number(-1, 1), size(0.05, 0.9), depth(1, 4);
  std::array<unsigned, 4> kinds{};
  for (const common::Isa isa : common::kIsas) {
    if (!common::isaUsable(isa)) continue;
    for (unsigned n = 0; n < 200; ++n) {
      const Bounds box = boxAround({number(random), number(random), number(random)},
                                   {size(random), size(random), size(random)});
      const Vec eye = scaled(randomDirection(random), n % 3 == 0 ? 0.6 : 2.5);
      Camera camera = Camera::lookAt(eye, {}, {0, 1, 0.01}, 75, kSize, kSize);
      if (n % 10 == 0) {  // rays along axes
        camera.corner = {-1, 1, -1};
        camera.column = {0.0625, 0, 0};
        camera.row = {0, -0.0625, 0};
      }
      const View view(camera, Affine{}, n % 2 == 0 ? 0.01 : 0.7);
      rows::Face face{};
      for (unsigned axis = 0; axis < 3; ++axis) {
        face.low[axis] = box.min[axis];
        face.high[axis] = box.max[axis];
      }
      face.axis = n % 3;
      face.plane = face.high[face.axis];
      face.exact_exit = n % 4 != 0;
      face.patched = n % 3 == 0;
      face.early_depth = n % 5 != 0;
      face.carries = face.exact_exit && n % 2 == 0;
      rows::Fragments rows;
      const std::size_t count = 1 + n % rows::kMostFragments;
      for (std::size_t k = 0; k < count; ++k) {
        rows.x[k] = static_cast<double>((k * 7 + n) % kSize);
        rows.y[k] = static_cast<double>((k * 3) % kSize);
        rows.depth[k] = k % 6 == 0 ? INFINITY : depth(random);
        rows.clear[k] = k % 2 == 0 ? depth(random) : 0;
      }
      rows::kernels(isa).fragments(rows, count, view.rows(), face);
      for (std::size_t k = 0; k < count; ++k) {
        const View::PixelRay pixel =
            view.pixelRay(static_cast<unsigned>(rows.x[k]), static_cast<unsigned>(rows.y[k]));
        Span span = spanOf(pixel.ray, box);
        if (face.exact_exit) {
          if (face.patched) span.enter = std::max(span.enter, pixel.near);
        } else {
          span.enter = (face.plane - pixel.ray.origin[face.axis]) / pixel.ray.direction[face.axis];
          span.leave = span.enter;
        }
        if (!(span.enter >= pixel.near)) span = {};
        double kind = rows::kClipped;
        if (!span.empty()) {
          const double far = rows.depth[k] * pixel.scale;
          const bool behind = face.early_depth && span.enter >= far;
          if (face.early_depth && face.exact_exit) span.leave = std::min(span.leave, far);
          const bool carried = !behind && face.carries && rows.clear[k] >= span.leave;
          kind = behind ? rows::kBehind : carried ? rows::kCarried : rows::kTraced;
        }
        ASSERT_EQ(rows.kind[k], kind) << "seed " << kSeed + 2 << ", face " << n << ", " << k;
        ++kinds.at(static_cast<std::size_t>(kind));
        if (kind == rows::kClipped) continue;
        ASSERT_EQ(rows.enter[k], span.enter) << "seed " << kSeed + 2 << ", face " << n;
        ASSERT_EQ(rows.leave[k], span.leave) << "seed " << kSeed + 2 << ", face " << n;
        ASSERT_EQ(rows.scale[k], pixel.scale);
        for (unsigned axis = 0; axis < 3; ++axis)
          ASSERT_EQ(rows.direction[axis][k], pixel.ray.direction[axis]);
      }
    }
  }
  for (const unsigned kind : kinds) EXPECT_GT(kind, 500U);
}

}  // namespace
}  // namespace rtvp::implicit::render::test
