// `platform --debug`: dialogues on simulated boards, and that looking changes nothing.
#include <algorithm>
#include <sstream>
#include <vector>

#include "run_platform.hpp"

namespace rtvp::test {
namespace {

class PlatformDebugger : public PlatformTest {
 protected:
  void SetUp() override {
    PlatformTest::SetUp();
    write("s.shk", kSmallScene);
  }
  /// A run of 16 DSPs under these commands.
  [[nodiscard]] Outcome debug(const std::string& commands, const std::string& options = "") const {
    return run("s.shk --quiet --size 8x4 --depth 1 --dsps 16 -o d.png --debug " + options +
               " -x '" + commands + "'");
  }
};

constexpr const char* kScalar = "--set array.engine=scalar";
constexpr const char* kSimt = "--set array.engine=simt";
// Where every DSP sends on what it has received.
constexpr const char* kChainPlace = "pass";

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int n = 0; n < times; ++n) all += text;
  return all;
}

TEST_F(PlatformDebugger, RefusesWhatCannotBeBeforeAnythingRuns) {
  const auto refused = [this](const std::string& arguments, const std::string& because) {
    const Outcome r = run(arguments);
    EXPECT_EQ(r.status, 2) << arguments << r.out;
    EXPECT_TRUE(contains(r.err, because)) << r.err;
    EXPECT_EQ(r.out, "") << arguments;
  };
  refused("s.shk --debug -x 'run; brek record'", "found 'brek', expected a command");
  refused("s.shk --debug -x 'break nosuchplace'", "nosuchplace");
  refused("s.shk --debug --hosts 2 -x run", "--debug: found 2 --hosts, expected 1");
  refused("s.shk --debug --engine reference -x run", "--engine tigershark");
  refused("s.shk -x run", "expected --debug");
  refused("s.shk --commands f", "expected --debug");
  refused("s.shk --debug --commands missing", "missing: found no such file, expected commands");
  refused("compare a.png b.png --debug", "belongs to a run");
  write("f", "run\n\nstep here\n");
  refused("s.shk --debug --commands f", "f:3: ");
}

TEST_F(PlatformDebugger, LanesThatStopTogetherAreOneStopLowestFirst) {
  for (const char* const engine : {kScalar, kSimt}) {
    const Outcome r =
        debug("break record; run; print PC - record; dsp 3; print PC - record", engine);
    ASSERT_EQ(r.status, 0) << r.err;
    const std::vector<std::string> lines = linesOf(r.out);
    ASSERT_GE(lines.size(), 20U) << r.out;
    EXPECT_TRUE(lines[0].starts_with("breakpoint 1 at 87")) << lines[0];
    for (std::size_t lane = 0; lane < 16; ++lane) {
      const std::string head = "board0.dsp" + std::to_string(lane) + ": breakpoint 1 at 87";
      EXPECT_TRUE(lines[1 + lane].starts_with(head)) << lines[1 + lane];
      EXPECT_TRUE(contains(lines[1 + lane], " record (")) << lines[1 + lane];
    }
    EXPECT_EQ(lines[18], "00000000  0");
    EXPECT_TRUE(lines[19].starts_with("board0.dsp3 at ")) << lines[19];
    EXPECT_EQ(lines[20], "00000000  0");
  }
}

TEST_F(PlatformDebugger, EnginesSayTheSame) {
  const std::string commands =
      "time; break record; run; time; where; units R0, AR0, IOF; regs all; step; time; next 3; "
      "time; disassemble; memory AR0 8; symbols rec; delete all; watch best on dsp5; run; regs; "
      "info; delete all; run 1000 cycles; time; units; dsp 7; run 3 us; time; run 20 instructions; "
      "units; until record; stop if dsp2.R0 != dsp3.R0; run; units R0; delete all; "
      "break record once if dsp1.AR0 > 0; run; info; run";
  const Outcome scalar = debug(commands, kScalar), simt = debug(commands, kSimt);
  EXPECT_EQ(scalar.status, 0) << scalar.err;
  EXPECT_EQ(simt.status, 0) << simt.err;
  EXPECT_EQ(scalar.out, simt.out);
  EXPECT_FALSE(contains(scalar.out, "error:")) << scalar.out;
  EXPECT_TRUE(contains(scalar.out, "the run is over")) << scalar.out;
}

