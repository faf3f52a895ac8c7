// Reported figures against counts that were made another way: the signals of the run's own trace,
// and closed forms from the references. One triangle fills the picture, as in test_figures.cpp.
#include <cmath>
#include <map>
#include <string>

#include "tests/platform/app/run_platform.hpp"
#include "tests/platform/app/vcd.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

constexpr double kCyclesAPs = 30e6 * 1e-12;  // H1
constexpr double kBitHz = 11.5e6;

class FigureLogs : public PlatformTest {
 protected:
  void render(const std::string& scene, const std::string& arguments) {
    const Outcome r =
        run(scene + " --depth 1 -q -o x.ppm --stats s.json --trace t.vcd " + arguments);
    ASSERT_EQ(r.status, 0) << r.err;
    stats_ = json("s.json");
    seconds_ = stats_.at("simulated_time_ps").to_number<double>() * 1e-12;
  }
  void renderTriangle(const std::string& arguments) {
    write(
        "one.shk",
        "w 7\nh 5\ne 0 0 10\nlo 0 0 0\nu 0 1 0\nli 0 0 20 1 1 1\nt -90 -90 0  90 -90 0  0 90 0\n");
    render("one.shk", arguments);
  }
  [[nodiscard]] double figure(const std::string& path) const {
    return stats_.at_pointer("/modules/pc0/" + path).to_number<double>();
  }
  boost::json::value stats_;
  double seconds_ = 0;
};

/// Whole cycles of a duration: edges of the 30 MHz clock are rounded to picoseconds.
double cycles(const Vcd& vcd, const std::string& name, const char* value) {
  return std::round(static_cast<double>(vcd.duration(name, value)) * kCyclesAPs);
}

TEST_F(FigureLogs, TigersharkCountsWhatItsTraceShows) {
  for (const char* const settings : {"--set array.engine=scalar", "--set array.engine=simt",
                                     "--set array.engine=simt --set tigershark.wait_states=2"}) {
    SCOPED_TRACE(settings);
    renderTriangle(std::string("--dsps 4 ") + settings);
    const Vcd vcd(slurp(path("t.vcd")));
    const std::string board = "pc0.board0.";
    const double waits = std::string(settings).back() == '2' ? 2 : 0;
    // The shared bus: a read takes one cycle, a write two, and each its wait states (c32.md 7.5).
    const double words =
        figure("board0/array/broadcast_data_words") + figure("board0/array/broadcast_fetch_words");
    const double writes = figure("board0/array/master_writes");
    EXPECT_EQ(cycles(vcd, board + "bus.read", "1"), (1 + waits) * words);
    EXPECT_EQ(cycles(vcd, board + "bus.write", "1"), (2 + waits) * writes);
    // Cycles out of reset, and the share of them with a word on the bus.
    const double all = std::round(seconds_ * 30e6);
    const double reset = cycles(vcd, board + "dsp0.state", "reset");
    EXPECT_EQ(figure("board0/array/cycles"), 4 * (all - reset));
    EXPECT_NEAR(figure("board0/array/bus_utilisation"),
                ((1 + waits) * words + (2 + waits) * writes) / (all - reset), 1e-9);
    // A lane shows "wait" from its arrival on; it is held from its access on, three NOPs later.
    const double barriers = figure("board0/array/barriers");
    EXPECT_EQ(static_cast<double>(vcd.last(board + "array.barriers")), barriers);
    double voters = 0, linkPs = 0;
    for (int n = 0; n < 4; ++n) {
      const std::string dsp = board + "dsp" + std::to_string(n) + ".";
      EXPECT_EQ(cycles(vcd, dsp + "state", "wait"),
                figure("board0/dsps/dsp" + std::to_string(n) + "/cycles_barrier") + 3 * barriers);
      voters += static_cast<double>(vcd.times(dsp + "vote", "1"));
      linkPs += static_cast<double>(vcd.duration(dsp + "tx_busy", "1"));
    }
    EXPECT_EQ(voters, figure("board0/array/voters"));
    // 32 bit clocks a word on every link, and on that to the first node.
    EXPECT_NEAR(linkPs * 1e-12 * kBitHz / 32, figure("board0/array/link_words"), 0.01);
    EXPECT_NEAR(
        static_cast<double>(vcd.duration(board + "pld.chain_in_busy", "1")) * 1e-12 * kBitHz / 32,
        figure("board0/pld/chain_words_in"), 0.01);
    EXPECT_EQ(static_cast<double>(vcd.last(board + "pld.chain_out_words")),
              figure("board0/pld/chain_words_out"));
  }
}

