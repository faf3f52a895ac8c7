// RT-048, RT-103: rays at hubs and spokes of closed fans, and at vertices and edges of real meshes:
// no crack, no double hit. Built twice: quick with 100 000 rays a case, long with 10 million.
//
// What must be hit follows from the outline alone: the winding number of the ring around the ray in
// the sheared plane. Silhouettes (the ray meets the outline itself) and fans that fold after the
// shear (triangles of both orientations) are counted apart; for folded ones front minus back hits
// must still be the winding number.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <random>

#include "models/xphmg/intersect.hpp"
#include "platform/scene/load.hpp"
#include "tests/support/paths.hpp"

#ifndef RTVP_WATERTIGHT_RAYS
#define RTVP_WATERTIGHT_RAYS 100'000
#endif

namespace rtvp::xphmg {
namespace {

constexpr std::uint64_t kRays = RTVP_WATERTIGHT_RAYS;

using Point = std::array<float, 3>;
using Words = std::array<std::uint32_t, 3>;

Precision precisionOf(Format format) {
  Precision p;
  p.format = format;
  return p;
}

/// Points and words of a format, exactly the same numbers.
struct Grid {
  explicit Grid(Format format) : precision(precisionOf(format)) {}
  [[nodiscard]] float round(double x) const {
    Stickies ignored;
    return decode(precision, encode(precision, precision.format, x, ignored), ignored);
  }
  [[nodiscard]] std::uint32_t word(float x) const {
    Stickies ignored;
    return encode(precision, precision.format, x, ignored);
  }
  Precision precision;
};

/// Triangles (hub, ring[i], ring[i + 1]), closed.
struct Fan {
  Point hub{};
  std::vector<Point> ring;
};

struct Tally {
  std::uint64_t rays = 0, inside = 0, outside = 0, cracks = 0, doubles = 0, ghosts = 0;
  std::uint64_t silhouettes = 0, folded = 0, foldedWrong = 0, onFeature = 0;
  void print(const std::string& name) const {
    std::cout << name << ": " << rays << " rays, " << inside << " inside a closed fan ("
              << onFeature << " exactly on a vertex or edge of the sheared plane), " << cracks
              << " cracks, " << doubles << " double hits; " << outside << " outside, " << ghosts
              << " hits there; apart: " << silhouettes << " silhouettes, " << folded
              << " folded, of these " << foldedWrong << " with front - back hits != winding\n";
  }
};

/// The ray as the reference describes the shear, written again.
struct Plane {
  explicit Plane(const Ray& ray) : ray_(ray) {
    const auto& d = ray.d;
    for (unsigned k = 1; k < 3; ++k) {
      if (std::fabs(d[k]) >= std::fabs(d[z])) z = k;
    }
    // Ties: x against y goes to y, either against z to z; x wins only when larger than both.
    x = (z + 1) % 3;
    y = (z + 2) % 3;
    if (d[z] < 0) std::swap(x, y);
    sx = d[x] / d[z];
    sy = d[y] / d[z];
  }
  [[nodiscard]] std::array<double, 2> operator()(const Point& p) const {
    const float pz = p[z] - ray_.o[z];
    const float shear_x = sx * pz, shear_y = sy * pz;
    const float px = p[x] - ray_.o[x], py = p[y] - ray_.o[y];
    const float qx = px - shear_x, qy = py - shear_y;
    return {qx, qy};
  }
  unsigned x = 0, y = 0, z = 0;
  float sx = 0, sy = 0;

