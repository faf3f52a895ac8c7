// `--cost-map` through the executable: counts of scenes whose costs follow from their geometry,
// sums against the statistics of every machine, several machines and hosts, the forms, what is
// refused.
#include <cmath>
#include <numeric>
#include <sstream>

#include "platform/machines/machine.hpp"
#include "platform/report/image.hpp"
#include "platform/sweep/formula.hpp"
#include "tests/platform/app/run_platform.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

namespace js = boost::json;
using Numbers = std::vector<std::uint64_t>;

// One triangle that fills the picture; the light is on the eye's side of it.
constexpr const char* kOne =
    "w 8\nh 8\ne 0 0 5\nlo 0 0 0\nu 0 1 0\nli 0 1 5 1 1 1\n"
    "m .8 .7 .6 .8 .2 .2 5 0 0 1\nt -90 -50 0  90 -50 0  0 90 0\n";
constexpr const char* kDark =
    "w 8\nh 8\ne 0 0 5\nlo 0 0 0\nu 0 1 0\n"
    "m .8 .7 .6 .8 .2 .2 5 0 0 1\nt -90 -50 0  90 -50 0  0 90 0\n";
// The same as a mirror: each eye ray has a shadow ray and a mirror ray, which meets nothing.
constexpr const char* kMirror =
    "w 8\nh 8\ne 0 0 5\nlo 0 0 0\nu 0 1 0\nli 0 1 5 1 1 1\n"
    "m .8 .7 .6 .8 .2 .2 5 .5 0 1\nt -90 -50 0  90 -50 0  0 90 0\n";

/// What a run left in c.json and s.json.
class Costs : public PlatformTest {
 protected:
  void SetUp() override {
    PlatformTest::SetUp();
    write("one.shk", kOne);
    write("dark.shk", kDark);
    write("mirror.shk", kMirror);
    // A height that THEIA's cores divide.
    std::string small = kSmallScene;
    write("small.shk", small.replace(small.find("h 10"), 4, "h 8"));
  }
  void render(const std::string& arguments) {
    const Outcome o = run(arguments + " -q -o p.png --cost-map c.json --stats s.json");
    ASSERT_EQ(o.status, 0) << arguments << "\n" << o.err;
    map_ = json("c.json");
    stats_ = json("s.json");
  }
  [[nodiscard]] Numbers pixels(const std::string& measure, const std::string& machine = {}) const {
    for (const js::value& panel : map_.at("panels").as_array()) {
      if (panel.at("measure") != js::value(measure)) continue;
      if (machine.empty() || panel.at("machines").at(0) == js::value(machine)) {
        return js::value_to<Numbers>(panel.at("pixels"));
      }
    }
    ADD_FAILURE() << "no panel of " << measure;
    return {};
  }
  [[nodiscard]] static std::uint64_t sum(const Numbers& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
  }
  /// Every machine's pixels and what is no pixel's come to the figure that it names. Returns how
  /// many such figures were compared.
  int expectSumsOfTheStatistics() const {
    int compared = 0;
    const js::object& machines = stats_.at("costs").at("machines").as_object();
    for (const auto& [machine, measures] : machines) {
      for (const auto& [measure, words] : measures.as_object()) {
        if (measure == "uncounted" || words.at("figure").as_string().empty()) continue;
        const std::string text(words.at("figure").as_string());
        const auto lookup = [&](std::string_view name) { return figure(name); };
        const auto value = sweep::Formula(text, "figure").evaluate(lookup, lookup);
        EXPECT_TRUE(value) << text;
        const auto charged = words.at("pixels").to_number<std::uint64_t>() +
                             words.at("outside").to_number<std::uint64_t>();
        EXPECT_EQ(static_cast<double>(charged), std::floor(value.value_or(-1)))
            << machine << ", " << measure << ": " << text;
        ++compared;
      }
    }
    return compared;
  }
  js::value map_, stats_;

 private:
  /// A figure of all modules whose path ends with `name`, numbers left out of it, or a parameter.
  [[nodiscard]] double figure(std::string_view name) const {
    const js::object& set = stats_.at("configuration").as_object();
    if (const js::value* const v = set.if_contains(name)) return v->to_number<double>();
    double all = 0;
    add(stats_.at("modules"), "", "." + std::string(name), all);
    return all;
  }
  static void add(const js::value& value, const std::string& path, const std::string& end,
                  double& all) {
    if (value.is_object()) {
      for (const auto& [key, inner] : value.as_object()) {
        std::string word(key);
        while (!word.empty() && word.back() >= '0' && word.back() <= '9') word.pop_back();
        if (word != "dsps" && word != "units") add(inner, path + "." + word, end, all);
      }
    } else if (value.is_number() && path.ends_with(end)) {
      all += value.to_number<double>();
    }
  }
};

