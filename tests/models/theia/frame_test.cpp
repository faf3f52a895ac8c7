// Whole frames against the original Verilog: words, clocks, timeline and logged registers.
#include <sstream>

#include "firmware/theia/firmware.hpp"
#include "models/common/statistics.hpp"
#include "models/theia/assembler.hpp"
#include "models/theia/gpu_statistics.hpp"
#include "tests/models/theia/frame_support.hpp"

namespace rtvp::theia {
namespace {

using namespace test;

struct Recorder : GpuObserver {
  std::vector<Clock> flips, commits, all;  // of core 0; of all cores
  void onFlip(unsigned core, Clock clock) override {
    if (core == 0) flips.push_back(clock);
  }
  void onPhaseEnd(unsigned core, Clock ready, bool committed) override {
    if (core == 0 && committed) commits.push_back(ready - 1);
  }
  void onAllCommitted(Clock clock) override { all.push_back(clock); }
};

Clock jsonNumber(const std::string& text, const std::string& key) {
  const auto at = text.find('"' + key + "\":");
  EXPECT_NE(at, text.npos) << key;
  return std::stoull(text.substr(at + key.size() + 3));
}

std::string lowerRows(const std::string& text) {
  std::string out;
  for (const auto& r : rows(text)) {
    char line[64];
    std::snprintf(line, sizeof line, "%s\t%s\t%08X\n", r.at(0).c_str(), r.at(1).c_str(),
                  word(r.at(2)));
    out += line;
  }
  return out;
}

/// MAIN soon is host code: the frames are small.
GpuConfig soonHostCode() {
  GpuConfig config;
  config.core.hostCodeAfter = 4;
  return config;
}

void checkFrame(const std::string& name, bool fast) {
  SCOPED_TRACE(name);
  const Frame frame = loadFrame(name);
  GpuConfig config = soonHostCode();
  config.core.fast = fast;
  Gpu gpu = makeGpu(frame, microcodeRom(), config);
  Recorder recorder;
  gpu.observe(&recorder);
  GpuPort port(gpu);
  const Clock done = playFrame(port, frame, 0);
  ASSERT_FALSE(gpu.fault()) << gpu.fault().describe();
  EXPECT_EQ(storedText(gpu, frame), lowerRows(unzip(kData + name + "/omem.tsv.gz")));
  const Clock measured = jsonNumber(slurp(kData + name + "/cycles.json"), "host_enable_to_done");
  std::printf("%s: %llu clocks, Verilog %llu (%+.3f %%)\n", name.c_str(),
              static_cast<unsigned long long>(done), static_cast<unsigned long long>(measured),
              100.0 * (static_cast<double>(done) / static_cast<double>(measured) - 1));
  EXPECT_NEAR(static_cast<double>(done), static_cast<double>(measured),
              0.01 * static_cast<double>(measured));
}

TEST(TheiaFrame, TinyFrameMatchesTheVerilog) {
  checkFrame("frame_tiny_4c", true);
  checkFrame("frame_tiny_4c", false);
}
TEST(TheiaFrame, BarycentricFrameMatchesTheVerilog) {
  checkFrame("frame_bary_4c", true);
  checkFrame("frame_bary_4c", false);
}

std::string textOf(const common::StatGroup& group) {
  std::ostringstream out;
  out << group.name() << '\n';
  for (const common::Figure& figure : group.figures()) {
    out << figure.name << ' ';
    std::visit([&out](const auto& value) { out << value; }, figure.value);
    out << '\n';
  }
  for (const common::StatGroup& part : group.groups()) out << textOf(part);
  return out.str();
}

/// All that is reported of a frame, and its output.
std::string reportOf(const Frame& frame, const GpuConfig& config, GpuObserver* observer) {
  Gpu gpu = makeGpu(frame, microcodeRom(), config);
  gpu.observe(observer);
  GpuPort port(gpu);
  gpu.finish(playFrame(port, frame, 0));
  EXPECT_FALSE(gpu.fault()) << gpu.fault().describe();
  const bool host_code =
      config.core.fast && config.core.hostCodeAfter != 0 && common::isaUsable(common::Isa::Avx2);
  for (unsigned core = 0; core < gpu.cores(); ++core)
    EXPECT_EQ(gpu.core(core).routinesInHostCode() > 20, host_code);
  common::StatGroup stats("theia");
  reportGpu(gpu, stats);
  return textOf(stats) + storedText(gpu, frame);
}

// The plain executor, the loop, host code, and the way around them that an observer goes.
TEST(TheiaFrame, HowCoresAreSimulatedShowsInNoStatistic) {
  for (const char* const name : {"frame_tiny_4c", "frame_bary_4c"}) {
    SCOPED_TRACE(name);
    const Frame frame = loadFrame(name);
    GpuConfig config;
    config.core.fast = false;
    const std::string plain = reportOf(frame, config, nullptr);
    config.core.fast = true;
    config.core.hostCodeAfter = 0;
    EXPECT_EQ(reportOf(frame, config, nullptr), plain);
    config = soonHostCode();
    EXPECT_EQ(reportOf(frame, config, nullptr), plain);
    Recorder recorder;
    EXPECT_EQ(reportOf(frame, config, &recorder), plain);
  }
}

/// Largest distance of core 0's timeline from the Verilog's.
double timelineError(const std::string& name, std::size_t& rows_checked) {
  const Frame frame = loadFrame(name);
  Gpu gpu = makeGpu(frame, microcodeRom(), soonHostCode());
  Recorder recorder;
  gpu.observe(&recorder);
  GpuPort port(gpu);
  playFrame(port, frame, 0);
  double worst = 0;
  const std::size_t n = frame.triangles.size();
  rows_checked = 0;
  for (const auto& row : rows(slurp(kData + name + "/timeline_core0.tsv"))) {
    const std::size_t pixel = std::stoul(row.at(0));
    const auto compare = [&](Clock got, const std::string& expected) {
      worst = std::max(worst, std::abs(static_cast<double>(got) - std::stod(expected)));
    };
    compare(recorder.commits.at(pixel), row.at(1));
    compare(recorder.all.at(pixel), row.at(2));
    for (std::size_t t = 0; t < n; ++t) compare(recorder.flips.at(pixel * n + t), row.at(3 + t));
    ++rows_checked;
  }
  return worst;
}

TEST(TheiaFrame, BarycentricTimelineIsWithinFourClocksAtEveryPixel) {
  std::size_t checked = 0;
  const double worst = timelineError("frame_bary_4c", checked);
  std::printf("worst timeline distance: %g clocks\n", worst);
  EXPECT_LE(worst, 4);  // measured: 0
  EXPECT_EQ(checked, 64U);
}

TEST(TheiaFrame, TinyTimelineIsWithinOnePerCent) {
  std::size_t checked = 0;
  const double worst = timelineError("frame_tiny_4c", checked);
  std::printf("worst timeline distance: %g clocks\n", worst);
  EXPECT_LE(worst, 118);
  EXPECT_EQ(checked, 16U);
}

/// Remembers registers at the end of every phase of one core.
struct RegisterLog : GpuObserver {
  RegisterLog(Gpu& g, unsigned c) : gpu(g), wanted(c) {}
  Gpu& gpu;
  unsigned wanted;
  std::vector<std::array<Vec, kRegisterRows>> phases;
  void onPhaseEnd(unsigned core, Clock, bool) override {
    if (core != wanted) return;
    auto& all = phases.emplace_back();
    for (unsigned r = 0; r < kRegisterRows; ++r) all[r] = gpu.core(core).readRegister(r);
  }
};

void checkRegisters(const std::string& name, unsigned core) {
  const Frame frame = loadFrame(name);
  Gpu gpu = makeGpu(frame, microcodeRom(), soonHostCode());
  RegisterLog log(gpu, core);
  gpu.observe(&log);
  GpuPort port(gpu);
  playFrame(port, frame, 0);
  std::size_t compared = 0;
  const std::string file = kData + name + "/registers_core" + std::to_string(core) + ".tsv.gz";
  for (const auto& row : rows(unzip(file))) {
    const std::size_t phase =
        std::stoul(row.at(0)) * frame.triangles.size() + std::stoul(row.at(1));
    const auto address = findRegister(row.at(2));
    ASSERT_TRUE(address) << row.at(2);
    Vec got = log.phases.at(phase)[*address];
    Vec expected = vec(row.at(3));
    if (row.at(2).starts_with("CREG_TEX_COORD")) got.z = expected.z = 0;  // only x, y are defined
    EXPECT_EQ(got, expected) << row.at(2) << " at pixel " << row.at(0) << " triangle " << row.at(1);
    ++compared;
  }
  std::printf("%s: %zu logged registers compared\n", name.c_str(), compared);
  EXPECT_GT(compared, 400U);
}

TEST(TheiaFrame, LoggedRegistersMatch) {
  checkRegisters("frame_tiny_4c", 1);
  checkRegisters("frame_bary_4c", 0);
}

TEST(TheiaFrame, ShaderSourcesAssembleToTheLoggedWords) {
  for (const std::string name : {"frame_tiny_4c", "frame_bary_4c"}) {
    SCOPED_TRACE(name);
    const auto result = assemble("shader.tasm", slurp(kData + name + "/shader.tasm"));
    ASSERT_TRUE(result.program) << result.report();
    const auto image = result.program->image();
    const auto expected = loadFrame(name).instructions;
    ASSERT_EQ(image.size(), expected.size());
    for (std::size_t i = 0; i < image.size(); ++i) EXPECT_EQ(image[i].word, expected[i].word) << i;
  }
}

}  // namespace
}  // namespace rtvp::theia
