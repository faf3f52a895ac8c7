// Rays per second of XPHMG_RT next to Embree: through the offload queue of a simulated unit (by
// DMI, and with one b_transport an access) and by the bare core. Coherent primary rays of a 1024 x
// 1024 picture, one thread, one rtcIntersect1 a ray, robust; all sides alternate block by block in
// one process, in CPU time. Hits are compared. Without Embree only the others are measured.
//
//   bench_xphmg [SCENE ...]        default: bunny and, where it lies beside the project, dragon4
//   bench_xphmg --side core|queue --rays N [SCENE]   only that side, once, N rays from all over the
//                                                    picture: for callgrind
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

using bench::Hit;

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
  void charge(std::span<const xphmg::Visit> /*visits*/, const xphmg::TraversalResult& /*counts*/) {}

 private:
  std::uint64_t base_, size_;
  const std::uint8_t* bytes_;
};

class Core {
 public:
  Core(const scene::Scene& scene, bool plain, common::Isa isa = common::bestIsa()) {
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
    setup.isa = isa;
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
    const bool hit_a = a[i].primitive != Hit::kNone;
    const bool hit_b = b[i].primitive != Hit::kNone;
    if (hit_a != hit_b) {
      ++d.hitMiss;
    } else if (hit_a) {
      if (a[i].primitive != b[i].primitive) ++d.primitive;
      if (std::abs(a[i].t - b[i].t) > 1e-4F * std::abs(b[i].t)) ++d.tFar;
    }
  }
  return d;
}

std::size_t differing(const std::vector<Hit>& a, const std::vector<Hit>& b) {
  const Differences d = compare(a, b);
  return d.primitive + d.hitMiss + d.tFar;
}

/// Hits of one side and the least time that it took for the picture.
struct Side {
  std::vector<Hit> hits;
  double best = 1e300, round = 0;

  explicit Side(std::size_t rays) : hits(rays) {}
  template <class Trace>
  void block(std::size_t at, Trace trace) {
    const double since = cpuSeconds();
    trace(hits.data() + at);
    round += cpuSeconds() - since;
  }
  void endRound() {
    best = std::min(best, round);
    round = 0;
  }
  /// M rays/s.
  [[nodiscard]] double rate() const { return static_cast<double>(hits.size()) / best / 1e6; }
};

struct CoreSide {
  std::string name;
  Core core;
  Side side;
};

/// The core as it is chosen for this host, then with each instruction set, then plain.
std::vector<CoreSide> coreSides(const scene::Scene& scene, std::size_t rays) {
  std::vector<CoreSide> sides;
  for (const common::Isa isa : {common::Isa::Avx512, common::Isa::Avx2, common::Isa::Scalar}) {
    if (!common::isaUsable(isa)) continue;
    const std::string name = isa == common::Isa::Scalar ? "step by step" : isaName(isa).data();
    sides.push_back({"core, " + name, Core(scene, false, isa), Side(rays)});
  }
  sides.push_back({"core, plain", Core(scene, true), Side(rays)});
  return sides;
}

void tell(const std::string& name, const Side& side, const Side& embree, const Side& reference) {
  std::cout << "  " << std::left << std::setw(20) << name << std::right << std::setw(6)
            << side.rate() << " M rays/s";
#ifdef RTVP_EMBREE
  std::cout << ", Embree " << std::setw(5) << side.best / embree.best << " x";
#endif
  std::cout << "; hits differing from the first: " << differing(side.hits, reference.hits) << '\n';
}

void measure(const std::filesystem::path& file, bench::UnitSide& unit) {
  const scene::Scene scene = scene::load(file);
  const std::vector<xphmg::Ray> rays = primaryRays(scene);
  std::vector<CoreSide> cores = coreSides(scene, rays.size());
  Core& first = cores.front().core;
  Side embree_side(rays.size()), queue(rays.size()), transport(rays.size());
  unit.load(first.image());
#ifdef RTVP_EMBREE
  Embree embree(scene);
#endif
  constexpr std::size_t kBlock = 8192;
  for (int round = 0; round < kRounds; ++round) {
    first.tiles = first.triangles = 0;
    for (std::size_t at = 0; at < rays.size(); at += kBlock) {
      const xphmg::Ray* const from = rays.data() + at;
      for (CoreSide& c : cores)
        c.side.block(at, [&](Hit* hits) { c.core.trace(from, hits, kBlock); });
#ifdef RTVP_EMBREE
      embree_side.block(at, [&](Hit* hits) { embree.trace(from, hits, kBlock); });
#endif
      queue.block(at, [&](Hit* hits) { unit.trace(true, {from, kBlock}, hits); });
      transport.block(at, [&](Hit* hits) { unit.trace(false, {from, kBlock}, hits); });
    }
    for (CoreSide& c : cores) c.side.endRound();
    for (Side* side : {&embree_side, &queue, &transport}) side->endRound();
  }
  const double n = static_cast<double>(rays.size());
  const Side& reference = cores.front().side;
  std::cout << std::fixed << std::setprecision(2) << file.filename().string() << ": "
            << scene.triangles.size() << " triangles, " << rays.size()
            << " rays; a ray: " << static_cast<double>(first.tiles) / n << " tiles, "
            << static_cast<double>(first.triangles) / n << " triangles, "
            << static_cast<double>(unit.accesses(true)) / (n * kRounds)
            << " accesses of the queue\n";
  for (const CoreSide& c : cores) tell(c.name, c.side, embree_side, reference);
  tell("queue, DMI", queue, embree_side, reference);
  tell("queue, b_transport", transport, embree_side, reference);
#ifdef RTVP_EMBREE
  const Differences d = compare(reference.hits, embree_side.hits);
  std::cout << "  Embree " << RTC_VERSION_STRING << "       " << std::setw(6) << embree_side.rate()
            << " M rays/s; differing from the first: hit/miss " << d.hitMiss << ", primitive "
            << d.primitive << ", t beyond 1e-4 " << d.tFar << '\n';
#else
  std::cout << "  Embree was not found when this was built\n";
#endif
}

/// `count` rays in blocks of 64, spread over the picture.
std::vector<xphmg::Ray> someRays(const scene::Scene& scene, std::size_t count) {
  constexpr std::size_t kBlock = 64;
  const std::vector<xphmg::Ray> all = primaryRays(scene);
  const std::size_t blocks = all.size() / kBlock, wanted = count / kBlock;
  if (count % kBlock != 0 || wanted == 0 || wanted > blocks)
    throw std::invalid_argument("--rays: expected a multiple of 64 up to 1048576");
  std::vector<xphmg::Ray> rays;
  for (std::size_t n = 0; n < wanted; ++n) {
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(n * blocks / wanted * kBlock);
    rays.insert(rays.end(), from, from + kBlock);
  }
  return rays;
}

/// These rays through one side, nothing else.
void traceSide(const std::filesystem::path& file, std::string_view side, std::size_t count) {
  const scene::Scene scene = scene::load(file);
  const std::vector<xphmg::Ray> rays = someRays(scene, count);
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
      unit->trace(true, {rays.data() + at, n}, hits.data());
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
