// Scenes on simulated TigerSHARK boards, through the executable: the hits are the reference's, and
// nothing that must not change them does.
#include "models/c32/simt/kernels.hpp"
#include "platform/reference/compare_hits.hpp"
#include "platform/report/hits.hpp"
#include "platform/scene/load.hpp"
#include "tests/platform/app/run_platform.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

class Tigershark : public PlatformTest {
 protected:
  void SetUp() override {
    PlatformTest::SetUp();
    write("a.shk", kSmallScene);
  }

  // Renders a.shk with depth 2 and leaves NAME.png, NAME.csv, NAME.json.
  void render(const std::string& name, const std::string& options) const {
    const Outcome r = run("a.shk --depth 2 -q -o " + name + ".png --hits " + name +
                          ".csv --stats " + name + ".json " + options);
    ASSERT_EQ(r.status, 0) << options << "\n" << r.err;
    EXPECT_EQ(r.err, "") << options;
  }
  void expectSamePicture(const std::string& a, const std::string& b) const {
    EXPECT_EQ(slurp(path(a + ".csv")), slurp(path(b + ".csv"))) << a << " " << b;
    EXPECT_EQ(slurp(path(a + ".png")), slurp(path(b + ".png"))) << a << " " << b;
  }
  [[nodiscard]] std::uint64_t simulatedTime(const std::string& name) const {
    return json(name + ".json").at("simulated_time_ps").to_number<std::uint64_t>();
  }
  [[nodiscard]] std::uint64_t driverFigure(const std::string& name, const char* figure) const {
    return json(name + ".json")
        .at("modules")
        .at("pc0")
        .at("driver")
        .at(figure)
        .to_number<std::uint64_t>();
  }
};

void expectSameHits(const std::string& a, const std::string& b, const std::string& sceneFile,
                    int width, int height) {
  scene::Scene scene = scene::load(sceneFile);
  if (width != 0) {
    scene.width = width;
    scene.height = height;
  }
  const reference::HitComparison c =
      reference::compareHits(report::readHits(a), report::readHits(b), scene);
  EXPECT_TRUE(c.passed()) << "wrong " << c.wrong << ", wrong distance " << c.wrongDistance
                          << ", excused " << c.excused() << " of " << c.compared;
}

TEST_F(Tigershark, HitsAreTheReferencesForEveryArraySize) {
  render("reference", "--engine reference");
  for (const char* dsps : {"1", "4", "16", "33"}) {
    render("board", std::string("--dsps ") + dsps);
    expectSameHits(path("board.csv"), path("reference.csv"), path("a.shk"), 0, 0);
    EXPECT_EQ(json("board.json").at("modules").at("pc0").at("board0").at("array").at("lanes"),
              std::stoi(dsps));
  }
}

TEST_F(Tigershark, CornellHitsAreTheReferences) {
  const std::string scene = RTVP_SOURCE_DIR "/scenes/cornell.shk";
  for (const char* dsps : {"4", "16"}) {
    ASSERT_EQ(run(scene + " --size 20x20 --depth 1 -q --hits b.csv --dsps " + dsps).status, 0);
    ASSERT_EQ(run(scene + " --size 20x20 --depth 1 -q --hits r.csv --engine reference").status, 0);
    expectSameHits(path("b.csv"), path("r.csv"), scene, 20, 20);
  }
}

