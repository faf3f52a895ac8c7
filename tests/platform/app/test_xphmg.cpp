// Scenes on simulated XPHMG_RT units: through the executable as a user does, the builder of tiles
// by itself, and the driver with a unit whose memory was damaged.
#include <cmath>
#include <limits>
#include <systemc>

#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "models/xphmg/layout.hpp"
#include "models/xphmg/unit.hpp"
#include "platform/drivers/host_process.hpp"
#include "platform/drivers/xphmg/driver.hpp"
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

class Xphmg : public PlatformTest {
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
  }
  [[nodiscard]] bool same(const std::string& a, const std::string& b) const {
    return slurp(path(a)) == slurp(path(b));
  }
  void expectSamePicture(const std::string& a, const std::string& b) const {
    EXPECT_TRUE(same(a + ".csv", b + ".csv")) << a << " " << b;
    EXPECT_TRUE(same(a + ".png", b + ".png")) << a << " " << b;
  }
  [[nodiscard]] std::uint64_t figure(const std::string& name, const char* group,
                                     const char* what) const {
    return json(name + ".json")
        .at("modules")
        .at("pc0")
        .at(group)
        .at(what)
        .to_number<std::uint64_t>();
  }
  /// Done-when 3: the same primitive at every pixel not within 1e-3 of an edge or tie.
  void expectReferenceHits(const std::string& file, const std::string& options, int side) const {
    render("machine", file + " " + options + " --engine xphmg");
    render("reference", file + " " + options + " --engine reference --set scene.tessellate=all");
    scene::LoadOptions load;
    load.tessellateAll = true;
    scene::Scene scene = scene::load(file, load);
    scene.width = scene.height = side;
    const reference::HitComparison c = reference::compareHits(
        report::readHits(path("machine.csv")), report::readHits(path("reference.csv")), scene);
    EXPECT_TRUE(c.passed()) << file << ": wrong " << c.wrong << ", wrong distance "
                            << c.wrongDistance << ", excused " << c.excused();
    EXPECT_GT(c.equal, 0U);
    const Outcome r = run("compare machine.png reference.png --min-psnr 45");
    EXPECT_EQ(r.status, 0) << file << "\n" << r.out;
  }
};

TEST_F(Xphmg, RT048_HitsAreTheReferences) {
  for (const char* name : {"cornell.shk", "teapot.shk", "bunny.shk", "spd_tetra_4.nff",
                           "spheres.shk", "spd_gears_1.nff", "textured.shk"}) {
    expectReferenceHits(sceneFile(name), "--size 64x64 --depth 2", 64);
  }
}

TEST_F(Xphmg, MirrorsGlassAndShadows) {
  expectReferenceHits(path("a.shk"), "--size 32x32 --depth 4", 32);
  EXPECT_GT(figure("machine", "driver", "any_hit_rays"), 0U);
}

// Nothing but the unit finds hits.
TEST_F(Xphmg, ATriangleTestThatAlwaysMissesGivesBackground) {
  const Outcome r =
      run(sceneFile("cornell.shk") + " --size 24x24 --engine xphmg --set xphmg.fault=tri -o f.png");
  ASSERT_EQ(r.status, 0);
  EXPECT_TRUE(contains(r.out, "0.0 % of the eye rays hit")) << r.out;
  const report::Image image = report::readImage(path("f.png"));
  for (std::size_t i = 3; i < image.rgb.size(); ++i) ASSERT_EQ(image.rgb[i], image.rgb[i - 3]);
}

TEST_F(Xphmg, SpeedSettingsNeverChangeAByte) {
  const std::string common = sceneFile("bunny.shk") + " --size 48x48 --engine xphmg ";
  render("a", common + "--trace a.vcd");
  for (const char* setting :
       {"xphmg.dmi=off", "xphmg.quantum_us=0", "xphmg.quantum_us=5000", "xphmg.datapath=plain"}) {
    render("b", common + "--trace b.vcd --set " + setting);
    expectSamePicture("a", "b");
    EXPECT_EQ(comparableStats("a.json"), comparableStats("b.json")) << setting;
    EXPECT_TRUE(slurp(path("a.vcd")) == slurp(path("b.vcd"))) << setting;
  }
}