// ---- counts that follow from the scene

TEST_F(Costs, OneTriangleOnTheReference) {
  render("dark.shk --engine reference");
  // The root is the leaf: its box, itself, its triangle.
  EXPECT_EQ(pixels("tests"), Numbers(64, 1));
  EXPECT_EQ(pixels("box_tests"), Numbers(64, 1));
  EXPECT_EQ(pixels("node_visits"), Numbers(64, 1));
  render("dark.shk --engine reference --spp 4");
  EXPECT_EQ(pixels("tests"), Numbers(64, 4));
  render("one.shk --engine reference");
  EXPECT_EQ(pixels("box_tests"), Numbers(64, 2)) << "a shadow ray each";
  render("mirror.shk --engine reference");
  EXPECT_EQ(pixels("box_tests"), Numbers(64, 3)) << "and a mirror ray";
  render("mirror.shk --engine reference --depth 1");
  EXPECT_EQ(pixels("box_tests"), Numbers(64, 2));
}

TEST_F(Costs, TheRuleOf1996MeetsEverything) {
  render("small.shk --engine reference --seed-compat --depth 1");
  // Eight triangles: a multiple for each ray, and all rays of the picture.
  for (const std::uint64_t n : pixels("tests")) EXPECT_EQ(n % 8, 0U);
  EXPECT_EQ(sum(pixels("tests")), 8 * stats_.at("picture").at("rays").to_number<std::uint64_t>());
  EXPECT_EQ(map_.at("panels").as_array().size(), 1U);
  EXPECT_TRUE(contains(slurp(path("c.json")), "the 1996 rule has no tree"));
}

TEST_F(Costs, OneTriangleOnEveryMachine) {
  for (const std::string engine : {"tigershark --dsps 4", "theia", "xphmg"}) {
    render("dark.shk --engine " + engine);
    EXPECT_EQ(pixels("tests"), Numbers(64, 1)) << engine;
    EXPECT_GT(sum(pixels("cycles")), 64U) << engine;
    EXPECT_GE(expectSumsOfTheStatistics(), 2) << engine;
    // Eye ray, shadow ray: the triangle is tested for both, the second one misses it.
    render("one.shk --engine " + engine);
    const Numbers tests = pixels("tests");
    if (engine != "xphmg") {
      EXPECT_EQ(tests, Numbers(64, 2)) << engine;
    }
    render("mirror.shk --engine " + engine);
    if (engine != "xphmg") {
      EXPECT_EQ(pixels("tests"), Numbers(64, 3)) << engine;
    }
  }
  // XPHMG_RT has boxes: the root for each ray, the triangle for those that meet its box.
  EXPECT_EQ(pixels("node_visits"), Numbers(64, 3));
  EXPECT_GE(sum(pixels("tests")), 64U);
}

TEST_F(Costs, LockstepNodesShareABatchEvenly) {
  // 64 rays are four batches of 16 nodes: the pixels of a batch differ by a cycle at most.
  render("dark.shk --engine tigershark --dsps 16 --set render.order=scanline");
  const Numbers cycles = pixels("cycles");
  for (std::size_t batch = 0; batch < 4; ++batch) {
    const auto [least, most] =
        std::minmax_element(cycles.begin() + static_cast<std::ptrdiff_t>(16 * batch),
                            cycles.begin() + static_cast<std::ptrdiff_t>(16 * batch + 16));
    EXPECT_LE(*most - *least, 1U);
  }
}

TEST_F(Costs, ATileOfTheiaMeetsItsOwnTriangles) {
  // Of two triangles each half of the picture has one, and the row of tiles between them both.
  write("two.shk",
        "w 16\nh 16\ne 0 0 5\nlo 0 0 0\nu 0 1 0\nm .8 .7 .6 .8 .2 .2 5 0 0 1\n"
        "t -9 .6 0  9 .6 0  0 9 0\nt -9 -.6 0  9 -.6 0  0 -9 0\n");
  render("two.shk --engine theia");
  EXPECT_EQ(pixels("tests"), Numbers(256, 2));
  render("two.shk --engine theia --set theia.tile=4");
  const Numbers tests = pixels("tests");
  EXPECT_EQ(Numbers(tests.begin(), tests.begin() + 64), Numbers(64, 1));
  EXPECT_EQ(Numbers(tests.end() - 64, tests.end()), Numbers(64, 1));
  EXPECT_GE(expectSumsOfTheStatistics(), 2);
}

