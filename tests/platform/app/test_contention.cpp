// Limits of interconnect and main memory, through the executable: rates bend where the bandwidth
// says, speed settings change nothing, who waited for whom adds up.
#include <algorithm>

#include "tests/platform/app/run_platform.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

const std::string kScenes = RTVP_SOURCE_DIR "/scenes/";

class Contention : public PlatformTest {
 protected:
  /// Leaves NAME.png, NAME.csv, NAME.json.
  void render(const std::string& name, const std::string& arguments) const {
    const Outcome r = run(arguments + " -q -o " + name + ".png --hits " + name + ".csv --stats " +
                          name + ".json --trace " + name + ".vcd");
    ASSERT_EQ(r.status, 0) << arguments << "\n" << r.err;
  }
  [[nodiscard]] boost::json::object computer(const std::string& name) const {
    return json(name + ".json").at("modules").at("pc0").as_object();
  }
  /// Everything but what the two runs were asked for and what the host did.
  [[nodiscard]] std::string measured(const std::string& name) const {
    boost::json::object stats = json(name + ".json").as_object();
    for (const char* key : {"host", "configuration", "configuration_hash"}) stats.erase(key);
    return boost::json::serialize(stats);
  }
  void expectSame(const std::string& a, const std::string& b) const {
    EXPECT_EQ(measured(a), measured(b)) << a << " " << b;
    for (const char* kind : {".png", ".csv", ".vcd"})
      EXPECT_EQ(slurp(path(a + kind)), slurp(path(b + kind))) << a << " " << b << kind;
  }
  /// Time in which the units had jobs: the most that one of them worked.
  [[nodiscard]] double worked(const std::string& name, unsigned units) const {
    const boost::json::object all = computer(name);
    double most = 0;
    for (unsigned i = 0; i < units; ++i) {
      const auto& unit = all.at("unit" + std::to_string(i)).as_object();
      most = std::max(
          most, unit.at("cycles").to_number<double>() - unit.at("cycles_idle").to_number<double>());
    }
    return most;
  }
};

std::string bunny(unsigned units, const std::string& more) {
  return kScenes + "bunny.shk --engine xphmg --size 32x32 --depth 1 --set xphmg.lmem_kib=0" +
         " --set xphmg.job_rays=16 --set xphmg.units=" + std::to_string(units) + " " + more;
}

TEST_F(Contention, SpeedSettingsChangeNothing) {
  const std::string shared = "--set dram.width=1 --set dram.clock_hz=2e9 --set bus.width=4 ";
  render("a", bunny(4, shared));
  render("b", bunny(4, shared + "--set xphmg.quantum_us=1 --set xphmg.dmi=off"));
  render("c", bunny(4, shared + "--set xphmg.quantum_us=100"));
  expectSame("a", "b");
  expectSame("a", "c");
}

TEST_F(Contention, PlentyIsAsGoodAsNoLimit) {
  render("free", bunny(3, ""));
  render("plenty", bunny(3, "--set dram.width=4096 --set dram.clock_hz=1e12"));
  EXPECT_EQ(slurp(path("free.csv")), slurp(path("plenty.csv")));
  const double none = worked("free", 3), little = worked("plenty", 3);
  EXPECT_GE(little, none);
  EXPECT_LE(little, none * 1.03) << "at most a picosecond, that is a cycle, where two coincide";
}

TEST_F(Contention, RatesBendWhereTheBandwidthSays) {
  // What processor and units ask for; the same whatever they have to wait.
  render("one", bunny(1, "--set dram.width=1024"));
  const auto bytes = computer("one").at("contention").at("dram").at("bytes").to_number<double>();
  const double alone = worked("one", 1);
  ASSERT_GT(bytes / alone, 0.7) << "bytes a cycle of 1 ns";
  ASSERT_LT(bytes / alone, 1.2);
  // Two bytes a cycle: room for two units, never for eight.
  const std::string narrow = "--set dram.width=2";
  render("narrow1", bunny(1, narrow));
  EXPECT_LT(worked("narrow1", 1), alone * 1.08) << "only behind the processor and its own writes";
  render("narrow8", bunny(8, narrow));
  const auto elapsed = computer("narrow8").at("unit0").at("cycles").to_number<double>();
  EXPECT_GE(elapsed, bytes / 2) << "faster than the memory";
  EXPECT_LE(elapsed, bytes / 2 * 1.05);
  render("wide8", bunny(8, "--set dram.width=1024"));
  EXPECT_LT(worked("wide8", 8), alone / 6);
}

TEST_F(Contention, WaitingAddsUp) {
  render("a", bunny(3, "--set dram.width=1 --set bus.arbiter=round_robin"));
  const boost::json::object masters = computer("a").at("contention").at("masters").as_object();
  std::uint64_t waited = 0;
  for (const auto& [name, master] : masters) {
    if (!master.is_object() || !master.as_object().contains("waited_ps")) continue;
    std::uint64_t sum = 0;
    for (const auto& [other, ps] : master.at("waited_for_ps").as_object())
      if (ps.is_number()) sum += ps.to_number<std::uint64_t>();
    EXPECT_EQ(sum, master.at("waited_ps").to_number<std::uint64_t>()) << name;
    waited += sum;
  }
  EXPECT_GT(waited, 0U);
}

TEST_F(Contention, EveryMachineWaitsAndStaysRight) {
  const std::string narrow = " --set bus.width=1 --set bus.clock_hz=1e9 --set dram.width=1 ";
  const struct {
    const char* name;
    std::string what;
  } cases[] = {
      {"board", kScenes + "cornell.shk --size 16x16 --dsps 4"},
      {"hart", kScenes + "cornell.shk --engine xphmg --size 16x16 --set xphmg.driver=hart"},
      {"implicit", kScenes + "implicit_mixed.shk --engine xphmg --size 16x16"},
      {"sl", kScenes + "marble_teapot.shk --engine xphmg --size 8x8"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string name = c.name;
    render(name + "_free", c.what);
    render(name, c.what + narrow);
    EXPECT_EQ(slurp(path(name + ".csv")), slurp(path(name + "_free.csv")));
    EXPECT_EQ(slurp(path(name + ".png")), slurp(path(name + "_free.png")));
    render(name + "_slow", c.what + narrow +
                               "--set xphmg.dmi=off --set implicit.dmi=off --set array.quantum=100 "
                               "--set implicit.quantum_us=1 --set xphmg.quantum_us=1 "
                               "--set array.timing=strict");
    expectSame(name, name + "_slow");
  }
}

}  // namespace
}  // namespace rtvp::test
