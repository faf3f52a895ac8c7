// Several machines on one interconnect: who gets which rays, whether the answers are right, and
// that no speed setting shows.
#include <map>
#include <sstream>
#include <vector>

#include "tests/platform/app/run_platform.hpp"
#include "tests/platform/app/vcd.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

/// Settings with which the three machines need times of one order on small pictures.
constexpr const char* kEven =
    " --set xphmg.clock_hz=10e6 --set theia.clock_hz=20e6 --set theia.microcode=improved "
    "--set tigershark.bit_clock_hz=11.5e6 --set scene.tessellate=all ";

class Computers : public PlatformTest {
 protected:
  void SetUp() override {
    PlatformTest::SetUp();
    write("a.shk", kSmallScene);
  }
  /// Runs with files NAME.ppm, NAME.csv, NAME.json; it must end well.
  void render(const std::string& name, const std::string& options,
              const std::string& scene = "a.shk") const {
    const Outcome r = run(scene + " --quiet " + options + " -o " + name + ".ppm --hits " + name +
                          ".csv --stats " + name + ".json");
    ASSERT_EQ(r.status, 0) << options << "\n" << r.err;
  }
  /// The acceptance rule, against the reference on the same triangles.
  void expectRight(const std::string& name, const std::string& options,
                   const std::string& scene = "a.shk") const {
    const Outcome golden = run(scene + " --quiet --engine reference --set scene.tessellate=all " +
                               options + " -o golden.ppm --hits golden.csv");
    ASSERT_EQ(golden.status, 0) << golden.err;
    const Outcome r = run("compare " + name + ".csv golden.csv --scene " + scene + " " + options +
                          " --set scene.tessellate=all --t-tolerance 5e-4");
    EXPECT_EQ(r.status, 0) << r.out << r.err;
  }
  [[nodiscard]] std::uint64_t assigned(const std::string& name, const std::string& machine,
                                       const std::string& figure) const {
    return json(name + ".json")
        .at("modules")
        .at("pc0")
        .at("assign")
        .at(machine)
        .at(figure)
        .to_number<std::uint64_t>();
  }
  [[nodiscard]] double simulated(const std::string& name) const {
    return json(name + ".json").at("simulated_time_ps").to_number<double>();
  }
  /// Rays of a class, counted by the ray tree, which knows of no machine.
  [[nodiscard]] std::uint64_t traced(const std::string& name, const std::string& figure) const {
    return json(name + ".json")
        .at("modules")
        .at("pc0")
        .at("ray_tree")
        .at(figure)
        .to_number<std::uint64_t>();
  }
};

TEST_F(Computers, EachClassOfRaysGoesWhereItIsSent) {
  render("x", std::string("--machines tigershark,theia,xphmg "
                          "--assign eye=theia,shadow=xphmg,secondary=tigershark --size 16x16") +
                  kEven);
  expectRight("x", "--size 16x16");
  EXPECT_EQ(assigned("x", "theia", "rays"), 256U);
  EXPECT_EQ(assigned("x", "theia", "eye_rays"), 256U);
  EXPECT_EQ(assigned("x", "xphmg", "shadow_rays"), traced("x", "shadow"));
  EXPECT_EQ(assigned("x", "xphmg", "rays"), traced("x", "shadow"));
  EXPECT_EQ(assigned("x", "tigershark", "secondary_rays"), traced("x", "rays") - 256);
}

TEST_F(Computers, SharingGivesEveryRayToOneMachineAndTheRightPicture) {
  render("x", std::string("--machines tigershark,theia,xphmg --assign share --size 96x96") + kEven);
  expectRight("x", "--size 96x96");
  std::uint64_t rays = 0;
  for (const char* const machine : {"tigershark", "theia", "xphmg"}) {
    rays += assigned("x", machine, "rays");
    EXPECT_GT(assigned("x", machine, "rays"), 0U) << machine;
  }
  EXPECT_EQ(rays, traced("x", "rays") + traced("x", "shadow"));
}

