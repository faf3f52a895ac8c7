// Rays per second of XPHMG_RT next to Embree: through the offload queue of a simulated unit (by
// DMI, and with one b_transport an access) and by the bare core. Coherent primary rays of a 1024 x
// 1024 picture, one thread, one rtcIntersect1 a ray, robust; all sides alternate block by block in
// one process, in CPU time. Hits are compared. Without Embree only the others are measured.
//
//   bench_xphmg [SCENE ...]        default: bunny and, where it lies beside the project, dragon4
//   bench_xphmg --side core|queue --rays N [SCENE]   only that side, once: for callgrind
#include <charconv>
#include <ctime>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/xphmg/traversal.hpp"
#include "platform/scene/load.hpp"
#include "tests/bench/xphmg_unit_side.hpp"
#include "tests/models/xphmg/tile_builder.hpp"

#ifdef RTVP_EMBREE
#include <embree3/rtcore.h>
#endif

namespace {

using namespace rtvp;  // NOLINT(google-build-using-namespace): a program about this namespace

constexpr int kSide = 1024;
constexpr int kRounds = 3;  ///< the best is reported
constexpr unsigned kLeaf = 4;

double cpuSeconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Hit {
  std::uint32_t primitive = scene::kNoElement;  ///< index into Scene::triangles
  float t = 0;
};

/// The core's memory when nothing watches it: bounds and a pointer.
class Block {
 public:
  Block(std::uint64_t base, const std::vector<std::uint8_t>& bytes)
      : base_(base), size_(bytes.size()), bytes_(bytes.data()) {}
  const std::uint8_t* read(xphmg::AccessKind /*kind*/, std::uint64_t address, unsigned size) {
    const std::uint64_t offset = address - base_;
    return offset > size_ || size_ - offset < size ? nullptr : bytes_ + offset;
  }
  [[nodiscard]] xphmg::Window window(std::uint64_t /*address*/) const {
    return {bytes_, base_, size_};
  }
  void charge(std::span<const xphmg::Visit> /*visits*/, unsigned /*tile*/, unsigned /*triangle*/) {}

 private:
  std::uint64_t base_, size_;
  const std::uint8_t* bytes_;
};

class Core {
 public:
  Core(const scene::Scene& scene, bool plain) {
    xphmg::Precision precision;
    precision.format = xphmg::Format::Fp32;
    std::vector<xphmg::test::TriangleWords> words;
    xphmg::Stickies ignored;
    for (const scene::Triangle& t : scene.triangles) {
      auto& w = words.emplace_back();
      for (unsigned i = 0; i < 9; ++i) {
        w[i] = xphmg::encode(precision, precision.format, t.v[i / 3][static_cast<int>(i % 3)],
                             ignored);
      }
    }
    image_ = xphmg::test::TileBuilder(precision, words, kLeaf).build(0x80000000);
    xphmg::TraversalSetup setup;
    setup.precision = precision;
    setup.heap = image_.heap;
    setup.triBase = image_.triangles;
    setup.plain = plain;
    traversal_ = std::make_unique<xphmg::Traversal>(setup);
  }
  void trace(const xphmg::Ray* rays, Hit* hits, std::size_t n) {
    Block block(image_.heap, image_.bytes);
    for (std::size_t i = 0; i < n; ++i) {
      const xphmg::TraversalResult& r = traversal_->trace(rays[i], block);
      hits[i] = {};
      if (r.hit) hits[i] = {image_.order[r.primId], static_cast<float>(r.t)};
      tiles += r.tiles;
      triangles += r.triangles;
    }
  }
  [[nodiscard]] const xphmg::test::TileImage& image() const { return image_; }
  std::uint64_t tiles = 0, triangles = 0;

