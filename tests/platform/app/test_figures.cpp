// Figures of stats.json against closed forms: one triangle that fills the picture, one light behind
// the eye that lights all of it. Every eye ray hits, every shadow ray is open; what the machines
// count follows from the number of pixels, and what several parts count of one thing is the same.
#include <algorithm>
#include <string>

#include "tests/platform/app/run_platform.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

constexpr int kWidth = 7, kHeight = 5;
constexpr std::int64_t kPixels = kWidth * kHeight;

class Figures : public PlatformTest {
 protected:
  void render(const std::string& arguments, int height = kHeight) {
    write("one.shk", "w 7\nh " + std::to_string(height) +
                         "\ne 0 0 10\nlo 0 0 0\nu 0 1 0\nli 0 0 20 1 1 1\n"
                         "t -90 -90 0  90 -90 0  0 90 0\n");
    const Outcome r = run("one.shk --depth 1 -q -o x.ppm --stats s.json " + arguments);
    ASSERT_EQ(r.status, 0) << r.err;
    stats_ = json("s.json");
  }
  /// "driver/rays" below the computer.
  [[nodiscard]] const boost::json::value& at(const std::string& path) const {
    return stats_.at_pointer("/modules/pc0/" + path);
  }
  [[nodiscard]] std::int64_t figure(const std::string& path) const {
    return at(path).to_number<std::int64_t>();
  }
  [[nodiscard]] double share(const std::string& path) const { return at(path).to_number<double>(); }
  [[nodiscard]] std::int64_t time() const {
    return stats_.at("simulated_time_ps").to_number<std::int64_t>();
  }
  boost::json::value stats_;
};

TEST_F(Figures, RayTreeCountsThePicture) {
  render("--engine reference");
  EXPECT_EQ(figure("ray_tree/rays"), kPixels);
  EXPECT_EQ(figure("ray_tree/hits"), kPixels);
  EXPECT_EQ(figure("ray_tree/shadow"), kPixels);
  EXPECT_EQ(figure("ray_tree/blocked"), 0);
  EXPECT_EQ(figure("ray_tree/unlit"), 0);
  const auto& picture = stats_.at("picture").as_object();
  EXPECT_EQ(picture.at("rays").to_number<std::int64_t>(), 2 * kPixels);
  EXPECT_EQ(picture.at("eye_rays").to_number<std::int64_t>(), kPixels);
  EXPECT_EQ(picture.at("eye_hits").to_number<std::int64_t>(), kPixels);
}

TEST_F(Figures, TigersharkBatchesAndFillers) {
  for (const char* const engine : {"scalar", "simt"}) {
    render(std::string("--dsps 16 --set array.engine=") + engine);
    // Eye rays and shadow rays in batches of 16: 16 + 16 + 3 each.
    EXPECT_EQ(figure("driver/rays_traced"), 2 * kPixels) << engine;
    EXPECT_EQ(figure("driver/rays_sent"), 2 * kPixels) << engine;
    EXPECT_EQ(figure("driver/batches"), 6) << engine;
    EXPECT_EQ(figure("driver/rays_filler"), 6 * 16 - 2 * kPixels) << engine;
    EXPECT_EQ(figure("driver/page_loads"), 1) << engine;
    EXPECT_GT(figure("driver/page_words"), 9) << "the triangle's corners at least";
    EXPECT_LT(figure("driver/page_words"), figure("board0/sram/host_writes"));
    // The host brings the board up, then draws; nothing else takes its time.
    EXPECT_GT(figure("driver/batches_ps"), 0);
    EXPECT_LE(figure("driver/start_ps") + figure("driver/batches_ps"), time());
    EXPECT_GE(figure("driver/start_ps") + figure("driver/batches_ps"), time() * 99 / 100);
  }
}

TEST_F(Figures, TigersharkCyclesAddUp) {
  for (const char* const engine : {"scalar", "simt"}) {
    render(std::string("--dsps 16 --set array.engine=") + engine);
    const std::string kinds[] = {"busy",      "bus_wait", "barrier", "conflict",
                                 "interrupt", "other",    "idle"};
    std::int64_t sum = 0;
    for (const std::string& kind : kinds) {
      const std::int64_t all = figure("board0/array/cycles_" + kind);
      EXPECT_GE(all, 0) << engine << kind;
      sum += all;
      std::int64_t lanes = 0;
      for (int n = 0; n < 16; ++n)
        lanes += figure("board0/dsps/dsp" + std::to_string(n) + "/cycles_" + kind);
      EXPECT_EQ(lanes, all) << engine << kind;
    }
    EXPECT_EQ(figure("board0/array/cycles"), sum) << engine;
    // The waiting that is under way at the end of the run belongs to every DSP as to the array.
    for (int n = 0; n < 16; ++n) {
      const std::string dsp = "board0/dsps/dsp" + std::to_string(n);
      std::int64_t own = 0;
      for (const std::string& kind : kinds) own += figure(dsp + "/cycles_" + kind);
      EXPECT_EQ(figure(dsp + "/cycles"), own) << engine << n;
      EXPECT_EQ(16 * own, sum) << engine << n << ": all start and end together";
    }
    // A lane's cycles since its reset are not more than the run has of them.
    EXPECT_LE(sum, 16 * static_cast<std::int64_t>(static_cast<double>(time()) * 30e6 / 1e12 + 1));
    // One box around the triangle: each batch votes on it once, and fillers do not ask for it.
    EXPECT_EQ(figure("board0/array/votes"), 6) << engine;
    EXPECT_EQ(figure("board0/array/voters"), 2 * kPixels) << engine;
    EXPECT_EQ(figure("board0/array/link_words_lost"), 0) << engine;
  }
}

