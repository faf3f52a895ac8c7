// The platform executable's commands, files and exit statuses, on the golden renderer: no
// simulation.
#include <algorithm>

#include "platform/report/hits.hpp"
#include "platform/report/image.hpp"
#include "tests/platform/app/run_platform.hpp"

namespace rtvp::test {
namespace {

using Commands = PlatformTest;

TEST_F(Commands, ReferenceRunWritesImageHitsAndStatistics) {
  write("a.shk", kSmallScene);
  const Outcome r = run("a.shk --engine reference --hits h.csv --stats s.json");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_TRUE(contains(r.out, "12x10")) << r.out;
  const report::Image image = report::readImage(path("a.png"));
  EXPECT_EQ(image.width, 12);
  EXPECT_EQ(image.height, 10);
  EXPECT_EQ(report::readHits(path("h.csv")).size(), 120U);

  const boost::json::object stats = json("s.json").as_object();
  for (const char* member : {"schema_version", "configuration", "configuration_hash", "scene",
                             "picture", "simulated_time_ps", "modules", "host"}) {
    EXPECT_TRUE(stats.contains(member)) << member;
  }
  EXPECT_EQ(stats.at("schema_version"), 1);
  EXPECT_EQ(stats.at("configuration").at("engine"), "reference");
  EXPECT_FALSE(stats.at("configuration").as_object().contains("output.image"));
  EXPECT_TRUE(contains(std::string(stats.at("host").at("command").as_string()), "--hits h.csv"));
  EXPECT_EQ(stats.at("scene").at("primitives"), 8);
  EXPECT_EQ(stats.at("modules").at("pc0").at("ray_tree").at("units").at("rays"), "rays");
}

TEST_F(Commands, QuietRunSaysNothing) {
  write("a.shk", kSmallScene);
  const Outcome r = run("run a.shk --engine reference --quiet -o b.ppm");
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.out + r.err, "");
  EXPECT_TRUE(std::filesystem::exists(path("b.ppm")));
  EXPECT_FALSE(std::filesystem::exists(path("a.png")));
}

TEST_F(Commands, TS_052_HostsShareThePictureWithoutChangingIt) {
  write("a.shk", kSmallScene);
  const std::string common = "a.shk --engine reference -q --hits ";
  ASSERT_EQ(run(common + "h1.csv -o one.png").status, 0);
  for (const char* hosts : {"2", "3", "64"}) {
    ASSERT_EQ(run(common + "h2.csv -o two.png --hosts " + hosts).status, 0);
    EXPECT_EQ(slurp(path("one.png")), slurp(path("two.png"))) << hosts;
    EXPECT_EQ(slurp(path("h1.csv")), slurp(path("h2.csv"))) << hosts;
  }
}

TEST_F(Commands, CropIsAPartOfThePicture) {
  write("a.shk", kSmallScene);
  ASSERT_EQ(run("a.shk --engine reference -q -o whole.ppm").status, 0);
  ASSERT_EQ(run("a.shk --engine reference -q -o part.ppm --crop 3,4,5,2 --hosts 2").status, 0);
  const report::Image whole = report::readImage(path("whole.ppm"));
  const report::Image part = report::readImage(path("part.ppm"));
  ASSERT_EQ(part.width, 5);
  ASSERT_EQ(part.height, 2);
  for (int y = 0; y < 2; ++y) {
    for (int x = 0; x < 5; ++x) {
      const auto a = part.pixel(x, y);
      const auto b = whole.pixel(x + 3, y + 4);
      EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin())) << x << "," << y;
    }
  }
}

TEST_F(Commands, EqualRunsGiveEqualFiles) {
  write("a.shk", kSmallScene);
  ASSERT_EQ(run("a.shk --engine reference -q --stats 1.json -o 1.png").status, 0);
  ASSERT_EQ(run("a.shk --engine reference --no-progress --stats 2.json -o 2.png").status, 0);
  EXPECT_EQ(slurp(path("1.png")), slurp(path("2.png")));
  EXPECT_EQ(comparableStats("1.json"), comparableStats("2.json"));
}