// One machine waits for another nowhere but at the ends of the picture: all three have rays at once
// for most of the time, by the statistics and by the trace.
TEST_F(Computers, MachinesThatShareAreBusyAtOnce) {
  render("x", std::string("--machines tigershark,theia,xphmg --assign share --size 96x96 "
                          "--trace t.vcd --set trace.modules=assign") +
                  kEven);
  const boost::json::value together =
      json("x.json").at("modules").at("pc0").at("assign").at("together");
  const auto busy = [&](const char* figure) {
    return together.at(figure).to_number<double>() / simulated("x");
  };
  EXPECT_GT(busy("busy_3_ps"), 0.85);
  EXPECT_GT(busy("busy_2_ps") + busy("busy_3_ps"), 0.93);
  const Vcd vcd(slurp(path("t.vcd")));
  std::map<std::uint64_t, int> steps;
  for (const char* const machine : {"tigershark", "theia", "xphmg"}) {
    for (const Vcd::Change& change : vcd.of(std::string("pc0.assign.") + machine)) {
      steps[change.ps] += change.value == "1" ? 1 : change.ps == vcd.begin() ? 0 : -1;
    }
  }
  double all = 0;
  int level = 0;
  std::uint64_t since = vcd.begin();
  for (const auto& [ps, step] : steps) {
    all += level == 3 ? static_cast<double>(ps - since) : 0;
    level += step;
    since = ps;
  }
  EXPECT_DOUBLE_EQ(all, together.at("busy_3_ps").to_number<double>());
}

// A machine's time is that of its rays, not of what another machine's driver does: what three do
// together takes as long as their rates say (the sum of 1 / T), with a tenth for the ends.
TEST_F(Computers, SharingTakesWhatTheRatesOfTheMachinesSay) {
  const std::string common = std::string("--size 64x64 ") + kEven;
  double rates = 0;
  for (const char* const machine : {"tigershark", "theia", "xphmg"}) {
    render(machine, common + "--engine " + machine);
    rates += 1 / simulated(machine);
  }
  render("x", common + "--machines tigershark,theia,xphmg --assign share");
  EXPECT_LE(simulated("x"), 1.1 / rates);
}

TEST_F(Computers, TwoEqualMachinesNeedLittleMoreThanHalfTheTimeAndGiveTheSameHits) {
  const std::string picture = "--size 64x64 --dsps 16 ";
  render("one", picture + "--engine tigershark");
  render("two", picture + "--machines tigershark:2 --assign share");
  EXPECT_EQ(slurp(path("one.csv")), slurp(path("two.csv")));
  EXPECT_EQ(slurp(path("one.ppm")), slurp(path("two.ppm")));
  EXPECT_LE(simulated("two"), 0.55 * simulated("one"));
}

// One board sends results while the processor copies the other's database over the same bus; a FIFO
// of eight words is all that holds them meanwhile.
TEST_F(Computers, AMachineIsSetUpWhileAnotherOnItsBusWorks) {
  const std::string scene = RTVP_SOURCE_DIR "/scenes/bunny.shk";
  render("x", "--size 16x16 --machines tigershark:2 --assign share", scene);
  EXPECT_GT(assigned("x", "tigershark1", "rays"), 0U);
  expectRight("x", "--size 16x16", scene);
}

TEST_F(Computers, AMachineThatIsFarSlowerIsLeftAlone) {
  render("alone", "--size 32x32 --engine xphmg");
  render("x", "--size 32x32 --machines tigershark,xphmg --assign share");
  EXPECT_EQ(assigned("x", "tigershark", "rays"), 0U);
  EXPECT_LE(simulated("x"), 1.02 * simulated("alone"));
}

TEST_F(Computers, ARaceTakesTheFirstMachinesAnswersAndListsWhatDiffers) {
  const std::string common = std::string("--size 32x32") + kEven;
  render("alone", common + "--engine xphmg");
  render("x", common +
                  "--machines tigershark,theia,xphmg --assign race:xphmg,theia,tigershark "
                  "--disagreements d.csv");
  EXPECT_EQ(slurp(path("alone.csv")), slurp(path("x.csv")));
  const boost::json::value stats = json("x.json");
  for (const char* const other : {"theia", "tigershark"}) {
    const boost::json::value& racer = stats.at("race").at(other);
    EXPECT_EQ(racer.at("pixels").to_number<int>(), 32 * 32);
    EXPECT_EQ(racer.at("wrong_primitive").to_number<int>(), 0) << other;
    EXPECT_EQ(racer.at("wrong_distance").to_number<int>(), 0) << other;
  }
  EXPECT_TRUE(slurp(path("d.csv")).starts_with("x,y,cause,first,first_prim,first_t,other,"));
  EXPECT_TRUE(std::filesystem::exists(path("d.png")));
}

