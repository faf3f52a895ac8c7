// That every statistic of stats.json has a test which holds it to an independent count
// (pinned.csv), and such counts of what no other test holds.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/platform/app/run_platform.hpp"
#include "tests/platform/app/vcd.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

constexpr double kCyclesAPs = 30e6 * 1e-12;  // H1
const std::string kScenes = RTVP_SOURCE_DIR "/scenes/";

class PinnedFigures : public PlatformTest {
 protected:
  /// One triangle fills a picture of 7 x 5 pixels, lit from behind the eye.
  void renderTriangle(const std::string& arguments, const std::string& material = "") {
    write("one.shk", "w 7\nh 5\ne 0 0 10\nlo 0 0 0\nu 0 1 0\nli 0 0 20 1 1 1\n" + material +
                         "t -90 -90 0  90 -90 0  0 90 0\n");
    render("one.shk", arguments);
  }
  void render(const std::string& scene, const std::string& arguments) {
    const Outcome r = run(scene + " -q -o x.ppm --stats s.json " + arguments);
    ASSERT_EQ(r.status, 0) << r.err;
    stats_ = json("s.json");
  }
  [[nodiscard]] double figure(const std::string& path) const {
    return stats_.at_pointer("/modules/pc0/" + path).to_number<double>();
  }
  boost::json::value stats_;
};

// ---- the table

struct Pin {
  std::string text, test, how;
  std::regex pattern;
  int used = 0;
};

std::vector<Pin> pins() {
  std::ifstream in(RTVP_SOURCE_DIR "/tests/platform/app/pinned.csv");
  std::vector<Pin> out;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#' || line.starts_with("statistics,")) continue;
    const std::size_t last = line.rfind(',');
    const std::size_t middle = line.rfind(',', last - 1);
    const std::string pattern = line.substr(0, middle);
    out.push_back({pattern, line.substr(middle + 1, last - middle - 1), line.substr(last + 1),
                   std::regex(pattern)});
  }
  return out;
}

/// Suite.Name of every test in the sources.
std::set<std::string> tests() {
  static const std::regex kTest(R"(\nTEST(?:_F|_P)?\((\w+), (\w+)\))");
  std::set<std::string> out;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(RTVP_SOURCE_DIR "/tests")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = slurp(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), kTest), end; at != end; ++at)
      out.insert((*at)[1].str() + "." + (*at)[2].str());
  }
  return out;
}

void collect(const boost::json::object& group, const std::string& prefix,
             std::set<std::string>& out) {
  for (const auto& [name, value] : group) {
    const std::string path = prefix + std::string(name);
    if (name == "units") continue;
    if (value.is_object()) {
      collect(value.as_object(), path + "/", out);
    } else {
      static const std::regex kNumber(R"(([a-z])\d+(?=/|$))");
      out.insert(path.find("steps/") != std::string::npos
                     ? path
                     : std::regex_replace(path, kNumber, "$1#"));
    }
  }
}