TEST_F(Commands, BackgroundOnlyIsAWarning) {
  write("a.shk", "w 4\nh 4\ne 0 0 5\nlo 0 0 9\nt 0 0 0 1 0 0 0 1 0\n");
  const Outcome r = run("a.shk --engine reference");
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(contains(r.err, "warning: no eye ray hit anything")) << r.err;
  EXPECT_TRUE(contains(r.err, "camera at (0.0")) << r.err;
}

TEST_F(Commands, BadInputIsStatusTwoAndLeavesNoFile) {
  write("good.shk", kSmallScene);
  write("empty.shk", "w 10\n");
  write("broken.shk", "w 10\nt 1 2 3\n");
  write("config.json", "{\n\"tigershark\": {\"dsps\": 4096}\n}");
  write("config2.json", "{\n\n\"engine\": }");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"missing.shk", "missing.shk"},
      {"empty.shk", "empty.shk"},
      {"broken.shk", "broken.shk:2:"},
      {"good.shk --engine abacus", "expected one of tigershark"},
      {"good.shk --dspz 4", "'--dsps'"},
      {"good.shk --set tigershark.dpss=4", "'tigershark.dsps'"},
      {"good.shk --config config.json", "config.json:2: tigershark.dsps"},
      {"good.shk --config config2.json", "config2.json:3:"},
      {"good.shk --config none.json", "none.json"},
      {"good.shk --engine reference -o a.gif", ".png, .ppm, .exr or .pfm"},
      {"good.shk --engine reference -o no/where.png", "no folder"},
      {"good.shk --engine reference -o a.png --stats a.png", "two outputs"},
      {"good.shk --engine reference --crop 8,8,8,8", "12x10"},
      {"good.shk --engine reference --spp 4 --hits h.csv", "render.spp = 1"},
      {"good.shk --engine reference --size 16384x16384", "pixels"},
      {"good.shk --seed-compat", "engine = reference"},
      {"good.shk --set tigershark.firmware=good.shk", "good.shk"},
      {"good.shk --set tigershark.firmware=none.coff", "none.coff"},
      {"good.shk --set tigershark.sram_words=1", "1024"},
      {"", ""},
  };
  for (const auto& [arguments, expected] : cases) {
    if (arguments.empty()) continue;
    const Outcome r = run(arguments);
    EXPECT_EQ(r.status, 2) << arguments << "\n" << r.err;
    EXPECT_TRUE(contains(r.err, expected)) << arguments << "\n" << r.err;
    EXPECT_EQ(r.out, "") << arguments;
  }
  for (const auto& entry : std::filesystem::directory_iterator(path(""))) {
    EXPECT_NE(entry.path().extension(), ".png") << entry.path();
    EXPECT_NE(entry.path().extension(), ".csv") << entry.path();
  }
}

TEST_F(Commands, CompareBounds) {
  report::Image a(4, 4);
  report::Image b = a;
  b.rgb[5] = 3;
  report::writeImage(path("a.png"), a);
  report::writeImage(path("b.ppm"), b);
  report::writeImage(path("c.png"), report::Image(4, 5));
  write("d.png", "not a picture");
  EXPECT_EQ(run("compare a.png a.png").status, 0);
  EXPECT_EQ(run("compare a.png b.ppm").status, 1);
  EXPECT_EQ(run("compare a.png b.ppm --max-diff 2").status, 1);
  const Outcome r = run("compare a.png b.ppm --max-diff 3");
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(contains(r.out, "differing 1, largest difference 3")) << r.out;
  EXPECT_EQ(run("compare a.png b.ppm --min-psnr 40").status, 0);
  EXPECT_EQ(run("compare a.png b.ppm --min-psnr 60").status, 1);
  EXPECT_EQ(run("compare a.png b.ppm --max-diff 3 --min-psnr 60").status, 1);
  EXPECT_EQ(run("compare a.png c.png").status, 2);
  EXPECT_EQ(run("compare a.png d.png").status, 2);
  EXPECT_EQ(run("compare a.png none.png").status, 2);
  EXPECT_EQ(run("compare a.png").status, 2);
}

