// Translated code beside the run loop on short programs: choices of the processor that code does
// not know, conditions that change under way, and what random programs hardly ever come to.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/debug/machine.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::uint32_t kOutside = 0x1000;

/// All that a program can see, and what its time went to.
std::string seenOf(Machine& machine) {
  const Cpu& cpu = machine.cpu();
  std::string text = "cycle " + std::to_string(cpu.cycle());
  for (unsigned n = 0; n < reg::kCount; ++n) {
    text += " r" + std::to_string(n) + "=" + std::to_string(cpu.registerValue(n));
    if (n < 8) text += ":" + std::to_string(cpu.extended(n).exponent);
  }
  for (const std::uint64_t cycles : cpu.statistics().stalls()) text += " " + std::to_string(cycles);
  for (std::uint32_t n = 0; n < 16; ++n)
    text += " " + std::to_string(machine.peek(kRamBase + 0x100 + n));
  return text;
}

struct Ran {
  std::string seen;
  std::uint64_t translated = 0;
};

/// A program at `at` that ends in a loop of its own; what is seen now and then.
Ran run(const std::string& body, const CpuConfig& config, std::uint32_t at, bool translate) {
  MachineOptions options;
  options.translate = translate;
  Machine machine(config, options);
  const std::string place = at == kOutside ? "1000h" : "87FE00h";
  const auto result =
      assemble("case.asm", "        .sect   \"code\"," + place + "," + place + "\nstart:\n" + body);
  EXPECT_TRUE(result.image) << result.report();
  if (!result.image) return {};
  for (const auto& section : result.image->sections) {
    for (std::uint32_t n = 0; n < section.words.size(); ++n)
      machine.poke(section.loadAddress + n, section.words[n]);
  }
  Cpu& cpu = machine.cpu();
  machine.poke(0x808064, at == kOutside ? 0x000F0048u : 0x000F0008u);  // two waits, or none
  for (unsigned n = 0; n < 8; ++n) {
    cpu.setExtended(n, {static_cast<std::int8_t>(n % 3), 0x10000000u * n});
    cpu.setRegister(reg::AR0 + n, kRamBase + 0x100 + n);
  }
  cpu.setRegister(reg::DP, kRamBase >> 16);
  cpu.setRegister(reg::SP, kRamBase + 0x180);
  cpu.setPc(at);
  Ran ran;
  for (int turn = 0; turn < 12; ++turn) {
    (void)cpu.run(cpu.cycle() + 700 + 13 * static_cast<Cycle>(turn));
    ran.seen += seenOf(machine) + "\n";
  }
  if (machine.translator() != nullptr) ran.translated = machine.translator()->instructions();
  return ran;
}

class TranslateCases : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!translate::Translator::possible()) GTEST_SKIP() << "this host's code is not made";
  }
  /// Instructions that were translated; all ends as in the run loop, and `config` makes a
  /// difference to that if it is not the usual one.
  static std::uint64_t same(const std::string& body, const CpuConfig& config = {},
                            std::uint32_t at = kRamBase) {
    const Ran fast = run(body, config, at, true);
    const Ran plain = run(body, config, at, false);
    EXPECT_EQ(fast.seen, plain.seen);
    EXPECT_EQ(plain.translated, 0U);
    return fast.translated;
  }
};

TEST_F(TranslateCases, ChoicesThatCodeDoesNotKnow) {
  struct Choice {
    const char* what;
    void (*set)(CpuConfig&);
    const char* body;
  };
  const Choice choices[] = {
      {"flags of a pair", [](CpuConfig& c) { c.pairFlagsOfSum = true; },
       "l:      MPYF3   *AR2,R1,R0\n||      SUBF3   R3,*AR3,R2\n        LDI     ST,R7\n"
       "        ADDI    R7,R6\n        BU      l\n"},
      {"two stores into one word", [](CpuConfig& c) { c.secondStoreRemains = true; },
       "l:      ADDI    1,R0\n        ADDI    3,R1\n        STI     R0,*AR0\n"
       "||      STI     R1,*AR0\n        LDI     *AR0,R2\n        ADDI    R2,R6\n"
       "        BU      l\n"},
      {"a register read before an address", [](CpuConfig& c) { c.arReadStall = 0; },
       "l:      ADDI    AR1,R1\n        LDI     *AR1,R2\n        ADDI    R2,R6\n"
       "        BU      l\n"},
      {"the same, longer", [](CpuConfig& c) { c.arReadStall = 3; },
       "l:      ADDI    AR1,R1\n        LDI     *AR1,R2\n        ADDI    R2,R6\n"
       "        BU      l\n"},
      {"a wait of many cycles", [](CpuConfig& c) { c.bcondUntakenCycles = 200; },
       "l:      CMPI    0,R7\n        ADDI    1,R0\n        BV      l\n        BU      l\n"}};
  for (const Choice& choice : choices) {
    SCOPED_TRACE(choice.what);
    CpuConfig config;
    EXPECT_GT(same(choice.body), 500U);
    choice.set(config);
    EXPECT_EQ(same(choice.body, config), 0U);
    EXPECT_NE(run(choice.body, config, kRamBase, false).seen,
              run(choice.body, {}, kRamBase, false).seen)
        << "nobody could tell";
  }
}