/// Breakpoints that lanes halt at by themselves, and the same looked at instruction by instruction:
/// in the code that moves words along the chain, where processors run by summaries of it, too.
TEST_F(PlatformDebugger, BreakpointsAtFullSpeedAreThoseThatAreLookedFor) {
  for (const char* const engine : {kScalar, kSimt}) {
    for (const char* const place : {kChainPlace, "record"}) {
      const auto with = [&](const std::string& condition) {
        const Outcome r =
            debug("break " + std::string(place) + condition + "; " +
                      repeated("run; time; units R0, AR0; ", 12) + "dsp 15; run; time",
                  engine);
        EXPECT_EQ(r.status, 0) << r.err;
        return r.out.substr(r.out.find('\n'));
      };
      const std::string fast = with("");
      EXPECT_EQ(fast, with(" if 1 == 1")) << engine << " " << place;
      EXPECT_FALSE(contains(fast, "the run is over")) << fast;
    }
  }
}

/// A lane that falls asleep in the very cycle of a stop sleeps: the array waits for words, and not
/// for that lane.
TEST_F(PlatformDebugger, StopsAmongTheWordsOfTheChainLoseNobody) {
  const std::string scene = "s.shk --quiet --size 6x4 --depth 1 --dsps 6 --hits ";
  for (const char* const engine : {kScalar, kSimt}) {
    ASSERT_EQ(run(scene + "a.csv -o a.png " + engine).status, 0);
    for (const char* const commands :
         {"tbreak keep_word+1 on dsp3; run; delete; run", "tbreak keep_word; run; step 40; run",
          "run 2441 cycles; watch best on dsp3; run; delete; run",
          "tbreak pass on dsp1; run; run 100 cycles; run 1000 cycles; run"}) {
      const Outcome r = run(scene + "b.csv -o b.png " + engine + " --debug -x '" + commands + "'");
      EXPECT_EQ(r.status, 0) << commands << r.err;
      EXPECT_EQ(slurp(path("a.csv")), slurp(path("b.csv"))) << commands;
    }
  }
}

/// Several lanes that meet a stop at once do its actions once.
TEST_F(PlatformDebugger, ActionsAreDoneOnceAStop) {
  const Outcome r = debug("break record once do { echo ACTED; step }; run; quit");
  ASSERT_EQ(r.status, 0) << r.err;
  const std::vector<std::string> lines = linesOf(r.out);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "ACTED"), 1) << r.out;
}

TEST_F(PlatformDebugger, StepsAreOneInstructionOfTheFocus) {
  const Outcome r = debug(
      "break record once; run; print instructions; step; print instructions; "
      "step 10; print instructions; print dsp4.instructions; dsp 4; step; "
      "print instructions");
  ASSERT_EQ(r.status, 0) << r.err;
  std::vector<long> counts;
  for (const std::string& line : linesOf(r.out)) {
    if (line.size() > 10 && line[8] == ' ' && line[9] == ' ' &&
        line.find_first_not_of("0123456789abcdef ") == std::string::npos)
      counts.push_back(std::stol(line.substr(10)));
  }
  ASSERT_EQ(counts.size(), 5U) << r.out;
  EXPECT_EQ(counts[1], counts[0] + 1);
  EXPECT_EQ(counts[2], counts[1] + 10);
  EXPECT_EQ(counts[4], counts[3] + 1);
}

/// One hundred stops of all kinds, and not one: the same in every file.
TEST_F(PlatformDebugger, AHundredStopsChangeNothing) {
  const std::string scene = "s.shk --size 8x4 --depth 2 --dsps 16 --boards 2 ";
  const auto outputs = [](const std::string& name) {
    return "-o " + name + ".png --hits " + name + ".csv --stats " + name + ".json --trace " + name +
           ".vcd ";
  };
  write("c", "break record\n" + repeated("run\n", 20) + "delete all\n" +
                 repeated("run 997 cycles\n", 30) + repeated("step 7\n", 20) + "dsp board1.dsp9\n" +
                 "watch best\n" + repeated("run\n", 5) + "delete all\n" +
                 repeated("run 5 us\n", 25) + "run\n");
  for (const char* const engine : {kScalar, kSimt}) {
    ASSERT_EQ(run(scene + engine + " " + outputs("a")).status, 0);
    const Outcome r = run(scene + engine + " " + outputs("b") + "--debug --commands c");
    ASSERT_EQ(r.status, 0) << r.err << r.out;
    EXPECT_TRUE(contains(r.out, "the run is over")) << r.out;
    EXPECT_EQ(slurp(path("a.png")), slurp(path("b.png")));
    EXPECT_EQ(slurp(path("a.csv")), slurp(path("b.csv")));
    EXPECT_EQ(slurp(path("a.vcd")), slurp(path("b.vcd")));
    boost::json::value a = json("a.json"), b = json("b.json");
    for (boost::json::value* v : {&a, &b}) v->as_object().erase("host");
    EXPECT_EQ(a, b);
  }
}

