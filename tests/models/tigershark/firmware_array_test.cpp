// The node firmware on the lockstep array, with a database from the host's builder: every lane is
// held to the bus contract while thousands of rays find their hits, against brute force in double
// precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "firmware/tigershark_firmware.hpp"
#include "models/c32/asm/coff.hpp"
#include "models/c32/float40.hpp"
#include "models/tigershark/array_engine.hpp"
#include "models/tigershark/protocol.hpp"
#include "platform/drivers/tigershark/database.hpp"

namespace rtvp::tigershark {
namespace {

using scene::Scene;
using scene::Vec3;

double single(double x) {
  return c32::doubleFromSingle(c32::singleFromDouble(x));
}
Vec3 single(const Vec3& v) {
  return {single(v.x), single(v.y), single(v.z)};
}

struct Ray {
  Vec3 p, d;
  double tmax = 1267650600228229401496703205376.0;
  bool shadow = false;
};
struct Result {
  std::uint32_t header = 0;
  std::uint32_t t = 0;
  std::uint32_t element = 0;
  bool operator==(const Result&) const = default;
};

/// SRAM, the barrier's release and both ends of the chain around an array engine.
class ArrayBench final : public ArrayBoard {
 public:
  explicit ArrayBench(int lanes) : sram_(kDefaultSramWords, 0), lanes_(lanes) {
    const c32::Image image = c32::loadCoff(tigersharkFirmware());
    for (const auto& s : image.sections) {
      std::copy(s.words.begin(), s.words.end(), sram_.begin() + s.loadAddress);
      base = std::max(base, s.loadAddress + s.size);
    }
    ArrayConfig config;
    config.lanes = lanes;
    engine = makeScalarArray(config, *this);
    engine->reset(0);
    settle();
    send(messageHeader(Message::Token, kAllNodes, 0));
    send(0);
    settle();
    out_.clear();
  }

  SharedReply sharedAccess(const c32::BusRequest& r) override {
    if (r.address >= sram_.size()) return {.error = true};
    if (r.op == c32::BusOp::Write) sram_[r.address] = r.data;
    return {.data = sram_[r.address]};
  }
  void chainOutput(std::uint32_t word, Cycle arrival) override {
    out_.push_back(word);
    last_ = std::max(last_, arrival);
  }

  void load(const std::vector<std::uint32_t>& words) {
    std::copy(words.begin(), words.end(), sram_.begin() + base);
    sram_[kParamDatabase] = base;
  }
  std::vector<Result> trace(const std::vector<Ray>& rays) {
    out_.clear();
    for (std::size_t i = rays.size(); i-- > 0;) {
      const Ray& r = rays[i];
      send(messageHeader(r.shadow ? Message::ShadowRay : Message::Ray,
                         static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i)));
      for (const Vec3& v : {r.p, r.d}) {
        for (int axis = 0; axis < 3; ++axis) send(c32::singleFromDouble(v[axis]));
      }
      send(c32::singleFromDouble(r.tmax));
    }
    send(messageHeader(Message::Go, kAllNodes, 0));
    settle();
    std::vector<Result> results(rays.size());
    EXPECT_EQ(out_.size(), 1 + 3 * rays.size());
    for (std::size_t k = 1; k + 2 < out_.size(); k += 3) {
      const std::size_t node = out_[k] >> kMessageNodeShift & 0xFFF;
      if (node < results.size()) results[node] = {out_[k], out_[k + 1], out_[k + 2]};
    }
    return results;
  }
  [[nodiscard]] std::uint32_t mark() const { return sram_[kMasterMark]; }

  std::unique_ptr<ArrayEngine> engine;
  std::uint32_t base = 0;
  bool failed = false;

 private:
  void send(std::uint32_t word) {
    wire_ += 84;
    engine->chainInput(word, wire_);
  }
  void settle() {
    while (!failed) {
      const ArrayOutcome outcome = engine->advance(c32::kNever);
      if (outcome.kind == ArrayOutcome::Kind::Quiescent) break;
      if (outcome.kind == ArrayOutcome::Kind::Barrier) {
        engine->release(outcome.cycle);
        continue;
      }
      failed = true;
      const ArrayError& e = engine->error();
      ADD_FAILURE() << "lane " << e.lane << " pc " << std::hex << e.pc << std::dec << " cycle "
                    << e.cycle << ": " << e.what << "; " << e.others;
    }
    for (int i = 0; i < lanes_; ++i) wire_ = std::max(wire_, engine->lane(i).cycle);
    wire_ = std::max(wire_, last_) + 100;
  }