TEST_F(PinnedFigures, EveryStatisticHasItsTest) {
  const std::string cornell = kScenes + "cornell.shk --size 8x8 ";
  const std::string runs[] = {
      cornell + "--dsps 4",
      cornell + "--dsps 4 --shade tigershark",
      cornell + "--engine theia --depth 1",
      cornell + "--engine xphmg",
      cornell + "--engine xphmg --set xphmg.driver=hart",
      cornell + "--engine xphmg --set bus.width=8 --set dram.width=8",
      kScenes + "implicit/bear.vm --size 8x8",
      kScenes + "shaderball.shk --size 8x8 --engine xphmg --depth 2",
  };
  std::set<std::string> statistics;
  for (const std::string& arguments : runs) {
    const Outcome r = run(arguments + " -q -o x.ppm --stats s.json");
    ASSERT_EQ(r.status, 0) << arguments << r.err;
    const boost::json::value stats = json("s.json");
    collect(stats.at("modules").at("pc0").as_object(), "", statistics);
  }
  std::vector<Pin> table = pins();
  ASSERT_GT(table.size(), 50U);
  for (const std::string& path : statistics) {
    const auto pin = std::find_if(table.begin(), table.end(),
                                  [&](const Pin& p) { return std::regex_match(path, p.pattern); });
    if (pin == table.end()) {
      ADD_FAILURE() << path << ": no line of pinned.csv names a test for it";
    } else {
      ++pin->used;
    }
  }
  static const std::set<std::string> kHow{"exact", "sum", "bound", "open"};
  const std::set<std::string> known = tests();
  for (const Pin& pin : table) {
    EXPECT_GT(pin.used, 0) << pin.text << ": no run has it, or a line above takes it all";
    EXPECT_TRUE(kHow.contains(pin.how)) << pin.text;
    EXPECT_EQ(pin.test == "-", pin.how == "open") << pin.text;
    EXPECT_TRUE(pin.how == "open" || known.contains(pin.test)) << pin.test << ": no such test";
  }
}

// ---- counts

// Two mirrors that face each other: a ray goes to and fro until the depth ends, hits at every turn
// and asks for the light that is between them.
TEST_F(PinnedFigures, MirrorsAndGlassByDepth) {
  const std::string walls =
      "t -900 -900 0  900 -900 0  0 900 0\nt -900 -900 30  0 900 30  900 -900 30\n";
  write("mirrors.shk",
        "w 6\nh 4\ne 0 0 10\nlo 0 0 0\nu 0 1 0\nli 0 0 20 1 1 1\nm 1 1 1 .5 .2 .2 5 0 .9 1\n" +
            walls);
  render("mirrors.shk", "--engine reference --depth 4");
  constexpr double kPixels = 24;
  EXPECT_EQ(figure("ray_tree/hits"), 4 * kPixels);
  EXPECT_EQ(figure("ray_tree/reflected"), 3 * kPixels);
  EXPECT_EQ(figure("ray_tree/refracted"), 0);
  EXPECT_EQ(figure("ray_tree/total_internal"), 0);
  for (int depth = 1; depth <= 4; ++depth) {
    const std::string at = "ray_tree/depth" + std::to_string(depth) + "/";
    EXPECT_EQ(figure(at + "rays"), kPixels) << depth;
    EXPECT_EQ(figure(at + "hits"), kPixels) << depth;
    EXPECT_EQ(figure(at + "shadow"), kPixels) << depth;
    EXPECT_EQ(figure(at + "blocked"), 0) << depth;
    EXPECT_EQ(figure(at + "reflected"), depth > 1 ? kPixels : 0) << depth << ": rays that it has";
    EXPECT_EQ(figure(at + "refracted"), 0) << depth;
  }
  // A sheet of clear glass without a mirror: each ray goes on behind it, and meets nothing.
  renderTriangle("--engine reference --depth 4", "m 1 1 1 .5 .2 .2 5 .9 0 1\n");
  EXPECT_EQ(figure("ray_tree/refracted"), 35);
  EXPECT_EQ(figure("ray_tree/reflected"), 0);
  EXPECT_EQ(figure("ray_tree/depth1/refracted"), 0);
  EXPECT_EQ(figure("ray_tree/depth2/refracted"), 35);
  EXPECT_EQ(figure("ray_tree/depth2/rays"), 35);
  EXPECT_EQ(figure("ray_tree/depth2/hits"), 0);
}

// xphmg.md 7.1, 7.3, 10: a tile is 128 bytes, a range 16, a triangle nine numbers.
TEST_F(PinnedFigures, DatabaseOfOneTriangle) {
  renderTriangle("--engine xphmg --depth 1");
  EXPECT_EQ(figure("database/triangles"), 1);
  EXPECT_EQ(figure("database/tiles"), 1);
  EXPECT_EQ(figure("database/leaves"), 1);
  EXPECT_EQ(figure("database/depth"), 1);
  EXPECT_EQ(figure("database/max_stack"), 1);
  EXPECT_EQ(figure("database/heap_bytes"), 128 + 16);
  EXPECT_EQ(figure("database/triangle_bytes"), 36);
}

