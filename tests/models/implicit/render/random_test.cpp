// Random constructive solids and random rays: hull and brute force find the same, whatever the
// tape; tapes that are no distances end, too. Seeds are printed.
#include <array>
#include <cmath>
#include <thread>

#include "models/implicit/render/ray_batch.hpp"
#include "models/implicit/render/trace.hpp"
#include "tests/models/implicit/render/scene.hpp"

namespace rtvp::implicit::render::test {
namespace {

constexpr unsigned kSeed = 123;

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  /// Balls, boxes and tori joined, cut and blended; all within 1.6 of the origin.
  std::string solid(unsigned depth) {
    if (depth == 0) return shape();
    std::string text = solid(depth - 1) + (random_() % 2 == 0 ? solid(depth - 1) : shape());
    switch (random_() % 5) {
      case 0:
      case 1:
        return text + "OPMinFloat var var\n";
      case 2:
        return text + "OPSmoothMinMaterialFloat f(" + number(0.05, 0.3) + ") var var\n";
      case 3:  // the second cuts the first
        return text + "OPMulFloatFloat var f(-1)\nOPMaxFloat var var\n";
      default:
        return text + "OPMulFloatFloat var f(-1)\nOPSmoothMaxFloat f(" + number(0.05, 0.2) +
               ") var var\n";
    }
  }

  /// What makes a distance something else.
  std::string wild() {
    static constexpr std::array<const char*, 12> kFunctions{
        "OPSinFloat var",           "OPLogFloat var",
        "OPSqrtFloat var",          "OPTanFloat var",
        "OPFloorFloat var",         "OPExpFloat var",
        "OPDivFloatFloat f(1) var", "OPModFloatFloat var f(0.3)",
        "OPAcosFloat var",          "OPFractFloat var",
        "OPSquareFloat var",        "OPPowFloatFloat var f(0.5)"};
    return std::string(kFunctions[random_() % kFunctions.size()]) + "\n";
  }

  std::string number(double low, double high) {
    return std::to_string(std::uniform_real_distribution<double>(low, high)(random_));
  }
  std::mt19937& random() { return random_; }

 private:
  std::string shape() {
    std::string text = "OPPushP\nOPAddVec3Vec3 var v3(" + number(-0.8, 0.8) + "," +
                       number(-0.8, 0.8) + "," + number(-0.8, 0.8) + ")\n";
    switch (random_() % 3) {
      case 0:
        return text + "OPSDFSphere f(" + number(0.2, 0.6) + ") var\n";
      case 1:
        return text + "OPSDFBox v3(" + number(0.1, 0.4) + "," + number(0.1, 0.4) + "," +
               number(0.1, 0.4) + ") var\n";
      default:
        return text + "OPSDFTorus v2(" + number(0.3, 0.5) + "," + number(0.05, 0.2) + ") var\n";
    }
  }