TEST_F(PlatformDebugger, LeavingWritesNothing) {
  const Outcome r = debug("run 10 us; quit; run");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_FALSE(std::filesystem::exists(path("d.png")));
  const Outcome whole = debug("run");
  EXPECT_EQ(whole.status, 0) << whole.err;
  EXPECT_TRUE(std::filesystem::exists(path("d.png")));
}

/// Forwards step by step with everything printed, then all the way back: the same states.
TEST_F(PlatformDebugger, ReverseStepsRestoreEveryState) {
  constexpr int kSteps = 100;
  const std::string state = "echo STATE; time; regs all; units [best], [AR0]\n";
  write("c", "break record once\nrun\n" + state + repeated("step\n" + state, kSteps) +
                 repeated("reverse-step\n" + state, kSteps));
  for (const char* const engine : {kScalar, kSimt}) {
    const Outcome r = run(
        std::string("s.shk --size 4x2 --depth 1 --dsps 4 -o d.png --debug --commands c ") + engine);
    ASSERT_EQ(r.status, 0) << r.err;
    std::vector<std::string> states;
    for (const std::string& line : linesOf(r.out)) {
      if (line == "STATE") states.emplace_back();
      // What a stop shows of the next instruction belongs to the stop.
      if (!states.empty() && !line.starts_with("at ") && !line.starts_with("board0.dsp0: at") &&
          line.find('\t') == std::string::npos)
        states.back() += line + "\n";
    }
    ASSERT_EQ(states.size(), 2U * kSteps + 1) << r.out.substr(0, 4000);
    for (int n = 0; n <= kSteps; ++n) {
      ASSERT_EQ(states[static_cast<std::size_t>(kSteps + n)],
                states[static_cast<std::size_t>(kSteps - n)])
          << n << " steps back";
    }
  }
}

TEST_F(PlatformDebugger, ReverseContinueFindsTheLatestStop) {
  for (const char* const engine : {kScalar, kSimt}) {
    const Outcome r = debug(
        "break record; run; time; run; time; run; time; reverse-continue; time; "
        "reverse-continue; time; reverse-continue; time; run; time",
        engine);
    ASSERT_EQ(r.status, 0) << r.err;
    std::vector<std::string> times;
    for (const std::string& line : linesOf(r.out)) {
      if (contains(line, " us, cycle ")) times.push_back(line);
    }
    ASSERT_EQ(times.size(), 7U) << r.out;
    EXPECT_EQ(times[3], times[1]);
    EXPECT_EQ(times[4], times[0]);
    EXPECT_EQ(times[5], "0.000000 us, cycle 0");
    EXPECT_EQ(times[6], times[0]);
    EXPECT_TRUE(contains(r.out, "no stop before: the beginning")) << r.out;
  }
}

TEST_F(PlatformDebugger, WhatIsChangedByHandIsPartOfHistory) {
  const Outcome r =
      debug("break record once; run; set R5 = 12345; step 3; reverse-step 2; print R5");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "00003039  12345")) << r.out;
}

/// Each special stop, with what must be true there; the same on both engines.
TEST_F(PlatformDebugger, StopsThatOnlyThisMachineHas) {
  const std::string commands =
      "run 30 us; stop interrupt once; run; "
      "stop link once; run; print VOTE_HIGH; stop vote once; run; print VOTE_HIGH; "
      "stop vote once; run; print VOTE_HIGH; stop barrier once; run; print PLD_STATUS & 4; "
      "stop barrier 1 once; run; stop parts once; run; print PC == dsp0.PC; "
      "stop fifo once; run; stop fifo 2 once; run; print P2A_WORDS + A2P_WORDS >= 2; "
      "dsp 0; stop if A2P_WORDS > 0 on dsp0 once; run; print A2P_WORDS; "
      "stop if instructions >= 18000 on dsp1 once; run; print dsp1.instructions; "
      "watch S5933_MCSR on dsp0 once; delete all; set PLD_STATUS = 1";
  const Outcome scalar = debug(commands, kScalar), simt = debug(commands, kSimt);
  EXPECT_EQ(scalar.out, simt.out);
  const auto said = [&](const char* text) {
    EXPECT_TRUE(contains(scalar.out, text)) << text << "\n" << scalar.out << scalar.err;
  };
  said("interrupt, at ");
  said(": sends 10000000, there in cycle ");
  said("the vote line is low");
  said("the vote line is high");
  said("the last at a barrier, ");
  said("00000004  4");
  said("leaves the path of board0.dsp0");
  said("FIFO PCI to add-on holds ");
  said("00004650  18000");
  said("PLD_STATUS is the board's: it can be read, not set");
}

}  // namespace
}  // namespace rtvp::test
