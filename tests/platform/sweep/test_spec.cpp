// Sweep specifications: reading, checking, expanding into points.
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "platform/exit_status.hpp"
#include "platform/options/built_in_options.hpp"
#include "platform/sweep/spec.hpp"
#include "tests/platform/report/scratch_folder.hpp"

namespace rtvp::sweep {
namespace {

class SweepSpecFile : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  /// A program that reads nothing but the scene.
  [[nodiscard]] Subject subject(const std::string& build = "x") const {
    return {table_,
            [](const platform::Settings&, const std::string& scene) {
              platform::InputFiles files;
              (void)files.read("scene", scene, 1U << 20U);
              return files.all();
            },
            [](const platform::Settings& settings) {
              return std::vector<Figure>{{settings.text("engine"), "1", "picture.rays"}};
            },
            build};
  }
  test::ScratchFolder folder_;
  const platform::OptionTable table_ = platform::builtInOptions();
};

TEST_F(SweepSpecFile, IsRead) {
  const std::string scene = write("a.shk", "w 4\n");
  const SweepSpec spec = loadSpec(write("s.json",
                                        R"({"name": "n", "note": "why", "scene": "a.shk",
          "set": {"tigershark.dsps": "4,8,...,32", "render.order": ["hilbert", "tiles"],
                  "render.spp": 2, "tigershark.vote": false},
          "figures": {"f": "a/b", "g": {"formula": "a", "unit": "ms"}},
          "plots": [{"title": "t", "x": "tigershark.dsps", "y": ["f", "g"], "series": "render.order",
                     "log_x": true}]})"));
  EXPECT_EQ(spec.name, "n");
  EXPECT_EQ(spec.note, "why");
  ASSERT_EQ(spec.axes.size(), 5U);
  EXPECT_EQ(spec.axes[0].key, "scene");
  EXPECT_EQ(spec.axes[0].values, (std::vector<std::string>{scene}));
  EXPECT_EQ(spec.axes[1].values, (std::vector<std::string>{"4", "8", "16", "32"}));
  EXPECT_EQ(spec.axes[3].values, (std::vector<std::string>{"2"}));
  EXPECT_EQ(spec.axes[4].values, (std::vector<std::string>{"off"}));
  ASSERT_EQ(spec.figures.size(), 2U);
  EXPECT_EQ(spec.figures[1].unit, "ms");
  ASSERT_EQ(spec.plots.size(), 1U);
  EXPECT_TRUE(spec.plots[0].logX);
  EXPECT_FALSE(spec.plots[0].logY);

  const std::vector<Point> points = expand(spec, subject());
  ASSERT_EQ(points.size(), 8U);
  EXPECT_EQ(points[0].settings.integer("tigershark.dsps"), 4);
  EXPECT_EQ(points[1].settings.integer("tigershark.dsps"), 4);
  EXPECT_EQ(points[1].settings.text("render.order"), "tiles");
  EXPECT_EQ(points[7].settings.integer("tigershark.dsps"), 32);
  EXPECT_FALSE(points[7].settings.flag("tigershark.vote"));
}

TEST_F(SweepSpecFile, IdentityIsContentsParametersAndProgram) {
  const std::string scene = write("a.shk", "w 4\n");
  SweepSpec spec;
  spec.set("scene", {scene});
  spec.set("tigershark.dsps", {"4", "8"});
  const std::vector<Point> one = expand(spec, subject());
  EXPECT_NE(one[0].identity, one[1].identity);
  EXPECT_EQ(expand(spec, subject())[0].identity, one[0].identity);
  EXPECT_NE(expand(spec, subject("y"))[0].identity, one[0].identity);
  EXPECT_EQ(expand(spec, subject("y"))[0].asked, one[0].asked);
  // A default that is spelled out is the same run; a host setting that is spelled out is not.
  spec.set("render.spp", {"1"});
  EXPECT_EQ(expand(spec, subject())[0].identity, one[0].identity);
  spec.set("array.timing", {"strict"});
  EXPECT_NE(expand(spec, subject())[0].identity, one[0].identity);
  spec.axes.pop_back();
  // The same bytes elsewhere are the same scene, other bytes are not.
  spec.set("scene", {write("b.shk", "w 4\n")});
  EXPECT_EQ(expand(spec, subject())[0].identity, one[0].identity);
  EXPECT_NE(expand(spec, subject())[0].asked, one[0].asked);
  write("b.shk", "w 5\n");
  EXPECT_NE(expand(spec, subject())[0].identity, one[0].identity);
}

TEST_F(SweepSpecFile, FiguresAreThoseOfTheMachines) {
  SweepSpec spec;
  spec.set("scene", {write("a.shk", "w 4\n")});
  spec.set("engine", {"xphmg", "theia"});
  complete(spec, subject());
  std::vector<std::string> names;
  for (const Figure& f : spec.figures) names.push_back(f.name);
  EXPECT_EQ(names, (std::vector<std::string>{"time", "rays", "limit", "tests a ray", "bytes a ray",
                                             "multipliers", "memory", "price", "power", "energy",
                                             "area", "xphmg", "theia"}));
}

TEST_F(SweepSpecFile, RefusesWhatIsNoSpec) {
  write("a.shk", "w 4\n");
  const std::string scene = R"("scene": "a.shk")";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "s.json:1"},
      {"{\n\"scene\": }", "s.json:2"},
      {"{} x", "s.json:1"},
      {"[]", "expected an object"},
      {R"({"scene": "a.shk", "sets": {}})", "unknown member 'sets'"},
      {R"({"scene": 3.5e3, "name": 4})", "name: expected a text"},
      {R"({"scene": {}})", "scene: expected"},
      {R"({"scene": []})", "at least one value"},
      {"{}", "expected a scene"},
      {R"({"scene": "none.shk"})", "none.shk"},
      {"{" + scene + R"(, "set": []})", "set: expected an object"},
      {"{" + scene + R"(, "set": {"tigershark.dspz": 4}})", "'tigershark.dsps'"},
      {"{" + scene + R"(, "set": {"tigershark.dsps": 0}})", "1..512"},
      {"{" + scene + R"(, "set": {"tigershark.dsps": [4, null]}})", "set.tigershark.dsps"},
      {"{" + scene + R"(, "set": {"tigershark.dsps": "4,4"}})", "twice"},
      {"{" + scene + R"(, "set": {"output.image": "a.png"}})", "output.image"},
      {"{" + scene + R"(, "set": {"render.spp": "1..256", "tigershark.dsps": "1..512"}})",
       "points"},
      {"{" + scene + R"(, "figures": {"f": "1 +"}})", "figures.f: column 4"},
      {"{" + scene + R"(, "figures": {"f": {"unit": "s"}}})", "figures.f: formula"},
      {"{" + scene + R"(, "figures": []})", "figures: expected"},
      {"{" + scene + R"(, "plots": [{"x": "scene", "y": "none"}]})", "found 'none'"},
      {"{" + scene + R"(, "figures": {"f": "1"}, "plots": [{"x": "g", "y": "f"}]})", "found 'g'"},
      {"{" + scene + R"(, "figures": {"f": "1"}, "plots": [{"y": "f"}]})", "plots[0]: x"},
      {"{" + scene + R"(, "plots": [{"x": "scene", "y": "time", "log_x": 1}]})", "log_x"},
      {std::string(100000, '['), "s.json:1"}};
  for (const auto& [text, expected] : cases) {
    try {
      SweepSpec spec = loadSpec(write("s.json", text));
      complete(spec, subject());
      (void)expand(spec, subject());
      ADD_FAILURE() << text.substr(0, 80) << " was accepted";
    } catch (const platform::InputError& e) {
      EXPECT_NE(std::string(e.what()).find(expected), std::string::npos)
          << text.substr(0, 80) << "\n"
          << e.what();
    }
  }
  EXPECT_THROW((void)loadSpec(folder_.path() / "absent.json"), platform::InputError);
}

// Damaged specs are read or refused, never anything else.
TEST_F(SweepSpecFile, DamagedTextIsReadOrRefused) {
  write("a.shk", "w 4\n");
  const std::string good =
      R"({"scene":"a.shk","set":{"tigershark.dsps":"1..3"},"figures":{"f":"1+2"},)"
      R"("plots":[{"x":"tigershark.dsps","y":"f"}]})";
  constexpr unsigned kSeed = 20263;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (int round = 0; round < 500; ++round) {
    std::string text = good;
    for (auto n = 1 + random() % 3; n > 0; --n) {
      text[random() % text.size()] = static_cast<char>(32 + random() % 95);
    }
    try {
      SweepSpec spec = loadSpec(write("s.json", text));
      complete(spec, subject());
      (void)expand(spec, subject());
    } catch (const platform::InputError&) {
    }
  }
}

}  // namespace
}  // namespace rtvp::sweep