TEST_F(Costs, InstructionsOfAShader) {
  write("flat.sl", "sl 1.0\nliv r v0, 0.25\nliv g v0, 0.1\n");
  write("flat.shk",
        "w 24\nh 24\nb .1 .2 .3\ne 0 0 5\nlo 0 0 0\nli 4 5 6 1 1 1\nli -5 2 4 .4 .4 .5\n"
        "surface flat\nsphere 0 0 0 1.5\n");
  render("flat.shk --engine reference");
  // Two instructions, once a light.
  const Numbers instructions = pixels("instructions");
  EXPECT_EQ(instructions[12 * 24 + 12], 4U);
  EXPECT_EQ(instructions[0], 0U);
  EXPECT_EQ(pixels("cycles")[0], 0U);
  EXPECT_EQ(expectSumsOfTheStatistics(), 2);
}

TEST_F(Costs, ImplicitSurfaces) {
  write("ball.sdf",
        ".bounds -1 -1 -1 1 1 1\n.material 0 .2 .8 .3\nOPSDFSphere f(0.75) var\nOPStop var\n");
  write("ball.shk", "w 32\nh 24\ne 0 1 3\nlo 0 0 0\nu 0 1 0\nli 5 8 6 1 1 1\nimplicit ball.sdf\n");
  render("ball.shk --engine implicit");
  EXPECT_EQ(expectSumsOfTheStatistics(), 2);
  const Numbers evaluations = pixels("evaluations"), cycles = pixels("cycles");
  EXPECT_EQ(evaluations[0], 0U) << "the box is not there";
  EXPECT_EQ(cycles[0], 0U);
  EXPECT_GT(evaluations[12 * 32 + 16], 0U);
  EXPECT_GT(cycles[12 * 32 + 16], 0U);
  // By slopes, with rays that start on the surface, and with materials.
  for (const std::string scene : {"implicit_gyroid", "implicit_bear", "implicit_mixed"}) {
    render(RTVP_SOURCE_DIR "/scenes/" + scene + ".shk --size 16x16 --spp 2 --engine " +
           (scene == "implicit_mixed" ? "xphmg" : "implicit"));
    EXPECT_EQ(expectSumsOfTheStatistics(), scene == "implicit_mixed" ? 6 : 2) << scene;
  }
  for (const std::string mode : {"seed", "brute"}) {
    render("ball.shk --engine implicit --set implicit.mode=" + mode);
    EXPECT_EQ(expectSumsOfTheStatistics(), 2) << mode;
  }
}

// ---- sums

TEST_F(Costs, SumsAreTheStatisticsTotals) {
  for (const std::string arguments :
       {"tigershark --dsps 4", "tigershark --dsps 8 --set tigershark.boards=2 --spp 2",
        "tigershark --dsps 4 --set array.engine=scalar",
        "tigershark --set tigershark.sram_words=4096", "theia", "theia --size 13x8",
        "theia --set theia.tile=4 --set theia.microcode=original",
        "theia --shade theia --set theia.microcode=improved", "xphmg", "xphmg --hosts 2",
        "xphmg --set bus.width=4 --set dram.width=4", "theia --hosts 2", "tigershark --hosts 2",
        "xphmg --set xphmg.units=3 --set xphmg.job_rays=7", "xphmg --crop 3,2,5,4 --spp 4",
        "xphmg --set xphmg.driver=hart --set xphmg.units=1"}) {
    render("small.shk --engine " + arguments);
    EXPECT_GE(expectSumsOfTheStatistics(), 2) << arguments;
  }
}

TEST_F(Costs, ShadersOnBoards) {
  render(RTVP_SOURCE_DIR
         "/scenes/marble_teapot.shk --size 12x12 --engine tigershark --dsps 4 "
         "--shade tigershark --set scene.tessellate=all");
  EXPECT_EQ(expectSumsOfTheStatistics(), 3);
  render(RTVP_SOURCE_DIR "/scenes/shaderball.shk --size 12x12 --engine xphmg");
  EXPECT_EQ(expectSumsOfTheStatistics(), 4 + 2) << "with the shading unit";
}