TEST_F(Xphmg, ArchitectureChangesTimesNotHits) {
  const std::string common = sceneFile("teapot.shk") + " --size 48x48 --engine xphmg ";
  render("a", common);
  const std::uint64_t cycles = figure("a", "unit0", "cycles");
  for (const char* settings :
       {"--set xphmg.units=3", "--set xphmg.job_rays=7 --set xphmg.queue_depth=1",
        "--set xphmg.lmem_kib=0", "--set xphmg.lmem_kib=1", "--set xphmg.t3_cycles=9",
        "--set xphmg.prefetch=0", "--set xphmg.bus_ns=3", "--set xphmg.memory_tier=t2",
        "--set xphmg.memory_class=2"}) {
    render("b", common + settings);
    expectSamePicture("a", "b");
    if (std::string(settings) != "--set xphmg.memory_class=2") {
      EXPECT_NE(figure("b", "unit0", "cycles"), cycles) << settings;
    }
  }
  EXPECT_EQ(figure("b", "unit0", "cycles"), cycles) << "classes are tags";
  const auto classes = json("b.json").at("modules").at("pc0").at("unit0").at("classes");
  EXPECT_GT(classes.at("cl2_bytes").to_number<std::uint64_t>(), 0U);
}

TEST_F(Xphmg, LeavesOfAnySize) {
  const std::string common = sceneFile("bunny.shk") + " --size 48x48 --engine xphmg ";
  render("a", common);
  for (const char* leaf : {"1", "2", "16", "256"}) {
    render("b", common + "--set xphmg.leaf_triangles=" + leaf);
    expectSamePicture("a", "b");
  }
}

TEST_F(Xphmg, RT029_NarrowFormatsRender) {
  const std::string common = sceneFile("bunny.shk") + " --size 64x64 ";
  render("fp32", common + "--engine xphmg");
  render("fp16", common + "--engine xphmg --set xphmg.format=fp16");
  render("bf16", common + "--engine xphmg --set xphmg.format=bf16");
  render("packed", common + "--engine xphmg --set xphmg.pack_hint=on");
  EXPECT_EQ(run("compare fp32.png fp16.png --min-psnr 30").status, 0);
  EXPECT_EQ(run("compare fp32.png bf16.png --min-psnr 24").status, 0);
  EXPECT_EQ(run("compare fp32.png packed.png --min-psnr 35").status, 0);
  EXPECT_NE(run("compare fp32.png fp16.png --max-diff 0").status, 0) << "it is another format";
  EXPECT_NE(run("compare fp16.png bf16.png --max-diff 0").status, 0);
}

TEST_F(Xphmg, HostsCropsAndSamples) {
  const std::string common = sceneFile("cornell.shk") + " --size 32x32 --engine xphmg ";
  render("one", common);
  render("two", common + "--hosts 2");
  expectSamePicture("one", "two");
  ASSERT_EQ(run(common + "--spp 4 -q -o samples.png").status, 0);
  ASSERT_EQ(
      run(sceneFile("cornell.shk") + " --size 32x32 --engine reference --spp 4 -q -o r.png").status,
      0);
  EXPECT_EQ(run("compare samples.png r.png --min-psnr 45").status, 0);
}

TEST_F(Xphmg, RefusalsSayWhatWasExpected) {
  const std::string common = sceneFile("bunny.shk") + " --size 16x16 --engine xphmg -q -o x.png ";
  Outcome r = run(common + "--set xphmg.lmem_kib=3");
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(contains(r.err, "power of two")) << r.err;
  r = run(common + "--set xphmg.memory_mib=1");
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(contains(r.err, "need")) << r.err;
  r = run(common + "--set run.limit_ms=0.1");  // the upload takes 0.04 ms, the whole run 0.4
  EXPECT_EQ(r.status, 4);
  EXPECT_TRUE(contains(r.err, "XPHMG_RT job")) << r.err;
}

