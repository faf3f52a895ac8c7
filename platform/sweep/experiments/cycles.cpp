// What a test of one ray against one element costs, on the real firmware.
//
// Cycles of a record come from scenes of our own, in which one kind of record repeats: the walk of
// the longer of two such scenes minus that of the shorter one, over the difference in records.
#include <cmath>
#include <functional>

#include "models/tigershark/protocol.hpp"
#include "platform/sweep/experiments/experiment.hpp"

namespace rtvp::sweep {
namespace {

// One ray, from (0,0,10) along -z, before any light or secondary ray.
constexpr const char* kCamera = "w 1\nh 1\ne 0 0 10\nlo 0 0 0\nu 0 1 0\nm 1 1 1 0 0 1 1 0 0 1\n";

std::string triangleAt(double x, double z) {
  const auto n = [](double v) { return std::to_string(v) + " "; };
  return "t " + n(x - 3) + n(-3) + n(z) + n(x + 3) + n(-3) + n(z) + n(x) + n(3) + n(z) + "\n";
}
std::string sphereAt(double x, double z) {
  return "sphere " + std::to_string(x) + " 0 " + std::to_string(z) + " 1\n";
}

/// One line of a scene: the i-th of a kind of record.
using Line = std::function<std::string(int i, int count)>;

struct Kind {
  const char* name;
  Line line;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> list = {
      {"triangle, ray parallel to its plane",
       [](int, int) { return std::string("t 5 0 0  5 1 0  5 0 1\n"); }},
      {"triangle, ray outside an edge", [](int, int) { return triangleAt(20, 0); }},
      {"triangle behind the origin", [](int, int) { return triangleAt(0, 20); }},
      {"triangle hit, but not nearest", [](int i, int) { return triangleAt(0, i == 0 ? 5 : 0); }},
      {"triangle hit, nearest so far",
       [](int i, int n) { return triangleAt(0, -50 + 50.0 * i / n); }},
      {"sphere, ray outside", [](int, int) { return sphereAt(20, 0); }},
      {"sphere behind the origin", [](int, int) { return sphereAt(0, 20); }},
      {"sphere hit, nearest so far", [](int i, int n) { return sphereAt(0, -50 + 50.0 * i / n); }}};
  return list;
}

// H1 cycles of one record of each kind, fetches and barrier included.
std::vector<double> recordCycles(const Laboratory& lab) {
  constexpr int kShort = 200;
  constexpr int kLong = 1200;
  SweepSpec spec;
  spec.name = "record-cycles";
  std::vector<std::string> scenes;
  for (std::size_t k = 0; k < kinds().size(); ++k) {
    for (const int count : {kShort, kLong}) {
      std::string text = kCamera;
      // In the scene first, so that the nearest is found before it, or each is nearer in its turn.
      for (int i = 0; i < count; ++i) text += kinds()[k].line(i, count);
      scenes.push_back(
          lab.ownScene("record" + std::to_string(k) + "-" + std::to_string(count) + ".shk", text));
    }
  }
  spec.set(std::string(kSceneKey), scenes);
  spec.set("tigershark.dsps", {"1"});
  spec.set("tigershark.vote", {"off"});
  spec.set("render.depth", {"1"});
  spec.figures = {{"walk", "cycles", "array.walk_cycles"}};
  const SweepResult result = lab.sweep(spec);
  std::vector<double> cycles;
  for (std::size_t k = 0; k < kinds().size(); ++k) {
    const double low = need(result, {{"scene", scenes[2 * k]}}, "walk");
    const double high = need(result, {{"scene", scenes[2 * k + 1]}}, "walk");
    cycles.push_back((high - low) / (kLong - kShort));
  }
  return cycles;
}

SweepResult bruteForceBunny(const Laboratory& lab) {
  SweepSpec spec;
  spec.name = "brute-force";
  spec.set(std::string(kSceneKey), {lab.shipped("bunny.shk")});
  spec.set("render.size", {"16x16"});
  spec.set("render.depth", {"1"});
  spec.set("tigershark.vote", {"off"});
  spec.set("tigershark.dsps", {"1", "16"});
  spec.figures = {
      {"tests", "tests/s",
       "tigershark.dsps * (array.barriers - driver.batches) / array.walk_cycles * "
       "tigershark.clock_hz"},
      {"overall", "tests/s",
       "tigershark.dsps * (array.barriers - driver.batches) / driver.batches_ps * 1e12"},
      {"cycles", "cycles", "array.walk_cycles / (array.barriers - driver.batches)"},
      {"skew", "share", "array.arrival_skew / (tigershark.dsps * array.walk_cycles)"},
      {"elements", "triangles", "scene.elements"}};
  return lab.sweep(spec);
}

Finding rateOfOne(const std::vector<double>& cycles, const SweepResult& bunny) {
  Finding f;
  f.id = "TS-060";
  f.claim =
      "Half a million ray-triangle tests a second and DSP, from a worst case of 100 instructions "
      "at 60 MFLOPS.";
  const double missed = cycles[1];
  const double hit = cycles[4];
  const double measured = need(bunny, {{"tigershark.dsps", "1"}}, "tests");
  f.measurement = "A miss takes " + rounded(missed) + " cycles with fetches and barrier (" +
                  rounded(kClockHz / missed) + " tests/s), the nearest hit " + rounded(hit) + " (" +
                  rounded(kClockHz / hit) + " tests/s); brute force over bunny averages " +
                  rounded(measured) + " tests/s.";
  f.verdict = measured >= 0.99 * kClaimedRate
                  ? "Confirmed on average, for one DSP. The worst case of 100 instructions alone "
                    "gives " +
                        rounded(kClockHz / hit) + "/s: 60 MFLOPS are 30 MIPS."
                  : "Nearly: " + percent(measured / kClaimedRate) +
                        " of it on average; the worst case alone gives " + rounded(kClockHz / hit) +
                        "/s, because 60 MFLOPS are 30 MIPS.";
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < cycles.size(); ++k) {
    rows.push_back({kinds()[k].name, rounded(cycles[k]), rounded(kClockHz / cycles[k])});
  }
  f.details = table({"record", "H1 cycles", "tests/s and DSP"}, rows) +
              "\nThe C32 divides by Newton steps from a seed of complemented bits; of a hit 17 "
              "cycles are the reciprocal (`firmware/tigershark/README.md`).\n";
  return f;
}

Finding rateOfSixteen(const SweepResult& bunny) {
  Finding f;
  f.id = "TS-061";
  f.claim = "A board of 16 DSPs: 8 million tests a second.";
  const double one = need(bunny, {{"tigershark.dsps", "1"}}, "tests");
  const double tests = need(bunny, {{"tigershark.dsps", "16"}}, "tests");
  const double overall = need(bunny, {{"tigershark.dsps", "16"}}, "overall");
  const double skew = need(bunny, {{"tigershark.dsps", "16"}}, "skew");
  f.measurement = "Brute force over bunny (" +
                  rounded(need(bunny, {{"tigershark.dsps", "16"}}, "elements"), 6) +
                  " triangles, 16x16): " + rounded(tests) + " tests/s while walking, " +
                  rounded(overall) + " with the chain; one DSP alone " + rounded(one) +
                  ". Lanes wait " + percent(skew) + " of the walk for the slowest of them.";
  f.verdict =
      std::string(tests >= 0.95 * 8e6 ? "Confirmed within 5 % for the walk" : "Not reached") +
      " (" + percent(tests / 8e6, 3) + " of 8 million); " + percent(overall / 8e6) +
      " with loading and sending over the chain. Lockstep costs " +
      percent(1 - tests / (16 * one)) + " against 16 single DSPs.";
  f.details = table(
      {"", "1 DSP", "16 DSPs"},
      {{"cycles of a record, mean", rounded(need(bunny, {{"tigershark.dsps", "1"}}, "cycles")),
        rounded(need(bunny, {{"tigershark.dsps", "16"}}, "cycles"))},
       {"tests/s, walking", rounded(one), rounded(tests)},
       {"tests/s, with the chain", rounded(need(bunny, {{"tigershark.dsps", "1"}}, "overall")),
        rounded(overall)}});
  return f;
}

Finding rateOfHundreds() {
  Finding f;
  f.id = "TS-062";
  f.claim = "512 DSPs approach 10^9 tests a second.";
  const double product = 512 * kClaimedRate;
  f.measurement = "512 x 0.5 million = " + rounded(product) + " (arithmetic, no run).";
  f.verdict =
      "Refuted by the text's own numbers, by a factor of " + rounded(1e9 / product, 2) + ".";
  return f;
}

}  // namespace