TEST_F(Figures, TigersharkPartsCountTheSameWords) {
  render("--dsps 16");
  EXPECT_EQ(figure("board0/sram/array_reads"), figure("board0/array/broadcast_data_words") +
                                                   figure("board0/array/broadcast_fetch_words"));
  EXPECT_GT(figure("board0/sram/array_writes"), 0);
  EXPECT_EQ(figure("board0/sram/array_writes"), figure("board0/array/master_writes"));
  // The chain's words are the host's: through the controller's memory, its FIFO, the logic.
  EXPECT_EQ(figure("board0/pld/chain_words_in"), figure("board0/s5933/pci_to_addon/master_words"));
  EXPECT_EQ(figure("board0/pld/chain_words_in"), figure("board0/s5933/pci_to_addon/fifo_words"));
  EXPECT_EQ(figure("board0/pld/chain_words_out"), figure("board0/s5933/addon_to_pci/master_words"));
  EXPECT_EQ(figure("board0/pld/chain_words_out"), figure("board0/s5933/addon_to_pci/fifo_words"));
  // What goes in and out is shifted at the same rate.
  EXPECT_NEAR(share("board0/pld/chain_in_utilisation") /
                  static_cast<double>(figure("board0/pld/chain_words_in")),
              share("board0/pld/chain_out_utilisation") /
                  static_cast<double>(figure("board0/pld/chain_words_out")),
              1e-9);
  EXPECT_EQ(figure("pci/host/bytes") + figure("pci/master1/bytes"), 4 * figure("pci/data_phases"));
  EXPECT_EQ(figure("pci/host/transactions") + figure("pci/master1/transactions"),
            figure("pci/transactions"));
  // The board is the only master of the bus, and its words all lie in the main memory.
  EXPECT_GT(figure("dram/read_bytes"), 0);
  EXPECT_EQ(figure("dram/reads") + figure("dram/writes"), figure("interconnect/dram/transactions"));
  EXPECT_EQ(figure("dram/read_bytes") + figure("dram/written_bytes"),
            figure("interconnect/dram/bytes"));
}

TEST_F(Figures, TheiaRaysAndClocks) {
  render("--engine theia --set theia.cores=4", 4);
  constexpr std::int64_t pixels = 7 * 4;
  EXPECT_EQ(figure("driver/pixels"), pixels);
  EXPECT_EQ(figure("driver/rays"), pixels);
  EXPECT_EQ(figure("driver/eye_frames"), 1);
  EXPECT_EQ(figure("driver/ray_frames"), 1);
  EXPECT_GT(figure("driver/eye_ps"), 0);
  EXPECT_GT(figure("driver/ray_ps"), 0);
  EXPECT_LE(figure("driver/eye_ps") + figure("driver/ray_ps"), time());
  EXPECT_GE(figure("driver/eye_ps") + figure("driver/ray_ps"), time() * 9 / 10);
  EXPECT_EQ(figure("interconnect/theia/transactions"), figure("theia/transactions"));
  for (int n = 0; n < 4; ++n) {
    const std::string core = "theia/core" + std::to_string(n);
    EXPECT_EQ(figure(core + "/clocks"), figure("theia/core0/clocks"));
    EXPECT_LE(figure(core + "/main_texture_stall"), figure("theia/texture_bank0/wait_clocks") +
                                                        figure("theia/texture_bank1/wait_clocks") +
                                                        figure("theia/texture_bank2/wait_clocks") +
                                                        figure("theia/texture_bank3/wait_clocks"));
  }
}

