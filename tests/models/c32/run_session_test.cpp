// Programs under observation: breakpoints, watchpoints, checks, trace, profile, coverage, commands.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/debug/driver.hpp"
#include "models/c32/debug/report.hpp"
#include "models/c32/debug/unit.hpp"
#include "models/debug/log_bytes.hpp"

namespace rtvp::c32 {
namespace {

constexpr const char* kProgram = R"(
        .text
_start: LDP   @pointer
        LDI   @stackp,SP
        LDI   @pointer,AR0
        LDI   2,R1
loop:   CALL  work
        SUBI  1,R1
        BNZ   loop
        LDI   @exit,AR7
        LDI   0,R0
        STI   R0,*AR7
        BU    $
work:   PUSH  R1
        LDI   *AR0,R2
        ADDI  1,R2
        STI   R2,*AR0
        POP   R1
        RETS
        .data
pointer: .word counter
stackp: .word stack-1
exit:   .word 82FFF2h
counter: .word 40
stack   .usect "stack",8
)";

/// Types one line and keeps what is said, without the instruction that a stop shows.
struct Typist final : debug::Host {
  void print(const std::string& text) override { said += text; }
  std::optional<std::string> line(const std::string& /*prompt*/) override {
    return std::exchange(next, std::nullopt);
  }
  const std::vector<std::string>* source(const std::string& /*path*/) override { return nullptr; }
  std::optional<std::string> commands(const std::string& /*path*/) override { return std::nullopt; }
  bool log(const std::string& /*path*/) override { return false; }
  std::optional<std::string> next;
  std::string said;
};

struct Bench {
  explicit Bench(const std::string& source, SessionOptions options = {}, CpuConfig config = {},
                 MachineOptions machineOptions = {.wait = 0}) {
    AssemblerOptions quiet;
    quiet.warnings.set("none");
    const AssemblyResult result = assemble("p.asm", source, quiet);
    EXPECT_TRUE(result.image) << result.report();
    image = result.image.value_or(Image{});
    machine.emplace(config, machineOptions);
    machine->output = [this](char c) { console += c; };
    machine->load(image);
    session.emplace(*machine, image, options);
  }
  std::string command(const std::string& line) {
    if (!driver) driver.emplace(*session, typist);
    typist.next = line;
    typist.said.clear();
    driver->run();
    std::istringstream in(typist.said);
    std::string text;
    for (std::string l; std::getline(in, l);)
      if (l[0] != '\t') text += l + "\n";
    return text;
  }
  Image image;
  std::optional<Machine> machine;
  std::optional<Session> session;
  Typist typist;
  std::optional<Driver> driver;
  std::string console;
};

TEST(C32RunSession, RunsToItsExit) {
  Bench b(kProgram);
  const StopReport stop = b.session->run();
  EXPECT_EQ(stop.why, Stopped::Exit);
  EXPECT_EQ(stop.text, "exit status 0");
  EXPECT_EQ(b.machine->peek(*b.image.find("counter")), 42u);
  EXPECT_EQ(b.session->run().why, Stopped::Exit);  // and stays there
}

TEST(C32RunSession, ObservingChangesNothing) {
  Bench fast(kProgram), slow(kProgram);
  slow.session->counting = true;
  std::string trace;
  slow.session->trace = [&](const std::string& line) { trace += line + "\n"; };
  fast.session->run();
  slow.session->run();
  EXPECT_EQ(fast.machine->cpu().cycle(), slow.machine->cpu().cycle());
  EXPECT_EQ(statisticsText(fast.machine->cpu()), statisticsText(slow.machine->cpu()));
  EXPECT_EQ(registerText(fast.machine->cpu()), registerText(slow.machine->cpu()));
}

TEST(C32RunSession, BreakpointsBySymbolLineAndCount) {
  Bench b(kProgram);
  EXPECT_EQ(b.command("break work; run"),
            "breakpoint 1 at 00000b work (p.asm:14)\nbreakpoint 1 at 00000b work (p.asm:14)\n");
  EXPECT_EQ(b.command("print R1; delete 1; break p.asm:16; run"),
            "00000002  2\nbreakpoint 2 at 00000d work+2 (p.asm:16)\nbreakpoint 2 at 00000d work+2 "
            "(p.asm:16)\n");
  EXPECT_EQ(b.command("delete 2; run"), "exit status 0\n");
  Bench second(kProgram);
  EXPECT_EQ(second.command("break work 1; run; p R1"),
            "breakpoint 1 at 00000b work (p.asm:14)\nbreakpoint 1 at 00000b work "
            "(p.asm:14)\n00000001  1\n");
}

TEST(C32RunSession, StopsThatPrintAndGoOn) {
  Bench b(kProgram);
  // R1 counts 2, 1 at work; the word counts from 40.
  EXPECT_EQ(b.command("break work log \"R1={R1} half {R1 * 0.5}; word {[counter]}\"; run"),
            "breakpoint 1 at 00000b work (p.asm:14)\n"
            "R1=2 half 1; word 40\nR1=1 half 0.5; word 41\n"
            "exit status 0\n");
  Bench again(kProgram);
  EXPECT_EQ(again.command("break work if R1 < 2 log \"here\"; break work+1 every 2; info; run"),
            "breakpoint 1 at 00000b work (p.asm:14)\nbreakpoint 2 at 00000c work+1 (p.asm:15)\n"
            "1 break at 00000b work (p.asm:14) if R1 < 2 log \"here\", hit 0 times\n"
            "2 break at 00000c work+1 (p.asm:15) every 2, hit 0 times\n"
            "here\nbreakpoint 2 at 00000c work+1 (p.asm:15)\n");
  Bench wrong(kProgram);
  EXPECT_NE(wrong.command("break work log \"{R1 +}\"").find("error: "), std::string::npos);
  EXPECT_NE(wrong.command("break work log here").find("expected '\"'"), std::string::npos);
  EXPECT_NE(wrong.command("break work log \"here").find("expected '\"' for this"),
            std::string::npos);
}

TEST(C32RunSession, WatchpointsNameTheAccess) {
  Bench b(kProgram);
  EXPECT_EQ(
      b.command("watch counter; run; run; run"),
      "watchpoint 1 on 000014 counter (p.asm:24)\n"
      "watchpoint 1: write of 000014, was 00000028, now 00000029, by 00000e work+3 (p.asm:17)\n"
      "watchpoint 1: write of 000014, was 00000029, now 0000002a, by 00000e work+3 (p.asm:17)\n"
      "exit status 0\n");
  Bench r(kProgram);
  EXPECT_EQ(r.command("watch counter 1 r; run"),
            "watchpoint 1 on 000014 counter (p.asm:24)\n"
            "watchpoint 1: read of 000014, now 00000028, by 00000c work+1 (p.asm:15)\n");
  Bench s(kProgram);  // the stack: CALL and PUSH write, RETS and POP read
  EXPECT_EQ(s.command("watch stack 8 rw; run; run; run; run"),
            "watchpoint 1 on 000015 stack\n"
            "watchpoint 1: write of 000015, was 00000000, now 00000005, by 000004 loop (p.asm:7)\n"
            "watchpoint 1: write of 000016, was 00000000, now 00000002, by 00000b work (p.asm:14)\n"
            "watchpoint 1: read of 000016, now 00000002, by 00000f work+4 (p.asm:18)\n"
            "watchpoint 1: read of 000015, now 00000005, by 000010 work+5 (p.asm:19)\n");
}

TEST(C32RunSession, SteppingOverAndOutOfCalls) {
  Bench b(kProgram);
  EXPECT_EQ(b.command("step 4; next"), "at 000004 loop (p.asm:7)\nat 000005 loop+1 (p.asm:8)\n");
  EXPECT_EQ(b.command("until work; finish"),
            "at 00000b work (p.asm:14)\nat 000005 loop+1 (p.asm:8)\n");
}

TEST(C32RunSession, NeverWrittenMemoryAndStackRange) {
  const std::string reads = "_start: LDP @p\n\tLDI @p,AR0\n\tLDI *AR0,R0\np: .word 1000h\n";
  SessionOptions check;
  check.checkNeverWritten = true;
  EXPECT_EQ(Bench(reads, check).session->run().text,
            "read of never-written memory 001000 at 000002 _start+2 (p.asm:3)");
  EXPECT_EQ(Bench(kProgram, check).session->run().why, Stopped::Exit);
  SessionOptions stack;
  stack.stack = AddressRange{0x15, 0x16};
  EXPECT_EQ(Bench(kProgram, stack).session->run().why, Stopped::Exit);
  stack.stack = AddressRange{0x15, 0x15};
  EXPECT_EQ(Bench(kProgram, stack).session->run().text,
            "stack pointer 000016 outside 000015 to 000015 at 00000b work (p.asm:14)");
}

TEST(C32RunSession, FaultsNamePlaceAndLine) {
  const StopReport illegal = Bench("_start: NOP\n\t.word 0FFFFFFFFh\n").session->run();
  EXPECT_EQ(illegal.why, Stopped::Fault);
  EXPECT_NE(illegal.text.find("at 000001 _start+1 (p.asm:2)"), std::string::npos) << illegal.text;
  const StopReport unmapped =
      Bench("_start: LDI 5,AR0\n\tLSH 20,AR0\n\tLDI *AR0,R0\n", {}, {}, {.ram = {{0, 0xFFFF}}})
          .session->run();
  EXPECT_EQ(unmapped.why, Stopped::Fault);
  EXPECT_NE(unmapped.text.find("_start+2 (p.asm:3)"), std::string::npos) << unmapped.text;
}

TEST(C32RunSession, LimitsAndWaits) {
  SessionOptions few;
  few.maxInstructions = 10;
  EXPECT_EQ(Bench("_start: BU $\n", few).session->run().why, Stopped::Limit);
  SessionOptions cycles;
  cycles.maxCycles = 100;
  EXPECT_EQ(Bench("_start: BU $\n", cycles).session->run().why, Stopped::Limit);
  EXPECT_EQ(Bench("_start: IDLE\n").session->run().why, Stopped::Idle);
  const MachineOptions deaf{.wait = 0, .xf1Acknowledges = false};
  const std::string locked = "_start: LDI 2,IOF\n\tLDII *AR0,R0\n\tIDLE\n";
  EXPECT_EQ(Bench(locked, {}, {}, deaf).session->run().why, Stopped::Deadlock);
  Bench observed(locked, {}, {}, deaf);
  observed.session->counting = true;
  EXPECT_EQ(observed.session->run().why, Stopped::Deadlock);
  EXPECT_EQ(Bench(locked).session->run().why, Stopped::Idle);
}

TEST(C32RunSession, TraceShowsCycleCostAndStallCause) {
  // LDI to AR0, used by the next instruction: two cycles (c32.md 7.4).
  Bench b("_start: LDI 100h,AR0\n\tLDI *AR0,R1\n\tIDLE\n", {}, [] {
    CpuConfig c;
    c.flatMemory = true;
    return c;
  }());
  std::string trace;
  b.session->trace = [&](const std::string& line) { trace += line + "\n"; };
  b.session->run();
  EXPECT_NE(trace.find("         0 000000 08680100   1"), std::string::npos) << trace;
  EXPECT_NE(trace.find("         1 000001 0841c000   3  register_conflict:2"), std::string::npos)
      << trace;
  EXPECT_NE(trace.find("AR0=00000100"), std::string::npos) << trace;
  EXPECT_NE(trace.find("; p.asm:2"), std::string::npos) << trace;
}

TEST(C32RunSession, ProfileAndCoverage) {
  Bench b(kProgram);
  b.session->counting = true;
  b.session->run();
  const std::string profile = profileBySymbol(*b.session);
  EXPECT_NE(profile.find("  work\n"), std::string::npos) << profile;
  EXPECT_NE(profileByLine(*b.session).find("           2  p.asm:14\n"), std::string::npos)
      << profileByLine(*b.session);
  const std::string coverage = coverageText(*b.session);
  EXPECT_NE(coverage.find("p.asm: 15 of 17 words executed"), std::string::npos) << coverage;
  EXPECT_NE(coverage.find("never reached: p.asm:13\n"), std::string::npos) << coverage;
  std::uint64_t cycles = 0;
  for (const auto& [address, counts] : b.session->counts()) cycles += counts.cycles;
  EXPECT_EQ(cycles, b.machine->cpu().cycle());
}

TEST(C32RunSession, InterruptsAreTracedAndCounted) {
  Bench b(R"(
        .sect "vectors",0,0
        .word _start,handler
        .text
        .org  40h
_start: LDI   1,IE
        LDI   stack-1,SP
        IDLE
        LDI   R1,R2
        IDLE
handler: LDI  7,R1
        RETI
stack   .usect "stack",8
        .end _start
)");
  b.session->counting = true;
  std::string trace;
  b.session->trace = [&](const std::string& line) { trace += line + "\n"; };
  EXPECT_EQ(b.session->run(3).why, Stopped::Steps);
  b.command("interrupt 0");
  EXPECT_EQ(b.session->run().why, Stopped::Idle);
  EXPECT_EQ(b.machine->cpu().registerValue(2), 7u);
  EXPECT_NE(trace.find("interrupt_entry:"), std::string::npos) << trace;
  EXPECT_NE(trace.find("(interrupt)"), std::string::npos) << trace;
}

TEST(C32RunCommands, WrongOnesAreSaid) {
  Bench b(kProgram);
  for (const char* line : {"nonsense", "break nowhere", "break p.asm:999", "delete 9", "set XX 1",
                           "set R0", "print", "print (1", "watch", "watch 0 0", "interrupt 4",
                           "setf AR0 1.0", "setf R0 x", "poke 1", "trace maybe", "mem", "until"}) {
    EXPECT_EQ(b.command(line).substr(0, 6), "error:") << line;
  }
  EXPECT_EQ(b.command(""), "");
  EXPECT_EQ(b.command("# a remark"), "");
  EXPECT_EQ(b.command("echo two  words"), "two  words\n");
}

TEST(C32RunCommands, ChangeAndShow) {
  Bench b(kProgram);
  EXPECT_EQ(b.command("set R1 5; print R1*2; setf R2 -1.5; set PC work; print $"),
            "0000000a  10\n0000000b  11\n");
  EXPECT_NE(b.command("regs").find("R2   00:c0000000"), std::string::npos) << b.command("regs");
  // Bits of ST: 0 C, 1 V, 2 Z, 3 N (c32.md 1.2).
  EXPECT_NE(b.command("set ST 5; regs").find("   flags C Z\n"), std::string::npos)
      << b.command("regs");
  EXPECT_EQ(b.command("poke 200h 0400000h; memf 200h 1"), "000200  00400000  1.5\n");
  EXPECT_EQ(b.command("mem counter 2"), "000014  00000028 00000000\n");
  EXPECT_NE(b.command("dis work 1").find("00000b  0f210000  PUSH R1"), std::string::npos);
  EXPECT_NE(b.command("help").find("coverage"), std::string::npos);
}

// Expected values of all that follows are worked out from kProgram: it passes `loop` twice, with 2
// and 1 in R1, and each pass adds 1 to `counter`, which begins with 40.

TEST(C32RunCommands, Expressions) {
  Bench b(kProgram);
  EXPECT_EQ(b.command("set R1 = 7; set R0.f = 2.5; set AR0 = counter"), "");
  const std::pair<const char*, const char*> kCases[] = {
      {"R1 + 2 * 3", "0000000d  13\n"},
      {"(R1 + 2) * 3", "0000001b  27\n"},
      {"R1 > 5 && [counter] == 40", "00000001  1\n"},
      {"R1 == 7 ? 10h : 101b", "00000010  16\n"},
      {"*AR0 - 1", "00000027  39\n"},
      {"R0.f * 2", "5\n"},
      {"R0.e", "00000001  1\n"},
      {"-R1 / 2", "fffffffd  -3\n"},
      {"-R1 % 4", "fffffffd  -3\n"},
      {"~R1 & 0xFF", "000000f8  248\n"},
      {"!R1 || 'A' == 65", "00000001  1\n"},
      {"1 << 4 | 1", "00000011  17\n"},
      {"abs(-3) + int(2.9)", "00000005  5\n"},
      {"c32.R1", "00000007  7\n"},
      {"work", "0000000b  11\n"},
  };
  for (const auto& [text, value] : kCases)
    EXPECT_EQ(b.command(std::string("print ") + text), value) << text;
}

TEST(C32RunCommands, ErrorsPointAtTheirColumn) {
  Bench b(kProgram);
  EXPECT_EQ(b.command("break work if R1 == foo"),
            "error: found 'foo', expected a register or symbol\n"
            "  break work if R1 == foo\n"
            "                      ^\n");
  EXPECT_EQ(b.command("print R1 / (R0 - R0)"),
            "error: found a division by 0\n  print R1 / (R0 - R0)\n           ^\n");
  EXPECT_EQ(b.command("st"), "error: found 'st', expected step, stop or stats\n  st\n  ^\n");
  EXPECT_EQ(b.command("watch counter do { nonsense }").substr(0, 6), "error:");
  EXPECT_EQ(b.command("print " + std::string(5000, '(')).substr(0, 21), "error: found too many");
}

TEST(C32RunCommands, RemarksEndALine) {
  Bench b(kProgram);
  EXPECT_EQ(b.command("break work if R1 == 1   # the last; delete all"),
            "breakpoint 1 at 00000b work (p.asm:14)\n");
  EXPECT_EQ(b.command("run; print R1 # ; print 5"),
            "breakpoint 1 at 00000b work (p.asm:14)\n00000001  1\n");
  EXPECT_EQ(b.command("# nothing; print 5"), "");
  EXPECT_EQ(b.command("print '#' + 0 ; echo a#b"), "00000023  35\na#b\n");
  Bench quoted(kProgram);
  EXPECT_EQ(quoted.command("break work once log \"no # remark\" # one; run"),
            "breakpoint 1 at 00000b work (p.asm:14)\n");
  EXPECT_EQ(quoted.command("run"), "no # remark\nexit status 0\n");
}

TEST(C32RunCommands, RemarksInsideActionsOfSeveralLines) {
  Bench b(kProgram);
  b.driver.emplace(*b.session, b.typist);
  b.driver->dialogue().script(
      "break work do {  # at each call }\n  print R1  # { how many\n}\nrun\n", "f");
  EXPECT_EQ(b.command(""),
            "breakpoint 1 at 00000b work (p.asm:14)\nbreakpoint 1 at 00000b work (p.asm:14)\n"
            "00000002  2\n");
}

// A linker's symbols name the edges of sections; the program's own name wins.
TEST(C32RunSession, PlacesHaveTheProgramsNames) {
  Image image;
  image.sections = {{".text", 0, 0, 4, Section::Kind::Text, {}},
                    {"hot", 4, 0x100, 2, Section::Kind::Text, {}}};
  image.symbols = {{"hot_run", {0x100, 1, true}},
                   {"square", {0x100, 1, false}},
                   {"hot_end", {0x102, 1, true}},
                   {"main", {0, 0, true}},
                   {"hot_size", {2, -1, true}},
                   {"b", {1, 0, true}},
                   {"a", {1, 0, true}}};
  const std::map<std::uint64_t, std::string> names = debugProgram(image).labels;
  EXPECT_EQ(names, (std::map<std::uint64_t, std::string>{
                       {0, "main"}, {1, "a"}, {0x100, "square"}, {0x102, "hot_end"}}));
}

// Places where a section's words are, before and after the program has moved them, are its own.
TEST(C32RunSession, LabelsNameNothingBeyondTheirSection) {
  Image image;
  image.sections = {{".text", 0, 0, 4, Section::Kind::Text, {}},
                    {"hot", 4, 0x100, 3, Section::Kind::Text, {}},
                    {"cold", 0x20, 0x103, 2, Section::Kind::Data, {}}};
  image.symbols = {{"main", {0, 0, false}},
                   {"square", {0x101, 1, false}},
                   {"square_load", {5, 1, false}},
                   {"cold_end", {0x105, 2, true}}};
  debug::Program program = debugProgram(image);
  for (int round = 0; round < 2; ++round) {
    SCOPED_TRACE(round);
    EXPECT_EQ(program.symbolic(3), "main+3");
    EXPECT_EQ(program.symbolic(4), "000004");
    EXPECT_EQ(program.symbolic(6), "square_load+1");
    EXPECT_EQ(program.symbolic(7), "000007");
    EXPECT_EQ(program.symbolic(0x100), "000100");
    EXPECT_EQ(program.symbolic(0x102), "square+1");
    EXPECT_EQ(program.symbolic(0x103), "000103");
    EXPECT_EQ(program.symbolic(0x105), "cold_end");
    EXPECT_EQ(program.symbolic(0x106), "000106");
    // The same out of a log of instructions.
    debug::LogWriter log;
    debug::writeProgram(log, program);
    debug::LogReader reader(log.out);
    program = debug::readProgram(reader);
  }
}

TEST(C32RunCommands, ConditionsActionsGroupsAndCounts) {
  Bench b(kProgram);
  EXPECT_EQ(b.command("break work if R1 == 1; run; print R1"),
            "breakpoint 1 at 00000b work (p.asm:14)\nbreakpoint 1 at 00000b work (p.asm:14)\n"
            "00000001  1\n");
  Bench actions(kProgram);
  EXPECT_EQ(actions.command("break work do { print R1; run }; run"),
            "breakpoint 1 at 00000b work (p.asm:14)\n"
            "breakpoint 1 at 00000b work (p.asm:14)\n00000002  2\n"
            "breakpoint 1 at 00000b work (p.asm:14)\n00000001  1\nexit status 0\n");
  EXPECT_EQ(actions.command("info"),
            "1 break at 00000b work (p.asm:14) do {print R1; run}, hit 2 times\n");
  Bench groups(kProgram);
  EXPECT_EQ(groups.command("break work group g; break loop group g; disable g; run"),
            "breakpoint 1 at 00000b work (p.asm:14)\nbreakpoint 2 at 000004 loop (p.asm:7)\n"
            "exit status 0\n");
  Bench once(kProgram);
  EXPECT_EQ(once.command("tbreak work; run; run"),
            "breakpoint 1 at 00000b work (p.asm:14)\nat 00000b work (p.asm:14)\nexit status 0\n");
}

TEST(C32RunCommands, WatchesOfRegistersValuesAndConditions) {
  Bench b(kProgram);
  EXPECT_EQ(b.command("watch counter value 42; run"),
            "watchpoint 1 on 000014 counter (p.asm:24)\n"
            "watchpoint 1: write of 000014, was 00000029, now 0000002a, by 00000e work+3 "
            "(p.asm:17)\n");
  Bench reg(kProgram);
  EXPECT_EQ(reg.command("watch R1; run; run"),
            "watchpoint 1 on R1\n"
            "watchpoint 1: R1 was 00000000  0, now 00000002  2, by 000003 _start+3 (p.asm:6)\n"
            "watchpoint 1: R1 was 00000002  2, now 00000001  1, by 000005 loop+1 (p.asm:8)\n");
  Bench condition(kProgram);
  EXPECT_EQ(condition.command("stop if [counter] > 40; run; run"),
            "stop 1 if [counter] > 40\n"
            "stop 1: [counter] > 40 is true, behind 00000e work+3 (p.asm:17)\nexit status 0\n");
}

TEST(C32RunCommands, CallStackLimitsAndHelp) {
  Bench b(kProgram);
  EXPECT_EQ(b.command("until work; where"),
            "at 00000b work (p.asm:14)\n#0 00000b work (p.asm:14)\n#1 000005 loop+1 (p.asm:8)\n");
  Bench five(kProgram);
  EXPECT_EQ(five.command("run 5 instructions; print instructions"),
            "at 00000b work (p.asm:14)\n00000005  5\n");
  five.command("next");
  EXPECT_EQ(five.command(""), "at 00000d work+2 (p.asm:16)\n");  // again
  EXPECT_EQ(five.command(" "), "");  // what the terminal gives for a line that Ctrl-C threw away
  EXPECT_NE(five.command("help watch").find("watch AR0"), std::string::npos);
  EXPECT_NE(five.command("help stops").find("stop interrupt"), std::string::npos);
  EXPECT_EQ(five.driver->dialogue().complete("break wo"), std::vector<std::string>{"work"});
  EXPECT_EQ(five.driver->dialogue().complete("disa"),
            (std::vector<std::string>{"disable", "disassemble"}));
}

/// A run stopped after every instruction ends as one that is not.
TEST(C32RunCommands, StoppingChangesNothing) {
  Bench plain(kProgram), stopped(kProgram);
  plain.session->run();
  stopped.command("stop if 1; watch AR0; watch counter 1 rw; break loop");
  std::string text;
  for (int n = 0; n < 200 && text.find("exit status") == std::string::npos; ++n)
    text = stopped.command(n % 2 == 0 ? "step" : "next");
  EXPECT_EQ(text, "exit status 0\n");
  EXPECT_EQ(statisticsText(plain.machine->cpu()), statisticsText(stopped.machine->cpu()));
  EXPECT_EQ(registerText(plain.machine->cpu()), registerText(stopped.machine->cpu()));
}

TEST(C32RunConsole, CharactersAndNumbers) {
  Bench b(R"(
_start: LDP   @base
        LDI   @base,AR0
        LDI   'A',R0
        STI   R0,*AR0
        LDI   -5,R0
        STI   R0,*+AR0(4)
        STI   R0,*+AR0(5)
        LDF   1.5,R0
        STF   R0,*+AR0(6)
again:  LDI   *+AR0(1),R0
        BN    over
        STI   R0,*AR0
        BU    again
over:   LDI   3,R0
        STI   R0,*+AR0(2)
base:   .word 82FFF0h
)");
  int next = 0;
  b.machine->input = [&] { return next < 2 ? "xy"[next++] : -1; };
  EXPECT_EQ(b.session->run().text, "exit status 3");
  EXPECT_EQ(b.console, "A-5fffffffb1.5xy");
}

}  // namespace
}  // namespace rtvp::c32