// The light is on the other side of the plane of no pixel: 35 eye rays that hit, 35 shadow rays
// that meet nothing, a node each; a job of each kind. Records' sizes: xphmg.md 7.1, 7.3, 10.
TEST_F(PinnedFigures, UnitCyclesAreItsAccessesAndTests) {
  struct Kind {
    const char* name;
    double count, bytes;
  };
  constexpr Kind kKinds[] = {
      {"tile", 70, 128},     {"tri_range", 35, 16},   {"triangle", 35, 36},
      {"ray", 70, 64},       {"hit", 35, 32},         {"miss", 35, 16},
      {"descriptor", 2, 72}, {"queue_header", 6, 24}, {"queue_index", 140, 4}};
  renderTriangle(
      "--engine xphmg --depth 1 --set xphmg.lmem_kib=0 --set xphmg.t3_cycles=70 --set "
      "xphmg.bbox_cycles=5 --set xphmg.tri_cycles=11 --set xphmg.descriptor_cycles=13");
  double bytes = 0;
  for (const Kind& kind : kKinds) {
    const std::string at = std::string("unit0/accesses/") + kind.name + "/";
    EXPECT_EQ(figure(at + "accesses"), kind.count) << kind.name;
    EXPECT_EQ(figure(at + "transactions"), kind.count) << kind.name;
    EXPECT_EQ(figure(at + "bytes"), kind.count * kind.bytes) << kind.name;
    EXPECT_EQ(figure(at + "bus_bytes"), kind.count * kind.bytes) << kind.name;
    bytes += kind.count * kind.bytes;
  }
  EXPECT_EQ(figure("unit0/classes/cl0_bytes"), bytes);
  EXPECT_EQ(figure("unit0/cycles_box"), 70 * 5);
  EXPECT_EQ(figure("unit0/cycles_triangle"), 35 * 11);
  EXPECT_EQ(figure("unit0/cycles_stall_descriptor"), 2 * 13);
  EXPECT_EQ(figure("unit0/cycles_stall_memory"), (70 + 35 + 35) * 70);
  EXPECT_EQ(figure("unit0/cycles_stall_lmem"), 0);
  EXPECT_EQ(figure("unit0/leaves"), 35);
  EXPECT_EQ(figure("unit0/leaves_per_ray"), 0.5);
  EXPECT_EQ(figure("unit0/max_stack"), 1);
  // A node and a triangle go into their pipelines in one cycle each.
  EXPECT_NEAR(figure("unit0/box_utilisation"), 70 / figure("unit0/cycles"), 1e-12);
  EXPECT_NEAR(figure("unit0/triangle_utilisation"), 35 / figure("unit0/cycles"), 1e-12);
  // With local memory: two lines a tile, one a range and a triangle; each line of 4 is read once a
  // job.
  renderTriangle("--engine xphmg --depth 1 --set xphmg.t1_cycles=9 --set xphmg.t3_cycles=70");
  const double lines = 2 * 70 + 35 + 35, read = 4 + 2;
  EXPECT_EQ(figure("unit0/lmem_hits"), lines - read);
  EXPECT_EQ(figure("unit0/lmem_misses"), read);
  EXPECT_EQ(figure("unit0/cycles_stall_lmem"), 9 * (lines - read));
  EXPECT_EQ(figure("unit0/cycles_stall_memory"), 70 * read);
}