// Surveyed data: a town at its map coordinates. 24 bits would leave of each house two steps.
TEST_F(Tigershark, ASceneFarFromTheOriginKeepsItsShape) {
  write("far.shk",
        "w 16\nh 16\neye 3512340 5634520 130\nlook 3512345 5634545 110\nup 0 0 1\n"
        "light 3512300 5634500 400 1 1 1\n"
        "triangle 3512330 5634530 100 3512360 5634530 100 3512360 5634560 100\n"
        "triangle 3512330 5634530 100 3512360 5634560 100 3512330 5634560 100\n"
        "triangle 3512340 5634540 100.5 3512350 5634541 100.5 3512345 5634545 112\n"
        "sphere 3512352 5634550 105 4\n");
  const std::string common = "far.shk --depth 1 -q --dsps 4 ";
  for (const char* vote : {"on", "off"}) {
    const Outcome r =
        run(common + "-o b.png --hits b.csv --set tigershark.vote=" + std::string(vote));
    ASSERT_EQ(r.status, 0) << r.err;
    ASSERT_EQ(run(common + "-o r.png --hits r.csv --engine reference").status, 0);
    expectSameHits(path("b.csv"), path("r.csv"), path("far.shk"), 0, 0);
    const Outcome compared = run("compare b.png r.png --min-psnr 40");
    EXPECT_EQ(compared.status, 0) << compared.out;
  }
}

TEST_F(Tigershark, EqualRunsGiveEqualBytes) {
  render("one", "");
  render("two", "");
  expectSamePicture("one", "two");
  EXPECT_EQ(comparableStats("one.json"), comparableStats("two.json"));
}

TEST_F(Tigershark, TS_046_PagingChangesTimeOnly) {
  const std::string scene = RTVP_SOURCE_DIR "/scenes/spd_tetra_4.nff";
  const std::string common = scene + " --size 10x10 --depth 2 -q ";
  ASSERT_EQ(run(common + "--hits whole.csv -o whole.png --stats whole.json").status, 0);
  EXPECT_EQ(driverFigure("whole", "page_loads"), 1U);
  for (const char* more : {"", " --set tigershark.double_buffer=on", " --boards 2"}) {
    const Outcome r = run(common +
                          "--hits paged.csv -o paged.png --stats paged.json "
                          "--set tigershark.sram_words=1024" +
                          more);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(slurp(path("whole.csv")), slurp(path("paged.csv"))) << more;
    EXPECT_EQ(slurp(path("whole.png")), slurp(path("paged.png"))) << more;
    EXPECT_GE(driverFigure("paged", "page_loads"), 3U) << more;
    EXPECT_GT(driverFigure("paged", "rays_sent"), driverFigure("paged", "rays_traced")) << more;
  }
}

TEST_F(Tigershark, TS_045_DoubleBufferingHidesPageLoads) {
  const std::string common = RTVP_SOURCE_DIR
      "/scenes/spd_balls_2.nff --size 10x10 --depth 1 -q --set tigershark.sram_words=1024 ";
  ASSERT_EQ(run(common + "--stats single.json").status, 0);
  ASSERT_EQ(run(common + "--stats double.json --set tigershark.double_buffer=on").status, 0);
  EXPECT_EQ(driverFigure("single", "page_words_hidden"), 0U);
  EXPECT_GT(driverFigure("double", "page_words_hidden"), 0U);
  EXPECT_LT(driverFigure("double", "paging_ps"), driverFigure("single", "paging_ps"));
}

TEST_F(Tigershark, TS_030_VoteChangesTimeOnly) {
  render("on", "--set tigershark.vote=on");
  render("off", "--set tigershark.vote=off");
  expectSamePicture("on", "off");
  EXPECT_NE(simulatedTime("on"), simulatedTime("off"));
}

TEST_F(Tigershark, TS_042_FifoDepthChangesNoPixel) {
  render("chip", "--set tigershark.fifo_depth=8");
  render("seed", "--set tigershark.fifo_depth=32");
  expectSamePicture("chip", "seed");
}

TEST_F(Tigershark, TimingParametersChangeTimeOnly) {
  render("base", "");
  for (const char* option :
       {"tigershark.wait_states=2", "tigershark.bit_clock_hz=5000000", "tigershark.clock_hz=2.5e7",
        "tigershark.release_cycles=9", "pci.devsel=3"}) {
    render("other", std::string("--set ") + option);
    expectSamePicture("base", "other");
    EXPECT_NE(simulatedTime("base"), simulatedTime("other")) << option;
  }
}