 private:
  const Ray& ray_;
};

using Flat = std::array<double, 2>;

double cross(const Flat& a, const Flat& b) {
  return a[0] * b[1] - a[1] * b[0];  // FP32 values: the sign is exact
}

/// Of the closed polygon around (0, 0); nothing when the origin lies on it.
std::optional<int> winding(const std::vector<Flat>& ring) {
  int turns = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Flat& a = ring[i];
    const Flat& b = ring[(i + 1) % ring.size()];
    const double side = cross(a, b);
    if (side == 0 && a[0] * b[0] <= 0 && a[1] * b[1] <= 0) return std::nullopt;
    if (a[1] <= 0 && b[1] > 0 && side > 0) ++turns;
    if (a[1] > 0 && b[1] <= 0 && side < 0) --turns;
  }
  return turns;
}

class Shooter {
 public:
  Shooter(Format format, unsigned seed) : grid_(format), random_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11U) * 0x1p-53;
  }
  std::mt19937_64& random() { return random_; }
  [[nodiscard]] const Grid& grid() const { return grid_; }

  /// Aims one ray at the hub or a spoke from a distance of the order of `size`.
  void shoot(const Fan& fan, double size, Tally& tally) {
    Point target = fan.hub;
    if (random_() % 2 != 0) {
      const Point& end = fan.ring[random_() % fan.ring.size()];
      const double s = random_() % 4 == 0 ? 0.5 : uniform(0, 0.95);
      for (unsigned k = 0; k < 3; ++k)
        target[k] = grid_.round(double{target[k]} + s * (double{end[k]} - double{target[k]}));
    }
    Ray ray;
    ray.tmin = -INFINITY;
    ray.tmax = INFINITY;
    const std::uint64_t kind = random_() % 3;
    if (kind == 0) {  // along an axis: the shear is the identity, features are met exactly
      const unsigned axis = static_cast<unsigned>(random_() % 3);
      ray.o = target;
      ray.o[axis] = grid_.round(double{target[axis]} + uniform(-size, size));
      ray.d[axis] = random_() % 2 != 0 ? 1.0F : -1.0F;
    } else {
      for (unsigned k = 0; k < 3; ++k) {
        const double from = double{target[k]} + uniform(-size, size);
        ray.o[k] = grid_.round(kind == 1 ? std::nearbyint(from * 16) / 16 : from);
        ray.d[k] = grid_.round(double{target[k]} - double{ray.o[k]});
      }
    }
    if (ray.d == Point{}) ray.d[2] = 1;
    judge(fan, ray, tally);
  }

 private:
  void judge(const Fan& fan, const Ray& ray, Tally& tally) {
    const Plane plane(ray);
    const Flat hub = plane(fan.hub);
    std::vector<Flat>& ring = ring_;
    ring.clear();
    for (const Point& p : fan.ring) ring.push_back(plane(p));
    bool left = false, right = false, flat = false, on = hub[0] == 0 && hub[1] == 0;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const Flat& a = ring[i];
      const Flat& b = ring[(i + 1) % ring.size()];
      const double area = (cross(hub, a) + cross(a, b)) + cross(b, hub);
      left = left || area > 0;
      right = right || area < 0;
      flat = flat || area == 0;
      on = on || cross(hub, a) == 0;
    }
    ++tally.rays;
    const std::optional<int> turns = winding(ring);
    if (!turns) {
      ++tally.silhouettes;
      return;
    }
    const auto [hits, sum] = countHits(fan, ray, tally.rays);
    if ((left && right) || flat || std::abs(*turns) > 1) {
      ++tally.folded;
      // A front face runs clockwise in the sheared plane: its z axis points away from the origin.
      if (sum != -*turns) ++tally.foldedWrong;
      return;
    }
    if (*turns == 0) {
      ++tally.outside;
      if (hits != 0) ++tally.ghosts;
      return;
    }
    ++tally.inside;
    if (on) ++tally.onFeature;
    if (hits == 0) ++tally.cracks;
    if (hits > 1) ++tally.doubles;
  }

  struct Hits {
    int hits, sum;
  };
  /// Every triangle by itself, from element words; corners rotate, and some triangles are turned
  /// over, which a fan's neighbours must not notice.
  Hits countHits(const Fan& fan, const Ray& ray, std::uint64_t salt) {
    const ShearRay shear(ray);
    const TriOptions options{false, false, lowerBound(ray.tmin, 0)};
    const unsigned width = grid_.precision.elementBytes();
    Hits out{0, 0};
    for (std::size_t i = 0; i < fan.ring.size(); ++i) {
      std::array<const Point*, 3> corner{&fan.hub, &fan.ring[i],
                                         &fan.ring[(i + 1) % fan.ring.size()]};
      std::rotate(corner.begin(), corner.begin() + (salt + i) % 3, corner.end());
      const bool over = (salt * 2654435761U + i * 40503U) % 4 == 0;
      if (over) std::swap(corner[0], corner[1]);
      std::array<std::uint8_t, 36> bytes{};
      for (unsigned n = 0; n < 9; ++n)
        storeElement(bytes.data() + std::size_t{n} * width, width,
                     grid_.word((*corner[n / 3])[n % 3]));
      Stickies stickies;
      const Triangle triangle = decodeTriangle(grid_.precision, bytes.data(), stickies);
      const TriResult r = intersectTriangle(shear, triangle, options, stickies);
      if (!r.hit) continue;
      ++out.hits;
      out.sum += r.front != over ? 1 : -1;
    }
    return out;
  }

  Grid grid_;
  std::mt19937_64 random_;
  std::vector<Flat> ring_;
};

