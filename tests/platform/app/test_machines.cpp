// `platform machines` on tiny scenes: figures against the statistics of the same runs, refusals,
// and that its folder appears whole or not at all.
#include <cmath>
#include <set>

#include "platform/report/image.hpp"
#include "tests/platform/app/run_platform.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

namespace json = boost::json;

/// kSmallScene, 8 x 8: what every triangle machine takes in an instant.
constexpr const char* kTiny = "small.shk --size 8x8 --set render.depth=1 --no-progress";

class Machines : public PlatformTest {
 protected:
  void SetUp() override {
    PlatformTest::SetUp();
    write("small.shk", kSmallScene);
  }
  [[nodiscard]] Outcome machines(const std::string& options) const {
    return run("machines " + options);
  }
  /// The run of a machine in machines.json.
  static const json::object& find(const json::value& all, std::string_view machine,
                                  std::string_view setting) {
    for (const json::value& r : all.at("runs").as_array()) {
      if (r.at("machine").as_string() == machine && r.at("setting").as_string() == setting) {
        return r.as_object();
      }
    }
    throw std::runtime_error("no run of " + std::string(machine) + ", " + std::string(setting));
  }
  [[nodiscard]] json::value stats(const std::string& folder, const json::object& r) const {
    return json(folder + "/runs/" + std::string(r.at("machine").as_string()) + "-" +
                std::string(r.at("setting").as_string()) + "/stats.json");
  }
  [[nodiscard]] bool exists(const std::string& name) const {
    return std::filesystem::exists(path(name));
  }
};

double number(const json::value& v) {
  return v.to_number<double>();
}
/// Of unit0, unit1 ... in one computer.
double units(const json::value& stats, const char* figure) {
  double sum = 0;
  for (const auto& [name, group] : stats.at("modules").at("pc0").as_object()) {
    if (std::string_view(name).starts_with("unit")) sum += number(group.at(figure));
  }
  return sum;
}
std::set<std::string> members(const json::object& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object) names.emplace(name);
  return names;
}

TEST_F(Machines, FiguresAreThoseOfTheRunsOwnStatistics) {
  const Outcome r = machines(std::string(kTiny) + " -o out");
  ASSERT_EQ(r.status, 0) << r.err;
  const json::value all = json("out/machines.json");
  std::set<std::string> done;
  for (const json::value& one : all.at("runs").as_array()) {
    if (one.at("state") != "done") continue;
    const json::object& o = one.as_object();
    const std::string name = std::string(o.at("machine").as_string());
    done.insert(name);
    const json::value s = stats("out", o);
    const json::value& f = o.at("figures");
    const double rays = number(s.at("picture").at("rays"));
    const double seconds = number(s.at("simulated_time_ps")) * 1e-12;
    EXPECT_EQ(number(f.at("rays")), rays) << name;
    EXPECT_EQ(number(f.at("simulated_s")), seconds) << name;
    EXPECT_DOUBLE_EQ(number(f.at("rays_per_s")), rays / seconds) << name;
    EXPECT_EQ(o.at("configuration_hash"), s.at("configuration_hash")) << name;
    EXPECT_EQ(f.at("wrong_pixels"), 0) << name;
    EXPECT_EQ(number(f.at("pixels")), 64) << name;
    EXPECT_TRUE(o.at("accepted").as_bool()) << name;
    EXPECT_TRUE(f.at("tests_per_ray").is_null() || number(f.at("tests_per_ray")) > 0) << name;
    EXPECT_GT(number(f.at("bytes_per_ray")), 0) << name;
    EXPECT_GT(number(f.at("cycles")), 0) << name;
    EXPECT_GT(number(o.at("limit").at("share")), 0) << name;
    for (const auto& [key, value] : o.at("set").as_object()) {
      EXPECT_TRUE(s.at("configuration").as_object().contains(key)) << name << " " << key;
    }
  }
  EXPECT_EQ(done, (std::set<std::string>{"tigershark", "theia", "xphmg"}));
}

