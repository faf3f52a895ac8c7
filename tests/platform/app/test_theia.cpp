// Scenes on a simulated THEIA unit: through the executable as a user does, and the driver alone
// with a unit whose microcode was damaged.
#include <systemc>

#include "firmware/theia/firmware.hpp"
#include "models/common/interconnect.hpp"
#include "models/theia/theia_unit.hpp"
#include "platform/host/theia_driver.hpp"
#include "platform/reference/compare_hits.hpp"
#include "platform/report/hits.hpp"
#include "platform/scene/load.hpp"
#include "tests/platform/app/run_platform.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::test {
namespace {

std::string sceneFile(const std::string& name) {
  return RTVP_SOURCE_DIR "/scenes/" + name;
}

class Theia : public PlatformTest {
 protected:
  void SetUp() override {
    PlatformTest::SetUp();
    write("a.shk", kSmallScene);
  }
  /// Leaves NAME.png, NAME.csv, NAME.json.
  void render(const std::string& name, const std::string& arguments) const {
    const Outcome r = run(arguments + " -q -o " + name + ".png --hits " + name + ".csv --stats " +
                          name + ".json");
    ASSERT_EQ(r.status, 0) << arguments << "\n" << r.err;
    EXPECT_EQ(r.err, "") << arguments;
  }
  void expectSamePicture(const std::string& a, const std::string& b) const {
    EXPECT_EQ(slurp(path(a + ".csv")), slurp(path(b + ".csv"))) << a << " " << b;
    EXPECT_EQ(slurp(path(a + ".png")), slurp(path(b + ".png"))) << a << " " << b;
  }
  /// The tolerances: outline 1e-3, t within 5e-4.
  void expectReferenceHits(const std::string& machine, const std::string& reference,
                           const std::string& file, int side) const {
    scene::LoadOptions load;
    load.tessellateAll = true;
    scene::Scene scene = scene::load(file, load);
    if (side != 0) scene.width = scene.height = side;
    reference::HitTolerance tolerance;
    tolerance.distance = 5e-4;
    const reference::HitComparison c =
        reference::compareHits(report::readHits(path(machine + ".csv")),
                               report::readHits(path(reference + ".csv")), scene, tolerance);
    EXPECT_TRUE(c.passed()) << file << ": wrong " << c.wrong << ", wrong distance "
                            << c.wrongDistance << ", excused " << c.excused() << " of "
                            << c.compared;
  }
  [[nodiscard]] std::uint64_t driver(const std::string& name, const char* figure) const {
    return json(name + ".json")
        .at("modules")
        .at("pc0")
        .at("driver")
        .at(figure)
        .to_number<std::uint64_t>();
  }
};

TEST_F(Theia, HitsAreTheReferencesWithEitherMicrocode) {
  for (const char* name : {"cornell.shk", "teapot.shk"}) {
    const std::string file = sceneFile(name);
    const std::string common = file + " --size 32x32 --depth 1 ";
    render("reference", common + "--engine reference");
    render("original", common + "--engine theia");
    render("improved", common + "--engine theia --set theia.microcode=improved");
    expectReferenceHits("original", "reference", file, 32);
    expectReferenceHits("improved", "reference", file, 32);
    EXPECT_GT(driver("original", "eye_ps"), driver("improved", "eye_ps"));
  }
}

// Host shading starts from the machine's u and v: from its t, points lie so far off their triangle
// that the triangle shades itself.
TEST_F(Theia, NothingShadesItself) {
  const std::string common = sceneFile("cornell.shk") + " --size 64x64 --depth 1 ";
  render("reference", common + "--engine reference");
  render("machine", common + "--engine theia");
  const Outcome r = run("compare machine.png reference.png --max-diff 1");
  EXPECT_EQ(r.status, 0) << r.out;
}

TEST_F(Theia, CoresDoNotChangeThePicture) {
  const std::string common = sceneFile("cornell.shk") + " --size 32x32 --engine theia ";
  render("four", common);
  for (const char* cores : {"1", "2", "8", "16"}) {
    render("other", common + "--set theia.cores=" + cores);
    expectSamePicture("four", "other");
  }
}

TEST_F(Theia, ImprovementsSaveTimeAndKeepThePicture) {
  const std::string common =
      sceneFile("cornell.shk") + " --size 32x32 --engine theia --set theia.microcode=improved ";
  // Each step beside the one before. The box test alone gains nothing: streaming is the limit.
  const char* const steps[] = {"", "--set theia.store_triangles=64 ", "--set theia.box_test=on ",
                               "--set theia.tile=8 "};
  std::string options;
  render("before", common);
  for (const char* step : steps) {
    options += step;
    render("after", common + options);
    expectSamePicture("before", "after");
    if (*step != '\0') {
      EXPECT_LT(driver("after", "eye_ps"), driver("before", "eye_ps")) << options;
    }
    render("before", common + options);
  }
}

TEST_F(Theia, MirrorsAndGlassGoThroughTextureMemory) {
  const std::string common = "a.shk --size 16x16 --depth 3 ";
  render("reference", common + "--engine reference");
  render("machine", common + "--engine theia");
  expectReferenceHits("machine", "reference", path("a.shk"), 16);
  EXPECT_GT(driver("machine", "rays"), 0U);
  const Outcome r = run("compare machine.png reference.png --min-psnr 30");
  EXPECT_EQ(r.status, 0) << r.out;
}

TEST_F(Theia, SmallMemoriesOnlyMeanMoreFrames) {
  const std::string common = "a.shk --size 16x16 --depth 2 --engine theia ";
  render("large", common + "--set theia.output_words=1024 --set theia.texture_words=1048576");
  render("small", common + "--set theia.output_words=1024 --set theia.texture_words=1024");
  expectSamePicture("large", "small");
  EXPECT_GT(driver("small", "ray_frames"), driver("large", "ray_frames"));
}

TEST_F(Theia, EqualRunsAreByteIdentical) {
  render("a", "a.shk --size 16x16 --engine theia --spp 1");
  render("b", "a.shk --size 16x16 --engine theia --spp 1");
  expectSamePicture("a", "b");
  EXPECT_EQ(comparableStats("a.json"), comparableStats("b.json"));
}

TEST_F(Theia, CropIsAPartOfThePicture) {
  render("part", "a.shk --size 16x16 --crop 4,4,8,8 --engine theia");
  render("reference", "a.shk --size 16x16 --crop 4,4,8,8 --engine reference");
  expectReferenceHits("part", "reference", path("a.shk"), 16);
}

TEST_F(Theia, ItsOwnMicrocodeShades) {
  render("own", sceneFile("teapot.shk") +
                    " --size 16x16 --engine theia --shade theia --set theia.microcode=improved");
  EXPECT_EQ(driver("own", "rays"), 0U);
  render("host", sceneFile("teapot.shk") + " --size 16x16 --engine theia");
  EXPECT_EQ(slurp(path("own.csv")).size() > 0, true);
  EXPECT_NE(slurp(path("own.png")), slurp(path("host.png")));
}

TEST_F(Theia, WhatItCannotDoIsRefused) {
  const auto refused = [this](const std::string& arguments, const std::string& text) {
    const Outcome r = run(arguments);
    EXPECT_EQ(r.status, 2) << arguments << "\n" << r.err;
    EXPECT_TRUE(contains(r.err, text)) << r.err;
  };
  refused("a.shk --size 16x18 --engine theia", "must divide by theia.cores");
  refused("a.shk --size 16x16 --engine theia --set theia.cores=3", "1, 2, 4, 8 or 16");
  refused("a.shk --shade theia", "engine = theia");
  refused("a.shk --size 16x16 --engine theia --shade theia", "theia.microcode = improved");
  refused("a.shk --size 16x16 --engine theia --set theia.tile=6", "multiple of theia.cores");
  refused("a.shk --size 16x16 --engine theia --set theia.box_test=on", "theia.microcode");
}

// ---- the driver and a unit on a bus, without the rest of the platform

struct Bench {
  Bench(const scene::Scene& scene, theia::Rom rom)
      : interconnect("interconnect"),
        unit("theia", config(), std::move(rom)),
        host("host", {1, [this, &scene](host::HostBus& bus) { program(bus, scene); }}) {
    host.bus_isock.bind(interconnect.bus_tsock);
    interconnect.attach(unit.host_tsock, "theia", 0x80000000, theia::unit::kSize);
    unit.rcommit_o.bind(committed);
    host.inta_i[0].bind(committed);
  }
  static theia::TheiaUnitConfig config() { return {}; }
  static host::TheiaProgram table(const char* set) {
    const auto& t = theia::findMicrocode(set)->table;
    return {t.begin(), t.end()};
  }
  void program(host::HostBus& bus, const scene::Scene& scene) {
    host::TheiaDriverConfig driver;
    driver.crop = {0, 0, scene.width, scene.height};
    driver.eyeProgram = table("hits");
    driver.rayProgram = table("rays");
    host::TheiaDriver theia(bus, scene, driver);
    theia.start();
    for (int y = 0; y < scene.height; ++y) {
      for (int x = 0; x < scene.width; ++x) {
        const host::Ray ray{scene.camera.eye,
                            scene.camera.direction(x + 0.5, y + 0.5, scene.width, scene.height),
                            host::kInfinity, host::Ray::Kind::Nearest};
        const host::EyePosition position{x, y, 0.5, 0.5};
        host::Hit hit;
        theia.traceEye({&ray, 1}, {&position, 1}, {&hit, 1});
        eyeHits += hit.element != scene::kNoElement ? 1 : 0;
        rays.push_back(ray);
      }
    }
    std::vector<host::Hit> hits(rays.size());
    theia.trace(rays, hits);
    for (const host::Hit& hit : hits) rayHits += hit.element != scene::kNoElement ? 1 : 0;
  }