std::vector<Finding> testRates(const Laboratory& lab) {
  const SweepResult bunny = bruteForceBunny(lab);
  return {rateOfOne(recordCycles(lab), bunny), rateOfSixteen(bunny), rateOfHundreds()};
}

std::vector<Finding> recordSizes(const Laboratory& lab) {
  Finding f;
  f.id = "TS-066";
  f.claim = "Up to 50 words a primitive.";
  SweepSpec spec;
  spec.name = "record-sizes";
  std::vector<std::string> scenes;
  for (const char* name : {"bunny.shk", "teapot.shk", "cornell.shk", "spd_tetra_4.shk",
                           "spd_balls_2.nff", "spd_balls_4.nff", "spd_mount_3.nff"}) {
    scenes.push_back(lab.shipped(name));
  }
  spec.set(std::string(kSceneKey), scenes);
  spec.set("render.size", {"1x1"});
  spec.set("render.depth", {"1"});
  spec.set("tigershark.dsps", {"1"});
  spec.set("tigershark.vote", {"on", "off"});
  spec.figures = {{"words", "words/element", "driver.page_words / scene.elements"},
                  {"elements", "", "scene.elements"}};
  const SweepResult result = lab.sweep(spec);
  std::vector<std::vector<std::string>> rows;
  double most = 0;
  for (const std::string& scene : scenes) {
    const double with = need(result, {{"scene", scene}, {"tigershark.vote", "on"}}, "words");
    most = std::max(most, with);
    rows.push_back(
        {std::filesystem::path(scene).filename().string(),
         rounded(need(result, {{"scene", scene}, {"tigershark.vote", "on"}}, "elements"), 6),
         rounded(need(result, {{"scene", scene}, {"tigershark.vote", "off"}}, "words")),
         rounded(with)});
  }
  f.measurement = "Triangle " + std::to_string(tigershark::kTriangleWords) + " words, sphere " +
                  std::to_string(tigershark::kSphereWords) + ", box " +
                  std::to_string(tigershark::kBoxWords) + "; with its share of the boxes at most " +
                  rounded(most) + " words an element over the scenes below.";
  f.verdict = "Generous: ten words do for a triangle, " + rounded(most, 2) +
              " with its share of the boxes. (The 1996 program's own structure has 24 to 30.)";
  f.details = table({"scene", "elements", "words each, no boxes", "words each, with boxes"}, rows);
  return {f};
}

