// `--trace` as a user meets it: what the files say against the statistics of the same run.
#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <string>

#include "tests/platform/app/run_platform.hpp"
#include "tests/platform/app/vcd.hpp"
#include "tests/support/paths.hpp"

namespace rtvp {
namespace {

using test::contains;
using test::Outcome;
using test::Vcd;

class Trace : public test::PlatformTest {
 protected:
  void SetUp() override {
    PlatformTest::SetUp();
    write("a.shk", test::kSmallScene);
  }
  /// A run with statistics and trace; well-formed, or the test fails.
  [[nodiscard]] Vcd trace(const std::string& options) const {
    const Outcome r =
        run("a.shk -q --no-progress -o x.png --stats t.json --trace t.vcd " + options);
    EXPECT_EQ(r.status, 0) << r.err;
    return Vcd(test::slurp(path("t.vcd")));
  }
  /// When the DSP of this report failed ("address 1h, cycle 30037"), in picoseconds: 30 MHz.
  [[nodiscard]] static std::uint64_t failureTime(const std::string& report) {
    const std::string before = "h, cycle ";
    const std::size_t at = report.find(before);
    if (at == std::string::npos) return 0;
    return std::stoull(report.substr(at + before.size())) * 100'000 / 3;
  }
  [[nodiscard]] std::uint64_t figure(std::initializer_list<const char*> names) const {
    boost::json::value at = json("t.json").at("modules").at("pc0");
    for (const char* const name : names) at = boost::json::value(at.at(name));
    return at.to_number<std::uint64_t>();
  }
};

TEST_F(Trace, TigersharkSignalsAgreeWithTheStatistics) {
  const Vcd vcd = trace("--dsps 4");
  const std::string board = "pc0.board0.";
  const auto array = [&](const char* name) { return figure({"board0", "array", name}); };
  EXPECT_EQ(vcd.last(board + "array.barriers"), array("barriers"));
  EXPECT_EQ(vcd.times(board + "array.barrier", "1"), array("barriers"));
  EXPECT_EQ(vcd.times(board + "array.vote", "1"), array("votes") - array("skips"));
  EXPECT_EQ(vcd.most(board + "array.arrived"), 4U);
  std::uint64_t votes = 0;
  std::uint64_t words = 0;
  for (int i = 0; i < 4; ++i) {
    const std::string dsp = board + "dsp" + std::to_string(i) + ".";
    votes += vcd.times(dsp + "vote", "1");
    words += vcd.last(dsp + "tx_words");
    EXPECT_EQ(vcd.times(dsp + "state", "wait"), array("barriers"));
    EXPECT_EQ(vcd.times(dsp + "state", "halt"), 0U);
    EXPECT_GT(vcd.times(dsp + "state", "chain"), figure({"driver", "batches"}) - 1);
    EXPECT_GT(vcd.duration(dsp + "state", "chain"), vcd.duration(dsp + "state", "wait"));
    EXPECT_EQ(vcd.duration(dsp + "state", "reset") > 0, true);
  }
  EXPECT_EQ(votes, array("voters"));
  EXPECT_EQ(words, array("link_words"));
  EXPECT_EQ(vcd.last(board + "pld.chain_in_words"), figure({"board0", "pld", "chain_words_in"}));
  EXPECT_EQ(vcd.last(board + "pld.chain_out_words"), figure({"board0", "pld", "chain_words_out"}));
  const std::map<std::string, const char*> fifos = {{"p2a", "pci_to_addon"},
                                                    {"a2p", "addon_to_pci"}};
  for (const auto& [name, group] : fifos) {
    EXPECT_EQ(vcd.last(board + "s5933." + name + "_words"),
              figure({"board0", "s5933", group, "fifo_words"}));
    EXPECT_EQ(vcd.most(board + "s5933." + name),
              figure({"board0", "s5933", group, "fifo_high_water"}));
    EXPECT_EQ(vcd.last(board + "s5933." + name), 0U);
  }
  EXPECT_EQ(vcd.times(board + "s5933.inta", "1"), figure({"board0", "s5933", "interrupts"}));
  EXPECT_EQ(vcd.times(board + "array.host_has_bus", "1"), figure({"board0", "pld", "holds"}));
  EXPECT_EQ(vcd.times(board + "bus.write", "1"), array("master_writes"));
  EXPECT_EQ(vcd.last(board + "sram.host_writes"), figure({"board0", "sram", "host_writes"}));
  EXPECT_EQ(vcd.last("pc0.driver.batches"), figure({"driver", "batches"}));
  EXPECT_EQ(vcd.end(), json("t.json").at("simulated_time_ps").to_number<std::uint64_t>());
}

// Wire-OR: the line is low from the first pull to the pull-up's rise after the last release.
TEST_F(Trace, TheVoteLineIsTheSumOfTheVotes) {
  const Vcd vcd = trace("--dsps 6");
  const auto& line = vcd.of("pc0.board0.array.vote");
  constexpr std::uint64_t kCycle = 33'334;  // rounded up
  ASSERT_GT(line.size(), 3U);
  for (const Vcd::Change& change : line) {
    if (change.ps == 0) continue;
    bool pulled = false;
    bool pulledBefore = false;
    for (int i = 0; i < 6; ++i) {
      const std::string vote = "pc0.board0.dsp" + std::to_string(i) + ".vote";
      pulled = pulled || vcd.at(vote, change.ps) == "1";
      pulledBefore = pulledBefore || vcd.at(vote, change.ps - 3 * kCycle) == "1";
    }
    if (change.value == "1") {
      ASSERT_TRUE(pulled) << change.ps;
    } else {
      ASSERT_FALSE(pulled) << change.ps;
      ASSERT_TRUE(pulledBefore) << change.ps;
    }
  }
}

// The DSPs give the bus away no sooner than HOLD acts (c32.md 9.3), and at once then if they are
// idle.
TEST_F(Trace, TheHostHasTheBusHoldCyclesAfterItAsks) {
  for (const std::uint64_t hold : {1U, 3U}) {
    const Vcd vcd =
        trace("--dsps 4 --set tigershark.sram_words=1024 --set tigershark.hold_cycles=" +
              std::to_string(hold));
    std::uint64_t least = ~std::uint64_t{0};
    for (const Vcd::Change& grant : vcd.of("pc0.board0.array.host_has_bus")) {
      if (grant.value != "1") continue;
      std::uint64_t asked = 0;
      for (const Vcd::Change& request : vcd.of("pc0.board0.pld.hold_request"))
        if (request.value == "1" && request.ps <= grant.ps) asked = request.ps;
      least = std::min(least, grant.ps - asked);
    }
    constexpr std::uint64_t kCycle = 33'333;  // rounded down
    EXPECT_GE(least, hold * kCycle);
    EXPECT_LE(least, (hold + 1) * (kCycle + 1)) << "asked between two edges";
  }
}

TEST_F(Trace, PagesAndBanksShow) {
  const Vcd vcd =
      trace("--dsps 4 --set tigershark.sram_words=1024 --set tigershark.double_buffer=on");
  EXPECT_EQ(vcd.times("pc0.board0.sram.bank", "1") + vcd.times("pc0.board0.sram.bank", "0"),
            vcd.of("pc0.board0.pld.page_select").size() - 1);
}

/// Every signal has in `piece` what it has in `whole` from `from` to `to`, in picoseconds.
void expectPiece(const Vcd& whole, const Vcd& piece, std::uint64_t from, std::uint64_t to) {
  EXPECT_EQ(piece.begin(), from);
  EXPECT_EQ(piece.end(), to);
  ASSERT_EQ(piece.all().size(), whole.all().size());
  std::size_t changes = 0;
  for (const auto& [name, variable] : piece.all()) {
    std::map<std::uint64_t, std::string> expected;
    expected[from] = whole.at(name, from);
    for (const Vcd::Change& c : whole.of(name)) {
      if (c.ps > from && c.ps <= to) expected[c.ps] = c.value;
    }
    std::map<std::uint64_t, std::string> found;
    for (const Vcd::Change& c : variable.changes) found[c.ps] = c.value;
    EXPECT_EQ(found, expected) << name;
    changes += found.size();
  }
  EXPECT_GE(changes, piece.all().size());
}

TEST_F(Trace, AWindowIsAPieceOfTheWhole) {
  const Vcd whole = trace("--dsps 4");
  const Vcd piece = trace("--dsps 4 --set trace.from_us=1500 --set trace.to_us=2500.5");
  expectPiece(whole, piece, 1'500'000'000, 2'500'500'000);
  EXPECT_GT(piece.of("pc0.board0.array.barrier").size(), 10U);
}

// Outside the window nobody looks at the pins: what the window begins with is found out when it
// begins, in the chain, in the walk, at a barrier, while the host has the bus.
TEST_F(Trace, EveryWindowBeginsWithWhatTheWholeHasThen) {
  for (const char* const options :
       {"--dsps 9 --set array.engine=simt", "--dsps 9 --set array.engine=scalar",
        "--dsps 4 --timing strict --set tigershark.sram_words=1024",
        "--dsps 9 --set array.engine=simt --set array.quantum=500"}) {
    const Vcd whole = trace(options);
    const std::uint64_t all = whole.end() / 1'000'000;
    for (std::uint64_t n = 0; n < 12; ++n) {
      const std::uint64_t from = all * n / 12 + 170;
      const std::uint64_t to = from + all / (5 + n);
      SCOPED_TRACE(std::string(options) + ", from " + std::to_string(from) + " us");
      const Vcd piece =
          trace(std::string(options) + " --set trace.from_us=" + std::to_string(from) +
                " --set trace.to_us=" + std::to_string(to));
      expectPiece(whole, piece, from * 1'000'000, std::min(to * 1'000'000, whole.end()));
    }
  }
}

TEST_F(Trace, EnginesWriteTheSameBytes) {
  const auto bytes = [&](const char* options) {
    EXPECT_EQ(run(std::string("a.shk -q -o x.png --dsps 9 --trace t.vcd ") + options).status, 0);
    return test::slurp(path("t.vcd"));
  };
  const std::string scalar = bytes("--set array.engine=scalar");
  EXPECT_EQ(bytes("--set array.engine=simt"), scalar);
  EXPECT_EQ(bytes("--set array.engine=simt --timing strict"), scalar);
}

// What a DSP in the chain does: it sleeps while `idle` is up, and works else.
TEST_F(Trace, SleepIsWhatTheStatisticsCallIdle) {
  const Vcd vcd = trace("--dsps 4");
  std::uint64_t idle = 0;
  for (int i = 0; i < 4; ++i) {
    const std::string dsp = "pc0.board0.dsp" + std::to_string(i) + ".";
    idle += vcd.duration(dsp + "idle", "1");
    EXPECT_GT(vcd.times(dsp + "idle", "1"), figure({"driver", "batches"}));
    EXPECT_LT(vcd.duration(dsp + "idle", "1"), vcd.end());
  }
  const double cycles = static_cast<double>(idle) * 30e6 / 1e12;
  const auto expected = static_cast<double>(figure({"board0", "array", "cycles_idle"}));
  EXPECT_NEAR(cycles, expected, expected * 1e-6 + 4);
}

TEST_F(Trace, SymbolsStandBesideProgramCounters) {
  const Vcd vcd = trace("--dsps 4");
  for (const char* const module : {"pc0.board0.dsp2", "pc0.board0.bus"}) {
    const std::string name(module);
    std::map<std::string, std::string> symbols;  // by pc
    for (const Vcd::Change& c : vcd.of(name + ".symbol")) {
      const std::string pc = vcd.at(name + ".pc", c.ps);
      if (pc == "z") {
        EXPECT_EQ(c.value, "-");
        continue;
      }
      const auto [known, added] = symbols.emplace(pc, c.value);
      EXPECT_EQ(known->second, c.value) << pc;
    }
    EXPECT_GT(symbols.size(), 1U) << name;
  }
  const auto& waits = vcd.of("pc0.board0.dsp2.symbol");
  EXPECT_TRUE(std::any_of(waits.begin(), waits.end(), [](const Vcd::Change& c) {
    return contains(c.value, "record");
  })) << "where the DSPs wait for a record";
}

TEST_F(Trace, OnlyTheModulesAskedFor) {
  const Vcd whole = trace("--dsps 12");
  const Vcd some = trace("--dsps 12 --set trace.modules=board0.dsp1*,driver");
  EXPECT_TRUE(some.has("pc0.board0.dsp1.state"));
  EXPECT_TRUE(some.has("pc0.board0.dsp11.pc"));
  EXPECT_TRUE(some.has("pc0.driver.batch"));
  EXPECT_FALSE(some.has("pc0.board0.dsp2.state"));
  EXPECT_FALSE(some.has("pc0.board0.array.vote"));
  for (const auto& [name, variable] : some.all()) {
    EXPECT_EQ(variable.changes.size(), whole.of(name).size()) << name;
  }
}

TEST_F(Trace, JsonSaysTheSame) {
  const Vcd vcd = trace("--dsps 4");
  ASSERT_EQ(run("a.shk -q -o x.png --dsps 4 --trace t2.json").status, 0);
  const boost::json::value trace = json("t2.json");
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> threads;
  std::map<std::string, std::uint64_t> slices;
  std::map<std::string, std::uint64_t> counters;
  for (const boost::json::value& event : trace.at("traceEvents").as_array()) {
    const std::string kind(event.at("ph").as_string());
    const std::string name(event.at("name").as_string());
    if (kind == "M" && name == "thread_name") {
      threads[{event.at("pid").as_int64(), event.at("tid").as_int64()}] =
          std::string(event.at("args").at("name").as_string());
    } else if (kind == "X") {
      ASSERT_GT(event.at("dur").as_double(), 0);
      ++slices[threads.at({event.at("pid").as_int64(), event.at("tid").as_int64()}) + "=" + name];
    } else if (kind == "C") {
      counters[name] = event.at("args").at("value").to_number<std::uint64_t>();
    }
  }
  const std::string board = "pc0.board0.";
  EXPECT_EQ(slices["array.vote=vote"], vcd.times(board + "array.vote", "1"));
  EXPECT_EQ(slices["dsp2.state=wait"], vcd.times(board + "dsp2.state", "wait"));
  EXPECT_EQ(slices["dsp3.state=run"], vcd.times(board + "dsp3.state", "run"));
  EXPECT_EQ(counters["array.barriers"], vcd.last(board + "array.barriers"));
  EXPECT_EQ(counters["s5933.p2a_words"], vcd.last(board + "s5933.p2a_words"));
}

TEST_F(Trace, EveryHostComputerHasItsSignals) {
  const Vcd vcd = trace("--dsps 4 --hosts 2 --boards 2");
  for (const char* const board : {"pc0.board0.", "pc0.board1.", "pc1.board0.", "pc1.board1."}) {
    EXPECT_GT(vcd.last(std::string(board) + "array.barriers"), 0U);
  }
  EXPECT_EQ(vcd.last("pc0.driver.batches"), figure({"driver", "batches"}));
}

TEST_F(Trace, TheiaSignalsAgreeWithTheStatistics) {
  const Vcd vcd = trace("--engine theia --size 8x8 --depth 1");
  for (int i = 0; i < 4; ++i) {
    const std::string core = "core" + std::to_string(i);
    const auto clocks = [&](const char* what) { return figure({"theia", core.c_str(), what}); };
    constexpr std::uint64_t kPeriod = 10'000;  // ps
    EXPECT_EQ(
        vcd.duration("pc0.theia." + core + ".state", "main"),
        kPeriod * (clocks("main_busy") + clocks("main_divider") + clocks("main_texture_stall")));
  }
  EXPECT_EQ(vcd.times("pc0.theia.hdl", "1"), vcd.last("pc0.theia.triangles"));
  EXPECT_EQ(vcd.last("pc0.theia.pixels"), figure({"theia", "pixels_committed"}));
  EXPECT_EQ(vcd.times("pc0.theia.rcommit", "1"), vcd.last("pc0.theia.pixels"));
  EXPECT_EQ(vcd.times("pc0.theia.rendering", "1"), vcd.last("pc0.theia.frames"));
}

TEST_F(Trace, XphmgSignalsAgreeWithTheStatistics) {
  const Vcd vcd = trace("--engine xphmg --set xphmg.job_rays=7 --set xphmg.queue_depth=3");
  const std::uint64_t jobs = figure({"unit0", "jobs"});
  EXPECT_GT(jobs, 10U);
  EXPECT_EQ(vcd.last("pc0.unit0.head"), jobs);
  EXPECT_EQ(vcd.last("pc0.unit0.tail"), jobs);
  EXPECT_EQ(vcd.last("pc0.unit0.rays"), figure({"unit0", "rays"}));
  std::uint64_t shown = 0;
  for (const Vcd::Change& c : vcd.of("pc0.unit0.job")) shown += c.value == "z" ? 0U : 1U;
  EXPECT_EQ(shown, jobs);
  EXPECT_GT(vcd.times("pc0.unit0.irq", "1"), 0U);
}

TEST_F(Trace, ShadingUnitSignalsAgreeWithTheStatistics) {
  const std::string scene = RTVP_SOURCE_DIR "/scenes/shaderball.shk";
  const Outcome r = run(scene +
                        " --size 16x16 --engine reference -q -o x.png --stats t.json --trace t.vcd "
                        "--set trace.modules=sl");
  ASSERT_EQ(r.status, 0) << r.err;
  const Vcd vcd(test::slurp(path("t.vcd")));
  EXPECT_EQ(vcd.times("pc0.sl.busy", "1"), figure({"sl", "batches"}));
  EXPECT_EQ(vcd.last("pc0.sl.posted"), vcd.last("pc0.sl.taken"));
  EXPECT_GT(vcd.last("pc0.sl.answered"), 0U);
}

// ---- runs that do not end well: their trace is what one looks at

TEST_F(Trace, AFaultLeavesATraceThatEndsWithTheHaltedDsp) {
  write("f.asm",
        "        .sect \"reset\",0,0\n        .word boot\n        .sect \"boot\",40h,40h\nboot:   "
        "NOP\n        .word 0FFFFFFFFh\n");
  ASSERT_EQ(runTool("c32-as", "-o f.coff f.asm").status, 0);
  for (const char* const hosts : {"1", "2"}) {
    const Outcome r = run(std::string("a.shk -o x.png --set tigershark.firmware=f.coff --dsps 4 "
                                      "--trace t.vcd --hosts ") +
                          hosts);
    EXPECT_EQ(r.status, 3) << r.err;
    EXPECT_FALSE(std::filesystem::exists(path("x.png")));
    const Vcd vcd(test::slurp(path("t.vcd")));
    EXPECT_EQ(vcd.of("pc0.board0.dsp0.state").back().value, "halt");
    EXPECT_EQ(vcd.last("pc0.board0.dsp0.pc"), 0x41U);
    EXPECT_EQ(vcd.of("pc0.board0.dsp0.symbol").back().value, "boot+1");
    EXPECT_EQ(vcd.end(), failureTime(r.err));
  }
}

// The same far into a run, with words on the links and votes on the line: in our firmware, every
// DSP reads its own address instead of the page's.
TEST_F(Trace, AFaultInTheWalkEndsTheTrace) {
  for (const auto& file :
       std::filesystem::directory_iterator(RTVP_BINARY_DIR "/firmware/tigershark")) {
    if (!file.is_regular_file()) continue;
    std::string text = test::slurp(file.path());
    const std::string page = "LDI     PARAM_DATABASE,AR0";
    const std::size_t at = text.find(page);
    if (at != std::string::npos) text.replace(at, page.size(), "LDI     @id,AR0");
    write(file.path().filename().string(), text);
  }
  ASSERT_EQ(runTool("c32-as", "-o f.coff tigershark.asm").status, 0);
  // Other modules have run ahead of the failing one by different times.
  for (const char* const settings : {"--dsps 4", "--dsps 16 --timing strict", "--dsps 6 --boards 2",
                                     "--dsps 6 --boards 3 --set array.quantum=300"}) {
    const Outcome r = run(
        std::string("a.shk -o x.png --set tigershark.firmware=f.coff --trace t.vcd ") + settings);
    EXPECT_EQ(r.status, 3) << r.err;
    const Vcd vcd(test::slurp(path("t.vcd")));
    EXPECT_EQ(vcd.end(), failureTime(r.err)) << settings;
    EXPECT_GT(vcd.last("pc0.board0.dsp3.tx_words"), 0U);
  }
}

TEST_F(Trace, ALimitEndsTheTraceWithTheRun) {
  const Outcome r = run("a.shk -o x.png --set run.limit_ms=1.25 --dsps 4 --trace t.vcd");
  EXPECT_EQ(r.status, 4) << r.err;
  const Vcd vcd(test::slurp(path("t.vcd")));
  EXPECT_EQ(vcd.end(), 1'250'000'000U);
}

TEST_F(Trace, WrongRequestsAreStatusTwoAndWriteNothing) {
  write("t.vcd", "before");
  const std::map<std::string, const char*> wrong = {
      {"--trace t.fst", "ends in .vcd, .vcd.gz, .json or .json.gz"},
      {"--trace t", "ends in .vcd, .vcd.gz, .json or .json.gz"},
      {"--trace nowhere/t.vcd", "no folder"},
      {"--trace t.json --stats t.json", "two outputs"},
      {"--trace t.vcd --engine reference", "no machine"},
      {"--trace t.vcd --set trace.from_us=7 --set trace.to_us=6", "after trace.from_us"},
      {"--trace t.vcd --set trace.from_us=-1", "trace.from_us"},
      {"--trace t.vcd --set trace.modules=board0.dps3", "board0.dsp3"},
      {"--trace t.vcd --set trace.modules=board0,,driver", "trace.modules"}};
  for (const auto& [options, message] : wrong) {
    const Outcome r = run("a.shk -q -o x.png --dsps 4 " + options);
    EXPECT_EQ(r.status, 2) << options;
    EXPECT_TRUE(contains(r.err, message)) << options << "\n" << r.err;
    EXPECT_FALSE(std::filesystem::exists(path("x.png"))) << options;
  }
  EXPECT_EQ(test::slurp(path("t.vcd")), "before");
}

TEST_F(Trace, ATraceChangesNothingElse) {
  ASSERT_EQ(run("a.shk -q --dsps 4 -o a.png --stats a.json").status, 0);
  ASSERT_EQ(run("a.shk -q --dsps 4 -o b.png --stats b.json --trace b.vcd").status, 0);
  EXPECT_EQ(test::slurp(path("a.png")), test::slurp(path("b.png")));
  EXPECT_EQ(comparableStats("a.json"), comparableStats("b.json"));
}

}  // namespace
}  // namespace rtvp
