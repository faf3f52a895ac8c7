// Camera rays, bounds and normals of the scene model.
#include "platform/scene/camera.hpp"

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

// Where a point is in the picture: 0 to 1 inside, from the left and from the top.
std::pair<double, double> seenAt(const Scene& s, const Vec3& p) {
  const Camera::Plane plane = s.camera.plane(s.width, s.height);
  const Vec3 d = p - s.camera.eye;
  // d is along corner + column x + row y: Cramer's rule.
  const double whole = dot(plane.corner, cross(plane.column, plane.row));
  const double depth = dot(d, cross(plane.column, plane.row)) / whole;
  EXPECT_GT(depth, 0) << "behind the eye";
  const Vec3 q = d * (1 / depth) - plane.corner;
  const Vec3 n = cross(plane.column, plane.row);
  return {dot(q, cross(plane.row, n)) / dot(plane.column, cross(plane.row, n)) / s.width,
          dot(q, cross(plane.column, n)) / dot(plane.row, cross(plane.column, n)) / s.height};
}

void expectAllInside(const Scene& s) {
  for (const Triangle& t : s.triangles) {
    for (const Vec3& v : t.v) {
      const auto [x, y] = seenAt(s, v);
      EXPECT_TRUE(x > -1e-9 && x < 1 + 1e-9 && y > -1e-9 && y < 1 + 1e-9) << x << ' ' << y;
    }
  }
}

// A cube fills its bounds: from the usual place its corners were cut off.
constexpr std::string_view kCube =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 1 2 3 4\nf 5 6 7 8\n"
    "f 1 2 6 5\nf 3 4 8 7\n";

TEST(FittedCamera, SeesAllSidesInAnyPicture) {
  for (const auto& [w, h] : {std::pair{512, 512}, {640, 200}, {100, 300}}) {
    for (const std::string_view stretch :
         {kCube, std::string_view("v 0 0 0\nv 9 0 0\nv 0 0 1\n"
                                  "v 0 0 9\nf 1 2 3\nf 1 2 4\n")}) {
      Scene s = loadText("a.obj", stretch);
      s.width = w;
      s.height = h;
      placeCamera(s, {});
      expectAllInside(s);
      for (const std::string_view side : {"1,2,3", "0,1,0", "-5,0,0:0,0,1", "0,0,1"}) {
        placeCamera(s, {"", side});
        expectAllInside(s);
      }
    }
  }
}

TEST(FittedCamera, PixelsAreSquareInAnyPicture) {
  Scene s = loadText("a.obj", kCube);
  EXPECT_TRUE(s.fittedCamera);
  s.width = 300;
  s.height = 100;
  placeCamera(s, {});
  const Camera::Plane plane = s.camera.plane(s.width, s.height);
  EXPECT_NEAR(length(plane.column), length(plane.row), 1e-12);
}

TEST(WishedCamera, IsWhatItSays) {
  Scene s = loadText("a.obj", kCube);
  placeCamera(s, {"1,2,3:4,5,6:40:0,0,1", ""});
  EXPECT_EQ(s.camera.eye, (Vec3{1, 2, 3}));
  EXPECT_EQ(s.camera.lookAt, (Vec3{4, 5, 6}));
  EXPECT_EQ(s.camera.up, (Vec3{0, 0, 1}));
  EXPECT_EQ(s.camera.angle, 40);
  placeCamera(s, {"0,5,0:0,0,0:40", ""});
  EXPECT_GT(length(cross(s.camera.up, Vec3{0, 1, 0})), 0.5) << "straight down needs another up";
  try {
    placeCamera(s, {"1,2:3,4,5:6", ""});
    FAIL();
  } catch (const SceneError& e) {
    EXPECT_EQ(std::string(e.what()).substr(0, 44), "render.camera: found '1,2:3,4,5:6', expected");
  }
}

}  // namespace
}  // namespace rtvp::scene::test