// The firmware reads the vote line long after the last release: a slower pull-up costs nothing.
TEST_F(Tigershark, TS_031_RiseTimeWithinTheFirmwaresMarginChangesNothing) {
  render("base", "");
  render("slow", "--set tigershark.rise_cycles=20");
  expectSamePicture("base", "slow");
  EXPECT_EQ(simulatedTime("base"), simulatedTime("slow"));
}

TEST_F(Tigershark, TS_051_BoardsShareTheDatabaseWithoutChangingThePicture) {
  render("one", "");
  render("two", "--boards 2");
  expectSamePicture("one", "two");
  render("three", "--boards 3 --dsps 4");
  expectSamePicture("one", "three");
}

TEST_F(Tigershark, TS_052_HostsChangeNothingButTime) {
  render("one", "");
  render("two", "--hosts 2");
  expectSamePicture("one", "two");
  EXPECT_LT(simulatedTime("two"), simulatedTime("one"));
  EXPECT_TRUE(json("two.json").at("modules").as_object().contains("pc1"));
}

TEST_F(Tigershark, RayOrderAndBatchesChangeTimeOnly) {
  render("hilbert", "");
  for (const char* order : {"tiles", "scanline"}) {
    render("other", std::string("--set render.order=") + order);
    expectSamePicture("hilbert", "other");
  }
}

// design.md section 5: whether the kernel takes part in every shared word is a matter of speed.
TEST_F(Tigershark, StrictTimingChangesNoByte) {
  for (const char* machine :
       {"--dsps 4", "--dsps 16 --boards 2",
        "--dsps 4 --set tigershark.sram_words=1024 --set tigershark.double_buffer=on",
        "--dsps 4 --hosts 2 --set tigershark.wait_states=1"}) {
    render("loose", std::string(machine) + " --timing loose");
    render("strict", std::string(machine) + " --timing strict");
    expectSamePicture("loose", "strict");
    EXPECT_EQ(comparableStats("loose.json"), comparableStats("strict.json")) << machine;
    EXPECT_EQ(json("strict.json").at("host").at("settings").at("array.timing"), "strict");
  }
}

// The same for who simulates the DSPs, on which unit of the host.
TEST_F(Tigershark, EnginesChangeNoByte) {
  for (const char* machine :
       {"--dsps 4", "--dsps 13 --boards 2",
        "--dsps 16 --set tigershark.sram_words=1024 --set tigershark.double_buffer=on",
        "--dsps 8 --hosts 2 --set tigershark.wait_states=2"}) {
    render("scalar", std::string(machine) + " --set array.engine=scalar");
    for (const char* engine :
         {"simt", "auto", "simt --set array.isa=scalar", "simt --set array.timing=strict"}) {
      render("other", std::string(machine) + " --set array.engine=" + engine);
      expectSamePicture("scalar", "other");
      EXPECT_EQ(comparableStats("scalar.json"), comparableStats("other.json"))
          << machine << ", " << engine;
    }
  }
}