std::vector<Finding> spheres(const Laboratory& lab) {
  Finding f;
  f.id = "TS-070";
  f.claim =
      "Sphere tests are cheaper than triangle tests; AR250 needs hundreds of triangles a sphere, "
      "so TigerSHARK is ten times faster on spheres.";
  const std::vector<double> cycles = recordCycles(lab);
  SweepSpec spec;
  spec.name = "spheres";
  spec.set(std::string(kSceneKey), {lab.shipped("spd_balls_2.nff")});
  spec.set("render.size", {"24x24"});
  spec.set("render.depth", {"1"});
  spec.set("tigershark.dsps", {"16"});
  spec.set("scene.tessellate", {"needed", "all"});
  spec.set("scene.segments", {"11", "23", "45"});
  spec.figures = {
      {"walk", "us/ray", "array.walk_cycles / tigershark.clock_hz * 1e6 * 16 / driver.rays_traced"},
      {"triangles", "", "scene.triangles"},
      {"spheres", "", "scene.spheres"}};
  const SweepResult result = lab.sweep(spec);
  const double native =
      need(result, {{"scene.tessellate", "needed"}, {"scene.segments", "11"}}, "walk");
  const double count =
      need(result, {{"scene.tessellate", "needed"}, {"scene.segments", "11"}}, "spheres");
  const double flat =
      need(result, {{"scene.tessellate", "needed"}, {"scene.segments", "11"}}, "triangles");
  const double ours = 16 * kClockHz / cycles[5];
  std::vector<std::vector<std::string>> rows{{"as spheres", "-", rounded(native), "1", "-", "-"}};
  double least = 1e300;
  for (const char* segments : {"11", "23", "45"}) {
    const double walk =
        need(result, {{"scene.tessellate", "all"}, {"scene.segments", segments}}, "walk");
    const double each =
        (need(result, {{"scene.tessellate", "all"}, {"scene.segments", segments}}, "triangles") -
         flat) /
        count;
    const double theirs = 80e6 / each;
    least = std::min(least, ours / theirs);
    rows.push_back({rounded(each, 4) + " triangles a sphere", rounded(each, 4), rounded(walk),
                    rounded(walk / native), rounded(theirs), rounded(ours / theirs)});
  }
  f.measurement = "Missed: " + rounded(cycles[5]) + " cycles against " + rounded(cycles[1]) +
                  " for a triangle; hit: " + rounded(cycles[7]) + " against " + rounded(cycles[4]) +
                  ". 16 DSPs test " + rounded(ours) +
                  " spheres/s, AR250 at 80 million triangles/s " + rounded(80e6 / 320) +
                  " of 320 triangles.";
  f.verdict = std::string(cycles[5] < cycles[1] && cycles[7] < cycles[4] ? "Confirmed: cheaper, "
                                                                         : "Not confirmed: ") +
              "and at least " + rounded(least, 2) +
              " times faster than AR250 by brute force. With a hierarchy much of it goes: "
              "tessellation costs this machine itself only the factors below.";
  f.details = table({"spd_balls_2", "triangles", "us a ray and DSP, walking", "against spheres",
                     "AR250 spheres/s", "16 DSPs / AR250"},
                    rows);
  return {f};
}

}  // namespace rtvp::sweep