// The fault of one unit is not that of the others: it misses every triangle, the race says where.
TEST_F(Computers, ARaceFindsAMachineWithAFault) {
  render("x", std::string("--size 16x16 --machines tigershark,xphmg --set xphmg.fault=tri "
                          "--assign race:tigershark,xphmg --disagreements d.csv") +
                  kEven);
  const std::uint64_t hits = json("x.json").at("picture").at("eye_hits").to_number<std::uint64_t>();
  ASSERT_GT(hits, 100U);
  const boost::json::value stats = json("x.json");
  const auto& racer = stats.at("race").at("xphmg").as_object();
  // Excused ones are beside an outline, where a miss could be right.
  EXPECT_EQ(racer.at("wrong_primitive").to_number<std::uint64_t>() +
                racer.at("excused_outline").to_number<std::uint64_t>(),
            hits);
  std::istringstream lines(slurp(path("d.csv")));
  std::string line;
  std::size_t count = 0;
  while (std::getline(lines, line)) ++count;
  EXPECT_EQ(count, hits + 1);
}

TEST_F(Computers, NoSpeedSettingChangesAByte) {
  const std::string common = std::string("--size 24x24 --depth 3") + kEven;
  const std::vector<std::string> policies{
      "--machines tigershark,theia,xphmg --assign share",
      "--machines tigershark:2,xphmg:2 --assign share",
      "--machines tigershark,theia,xphmg --assign eye=theia,shadow=xphmg,secondary=tigershark",
      "--machines tigershark,xphmg --assign race:xphmg,tigershark"};
  const std::vector<std::string> speeds{
      "--set xphmg.quantum_us=1", "--set xphmg.quantum_us=100", "--set xphmg.dmi=off",
      "--set array.engine=scalar --set array.dmi=off",
      "--set array.timing=strict --set array.quantum=100 --set xphmg.quantum_us=1"};
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const std::string name = "p" + std::to_string(i);
    render(name, common + policies[i]);
    for (const std::string& speed : speeds) {
      render("s", common + policies[i] + " " + speed);
      EXPECT_EQ(slurp(path(name + ".ppm")), slurp(path("s.ppm"))) << policies[i] << " " << speed;
      EXPECT_EQ(slurp(path(name + ".csv")), slurp(path("s.csv"))) << policies[i] << " " << speed;
      EXPECT_EQ(comparableStats(name + ".json"), comparableStats("s.json"))
          << policies[i] << " " << speed;
    }
  }
}

TEST_F(Computers, OneInstanceCanHaveSettingsOfItsOwn) {
  render("x",
         "--size 16x16 --machines tigershark:2 --assign eye=tigershark0,shadow=tigershark1 "
         "--set tigershark.dsps=8 --set tigershark1.dsps=32");
  const boost::json::value stats = json("x.json");
  const auto lanes = [&](const char* machine) {
    return stats.at("modules")
        .at("pc0")
        .at(machine)
        .at("board0")
        .at("array")
        .at("lanes")
        .to_number<std::uint64_t>();
  };
  EXPECT_EQ(lanes("tigershark0"), 8U);
  EXPECT_EQ(lanes("tigershark1"), 32U);
  EXPECT_EQ(stats.at("configuration").at("tigershark1.dsps").to_number<int>(), 32);
  EXPECT_EQ(stats.at("configuration").at("tigershark.dsps").to_number<int>(), 8);
}

