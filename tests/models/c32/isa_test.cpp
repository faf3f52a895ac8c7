// Instruction table, decoder, encoder and disassembler.
#include <gtest/gtest.h>

#include <cctype>
#include <iostream>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/decode.hpp"
#include "models/c32/disasm.hpp"
#include "models/c32/isa_manual.hpp"
#include "models/c32/isa_syntax.hpp"
#include "models/c32/isa_table.hpp"

namespace rtvp::c32 {
namespace {

/// A random word of `row`: its fixed bits, everything else random; tried until it decodes.
std::uint32_t randomWord(const OpInfo& row, std::mt19937& random) {
  for (int attempt = 0; attempt < 100'000; ++attempt) {
    std::uint32_t fields = static_cast<std::uint32_t>(random()) & ~row.mask;
    // Register fields are sparse in 16 random bits: help G = 00 and index modes along.
    if (random() % 2 == 0) fields &= 0xFFFF001F;
    if (random() % 4 == 0) fields &= 0xFFFFFF00;
    const std::uint32_t word = row.base | fields;
    const auto i = decode(word);
    if (i && i->op == row.op) return word;
  }
  ADD_FAILURE() << "no valid word of " << row.mnemonic;
  return row.base;
}

TEST(C32Isa, EveryRowDecodesToItselfAndBack) {
  constexpr unsigned kSeed = 32032;
  std::mt19937 random(kSeed);
  for (const OpInfo& row : kInstructions) {
    for (int n = 0; n < 2000; ++n) {
      const std::uint32_t word = randomWord(row, random);
      const auto i = decode(word);
      ASSERT_TRUE(i);
      ASSERT_EQ(encode(*i), word) << row.mnemonic << " seed " << kSeed;
      ASSERT_EQ(i->word, word);
    }
  }
}

TEST(C32Isa, AnyWordThatDecodesEncodesToItself) {
  constexpr unsigned kSeed = 4711;
  std::mt19937 random(kSeed);
  int valid = 0;
  for (int n = 0; n < 2'000'000; ++n) {
    const auto word = static_cast<std::uint32_t>(random());
    if (const auto i = decode(word)) {
      ++valid;
      ASSERT_EQ(encode(*i), word) << "seed " << kSeed;
    }
  }
  EXPECT_GT(valid, 200'000);
}

TEST(C32Isa, UndefinedEncodingsDoNotDecode) {
  for (const std::uint32_t word : {
           0x1B800000u,             // opcode 067
           0x28800000u,             // opcode 121
           0xA0000000u,             // group 101
           0x6A0B0000u,             // condition 0B
           0x6A150000u,             // condition 15h
           0x0800001Cu,             // register 28
           0x0180000Bu,             // float source AR3
           0x0840D000u,             // indirect mode 11010
           0x08000020u,             // reserved bits of a register source
           0x0840C001u,             // displacement of *ARn
           0x0C810000u,             // NOP with a destination
           0x06000002u,             // neither IDLE nor IDLE2
           0x66000001u,             // SWI is one word
           0x07000000u | 9u << 16,  // LDF to AR1
           0x0EE00001u,             // POPF with an operand
       }) {
    EXPECT_FALSE(decode(word)) << std::hex << word;
  }
}

TEST(C32Isa, OperandsComeInWrittenOrder) {
  const auto sub = decode(0x27030201);  // SUBI3 R1,R2,R3: R3 = R2 - R1
  ASSERT_TRUE(sub);
  EXPECT_EQ(sub->a.number, reg::R1);
  EXPECT_EQ(sub->b.number, reg::R2);
  EXPECT_EQ(sub->reg, reg::R3);
  const auto store = decode(0xED6621C0);  // SUBI3 R4,*AR0,R5 || STI R6,*AR1++
  ASSERT_TRUE(store);
  EXPECT_EQ(store->a.kind, Operand::Kind::Register);
  EXPECT_EQ(store->a.number, reg::R4);
  EXPECT_EQ(store->b.kind, Operand::Kind::Indirect);
  EXPECT_EQ(store->reg, reg::R5);
  EXPECT_EQ(store->reg2, reg::R6);
  EXPECT_EQ(store->c.number, 1);
  const auto difference =
      decode(0x85EEC0C1);  // MPYF3 *AR0,R5,R1 || SUBF3 R6,*AR1,R3: R3 = *AR1 - R6
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->c.number, reg::R6);
  EXPECT_EQ(difference->d.kind, Operand::Kind::Indirect);
  EXPECT_EQ(difference->d.number, 1);
}

TEST(C32Isa, BranchTargetsUseTheRightBase) {
  EXPECT_EQ(branchTarget(*decode(0x6A00FFE5), 0x1A), 0u);  // Bcond: PC+1
  EXPECT_EQ(branchTarget(*decode(0x6A20FFE2), 0x1B), 0u);  // BcondD: PC+3
  EXPECT_EQ(branchTarget(*decode(0x6EC0FFE1), 0x1E), 0u);
  EXPECT_EQ(branchTarget(*decode(0x6EE6FFDE), 0x1F), 0u);
  EXPECT_EQ(branchTarget(*decode(0x60123456), 7), 0x123456u);
  EXPECT_FALSE(branchTarget(*decode(0x68060007), 0));
}

TEST(C32Isa, IndirectModesComeApart) {
  EXPECT_TRUE(indirectMode(0).useModified);
  EXPECT_FALSE(indirectMode(0).update);
  EXPECT_TRUE(indirectMode(3).subtract && indirectMode(3).update && indirectMode(3).useModified);
  EXPECT_TRUE(indirectMode(4).update && !indirectMode(4).useModified);
  EXPECT_TRUE(indirectMode(0x0F).circular && indirectMode(0x0F).subtract);
  EXPECT_EQ(indirectMode(0x0F).index, IndirectMode::Index::Ir0);
  EXPECT_TRUE(indirectMode(kModeBitReversed).bitReversed);
}

TEST(C32Isa, ConditionsHaveAllNames) {
  const std::pair<const char*, int> names[] = {
      {"U", 0},    {"LO", 1},  {"C", 1},    {"LS", 2},  {"HI", 3},    {"HS", 4},   {"NC", 4},
      {"EQ", 5},   {"Z", 5},   {"NE", 6},   {"NZ", 6},  {"LT", 7},    {"N", 7},    {"L", 7},
      {"LE", 8},   {"GT", 9},  {"P", 9},    {"GE", 10}, {"NN", 10},   {"NV", 12},  {"V", 13},
      {"NUF", 14}, {"UF", 15}, {"NLV", 16}, {"LV", 17}, {"NLUF", 18}, {"LUF", 19}, {"ZUF", 20}};
  for (const auto& [name, code] : names) EXPECT_EQ(condCode(name), code) << name;
  EXPECT_EQ(condCode("XX"), -1);
  EXPECT_FALSE(condDefined(0x0B));
  EXPECT_FALSE(condDefined(0x15));
}

TEST(C32Isa, RegistersHaveNamesAndSynonyms) {
  EXPECT_EQ(registerNumber("f3"), reg::R3);
  EXPECT_EQ(registerNumber("iOf"), reg::IOF);
  EXPECT_EQ(registerNumber("R8"), -1);
  EXPECT_EQ(registerName(27), "RC");
  EXPECT_EQ(registerName(28), "");
}

TEST(C32Disassembler, TextAssemblesToTheSameWord) {
  constexpr unsigned kSeed = 960101;
  std::cout << "seed " << kSeed << "\n";
  std::mt19937 random(kSeed);
  AssemblerOptions options;
  options.enhanced = true;
  int plainWords = 0;
  // 100 000 words, in programs of 10 000 at varying addresses.
  for (int block = 0; block < 10; ++block) {
    const std::uint32_t start = static_cast<std::uint32_t>(random()) % 0xFF0000;
    std::string source = "\t.org " + std::to_string(start) + "\n";
    std::vector<std::uint32_t> words;
    for (std::uint32_t n = 0; n < 10'000; ++n) {
      const OpInfo& row =
          kInstructions[(n + static_cast<std::uint32_t>(block)) % kInstructions.size()];
      words.push_back(randomWord(row, random));
      const std::string text = disassemble(words.back(), start + n);
      if (text[0] == '.') ++plainWords;
      source += "\t" + text + "\n";
    }
    const AssemblyResult result = assemble("words.asm", source, options);
    ASSERT_TRUE(result.image) << result.report().substr(0, 2000);
    ASSERT_EQ(result.image->sections.size(), 1u);
    for (std::size_t n = 0; n < words.size(); ++n) {
      ASSERT_EQ(result.image->sections[0].words[n], words[n])
          << disassemble(words[n], start + static_cast<std::uint32_t>(n)) << " seed " << kSeed;
    }
  }
  std::cout << plainWords << " of 100000 words shown as .word\n";
  EXPECT_LT(plainWords, 3000);
}

TEST(C32Disassembler, ShowsReadableText) {
  EXPECT_EQ(disassemble(0x08600005, 0), "LDI 5,R0");
  EXPECT_EQ(disassemble(0x07631E00, 0), "LDF -2.5,R3");
  EXPECT_EQ(disassemble(0x6A00FFE5, 0x1A), "BU 0000000h");
  EXPECT_EQ(disassemble(0x6EE6FFDE, 0x1F), "DBNED AR3,0000000h");
  EXPECT_EQ(disassemble(0xCD6621C0, 0), "ADDF3 *AR0,R4,R5 || STF R6,*AR1++(1)");
  EXPECT_EQ(disassemble(0x0C800000, 0), "NOP");
  EXPECT_EQ(disassemble(0xA0000000, 0), ".word 0A0000000h");
}

TEST(C32Manual, NamesEveryInstruction) {
  const std::string manual = instructionManual();
  for (const OpInfo& row : kInstructions) {
    const Op shown = row.first == Op::kCount ? row.op : row.first;
    EXPECT_NE(manual.find("| `" + std::string(info(shown).mnemonic)), std::string::npos)
        << row.mnemonic;
  }
  EXPECT_NE(manual.find("`BcondD reg or label`"), std::string::npos);
}

/// What the page says of arithmetic, in the reference's words (c32.md 2, 3.1, 4.3).
TEST(C32Manual, SaysTheReferencesFormulas) {
  const std::string manual = instructionManual();
  for (const char* const text :
       {"ITTP, the vector table's address / 256, in bits 31-16",
        "s = 0 is 01.f * 2^e, s = 1 is 10.f * 2^e as a two's complement number (-2 + 0.f)",
        "dst * src -> dst", "dst * src (24 x 24 bits) -> dst"}) {
    EXPECT_NE(manual.find(text), std::string::npos) << text;
  }
  for (const char* const wrong : {"dst / src", "address * 256"})
    EXPECT_EQ(manual.find(wrong), std::string::npos) << wrong;
}

TEST(C32Syntax, EveryFileKnowsInstructionsRegistersAndDirectives) {
  for (const char* const kind : {"vim", "vscode", "man"}) {
    const std::string text = syntaxFile(kind);
    for (const char* const word : {"mpyf3", "bzd", "ldp", "ar7", "usect", "endstruct"})
      EXPECT_NE(text.find(word), std::string::npos) << kind << " " << word;
  }
  EXPECT_NE(syntaxFile("ctags").find("--langdef=C32"), std::string::npos);
  EXPECT_TRUE(syntaxFile("emacs").empty());
}

}  // namespace
}  // namespace rtvp::c32