void expectWatertight(const Tally& tally) {
  EXPECT_EQ(tally.cracks, 0U);
  EXPECT_EQ(tally.doubles, 0U);
  EXPECT_EQ(tally.ghosts, 0U);
  EXPECT_EQ(tally.foldedWrong, 0U);
  EXPECT_GT(tally.inside, tally.rays / 4);
  EXPECT_GT(tally.onFeature, tally.rays / 50);
}

Fan randomFan(Shooter& shooter) {
  const Grid& grid = shooter.grid();
  Fan fan;
  const double scale = std::exp2(shooter.uniform(-6, 3));
  Point centre{};
  for (unsigned k = 0; k < 3; ++k) centre[k] = grid.round(shooter.uniform(-4, 4));
  const unsigned n = 3 + static_cast<unsigned>(shooter.random()() % 6);
  // A basis of random attitude.
  const double a = shooter.uniform(0, 6.283), b = shooter.uniform(-1, 1);
  const double s = std::sqrt(1 - b * b);
  const double w[3] = {s * std::cos(a), s * std::sin(a), b};
  const double u[3] = {-std::sin(a), std::cos(a), 0};
  const double v[3] = {w[1] * u[2] - w[2] * u[1], w[2] * u[0] - w[0] * u[2],
                       w[0] * u[1] - w[1] * u[0]};
  fan.hub = centre;
  for (unsigned i = 0; i < n; ++i) {
    const double angle = 6.283185307179586 * (i + shooter.uniform(-0.3, 0.3)) / n;
    const double r = scale * shooter.uniform(0.3, 1), h = scale * shooter.uniform(-0.3, 0.3);
    Point p{};
    for (unsigned k = 0; k < 3; ++k) {
      p[k] = grid.round(double{centre[k]} + r * (std::cos(angle) * u[k] + std::sin(angle) * v[k]) +
                        h * w[k]);
    }
    fan.ring.push_back(p);
  }
  return fan;
}

void shootFans(Format format, unsigned seed) {
  std::cout << "seed " << seed << '\n';
  Shooter shooter(format, seed);
  Tally tally;
  while (tally.rays < kRays) {
    const Fan fan = randomFan(shooter);
    for (unsigned n = 0; n < 8; ++n) shooter.shoot(fan, 8, tally);
  }
  tally.print(std::string("fans ") + formatInfo(format).name);
  expectWatertight(tally);
}

TEST(Watertight, RT048_RT103_ClosedFansFp32) {
  shootFans(Format::Fp32, 48);
}
TEST(Watertight, RT048_RT103_ClosedFansFp16) {
  shootFans(Format::Fp16, 103);
}

