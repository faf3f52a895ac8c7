// The host's own work in simulated time, through the executable as a user does: what is counted
// follows from other figures of the same run, and time from counts and costs.
#include <cstdint>
#include <map>
#include <string>

#include "tests/platform/app/run_platform.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

const std::string kCornell = RTVP_SOURCE_DIR "/scenes/cornell.shk";

// Nanoseconds, all different.
const std::map<std::string, std::uint64_t> kCosts = {
    {"eye_ray", 101},      {"secondary_ray", 103}, {"light", 107},      {"shadow_ray", 109},
    {"order_ray", 113},    {"merge_hit", 127},     {"surface", 131},    {"shading_point", 137},
    {"encode_word", 139},  {"decode_word", 149},   {"tessellate", 151}, {"project_triangle", 157},
    {"bin_triangle", 163}, {"tree_node", 167},     {"tile_test", 173},  {"tile_entry", 179},
    {"copy_byte", 3},      {"submit", 181},        {"interrupt", 191}};

class Processor : public PlatformTest {
 protected:
  void render(const std::string& name, const std::string& arguments) const {
    const Outcome r = run(arguments + " -q -o " + name + ".png --hits " + name + ".csv --stats " +
                          name + ".json");
    ASSERT_EQ(r.status, 0) << arguments << "\n" << r.err;
  }
  [[nodiscard]] boost::json::object pc(const std::string& name) const {
    return json(name + ".json").at("modules").at("pc0").as_object();
  }
  /// A figure of a host computer by its path.
  [[nodiscard]] std::uint64_t figure(const std::string& name, const std::string& path) const {
    return json(name + ".json").at_pointer("/modules/pc0/" + path).to_number<std::uint64_t>();
  }
  [[nodiscard]] std::uint64_t work(const std::string& name, const std::string& kind) const {
    return figure(name, "processor/work/" + kind);
  }
  [[nodiscard]] std::uint64_t simulated(const std::string& name) const {
    return json(name + ".json").at("simulated_time_ps").to_number<std::uint64_t>();
  }

  /// What every engine's ray tree does in a picture of 8x8 eye rays and their shadow rays.
  void expectRayTree(const std::string& name) const {
    const std::uint64_t hits = figure(name, "ray_tree/hits");
    const std::uint64_t shadow = figure(name, "ray_tree/shadow");
    EXPECT_EQ(work(name, "eye_ray"), 64U);
    EXPECT_EQ(work(name, "order_ray"), 64U);
    EXPECT_EQ(work(name, "secondary_ray"), 0U);
    EXPECT_EQ(work(name, "surface"), hits);
    EXPECT_EQ(work(name, "light"), shadow + figure(name, "ray_tree/unlit"));
    EXPECT_EQ(work(name, "shadow_ray"), shadow);
    EXPECT_EQ(work(name, "merge_hit"), 64 + shadow);
    EXPECT_EQ(work(name, "copy_byte"),
              4 * (figure(name, "processor/words_read") + figure(name, "processor/words_written")));
    EXPECT_EQ(work(name, "interrupt"), figure(name, "processor/interrupts"));
  }
  void expectTimes(const std::string& name) const {
    std::uint64_t ps = 0;
    for (const auto& [kind, ns] : kCosts) ps += 1000 * ns * work(name, kind);
    EXPECT_EQ(figure(name, "processor/work_ps"), ps);
    EXPECT_EQ(figure(name, "processor/work_ps") + figure(name, "processor/access_ps") +
                  figure(name, "processor/waited_ps"),
              simulated(name));
    // A clock of 1 GHz: a cycle is a nanosecond.
    EXPECT_EQ(figure(name, "processor/work_cycles"), ps / 1000);
    EXPECT_EQ(figure(name, "processor/work/cycles"), ps / 1000);
    EXPECT_EQ(figure(name, "processor/work/cycles_light"), 107 * work(name, "light"));
  }
  /// Runs without costs and with those above; everything but times is the same.
  void renderBoth(const std::string& options) const {
    const std::string common = kCornell + " --size 8x8 --depth 1 " + options;
    render("free", common);
    std::string costs;
    for (const auto& [kind, ns] : kCosts) {
      costs += " --set processor." + kind + "_ns=" + std::to_string(ns);
    }
    render("costly", common + costs);
    EXPECT_EQ(slurp(path("free.png")), slurp(path("costly.png")));
    EXPECT_EQ(slurp(path("free.csv")), slurp(path("costly.csv")));
    EXPECT_GT(simulated("costly"), simulated("free"));
    EXPECT_EQ(figure("free", "processor/work_ps"), 0U);
    EXPECT_EQ(figure("free", "processor/work/cycles"), 0U);
    expectRayTree("free");
    expectRayTree("costly");
    expectTimes("costly");
  }
};

