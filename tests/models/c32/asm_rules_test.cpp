// What the assembler refuses: at least 150 operand combinations, each with a message that names the
// rule; and the other side of it: one mistake gives one message.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/c32/asm/assembler.hpp"

namespace rtvp::c32 {
namespace {

struct Illegal {
  const char* line;
  const char* rule;
};

constexpr const char* kExtended = "expected a register R0-R7";
constexpr const char* kRegister = "expected a register";
constexpr const char* kMemory = "expected a memory operand: @address or *ARn";
constexpr const char* kShort = "expected displacement 0 or 1, IR0 or IR1";
constexpr const char* kSigned = "expected a signed 16-bit immediate";
constexpr const char* kUnsigned = "expected an unsigned 16-bit immediate";
constexpr const char* kFloat = "short float immediate";
constexpr const char* kThree = "expected a register or *ARn (three-operand form)";
constexpr const char* kIndirect = "expected an indirect operand *ARn";
constexpr const char* kAr = "expected AR0 to AR7";
constexpr const char* kCount = "operands of";
constexpr const char* kPair = "expected a pair the processor has";
constexpr const char* kProduct = "expected R0 or R1 as destination of the product";
constexpr const char* kSum = "expected R2 or R3 as destination of the sum";

const std::vector<Illegal> kIllegal = {
    // Float operations name R0-R7 only.
    {"ABSF AR0,R1", kExtended},
    {"ABSF R0,AR1", kExtended},
    {"ADDF AR0,R1", kExtended},
    {"ADDF R0,ST", kExtended},
    {"CMPF SP,R0", kExtended},
    {"CMPF R0,SP", kExtended},
    {"FIX AR0,R0", kExtended},
    {"FLOAT R0,AR0", kExtended},
    {"LDE DP,R0", kExtended},
    {"LDE R0,IR0", kExtended},
    {"LDF BK,R0", kExtended},
    {"LDF R0,BK", kExtended},
    {"LDM AR1,R0", kExtended},
    {"LDM R0,AR1", kExtended},
    {"MPYF IR1,R0", kExtended},
    {"MPYF R0,IR1", kExtended},
    {"NEGF AR2,R0", kExtended},
    {"NEGF R0,AR2", kExtended},
    {"NORM AR3,R0", kExtended},
    {"NORM R0,AR3", kExtended},
    {"RND AR4,R0", kExtended},
    {"RND R0,AR4", kExtended},
    {"SUBF AR5,R0", kExtended},
    {"SUBF R0,AR5", kExtended},
    {"SUBRF AR6,R0", kExtended},
    {"SUBRF R0,AR6", kExtended},
    {"LDFZ AR0,R0", kExtended},
    {"LDFZ R0,AR0", kExtended},
    {"POPF AR0", kExtended},
    {"PUSHF AR0", kExtended},
    {"STF AR0,*AR1", kExtended},
    {"STFI AR0,*AR1", kExtended},
    {"LDFI *AR0,AR1", kExtended},
    {"ADDF3 AR0,R1,R2", kExtended},
    {"ADDF3 R0,AR1,R2", kExtended},
    {"ADDF3 R0,R1,AR2", kExtended},
    {"MPYF3 R0,R1,SP", kExtended},
    {"SUBF3 RC,R1,R2", kExtended},
    {"CMPF3 AR0,R1", kExtended},
    // Stores have memory as destination.
    {"STI R0,R1", kMemory},
    {"STI R0,5", kMemory},
    {"STF R0,R1", kMemory},
    {"STF R0,1.5", kMemory},
    {"STII R0,AR0", kMemory},
    {"STFI R0,R1", kMemory},
    {"STI 5,*AR0", kRegister},
    {"STF 1.0,*AR0", kExtended},
    {"STI *AR0,*AR1", kRegister},
    {"STI @5,*AR0", kRegister},
    // Interlocked loads and IACK read memory.
    {"LDII R1,R0", kMemory},
    {"LDII 5,R0", kMemory},
    {"LDFI R1,R0", kMemory},
    {"LDFI 1.0,R0", kMemory},
    {"IACK R0", kMemory},
    {"IACK 5", kMemory},
    // Immediates: the instruction decides the kind.
    {"LDI 70000,R0", kSigned},
    {"LDI -40000,R0", kSigned},
    {"ADDI 65536,R0", kSigned},
    {"CMPI -32769,R0", kSigned},
    {"MPYI 100000,R0", kSigned},
    {"SUBI 65536,R0", kSigned},
    {"SUBB 70000,R0", kSigned},
    {"LSH 70000,R0", kSigned},
    {"ASH -32769,R0", kSigned},
    {"LDIZ 70000,R0", kSigned},
    {"ABSI 65536,R0", kSigned},
    {"FLOAT 70000,R0", kSigned},
    {"AND -1,R0", kUnsigned},
    {"AND 65536,R0", kUnsigned},
    {"OR -5,R0", kUnsigned},
    {"XOR 70000,R0", kUnsigned},
    {"ANDN -1,R0", kUnsigned},
    {"NOT -1,R0", kUnsigned},
    {"TSTB -1,R0", kUnsigned},
    {"RPTS -1", kUnsigned},
    {"RPTS 70000", kUnsigned},
    {"LDI 1.5,R0", "expected an integer"},
    {"ADDI 1.0,R0", "expected an integer"},
    {"AND 1.5,R0", "expected an integer"},
    {"LDF 1000.0,R0", kFloat},
    {"LDF 1e-9,R0", kFloat},
    {"ADDF 256.0,R0", kFloat},
    {"CMPF -300.0,R0", kFloat},
    {"MPYF 1e10,R0", kFloat},
    {"SUBF 0.001,R0", kFloat},
    {"LDFZ 999.0,R0", kFloat},
    {"FIX 5000,R0", kFloat},
    // Immediates that do not exist.
    {"NOP 5", "expected a register or *ARn"},
    {"NOP @5", "expected a register or *ARn"},
    {"ADDI3 5,R0,R1", kThree},
    {"ADDI3 R0,5,R1", kThree},
    {"ADDF3 1.0,R0,R1", kThree},
    {"CMPI3 5,R0", kThree},
    {"TSTB3 1,R0", kThree},
    {"XOR3 R0,1,R1", kThree},
    {"ADDI3 @5,R0,R1", kThree},
    {"MPYI3 R0,@5,R1", kThree},
    {"CMPF3 @5,R0", kThree},
    {"LSH3 5,R0,R1", kThree},
    {"ASH3 -3,R0,R1", kThree},
    {"OR3 R0,R1,5", kRegister},
    {"OR3 R0,R1,*AR0", kRegister},
    {"ADDI R0,5", kRegister},
    {"LDI R0,*AR0", kRegister},
    {"LDI R0,@5", kRegister},
    {"PUSH 5", kRegister},
    {"PUSH *AR0", kRegister},
    {"POP @5", kRegister},
    {"ROL 5", kRegister},
    {"ROR *AR0", kRegister},
    // Displacements.
    {"LDI *+AR0(256),R0", "expected a displacement of 0 to 255"},
    {"STI R0,*AR0++(300)", "expected a displacement of 0 to 255"},
    {"LDI *-AR0(-256),R0", "expected a displacement of -255 to 255"},
    {"LDI *+AR0(1.5),R0", "expected an integer displacement"},
    {"ADDI3 *+AR0(2),R1,R2", kShort},
    {"ADDI3 R1,*-AR0(3),R2", kShort},
    {"CMPI3 *AR0++(5),R1", kShort},
    {"ADDI3 *AR0++(0)%,R1,R2", kShort},
    {"ADDF3 *AR0,R1,R2 || STF R3,*+AR1(2)", kShort},
    {"LDI *AR0++(2),R1 || STI R2,*AR1", kShort},
    {"LDI *++AR0%,R1", "expected no % with an index before ARn"},
    {"LDI *--AR0(IR0)%,R1", "expected no % with an index before ARn"},
    {"LDI *AR0++(IR1)B,R1", "expected B only in *ARn++(IR0)B"},
    {"LDI *AR0--(IR0)B,R1", "expected B only in *ARn++(IR0)B"},
    {"LDI *AR0++B,R1", "expected B only in *ARn++(IR0)B"},
    {"LDI *R0,R1", kAr},
    {"LDI *SP,R1", kAr},
    {"LDI *+IR0,R1", kAr},
    {"LDI *5,R1", kAr},
    {"STI R0,*DP", kAr},
    {"LDI *AR8,R0", kAr},
    {"LDI *AR0+,R1", "expected ++"},
    {"LDI *AR0(1),R1", "expected ',' or end of line"},
    {"LDI *+AR0(1,R1", "expected ')'"},
    {"LDI *+AR0(R0),R1", "expected"},
    {"LDI *,R1", kAr},
    // Branches.
    {"DBNZ R0,$", kAr},
    {"DBU SP,$", kAr},
    {"DBZD 5,$", kRegister},
    {"BR R0", "expected an address"},
    {"CALL R1", "expected an address"},
    {"RPTB AR0", "expected an address"},
    {"BRD *AR0", "expected a label or a register"},
    {"BNZ *AR0", "expected a label or a register"},
    {"BU 40000", "expected a target within 32768 words"},
    {"CALLZ 90000", "expected a target within 32768 words"},
    {"DBU AR0,50000", "expected a target within 32768 words"},
    {"BR 1000000h", "expected a 24-bit address"},
    {"CALL 2000000h", "expected a 24-bit address"},
    {"BR 1.5", "expected an integer"},
    {"TRAP 32", "expected a trap number 0 to 31"},
    {"TRAP -1", "expected a trap number 0 to 31"},
    {"TRAPZ R0", "expected a trap number 0 to 31"},
    {"LDP R0", "expected an address"},
    {"LDP *AR0", "expected an address"},
    {"LDP 5,6", "expected a register"},
    {"LDP 1000000h", "expected a 24-bit address"},
    // Numbers of operands.
    {"LDI R0,R1,R2", kCount},
    {"LDI 5", kCount},
    {"ADDI", kCount},
    {"STI R0", kCount},
    {"IDLE R0", kCount},
    {"RETS R0", kCount},
    {"NOP R0,R1", kCount},
    {"PUSH R0,R1", kCount},
    {"ROL R0,R1", kCount},
    {"BR", kCount},
    {"DBU AR0", kCount},
    {"TRAPU", kCount},
    {"CMPI3 R0,R1,R2", kCount},
    {"ADDI3 R0", kCount},
    {"SWI 1", kCount},
    {"IACK", kCount},
    {"RPTS", kCount},
    {"LDI R0,R1,R2,R3", "expected at most three operands"},
    // Parallel pairs.
    {"NOP || NOP", kPair},
    {"ADDI3 *AR0,R1,R2 || STF R3,*AR1", kPair},
    {"ADDF3 *AR0,R1,R2 || STI R3,*AR1", kPair},
    {"LDI *AR0,R1 || LDF *AR1,R2", kPair},
    {"MPYF3 R0,R1,R0 || ADDI3 R2,R3,R2", kPair},
    {"SUBI3 R0,R1,R0 || MPYF3 R2,R3,R2", kPair},
    {"CMPI3 *AR0,R1 || STI R2,*AR1", kPair},
    {"LDII *AR0,R1 || STI R2,*AR1", kPair},
    {"ROL R0 || STI R1,*AR0", kPair},
    {"BU $ || NOP", kPair},
    {"PUSH R0 || POP R1", kPair},
    {"MPYF3 *AR0,*AR1,R2 || ADDF3 R0,R1,R2", kProduct},
    {"MPYI3 *AR0,*AR1,R7 || SUBI3 R0,R1,R3", kProduct},
    {"MPYF3 *AR0,*AR1,R0 || ADDF3 R0,R1,R1", kSum},
    {"MPYF3 *AR0,*AR1,R0 || SUBF3 R0,R1,R4", kSum},
    {"MPYF3 R0,R1,R0 || ADDF3 R2,R3,R2", "expected two registers"},
    {"MPYF3 *AR0,*AR1,R0 || ADDF3 *AR2,R3,R2", "expected two registers"},
    {"LDF *AR0,R1 || LDF R3,R2", kIndirect},
    {"LDI @5,R1 || LDI *AR1,R2", kIndirect},
    {"LDI *AR0,AR1 || STI R2,*AR1", kExtended},
    {"LDI *AR0,R1 || STI AR2,*AR1", kExtended},
    {"LDI *AR0,R1 || STI R2,@5", kIndirect},
    {"STI R0,R1 || STI R2,*AR1", kIndirect},
    {"ABSF R0,R1 || STF R2,*AR1", "a register needs the enhanced option"},
    {"SUBF3 *AR0,R1,R2 || STF R3,*AR1", kExtended},
    {"ASH3 *AR0,R1,R2 || STI R3,*AR1", kExtended},
    {"ADDF3 R0,R1,R2 || STF R3,*AR1", "a register needs the enhanced option"},
};

TEST(C32AsmRules, IllegalOperandsAreRefusedWithTheRule) {
  EXPECT_GE(kIllegal.size(), 150u);
  for (const Illegal& c : kIllegal) {
    const AssemblyResult result = assemble("t.asm", std::string("\t") + c.line + "\n");
    EXPECT_FALSE(result.image) << c.line;
    const auto errors = std::count_if(
        result.diagnostics.begin(), result.diagnostics.end(),
        [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::Error; });
    EXPECT_EQ(errors, 1) << c.line << "\n" << result.report();
    EXPECT_NE(result.report().find(c.rule), std::string::npos) << c.line << "\n" << result.report();
  }
  RecordProperty("combinations", static_cast<int>(kIllegal.size()));
}

std::size_t errorsOf(const std::string& source) {
  const AssemblyResult result = assemble("t.asm", source);
  std::size_t errors = 0;
  for (const Diagnostic& d : result.diagnostics)
    errors += d.severity == Diagnostic::Severity::Error;
  return errors;
}

TEST(C32AsmRules, OneMistakeOneMessage) {
  const char* const sources[] = {
      // a name that is nowhere, used often
      "\tLDI @gone,R0\n\tLDI @gone,R1\n\tBR gone\n\t.word gone,gone+1\n",
      // a definition that failed, and its uses
      "size .set 1/0\n\tLDI size,R0\n\t.word size\n\t.space size\n",
      "\t.bss buffer,-1\n\tLDI @buffer,R0\n\t.word buffer\n",
      "table .usect \"t\"\n\tLDI @table,R0\n\tLDP table\n",
      "a .set b+1\nb .set c\nd .set a\n\t.word a,b,d\n",
      // a typing error behind a label
      "loop: LDJ 5,R0\n\tBR loop\n\t.word loop\n",
      // a wrong line in a macro called three times, and in a loop
      "m .macro x\n\tLDI 70000,R0\n\t.endm\n\tm 1\n\tm 2\n\tm 3\n",
      "\t.loop 20\n\tFOO\n\t.endloop\n",
      // a missing file: what it would have defined is not missed again
      "\t.include \"gone.inc\"\n\tLDI WIDTH,R0\n\t.word HEIGHT\n\tSAVE_ALL\n",
      // a missing word changes sizes: assertions and placement are not judged
      "\t.sect \"a\",0,0\n\t.space nothing\n\t.sect \"b\",4,4\n\t.word 1\n",
      // the same label twice
      "x: NOP\nx: NOP\n\tBR x\n",
  };
  for (const char* source : sources)
    EXPECT_EQ(errorsOf(source), 1u) << source << assemble("t.asm", source).report();
}

TEST(C32AsmRules, TwoMistakesAreTwoMessages) {
  EXPECT_EQ(errorsOf("\tBR one\n\tBR two\n"), 2u);
  EXPECT_EQ(errorsOf("\tLDI 70000,R0\n\tLDI 70000,R0\n"), 2u);
}

// --- warnings (c32.md 10.4)

std::string warnings(const std::string& source, const std::string& chosen = {}) {
  AssemblerOptions options;
  if (!chosen.empty()) {
    options.warnings.set("none");
    EXPECT_TRUE(options.warnings.set(chosen));
  }
  return assemble("t.asm", source, options).report();
}

TEST(C32AsmWarnings, DirectAddressBeforeAnyPage) {
  EXPECT_EQ(warnings("\tLDI @5,R0\n\tLDI @6,R0\n"),
            "t.asm:1:6: warning: @ uses DP, which nothing above has set (LDP)\n");
  EXPECT_EQ(warnings("\tLDP 5\n\tLDI @5,R0\n"), "");
  EXPECT_EQ(warnings("\tPOP DP\n\tSTI R0,@5\n"), "");
  EXPECT_EQ(warnings("\tLDI @5,R0\n", "none"), "");
}

TEST(C32AsmWarnings, InterlockedStoreBeforeLoad) {
  EXPECT_EQ(warnings("\tSTFI R0,*AR0\n\tLDFI *AR0,R1\n"),
            "t.asm:2:2: warning: LDFI directly behind an interlocked store is not allowed\n");
  EXPECT_NE(warnings("\tSTII R0,*AR0\n\tSIGI\n"), "");
  EXPECT_EQ(warnings("\tSTII R0,*AR0\n\tNOP\n\tLDII *AR0,R1\n"), "");
}

TEST(C32AsmWarnings, RepeatOfOneWord) {
  EXPECT_EQ(
      warnings("\tRPTB e\ne: NOP\n"),
      "t.asm:1:2: warning: the repeat block has one word; RPTS repeats it without fetching it "
      "again\n");
  EXPECT_EQ(warnings("\tRPTB e\n\tNOP\ne: NOP\n"), "");
  // ... in relocatable code too
  EXPECT_NE(warnings("\t.ref x\n\tRPTB e\ne: NOP\n\tBR x\n").find("one word"), std::string::npos);
  EXPECT_NE(warnings("\t.ref x\n\tRPTB e\n\tNOP\ne: BR x\n").find("ends the repeat block"),
            std::string::npos);
}

TEST(C32AsmWarnings, CarryBehindMultiply) {
  EXPECT_EQ(warnings("\tMPYI R1,R0\n\tBLO $\n"),
            "t.asm:2:2: warning: the condition looks at C, which MPYI leaves unchanged\n");
  EXPECT_EQ(warnings("\tMPYI R1,R0\n\tBZ $\n"), "");
}

TEST(C32AsmWarnings, PipelineConflicts) {
  EXPECT_EQ(warnings("\tLDI R1,AR0\n\tLDI *AR0,R0\n", "pipeline"),
            "t.asm:2:2: warning: LDI waits 2 cycles for LDI in line 1\n");
  EXPECT_EQ(warnings("\tLDI R1,AR0\n\tNOP\n\tLDI *AR0,R0\n", "pipeline"),
            "t.asm:3:2: warning: LDI waits 1 cycle for LDI in line 1\n");
  EXPECT_EQ(warnings("\tLDI R1,AR0\n\tNOP\n\tNOP\n\tLDI *AR0,R0\n", "pipeline"), "");
  EXPECT_EQ(warnings("\tLDP 5\n\tLDI @5,R0\n", "pipeline"),
            "t.asm:2:2: warning: LDI waits 2 cycles for LDP in line 1\n");
  EXPECT_EQ(warnings("\tLDI R1,SP\n\tPUSH R0\n", "pipeline"),
            "t.asm:2:2: warning: PUSH waits 2 cycles for LDI in line 1\n");
  EXPECT_EQ(warnings("\tLDI *AR0++,R1\n\tLDI *AR0++,R1\n", "pipeline"), "");
  EXPECT_EQ(warnings("\tLDI R1,AR0\n\tLDI *AR0,R0\n"), "");  // off by default
}

TEST(C32AsmWarnings, UnusedSymbols) {
  EXPECT_EQ(warnings("a: NOP\nb: BR b\n\t.global c\nc: NOP\nd .set 5\n", "unused"),
            "t.asm:1:1: warning: symbol 'a' is never used\n"
            "t.asm:5:1: warning: symbol 'd' is never used\n");
}

TEST(C32AsmWarnings, NamesOfWarnings) {
  WarningOptions options;
  for (const char* name :
       {"dp", "interlock", "carry", "repeat", "pipeline", "unused", "all", "none"})
    EXPECT_TRUE(options.set(name));
  EXPECT_FALSE(options.set("nonsense"));
}

TEST(C32AsmListing, CyclesAndStalls) {
  AssemblerOptions options;
  options.listing = true;
  options.warnings.set("none");
  const std::string listing =
      assemble("t.asm", "\tLDI R1,AR0\n\tLDI *AR0,R0\n\tBU $\n\tRPTS 3\n\t.word 5\n", options)
          .listing;
  EXPECT_EQ(listing,
            "000000 08080001 1      1\t\tLDI R1,AR0\n"
            "000001 0840C000 1+2    2\t\tLDI *AR0,R0\n"
            "000002 6A00FFFF 4      3\t\tBU $\n"
            "000003 13FB0003 4      4\t\tRPTS 3\n"
            "000004 00000005        5\t\t.word 5\n");
}

}  // namespace
}  // namespace rtvp::c32