  std::mt19937 random_;
};

constexpr Bounds kBox{{-1.7F, -1.7F, -1.7F}, {1.7F, 1.7F, 1.7F}};

/// From anywhere, also from inside, towards something near the origin.
WorldRay randomRay(std::mt19937& random) {
  std::uniform_real_distribution<double> number(-2, 2), target(-0.7, 0.7);
  const Vec origin{number(random), number(random), number(random)};
  return {origin, unit(sub({target(random), target(random), target(random)}, origin))};
}

TEST(Random, SolidsLookTheSameThroughHullAndBox) {
  Generator generator(kSeed);
  unsigned hits = 0, different = 0, rays = 0;
  for (unsigned n = 0; n < 25; ++n) {
    const std::string text = generator.solid(2 + n % 3) + "OPStop var\n";
    Settings improved = Settings::improved(), brute = Settings::brute();
    improved.step_limit = brute.step_limit = 2000;
    improved.compact = n % 2 == 0;
    const Model a(objectOf(text, kBox), improved), b(objectOf(text, kBox), brute);
    const Placed hull = a.placed(), whole = b.placed();
    for (unsigned k = 0; k < 400; ++k) {
      const WorldRay ray = randomRay(generator.random());
      Counters counters;
      const HitRecord x = traceRay({&hull, 1}, ray, improved, counters);
      const HitRecord y = traceRay({&whole, 1}, ray, brute, counters);
      ++rays;
      hits += y.hit() ? 1U : 0U;
      different += x.hit() != y.hit() || (x.hit() && std::abs(x.t - y.t) > 0.03F) ? 1U : 0U;
    }
  }
  EXPECT_GT(hits, rays / 5);
  // Rays that graze a surface may stop in its shell of eps in one and pass it in the other.
  EXPECT_LE(different, rays / 200) << "seed " << kSeed;
}

TEST(Random, WildTapesEndAndAddUp) {
  Generator generator(kSeed + 1);
  std::uint64_t undefined = 0;
  for (unsigned n = 0; n < 40; ++n) {
    std::string text = generator.solid(n % 3);
    for (unsigned k = 0; k < 1 + n % 3; ++k) text += generator.wild();
    text += "OPStop var\n";
    for (const Settings& settings :
         {Settings::improved(), Settings::brute(), Settings::seedSource()}) {
      const Model model(objectOf(text, kBox), settings);
      const Camera camera = Camera::lookAt(scaled(randomDirection(generator.random()), 1 + n % 4),
                                           {}, {0.1, 1, 0.2}, 80, 24, 24);
      const Counters c = pictureOf(model, camera, settings, 24, 24).counters;
      ASSERT_EQ(c.fragments, c.traces + c.early_rejects + c.carried) << text;
      ASSERT_EQ(c.traces, c.hits + c.misses + c.capped + c.undefined) << text;
      ASSERT_LE(c.trace_evaluations, c.traces * settings.step_limit) << text;
      undefined += c.undefined;
      const Placed placed = model.placed();
      for (unsigned k = 0; k < 50; ++k) {
        Counters counters;
        const HitRecord hit =
            traceRay({&placed, 1}, randomRay(generator.random()), settings, counters);
        ASSERT_TRUE(!hit.hit() || std::isfinite(hit.t)) << text;
      }
    }
  }
  EXPECT_GT(undefined, 0U) << "no tape met a NaN, seed " << kSeed + 1;
}

TEST(Random, HullsOfSolidsHoldEverySignChange) {
  Generator generator(kSeed + 2);
  for (unsigned n = 0; n < 12; ++n) {
    const std::string text = generator.solid(2 + n % 3) + "OPStop var\n";
    const Model model(objectOf(text, kBox), Settings::improved());
    const Code whole = Code::compact(model.object.program());
    // Along random segments: between two samples of different sign there is a leaf's trimmed box.
    for (unsigned k = 0; k < 200; ++k) {
      const WorldRay ray = randomRay(generator.random());
      for (double t = 0; t < 3; t += 0.01) {
        const Vec p = add(ray.origin, scaled(ray.direction, t));
        const Vec q = add(ray.origin, scaled(ray.direction, t + 0.01));
        if ((whole.valueAt(p) < 0) == (whole.valueAt(q) < 0)) continue;
        ObjectRay part{p, ray.direction};
        bool held = false;
        for (const Leaf& leaf : model.hull.leaves) {
          const Span span = spanOf(part, leaf.trimmed);
          held |= !span.empty() && span.enter <= 0.01 && span.leave >= 0;
        }
        ASSERT_TRUE(held) << "seed " << kSeed + 2 << "\n" << text;
      }
    }
  }
}

/// Everything that is told, as text.
class Told final : public Observer {
 public:
  void trace(const TraceEvent& e) override {
    say("trace", {e.object, e.leaf, e.target, unsigned{e.depth_read}, unsigned{e.rejected},
                  unsigned{e.carried}, static_cast<unsigned>(e.outcome), e.evaluations, e.code,
                  unsigned{e.nearest}});
  }
  void shade(const ShadeEvent& e) override {
    say("shade", {e.object, e.target, e.gradient_evaluations, e.gradient_code, e.normal_evaluations,
                  e.normal_code, e.material_evaluations, e.material_code});
  }
  void side(std::uint32_t object, std::uint32_t target) override { say("side", {object, target}); }
  void store(std::uint32_t target) override { say("store", {target}); }

  std::string text;