  std::vector<std::uint32_t> sram_;
  int lanes_;
  std::vector<std::uint32_t> out_;
  Cycle wire_ = 0;
  Cycle last_ = 0;
};

Scene randomScene(unsigned seed, int triangles, int spheres) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(-50, 50);
  std::uniform_real_distribution<double> edge(-8, 8);
  Scene scene;
  scene.materials.emplace_back();
  for (int i = 0; i < triangles + spheres; ++i) {
    const Vec3 v = single(Vec3{place(random), place(random), place(random)});
    scene::Element e;
    e.primitive = static_cast<std::uint32_t>(i);
    if (i % (triangles + spheres) < triangles) {
      e.kind = scene::Element::Kind::Triangle;
      e.index = static_cast<std::uint32_t>(scene.triangles.size());
      const Vec3 a = v + Vec3{edge(random), edge(random), edge(random)};
      const Vec3 b = v + Vec3{edge(random), edge(random), edge(random)};
      scene.triangles.push_back({{v, a, b}, {}, false});
    } else {
      e.kind = scene::Element::Kind::Sphere;
      e.index = static_cast<std::uint32_t>(scene.spheres.size());
      scene.spheres.push_back({v, 1.0 + i % 4});
    }
    scene.elements.push_back(e);
  }
  scene.primitiveCount = static_cast<std::uint32_t>(scene.elements.size());
  return scene;
}

struct Exact {
  double t = 0;
  std::uint32_t element = kNoHit;
  bool doubtful = false;  ///< within single precision of an edge, a silhouette, another hit or tmax
};

/// Distance, and how far inside (relative) the hit lies; no hit: inside < 0.
std::pair<double, double> hitElement(const Scene& scene, const scene::Element& e, const Ray& r) {
  if (e.kind == scene::Element::Kind::Sphere) {
    const scene::Sphere& s = scene.spheres[e.index];
    const Vec3 l = s.center - r.p;
    const double b = dot(l, r.d);
    const Vec3 perpendicular = l - r.d * b;
    const double disc = s.radius * s.radius - dot(perpendicular, perpendicular);
    const double h = std::sqrt(std::max(disc, 0.0));
    return {b - h > 0 ? b - h : b + h, disc / (s.radius * s.radius)};
  }
  const auto& v = scene.triangles[e.index].v;
  const Vec3 e1 = v[1] - v[0];
  const Vec3 e2 = v[2] - v[0];
  const Vec3 q = cross(r.d, e2);
  const double det = dot(e1, q);
  const Vec3 s = r.p - v[0];
  const Vec3 n = cross(s, e1);
  const double u = dot(s, q) / det;
  const double w = dot(r.d, n) / det;
  const double cosine = std::abs(det) / (length(e1) * length(e2));
  return {dot(e2, n) / det, std::min({u, w, 1 - u - w}) * std::min(1.0, cosine * 10)};
}

Exact bruteForce(const Scene& scene, const Ray& r) {
  Exact best;
  best.t = r.tmax;
  for (std::uint32_t i = 0; i < scene.elements.size(); ++i) {
    const auto [t, inside] = hitElement(scene, scene.elements[i], r);
    if (t > 0 && t < r.tmax && std::abs(inside) < 1e-3) best.doubtful = true;
    if (std::isfinite(t) && (std::abs(t) < 1e-3 || std::abs(t - r.tmax) < 1e-3))
      best.doubtful = true;
    if (!(inside >= 0) || !(t > 0) || t > best.t) continue;
    if (std::abs(t - best.t) < 1e-3) best.doubtful = true;
    best.t = t;
    best.element = i;
  }
  return best;
}

std::vector<Ray> randomBundle(std::mt19937& random, int count) {
  std::uniform_real_distribution<double> place(-60, 60);
  std::uniform_real_distribution<double> near(-8, 8);
  const Vec3 p{place(random), place(random), place(random)};
  const Vec3 target{place(random) / 2, place(random) / 2, place(random) / 2};
  std::vector<Ray> rays;
  for (int i = 0; i < count; ++i) {
    Ray r;
    r.p = single(p);
    r.d = single(unit(target + Vec3{near(random), near(random), near(random)} - r.p));
    if (i % 5 == 3) {
      r.shadow = true;
      r.tmax = single(std::abs(place(random)) + 10);
    } else if (i % 7 == 5) {
      r.tmax = 0;  // filler of a short batch
    }
    rays.push_back(r);
  }
  return rays;
}