// Batches of 16 rays, 8 words each with their header, a word of go; results of 3 words; the token
// goes through with its number (board.md 2.3). 70 rays of two kinds are 6 batches.
TEST_F(FigureLogs, ChainAndBusAreClosedForms) {
  renderTriangle("--dsps 16");
  EXPECT_EQ(figure("board0/pld/chain_words_in"), 6 * (16 * 8 + 1) + 2);
  EXPECT_EQ(figure("board0/pld/chain_words_out"), 6 * (16 * 3 + 1) + 2);
  const double bits = seconds_ * kBitHz;
  EXPECT_NEAR(figure("board0/pld/chain_in_utilisation"), (6 * 129 + 2) * 32 / bits, 1e-4);
  EXPECT_NEAR(figure("board0/pld/chain_out_utilisation"), (6 * 49 + 2) * 32 / bits, 1e-4);
  EXPECT_NEAR(figure("pci/utilisation"), figure("pci/busy_clocks") / (seconds_ * 1e9 / 30), 1e-4);
  // Every record has its barrier: the box, the triangle and the terminator of each batch.
  EXPECT_EQ(figure("board0/array/barriers"), 6 * 3);
}

// theia.md 2.2, 2.9, 7: a routine takes 4 clocks and its instructions' periods, RETURN none; a MAIN
// 2 more; INITIAL, CPPU and USERCONSTANTS of a frame 7 together. What is left are waits for a
// texture bank, of which every core's are some bank's.
TEST_F(FigureLogs, TheiaClocksAreThoseOfItsInstructions) {
  static const std::map<std::string, double> kPeriods{
      {"DIV", 66}, {"MUL", 3},     {"MAG", 6},    {"CROSS", 4}, {"DOT", 5},   {"IMUL", 3},
      {"MULP", 3}, {"OMWRITE", 4}, {"TMREAD", 9}, {"RET", 4},   {"RETURN", 0}};
  for (const int cores : {1, 4}) {
    SCOPED_TRACE(cores);
    render("'" RTVP_SOURCE_DIR "/scenes/textured.shk'",
           "--engine theia --shade theia --size 16x16 --set theia.tile=8 --set theia.cores=" +
               std::to_string(cores));
    const double frames = figure("driver/eye_frames");
    EXPECT_EQ(frames, 4);
    double stalls = 0, waits = 0, read = 0, texels = 0;
    for (int n = 0; n < cores; ++n) {
      const std::string core = "theia/core" + std::to_string(n) + "/";
      double periods = 0;
      for (const auto& [op, count] :
           stats_.at_pointer("/modules/pc0/" + core + "instructions").as_object()) {
        if (op == "units") continue;
        const auto found = kPeriods.find(std::string(op));
        periods += (found == kPeriods.end() ? 2 : found->second) * count.to_number<double>();
      }
      const double routines = figure(core + "instructions/RETURN");
      const double mains = routines - 3 * frames;
      EXPECT_EQ(mains, figure("driver/triangles"));
      const double stall = figure(core + "main_texture_stall");
      EXPECT_EQ(figure(core + "initial") + figure(core + "cppu") + figure(core + "user_constants") +
                    figure(core + "main_busy") + figure(core + "main_divider") + stall,
                7 * frames + 4 * routines + 2 * mains + periods + stall);
      // One division of a frame is CPPU's.
      EXPECT_EQ(figure(core + "main_divider"), 66 * (figure(core + "instructions/DIV") - frames));
      stalls += stall;
      texels += figure(core + "instructions/TMREAD");
      const std::string bank = "theia/texture_bank" + std::to_string(n) + "/";
      waits += figure(bank + "wait_clocks");
      read += figure(bank + "words");
    }
    EXPECT_EQ(read, 3 * texels);
    EXPECT_GT(texels, 0);
    EXPECT_EQ(stalls, waits);
    if (cores == 1) {
      EXPECT_EQ(stalls, 0) << "alone nobody waits for the arbiter";
    } else {
      EXPECT_GT(stalls, 0);
    }
  }
}

}  // namespace
}  // namespace rtvp::test