TEST_F(Computers, AFaultOfOneEndsTheRunWithItsReportAndNoPicture) {
  write("f.asm",
        "        .sect \"reset\",0,0\n        .word boot\n        .sect \"boot\",40h,40h\nboot:   "
        "NOP\n        .word 0FFFFFFFFh\n");
  ASSERT_EQ(runTool("c32-as", "-o f.coff f.asm").status, 0);
  const std::string machines =
      "a.shk --machines xphmg,tigershark --assign eye=xphmg,shadow=tigershark -o x.png --stats "
      "x.json --set tigershark.firmware=";
  const Outcome fault = run(machines + "f.coff");
  EXPECT_EQ(fault.status, 3) << fault.err;
  EXPECT_TRUE(contains(fault.err, "/rtvp/tigershark/dsp_fault")) << fault.err;
  write("g.asm",
        "        .sect \"reset\",0,0\n        .word boot\n        .sect \"boot\",40h,40h\nboot:   "
        "IDLE\n        BR boot\n");
  ASSERT_EQ(runTool("c32-as", "-o g.coff g.asm").status, 0);
  const Outcome hang = run(machines + "g.coff");
  EXPECT_EQ(hang.status, 4) << hang.err;
  EXPECT_TRUE(contains(hang.err, "the token of board 0")) << hang.err;
  EXPECT_FALSE(std::filesystem::exists(path("x.png")));
  EXPECT_FALSE(std::filesystem::exists(path("x.json")));
}

TEST_F(Computers, WhatCannotBeIsRefused) {
  const auto refused = [this](const std::string& arguments, const std::string& text) {
    const Outcome r = run("a.shk -o x.png " + arguments);
    EXPECT_EQ(r.status, 2) << arguments << "\n" << r.err;
    EXPECT_TRUE(contains(r.err, text)) << arguments << "\n" << r.err;
  };
  refused("--machines tigershark,gpu", "found 'gpu', expected one of tigershark, theia, xphmg");
  refused("--machines tigershark:0", "found 'tigershark:0', expected NAME or NAME:COUNT");
  refused("--machines tigershark:65", "with a count of 1..64");
  refused("--machines theia,theia", "found 'theia' twice, expected theia:COUNT");
  refused("--machines reference,theia", "no hardware and runs alone");
  refused("--machines theia,sl:2", "found 2 of sl, expected at most one");
  refused("--machines tigershark:3 --boards 16", "48 PCI slots, the bus has 32");
  refused("--machines xphmg:2 --set xphmg.driver=hart", "must lie first in main memory");
  refused("--machines theia,xphmg --assign eye=tigershark",
          "found machine 'tigershark', expected one of theia, xphmg");
  refused("--machines theia,xphmg --set theia1.cores=2",
          "found a setting of machine 'theia1', the machines of this run are theia, xphmg");
  refused("--machines theia --computer c.json", "expected one of them");
  refused("--machines theia,xphmg --disagreements d.csv", "expected machines that race");
  refused("--machines xphmg:8 --set xphmg.memory_mib=1024",
          "MiB of main memory, expected at most 1536");
  EXPECT_FALSE(std::filesystem::exists(path("x.png")));
}

TEST_F(Computers, ADescriptionSaysWhatThereIsAndWhereItLies) {
  write("c.json",
        R"({"schema_version":1,"devices":[
{"machine":"xphmg","address":"0x30000000","irq":5,"set":{"lmem_kib":16}},
{"machine":"tigershark","name":"board","set":{"dsps":8}}],
"assign":"eye=xphmg,shadow=board","set":{"render.depth":1}})");
  render("x", "--size 12x12 --computer c.json");
  EXPECT_EQ(assigned("x", "xphmg", "eye_rays"), 144U);
  EXPECT_EQ(assigned("x", "board", "shadow_rays"), traced("x", "shadow"));
  const boost::json::value stats = json("x.json");
  EXPECT_EQ(stats.at("configuration").at("render.depth").to_number<int>(), 1);
  EXPECT_EQ(stats.at("configuration").at("xphmg.lmem_kib").to_number<int>(), 16);
  EXPECT_EQ(stats.at("configuration").at("board.dsps").to_number<int>(), 8);
  // The command line comes before the file.
  render("y", "--size 12x12 --computer c.json --set tigershark.dsps=4");
  EXPECT_EQ(json("y.json")
                .at("modules")
                .at("pc0")
                .at("board")
                .at("board0")
                .at("array")
                .at("lanes")
                .to_number<std::uint64_t>(),
            4U);
}