 private:
  void say(const char* what, std::initializer_list<unsigned> numbers) {
    text += what;
    for (const unsigned number : numbers) text += " " + std::to_string(number);
    text += "\n";
  }
};

bool sameRecord(const HitRecord& a, const HitRecord& b) {
  return a.object == b.object && a.shape == b.shape && implicit::test::same(a.t, b.t) &&
         std::equal(a.normal.begin(), a.normal.end(), b.normal.begin(), implicit::test::same) &&
         a.material == b.material && a.evaluations == b.evaluations && a.capped == b.capped &&
         a.undefined == b.undefined;
}

std::vector<Settings> settingsOfRays() {
  std::vector<Settings> out{Settings::improved(), Settings::brute(), Settings::seedSource(),
                            Settings::improved(), Settings::improved()};
  out[3].normals = Normals::Tetrahedron;
  out[4].compact = false;
  return out;
}

TEST(Random, RaysSideBySideAreRaysOneAfterTheOther) {
  Generator generator(kSeed + 3);
  unsigned hits = 0;
  for (unsigned n = 0; n < 30; ++n) {
    std::string text = generator.solid(1 + n % 3);
    if (n % 3 == 2) text += generator.wild();
    const std::vector<Settings> all = settingsOfRays();
    const Settings& settings = all[n % all.size()];
    const double lipschitz = n % 2 == 0 && settings.mode == Mode::Improved ? 0 : 1;
    const Model a({assembled(text + "OPStop var\n"), kBox, {}, lipschitz, 7}, settings);
    const Model b(objectOf(generator.solid(1) + "OPStop var\n", kBox, {}, 3), settings);
    const std::vector<Placed> objects{a.placed(), b.placed()};
    RayBatch batch(objects, settings, 200);
    std::vector<WorldRay> rays;
    Counters together, apart;
    for (unsigned k = 0; k < 200; ++k) {
      rays.push_back(randomRay(generator.random()));
      rays.back().any = k % 3 == 0;
      if (k % 5 == 0) rays.back().tmax = static_cast<float>(k % 7);
      batch.add(rays.back(), together, k);
    }
    batch.run();
    for (unsigned k = 0; k < rays.size(); ++k) {
      Told one, other;
      const HitRecord want = traceRay(objects, rays[k], settings, apart, one, k);
      ASSERT_TRUE(sameRecord(batch.tell(k, other), want)) << "ray " << k << " of\n" << text;
      ASSERT_EQ(other.text, one.text) << "ray " << k << " of\n" << text;
      hits += want.hit() ? 1U : 0U;
    }
    ASSERT_EQ(together, apart) << "seed " << kSeed + 3 << "\n" << text;
  }
  EXPECT_GT(hits, 1000U);
}

/// Two batches of the same objects at the same time, as a list's parts are traced.
TEST(Random, BatchesOnTwoThreadsAreThoseOfOne) {
  Generator generator(kSeed + 4);
  for (unsigned n = 0; n < 12; ++n) {
    const std::string text = generator.solid(1 + n % 3) + (n % 3 == 2 ? generator.wild() : "");
    const std::vector<Settings> all = settingsOfRays();
    const Settings& settings = all[n % all.size()];
    const double lipschitz = settings.mode == Mode::Improved ? 0 : 1;
    const Model a({assembled(text + "OPStop var\n"), kBox, {}, lipschitz, 7}, settings);
    const Model b(objectOf(generator.solid(1) + "OPStop var\n", kBox, {}, 3), settings);
    const std::vector<Placed> objects{a.placed(), b.placed()};
    std::vector<WorldRay> rays;
    for (unsigned k = 0; k < 200; ++k) rays.push_back(randomRay(generator.random()));
    const auto traced = [&](Counters& counters) {
      RayBatch batch(objects, settings, rays.size());
      for (std::uint32_t k = 0; k < rays.size(); ++k) batch.add(rays[k], counters, k);
      batch.run();
      Told told;
      for (std::size_t k = 0; k < rays.size(); ++k) batch.tell(k, told);
      return told.text;
    };
    std::array<Counters, 3> counters;
    std::string there;
    std::thread other([&] { there = traced(counters[0]); });
    const std::string here = traced(counters[1]);
    other.join();
    ASSERT_EQ(there, traced(counters[2])) << "seed " << kSeed + 4 << "\n" << text;
    ASSERT_EQ(here, there);
    ASSERT_EQ(counters[0], counters[2]);
    ASSERT_EQ(counters[1], counters[2]);
  }
}

}  // namespace
}  // namespace rtvp::implicit::render::test