TEST_F(Xphmg, SummaryAndHelp) {
  Outcome r = run(sceneFile("teapot.shk") + " --size 16x16 --engine xphmg --no-progress -o x.png");
  EXPECT_TRUE(contains(r.out, "XPHMG_RT    1 unit(s)")) << r.out;
  EXPECT_TRUE(contains(r.out, "LMEM")) << r.out;
  r = run("--stats-help --engine xphmg");
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(contains(r.out, "cycles_stall_memory")) << r.out;
  r = run("scene-info --engine xphmg " + sceneFile("spheres.shk"));
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "tiles and")) << r.out;
}

// ---- the builder

/// Walks a heap as its documentation says; fills how often each prim_id is in a leaf.
void walk(const host::XphmgBvh& bvh, std::span<const host::XphmgBox> boxes, xphmg::Format format,
          std::uint32_t tile, const host::XphmgBox& inside, std::vector<int>& seen) {
  const unsigned bytes = xphmg::formatInfo(format).bytes;
  const xphmg::TileLayout layout = xphmg::tileLayout(bytes);
  xphmg::Precision precision;
  precision.format = format;
  const auto within = [](const host::XphmgBox& a, const host::XphmgBox& b) {
    for (std::size_t k = 0; k < 3; ++k)
      if (a.lo[k] < b.lo[k] || a.hi[k] > b.hi[k]) return false;
    return true;
  };
  const xphmg::Tile t =
      xphmg::decodeTile(bvh.heap.data() + std::size_t{tile} * layout.stride, bytes, layout);
  for (const xphmg::TileChild& child : t.child) {
    if (child.kind == xphmg::ChildKind::Empty) continue;
    host::XphmgBox box;
    xphmg::Stickies none;
    for (std::size_t k = 0; k < 3; ++k) {
      box.lo[k] = xphmg::decode(precision, child.box[k], none);
      box.hi[k] = xphmg::decode(precision, child.box[3 + k], none);
    }
    ASSERT_TRUE(within(box, inside));
    if (child.kind == xphmg::ChildKind::Node) {
      ASSERT_GT(child.index, tile) << "no way back";
      walk(bvh, boxes, format, child.index, box, seen);
      continue;
    }
    const xphmg::TriRange range =
        xphmg::decodeTriRange(bvh.heap.data() + std::size_t{child.index} * 16);
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
      ++seen.at(i);
      ASSERT_TRUE(within(boxes[bvh.order.at(i)], box));
    }
  }
}

std::vector<host::XphmgBox> someBoxes(std::size_t count, bool chain) {
  std::vector<host::XphmgBox> boxes(count);
  std::uint32_t state = 99;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      state = state * 1664525 + 1013904223;
      // Whole numbers: exact in every format. A chain doubles its distances: nothing but the last
      // element is ever cut off.
      boxes[i].lo[k] = chain ? (k == 0 ? std::ldexp(1.0F, static_cast<int>(i)) : 0.0F)
                             : static_cast<float>(state >> 20U) - 2048;
      boxes[i].hi[k] = boxes[i].lo[k] + (chain ? 0.0F : static_cast<float>(state >> 30U));
      boxes[i].hi[k] = std::min(boxes[i].hi[k], chain ? boxes[i].hi[k] : 2048.0F);
    }
  }
  return boxes;
}

TEST(XphmgBvh, EveryTriangleIsInOneLeafInsideItsBoxes) {
  for (const std::size_t count : {1U, 2U, 3U, 5U, 100U, 5000U}) {
    for (const unsigned leaf : {1U, 4U}) {
      const std::vector<host::XphmgBox> boxes = someBoxes(count, false);
      const host::XphmgBvh bvh = host::buildXphmgBvh(boxes, xphmg::Format::Fp32, {leaf, 64});
      std::vector<int> seen(count);
      constexpr float kAll = 1e30F;
      walk(bvh, boxes, xphmg::Format::Fp32, 0, {{-kAll, -kAll, -kAll}, {kAll, kAll, kAll}}, seen);
      EXPECT_EQ(std::ranges::count(seen, 1), static_cast<std::ptrdiff_t>(count));
      EXPECT_LE(bvh.maxStack, 64U);
      EXPECT_FALSE(bvh.balanced);
    }
  }
}