TEST_F(Machines, CountsOfTheUnitsAreDividedByTheRays) {
  ASSERT_EQ(machines(std::string(kTiny) + " --only xphmg -o out").status, 0);
  const json::value all = json("out/machines.json");
  const json::object& one = find(all, "xphmg", "original");
  const json::value s = stats("out", one);
  const double rays = number(s.at("picture").at("rays"));
  const json::value& f = one.at("figures");
  EXPECT_DOUBLE_EQ(number(f.at("tests_per_ray")), units(s, "triangles") / rays);
  EXPECT_DOUBLE_EQ(number(f.at("node_visits_per_ray")), units(s, "nodes") / rays);
  double most = 0;
  for (const json::value& r : one.at("members").at(0).at("resources").as_array()) {
    most = std::max(most, number(r.at("share")));
  }
  EXPECT_EQ(number(one.at("limit").at("share")), most);
}

TEST_F(Machines, ARunIsTheOneThatTheSettingDescribes) {
  ASSERT_EQ(machines(std::string(kTiny) + " --only tigershark -o out").status, 0);
  const json::value all = json("out/machines.json");
  const json::object& one = find(all, "tigershark", "original");
  std::string options = "small.shk --size 8x8 --set render.depth=1 -q -o p.png --stats s.json";
  for (const auto& [key, value] : one.at("set").as_object()) {
    options += " --set " + std::string(key) + "=" + std::string(value.as_string());
  }
  ASSERT_EQ(run(options).status, 0);
  json::value mine = json("s.json"), theirs = stats("out", one);
  mine.as_object().erase("host");
  theirs.as_object().erase("host");
  EXPECT_TRUE(theirs.as_object().erase("costs")) << "it draws a cost map";
  EXPECT_EQ(mine, theirs);
  EXPECT_EQ(report::readImage(path("p.png")),
            report::readImage(path("out/runs/tigershark-original/picture.png")));
}

TEST_F(Machines, TheJsonFileHasTheFormThatIsPublished) {
  ASSERT_EQ(machines(std::string(kTiny) + " --only xphmg,sl -o out").status, 0);
  const json::value all = json("out/machines.json");
  EXPECT_EQ(all.at("schema_version"), 1);
  EXPECT_EQ(members(all.as_object()),
            (std::set<std::string>{"schema_version", "scene", "set", "runs", "host"}));
  EXPECT_EQ(members(all.at("scene").as_object()),
            (std::set<std::string>{"file", "width", "height", "primitives", "triangles", "spheres",
                                   "functions"}));
  const json::object& one = find(all, "xphmg", "original");
  EXPECT_EQ(members(one),
            (std::set<std::string>{"machine", "setting", "title", "note", "set", "state", "figures",
                                   "picture_equal", "accepted", "limit", "members", "parts",
                                   "configuration_hash"}));
  EXPECT_EQ(members(one.at("figures").as_object()),
            (std::set<std::string>{"simulated_s", "rays", "rays_per_s", "cycles", "tests_per_ray",
                                   "box_tests_per_ray", "node_visits_per_ray", "bytes_per_ray",
                                   "psnr_db", "pixels", "wrong_pixels", "excused_pixels"}));
  EXPECT_EQ(members(one.at("members").at(0).as_object()),
            (std::set<std::string>{"machine", "cycles", "tests_per_ray", "box_tests_per_ray",
                                   "node_visits_per_ray", "traffic", "resources", "idle", "own"}));
  EXPECT_EQ(members(one.at("parts").at(0).as_object()),
            (std::set<std::string>{"name", "role", "count", "each", "multipliers", "memory_bytes",
                                   "bytes_per_second", "dollars", "guess", "source"}));
  const json::object& sl = find(all, "sl", "defaults");
  EXPECT_EQ(sl.at("state"), "refused");
  EXPECT_EQ(sl.at("reason"), "it finds no hits, it only shades");
  EXPECT_EQ(all.at("set").at("render.depth"), "1");
}