 private:
  xphmg::test::TileImage image_;
  std::unique_ptr<xphmg::Traversal> traversal_;
};

#ifdef RTVP_EMBREE
class Embree {
 public:
  explicit Embree(const scene::Scene& scene)
      : device_(rtcNewDevice("threads=1")), scene_(rtcNewScene(device_)) {
    RTCGeometry mesh = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
    const std::size_t n = scene.triangles.size();
    auto* const vertices = static_cast<float*>(
        rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, 3 * n));
    auto* const indices = static_cast<unsigned*>(
        rtcSetNewGeometryBuffer(mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, n));
    for (std::size_t i = 0; i < 9 * n; ++i) {
      vertices[i] =
          static_cast<float>(scene.triangles[i / 9].v[i % 9 / 3][static_cast<int>(i % 3)]);
    }
    for (std::size_t i = 0; i < 3 * n; ++i) indices[i] = static_cast<unsigned>(i);
    rtcCommitGeometry(mesh);
    rtcAttachGeometry(scene_, mesh);
    rtcReleaseGeometry(mesh);
    rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_ROBUST);
    rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_HIGH);
    rtcCommitScene(scene_);
  }
  Embree(const Embree&) = delete;
  Embree& operator=(const Embree&) = delete;
  ~Embree() {
    rtcReleaseScene(scene_);
    rtcReleaseDevice(device_);
  }
  void trace(const xphmg::Ray* rays, Hit* hits, std::size_t n) {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    for (std::size_t i = 0; i < n; ++i) {
      const xphmg::Ray& r = rays[i];
      RTCRayHit q{};
      q.ray = {r.o[0], r.o[1], r.o[2], r.tmin, r.d[0], r.d[1], r.d[2], 0, r.tmax, ~0U, 0, 0};
      q.hit.geomID = RTC_INVALID_GEOMETRY_ID;
      rtcIntersect1(scene_, &context, &q);
      hits[i] = {};
      if (q.hit.geomID != RTC_INVALID_GEOMETRY_ID) hits[i] = {q.hit.primID, q.ray.tfar};
    }
  }

 private:
  RTCDevice device_;
  RTCScene scene_;
};
#endif

std::vector<xphmg::Ray> primaryRays(const scene::Scene& scene) {
  std::vector<xphmg::Ray> rays;
  rays.reserve(std::size_t{kSide} * kSide);
  // Blocks of 8 x 8 pixels: the coherent order of the platform's drivers.
  for (int b = 0; b < kSide * kSide / 64; ++b) {
    for (int p = 0; p < 64; ++p) {
      const int x = b % (kSide / 8) * 8 + p % 8, y = b / (kSide / 8) * 8 + p / 8;
      const scene::Vec3 d = scene.camera.direction(x + 0.5, y + 0.5, kSide, kSide);
      xphmg::Ray ray;
      for (unsigned k = 0; k < 3; ++k) {
        ray.o[k] = static_cast<float>(scene.camera.eye[static_cast<int>(k)]);
        ray.d[k] = static_cast<float>(d[static_cast<int>(k)]);
      }
      ray.tmin = 0;
      ray.tmax = 1e30F;
      rays.push_back(ray);
    }
  }
  return rays;
}

struct Differences {
  std::size_t hitMiss = 0, primitive = 0, tFar = 0;
};

Differences compare(const std::vector<Hit>& a, const std::vector<Hit>& b) {
  Differences d;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool hit_a = a[i].primitive != scene::kNoElement;
    const bool hit_b = b[i].primitive != scene::kNoElement;
    if (hit_a != hit_b) {
      ++d.hitMiss;
    } else if (hit_a) {
      if (a[i].primitive != b[i].primitive) ++d.primitive;
      if (std::abs(a[i].t - b[i].t) > 1e-4F * std::abs(b[i].t)) ++d.tFar;
    }
  }
  return d;
}

/// One job through a unit's queue.
void traceUnit(bench::UnitSide& unit, bool dmi, const Core& core, const xphmg::Ray* rays, Hit* hits,
               std::size_t n) {
  std::vector<bench::UnitHit> found(n);
  unit.trace(dmi, {rays, n}, found.data());
  for (std::size_t i = 0; i < n; ++i) {
    hits[i] = {};
    if (found[i].hit) hits[i] = {core.image().order[found[i].primId], found[i].t};
  }
}

std::size_t differing(const std::vector<Hit>& a, const std::vector<Hit>& b) {
  const Differences d = compare(a, b);
  return d.primitive + d.hitMiss + d.tFar;
}