TEST(FirmwareArray, TS_003_SixteenLanesKeepLockstepAndFindTheHits) {
  constexpr int kLanes = 16;
  constexpr unsigned kSeed = 1996;
  const Scene scene = randomScene(kSeed, 500, 60);
  ArrayBench bench(kLanes);
  host::DatabaseOptions options;
  options.baseAddress = bench.base;
  options.pageWords = kDefaultSramWords - bench.base;
  const auto boxes = host::buildDatabases(scene, options);
  options.vote = false;
  const auto flat = host::buildDatabases(scene, options);
  ASSERT_EQ(boxes[0].pages.size(), 1U);

  std::mt19937 random(kSeed);
  int hits = 0;
  int doubtful = 0;
  double worst = 0;
  for (int batch = 0; batch < 60 && !bench.failed; ++batch) {
    SCOPED_TRACE("seed 1996, batch " + std::to_string(batch));
    const auto rays = randomBundle(random, kLanes);
    bench.load(boxes[0].pages[0].words);
    const auto results = bench.trace(rays);
    if (batch < 10) {  // the vote leaves hits alone: brute force gives the same words
      bench.load(flat[0].pages[0].words);
      const auto all = bench.trace(rays);
      for (std::size_t i = 0; i < rays.size(); ++i) {
        if (!rays[i].shadow) {
          ASSERT_EQ(results[i], all[i]) << i;
        }
        ASSERT_EQ(results[i].element == kNoHit, all[i].element == kNoHit) << i;
      }
    }
    for (std::size_t i = 0; i < rays.size(); ++i) {
      ASSERT_EQ(results[i].header, messageHeader(Message::Result, static_cast<std::uint32_t>(i),
                                                 static_cast<std::uint32_t>(i)));
      const Exact exact = bruteForce(scene, rays[i]);
      if (exact.doubtful) {
        ++doubtful;
        continue;
      }
      if (rays[i].shadow) {
        ASSERT_EQ(results[i].element == kNoHit, exact.element == kNoHit) << "ray " << i;
        continue;
      }
      ASSERT_EQ(results[i].element, exact.element) << "ray " << i << " t " << exact.t;
      if (exact.element == kNoHit) continue;
      ++hits;
      worst = std::max(worst, std::abs(c32::doubleFromSingle(results[i].t) - exact.t) / exact.t);
    }
  }
  EXPECT_LT(worst, 9e-6);
  EXPECT_GT(hits, 200);
  EXPECT_LT(doubtful, 60 * kLanes / 2);
  EXPECT_EQ(bench.mark(), kMasterMarkValue);
  const ArrayCounters c = bench.engine->counters(0);
  EXPECT_EQ(c.lateWords, 0U);
  EXPECT_EQ(c.lostWords, 0U);
  EXPECT_GT(c.skips, 0U);
  EXPECT_GT(c.votes, c.skips);
  std::printf(
      "%d hits, %d doubtful, worst relative error of t %.2g, %llu barriers, %llu votes, %llu "
      "skips\n",
      hits, doubtful, worst, static_cast<unsigned long long>(c.barriers),
      static_cast<unsigned long long>(c.votes), static_cast<unsigned long long>(c.skips));
}

TEST(FirmwareArray, ArraySizeAndPagingLeaveTheHitsAlone) {
  const Scene scene = randomScene(7, 300, 20);
  std::mt19937 random(7);
  const auto rays = randomBundle(random, 64);
  std::vector<Result> expected;
  for (const int lanes : {1, 4, 64}) {
    for (const std::uint32_t pageWords : {100'000U, 700U}) {
      ArrayBench bench(lanes);
      host::DatabaseOptions options;
      options.baseAddress = bench.base;
      options.pageWords = pageWords;
      const auto database = host::buildDatabases(scene, options)[0];
      std::vector<Result> best(rays.size());
      for (std::size_t first = 0; first < rays.size(); first += static_cast<std::size_t>(lanes)) {
        const auto begin = rays.begin() + static_cast<std::ptrdiff_t>(first);
        std::vector<Ray> batch(begin, begin + lanes);
        std::vector<Result> merged(batch.size(), {0, 0, kNoHit});
        for (const auto& page : database.pages) {
          bench.load(page.words);
          const auto results = bench.trace(batch);
          for (std::size_t i = 0; i < batch.size(); ++i) {
            if (results[i].element == kNoHit) continue;
            const double t = c32::doubleFromSingle(results[i].t);
            const bool tie = merged[i].element != kNoHit && results[i].t == merged[i].t;
            if (!tie || results[i].element < merged[i].element)
              merged[i] = {0, results[i].t, results[i].element};
            batch[i].tmax = t;
          }
        }
        std::copy(merged.begin(), merged.end(), best.begin() + static_cast<std::ptrdiff_t>(first));
      }
      for (std::size_t i = 0; i < rays.size(); ++i) {
        if (rays[i].shadow && best[i].element != kNoHit) best[i] = {};  // any blocker will do
      }
      if (expected.empty()) expected = best;
      EXPECT_EQ(best, expected) << lanes << " lanes, pages of " << pageWords;
    }
  }
}

TEST(FirmwareArray, TS_018_FiveHundredAndTwelveNodesLoseNoWord) {
  constexpr int kLanes = 512;
  const Scene scene = randomScene(3, 40, 5);
  ArrayBench bench(kLanes);
  host::DatabaseOptions options;
  options.baseAddress = bench.base;
  options.pageWords = 10'000;
  bench.load(host::buildDatabases(scene, options)[0].pages[0].words);
  std::mt19937 random(3);
  const auto rays = randomBundle(random, kLanes);
  const auto results = bench.trace(rays);
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    ASSERT_EQ(results[i].header, messageHeader(Message::Result, i, i));
    const Exact exact = bruteForce(scene, rays[i]);
    if (!exact.doubtful && !rays[i].shadow) {
      EXPECT_EQ(results[i].element, exact.element) << i;
    }
  }
  const ArrayCounters c = bench.engine->counters(0);
  EXPECT_EQ(c.lateWords, 0U);
  EXPECT_EQ(c.lostWords, 0U);
}

}  // namespace
}  // namespace rtvp::tigershark