TEST_F(Processor, TigersharkCountsWordsAndBatches) {
  renderBoth("--engine tigershark --set tigershark.dsps=8");
  const std::uint64_t batches = figure("costly", "driver/batches");
  const std::uint64_t database = figure("costly", "driver/page_words");  // one page, loaded once
  EXPECT_EQ(figure("costly", "driver/page_loads"), 1U);
  EXPECT_EQ(work("costly", "encode_word"), database + batches * (8 * 8 + 1));
  EXPECT_EQ(work("costly", "decode_word"), batches * (1 + 3 * 8));
  EXPECT_EQ(work("costly", "submit"), 1 + batches) << "the token and the batches";
}

TEST_F(Processor, XphmgCountsEntriesAndJobs) {
  renderBoth("--engine xphmg");
  const std::uint64_t triangles = figure("costly", "database/triangles");
  EXPECT_EQ(work("costly", "project_triangle"), triangles);
  EXPECT_EQ(
      work("costly", "encode_word"),
      (figure("costly", "database/heap_bytes") + figure("costly", "database/triangle_bytes")) / 4 +
          8 * figure("costly", "driver/rays"));
  EXPECT_EQ(work("costly", "decode_word"), 4 * figure("costly", "driver/hits"));
  EXPECT_EQ(work("costly", "submit"), figure("costly", "driver/jobs"));
  EXPECT_GE(work("costly", "bin_triangle"), 3 * triangles) << "at least those of the root";
}

TEST_F(Processor, TheiaCountsFramesAndTiles) {
  render("x", kCornell + " --size 8x8 --depth 1 --engine xphmg");
  const std::uint64_t triangles = figure("x", "database/triangles");
  renderBoth("--engine theia");
  const std::uint64_t rays = figure("costly", "driver/rays") + figure("costly", "driver/fillers");
  EXPECT_EQ(work("costly", "project_triangle"), 2 * triangles) << "for eye rays and for others";
  EXPECT_EQ(work("costly", "encode_word"), 2 * 21 * triangles + 6 * rays);
  EXPECT_EQ(work("costly", "decode_word"), 9 * 64 + 6 * rays);
  EXPECT_EQ(work("costly", "tile_test"), 0U);
  EXPECT_EQ(work("costly", "submit"),
            figure("costly", "driver/eye_frames") + figure("costly", "driver/ray_frames"));
  renderBoth("--engine theia --set theia.tile=4");
  EXPECT_EQ(figure("costly", "driver/eye_frames"), 4U);
  EXPECT_EQ(work("costly", "tile_test"), 4 * triangles);
  const std::uint64_t entries = work("costly", "tile_entry");
  EXPECT_GT(entries, 0U);
  EXPECT_LT(entries, 4 * triangles);
  EXPECT_EQ(work("costly", "encode_word"), 21 * (entries + triangles) + 6 * rays);
}

// Without lights there are eye rays only: a depth a pixel, and what the unit is told of the scene.
TEST_F(Processor, ImplicitCountsADepthAPixel) {
  std::filesystem::create_directories(path("implicit"));
  std::filesystem::copy(RTVP_SOURCE_DIR "/scenes/implicit", path("implicit"));
  write("dark.shk",
        "b 0 0 0\ne -1.2 2.6 5.2\nlo -.3 .45 0\nu 0 1 0\nm 1 1 1 .8 .2 .2 20 0 0 1\n"
        "implicit implicit/default.sdf\n");
  render("small", path("dark.shk") + " --engine implicit --depth 1 --size 8x8");
  render("large", path("dark.shk") + " --engine implicit --depth 1 --size 16x24");
  EXPECT_EQ(work("large", "encode_word") - work("small", "encode_word"), 16U * 24U - 64U);
  EXPECT_GT(work("small", "encode_word"), 64U);
}

// One job of one unit at a time: times add, but for what the processor does while the unit works.
// That is its share of the doorbell's write and of reading the ticket, 8 bytes each.
TEST_F(Processor, TimesAddWhereNothingOverlaps) {
  renderBoth("--engine xphmg --set xphmg.jobs_in_flight=1");
  const std::uint64_t beside = figure("costly", "driver/jobs") * 16 * 1000 * kCosts.at("copy_byte");
  EXPECT_EQ(simulated("costly") - simulated("free"),
            figure("costly", "processor/work_ps") - beside);
}

