// Call graphs of programs: cycles and stack counted by hand from c32.md 7.2 and 7.4.
#include "models/c32/analysis/call_graph.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "models/c32/asm/assembler.hpp"

namespace rtvp::c32::analysis {
namespace {

class C32CallGraph : public testing::Test {
 protected:
  void build(const std::string& source, const CallGraphOptions& options = {}) {
    const AssemblyResult result = assemble("a.asm", source, {});
    ASSERT_TRUE(result.image) << result.report();
    image_ = *result.image;
    graph_ = makeCallGraph(image_, options);
  }
  const RoutineReport& routine(const std::string& name) const {
    static const RoutineReport kNone;
    for (const RoutineReport& r : graph_.routines) {
      if (r.name == name) return r;
    }
    ADD_FAILURE() << "no routine " << name << "\n" << callGraphText(graph_, image_);
    return kNone;
  }
  std::optional<Cycles> cycles(const std::string& name) const { return routine(name).cycles; }
  std::string problems(const std::string& name) const {
    std::string text;
    for (const Problem& p : routine(name).problems) text += p.text + "\n";
    return text;
  }
  Image image_;
  CallGraph graph_;
};

TEST_F(C32CallGraph, CyclesAndStackOfCalls) {
  build(
      "\t.global main, f\n\t.text\nmain:\tPUSH R4\n\tCALL f\n\tCALL f\n\tPOP R4\n\tRETS\n"
      "f:\tLDI 1,R0\n\tADDI R0,R0\n\tRETS\n");
  EXPECT_EQ(cycles("f"), 1 + 1 + 4);
  EXPECT_EQ(cycles("main"), 1 + 2 * (4 + 6) + 1 + 4);
  EXPECT_EQ(routine("f").stack, 0);
  EXPECT_EQ(routine("main").stack, 2) << "R4 and a return address";
  ASSERT_EQ(routine("main").calls.size(), 1);
  EXPECT_EQ(routine("main").calls.begin()->second, (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(C32CallGraph, Repeats) {
  build(
      "\t.global a, b, c\n\t.text\na:\tLDI 9,RC\n\tRPTB e\n\tNOP\ne:\tNOP\n\tRETS\n"
      "b:\tRPTS 4\n\tNOP\n\tRETS\n"
      "c:\tLDI 2,R7\nl:\tLDI 3,RC\n\tRPTB f\nf:\tNOP\n\tLDI 1,AR0\n\tNOP\n\tNOP\nd:\tDBU AR0,d\n"
      "\tRETS\n");
  EXPECT_EQ(cycles("a"), 1 + 4 + 10 * 2 + 4);
  EXPECT_EQ(cycles("b"), 4 + 5 + 4);
  EXPECT_EQ(cycles("c"), 1 + 1 + 4 + 4 + 3 + 2 * 4 + 4);
}

TEST_F(C32CallGraph, CountedLoopsInEachOther) {
  build(
      "\t.global f\n\t.text\nf:\tLDI 3,AR0\n\tLDI 0,R0\nouter:\tLDI 1,AR1\n\tNOP\n\tNOP\n"
      "inner:\tADDI 1,R0\n\tNOP\n\tDBU AR1,inner\n\tNOP\n\tDBUD AR0,outer\n\tNOP\n\tNOP\n\tNOP\n"
      "\tRETS\n");
  // inner: two rounds of 1 + 1 + 4; outer: four rounds of 3 + 12 + 1 + 1 + 3.
  EXPECT_EQ(cycles("f"), 2 + 4 * (3 + 12 + 1 + 1 + 3) + 4);
}

TEST_F(C32CallGraph, ComparedLoops) {
  build(
      "\t.global up, down, slots, skip, other, twice\n\t.text\n"
      "up:\tLDI 0,R4\nu:\tNOP\n\tADDI 2,R4\n\tCMPI 9,R4\n\tBLT u\n\tRETS\n"
      "down:\tLDI 6,R0\nd:\tSUBI 1,R0\n\tBNZ d\n\tRETS\n"
      "slots:\tLDI 1,AR4\ns:\tADDI 1,AR4\n\tCMPI 8,AR4\n\tBLSD s\n\tNOP\n\tNOP\n\tNOP\n\tRETS\n"
      "skip:\tLDI 0,R4\nk:\tCMPI 0,R1\n\tBZ l\n\tADDI 1,R4\nl:\tCMPI 9,R4\n\tBLT k\n\tRETS\n"
      "other:\tLDI 0,R4\no:\tADDI 1,R4\n\tLDI *AR0,R4\n\tCMPI 9,R4\n\tBLT o\n\tRETS\n"
      "twice:\tLDI 0,R4\nt:\tADDI 1,R4\n\tCMPI 3,R4\n\tADDI 1,R0\n\tBNE t\n\tRETS\n");
  EXPECT_EQ(cycles("up"), 1 + 5 * (3 + 4) + 4) << "2, 4, 6, 8 go back, 10 does not";
  EXPECT_EQ(cycles("down"), 1 + 6 * (1 + 4) + 4);
  EXPECT_EQ(cycles("slots"), 1 + 8 * (2 + 1 + 3) + 4) << "2 to 8 go back, 9 does not";
  EXPECT_EQ(problems("skip"), "a loop whose end no constant tells\n") << "not every round counts";
  EXPECT_EQ(problems("other"), "a loop whose end no constant tells\n");
  EXPECT_EQ(problems("twice"), "a loop whose end no constant tells\n") << "R0's flags decide";
}

TEST_F(C32CallGraph, TheDearerWayCounts) {
  build(
      "\t.global f\n\t.text\nf:\tCMPI 0,R0\n\tBZ short\n\tNOP\n\tNOP\n\tNOP\nshort:\tRETSNZ\n"
      "\tRETS\n");
  EXPECT_EQ(cycles("f"), 1 + 4 + 3 + 4 + 4);
}

TEST_F(C32CallGraph, WaitsForAddressRegisters) {
  build(
      "\t.global f, g\n\t.text\nf:\tLDI 5,AR0\n\tLDI *AR0,R0\n\tRETS\n"
      "g:\tLDI 5,AR0\n\tNOP\n\tLDI *AR0,R0\n\tRETS\n");
  EXPECT_EQ(cycles("f"), 1 + 3 + 4);
  EXPECT_EQ(cycles("g"), 1 + 1 + 2 + 4);
}

/// A C function of TI's compiler returns by a register loaded from its frame.
TEST_F(C32CallGraph, ReturnsByARegister) {
  build(
      "\t.global f, g\n\t.text\nf:\tPUSH AR3\n\tLDI SP,AR3\n\tADDI 2,SP\n\tLDI *-AR3(1),R1\n\tBUD "
      "R1\n"
      "\tLDI *AR3,AR3\n\tNOP\n\tSUBI 4,SP\n"
      "g:\tPOP R1\n\tBU R1\n");
  EXPECT_EQ(problems("f"), "");
  EXPECT_EQ(problems("g"), "");
  EXPECT_EQ(routine("f").stack, 3) << "AR3 and two words of the frame";
  EXPECT_EQ(cycles("g"), 1 + 4);
  // The load by AR3 waits one cycle: one instruction stands between.
  EXPECT_EQ(cycles("f"), 1 + 1 + 1 + 2 + 1 + 3);
}

TEST_F(C32CallGraph, SavedCountersSurviveCalls) {
  const std::string caller =
      "\t.global f, g\n\t.text\nf:\tLDI 4,AR4\n\tNOP\n\tNOP\nl:\tCALL g\n\tDBU AR4,l\n\tRETS\n";
  build(caller + "g:\tPUSH AR4\n\tLDI 7,AR4\n\tPOP AR4\n\tNOP\n\tNOP\n\tRETS\n");
  EXPECT_EQ(cycles("g"), 9);
  EXPECT_EQ(cycles("f"), 3 + 5 * (4 + 9 + 4) + 4);
  build(caller + "g:\tLDI 7,AR4\n\tRETS\n");
  EXPECT_EQ(problems("f"), "a loop that changes its counter AR4\n");
}

TEST_F(C32CallGraph, UnboundedSaysWhy) {
  const std::string source =
      "\t.global f, g, h, i, j\n\t.text\nf:\tLDI R2,RC\n\tRPTB e\ne:\tNOP\n\tRETS\n"
      "g:\tCMPI *AR0++,R0\n\tBNZ g\n\tRETS\n"
      "h:\tCALLU R5\n\tRETS\ni:\tBU i\nj:\tIDLE\n\tRETS\n";
  build(source);
  EXPECT_EQ(problems("f"), "a repeat whose count is not known (R2 of its caller)\n");
  EXPECT_EQ(problems("g"), "a loop whose end no constant tells\n");
  EXPECT_EQ(problems("h"), "it calls an address in R5 that is not known\n");
  EXPECT_EQ(problems("i"), "a loop without end\n");
  EXPECT_EQ(problems("j"), "it waits for an interrupt in IDLE\n");
  EXPECT_FALSE(cycles("f"));
  const std::string text = callGraphText(graph_, image_);
  EXPECT_NE(text.find("cycles: a repeat whose count is not known (R2 of its caller), 000001h f+1 "
                      "(a.asm:4)"),
            std::string::npos)
      << text;
  // The user says how often: f's loop by the address of RPTB, g's by its first instruction.
  build(source, {.bounds = {{1, 10}, {4, 3}}});
  EXPECT_EQ(cycles("f"), 1 + 4 + 10 + 4);
  EXPECT_EQ(cycles("g"), 3 * (1 + 4) + 4);
}

TEST_F(C32CallGraph, RecursionIsNamed) {
  build(
      "\t.global a, b, m\n\t.text\nm:\tCALL a\n\tRETS\na:\tCALL b\n\tRETS\nb:\tCALLNZ a\n\tRETS\n");
  EXPECT_EQ(routine("a").circle, "a -> b -> a");
  EXPECT_EQ(routine("b").circle, "b -> a -> b");
  EXPECT_EQ(routine("m").circle, "");
  EXPECT_FALSE(routine("a").stack);
  EXPECT_EQ(problems("m"), "it needs a, which is not bounded\n");
  const std::string dot = callGraphDot(graph_);
  EXPECT_NE(dot.find("\"a\" -> \"b\""), std::string::npos) << dot;
  EXPECT_NE(dot.find("\"b\" [label=\"b\\nstack ?\\ncycles ?\",color=red];"), std::string::npos)
      << dot;
  EXPECT_EQ(dot.find("\"m\" [label=\"m\\nstack ?\\ncycles ?\",color=red];"), std::string::npos);
}

TEST_F(C32CallGraph, RoutinesGoOnInOthers) {
  build("\t.global a, b, c\n\t.text\na:\tNOP\nb:\tLDI 1,R0\n\tRETS\nc:\tNOP\n\tBR a\n");
  EXPECT_EQ(cycles("b"), 5);
  EXPECT_EQ(cycles("a"), 6);
  EXPECT_EQ(cycles("c"), 1 + 4 + 6);
  EXPECT_EQ(routine("c").jumps.begin()->first, 0);
}

/// What SP is set to is another stack: its words count from there.
TEST_F(C32CallGraph, OwnStack) {
  build(
      "\t.global m, f\n\t.text\nm:\tLDI 100h,SP\n\tNOP\n\tNOP\n\tCALL f\n\tSWI\nf:\tPUSH R0\n"
      "\tPOP R0\n\tRETS\n");
  EXPECT_TRUE(routine("m").ownStack);
  EXPECT_EQ(routine("m").stack, 2);
  EXPECT_EQ(cycles("m"), 3 + 4 + 6 + 4);
}

TEST_F(C32CallGraph, UnbalancedStackIsReported) {
  build("\t.global f\n\t.text\nf:\tPUSH R0\n\tRETS\n");
  EXPECT_FALSE(routine("f").stack);
  ASSERT_EQ(routine("f").stackProblems.size(), 1);
  EXPECT_EQ(routine("f").stackProblems[0].text,
            "it returns by a word that need not be its return address");
}

TEST_F(C32CallGraph, CodeThatIsNone) {
  build("\t.global f, t\n\t.text\nf:\tNOP\n\t.word 0FFFFFFFFh\nt:\t.word 0FFFFFFFFh\n");
  EXPECT_EQ(problems("f"), "it runs into a word that is no instruction\n");
  EXPECT_EQ(graph_.routines.size(), 1) << "t is a table";
}

}  // namespace
}  // namespace rtvp::c32::analysis
