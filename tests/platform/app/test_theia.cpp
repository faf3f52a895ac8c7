// Scenes on a simulated THEIA unit: through the executable as a user does, and the driver alone
// with a unit whose microcode was damaged.
#include <pty.h>

#include <systemc>

#include "firmware/theia/firmware.hpp"
#include "models/common/interconnect.hpp"
#include "models/theia/theia_unit.hpp"
#include "platform/drivers/theia/driver.hpp"
#include "platform/reference/compare_hits.hpp"
#include "platform/report/hits.hpp"
#include "platform/report/image.hpp"
#include "platform/scene/load.hpp"
#include "tests/platform/app/run_platform.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/paths.hpp"

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
    EXPECT_TRUE(slurp(path(a + ".csv")) == slurp(path(b + ".csv"))) << a << " " << b;
    EXPECT_TRUE(slurp(path(a + ".png")) == slurp(path(b + ".png"))) << a << " " << b;
  }
  /// The tolerances: outline 1e-3, t within 5e-4.
  void expectReferenceHits(const std::string& machine, const std::string& reference,
                           const std::string& file, int side, std::uint64_t mayBeWrong = 0) const {
    scene::LoadOptions load;
    load.tessellateAll = true;
    scene::Scene scene = scene::load(file, load);
    if (side != 0) scene.width = scene.height = side;
    reference::HitTolerance tolerance;
    tolerance.distance = 5e-4;
    const reference::HitComparison c =
        reference::compareHits(report::readHits(path(machine + ".csv")),
                               report::readHits(path(reference + ".csv")), scene, tolerance);
    EXPECT_TRUE(c.wrong <= mayBeWrong && c.wrongDistance == 0 && !c.tooManyExcused())
        << file << ": wrong " << c.wrong << ", wrong distance " << c.wrongDistance << ", excused "
        << c.excused() << " of " << c.compared;
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
    render("original", common + "--engine theia --set theia.microcode=original");
    render("improved", common + "--engine theia");
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

/// What a terminal is shown: four cores have done a pixel each when the first is done.
TEST_F(Theia, ProgressCountsThePixelsOfAllCores) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::string scene = path("a.shk"), picture = path("p.png");
    execl(RTVP_BIN_DIR "/platform", "platform", scene.c_str(), "--engine", "theia", "--size", "8x8",
          "-o", picture.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  std::string shown;
  char piece[4096];
  for (ssize_t got = 0; (got = read(terminal, piece, sizeof piece)) > 0;)
    shown.append(piece, static_cast<std::size_t>(got));
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  close(terminal);
  EXPECT_EQ(status, 0) << shown;
  EXPECT_TRUE(contains(shown, "%  4 rays")) << shown;
}

TEST_F(Theia, SamplesAndHosts) {
  const std::string common = sceneFile("cornell.shk") + " --size 16x16 ";
  ASSERT_EQ(run(common + "--engine reference --spp 4 -q -o reference.png").status, 0);
  ASSERT_EQ(run(common + "--engine theia --spp 4 -q -o samples.png --stats samples.json").status,
            0);
  EXPECT_EQ(driver("samples", "eye_frames"), 4U) << "one frame a sample position";
  const Outcome r = run("compare samples.png reference.png --min-psnr 40");
  EXPECT_EQ(r.status, 0) << r.out;

  render("one", common + "--engine theia");
  render("two", common + "--engine theia --hosts 2");
  expectSamePicture("one", "two");
}

TEST_F(Theia, CropIsAPartOfThePicture) {
  render("part", "a.shk --size 16x16 --crop 4,4,8,8 --engine theia");
  render("reference", "a.shk --size 16x16 --crop 4,4,8,8 --engine reference");
  expectReferenceHits("part", "reference", path("a.shk"), 16);
}

TEST_F(Theia, ItsOwnMicrocodeShades) {
  render("own", sceneFile("teapot.shk") + " --size 16x16 --engine theia --shade theia");
  EXPECT_EQ(driver("own", "rays"), 0U);
  render("host", sceneFile("teapot.shk") + " --size 16x16 --engine theia");
  EXPECT_EQ(slurp(path("own.csv")).size() > 0, true);
  EXPECT_TRUE(slurp(path("own.png")) != slurp(path("host.png")));
}

TEST_F(Theia, TheTexturedSceneHasTheReferencesHits) {
  const std::string common = sceneFile("textured.shk") + " --size 32x32 --depth 2 ";
  render("reference", common + "--engine reference");
  render("original", common + "--engine theia --set theia.microcode=original");
  render("improved", common + "--engine theia");
  // One ray runs in the plane of a triangle: the original's routines divide by a DELTA of 0.
  expectReferenceHits("original", "reference", sceneFile("textured.shk"), 32, 1);
  expectReferenceHits("improved", "reference", sceneFile("textured.shk"), 32);
}

// The ray in the plane of a triangle again: the original takes it for a hit at the eye, and the run
// says so. The default does not, and is silent.
TEST_F(Theia, HitsWhereNothingIsAreWarnedAbout) {
  const std::string common = sceneFile("textured.shk") +
                             " --size 32x32 --depth 1 --engine theia --no-progress -o o.ppm "
                             "--stats o.json ";
  const Outcome original = run(common + "--set theia.microcode=original");
  ASSERT_EQ(original.status, 0) << original.err;
  EXPECT_EQ(driver("o", "hits_behind_eye") + driver("o", "hits_at_eye"), 1U);
  EXPECT_TRUE(contains(original.err, "platform: warning: THEIA took hits where no surface is"))
      << original.err;
  EXPECT_TRUE(contains(original.err, "of 1024 pixels")) << original.err;
  const Outcome quiet = run(common + "--set theia.microcode=original -q");
  EXPECT_EQ(quiet.err, "");

  const Outcome by_default = run(common);
  ASSERT_EQ(by_default.status, 0) << by_default.err;
  EXPECT_EQ(driver("o", "hits_behind_eye") + driver("o", "hits_at_eye"), 0U);
  EXPECT_EQ(by_default.err, "");
  EXPECT_EQ(json("o.json").at("configuration").at("theia.microcode").as_string(), "improved");
}

// Four colours by quarters and a light at the eye: what the unit draws is what the host draws, away
// from the borders between colours.
std::string texturedSquares(bool second) {
  std::string text =
      "w 16\nh 16\nb 0 0 0\ne 0 0 4\nlo 0 0 0\nu 0 1 0\nli 0 0 40 1 1 1\n"
      "texture a a.png\ntexture b b.png\nm 1 1 1 0.8 0 0.1 1 0 0 1\n"
      "paint a\nst 0 0 1 0 1 1\ntriangle -2 -2 0 2 -2 0 2 2 0\n";
  if (second) text += "paint b\n";
  return text + "st 0 0 1 1 0 1\ntriangle -2 -2 0 2 2 0 -2 2 0\n";
}

void writeQuarters(const std::string& file, int width, int height, bool swapped) {
  report::Image picture(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int quarter = (2 * x >= width ? 1 : 0) + (2 * y >= height ? 2 : 0);
      const std::array<std::array<std::uint8_t, 3>, 4> colors{
          {{200, 40, 40}, {40, 200, 40}, {40, 40, 200}, {200, 200, 40}}};
      const auto& color = colors[static_cast<std::size_t>(swapped ? 3 - quarter : quarter)];
      std::copy(color.begin(), color.end(),
                picture.rgb.begin() + std::ptrdiff_t{3} * (y * width + x));
    }
  }
  report::writeImage(file, picture);
}