// Every transaction of the host waits for the idle bus's arbiter; on an idle bus nobody is refused.
TEST_F(PinnedFigures, PciClocksAreThoseOfItsParameters) {
  for (const int idle : {2, 7}) {
    renderTriangle("--depth 1 --dsps 4 --set pci.arbitration_idle=" + std::to_string(idle));
    for (const std::string master : {"host", "master1"}) {
      EXPECT_EQ(figure("pci/" + master + "/arbitration_clocks"),
                idle * figure("pci/" + master + "/transactions"))
          << master;
    }
    for (const char* const name :
         {"retries", "disconnects", "master_aborts", "target_aborts", "conflicts"})
      EXPECT_EQ(figure(std::string("pci/") + name), 0) << name;
    // What the host sends to the bus is what the interconnect hands it.
    EXPECT_EQ(figure("pci/host/bytes"), figure("interconnect/pci_memory/bytes") +
                                            figure("interconnect/pci_config/bytes") +
                                            figure("interconnect/pci_io/bytes"));
  }
  // Main memory that cuts every burst after a word: one a transaction.
  renderTriangle("--depth 1 --dsps 4 --set pci.memory_disconnect_words=1");
  EXPECT_EQ(figure("pci/master1/transactions"), figure("pci/master1/bytes") / 4);
  EXPECT_EQ(figure("pci/disconnects"), figure("pci/master1/transactions"));
}

TEST_F(PinnedFigures, NothingGoesWrong) {
  renderTriangle("--depth 1 --dsps 4");
  EXPECT_EQ(stats_.at_pointer("/modules/pc0/board0/s5933/hung").as_string(), "no");
  for (const char* const name : {"disconnects", "retries", "master_aborts", "target_aborts",
                                 "mailbox_overwrites", "a2p_lost"})
    EXPECT_EQ(figure(std::string("board0/s5933/") + name), 0) << name;
  EXPECT_EQ(figure("interconnect/errors"), 0);
  EXPECT_EQ(figure("dram/errors"), 0);
  renderTriangle("--depth 1 --engine theia --size 8x8");
  EXPECT_EQ(figure("theia/errors"), 0);
  render(kScenes + "implicit/hi.vm", "--size 8x8 --depth 1");
  EXPECT_EQ(figure("implicit/errors"), 0);
  render(kScenes + "shaderball.shk", "--size 8x8 --depth 1 --engine reference");
  EXPECT_EQ(figure("sl/errors"), 0);
  EXPECT_EQ(figure("sl_memory/errors"), 0);
}

// When each lane arrives at each barrier, and when the barriers are released, as its own trace
// says.
TEST_F(PinnedFigures, ArrivalsAreThoseOfTheTrace) {
  for (const std::string engine : {"scalar", "simt"}) {
    SCOPED_TRACE(engine);
    write("scene.shk",
          "w 6\nh 6\ne 0 0 10\nlo 0 0 0\nu 0 1 0\nli 0 0 20 1 1 1\n"
          "t -1 -1 0  1 -1 0  0 1 0\nt -3 -3 -2  3 -3 -3  0 3 -2\nsphere 1 1 1 1\n");
    render("scene.shk", "--depth 1 --dsps 4 --trace t.vcd --set array.engine=" + engine);
    const Vcd vcd(slurp(path("t.vcd")));
    std::vector<std::vector<double>> arrivals(4);
    for (int lane = 0; lane < 4; ++lane) {
      for (const Vcd::Change& c : vcd.of("pc0.board0.dsp" + std::to_string(lane) + ".state")) {
        if (c.value == "wait")
          arrivals[static_cast<std::size_t>(lane)].push_back(static_cast<double>(c.ps));
      }
    }
    const double barriers = figure("board0/array/barriers");
    double skew = 0;
    for (std::size_t n = 0; n < arrivals[0].size(); ++n) {
      double last = 0;
      for (const auto& lane : arrivals) last = std::max(last, lane.at(n));
      for (const auto& lane : arrivals) skew += std::round((last - lane.at(n)) * kCyclesAPs);
    }
    EXPECT_EQ(static_cast<double>(arrivals[0].size()), barriers);
    EXPECT_GT(skew, 0);
    EXPECT_EQ(figure("board0/array/arrival_skew"), skew);
    EXPECT_EQ(figure("board0/array/lanes"), 4);
    EXPECT_EQ(figure("board0/sram/words"), 131072);
    // A walk lasts from the release of a batch's first barrier to its last one's.
    std::vector<double> releases;
    for (const Vcd::Change& c : vcd.of("pc0.board0.array.barriers"))
      if (c.ps > 0) releases.push_back(static_cast<double>(c.ps));
    double walk = 0;
    const double batches = figure("driver/batches");
    std::vector<double> gaps;
    for (std::size_t n = 1; n < releases.size(); ++n) gaps.push_back(releases[n] - releases[n - 1]);
    // The chain between two batches takes longer than anything in a walk.
    std::sort(gaps.begin(), gaps.end());
    gaps.resize(gaps.size() - static_cast<std::size_t>(batches - 1));
    for (const double gap : gaps) walk += std::round(gap * kCyclesAPs);
    EXPECT_EQ(figure("board0/array/walk_cycles"), walk);
  }
}