TEST_F(Computers, PlacesThatOverlapAreRefused) {
  write("c.json",
        R"({"schema_version":1,"devices":[
{"machine":"xphmg","name":"a","address":"0x30000000"},
{"machine":"xphmg","name":"b","address":"0x30001000"}]})");
  const Outcome place = run("a.shk --computer c.json");
  EXPECT_EQ(place.status, 2);
  EXPECT_TRUE(contains(
      place.err, "c.json:3: b: unit0 at 30001000h to 30002FFFh overlaps unit0 of a (c.json:2)"))
      << place.err;
  write("d.json",
        R"({"schema_version":1,"devices":[
{"machine":"xphmg","name":"a","irq":3},{"machine":"xphmg","name":"b","irq":3}]})");
  const Outcome line = run("a.shk --computer d.json");
  EXPECT_EQ(line.status, 2);
  EXPECT_TRUE(
      contains(line.err, "d.json:2: b: found interrupt line 3, which is that of a (d.json:2)"))
      << line.err;
  // Too much of what there is only so much of: the machine with which it is too much.
  const auto tooMuch = [this](const char* devices, const char* text) {
    write("e.json", std::string(R"({"schema_version":1,"devices":[)") + "\n" + devices + "]}");
    const Outcome r = run("a.shk --size 12x12 --computer e.json");
    EXPECT_EQ(r.status, 2) << devices;
    EXPECT_TRUE(contains(r.err, text)) << r.err;
  };
  tooMuch(R"({"machine":"theia"},
{"machine":"tigershark","count":3,"set":{"boards":16}})",
          "e.json:3: tigershark2: with it the machines need 48 PCI slots, the bus has 32");
  tooMuch(
      R"({"machine":"theia","irq":127},
{"machine":"tigershark"})",
      "e.json:3: tigershark: with it the machines need 129 interrupt lines, the processor has 128");
  tooMuch(R"({"machine":"xphmg","count":8,"set":{"memory_mib":1024}})",
          "e.json:2: xphmg1: with it the machines need 2048 MiB of main memory, expected at most");
}

TEST_F(Computers, AMachineWithoutRaysRefusesNoScene) {
  // More triangles than THEIA counts to would be refused if it had to hold them.
  const std::string scene = RTVP_SOURCE_DIR "/scenes/bunny.shk";
  render("x",
         "--size 8x8 --machines theia,xphmg,implicit,sl --assign "
         "eye=xphmg,shadow=xphmg,secondary=xphmg",
         scene);
  const boost::json::value theia = json("x.json").at("modules").at("pc0").at("theia");
  EXPECT_EQ(theia.at("driver").at("triangles").to_number<int>(), 0);
  EXPECT_EQ(theia.at("driver").at("rays").to_number<int>(), 0);
}

TEST_F(Computers, SurfacesWithProgramsAndImplicitOnesAreShared) {
  for (const char* const name : {"/scenes/implicit_mixed.shk", "/scenes/teapot_sl.shk"}) {
    const std::string scene = std::string(RTVP_SOURCE_DIR) + name;
    render("x", "--size 16x16 --machines tigershark,xphmg,implicit,sl --assign share", scene);
    expectRight("x", "--size 16x16", scene);
  }
}

// The unit's driver knows one batch at a time, and several strands of the ray tree want hits: they
// queue, and the machines work on what the unit is not working on.
TEST_F(Computers, TheImplicitUnitWorksWhileTheOtherMachinesDo) {
  const std::string scene = RTVP_SOURCE_DIR "/scenes/implicit_mixed.shk";
  render("x", "--size 64x64 --depth 2 --machines tigershark,xphmg,implicit --assign share", scene);
  expectRight("x", "--size 64x64 --depth 2", scene);
  EXPECT_EQ(assigned("x", "implicit", "rays"), traced("x", "rays") + traced("x", "shadow"));
  // Two of the unit's batches: one machine looks through the second while the unit has the first.
  render("y", "--size 160x160 --depth 1 --machines xphmg,tigershark,implicit --assign share",
         scene);
  const boost::json::value together =
      json("y.json").at("modules").at("pc0").at("assign").at("together");
  EXPECT_GT(together.at("busy_2_ps").to_number<double>(), 0);
}

}  // namespace
}  // namespace rtvp::test