/// Vertices of a mesh whose triangles form one closed fan, corners rounded to the format.
std::vector<Fan> fansOf(const scene::Scene& scene, const Grid& grid, double& size) {
  const scene::Bounds bounds = scene.bounds();
  const scene::Vec3 middle = (bounds.lo + bounds.hi) * 0.5;
  // Moved and scaled into [-8, 8] so that FP16 has all its digits.
  const double scale = 16 / std::max({bounds.hi.x - bounds.lo.x, bounds.hi.y - bounds.lo.y,
                                      bounds.hi.z - bounds.lo.z});
  size = 20;
  std::map<Point, std::map<Point, std::vector<Point>>> next;  // hub -> ring vertex -> its next ones
  for (const scene::Triangle& t : scene.triangles) {
    std::array<Point, 3> p{};
    for (unsigned c = 0; c < 3; ++c) {
      for (unsigned k = 0; k < 3; ++k)
        p[c][k] =
            grid.round((t.v[c][static_cast<int>(k)] - middle[static_cast<int>(k)]) * scale) + 0.0F;
    }
    if (p[0] == p[1] || p[1] == p[2] || p[2] == p[0]) continue;
    for (unsigned c = 0; c < 3; ++c) next[p[c]][p[(c + 1) % 3]].push_back(p[(c + 2) % 3]);
  }
  std::vector<Fan> fans;
  for (const auto& [hub, links] : next) {
    Fan fan;
    fan.hub = hub;
    Point at = links.begin()->first;
    bool closed = true;
    do {
      const auto link = links.find(at);
      closed = link != links.end() && link->second.size() == 1 && fan.ring.size() < links.size();
      if (!closed) break;
      fan.ring.push_back(at);
      at = link->second.front();
    } while (at != links.begin()->first);
    if (closed && fan.ring.size() == links.size() && fan.ring.size() >= 3) fans.push_back(fan);
  }
  return fans;
}

void shootMeshes(Format format, unsigned seed) {
  std::cout << "seed " << seed << '\n';
  const std::filesystem::path root = RTVP_SOURCE_DIR;
  std::vector<std::filesystem::path> files;
  for (const char* name : {"bunny.obj", "teapot.obj", "spd_tetra_6.nff", "wuson.obj"})
    files.push_back(root / "scenes" / name);
  const std::filesystem::path dragon = root / "../shared/scenes/dragon4.obj";
  if (std::filesystem::exists(dragon)) {
    files.push_back(dragon);
  } else {
    std::cout << "dragon4.obj is not beside the project: left out\n";
  }
  Shooter shooter(format, seed);
  std::uint64_t inside = 0;
  for (const std::filesystem::path& file : files) {
    double size = 0;
    const std::vector<Fan> fans = fansOf(scene::load(file), shooter.grid(), size);
    std::cout << file.filename().string() << ": " << fans.size() << " closed fans\n";
    if (fans.empty()) continue;
    Tally tally;
    while (tally.rays < kRays / files.size()) {
      shooter.shoot(fans[shooter.random()() % fans.size()], size, tally);
    }
    tally.print(file.filename().string() + " " + formatInfo(format).name);
    EXPECT_EQ(tally.cracks, 0U);
    EXPECT_EQ(tally.doubles, 0U);
    EXPECT_EQ(tally.ghosts, 0U);
    EXPECT_EQ(tally.foldedWrong, 0U);
    inside += tally.inside;
  }
  EXPECT_GT(inside, kRays / 4);
}

TEST(Watertight, RT048_RT103_MeshesFp32) {
  shootMeshes(Format::Fp32, 1048);
}
TEST(Watertight, RT048_RT103_MeshesFp16) {
  shootMeshes(Format::Fp16, 1103);
}

}  // namespace
}  // namespace rtvp::xphmg
