// The assembler against words made by another assembler, and against the golden encodings of
// c32.md 4.7.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "models/c32/asm/assembler.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::c32 {
namespace {

std::vector<std::uint32_t> wordsOf(const AssemblyResult& result) {
  if (!result.image || result.image->sections.empty()) return {};
  return result.image->sections[0].words;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<std::uint32_t> parseWords(const std::string& text) {
  std::vector<std::uint32_t> words;
  for (const std::string& word : split(text, ' ')) {
    words.push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
  }
  return words;
}

TEST(C32Assembler, AgreesWithAnotherAssembler) {
  std::ifstream file(RTVP_SOURCE_DIR "/tests/data/c32/asm_vectors.tsv");
  ASSERT_TRUE(file);
  int rows = 0;
  std::set<std::string> classes;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto columns = split(line, '\t');
    ASSERT_EQ(columns.size(), 3u) << line;
    std::string source = columns[0];
    for (std::size_t at; (at = source.find("\\n")) != std::string::npos;)
      source.replace(at, 2, "\n");
    AssemblerOptions options;
    options.enhanced = columns[2] == "enh";
    if (columns[2] == "ldp") options.dialect = Dialect::Gnu;  // GNU as made the words
    for (const char* const indent : {"\t", ""}) {
      const AssemblyResult result = assemble("vector.asm", indent + source + "\n", options);
      EXPECT_EQ(wordsOf(result), parseWords(columns[1])) << line << "\n" << result.report();
    }
    classes.insert(columns[2]);
    ++rows;
  }
  EXPECT_GE(rows, 350);
  EXPECT_GE(classes.size(), 30u);
}

TEST(C32Assembler, EnhancedOperandsNeedTheOption) {
  const AssemblyResult result = assemble("e.asm", "\tldf r0,r0 || stf r1,*++ar7\n");
  ASSERT_EQ(result.diagnostics.size(), 1u) << result.report();
  EXPECT_NE(result.report().find("e.asm:1:6: error: found 'r0', expected an indirect operand"),
            std::string::npos)
      << result.report();
}

TEST(C32Assembler, GoldenEncodings) {
  struct Row {
    std::uint32_t address;
    std::uint32_t word;
    const char* source;
  };
  const Row rows[] = {
      {0x00, 0x08700000, "LDP @start"},
      {0x01, 0x08600005, "LDI 5,R0"},
      {0x02, 0x0868FFFF, "LDI -1,AR0"},
      {0x03, 0x07600000, "LDF 1.0,R0"},
      {0x04, 0x07631E00, "LDF -2.5,R3"},
      {0x05, 0x02020001, "ADDI R1,R2"},
      {0x06, 0x21030201, "ADDI3 R1,R2,R3"},
      {0x07, 0x214302C0, "ADDI3 *AR0,R2,R3"},
      {0x08, 0x21232201, "ADDI3 R1,*AR2++,R3"},
      {0x09, 0x2163B960, "ADDI3 *AR0++(IR0),*AR1--(IR1)%,R3"},
      {0x0A, 0x27030201, "SUBI3 R1,R2,R3"},
      {0x0B, 0x23C002C1, "CMPI3 *AR1,R2"},
      {0x0C, 0x2320C201, "CMPF3 R1,*AR2"},
      {0x0D, 0x15400103, "STI R0,*+AR1(3)"},
      {0x0E, 0x14200000, "STF R0,@start"},
      {0x0F, 0x80102120, "MPYF3 *AR0++,*AR1++,R0 || ADDF3 R0,R2,R2"},
      {0x10, 0x87EEC0C1, "MPYF3 *AR0,R5,R1 || SUBF3 *AR1,R6,R3"},
      {0x11, 0x85EEC0C1, "MPYF3 *AR0,R5,R1 || SUBF3 R6,*AR1,R3"},
      {0x12, 0x8635C0C1, "MPYF3 R5,R6,R0 || SUBF3 *AR1,*AR0,R2"},
      {0x13, 0xCD6621C0, "ADDF3 *AR0,R4,R5 || STF R6,*AR1++"},
      {0x14, 0xED6621C0, "SUBI3 R4,*AR0,R5 || STI R6,*AR1++"},
      {0x15, 0xDD6621C0, "LSH3 R4,*AR0,R5 || STI R6,*AR1++"},
      {0x16, 0xC450C1C0, "LDF *AR0,R1 || LDF *AR1,R2"},
      {0x17, 0xDA42C1C0, "LDI *AR0,R1 || STI R2,*AR1"},
      {0x18, 0xC042C1C0, "STF R1,*AR0 || STF R2,*AR1"},
      {0x19, 0xC842C1C0, "ABSF *AR0,R1 || STF R2,*AR1"},
      {0x1A, 0x6A00FFE5, "BU start"},
      {0x1B, 0x6A20FFE2, "BUD start"},
      {0x1C, 0x68060007, "BNE R7"},
      {0x1D, 0x6A07FFE2, "BLT start"},
      {0x1E, 0x6EC0FFE1, "DBU AR3,start"},
      {0x1F, 0x6EE6FFDE, "DBNZD AR3,start"},
      {0x20, 0x60000000, "BR start"},
      {0x21, 0x61000000, "BRD start"},
      {0x22, 0x62000000, "CALL start"},
      {0x23, 0x70000004, "CALLU R4"},
      {0x24, 0x7206FFDB, "CALLNZ start"},
      {0x25, 0x64000000, "RPTB start"},
      {0x26, 0x13FB0007, "RPTS 7"},
      {0x27, 0x139B0003, "RPTS R3"},
      {0x28, 0x78800000, "RETSU"},
      {0x29, 0x78000000, "RETI"},
      {0x2A, 0x78850000, "RETSZ"},
      {0x2B, 0x74000023, "TRAPU 3"},
      {0x2C, 0x66000000, "SWI"},
      {0x2D, 0x06000000, "IDLE"},
      {0x2E, 0x06000001, "IDLE2"},
      {0x2F, 0x10800001, "LOPOWER"},
      {0x30, 0x10800000, "MAXSPEED"},
      {0x31, 0x16000000, "SIGI"},
      {0x32, 0x0C800000, "NOP"},
      {0x33, 0x0CC02201, "NOP *AR2++"},
      {0x34, 0x1B40C000, "IACK *AR0"},
      {0x35, 0x0F230000, "PUSH R3"},
      {0x36, 0x0FA30000, "PUSHF R3"},
      {0x37, 0x0E350000, "POP ST"},
      {0x38, 0x0EA40000, "POPF R4"},
      {0x39, 0x11E20001, "ROL R2"},
      {0x3A, 0x12E2FFFF, "ROR R2"},
      {0x3B, 0x12620001, "ROLC R2"},
      {0x3C, 0x1362FFFF, "RORC R2"},
      {0x3D, 0x08C1C000, "LDII *AR0,R1"},
      {0x3E, 0x15C1C000, "STII R1,*AR0"},
      {0x3F, 0x07C1C000, "LDFI *AR0,R1"},
      {0x40, 0x14C1C000, "STFI R1,*AR0"},
      {0x41, 0x42820001, "LDFZ R1,R2"},
      {0x42, 0x50C2C100, "LDILO *AR1,R2"},
      {0x43, 0x506C0003, "LDIU 3,AR4"},
      {0x44, 0x09E0FFF0, "LSH -16,R0"},
      {0x45, 0x03830001, "ASH R1,R3"},
      {0x46, 0x05080001, "FIX R1,AR0"},
      {0x47, 0x05810008, "FLOAT AR0,R1"},
      {0x48, 0x05E10005, "FLOAT 5,R1"},
      {0x50, 0x19620000, "SUBRF 1.0,R2"},
      {0x52, 0x1A61FFFF, "TSTB 0FFFFh,R1"},
      {0x53, 0x02E18000, "AND 8000h,R1"},
      {0x54, 0x10410C01, "OR *-AR4(1),R1"},
      {0x56, 0x0841C800, "LDI *AR0++(IR0)B,R1"},
      {0x57, 0x08413003, "LDI *AR0++(3)%,R1"},
  };
  for (const Row& row : rows) {
    const std::string source =
        "start .set 0\n\t.org " + std::to_string(row.address) + "\n\t" + row.source + "\n";
    EXPECT_EQ(wordsOf(assemble("g.asm", source)), std::vector<std::uint32_t>{row.word})
        << row.source << "\n"
        << assemble("g.asm", source).report();
  }
}

TEST(C32Assembler, OtherSpellings) {
  const std::pair<const char*, std::uint32_t> rows[] = {
      {"B $", 0x6A00FFFF},
      {"bd @$+3", 0x6A200000},
      {"db ar1,$+1", 0x6E400000},
      {"DBD AR1,R2", 0x6C600002},
      {"rets", 0x78800000},
      {"trap 5", 0x74000025},
      {"abs"
       "f f2",
       0x00020002},
      {"ADDF3 R1,R2", 0x20820201},                 // destination may be left out
      {"CMPI R1,*AR2", 0x23A0C201},                // memory second: three-operand form
      {"STF R2,*AR1 || LDF *AR0,R1", 0xD842C1C0},  // halves exchanged
      {"ADDF *AR1,R6,R3 || MPYF *AR0,R5,R1", 0x83EEC0C1},
      {"ADDF3 R4,*AR0,R5 || STF R6,*AR1++", 0xCD6621C0},
      {"LDF2 *AR0,R1 || LDF1 *AR1,R2", 0xC450C1C0},
      {"LDF1 *AR1,R2 || LDF2 *AR0,R1", 0xC450C1C0},
      {"LDI *+AR0(0),R1", 0x08410000},
      {"LDI *+AR0(-3),R1", 0x08410803},
      {"ADDI3 *+AR0(0),R2,R3", 0x214302C0},
      {"LDI * AR0 ++ ( 2 ) % , R1", 0x08413002},
      {"LDP 809800h", 0x08700080},
      {"LDP 12,DP", 0x0870000C},
      {"LDI 8000h,R0", 0x08608000},
      {"LDF 0.0,R0", 0x07608000},
      {"LDF 1,R0", 0x07600000},
      {"LDF 2.7,R0", 0x076012CD},
      {"LDF -256.0,R0", 0x07607800},
      {"CALL @800000h", 0x62800000},
  };
  for (const auto& [source, word] : rows) {
    EXPECT_EQ(wordsOf(assemble("s.asm", "\t" + std::string(source) + "\n")),
              std::vector<std::uint32_t>{word})
        << source << "\n"
        << assemble("s.asm", "\t" + std::string(source) + "\n").report();
  }
}

}  // namespace
}  // namespace rtvp::c32