// Above and below the size from which on parts of the tree are built apart.
TEST(XphmgBvh, TheTreeIsTheSameOnAnyNumberOfThreads) {
  for (const bool chain : {false, true}) {
    for (const std::size_t count : {1U, 100U, 2048U, 2049U, 40000U}) {
      if (chain && count > 100) continue;  // distances that no float holds
      const std::vector<host::XphmgBox> boxes = someBoxes(count, chain);
      const host::XphmgBvh one = host::buildXphmgBvh(boxes, xphmg::Format::Fp32, {4, 64, 1});
      for (const unsigned threads : {2U, 3U, 5U, 64U}) {
        SCOPED_TRACE(testing::Message() << count << " triangles, " << threads << " threads");
        const host::XphmgBvh other =
            host::buildXphmgBvh(boxes, xphmg::Format::Fp32, {4, 64, threads});
        EXPECT_TRUE(other.heap == one.heap);
        EXPECT_TRUE(other.order == one.order);
        EXPECT_EQ(other.tiles, one.tiles);
        EXPECT_EQ(other.leaves, one.leaves);
        EXPECT_EQ(other.depth, one.depth);
        EXPECT_EQ(other.maxStack, one.maxStack);
        EXPECT_EQ(other.binned, one.binned);
        EXPECT_EQ(other.cuts, one.cuts);
        EXPECT_EQ(other.balanced, one.balanced);
        EXPECT_EQ(other.areaCost, one.areaCost);
      }
    }
  }
}

TEST(XphmgBvh, ATreeThatWouldOverflowTheStackIsBuiltBalanced) {
  const std::vector<host::XphmgBox> boxes = someBoxes(100, true);
  const host::XphmgBvh tight = host::buildXphmgBvh(boxes, xphmg::Format::Fp32, {1, 16});
  EXPECT_TRUE(tight.balanced);
  EXPECT_LE(tight.maxStack, 16U);
  std::vector<int> seen(boxes.size());
  constexpr float kAll = 3e38F;
  walk(tight, boxes, xphmg::Format::Fp32, 0, {{-kAll, -kAll, -kAll}, {kAll, kAll, kAll}}, seen);
  EXPECT_EQ(std::ranges::count(seen, 1), 100);
}