// All speed settings against each other: engine, instruction set, quantum, DMI, bursts, timing.
TEST_F(Tigershark, NoCombinationOfSpeedSettingsChangesAByte) {
  const std::string machine =
      "--dsps 6 --set tigershark.sram_words=1024 --set tigershark.double_buffer=on ";
  render("plain", machine +
                      "--set array.engine=scalar --set array.dmi=off --set array.burst=1 "
                      "--timing strict --trace plain.vcd");
  const std::string trace = slurp(path("plain.vcd"));
  ASSERT_GT(trace.size(), 100'000U);
  std::vector<std::string> engines = {"--set array.engine=scalar"};
  for (const c32::simt::Isa isa : c32::simt::kAllIsas) {
    if (!c32::simt::isaUsable(isa)) continue;
    engines.push_back("--set array.engine=simt --set array.isa=" +
                      std::string(c32::simt::isaName(isa)));
  }
  for (const std::string& engine : engines) {
    for (const char* memory : {"--set array.dmi=on", "--set array.dmi=off --set array.burst=1",
                               "--set array.dmi=off --set array.burst=5"}) {
      for (const char* time :
           {"--timing loose", "--timing strict", "--timing loose --set array.quantum=300"}) {
        const std::string settings = engine + " " + memory + " " + time;
        SCOPED_TRACE(settings);
        render("other", machine + settings + " --trace other.vcd");
        expectSamePicture("plain", "other");
        ASSERT_EQ(comparableStats("plain.json"), comparableStats("other.json"));
        ASSERT_TRUE(slurp(path("other.vcd")) == trace);
      }
    }
  }
}

// Enough DSPs and words for the wave, and for its host code (the last run is traced: no probe may
// see another order).
TEST_F(Tigershark, WhoServesTheChainChangesNoByte) {
  const std::string machine = "--dsps 24 --size 24x24 ";
  render("plain", machine + "--set array.engine=scalar --trace plain.vcd");
  for (const char* chain : {"wave", "summaries", "blocks", "scalar"}) {
    for (const char* trace : {"", " --trace other.vcd"}) {
      SCOPED_TRACE(std::string(chain) + trace);
      render("other", machine + "--set array.engine=simt --set array.chain=" + chain + trace);
      expectSamePicture("plain", "other");
      ASSERT_EQ(comparableStats("plain.json"), comparableStats("other.json"));
    }
    ASSERT_TRUE(slurp(path("other.vcd")) == slurp(path("plain.vcd"))) << chain;
  }
}

TEST_F(Tigershark, FastBitClockIsAWarning) {
  const Outcome r = run("a.shk --size 2x2 --set tigershark.bit_clock_hz=15000000");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.err, "receive limit")) << r.err;
  EXPECT_TRUE(contains(r.out, "DSP cycles")) << r.out;
}

TEST_F(Tigershark, ATimeLimitIsStatusFour) {
  const Outcome r = run("a.shk --set run.limit_ms=0.5 -o limit.png");
  EXPECT_EQ(r.status, 4) << r.err;
  EXPECT_TRUE(contains(r.err, "run.limit_ms")) << r.err;
  EXPECT_FALSE(std::filesystem::exists(path("limit.png")));
}

// Firmware that is not ours.
class ForeignFirmware : public Tigershark {
 protected:
  [[nodiscard]] Outcome runWith(const std::string& assembly, const std::string& more = "") const {
    write("f.asm", assembly);
    const Outcome as = runTool("c32-as", "-o f.coff f.asm");
    EXPECT_EQ(as.status, 0) << as.err;
    return run("a.shk --set tigershark.firmware=f.coff -o x.png " + more);
  }
  void expectNoPicture() const { EXPECT_FALSE(std::filesystem::exists(path("x.png"))); }
};

TEST_F(ForeignFirmware, OneThatNeverAnswersIsADeadlockWithAReport) {
  const Outcome r = runWith(
      "        .sect \"reset\",0,0\n        .word boot\n        .sect \"boot\",40h,40h\nboot:   "
      "IDLE\n"
      "        BR boot\n",
      "--dsps 4");
  EXPECT_EQ(r.status, 4) << r.err;
  EXPECT_TRUE(contains(r.err, "the token of board 0")) << r.err;
  expectNoPicture();
}

TEST_F(ForeignFirmware, AnUndefinedInstructionIsAFault) {
  const Outcome r = runWith(
      "        .sect \"reset\",0,0\n        .word boot\n        .sect \"boot\",40h,40h\nboot:   "
      "NOP\n"
      "        .word 0FFFFFFFFh\n");
  EXPECT_EQ(r.status, 3) << r.err;
  EXPECT_TRUE(contains(r.err, "/rtvp/tigershark/dsp_fault")) << r.err;
  expectNoPicture();
}