TEST_F(Commands, CompareKnowsHitDumps) {
  write("a.shk", kSmallScene);
  ASSERT_EQ(run("a.shk --engine reference -q --hits a.csv --size 20x16").status, 0);
  const std::string scene = " --scene a.shk --size 20x16";
  const Outcome same = run("compare a.csv a.csv" + scene);
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_TRUE(contains(same.out, "pixels 320, equal 320, excused 0")) << same.out;
  EXPECT_EQ(same.err, "");

  report::HitDump changed = report::readHits(path("a.csv"));
  const auto hit = std::find_if(changed.begin(), changed.end(),
                                [](const auto& row) { return row.prim != report::kMiss; });
  ASSERT_NE(hit, changed.end());
  hit->t *= 1.01;
  report::writeHits(path("b.csv"), changed);
  const Outcome other = run("compare a.csv b.csv" + scene);
  EXPECT_EQ(other.status, 1);
  EXPECT_TRUE(contains(other.out, "wrong distance 1")) << other.out;
  EXPECT_TRUE(contains(other.err, "pixel " + std::to_string(hit->x) + "," + std::to_string(hit->y) +
                                      ": A: primitive"))
      << other.err;

  EXPECT_EQ(run("compare a.csv b.csv --t-tolerance 0.02" + scene).status, 0);
  const Outcome turned = run("compare a.csv a.csv --outline-tolerance 1e-5" + scene);
  EXPECT_TRUE(contains(turned.out, "excused 0 (outline 0, tie 0, format 0), wrong")) << turned.out;

  write("broken.csv", "x,y,prim,t,u,v\n0,0,1,2\n");
  report::Image picture(4, 4);
  report::writeImage(path("a.png"), picture);
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"a.csv a.csv", "--scene"},
      {"a.csv a.csv --scene none.shk", "none.shk"},
      {"a.csv a.csv --scene a.shk --size 3x3", "3"},
      {"a.csv broken.csv" + scene, "broken.csv:2"},
      {"a.csv a.png" + scene, "a.png"},
      {"a.png a.png" + scene, "no hit dumps"},
      {"a.csv none.csv" + scene, "none.csv"},
      {"a.png a.png --t-tolerance 0.1", "--t-tolerance"},
      {"a.png a.png --outline-tolerance 1e-5", "--outline-tolerance"},
      {"a.csv a.csv --max-diff 3" + scene, "--max-diff"}};
  for (const auto& [arguments, expected] : bad) {
    const Outcome r = run("compare " + arguments);
    EXPECT_EQ(r.status, 2) << arguments << "\n" << r.err;
    EXPECT_TRUE(contains(r.err, expected)) << arguments << "\n" << r.err;
  }
  EXPECT_EQ(run("a.shk --engine reference --scene a.shk").status, 2);
}

TEST_F(Commands, TalkativeCommands) {
  write("a.shk", kSmallScene);
  const Outcome help = run("--help");
  EXPECT_EQ(help.status, 0);
  EXPECT_TRUE(contains(help.out, "platform scene-info SCENE"));
  const Outcome bare = run("");
  EXPECT_EQ(bare.status, 2);
  EXPECT_EQ(bare.out, "");
  EXPECT_TRUE(contains(bare.err, "platform SCENE")) << bare.err;
  EXPECT_TRUE(contains(bare.err, "--help")) << bare.err;
  // Each machine is offered once.
  const std::string words = run(path("none.shk") + " --engine nothing").err;
  for (const char* const machine : {"tigershark", "theia", "xphmg", "implicit", "reference"}) {
    const std::size_t first = words.find(machine);
    ASSERT_NE(first, std::string::npos) << words;
    EXPECT_EQ(words.find(machine, first + 1), std::string::npos) << machine << ": " << words;
  }
  EXPECT_TRUE(contains(run("--version").out, "platform "));
  EXPECT_TRUE(contains(run("params").out, "tigershark.dsps"));
  EXPECT_TRUE(boost::json::parse(run("params --json").out).is_array());
  const Outcome info = run("scene-info a.shk");
  EXPECT_EQ(info.status, 0) << info.err;
  EXPECT_TRUE(contains(info.out, "primitives: 8")) << info.out;
  EXPECT_TRUE(contains(info.out, "words of database")) << info.out;
  const Outcome stats = run("--stats-help");
  EXPECT_EQ(stats.status, 0) << stats.err;
  for (const char* word : {"instructions", "chain_words_in", "cycles_busy", "page_loads"}) {
    EXPECT_TRUE(contains(stats.out, word)) << word;
  }
}