TEST_F(Figures, XphmgRaysAndCycles) {
  render("--engine xphmg");
  EXPECT_EQ(figure("driver/rays"), 2 * kPixels);
  EXPECT_EQ(figure("driver/any_hit_rays"), kPixels);
  EXPECT_EQ(figure("driver/hits"), kPixels);
  EXPECT_EQ(figure("driver/misses"), kPixels);
  for (const char* const name : {"rays", "hits", "misses", "jobs"})
    EXPECT_EQ(figure(std::string("unit0/") + name), figure(std::string("driver/") + name)) << name;
  EXPECT_NEAR(share("unit0/nodes_per_ray"),
              static_cast<double>(figure("unit0/nodes")) / (2 * kPixels), 1e-12);
  EXPECT_NEAR(share("unit0/triangles_per_ray"),
              static_cast<double>(figure("unit0/triangles")) / (2 * kPixels), 1e-12);
  std::int64_t sum = 0;
  for (const char* const kind :
       {"box", "triangle", "stall_lmem", "stall_memory", "stall_queue", "stall_descriptor", "idle"})
    sum += figure(std::string("unit0/cycles_") + kind);
  EXPECT_EQ(figure("unit0/cycles"), sum);
  EXPECT_NEAR(share("unit0/utilisation"),
              1 - static_cast<double>(figure("unit0/cycles_idle")) /
                      static_cast<double>(figure("unit0/cycles")),
              1e-12);
  EXPECT_NEAR(share("unit0/lmem_hit_rate"),
              static_cast<double>(figure("unit0/lmem_hits")) /
                  static_cast<double>(figure("unit0/lmem_hits") + figure("unit0/lmem_misses")),
              1e-12);
  EXPECT_NEAR(share("unit0/rays_per_second"), 2.0 * kPixels / (static_cast<double>(time()) * 1e-12),
              share("unit0/rays_per_second") * 0.02);
}

// The flags of a ray's answer: no trace is cut off, none meets what is no number.
TEST_F(Figures, ImplicitRaysWithoutFlags) {
  const Outcome r = run("'" RTVP_SOURCE_DIR
                        "/scenes/implicit/quarter.vm' --engine implicit --size 8x4 --depth 1 -q "
                        "-o x.ppm --stats s.json");
  ASSERT_EQ(r.status, 0) << r.err;
  stats_ = json("s.json");
  EXPECT_GT(figure("implicit_driver/rays"), 0);
  EXPECT_EQ(figure("implicit_driver/capped"), 0);
  EXPECT_EQ(figure("implicit_driver/undefined"), 0);
}

TEST_F(Figures, ShadingUnitRefusesNothing) {
  const Outcome r = run("'" RTVP_SOURCE_DIR
                        "/scenes/shaderball.shk' --size 8x8 --depth 1 --shade sl -q -o x.ppm "
                        "--stats s.json");
  ASSERT_EQ(r.status, 0) << r.err;
  stats_ = json("s.json");
  EXPECT_GT(figure("sl/runs"), 0);
  EXPECT_EQ(figure("sl/errors"), 0);
  EXPECT_EQ(figure("sl/texels"), 4 * figure("sl/texture_samples")) << "2 x 2 box filter";
  EXPECT_EQ(figure("sl/texels"),
            figure("sl/texture_cache_hits") + figure("sl/texture_cache_misses"));
}

TEST_F(Figures, ImplicitTracesAddUp) {
  write("ball.vm",
        "x var-x\ny var-y\nz var-z\na square x\nb square y\nc square z\nd add a b\ne add d c\n"
        "f sqrt e\nr const 0.5\ng sub f r\n");
  const Outcome r =
      run("ball.vm --engine implicit --size 8x8 --depth 1 -q -o x.ppm --stats s.json");
  ASSERT_EQ(r.status, 0) << r.err;
  stats_ = json("s.json");
  EXPECT_EQ(figure("implicit/hits") + figure("implicit/misses") + figure("implicit/capped") +
                figure("implicit/nan_faults"),
            figure("implicit/traces"));
  EXPECT_EQ(figure("implicit/jobs"), figure("implicit/hull_jobs") + figure("implicit/frame_jobs") +
                                         figure("implicit/ray_jobs"));
  EXPECT_EQ(figure("implicit/jobs"), figure("implicit_driver/jobs"));
  EXPECT_EQ(figure("implicit_driver/capped"), 0);
  EXPECT_EQ(figure("implicit_driver/undefined"), 0);
  EXPECT_EQ(figure("implicit_driver/pixels"), 64);
  EXPECT_EQ(figure("implicit/resets"), 1) << "by the driver, before it begins";
  std::int64_t traces = 0, evaluations = 0;
  for (const auto& [name, value] : at("implicit/steps").as_object()) {
    if (name == "units") continue;
    const std::int64_t n = std::stoll(std::string(name).substr(6));
    traces += value.to_number<std::int64_t>();
    evaluations += n * value.to_number<std::int64_t>();
  }
  EXPECT_EQ(traces, figure("implicit/traces"));
  EXPECT_EQ(evaluations, figure("implicit/trace_evaluations"));
  for (int n = 0; n < 4; ++n) {
    const std::string core = "implicit/core" + std::to_string(n);
    std::int64_t sum = 0;
    for (const char* const kind :
         {"busy", "fetch", "constant", "leaf", "data", "port", "lost", "idle"})
      sum += figure(core + "/cycles_" + kind);
    EXPECT_EQ(figure(core + "/cycles"), sum) << core;
  }
}

}  // namespace
}  // namespace rtvp::test