TEST_F(ForeignFirmware, AFaultOnOneOfSeveralHostsIsTheRunsFault) {
  const Outcome r = runWith(
      "        .sect \"reset\",0,0\n        .word boot\n        .sect \"boot\",40h,40h\nboot:   "
      "NOP\n"
      "        .word 0FFFFFFFFh\n",
      "--hosts 2");
  EXPECT_EQ(r.status, 3) << r.err;
  EXPECT_TRUE(contains(r.err, "host 0:")) << r.err;
  expectNoPicture();
}

// Our firmware with one fault in it: nobody but the machine finds hits, and the driver notices what
// it can notice.
class FaultyFirmware : public ForeignFirmware {
 protected:
  // Assembles the firmware with `before` replaced by `after` in `file` and runs it.
  [[nodiscard]] Outcome runFaulty(const std::string& file, const std::string& before,
                                  const std::string& after) const {
    // The folder in which the build assembles: all sources and the generated protocol.inc.
    const std::filesystem::path source = RTVP_BINARY_DIR "/firmware/tigershark";
    for (const auto& entry : std::filesystem::directory_iterator(source)) {
      std::filesystem::copy_file(entry.path(), path(entry.path().filename().string()),
                                 std::filesystem::copy_options::overwrite_existing);
    }
    std::string text = slurp(path(file));
    std::size_t changes = 0;
    for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at)) {
      text.replace(at, before.size(), after);
      at += after.size();
      ++changes;
    }
    EXPECT_GT(changes, 0U) << file << " has no '" << before << "' any more";
    write(file, text);
    const Outcome as = runTool("c32-as", "-o f.coff tigershark.asm");
    EXPECT_EQ(as.status, 0) << as.err;
    return run("a.shk --set tigershark.firmware=f.coff -o x.png --hits x.csv");
  }
};

TEST_F(FaultyFirmware, OneThatReportsNoHitGivesBackgroundOnly) {
  const Outcome r = runFaulty("chain.asm", "LDI     @element,R0", "LDI     -1,R0");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.err, "no eye ray hit anything")) << r.err;
  for (const report::HitRow& hit : report::readHits(path("x.csv"))) {
    EXPECT_EQ(hit.prim, report::kMiss);
  }
}

TEST_F(FaultyFirmware, TS_021_AMiscountedTokenIsNoticed) {
  const Outcome r = runFaulty("chain.asm", "ADDI    1,R0", "ADDI    2,R0");
  EXPECT_EQ(r.status, 3) << r.err;
  EXPECT_TRUE(contains(r.err, "/rtvp/host/driver")) << r.err;
  EXPECT_TRUE(contains(r.err, "TS-021")) << r.err;
  expectNoPicture();
}

TEST_F(FaultyFirmware, TS_022_AMissingMasterMarkIsNoticed) {
  const Outcome r = runFaulty("chain.asm", "LDI     MASTER_MARK_HI,R1", "LDI     0,R1");
  EXPECT_EQ(r.status, 3) << r.err;
  EXPECT_TRUE(contains(r.err, "/rtvp/host/driver")) << r.err;
  EXPECT_TRUE(contains(r.err, "TS-022")) << r.err;
  expectNoPicture();
}

TEST_F(FaultyFirmware, AReadThatOnlySomeLanesMakeIsALockstepViolation) {
  // Every lane reads its own address instead of the page's.
  const Outcome r = runFaulty("chain.asm", "LDI     PARAM_DATABASE,AR0", "LDI     @id,AR0");
  EXPECT_EQ(r.status, 3) << r.err;
  EXPECT_TRUE(contains(r.err, "/rtvp/tigershark/lockstep")) << r.err;
  EXPECT_TRUE(contains(r.err, "board0.array: lane")) << r.err;
  expectNoPicture();
}

}  // namespace
}  // namespace rtvp::test