void measure(const std::filesystem::path& file, bench::UnitSide& unit) {
  const scene::Scene scene = scene::load(file);
  const std::vector<xphmg::Ray> rays = primaryRays(scene);
  Core fast(scene, false), plain(scene, true);
  std::vector<Hit> fast_hits(rays.size()), plain_hits(rays.size()), embree_hits(rays.size());
  std::vector<Hit> queue_hits(rays.size()), transport_hits(rays.size());
  unit.load(fast.image());
#ifdef RTVP_EMBREE
  Embree embree(scene);
#endif
  constexpr std::size_t kBlock = 8192;
  double best_fast = 1e300, best_plain = 1e300, best_embree = 1e300;
  double best_queue = 1e300, best_transport = 1e300;
  for (int round = 0; round < kRounds; ++round) {
    double fast_time = 0, plain_time = 0, embree_time = 0, queue_time = 0, transport_time = 0;
    fast.tiles = fast.triangles = 0;
    for (std::size_t at = 0; at < rays.size(); at += kBlock) {
      const double t0 = cpuSeconds();
      fast.trace(rays.data() + at, fast_hits.data() + at, kBlock);
      const double t1 = cpuSeconds();
      plain.trace(rays.data() + at, plain_hits.data() + at, kBlock);
      const double t2 = cpuSeconds();
#ifdef RTVP_EMBREE
      embree.trace(rays.data() + at, embree_hits.data() + at, kBlock);
#endif
      const double t3 = cpuSeconds();
      traceUnit(unit, true, fast, rays.data() + at, queue_hits.data() + at, kBlock);
      const double t4 = cpuSeconds();
      traceUnit(unit, false, fast, rays.data() + at, transport_hits.data() + at, kBlock);
      const double t5 = cpuSeconds();
      queue_time += t4 - t3;
      transport_time += t5 - t4;
      fast_time += t1 - t0;
      plain_time += t2 - t1;
      embree_time += t3 - t2;
    }
    best_fast = std::min(best_fast, fast_time);
    best_plain = std::min(best_plain, plain_time);
    best_embree = std::min(best_embree, embree_time);
    best_queue = std::min(best_queue, queue_time);
    best_transport = std::min(best_transport, transport_time);
  }
  const double n = static_cast<double>(rays.size());
  std::cout << std::fixed << std::setprecision(2) << file.filename().string() << ": "
            << scene.triangles.size() << " triangles, " << rays.size() << " rays, tiles/ray "
            << static_cast<double>(fast.tiles) / n << ", triangles/ray "
            << static_cast<double>(fast.triangles) / n << '\n'
            << "  core        " << n / best_fast / 1e6 << " M rays/s\n"
            << "  core, plain " << n / best_plain / 1e6
            << " M rays/s; hits differing from core: " << differing(fast_hits, plain_hits) << '\n'
            << "  queue, DMI  " << n / best_queue / 1e6 << " M rays/s, "
            << static_cast<double>(unit.accesses(true)) / (n * kRounds)
            << " accesses/ray; hits differing from core: " << differing(queue_hits, fast_hits)
            << '\n'
            << "  queue, b_transport " << n / best_transport / 1e6
            << " M rays/s; hits differing from core: " << differing(transport_hits, fast_hits)
            << '\n';
#ifdef RTVP_EMBREE
  const Differences d = compare(fast_hits, embree_hits);
  std::cout << "  Embree      " << n / best_embree / 1e6 << " M rays/s, " << best_fast / best_embree
            << " x the core, " << best_queue / best_embree << " x the queue by DMI, "
            << best_transport / best_embree
            << " x by b_transport; differences from the core: hit/miss " << d.hitMiss
            << ", primitive " << d.primitive << ", t beyond 1e-4 " << d.tFar << '\n';
#else
  std::cout << "  Embree was not found when this was built\n";
#endif
}

/// The first rays of the picture through one side, nothing else.
void traceSide(const std::filesystem::path& file, std::string_view side, std::size_t count) {
  const scene::Scene scene = scene::load(file);
  const std::vector<xphmg::Ray> rays = primaryRays(scene);
  if (count > rays.size()) throw std::invalid_argument("--rays: at most 1048576");
  Core core(scene, false);
  std::vector<Hit> hits(bench::UnitSide::kMostRays);
  std::unique_ptr<bench::UnitSide> unit;
  if (side == "queue") {
    unit = std::make_unique<bench::UnitSide>();
    unit->load(core.image());
  } else if (side != "core") {
    throw std::invalid_argument("--side: expected core or queue, found " + std::string(side));
  }
  for (std::size_t at = 0; at < count; at += hits.size()) {
    const std::size_t n = std::min(hits.size(), count - at);
    if (unit) {
      traceUnit(*unit, true, core, rays.data() + at, hits.data(), n);
    } else {
      core.trace(rays.data() + at, hits.data(), n);
    }
  }
  std::cout << side << "_rays " << count << '\n';
}

std::size_t countOf(std::string_view text) {
  std::size_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::invalid_argument("--rays: expected a number, found " + std::string(text));
  return n;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const std::filesystem::path bunny = RTVP_SOURCE_DIR "/scenes/bunny.shk";
    if (arguments.size() >= 4 && arguments[0] == "--side" && arguments[2] == "--rays") {
      traceSide(arguments.size() > 4 ? std::filesystem::path(arguments[4]) : bunny, arguments[1],
                countOf(arguments[3]));
      return 0;
    }
    std::vector<std::filesystem::path> files(arguments.begin(), arguments.end());
    if (files.empty()) {
      files.push_back(bunny);
      const std::filesystem::path dragon = RTVP_SOURCE_DIR "/../shared/scenes/dragon4.shk";
      if (std::filesystem::exists(dragon)) files.push_back(dragon);
    }
    bench::UnitSide unit;
    for (const auto& file : files) measure(file, unit);
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "bench_xphmg: error: " << e.what() << '\n';
    return 2;
  }
}