TEST_F(TranslateCases, ChoicesThatCodeKnows) {
  const char* const body =
      "l:      LDI     3,RC\n        RPTB    e\n        ADDI    1,R0\n"
      "e:      ADDI    1,R1\n        ADDI    RC,R6\n"
      "        LDI     7FFFh,R2\n        LSH     16,R2\n        ADDI    R2,R2\n"
      "        LDI     ST,R5\n        ADDI    R5,R6\n"  // N and V of a sum
      "        LDI     7FFFh,R2\n        LSH     8,R2\n        MPYI    R2,R2\n"
      "        LDI     ST,R5\n        XOR     R5,R6\n"  // and of a product
      "        BU      l\n";
  CpuConfig zero, words;
  zero.repeatCountEndsZero = true;
  words.exactN = false;
  for (const CpuConfig& config : {zero, words}) {
    EXPECT_GT(same(body, config), 300U);
    EXPECT_NE(run(body, config, kRamBase, false).seen, run(body, {}, kRamBase, false).seen)
        << "nobody could tell";
  }
}

/// V that nobody asks for still latches.
TEST_F(TranslateCases, AnOverflowWhoseFlagsAreReplacedLatches) {
  EXPECT_GT(same("l:      ANDN    60h,ST\n        LDI     7FFFh,R2\n        LSH     16,R2\n"
                 "        ADDI    R2,R2\n        LDI     1,R3\n        LDI     ST,R5\n"
                 "        ADDI    R5,R6\n        ANDN    60h,ST\n        LDI     7FFFh,R2\n"
                 "        LSH     8,R2\n        MPYI    R2,R2\n        LDI     1,R3\n"
                 "        LDI     ST,R5\n        ADDI    R5,R6\n        BU      l\n"),
            100U);
}

/// The program changes the waits of the memory that it lies in, and turns the cache on and off.
TEST_F(TranslateCases, ConditionsThatTheProgramChanges) {
  const std::string loop =
      "        LDI     60,AR6\nw@:     ADDI    1,R0\n        NOP\n"
      "        DBU     AR6,w@\n";
  const auto again = [&loop](const char* name) {
    std::string text = loop;
    for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@'))
      text.replace(at, 1, name);
    return text;
  };
  const std::string waits =
      "        LDI     80h,AR5\n        LSH     16,AR5\n        OR      8064h,AR5\n"
      "        LDI     0Fh,R4\n        LSH     16,R4\n        OR      8,R4\nstart1:\n" +
      again("a") + "        XOR     60h,R4\n        STI     R4,*AR5\n" + again("b") +
      "        BU      start1\n";
  const std::string cache = "start1:\n" + again("a") + "        XOR     800h,ST\n" + again("b") +
                            "        BU      start1\n";
  EXPECT_GT(same(waits, {}, kOutside), 500U);
  EXPECT_GT(same(cache, {}, kOutside), 500U);
}

/// Flags of the last instruction in a repeat block, of which the first one has flags, too.
TEST_F(TranslateCases, FlagsThatOnlyTheLastRoundShows) {
  EXPECT_GT(same("l:      LDI     5,RC\n        RPTB    e\n        ADDI    1,R0\n"
                 "e:      SUBI    3,R1\n        LDI     ST,R5\n        ADDI    R5,R6\n"
                 "        BU      l\n"),
            500U);
}

/// A register that is stored, added and compared while the same instruction moves it.
TEST_F(TranslateCases, ARegisterThatItsOwnAddressMoves) {
  for (const char* const what :
       {"STI     AR1,*AR1++(1)", "ADDI    *AR1++(1),AR1", "CMPI    *AR1++(1),AR1",
        "LDIZ    *AR1++(1),AR1", "PUSH    AR1", "STI     AR1,*++AR1(1)"}) {
    SCOPED_TRACE(what);
    EXPECT_GT(
        same("l:      LDI     40,AR6\n        LDI     AR2,AR1\nk:      ADDI    1,R0\n        " +
             std::string(what) +
             "\n        ADDI    AR1,R1\n        LDI     AR2,AR1\n        NOP\n"
             "        DBU     AR6,k\n        LDI     SP,AR3\n        BU      l\n"),
        200U);
  }
}