TEST_F(Costs, EnginesOfTheArrayCountAlike) {
  render("small.shk --engine tigershark --dsps 8 --set array.engine=scalar");
  const std::string scalar = slurp(path("c.json"));
  render("small.shk --engine tigershark --dsps 8 --set array.engine=simt");
  EXPECT_EQ(slurp(path("c.json")), scalar);
  render("small.shk --engine tigershark --dsps 8 --set array.timing=strict");
  EXPECT_EQ(slurp(path("c.json")), scalar);
}

TEST_F(Costs, HostsAndCropsGiveTheSamePixels) {
  render("small.shk --engine xphmg");
  const Numbers whole = pixels("tests");
  render("small.shk --engine xphmg --hosts 3");
  EXPECT_EQ(pixels("tests"), whole);
  render("small.shk --engine xphmg --crop 4,3,5,2");
  Numbers part;
  for (int y = 3; y < 5; ++y) {
    for (int x = 4; x < 9; ++x) part.push_back(whole[static_cast<std::size_t>(12 * y + x)]);
  }
  EXPECT_EQ(pixels("tests"), part);
}

TEST_F(Costs, MachinesOfOneRunAddUp) {
  render("small.shk --machines theia,xphmg --assign eye=theia,shadow=xphmg,secondary=xphmg");
  // Eight triangles meet each eye ray on THEIA; the others are XPHMG_RT's.
  js::array& machines = map_.at("machines").as_array();
  ASSERT_EQ(machines.size(), 2U);
  const Numbers all = pixels("tests");
  Numbers own[2];
  for (std::size_t i = 0; i < 2; ++i) {
    for (const js::value& panel : machines[i].at("measures").as_array()) {
      if (panel.at("measure") == js::value("tests")) {
        own[i] = js::value_to<Numbers>(panel.at("pixels"));
      }
    }
  }
  EXPECT_EQ(own[0], Numbers(96, 8));
  ASSERT_EQ(own[1].size(), 96U);
  for (std::size_t i = 0; i < 96; ++i) EXPECT_EQ(all[i], own[0][i] + own[1][i]);
  // Their clocks differ.
  EXPECT_GT(sum(pixels("cycles", "theia")), 0U);
  EXPECT_GT(sum(pixels("cycles", "xphmg")), 0U);
  EXPECT_TRUE(contains(slurp(path("c.json")), "cycles of different clocks are not added"));
  EXPECT_EQ(expectSumsOfTheStatistics(), 2 + 4);

  render("small.shk --machines theia,xphmg --assign race:theia,xphmg");
  EXPECT_EQ(expectSumsOfTheStatistics(), 2 + 4) << "every racer is charged";

  render("small.shk --machines xphmg:2 --assign share");
  EXPECT_EQ(pixels("cycles").size(), 96U);
  EXPECT_FALSE(contains(slurp(path("c.json")), "not added")) << "one clock";
}

TEST_F(Costs, TheUnitBesideAMachineIsInTheMap) {
  write("ball.sdf",
        ".bounds -1 -1 -1 1 1 1\n.material 0 .2 .8 .3\nOPSDFSphere f(0.75) var\nOPStop var\n");
  write("both.shk", std::string(kOne) + "implicit ball.sdf at 0 0 1\n");
  for (const std::string engine : {"xphmg", "tigershark --dsps 4", "theia"}) {
    render("both.shk --engine " + engine);
    EXPECT_GE(expectSumsOfTheStatistics(), 4) << engine;
    EXPECT_GT(sum(pixels("evaluations")), 0U) << engine;
    EXPECT_GE(sum(pixels("tests")), 64U) << engine;
  }
}

// ---- forms