TEST_F(Theia, ItsTexturesLieAsTheHostsDo) {
  writeQuarters(path("a.png"), 16, 16, false);
  writeQuarters(path("b.png"), 12, 32, true);  // THEIA wants squares: 32 x 32 of both
  write("one.shk", texturedSquares(false));
  write("two.shk", texturedSquares(true));
  const std::string own = " --size 16x16 --depth 1 --engine theia --shade theia ";
  const auto levels = [this](const std::string& name) {
    const report::Image image = report::readImage(path(name + ".png"));
    std::vector<int> all;
    for (const auto& [x, y] : {std::pair{2, 5}, {3, 13}, {13, 3}, {13, 12}, {12, 6}, {6, 12}}) {
      for (const std::uint8_t level : image.pixel(x, y)) all.push_back(level);
    }
    return all;
  };
  for (const char* scene : {"one", "two"}) {
    const std::string file = std::string(scene) + ".shk";
    ASSERT_EQ(run(file + " --size 16x16 --depth 1 --engine reference -q -o host.png").status, 0);
    ASSERT_EQ(run(file + own + "-q --set theia.microcode=improved -o unit.png").status, 0);
    const std::vector<int> expected = levels("host");
    const std::vector<int> found = levels("unit");
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i], 4) << scene << " " << i;
    }
  }
  // The original's routines know one texture and no light.
  const std::string original = own + "--set theia.microcode=original -q ";
  EXPECT_EQ(run("two.shk" + original + "-o no.png").status, 2);
  EXPECT_EQ(run("one.shk" + original + "-o jagged.png").status, 0);
  EXPECT_EQ(run("one.shk" + original + "--set theia.fixed_bilinear=on -o fixed.png").status, 0);
  EXPECT_TRUE(slurp(path("jagged.png")) != slurp(path("fixed.png")));

  // What does not fit matters only to the unit's own pictures.
  const std::string small = "one.shk --size 16x16 --engine theia --set theia.texture_words=1024 ";
  write("many.shk",
        "texture a a.png\nm 1 1 1 0.8 0 0.1 1 0 0 1\npaint a\n"
        "st 0 0 900 0 900 900\ntriangle -2 -2 0 2 -2 0 2 2 0\ne 0 0 4\n");
  writeQuarters(path("a.png"), 32, 32, false);
  EXPECT_EQ(run(small + "-q -o host.png").status, 0);
  const Outcome full = run(small + "--shade theia --set theia.microcode=improved");
  EXPECT_EQ(full.status, 2);
  EXPECT_TRUE(contains(full.err, "theia.texture_words")) << full.err;
  const Outcome repeats = run("many.shk" + own + "--set theia.microcode=improved");
  EXPECT_EQ(repeats.status, 2);
  EXPECT_TRUE(contains(repeats.err, "10900 texels")) << repeats.err;
}

