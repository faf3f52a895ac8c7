// What THEIA's driver makes of a scene's triangles: the scale that the machine's products allow,
// and pieces of triangles that would spoil it for the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "platform/drivers/theia/geometry.hpp"

namespace rtvp::host {
namespace {

using scene::Vec3;

void add(scene::Scene& scene, const Vec3& a, const Vec3& b, const Vec3& c) {
  const auto index = static_cast<std::uint32_t>(scene.triangles.size());
  scene.triangles.push_back({{a, b, c}, {}});
  scene.elements.push_back({scene::Element::Kind::Triangle, index, index, 0});
}

/// A floor of two triangles, 24 units wide, under a patch of 2 * 40 * 40 small ones.
scene::Scene floorAndPatch(bool patch) {
  scene::Scene scene;
  scene.width = scene.height = 64;
  scene.camera.eye = {0, 2, 7};
  add(scene, {-12, -1, -12}, {-12, -1, 6}, {12, -1, 6});
  add(scene, {-12, -1, -12}, {12, -1, 6}, {12, -1, -12});
  constexpr double kStep = 0.03;
  for (int i = 0; patch && i < 40; ++i) {
    for (int k = 0; k < 40; ++k) {
      const double x = i * kStep, z = k * kStep;
      add(scene, {x, 0, z}, {x, 0, z + kStep}, {x + kStep, 0, z});
      add(scene, {x + kStep, 0, z}, {x, 0, z + kStep}, {x + kStep, 0, z + kStep});
    }
  }
  return scene;
}

double areaOf(const std::array<Vec3, 3>& v) {
  return length(cross(v[1] - v[0], v[2] - v[0])) / 2;
}

/// theia.md section 8: what |V0 . (E1 x E2)| of whole triangles allows.
double scaleOfWholeTriangles(const scene::Scene& scene) {
  double most = 0;
  for (const scene::Triangle& t : scene.triangles) {
    const Vec3 from = t.v[0] - scene.camera.eye;
    most = std::max(most, std::abs(dot(from, cross(t.v[1] - t.v[0], t.v[2] - t.v[0]))));
  }
  return std::cbrt(10900 / most);
}

TEST(TheiaGeometry, LargeTrianglesAreSplitWhereTheyLeaveSmallOnesFewBits) {
  const scene::Scene scene = floorAndPatch(true);
  const TheiaView view = theiaEyeView(scene, theiaCamera(scene));
  EXPECT_GT(view.pieces.size(), scene.triangles.size());
  EXPECT_LE(view.pieces.size(), scene.triangles.size() * 9 / 8);
  EXPECT_GT(view.scale, 3 * scaleOfWholeTriangles(scene));
  EXPECT_TRUE(std::is_sorted(view.pieces.begin(), view.pieces.end(),
                             [](const auto& a, const auto& b) { return a.element < b.element; }));
}

// theia.md 2.4, 8: |V0 . (E1 x E2)| and the lanes of T x E1 and T x E2 are exact up to 10900.
TEST(TheiaGeometry, SmallTrianglesAreDrawnEnlargedBesideLargeOnes) {
  const scene::Scene scene = floorAndPatch(true);
  const TheiaCamera camera = theiaCamera(scene);
  for (const TheiaPiece& piece : theiaEyeView(scene, camera).pieces) EXPECT_EQ(piece.enlarged, 1);
  double least = 1e300, most = 0;
  for (const TheiaPiece& piece : theiaEyeView(scene, camera, TheiaCorners::Enlarged).pieces) {
    const double k = piece.enlarged;
    EXPECT_EQ(std::exp2(std::round(std::log2(k))), k);
    most = std::max(most, k);
    const Vec3 e1 = (piece.v[1] - piece.v[0]) * k, e2 = (piece.v[2] - piece.v[0]) * k;
    EXPECT_LE(std::abs(dot(piece.v[0], cross(e1, e2))), 10900 * 1.0001);
    for (const Vec3& edge : {e1, e2}) {
      const Vec3 q = cross(piece.v[0], edge);
      // Those that are as they are may exceed it in the lanes of E2.
      if (k == 1) continue;
      EXPECT_LE(std::max({std::abs(q.x), std::abs(q.y), std::abs(q.z)}), 10900);
    }
    least = std::min(least, length(cross(e1, e2)));
  }
  EXPECT_GT(most, 1);
  EXPECT_LE(most, kTheiaMostEnlarged);
  EXPECT_GT(least, 4) << "DELTA is right to a few units of 2^-17";
}

TEST(TheiaGeometry, PiecesAreTheTriangleAgain) {
  const scene::Scene scene = floorAndPatch(true);
  const TheiaCamera camera = theiaCamera(scene);
  const TheiaView view = theiaEyeView(scene, camera);
  const auto seen = [&](const Vec3& p) {
    const Vec3 c = p - camera.eye;
    return Vec3{dot(c, camera.right), dot(c, camera.up) * camera.stretchY,
                -dot(c, camera.forward)} *
           view.scale;
  };
  std::vector<double> areas(scene.triangles.size());
  for (const TheiaPiece& piece : view.pieces) {
    const std::array<Vec3, 3>& whole = scene.triangles[piece.element].v;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [u, v] = piece.uv[i];
      const Vec3 point = whole[0] * (1 - u - v) + whole[1] * u + whole[2] * v;
      EXPECT_LT(length(seen(point) - piece.v[i]), 1e-9);
    }
    areas[piece.element] += areaOf(piece.v);
  }
  for (std::size_t i = 0; i < areas.size(); ++i) {
    const auto& v = scene.triangles[i].v;
    const double expected = areaOf({seen(v[0]), seen(v[1]), seen(v[2])});
    ASSERT_NEAR(areas[i], expected, 1e-9 * expected) << i;
  }
}

TEST(TheiaGeometry, TrianglesOfOneSizeStayWhole) {
  const scene::Scene scene = floorAndPatch(false);
  const TheiaView view = theiaEyeView(scene, theiaCamera(scene));
  EXPECT_EQ(view.pieces.size(), 2U);
  EXPECT_NEAR(view.scale, scaleOfWholeTriangles(scene), 1e-3 * view.scale);
}

TEST(TheiaGeometry, RaysFromAnywhereGetPiecesToo) {
  const scene::Scene scene = floorAndPatch(true);
  const scene::Bounds box = scene.bounds();
  const TheiaView view = theiaRayView(scene, box);
  EXPECT_GT(view.pieces.size(), scene.triangles.size());
  const scene::Scene floor = floorAndPatch(false);
  EXPECT_GT(view.scale, 2 * theiaRayView(floor, box).scale);
}

/// Across the plane of the eye: three quarters of a triangle whose third corner is as far behind it
/// as the others are ahead, a quarter where two are behind.
TEST(TheiaGeometry, TrianglesAcrossTheEyesPlaneAreClipped) {
  for (const int behind : {0, 1, 2, 3}) {
    scene::Scene scene;
    scene.width = scene.height = 64;
    scene.camera.eye = {0, 2, 7};
    const TheiaCamera camera = theiaCamera(scene);
    const auto at = [&](double x, double y, double depth) {
      return camera.eye + camera.right * x + camera.up * y + camera.forward * depth;
    };
    const auto depth = [&](int corner) { return corner >= 3 - behind ? -2.0 : 2.0; };
    const std::array<Vec3, 3> whole{at(-1, -1, depth(0)), at(3, -1, depth(1)), at(0, 2, depth(2))};
    add(scene, whole[0], whole[1], whole[2]);
    const TheiaView view = theiaEyeView(scene, camera);
    const auto seen = [&](const Vec3& p) {
      const Vec3 c = p - camera.eye;
      return Vec3{dot(c, camera.right), dot(c, camera.up) * camera.stretchY,
                  -dot(c, camera.forward)} *
             view.scale;
    };
    double area = 0;
    for (const TheiaPiece& piece : view.pieces) {
      for (std::size_t i = 0; i < 3; ++i) {
        const auto [u, v] = piece.uv[i];
        const Vec3 point = whole[0] * (1 - u - v) + whole[1] * u + whole[2] * v;
        EXPECT_LT(length(seen(point) - piece.v[i]), 1e-6 * view.scale);
        EXPECT_LE(piece.v[i].z, 0);
      }
      area += areaOf(piece.v);
    }
    const double all = areaOf({seen(whole[0]), seen(whole[1]), seen(whole[2])});
    const double share = std::array{1.0, 0.75, 0.25, 0.0}[static_cast<std::size_t>(behind)];
    EXPECT_NEAR(area, share * all, 1e-4 * all) << behind;
  }
}

}  // namespace
}  // namespace rtvp::host