TEST_F(Machines, TwiceTheSameBytesButForTheHost) {
  const auto comparable = [&](const std::string& name) {
    json::value all = json(name);
    all.as_object().erase("host");
    return json::serialize(all);
  };
  ASSERT_EQ(machines(std::string(kTiny) + " --only theia,xphmg -o one").status, 0);
  const std::string quiet = std::string(kTiny) + " --only theia,xphmg --reproducible -o ";
  ASSERT_EQ(machines(quiet + "three").status, 0);
  ASSERT_EQ(machines(quiet + "four").status, 0);
  for (const char* const file : {"machines.json", "machines.txt", "index.html"}) {
    EXPECT_EQ(slurp(path(std::string("three/") + file)), slurp(path(std::string("four/") + file)));
  }
  ASSERT_EQ(machines(std::string(kTiny) + " --only theia,xphmg -j 2 -o two").status, 0);
  EXPECT_EQ(comparable("one/machines.json"), comparable("two/machines.json"));
}

TEST_F(Machines, ThePageNeedsNothingElse) {
  ASSERT_EQ(machines(std::string(kTiny) + " --only xphmg -o out").status, 0);
  const std::string page = slurp(path("out/index.html"));
  EXPECT_FALSE(contains(page, "<script"));
  EXPECT_FALSE(contains(page, "http"));
  EXPECT_FALSE(contains(page, "src=\"r"));
  EXPECT_TRUE(contains(page, "xphmg, original"));
  // The encoded picture is the file's: PNG and base64 begin so, and the reference's is there too.
  std::size_t pictures = 0;
  for (std::size_t at = 0;
       (at = page.find("data:image/png;base64,iVBORw0KGgo", at)) != page.npos;) {
    ++pictures, ++at;
  }
  const json::value all = json("out/machines.json");
  // Of each run the picture and what XPHMG_RT counts: cycles, tests, node visits, bytes.
  EXPECT_EQ(pictures, 1 + 5 * all.at("runs").as_array().size());
  EXPECT_TRUE(contains(page, "of xphmg: box tests: the unit tests all boxes of a node at once"));
}

TEST_F(Machines, AMachineThatMissesIsSeenToMiss) {
  ASSERT_EQ(machines(std::string(kTiny) + " --only xphmg --set xphmg.fault=tri -o out").status, 0);
  const json::value all = json("out/machines.json");
  const json::object& one = find(all, "xphmg", "original");
  EXPECT_FALSE(one.at("accepted").as_bool());
  EXPECT_FALSE(one.at("picture_equal").as_bool());
  EXPECT_GT(number(one.at("figures").at("wrong_pixels")), 8);
  EXPECT_LT(number(one.at("figures").at("psnr_db")), 40);
}

TEST_F(Machines, WhoCannotTakeTheSceneSaysWhy) {
  // Ten rows do not divide among four cores; there is no surface for the implicit unit.
  const Outcome r = machines("small.shk --set render.depth=1 --no-progress --json");
  ASSERT_EQ(r.status, 0) << r.err;
  const json::value all = json::parse(r.out);
  EXPECT_EQ(find(all, "theia", "original").at("state"), "refused");
  EXPECT_TRUE(contains(std::string(find(all, "theia", "original").at("reason").as_string()),
                       "must divide by theia.cores"));
  EXPECT_EQ(find(all, "implicit", "original").at("state"), "refused");
  EXPECT_TRUE(contains(std::string(find(all, "implicit", "original").at("reason").as_string()),
                       "expected implicit surfaces only"));
  EXPECT_EQ(find(all, "xphmg", "original").at("state"), "done");
}