// The driver of the only machine is all that sleeps.
TEST_F(PinnedFigures, DriversSleepAsTheProcessorSays) {
  renderTriangle("--depth 1 --engine xphmg --set xphmg.job_rays=8");
  EXPECT_EQ(figure("driver/interrupts"), figure("processor/interrupts"));
  EXPECT_EQ(figure("driver/waiting_ps"), figure("processor/waited_ps"));
  EXPECT_EQ(figure("driver/waiting_ps") + figure("processor/access_ps"),
            stats_.at("simulated_time_ps").to_number<double>());
  render(kScenes + "implicit/hi.vm", "--size 8x8 --depth 1");
  EXPECT_EQ(figure("implicit_driver/interrupts"), figure("processor/interrupts"));
  // The doorbell's write belongs to the wait as the driver sees it.
  EXPECT_NEAR(figure("implicit_driver/waiting_ps"), figure("processor/waited_ps"),
              20'000 * figure("implicit_driver/jobs"));
}

// A ball before the camera: each pixel is traced once, each lit hit asks for its light.
TEST_F(PinnedFigures, TheUnitsDriverCountsItsRays) {
  write("ball.vm",
        "x var-x\ny var-y\nz var-z\na square x\nb square y\nc square z\nd add a b\ne add d c\n"
        "f sqrt e\nr const 0.5\ng sub f r\n");
  render("ball.vm", "--size 8x8 --depth 1");
  EXPECT_EQ(figure("implicit_driver/frames"), 1);
  EXPECT_EQ(figure("implicit_driver/pixels"), 64);
  EXPECT_EQ(figure("implicit_driver/rays"), figure("ray_tree/shadow"));
  EXPECT_EQ(figure("implicit_driver/any_rays"), figure("ray_tree/shadow"));
  EXPECT_EQ(figure("implicit_driver/hits"), figure("ray_tree/hits") + figure("ray_tree/blocked"));
  EXPECT_EQ(figure("implicit_driver/spared"), 0);
  EXPECT_EQ(figure("implicit_driver/hidden"), 0);
  // f of a distance says which of the 4096 smallest cells meet the ball: those whose middle is as
  // near as half their diagonal, give or take the corners of the stages.
  EXPECT_GT(figure("implicit_driver/leaves"), 100);
  EXPECT_LT(figure("implicit_driver/leaves"), 4096);
}

// Rays overwrite texture memory; a frame of eye rays alone loads it once.
TEST_F(PinnedFigures, TexturesAreLoadedOnceAFrameThatNeedsThem) {
  render(kScenes + "textured.shk",
         "--engine theia --shade theia --size 16x16 --set theia.tile=8 --depth 1");
  EXPECT_EQ(figure("driver/eye_frames"), 4);
  EXPECT_EQ(figure("driver/texture_loads"), 1);
  render(kScenes + "cornell.shk", "--engine theia --size 8x8 --depth 1");
  EXPECT_EQ(figure("driver/texture_loads"), 0);
}

}  // namespace
}  // namespace rtvp::test