TEST_F(Costs, FiguresAndColours) {
  render("small.shk --engine xphmg --cost-measure tests,node_visits");
  const Numbers tests = pixels("tests"), nodes = pixels("node_visits");
  const std::string common =
      "small.shk --engine xphmg -q -o p.png --cost-measure tests,node_visits ";
  ASSERT_EQ(run(common + "--cost-map c.csv").status, 0);
  std::istringstream csv(slurp(path("c.csv")));
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "x,y,tests,node_visits");
  for (std::size_t i = 0; i < 96; ++i) {
    std::getline(csv, line);
    EXPECT_EQ(line, std::to_string(i % 12) + "," + std::to_string(i / 12) + "," +
                        std::to_string(tests[i]) + "," + std::to_string(nodes[i]));
  }
  ASSERT_EQ(run(common + "--cost-map c.png").status, 0);
  const report::Image image = report::readImage(path("c.png"));
  EXPECT_EQ(image.width, 2 * 12 + 4);
  EXPECT_EQ(image.height, 8);
  // Black, blue, red, yellow, white at 0, 1/4, 1/2, 3/4 and all of the largest of 96 pixels.
  const std::uint64_t most = *std::max_element(tests.begin(), tests.end());
  for (std::size_t i = 0; i < 96; ++i) {
    const auto p = image.pixel(static_cast<int>(i % 12), static_cast<int>(i / 12));
    const double share = static_cast<double>(tests[i]) / static_cast<double>(most);
    if (tests[i] == most) {
      EXPECT_EQ(p[0] + p[1] + p[2], 3 * 255);
    }
    if (share <= 0.25) {
      EXPECT_NEAR(p[2], 255 * 0.8 * 4 * share, 1);
    }
    if (share <= 0.25) {
      EXPECT_EQ(p[0] + p[1], 0);
    }
  }
}

TEST_F(Costs, NothingElseChanges) {
  for (const std::string engine : {"xphmg", "theia", "tigershark --dsps 4", "reference"}) {
    render("small.shk --engine " + engine);
    const std::string picture = slurp(path("p.png"));
    js::object with = stats_.as_object();
    ASSERT_EQ(run("small.shk -q -o p.png --stats s.json --engine " + engine).status, 0);
    js::object without = json("s.json").as_object();
    with.erase("costs");
    with.erase("host");
    without.erase("host");
    EXPECT_EQ(js::serialize(with), js::serialize(without)) << engine;
    EXPECT_EQ(slurp(path("p.png")), picture) << engine;
  }
}

TEST_F(Costs, EveryKindSpeaksOfEveryMeasureAsThePageDoes) {
  const std::string page = slurp(RTVP_SOURCE_DIR "/docs/costs.md");
  for (const platform::MachineKind* const kind : platform::builtinMachines().kinds()) {
    const platform::MachineInfo& info = kind->info();
    EXPECT_FALSE(info.costs.empty()) << info.name;
    EXPECT_TRUE(contains(page, std::string(info.uncounted))) << info.name << ", docs/costs.md";
    for (const platform::Cost& cost : info.costs) {
      EXPECT_TRUE(contains(page, std::string(cost.words))) << cost.words << ", docs/costs.md";
    }
    for (std::size_t m = 0; m < platform::kMeasures.size(); ++m) {
      const auto counted =
          std::count_if(info.costs.begin(), info.costs.end(), [&](const platform::Cost& cost) {
            return cost.measure == static_cast<platform::Measure>(m);
          });
      EXPECT_LE(counted, 1);
      const bool said =
          contains(std::string(info.uncounted), std::string(platform::kMeasures[m].title));
      EXPECT_TRUE(counted == 1 || said) << info.name << ": " << platform::kMeasures[m].name;
    }
  }
}

TEST_F(Costs, TheSummarySaysWhatHasNoMeaning) {
  const Outcome o = run("small.shk --engine theia -o p.png --cost-map c.png");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_TRUE(contains(o.out, "cost map    cycles (white: ")) << o.out;
  EXPECT_TRUE(contains(o.out, "not of theia: box tests and node visits: ")) << o.out;
}

TEST_F(Costs, WhatCannotBeIsRefused) {
  Outcome o = run("small.shk --engine theia --cost-map c.png --cost-measure evaluations,bytes");
  EXPECT_EQ(o.status, 2);
  EXPECT_TRUE(contains(o.err,
                       "output.cost_measure: found 'evaluations,bytes', which no machine of "
                       "this run counts; theia: box tests"))
      << o.err;
  o = run("small.shk --engine theia --cost-map c.png --cost-measure heat");
  EXPECT_EQ(o.status, 2);
  EXPECT_TRUE(contains(o.err, "found 'heat', expected all or some of cycles, tests")) << o.err;
  EXPECT_EQ(run("small.shk --engine theia --cost-measure tests").status, 2);
  EXPECT_EQ(run("small.shk --engine theia --cost-map c.txt").status, 2);
  EXPECT_EQ(run("small.shk --engine theia -o c.png --cost-map c.png").status, 2);
  EXPECT_FALSE(std::filesystem::exists(path("c.png")));
}

}  // namespace
}  // namespace rtvp::test