TEST_F(Machines, AUnitForImplicitSurfacesAloneOrBesideAMachine) {
  const auto compare = [&](const std::string& scene, const std::string& options) {
    const Outcome r = machines(std::string(RTVP_SOURCE_DIR) + "/scenes/" + scene +
                               " --size 8x8 --no-progress --json --set render.depth=1 " + options);
    EXPECT_EQ(r.status, 0) << r.err;
    return json::parse(r.out);
  };
  const json::value alone = compare("implicit_gyroid.shk", "--only implicit,theia");
  const json::object& unit = find(alone, "implicit", "original");
  EXPECT_EQ(unit.at("state"), "done");
  // What its memory port moves are the unit's bytes of every kind.
  const json::value& figures = unit.at("members").at(0).at("traffic").at(0);
  EXPECT_EQ(figures.at("path"), "memory port");
  EXPECT_GT(number(figures.at("bytes_per_ray")), 0);
  EXPECT_EQ(find(alone, "theia", "original").at("reason"),
            "the scene has no surface that it knows");
  const json::value mixed = compare("implicit_mixed.shk", "--only xphmg");
  const json::array& both = find(mixed, "xphmg", "original").at("members").as_array();
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].at("machine"), "xphmg");
  EXPECT_EQ(both[1].at("machine"), "implicit");
  EXPECT_GT(number(both[1].at("tests_per_ray")), 0);
}

TEST_F(Machines, SpheresBecomeTrianglesForThoseWithout) {
  write("ball.shk",
        "w 8\nh 8\nb 0 0 0\ne 0 0 5\nlo 0 0 0\nu 0 1 0\nli 5 8 6 1 1 1\n"
        "m .8 .7 .6 .8 .2 .2 5 0 0 1\nsphere 0 0 0 1.5\n");
  const Outcome r = machines("ball.shk --only tigershark,xphmg --no-progress -o out");
  ASSERT_EQ(r.status, 0) << r.err;
  const json::value all = json("out/machines.json");
  for (const char* const machine : {"tigershark", "xphmg"}) {
    EXPECT_TRUE(find(all, machine, "original").at("accepted").as_bool()) << machine;
  }
  EXPECT_TRUE(exists("out/runs/reference/stats.json"));
  EXPECT_TRUE(exists("out/runs/reference-triangles/stats.json"));
  EXPECT_EQ(all.at("scene").at("spheres"), 1);
}

TEST_F(Machines, RefusesWhatItCannotCompare) {
  const auto refuses = [&](const std::string& options, const std::string& words) {
    const Outcome r = machines(options);
    EXPECT_EQ(r.status, 2) << options;
    EXPECT_TRUE(contains(r.err, words)) << options << "\n" << r.err;
    EXPECT_FALSE(exists("out")) << options;
  };
  refuses("nowhere.shk -o out", "nowhere.shk");
  refuses("-o out", "expected 1");
  refuses("small.shk --engine xphmg -o out", "--only");
  refuses("small.shk --machines xphmg -o out", "--only");
  refuses("small.shk --stats s.json -o out", "output.stats");
  refuses("small.shk --spp 4 -o out", "render.spp");
  refuses("small.shk --only warp -o out", "expected one of");
  refuses("small.shk --only sl -o out", "no machine takes this scene");
  refuses("small.shk --jobs 0 -o out", "--jobs: found '0'");
  refuses("small.shk --bogus 1 -o out", "bogus");
  refuses("small.shk --settings nowhere -o out", "nowhere");
  std::filesystem::create_directory(path("other"));
  write("other/keep.txt", "mine");
  refuses("small.shk -o other", "expected a new name");
  EXPECT_EQ(slurp(path("other/keep.txt")), "mine");
}