TEST(XphmgBvh, CoincidentTrianglesShareALeafInTheirOrder) {
  std::vector<host::XphmgBox> boxes(4, {{0, 0, 0}, {1, 1, 1}});
  const host::XphmgBvh bvh = host::buildXphmgBvh(boxes, xphmg::Format::Fp16, {4, 64});
  EXPECT_EQ(bvh.leaves, 1U);
  EXPECT_EQ(bvh.order, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(bvh.heap.size(), 64U + 16U);
  boxes.resize(40, boxes[0]);
  EXPECT_EQ(host::buildXphmgBvh(boxes, xphmg::Format::Fp16, {4, 64}).order.size(), 40U);
  EXPECT_THROW((void)host::buildXphmgBvh({}, xphmg::Format::Fp32), std::invalid_argument);
}

TEST(XphmgScene, OffsetsAreFourUnitsInTheLastPlace) {
  const scene::Scene scene = scene::load(sceneFile("cornell.shk"), {});
  const double diagonal = scene.bounds().diagonal();
  const auto offset = [&](xphmg::Format format) {
    return host::xphmgLeastOffset(scene, host::xphmgSpace(scene, format)) * diagonal;
  };
  EXPECT_LT(offset(xphmg::Format::Fp32), 1e-5 * diagonal);
  EXPECT_GT(offset(xphmg::Format::Fp16), offset(xphmg::Format::Fp32) * 1000);
  EXPECT_GT(offset(xphmg::Format::Bf16), offset(xphmg::Format::Fp16) * 4);
  const host::XphmgSpace space = host::xphmgSpace(scene, xphmg::Format::Fp16);
  EXPECT_LT(space.value(space.wordBelow(1.5)), 1.5);
  EXPECT_EQ(space.wordBelow(1.5) + 1, space.word(1.5));
}

/// FP32 is converted by the host; the unit's own codec says the same.
TEST(XphmgScene, Fp32WordsAreThoseOfTheCodec) {
  host::XphmgSpace space;
  xphmg::Precision nearest, below;
  nearest.format = below.format = xphmg::Format::Fp32;
  below.rounding = xphmg::Rounding::Rdn;
  xphmg::Stickies none;
  for (double x : {0.0, 1.0, 1.5, 0.1, 100.3, 3.5e38, 3.4028235e38, 1e39, 0x1p-149, 0x1p-150,
                   0x1.8p-149, 0x1.fffffffp-127, 0x1p-126, 1e-300, 0x1.000001p0, 16777217.0,
                   std::numeric_limits<double>::infinity()}) {
    for (const double value : {x, -x}) {
      const std::uint32_t word = space.word(value);
      EXPECT_EQ(word, xphmg::encode(nearest, nearest.format, value, none)) << value;
      EXPECT_EQ(space.value(word), double{xphmg::decode(nearest, word, none)}) << value;
    }
    if (x == 0) continue;
    const std::uint32_t down = xphmg::encode(below, below.format, x, none);
    const bool exact = double{xphmg::decode(below, down, none)} >= x;
    EXPECT_EQ(space.wordBelow(x), down != 0 && exact ? down - 1 : down) << x;
  }
}

/// The box of a triangle holds that triangle and no more: away from the middle of the scene, which
/// is the unit's origin, none of the boxes of two far triangles holds it.
TEST(XphmgDatabase, BoxesAreThoseOfTheirTriangles) {
  scene::Scene scene;
  scene.materials.emplace_back();
  for (const double x : {-100.0, 100.0}) {
    const auto number = static_cast<std::uint32_t>(scene.triangles.size());
    scene.elements.push_back({scene::Element::Kind::Triangle, number, number, 0});
    scene.triangles.push_back({{{{x, -1, 0}, {x + 1, 1, 0}, {x + 1, -1, 1}}}, {}, false});
    ++scene.primitiveCount;
  }
  host::XphmgBvhOptions options;
  options.leafTriangles = 1;
  const host::XphmgDatabase database =
      host::xphmgDatabase(scene, host::xphmgSpace(scene, xphmg::Format::Fp32), options);
  // Surfaces: the root's box 2 (201 * 2 + 201 * 1 + 2 * 1), a triangle's 2 (1 * 2 + 1 * 1 + 2 * 1):
  // one ray of 121 that meet the root meets either.
  EXPECT_LT(database.bvh.areaCost, 1.2);
}

// ---- the driver and a unit that fails

TEST(XphmgDriver, AFailedJobIsReportedWithItsCause) {
  inChild([] {
    const scene::Scene scene = scene::load(sceneFile("cornell.shk"), {});
    const host::XphmgSpace space = host::xphmgSpace(scene, xphmg::Format::Fp32);
    const host::XphmgDatabase database = host::xphmgDatabase(scene, space);
    common::Interconnect bus("bus");
    common::Memory memory("memory", {16U << 20U, {}, {}, true});
    xphmg::RtUnit unit("unit", {});
    sc_core::sc_signal<bool> line("line");
    std::string message;
    const auto program = [&](host::HostBus& host) {
      host::XphmgDriverConfig config;
      config.pages = {0x20000000};
      config.lines = {0};
      config.memorySize = 16U << 20U;
      host::XphmgDriver driver(host, database, space, config);
      driver.start();
      memory.bytes()[124] |= 3;  // the root's first child becomes a reserved kind
      const std::array<host::Ray, 1> rays{host::Ray{scene.camera.eye,
                                                    scene.camera.direction(1, 1, 2, 2),
                                                    host::kInfinity, host::Ray::Kind::Nearest}};
      std::array<host::Hit, 1> hits;
      try {
        driver.trace(rays, hits);
      } catch (const std::exception& e) {
        message = e.what();
      }
    };
    host::HostProcess process("host", {.interruptLines = 1, .program = program});
    process.bus_isock.bind(bus.bus_tsock);
    process.inta_i[0].bind(line);
    unit.irq_o.bind(line);
    unit.bus_isock.bind(bus.bus_tsock);
    bus.attach(memory.bus_tsock, "memory", 0x80000000, 16U << 20U);
    bus.attach(unit.host_tsock, "unit", 0x20000000, xphmg::page::kSize);
    sc_core::sc_start();
    EXPECT_TRUE(contains(message, "LAST_EC 2")) << message;
  });
}

}  // namespace
}  // namespace rtvp::test
