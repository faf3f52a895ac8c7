// How the renderer without machines spends its time, and how many primitives an eye ray crosses:
// TS-071 and TS-073 of board.md 1.6. One JSON object a line, for software.py.
//
//   renderer-profile SCENES
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "platform/raytree/ray_tree.hpp"
#include "platform/reference/reference_finder.hpp"
#include "platform/scene/load.hpp"

namespace rtvp::experiments {
namespace {

double cpuSeconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// Another finder with a stop-watch.
class TimedFinder : public host::HitFinder {
 public:
  explicit TimedFinder(host::HitFinder& finder) : finder_(finder) {}
  void trace(std::span<const host::Ray> rays, std::span<host::Hit> hits) override {
    const double begin = cpuSeconds();
    finder_.trace(rays, hits);
    seconds_ += cpuSeconds() - begin;
  }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  host::HitFinder& finder_;
  double seconds_ = 0;
};

/// The 1996 rule (board.md 5.4), for every triangle and every ray, in single precision.
class SeedFinder : public host::HitFinder {
 public:
  explicit SeedFinder(const scene::Scene& scene) {
    for (const scene::Element& e : scene.elements) {
      if (e.kind != scene::Element::Kind::Triangle) continue;
      const scene::Triangle& t = scene.triangles[e.index];
      Triangle mine{};
      for (int i = 0; i < 3; ++i) mine.v[i] = single(t.v[static_cast<std::size_t>(i)]);
      mine.normal = unit(cross(minus(mine.v[1], mine.v[0]), minus(mine.v[2], mine.v[1])));
      mine.d = -dot(mine.normal, mine.v[0]);
      triangles_.push_back(mine);
    }
  }
  void trace(std::span<const host::Ray> rays, std::span<host::Hit> hits) override {
    for (std::size_t i = 0; i < rays.size(); ++i) hits[i] = nearest(rays[i]);
  }

 private:
  struct V {
    float x, y, z;
  };
  struct Triangle {
    V v[3];
    V normal;
    float d;
  };
  static constexpr float kNear = 0.1F;
  static constexpr float kShort = 1e-4F;

  static V single(const scene::Vec3& v) {
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  }
  static V minus(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  static float dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  static V cross(V a, V b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  static float length(V a) { return std::sqrt(dot(a, a)); }
  static V unit(V a) {
    const float l = length(a);
    return {a.x / l, a.y / l, a.z / l};
  }
  static bool equal(V a, V b) {
    return std::abs(a.x - b.x) < kNear && std::abs(a.y - b.y) < kNear &&
           std::abs(a.z - b.z) < kNear;
  }
  static bool inside(const Triangle& t, V point) {
    V n[3];
    for (int i = 0; i < 3; ++i) {
      n[i] = cross(minus(t.v[i], point), minus(t.v[(i + 1) % 3], t.v[i]));
    }
    for (const V& side : n) {
      if (length(side) < kShort) return true;
    }
    const V a = unit(n[0]);
    const V b = unit(n[1]);
    const V c = unit(n[2]);
    return equal(a, b) && equal(b, c);
  }
  [[nodiscard]] host::Hit nearest(const host::Ray& ray) const {
    const V p = single(ray.origin);
    const V d = single(ray.direction);
    host::Hit best;
    auto limit = static_cast<float>(ray.tmax);
    for (std::uint32_t i = 0; i < triangles_.size(); ++i) {
      const Triangle& t = triangles_[i];
      const float vd = dot(t.normal, d);
      if (vd == 0) continue;
      const float at = -(dot(p, t.normal) + t.d) / vd;
      if (at <= kNear) continue;
      if (!inside(t, {p.x + at * d.x, p.y + at * d.y, p.z + at * d.z}) || !(at < limit)) continue;
      limit = at;
      best.element = i;
      best.t = static_cast<double>(at);
    }
    return best;
  }

  std::vector<Triangle> triangles_;
};

/// Share of the renderer's time in which it looks for hits.
double findingShare(const scene::Scene& scene, host::HitFinder& finder) {
  TimedFinder timed(finder);
  host::RayTree tree(scene, {});
  host::Framebuffer picture = tree.makeFramebuffer();
  const double begin = cpuSeconds();
  tree.render(timed, picture);
  (void)picture.image();
  return timed.seconds() / (cpuSeconds() - begin);
}

scene::Scene load(const std::filesystem::path& folder, const std::string& name, int side) {
  scene::Scene scene = scene::load(folder / name);
  scene.width = scene.height = side;
  return scene;
}

void printTimes(const std::filesystem::path& folder) {
  constexpr int kSide = 64;
  for (const char* name : {"bunny.shk", "teapot.shk", "cornell.shk", "spd_tetra_4.shk"}) {
    const scene::Scene scene = load(folder, name, kSide);
    SeedFinder seed(scene);
    reference::ReferenceFinder brute(scene, reference::ReferenceFinder::Mode::BruteForce);
    reference::ReferenceFinder tree(scene);
    std::printf(
        "{\"table\": \"time\", \"scene\": \"%s\", \"side\": %d, \"elements\": %zu, \"seed\": %.4f, "
        "\"brute\": %.4f, \"hierarchy\": %.4f}\n",
        name, kSide, scene.elements.size(), findingShare(scene, seed), findingShare(scene, brute),
        findingShare(scene, tree));
  }
}

void printObjects(const std::filesystem::path& folder, const char* name, int side) {
  const scene::Scene scene = load(folder, name, side);
  const reference::ReferenceFinder finder(scene);
  std::size_t met = 0, rays = 0, most = 0;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      host::Ray ray;
      ray.origin = scene.camera.eye;
      ray.direction = scene.camera.direction(x + 0.5, y + 0.5, side, side);
      ray.tmax = host::kInfinity;
      std::set<std::uint32_t> primitives;
      for (const host::Hit& h : finder.all(ray))
        primitives.insert(scene.elements[h.element].primitive);
      if (primitives.empty()) continue;
      ++rays;
      met += primitives.size();
      most = std::max(most, primitives.size());
    }
  }
  const double all = static_cast<double>(side) * side;
  std::printf(
      "{\"table\": \"objects\", \"scene\": \"%s\", \"side\": %d, \"primitives\": %u, \"share\": "
      "%.4f, "
      "\"mean\": %.4f, \"most\": %zu, \"mean_all\": %.4f}\n",
      name, side, scene.primitiveCount, static_cast<double>(rays) / all,
      static_cast<double>(met) / static_cast<double>(rays), most, static_cast<double>(met) / all);
}

int run(const std::filesystem::path& folder) {
  printTimes(folder);
  for (const int side : {64, 256}) {
    for (const char* name : {"bunny.shk", "teapot.shk", "cornell.shk", "spd_tetra_4.shk",
                             "spd_balls_4.nff", "spd_mount_3.nff", "spd_rings_4.nff"}) {
      printObjects(folder, name, side);
    }
  }
  return 0;
}

}  // namespace
}  // namespace rtvp::experiments

int main(int argc, char** argv) {
  try {
    return rtvp::experiments::run(argc > 1 ? argv[1] : "scenes");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "renderer-profile: error: %s\n", e.what());
    return 2;
  }
}