/// The slots of a delayed branch end with a repeat block, or reach beyond it.
TEST_F(TranslateCases, ARepeatBlockThatEndsInDelaySlots) {
  for (const char* const slots :
       {"        NOP\n        ADDI    1,R1\ne:      ADDI    1,R2\n",
        "        ADDI    1,R1\ne:      ADDI    1,R2\n        ADDI    1,R3\n",
        "e:      ADDI    1,R1\n        ADDI    1,R2\n        ADDI    1,R3\n"}) {
    SCOPED_TRACE(slots);
    (void)same(
        "l:      ADDI    1,R4\n        ADDI    7,R6\n        LDI     3,RC\n"
        "        RPTB    e\n        ADDI    1,R0\n        BRD     x\n" +
        std::string(slots) + "        BU      l\nx:      ADDI    1,R5\n        BU      l\n");
  }
}

/// Returns that know where code is, to a place that needs other code the next time: with stores
/// before it, in a repeat block, while an address register is on its way.
TEST_F(TranslateCases, AReturnToAPlaceThatIsInAnotherState) {
  CpuConfig pipeline;
  pipeline.timing = Timing::Pipeline;
  for (const CpuConfig& config : {CpuConfig{}, pipeline}) {
    EXPECT_GT(same("l:      CALL    f\n        LDI     *AR1,R2\n        ADDI3   *AR1,*AR2,R3\n"
                   "        LDI     2,RC\n        RPTB    e\n        CALL    g\n"
                   "e:      ADDI    1,R0\n        BU      l\n"
                   "f:      STI     R0,*AR1\n||      STI     R1,*AR2\n        RETSU\n"
                   "g:      ADDI    1,R4\n        TSTB    3,R4\n        BZ      h\n"
                   "        RETSU\nh:      LDI     AR2,AR1\n        RETSU\n",
                   config),
              300U);
  }
}

/// A float that is asked for by the instruction behind: as either operand, beside memory of either
/// field and of a ring buffer, behind a store, as the word that is stored.
TEST_F(TranslateCases, AResultThatTheNextInstructionTakes) {
  const std::string data =
      "l:      LDI     3,BK\n        LDF     -1.75,R7\n        STF     R7,*AR1\n"
      "        LDF     2.625,R7\n        STF     R7,*AR2\n        LDF     -0.375,R1\n";
  // The run loop ends each turn with several rounds: only what is summed up shows the others.
  const std::string look =
      "\n        LDI     ST,R5\n        ADDI    R5,R6\n        STF     R3,*AR4\n"
      "        STF     R0,*+AR4(1)\n        LDI     *AR3,R5\n        ADDI    R5,R6\n"
      "        LDI     *AR4,R5\n        ADDI    R5,R6\n        LDI     *+AR4(1),R5\n"
      "        ADDI    R5,R6\n        LDI     AR2,AR1\n        SUBI    1,AR1\n        BU      l\n";
  for (const char* const result : {"LDF     *AR1,R0", "MPYF    *AR2,R0", "SUBF    R1,R0",
                                   "ADDF    *AR1,R0", "LDF     -3.0,R0"}) {
    for (const char* const next : {"MPYF    *AR2,R0",
                                   "ADDF    *AR2,R0",
                                   "SUBF    *AR2,R0",
                                   "SUBRF   *AR2,R0",
                                   "CMPF    *AR2,R0",
                                   "CMPF    *AR1,R0",
                                   "MPYF    R0,R3",
                                   "SUBF    R0,R3",
                                   "CMPF    R0,R3",
                                   "MPYF    R0,R0",
                                   "SUBF3   *AR2,R0,R3",
                                   "SUBF3   R0,*AR2,R3",
                                   "MPYF3   *AR2,R0,R3",
                                   "MPYF3   R0,*AR2,R3",
                                   "CMPF3   *AR2,R0",
                                   "CMPF3   R0,*AR2",
                                   "SUBF3   R1,R0,R3",
                                   "ADDF3   R0,R1,R3",
                                   "ADDF3   *AR1++(1)%,R0,R3",
                                   "SUBF3   *AR1--(1)%,R0,R3",
                                   "MPYF3   R0,*AR1++(1)%,R3",
                                   "STF     R0,*AR3",
                                   "STF     R1,*AR3",
                                   "STI     R0,*AR3",
                                   "STI     R0,*AR3\n        MPYF    *AR2,R0",
                                   "STF     R0,*AR3\n        SUBF    *AR3,R0",
                                   "STF     R1,*AR3\n        MPYF    *AR3,R0",
                                   "STF     R1,*AR1++(1)%\n        MPYF    *AR2,R0",
                                   "LDF     *AR2,R3\n        MPYF    R3,R0"}) {
      SCOPED_TRACE(std::string(result) + "; " + next);
      for (const Timing timing : {Timing::Static, Timing::Pipeline}) {
        CpuConfig config;
        config.timing = timing;
        EXPECT_GT(same(data + "        LDF     R1,R0\n        LDF     1.5,R3\n        " + result +
                           "\n        " + next + look,
                       config),
                  200U);
      }
    }
  }
}

}  // namespace
}  // namespace rtvp::c32