TEST_F(Commands, DoctorTellsOfThisComputer) {
  const Outcome text = run("doctor");
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* word :
       {"cores", "kernels scalar", "memory", "SystemC", "riscv64-unknown-elf-gcc"}) {
    EXPECT_TRUE(contains(text.out, word)) << word << "\n" << text.out;
  }
  const auto rows = boost::json::parse(run("doctor --json").out).as_array();
  std::map<std::string, bool> there;
  for (const auto& row : rows)
    there[row.at("what").as_string().c_str()] = row.at("there").as_bool();
  EXPECT_EQ(there.size(), rows.size()) << "two rows of one name";
  EXPECT_TRUE(there.at("kernels scalar"));
  EXPECT_TRUE(there.at("installed data")) << "a build folder has them by links";
}

// "-" is standard output; the summary makes room for it.
TEST_F(Commands, ResultsGoToStandardOutput) {
  write("a.shk", kSmallScene);
  const std::string common = "a.shk --engine reference --size 4x3 ";
  ASSERT_EQ(run(common + "-o a.png --hits a.csv").status, 0);
  const Outcome picture = run(common + "-o -");
  EXPECT_EQ(picture.status, 0) << picture.err;
  EXPECT_EQ(picture.out, slurp(path("a.png")));
  EXPECT_TRUE(contains(picture.err, "rays")) << "the summary: " << picture.err;
  EXPECT_EQ(run(common + "-o b.png -q --hits -").out, slurp(path("a.csv")));
  EXPECT_TRUE(boost::json::parse(run(common + "-o b.png -q --stats -").out).is_object());
  const Outcome two = run(common + "-o - --hits -");
  EXPECT_EQ(two.status, 2);
  EXPECT_TRUE(contains(two.err, "one file for two outputs")) << two.err;
  EXPECT_EQ(two.out, "");
  // A name that ends up as a file of that name needs a folder before it.
  ASSERT_EQ(run(common + "-o b.png -q --hits ./-").status, 0);
  EXPECT_EQ(slurp(path("-")), slurp(path("a.csv")));
}

// "-" is standard input where a file of JSON, a picture or a dump is read.
TEST_F(Commands, InputsComeFromStandardInput) {
  write("a.shk", kSmallScene);
  const std::string common = "a.shk --engine reference --size 4x3 -q ";
  ASSERT_EQ(run(common + "-o a.png --hits a.csv").status, 0);
  write("c.json", R"({"render.size":"4x3"})");
  ASSERT_EQ(run("a.shk --engine reference -q -o c.png --config - <c.json").status, 0);
  EXPECT_EQ(slurp(path("c.png")), slurp(path("a.png")));
  write("bad.json", "{\n\"no.key\":1}");
  EXPECT_TRUE(contains(run(common + "-o b.png --config - <bad.json").err, ":2: unknown key"));
  const Outcome same = run("compare - a.png <a.png");
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_TRUE(contains(same.out, "differing 0")) << same.out;
  EXPECT_EQ(run("compare a.csv - --scene a.shk --size 4x3 <a.csv").status, 0);
  const Outcome twice = run("compare - - <a.png");
  EXPECT_EQ(twice.status, 2);
  EXPECT_TRUE(contains(twice.err, "'-' twice")) << twice.err;
  EXPECT_EQ(run("compare - a.png </dev/null").status, 2);
}

TEST_F(Commands, CostMapsGoToStandardOutput) {
  write("a.shk", kSmallScene);
  const std::string common = "a.shk --engine xphmg --size 4x3 -o a.png -q --cost-map ";
  ASSERT_EQ(run(common + "cost.png").status, 0);
  EXPECT_EQ(run(common + "-").out, slurp(path("cost.png")));
}