// A scene's words go through the processor's port, 8 bytes a nanosecond; without a port's width the
// same run is shorter by just that, and nothing else of it changes but the processor's own account.
TEST_F(Processor, UploadTakesThePortsTime) {
  const std::string common = kCornell + " --size 8x8 --depth 1 --engine xphmg";
  render("port", common);
  render("free", common + " --set processor.upload_width=0");
  render("half", common + " --set processor.upload_width=4");
  const std::uint64_t heap = figure("port", "database/heap_bytes");
  const std::uint64_t triangles = figure("port", "database/triangle_bytes");
  EXPECT_EQ(4 * figure("port", "processor/words_uploaded"), heap + triangles);
  const std::uint64_t time = 1000 * ((heap + 7) / 8 + (triangles + 7) / 8);
  EXPECT_EQ(figure("port", "processor/upload_ps"), time);
  EXPECT_EQ(figure("free", "processor/upload_ps"), 0U);
  EXPECT_EQ(figure("half", "processor/upload_ps"), 2 * time);
  EXPECT_EQ(simulated("port") - simulated("free"), time);
  EXPECT_EQ(simulated("half") - simulated("port"), time);
  EXPECT_EQ(figure("port", "processor/access_ps") - figure("free", "processor/access_ps"), time);
  // The unit sleeps longer, and that is all.
  const boost::json::object portRun = pc("port"), freeRun = pc("free");
  for (const auto& [name, value] : freeRun.at("unit0").as_object()) {
    const bool idle = name == "cycles" || name == "cycles_idle" || name.ends_with("utilisation") ||
                      name == "queue_occupancy";
    if (!idle) {
      EXPECT_EQ(portRun.at("unit0").at(name), value) << name;
    }
  }
  EXPECT_EQ(portRun.at("driver"), freeRun.at("driver"));
  EXPECT_EQ(slurp(path("port.csv")), slurp(path("free.csv")));
  // A slower clock of the interconnect; a memory that is slower than the port hides it.
  render("slow", common + " --set bus.clock_hz=1e8");
  EXPECT_EQ(figure("slow", "processor/upload_ps"), 10 * time);
  render("memory", common + " --set dram.width=1");
  // The last piece of an area is still under way when the processor goes on.
  EXPECT_GE(figure("memory", "processor/upload_ps"), 1000 * (heap + triangles) - 1000 * 1024);
  EXPECT_LE(figure("memory", "processor/upload_ps"), 1000 * (heap + triangles) + time);
}

TEST_F(Processor, OtherMachinesUploadTheirScenesToo) {
  render("implicit", RTVP_SOURCE_DIR "/scenes/implicit/hi.vm --size 8x8 --depth 1");
  EXPECT_GT(figure("implicit", "processor/words_uploaded"), 0U);
  // 60 ns an access of the unit's memory beside the port's time, whichever is longer.
  EXPECT_GE(figure("implicit", "processor/upload_ps"),
            500 * figure("implicit", "processor/words_uploaded"));
  render("shaders",
         RTVP_SOURCE_DIR "/scenes/shaderball.shk --size 8x8 --depth 1 --engine reference");
  EXPECT_GT(figure("shaders", "processor/words_uploaded"), 0U);
  // What has a bus or a port of its own pays there.
  for (const std::string engine : {"tigershark", "theia"}) {
    render(engine, kCornell + " --size 8x8 --depth 1 --engine " + engine);
    EXPECT_EQ(figure(engine, "processor/words_uploaded"), 0U) << engine;
    EXPECT_GT(figure(engine, "processor/access_ps"), 0U) << engine;
  }
}

TEST_F(Processor, NoneIsTheDefault) {
  render("a", kCornell + " --size 8x8 --engine xphmg");
  render("b", kCornell + " --size 8x8 --engine xphmg --set processor.profile=none");
  EXPECT_EQ(comparableStats("a.json"), comparableStats("b.json"));
}

TEST_F(Processor, SpeedSettingsStillChangeNothing) {
  const std::string common = kCornell + " --size 16x16 --set processor.profile=modern --engine ";
  render("a", common + "xphmg");
  EXPECT_GT(figure("a", "processor/work_cycles"), 0U);
  for (const char* setting : {"xphmg.dmi=off", "xphmg.quantum_us=0", "xphmg.quantum_us=5000"}) {
    render("b", common + "xphmg --set " + setting);
    EXPECT_EQ(comparableStats("a.json"), comparableStats("b.json")) << setting;
  }
  render("a", common + "tigershark");
  for (const char* setting : {"array.dmi=off", "array.quantum=100", "array.quantum=100000",
                              "array.burst=1", "array.engine=scalar"}) {
    render("b", common + "tigershark --set " + setting);
    EXPECT_EQ(comparableStats("a.json"), comparableStats("b.json")) << setting;
  }
}

TEST_F(Processor, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(run(kCornell + " --size 8x8 --set processor.profile=pentium").status, 2);
  EXPECT_EQ(run(kCornell + " --size 8x8 --set processor.eye_ray_ns=-2").status, 2);
}

}  // namespace
}  // namespace rtvp::test