  common::Interconnect interconnect;
  theia::TheiaUnit unit;
  host::HostProcess host;
  sc_core::sc_signal<bool> committed;
  std::vector<host::Ray> rays;
  int eyeHits = 0;
  int rayHits = 0;
};

scene::Scene smallScene() {
  scene::Scene scene = scene::load(sceneFile("cornell.shk"));
  scene.width = scene.height = 16;
  return scene;
}

TEST(TheiaDriver, EyeRaysAndRaysFromTextureMemoryMeetTheSame) {
  inChild([] {
    const scene::Scene scene = smallScene();
    Bench bench(scene, theia::microcodeRom());
    sc_core::sc_start();
    ASSERT_FALSE(bench.host.error());
    EXPECT_GT(bench.eyeHits, 100);
    EXPECT_NEAR(bench.eyeHits, bench.rayHits, 1);
  });
}

TEST(TheiaDriver, WithoutTheMachinesIntersectionThereIsNoHit) {
  inChild([] {
    const scene::Scene scene = smallScene();
    theia::Rom rom = theia::microcodeRom();
    constexpr unsigned kBiu = 185;  // the original's row (theia.md 3.1)
    constexpr std::uint64_t kReturnMiss = 0x005A'0076'0000'0000;  // RET R99 FALSE
    rom.set(kBiu, {kReturnMiss});
    rom.set(theia::microcodeRow("Y_BIU").value(), {kReturnMiss});
    Bench bench(scene, std::move(rom));
    sc_core::sc_start();
    ASSERT_FALSE(bench.host.error());
    EXPECT_EQ(bench.eyeHits, 0);
    EXPECT_EQ(bench.rayHits, 0);
  });
}

}  // namespace
}  // namespace rtvp::test
