// The instruction table, the assembler and the documented oddities of the pipeline and the banks.
#include <set>

#include "firmware/theia/firmware.hpp"
#include "models/theia/assembler.hpp"
#include "tests/models/theia/test_support.hpp"

namespace rtvp::theia {
namespace {

using test::vec;

/// Assembles and runs a user program from its first instruction.
struct Machine {
  explicit Machine(const std::string& text, CoreConfig config = {})
      : rom(microcodeRom()), core(config, rom, 0) {
    const auto result = assemble("test", text);
    EXPECT_TRUE(result.program) << result.report();
    if (!result.program) return;
    const auto image = result.program->image();
    for (unsigned row = 0; row < image.size(); ++row) core.hostWriteInstruction(row, image[row]);
  }
  Stop run() {
    core.startAt(kUserCode | kUserFirstRow);
    Stop stop = core.run();
    while (stop == Stop::TextureRead) {
      core.finishTextureRead(core.textureAddress(), kTextureReadPeriod);
      stop = core.run();
    }
    return stop;
  }
  Vec operator[](std::string_view name) const { return core.readRegister(*findRegister(name)); }
  Rom rom;
  Core core;
};

const std::string kEnd = "\nRETURN RT_TRUE\n";

TEST(TheiaIsa, EveryOpcodeNumberIsDecodedOrHangs) {
  for (unsigned code = 0; code < kOpcodes; ++code) {
    for (const bool fast : {false, true}) {
      CoreConfig config;
      config.fast = fast;
      const Rom rom = microcodeRom();
      Core core(config, rom, 3);
      core.hostWriteInstruction(
          12, {static_cast<std::uint64_t>(code) << 48 | std::uint64_t{0x800D} << 32});
      core.hostWriteInstruction(13, Instruction::typeTwoOf(Op::RETURN, 0, 1));
      core.startAt(0x800C);
      Stop stop = core.run();
      if (stop == Stop::TextureRead) {
        core.finishTextureRead({}, 9);
        stop = core.run();
      }
      const OpInfo* const info = findOp(code);
      if (info == nullptr || info->hangs()) {
        EXPECT_EQ(stop, Stop::Faulted) << code;
        EXPECT_EQ(core.fault().kind, Fault::Kind::HangingOpcode);
        EXPECT_EQ(core.fault().core, 3U);
        EXPECT_EQ(core.fault().pc, 0x800C);
      } else {
        EXPECT_EQ(stop, Stop::Returned) << code << core.fault().describe();
      }
    }
  }
}

TEST(TheiaIsa, EverySwizzle) {
  for (Word code = 0; code < 24; ++code) {
    for (const bool strict : {false, true}) {
      AluProfile profile;
      profile.strictIsa = strict;
      const Vec got = compute(Op::SWIZZLE3D, {code, 0, 0}, {1, 2, 3}, profile);
      Vec expected;
      const bool exists = code <= 2 || code == 21;
      if (code < kSwizzles.size() && (strict || exists)) {
        const auto name = kSwizzles[code];
        expected = {static_cast<Word>(name[0] - 'X' + 1), static_cast<Word>(name[1] - 'X' + 1),
                    static_cast<Word>(name[2] - 'X' + 1)};
      }
      EXPECT_EQ(got, expected) << code;
    }
  }
}

TEST(TheiaIsa, EveryRegisterKeepsItsBanksRules) {
  for (unsigned address = 0; address < kRegisterRows; ++address) {
    const Rom rom;
    Core core({}, rom, 0);
    core.writeRegister(address, {1, 2, 3});
    EXPECT_EQ(core.readRegister(address), address < 32 ? (Vec{}) : (Vec{1, 2, 3}));
    Core host({}, rom, 0);
    host.hostWriteRegister(address, {7, 8, 9});
    for (unsigned r = 0; r < kRegisterRows; ++r) {
      const bool configuration = r < 32 && r == (address & 31U);
      EXPECT_EQ(host.readRegister(r), configuration ? (Vec{7, 8, 9}) : (Vec{})) << address << r;
    }
    host.flip();
    EXPECT_EQ(host.readRegister(32 + (address & 31U)), (Vec{7, 8, 9}));
    host.flip();
    EXPECT_EQ(host.readRegister(32 + (address & 31U)), (Vec{}));
  }
  for (const RegisterInfo& info : kRegisters) {
    EXPECT_EQ(findRegister(info.name), info.address);
    EXPECT_EQ(registerName(info.address), info.name);
  }
  EXPECT_EQ(findRegister("VOID"), 0);
  EXPECT_FALSE(findRegister("CREG_NONE"));
}

TEST(TheiaIsa, DroppedWritesAreSeenByTheNextInstructionOnly) {
  Machine m(
      "SETX R1 32'h5\nCOPY OREG_PIXEL_COLOR R1 VOID\nCOPY R2 OREG_PIXEL_COLOR VOID\n"
      "COPY R3 OREG_PIXEL_COLOR VOID" +
      kEnd);
  m.core.pokeRegister(0, {9, 9, 9});
  ASSERT_EQ(m.run(), Stop::Returned);
  EXPECT_EQ(m["R2"].x, 5U);
  EXPECT_EQ(m["R3"], (Vec{9, 9, 9}));
}

TEST(TheiaIsa, VoidReadsZeroAfterNopAndLightInfoOtherwise) {
  Machine m("NOP RT_FALSE\nCOPY R1 VOID VOID\nCOPY R2 VOID VOID" + kEnd);
  m.core.pokeRegister(0, {4, 5, 6});
  ASSERT_EQ(m.run(), Stop::Returned);
  EXPECT_EQ(m["R1"], (Vec{}));
  EXPECT_EQ(m["R2"], (Vec{4, 5, 6}));
}

TEST(TheiaIsa, ACallIntoTheRomForwardsZeroForTheRegisterOfThatNumber) {
  // Row 73 is RGU and R3; its first instruction is made to read R3.
  Machine m("SETX R3 32'h7\nCALL @0049 VOID VOID\nNOP RT_FALSE" + kEnd);
  m.rom.set(73, Instruction::typeOne(Op::COPY, reg("R4"), reg("R3"), 0));
  m.rom.set(74, Instruction::typeOne(Op::COPY, reg("R5"), reg("R3"), 0));
  m.rom.set(75, Instruction::typeTwoOf(Op::RET, reg("R99"), 1));
  ASSERT_EQ(m.run(), Stop::Returned);
  EXPECT_EQ(m["R4"].x, 0U);
  EXPECT_EQ(m["R5"].x, 7U);
  EXPECT_EQ(m["R99"].x, 1U);
}

TEST(TheiaIsa, ComparisonsFollowTheSignMagnitudeComparator) {
  struct Case {
    Word a, b;
    const char* rtl;  // taken: JG JL JEQ JNE JGE JLE
    const char* strict;
  };
  const Word minus3 = 0U - 3;
  for (const Case& c :
       {Case{3, 3, "011011", "001011"}, Case{minus3, 3, "011011", "010101"},
        Case{3, minus3, "101011", "100110"}, Case{4, 3, "100110", "100110"},
        Case{3, 4, "010101", "010101"}, Case{0x80000000, 0x80000000, "011011", "001011"}}) {
    for (unsigned lane = 0; lane < 3; ++lane) {
      for (unsigned test = 0; test < 6; ++test) {
        const auto op = static_cast<Op>(8 * (lane + 1) + test);
        const Vec a{lane == 0 ? c.a : 0, lane == 1 ? c.a : 0, lane == 2 ? c.a : 0};
        const Vec b{lane == 0 ? c.b : 0, lane == 1 ? c.b : 0, lane == 2 ? c.b : 0};
        EXPECT_EQ(jumpTaken(op, a, b, {}), c.rtl[test] == '1')
            << findOp(8 * (lane + 1) + test)->mnemonic;
        AluProfile strict;
        strict.strictIsa = true;
        EXPECT_EQ(jumpTaken(op, a, b, strict), c.strict[test] == '1');
      }
    }
  }
}

TEST(TheiaIsa, ExactMathIsTheOlderUnits) {
  AluProfile exact;
  exact.exactMath = true;
  EXPECT_EQ(compute(Op::MAG, {3 * kOne, 4 * kOne, 0}, {}, exact).x, 5 * kOne);
  EXPECT_EQ(compute(Op::MAG, {30 * kOne, 40 * kOne, 0}, {}, exact).x, 50 * kOne);
  EXPECT_NE(compute(Op::MAG, {30 * kOne, 40 * kOne, 0}, {}, {}).x, 50 * kOne);
  EXPECT_EQ(compute(Op::DIV, {kOne, 0U - kOne, 0}, {0, 0, 0}, exact),
            (Vec{0x0FFFFFFF, 0U - 0x0FFFFFFF, 0x0FFFFFFF}));
  EXPECT_EQ(periodOf(*findOp(3), {kOne, kOne, kOne}, {}, exact), 6U);
  EXPECT_EQ(periodOf(*findOp(3), {kOne, kOne, kOne}, {1, 1, 1}, exact), 72U);
}

TEST(TheiaIsa, StrictIsaKeepsMulpsOtherLanesAndHasIntp) {
  CoreConfig config;
  config.alu.strictIsa = true;
  Machine m(
      "SETX R1 32'h60000\nSETY R1 32'h40000\nSETX R2 32'h7\nMULP R2 R1 VOID\n"
      "SETX R3 32'h5FFFF\nINTP R3 R3 VOID" +
          kEnd,
      config);
  ASSERT_EQ(m.run(), Stop::Returned);
  EXPECT_EQ(m["R2"], (Vec{7, 0, 6 * kOne}));
  EXPECT_EQ(m["R3"].x, 2 * kOne);
}

TEST(TheiaIsa, PixelShaderSlotIsHonouredOnlyOnRequest) {
  const std::string text =
      "CALL @013A VOID VOID\nNOP RT_FALSE\nNOP RT_FALSE\nRETURN RT_TRUE\n"
      "ENTRYPOINT_ADRR_PIXELSHADER:\nSETX R7 32'h1\nRET R99 TRUE\n";
  Machine original(text);
  ASSERT_EQ(original.run(), Stop::Returned);
  EXPECT_EQ(original["R7"].x, 0U);
  CoreConfig config;
  config.honourPixelShaderSlot = true;
  Machine honoured(text, config);
  ASSERT_EQ(honoured.run(), Stop::Returned);
  EXPECT_EQ(honoured["R7"].x, 1U);
}

TEST(TheiaIsa, FaultsAreLocatedAndBounded) {
  Machine off("NOP RT_FALSE\nNOP RT_FALSE\n");
  EXPECT_EQ(off.run(), Stop::Faulted);
  EXPECT_EQ(off.core.fault().kind, Fault::Kind::InstructionMemory);
  EXPECT_EQ(off.core.fault().pc, 0x800E);
  Machine endless("L:\nJMP L VOID VOID\n");
  EXPECT_EQ(endless.run(), Stop::Faulted);
  EXPECT_EQ(endless.core.fault().kind, Fault::Kind::EndlessRoutine);
  Machine output("SETX R1 32'hFFFFFFFF\nOMWRITE OREG_PIXEL_COLOR R1 R1" + kEnd);
  EXPECT_EQ(output.run(), Stop::Faulted);
  EXPECT_EQ(output.core.fault().kind, Fault::Kind::OutputAddress);
  EXPECT_NE(output.core.fault().describe().find("core 0, PC 800Dh (user row 13), pixel 0"),
            std::string::npos);
}

// ---- assembler ----

TEST(TheiaAssembler, EveryInstructionSurvivesDisassemblyAndAssembly) {
  for (const OpInfo& info : kInstructions) {
    if (info.operands == Operands::None) continue;
    const bool type_two = info.typeTwo() && !info.jumps();
    const unsigned d = info.jumps() ? 0x8010U : info.operands == Operands::Flag ? 0U : 99U;
    for (const Word immediate : {0U, 1U}) {
      const Instruction in = type_two || info.operands == Operands::Flag
                                 ? Instruction::typeTwoOf(info.op, d, immediate)
                                 : Instruction::typeOne(info.op, d, 51, immediate);
      const std::string text = disassemble(in);
      const auto result = assemble("t", text);
      ASSERT_TRUE(result.program) << text << "\n" << result.report();
      EXPECT_EQ(result.program->rows.at(12).word, in.word) << text;
    }
  }
}

TEST(TheiaAssembler, EveryEntryPointSetsItsSlotAndIsATarget) {
  for (unsigned slot = 0; slot < kEntries; ++slot) {
    const std::string name = "ENTRYPOINT_ADRR_" + std::string(kEntryTable[slot].name);
    const auto defined = assemble("t", "NOP RT_FALSE\n" + name + ":\nJMP " + name + "\n");
    ASSERT_TRUE(defined.program);
    EXPECT_EQ(defined.program->image()[slot].word, 0x800DU);
    EXPECT_EQ(defined.program->rows.at(13).destination(), 0x800D);
    const auto rom = assemble("t", "CALL " + name + " VOID VOID\n");
    ASSERT_TRUE(rom.program);
    EXPECT_EQ(rom.program->rows.at(12).destination(), kEntryTable[slot].romRow);
    EXPECT_EQ(rom.program->image()[slot].word, kEntryTable[slot].romRow);
    EXPECT_TRUE(microcodeRom().present.at(kEntryTable[slot].romRow));
  }
}

TEST(TheiaAssembler, MessagesNameFileLineAndColumn) {
  struct Case {
    const char* text;
    const char* message;
  };
  for (const Case& c : {
           Case{"FOO R1 R2", "f:1:1: error: found 'FOO', expected an instruction or a label"},
           Case{"\n  ADD R1 R2", "f:2:12: error: ADD needs 3 operands"},
           Case{"ADD R1 R2 R3 R4", "f:1:14: error: found 'R4', expected the end of the line"},
           Case{"COPY R1 R77 VOID", "f:1:9: error: unknown register 'R77'"},
           Case{"JMP NOWHERE", "f:1:5: error: undefined label 'NOWHERE'"},
           Case{"SETX R1 32'h123456789",
                "f:1:9: error: '32'h123456789' is not a number of 32 bits"},
           Case{"SETX R1 5", "f:1:9: error: found '5', expected 32'h<hexadecimal>"},
           Case{"SWIZZLE3D R1 SWIZZLE_XYZ", "f:1:14: error: unknown swizzle 'SWIZZLE_XYZ'"},
           Case{"RETURN MAYBE", "f:1:8: error: found 'MAYBE', expected RT_TRUE or RT_FALSE"},
           Case{"A:\nA:", "f:2:1: error: label 'A' is defined twice"},
           Case{"R1:", "f:1:1: error: 'R1' is a reserved name"},
           Case{"ENTRYPOINT_ADRR_X:", "f:1:1: error: 'ENTRYPOINT_ADRR_X' is not one of the entry"},
           Case{".org 5", "f:1:6: error: found '5', expected a row from 12 to 127"},
       }) {
    const auto result = assemble("f", c.text);
    EXPECT_FALSE(result.program) << c.text;
    EXPECT_EQ(result.report().rfind(c.message, 0), 0U) << result.report();
  }
}

TEST(TheiaAssembler, LabelsOfAnotherSourceAreJumpTargets) {
  const AssemblyResult first = assemble("a.tasm", ".rom\n.org 300\nHERE:\n  RET R99 TRUE\n");
  ASSERT_TRUE(first.program) << first.report();
  AssemblerOptions options;
  options.symbols = first.program->labels;
  const AssemblyResult second =
      assemble("b.tasm", "  JMP HERE VOID VOID\nOWN:\n  JMP OWN VOID VOID\n", options);
  ASSERT_TRUE(second.program) << second.report();
  EXPECT_EQ(second.program->rows.at(12).destination(), 300);
  EXPECT_FALSE(assemble("b.tasm", "  JMP HERE VOID VOID\n").program);
}

TEST(TheiaAssembler, SeveralErrorsPerRunAndABound) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "BAD\n";
  EXPECT_EQ(assemble("f", text).diagnostics.size(), 50U);
  std::string long_program;
  for (int i = 0; i < 117; ++i) long_program += "NOP RT_FALSE\n";
  const auto result = assemble("f", long_program);
  ASSERT_FALSE(result.program);
  EXPECT_EQ(result.diagnostics.front().line, 117U);
}

TEST(TheiaAssembler, WarnsOfThePipelinesHazards) {
  const auto count = [](const char* text) { return assemble("f", text).diagnostics.size(); };
  EXPECT_EQ(count("CALL ENTRYPOINT_ADRR_RGU VOID VOID\nNOP RT_FALSE\nRETURN RT_TRUE\n"), 1U);
  EXPECT_EQ(
      count("CALL ENTRYPOINT_ADRR_RGU VOID VOID\nNOP RT_FALSE\nNOP RT_FALSE\nRETURN RT_TRUE\n"),
      0U);
  EXPECT_EQ(count("JEQX L R1 R2\nCALL ENTRYPOINT_ADRR_RGU\nNOP RT_FALSE\nL:\nCALL "
                  "ENTRYPOINT_ADRR_BIU\nNOP RT_FALSE\nNOP RT_FALSE\nRETURN RT_TRUE\n"),
            1U);
  EXPECT_EQ(count("INTP R1 R2 VOID\n"), 1U);
  EXPECT_EQ(count(".rom\n.org 71\nL:\nADD R4 R1 R2\nJGX L R3 R4\n"), 1U);
}

TEST(TheiaAssembler, ManualListsEveryInstructionRegisterAndEntry) {
  const std::string text = manual();
  for (const OpInfo& info : kInstructions)
    EXPECT_NE(text.find(std::string(info.mnemonic) + " |"), text.npos);
  for (const RegisterInfo& info : kRegisters) EXPECT_NE(text.find(info.name), text.npos);
  for (const EntryInfo& info : kEntryTable) EXPECT_NE(text.find(info.name), text.npos);
}

TEST(TheiaAssembler, RandomTextNeverBreaksIt) {
  std::uint32_t state = 12345 + test::seedBase();
  const auto next = [&state] { return state = state * 1664525U + 1013904223U, state >> 8; };
  const std::string pieces[] = {"ADD",    "R1",     "\n",   " ",         "JMP",
                                ":",      "L",      "32'h", "FFFFFFFFF", "//",
                                "\t",     ".org",   ".rom", "12",        "SWIZZLE_XXX",
                                "\xFF",   "#",      "@",    "VOID",      "ENTRYPOINT_ADRR_MAIN",
                                "RETURN", "RT_TRUE"};
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (unsigned n = next() % 60; n > 0; --n) text += pieces[next() % std::size(pieces)];
    const auto result = assemble("random", text);
    EXPECT_LE(result.diagnostics.size(), 100U);
  }
}

}  // namespace
}  // namespace rtvp::theia
