// Camera rays, bounds and normals of the scene model.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "platform/scene/scene.hpp"
#include "tests/platform/scene/support.hpp"

namespace rtvp::scene::test {
namespace {

Camera looking(Camera::Projection projection) {
  Camera c;
  c.projection = projection;
  c.eye = {0, 0, 10};
  c.lookAt = {0, 0, 0};
  return c;
}

TEST(SceneCamera, ShkSpansHalfAUnitEachWayOnBothAxes) {
  const Camera c = looking(Camera::Projection::Shk);
  // board.md 5.3: X = (i + .5 - w/2)/w, Y upwards, here counted from the top left corner.
  expectNear(c.direction(0, 0, 200, 100), unit({-0.5, 0.5, -1}), 1e-15);
  expectNear(c.direction(200, 100, 200, 100), unit({0.5, -0.5, -1}), 1e-15);
  expectNear(c.direction(100, 50, 200, 100), {0, 0, -1}, 1e-15);
  expectNear(c.direction(0.5, 50, 200, 100), unit({0.5 / 200 - 0.5, 0, -1}), 1e-15);
}

TEST(SceneCamera, ShkFollowsTheUpVector) {
  Camera c = looking(Camera::Projection::Shk);
  c.up = {1, 0, 0};
  // Right is view x up = -z x x = -y.
  expectNear(c.direction(2, 1, 2, 2), unit({0, -0.5, -1}), 1e-15);
  expectNear(c.direction(1, 0, 2, 2), unit({0.5, 0, -1}), 1e-15);
}

TEST(SceneCamera, NffAngleSpansTheOuterPixelCentres) {
  Camera c = looking(Camera::Projection::Nff);
  c.angle = 45;
  const Vec3 top = c.direction(2, 0.5, 4, 7);
  const Vec3 bottom = c.direction(2, 6.5, 4, 7);
  EXPECT_NEAR(std::acos(dot(top, bottom)) * 180 / std::acos(-1.0), 45, 1e-10);
  EXPECT_GT(top.y, 0);
}

TEST(SceneCamera, NffPixelsAreSquare) {
  Camera c = looking(Camera::Projection::Nff);
  c.angle = 60;
  const auto slope = [](const Vec3& d) { return Vec3{d.x / -d.z, d.y / -d.z, 0}; };
  const Vec3 a = slope(c.direction(10.5, 10.5, 300, 100));
  const Vec3 right = slope(c.direction(11.5, 10.5, 300, 100));
  const Vec3 down = slope(c.direction(10.5, 11.5, 300, 100));
  EXPECT_NEAR(right.x - a.x, a.y - down.y, 1e-14);
  EXPECT_NEAR(right.y, a.y, 1e-14);
}

TEST(SceneCamera, DegenerateViewsStayFinite) {
  for (const auto projection : {Camera::Projection::Shk, Camera::Projection::Nff}) {
    for (const Vec3& up : {Vec3{0, 0, 1}, Vec3{0, 0, -5}, Vec3{0, 0, 0}, Vec3{1e-12, 0, 1}}) {
      for (const Vec3& target : {Vec3{0, 0, 0}, Vec3{0, 0, 10}, Vec3{0, 5, 10}, Vec3{3, 0, 10}}) {
        Camera c = looking(projection);
        c.up = up;
        c.lookAt = target;
        for (const int side : {1, 2, 64}) {
          const Vec3 d = c.direction(0.25, 0.75, side, side);
          EXPECT_NEAR(length(d), 1, 1e-12);
        }
        // Whatever the roll, the middle of the picture looks at the target.
        const Vec3 view = unit(target - c.eye);
        expectNear(c.direction(32, 32, 64, 64), view == Vec3{} ? Vec3{0, 0, -1} : view, 1e-12);
      }
    }
  }
}

TEST(SceneCamera, PlaneHoldsTheDirections) {
  Camera camera;
  camera.eye = {3, 2, 5};
  camera.lookAt = {0.3, 0.1, -1};
  camera.angle = 37;
  for (const Camera::Projection projection : {Camera::Projection::Shk, Camera::Projection::Nff}) {
    camera.projection = projection;
    const Camera::Plane plane = camera.plane(64, 40);
    for (const auto& [x, y] : {std::pair{0.5, 0.5}, {63.5, 39.5}, {20.25, 31.75}}) {
      expectNear(unit(plane.corner + plane.column * x + plane.row * y),
                 camera.direction(x, y, 64, 40), 1e-14);
    }
  }
}

TEST(SceneModel, BoundsCoverTrianglesAndSpheres) {
  const Scene s = loadText("a.shk", "t -1 0 0 1 0 0 0 2 0\nsphere 5 0 0 2\n");
  const Bounds all = s.bounds();
  expectNear(all.lo, {-1, -2, -2}, 0);
  expectNear(all.hi, {7, 2, 2}, 0);
  expectNear(s.bounds(s.elements[0]).hi, {1, 2, 0}, 0);
  EXPECT_TRUE(Bounds{}.empty());
  EXPECT_EQ(Bounds{}.diagonal(), 0);
  Bounds grown = all;
  grown.include(Bounds{});
  EXPECT_EQ(grown.lo, all.lo);
}

TEST(SceneModel, GeometricNormals) {
  const Scene s = loadText("a.shk", "t 0 0 0 4 0 0 0 4 0\nsphere 5 0 0 2\n");
  expectNear(s.geometricNormal(0, {1, 1, 0}), {0, 0, 1}, 0);
  expectNear(s.geometricNormal(1, {5, 2, 0}), {0, 1, 0}, 0);
  EXPECT_NEAR(length(s.geometricNormal(1, {5, 0, 0})), 1, 0);
}

}  // namespace
}  // namespace rtvp::scene::test