TEST_F(Machines, DataFilesAreReadWithTheirLines) {
  std::filesystem::create_directory(path("settings"));
  const auto refuses = [&](const std::string& options, const std::string& words) {
    const Outcome r = machines(std::string(kTiny) + " --only xphmg " + options);
    EXPECT_EQ(r.status, 2) << options;
    EXPECT_TRUE(contains(r.err, words)) << words << "\n" << r.err;
  };
  const std::string start =
      "{\"machine\": \"xphmg\", \"title\": \"t\", \"note\": \"n\",\n\"set\": ";
  write("settings/xphmg.mine.json", start + "{\"xphmg.units\": 99}}");
  refuses("--settings settings", "xphmg.mine.json:2: xphmg.units");
  write("settings/xphmg.mine.json", start + "{}, \"more\": 1}");
  refuses("--settings settings", "xphmg.mine.json:2: found an unknown member 'more'");
  write("settings/xphmg.mine.json", "{");
  refuses("--settings settings", "xphmg.mine.json:1");
  write("settings/xphmg.mine.json", start + "{\"xphmg.units\": 2}}");
  const Outcome r = machines(std::string(kTiny) + " --only xphmg --json --settings settings");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(find(json::parse(r.out), "xphmg", "mine").at("state"), "done");

  const std::string part =
      "{\"parts\": {\"u\": {\"name\": \"u\", \"role\": \"r\", \"each\": \"e\", \"source\": \"s\", "
      "\"guess\": true, \"dollars\": \"7 * xphmg.units\"}},\n\"machines\": {\"xphmg\": [";
  write("parts.json", part + "{\"part\": \"v\", \"count\": 1}]}}");
  refuses("--parts parts.json", "parts.json:2");
  write("parts.json", part + "{\"part\": \"u\", \"count\": \"2 *\"}]}}");
  refuses("--parts parts.json", "parts.json:2");
  write("parts.json", part + "{\"part\": \"u\", \"count\": \"2 * xphmg.wheels\"}]}}");
  refuses("--parts parts.json", "xphmg.wheels");
  write("parts.json", part + "{\"part\": \"u\", \"count\": \"3 * xphmg.units\"}]}}");
  const Outcome p =
      machines(std::string(kTiny) + " --only xphmg --json --settings settings --parts parts.json");
  ASSERT_EQ(p.status, 0) << p.err;
  const json::value parts = find(json::parse(p.out), "xphmg", "mine").at("parts");
  ASSERT_EQ(parts.as_array().size(), 1U);
  EXPECT_EQ(number(parts.at(0).at("count")), 6);
  EXPECT_EQ(number(parts.at(0).at("dollars")), 6 * 14);
}

TEST_F(Machines, TablesAndPageSayWhatASettingRestsOn) {
  std::filesystem::create_directory(path("settings"));
  const auto run = [&](const std::string& note) {
    write("settings/xphmg.mine.json",
          R"({"machine": "xphmg", "title": "t", "note": ")" + note + R"(", "set": {}})");
    EXPECT_EQ(machines(std::string(kTiny) + " --only xphmg --settings settings -o out").status, 0);
  };
  run("1 GHz is a guess & no part was measured");
  EXPECT_TRUE(contains(slurp(path("out/machines.txt")),
                       "xphmg, mine: 1 GHz is a guess & no part was measured\n"));
  EXPECT_TRUE(contains(slurp(path("out/index.html")),
                       "<p class=\"note\">1 GHz is a guess &amp; no part was measured</p>"));
  run("");
  EXPECT_FALSE(contains(slurp(path("out/machines.txt")), "What the settings rest on"));
}

TEST_F(Machines, ARunThatFailsLeavesTheEarlierFolderAsItWas) {
  ASSERT_EQ(machines(std::string(kTiny) + " --only xphmg -o out").status, 0);
  const std::string before = slurp(path("out/machines.json"));
  const Outcome r =
      machines(std::string(kTiny) + " --only xphmg --set run.limit_ms=0.000001 -o out");
  EXPECT_EQ(r.status, 4);
  EXPECT_TRUE(contains(r.err, "xphmg, original: ")) << r.err;
  EXPECT_EQ(slurp(path("out/machines.json")), before);
  for (const auto& entry : std::filesystem::directory_iterator(path("."))) {
    EXPECT_FALSE(contains(entry.path().filename().string(), ".part")) << entry.path();
  }
  ASSERT_EQ(machines(std::string(kTiny) + " --only xphmg,sl -o out").status, 0);
  EXPECT_NE(slurp(path("out/machines.json")), before);
}

TEST_F(Machines, HelpTeaches) {
  const Outcome r = machines("--help");
  EXPECT_EQ(r.status, 0);
  for (const char* const word : {"--only", "--settings", "--parts", "index.html", "Exit status"}) {
    EXPECT_TRUE(contains(r.out, word)) << word;
  }
}

}  // namespace
}  // namespace rtvp::test