TEST_F(Theia, ProfilesChangeArithmeticAndKeepTheScene) {
  const std::string common = sceneFile("cornell.shk") + " --size 32x32 --depth 1 ";
  render("reference", common + "--engine reference");
  for (const char* set : {"theia.exact_math=on", "theia.strict_isa=on"}) {
    render("profile", common + "--engine theia --set theia.microcode=original --set " + set);
    expectReferenceHits("profile", "reference", sceneFile("cornell.shk"), 32);
    render("profile", common + "--engine theia --set " + set);
    expectReferenceHits("profile", "reference", sceneFile("cornell.shk"), 32);
  }
  render("slow", common + "--engine theia --set theia.exact_math=on");
  render("quick",
         common + "--engine theia --set theia.exact_math=on --set theia.exact_divide_clocks=4");
  EXPECT_GT(driver("slow", "eye_ps"), driver("quick", "eye_ps"));
}

TEST_F(Theia, UserCodeReplacesThePixelShader) {
  write("invert.tasm",
        "ENTRYPOINT_ADRR_PIXELSHADER:\n"
        "    SETX R1 32'h00020000\n    SWIZZLE3D R1 SWIZZLE_XXX\n"
        "    SUB R1 R1 CREG_TEXTURE_COLOR\n"
        "    OMWRITE OREG_PIXEL_COLOR CREG_CURRENT_OUTPUT_PIXEL R1\n    RET R99 TRUE\n");
  const std::string common = sceneFile("cornell.shk") +
                             " --size 16x16 --engine theia --shade theia --set "
                             "theia.microcode=improved ";
  render("plain", common);
  const std::string user = common + "--set theia.user_code=" + path("invert.tasm");
  render("unreached", user);
  expectSamePicture("plain", "unreached");  // as the original: its MAIN calls the ROM
  EXPECT_TRUE(contains(run(user + " -o " + path("warned.png")).err, "PIXELSHADER has no effect"));
  render("inverted", user + " --set theia.honour_pixel_shader_slot=on");
  EXPECT_TRUE(slurp(path("plain.csv")) == slurp(path("inverted.csv")));
  const report::Image a = report::readImage(path("plain.png"));
  const report::Image b = report::readImage(path("inverted.png"));
  EXPECT_NEAR(a.pixel(0, 0)[0] + b.pixel(0, 0)[0], 255, 2);

  write("bad.tasm", "ENTRYPOINT_ADRR_MAIN:\n    FOO R1\n");
  const Outcome r = run(common + "--set theia.user_code=" + path("bad.tasm"));
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(contains(r.err, "bad.tasm:2:5: error:")) << r.err;
  write("hang.tasm", "ENTRYPOINT_ADRR_MAIN:\n    INTP R1 R1 VOID\n");
  const Outcome fault = run(common + "--set theia.user_code=" + path("hang.tasm"));
  EXPECT_EQ(fault.status, 3) << fault.err;
  EXPECT_TRUE(contains(fault.err, "INTP")) << fault.err;
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
  refused("a.shk --size 16x16 --engine theia --set theia.user_code=none.tasm", "none.tasm");
  refused("a.shk --size 16x16 --engine theia --set theia.tile=6", "multiple of theia.cores");
  refused(
      "a.shk --size 16x16 --engine theia --set theia.microcode=original --set theia.box_test=on",
      "theia.microcode = improved");
  // What it was called before.
  refused("a.shk --size 16x16 --engine theia --set theia.microcode=default",
          "found 'default', expected one of original, hits, flat, textured, improved; what was "
          "'default' is 'original' now");
}

// ---- the driver and a unit on a bus, without the rest of the platform

struct Bench {
  Bench(const scene::Scene& scene, theia::Rom rom)
      : interconnect("interconnect"),
        unit("theia", config(), std::move(rom)),
        host("host", {.interruptLines = 1,
                      .program = [this, &scene](host::HostBus& bus) { program(bus, scene); }}) {
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