// One error, one wording, whatever option or command names the file.
TEST_F(Commands, FilesThatCannotBeReadHaveOneWording) {
  write("a.shk", kSmallScene);
  ASSERT_EQ(std::system(("mkdir -p " + path("sub")).c_str()), 0);
  const std::string scene = "a.shk --size 4x3 -q -o x.png ";
  for (const std::string& line :
       {scene + "--config ", scene + "--computer ",
        scene + "--set tigershark.firmware=", scene + "--engine theia --set theia.user_code=",
        scene + "--engine xphmg --set xphmg.driver=hart --set xphmg.hart_elf=",
        scene + "--debug --commands ", std::string("machines a.shk --parts ")}) {
    const Outcome missing = run(line + "nowhere");
    EXPECT_EQ(missing.status, 2) << line;
    EXPECT_TRUE(contains(missing.err, "nowhere: found no such file, expected ")) << line << "\n"
                                                                                 << missing.err;
    const Outcome folder = run(line + "sub");
    EXPECT_EQ(folder.status, 2) << line;
    EXPECT_TRUE(contains(folder.err, "sub: found a folder, expected ")) << line << "\n"
                                                                        << folder.err;
  }
  write("a.ppm", "P6\n1 1\n255\nabc");
  EXPECT_TRUE(contains(run("compare a.ppm nowhere.png").err,
                       "nowhere.png: found no such file, expected a picture"));
  EXPECT_TRUE(contains(run("sweep nowhere.json").err, "nowhere.json: found no such file"));
  EXPECT_TRUE(contains(run("nowhere.shk").err, "nowhere.shk: found no such file, expected a "));
}

TEST_F(Commands, ManualAndCompletionHaveEveryOption) {
  const std::string page = run("--man").out;
  EXPECT_EQ(page.rfind(".TH PLATFORM 1", 0), 0U);
  const auto rows = boost::json::parse(run("params --json").out).as_array();
  ASSERT_GT(rows.size(), 100U);
  const std::string bash = run("--completion bash").out;
  const std::string zsh = run("--completion zsh").out;
  for (const auto& row : rows) {
    const std::string key = row.at("key").as_string().c_str();
    EXPECT_TRUE(contains(bash, key + "=")) << key;
    EXPECT_TRUE(contains(zsh, "'" + key + ":")) << key;
  }
  EXPECT_TRUE(contains(page, "\\fB\\-\\-engine\\fR")) << page.substr(0, 2000);
  EXPECT_EQ(run("--completion csh").status, 2);
}

// As bash asks: the words so far, and which of them is being typed.
TEST_F(Commands, BashCompletesOptionsValuesAndParameters) {
  write("completion", run("--completion bash").out);
  write("scene.shk", "");
  const auto offered = [&](const std::string& words, int at) {
    write("ask", "source ./completion\nCOMP_WORDS=(" + words + ")\nCOMP_CWORD=" +
                     std::to_string(at) + "\n_rtvp_platform\necho \" ${COMPREPLY[*]} \"\n");
    const std::string file = path("offered");
    EXPECT_EQ(std::system(("cd " + path(".") + " && bash ask >" + file).c_str()), 0);
    return slurp(file);
  };
  EXPECT_TRUE(contains(offered("platform --eng", 1), " --engine "));
  EXPECT_TRUE(contains(offered("platform --engine the", 2), " theia "));
  EXPECT_FALSE(contains(offered("platform --engine the", 2), "xphmg"));
  EXPECT_TRUE(contains(offered("platform --set tigershark.vo", 2), " tigershark.vote= "));
  EXPECT_TRUE(contains(offered("platform --set tigershark.vote = o", 4), " on off "));
  EXPECT_TRUE(contains(offered("platform s", 1), " scene.shk "));
  EXPECT_TRUE(contains(offered("platform sw", 1), " sweep "));
  EXPECT_FALSE(contains(offered("platform run sw", 2), " sweep "));
}

}  // namespace
}  // namespace rtvp::test
