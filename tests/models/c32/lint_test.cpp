// Lint of boards' firmware: programs with one mistake each, and the rules that they keep otherwise.
#include "models/c32/analysis/lint.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/c32/asm/assembler.hpp"

namespace rtvp::c32::analysis {
namespace {

// A record: read in step, tested alone, then the arrival, exactly three instructions, and the held
// access. %s: the lines from the test on.
std::string walk(const std::string& rest) {
  return "\t.sect \"code\",87FE00h\n_start:\tLDP ray\n\tLDI @pointer,AR0\n\tLDI @own,AR1\n"
         "record:\tLDI *AR0++(1),R0\n\tBN _start\n" +
         rest + "ray:\t.word 0\nown:\t.word ray\npointer:\t.word 100h\n";
}

std::vector<std::string> findings(const std::string& source) {
  const AssemblyResult result = assemble("a.asm", source, {});
  EXPECT_TRUE(result.image) << result.report();
  std::vector<std::string> lines;
  if (!result.image) return lines;
  for (const LintFinding& f : lint(*result.image))
    lines.push_back(result.image->sourceLine(f.address) + ": " + f.text);
  return lines;
}

std::string all(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(C32Lint, ARecordThatKeepsTheRules) {
  EXPECT_EQ(
      all(findings(walk("\tLDF *AR1,R1\n\tBN next\n\tNOP\n"
                        "next:\tLDI 20h,IOF\n\tNOP\n\tNOP\n\tNOP\n\tBR again\n"
                        "again:\tBR record\n"))),
      // Two branches are no three instructions.
      all({"a.asm:5: access to the shared memory 11 cycles behind the arrival: the release comes 3 "
           "cycles behind the last arrival and must find it pending"}));
  EXPECT_EQ(all(findings(walk("\tLDF *AR1,R1\n\tBN next\n\tNOP\n"
                              "next:\tLDI 20h,IOF\n\tNOP\n\tNOP\n\tNOP\n\tLDI *AR0,R2\n"
                              "\tLDI 0,IOF\n\tBR record\n"))),
            "");
}

TEST(C32Lint, BranchOfItsOwnWithoutABarrier) {
  const auto lines = findings(walk("\tLDF *AR1,R1\n\tBN record\n\tNOP\n\tBR record\n"));
  ASSERT_EQ(lines.size(), 1U) << all(lines);
  EXPECT_EQ(lines[0].substr(0, 33), "a.asm:5: access to the shared mem");
  EXPECT_NE(lines[0].find("(a.asm:8)"), std::string::npos) << lines[0];
}

TEST(C32Lint, BranchOnASharedWordIsEverybodys) {
  EXPECT_EQ(all(findings(walk("\tCMPI 3,R0\n\tBZ record\n\tLDI *AR0,R2\n\tBR record\n"))), "");
}

TEST(C32Lint, CarrySurvivesFloatOperations) {
  EXPECT_EQ(all(findings(walk("\tLSH 1,R0\n\tLDF *AR1,R3\n\tBC record\n\tBR record\n"))), "");
  EXPECT_EQ(
      findings(walk("\tLSH 1,R0\n\tLDI *AR1,R3\n\tLSH 1,R3\n\tBC record\n\tBR record\n")).size(),
      1U);
}

TEST(C32Lint, HeldAccessTooSoon) {
  const auto lines =
      findings(walk("next:\tLDI 20h,IOF\n\tNOP\n\tLDI *AR0,R2\n\tLDI 0,IOF\n\tBR record\n"));
  ASSERT_EQ(lines.size(), 1U) << all(lines);
  EXPECT_NE(lines[0].find("a.asm:9: access to the shared memory 1 cycles behind"),
            std::string::npos)
      << lines[0];
}

TEST(C32Lint, SleepPartsTheNodes) {
  const auto lines = findings(walk("\tIDLE\n\tBR record\n"));
  ASSERT_EQ(lines.size(), 1U) << all(lines);
  EXPECT_NE(lines[0].find("(a.asm:7)"), std::string::npos) << lines[0];
}

TEST(C32Lint, CallsReturnToTheirCallers) {
  EXPECT_EQ(all(findings(walk("\tCALL f\n\tLDI *AR0,R2\n\tCALL f\n\tBR record\n"
                              "f:\tRETS\n"))),
            "");
}

TEST(C32Lint, CodeFetchedFromTheSharedMemoryAfterwards) {
  const auto lines =
      findings(walk("\tLDF *AR1,R1\n\tBN record\n\tBR outside\n"
                    "\t.sect \"far\",40h\noutside:\tBR outside\n"
                    "\t.sect \"code\"\n"));
  ASSERT_EQ(lines.size(), 2U) << all(lines);  // the record, and this
  EXPECT_NE(lines[0].find("fetched from the shared memory"), std::string::npos) << lines[0];
}

TEST(C32Lint, ControlInADelaySlot) {
  const auto lines =
      findings("\t.sect \"code\",87FE00h\n_start:\tBRD _start\n\tNOP\n\tBR _start\n\tNOP\n");
  ASSERT_EQ(lines.size(), 1U) << all(lines);
  EXPECT_EQ(lines[0].substr(0, 32), "a.asm:4: BR stands in a delay sl");
}

TEST(C32Lint, CodeBeyondTheInternalRam) {
  const auto lines =
      findings("\t.sect \"code\",87FFFEh\n_start:\tBR _start\n\tNOP\n\tNOP\n\tNOP\n");
  ASSERT_EQ(lines.size(), 1U) << all(lines);
  EXPECT_NE(lines[0].find("2 words beyond the internal RAM"), std::string::npos) << lines[0];
}

// ---- what the hardware forbids: c32.md 4.5, 4.6, 9.2

std::vector<std::string> ofCode(const std::string& code) {
  return findings("\t.sect \"code\",87FE00h\n_start:\tLDI 3,RC\n" + code);
}

TEST(C32Lint, BranchAsTheLastWordOfABlock) {
  const auto lines = ofCode("\tRPTB last\n\tNOP\nlast:\tBR _start\n");
  ASSERT_EQ(lines.size(), 1U) << all(lines);
  EXPECT_EQ(lines[0],
            "a.asm:5: BR is the last word of the block that RPTB at 87fe01 (a.asm:3) repeats: it "
            "must not change the flow of the program");
}

TEST(C32Lint, DelayedBranchNearTheEndOfABlock) {
  const std::string before = "\tRPTB last\n\tNOP\n";
  const auto lines = ofCode(before + "\tBRD _start\n\tNOP\n\tNOP\nlast:\tNOP\n");
  ASSERT_EQ(lines.size(), 1U) << all(lines);
  EXPECT_EQ(lines[0].substr(0, 57), "a.asm:5: BRD is a delayed branch in the last 4 words of t");
  // One word more, and its slots are over before the block is.
  EXPECT_EQ(all(ofCode(before + "\tBRD _start\n\tNOP\n\tNOP\n\tNOP\nlast:\tNOP\n")), "");
}

TEST(C32Lint, ABlockThatEndsInFrontOfItself) {
  const auto lines = ofCode("\tRPTB _start\n\tBR _start\n");
  ASSERT_EQ(lines.size(), 1U) << all(lines);
  EXPECT_NE(lines[0].find("the end is never reached"), std::string::npos) << lines[0];
}

TEST(C32Lint, ARepeatInARepeatedBlockPutsTheOuterOneBack) {
  const auto code = [](const std::string& restore) {
    return "\tRPTB last\n\tNOP\n\tRPTS 2\n\tNOP\n" + restore + "last:\tNOP\n\tBR _start\n";
  };
  const auto lines = ofCode(code(""));
  ASSERT_EQ(lines.size(), 1U) << all(lines);
  EXPECT_EQ(lines[0].substr(0, 32), "a.asm:5: RPTS stands in the bloc");
  EXPECT_EQ(all(ofCode(code("\tLDI R2,RS\n\tLDI R1,RE\n\tLDI R3,RC\n\tOR 100h,ST\n"))), "");
}

TEST(C32Lint, ARepeatedBranch) {
  const auto lines = ofCode("\tRPTS 2\n\tBR _start\n");
  ASSERT_EQ(lines.size(), 1U) << all(lines);
  EXPECT_EQ(lines[0].substr(0, 36), "a.asm:4: BR is repeated by RPTS at 8");
}

TEST(C32Lint, TwoLoadsToOneRegister) {
  const auto lines =
      ofCode("\tLDI *AR0,R1\n||\tLDI *AR1,R1\n\tLDI *AR0,R1\n||\tLDI *AR1,R2\n\tBR _start\n");
  ASSERT_EQ(lines.size(), 1U) << all(lines);
  EXPECT_NE(lines[0].find("both loads go to one register"), std::string::npos) << lines[0];
}

TEST(C32Lint, AnInterlockedStoreInFrontOfAnInterlockedLoad) {
  const auto lines = ofCode(
      "\tSTFI R0,*AR1\n\tLDFI *AR1,R0\n\tSTII R0,*AR1\n\tNOP\n\tLDII *AR1,R0\n"
      "\tBR _start\n");
  ASSERT_EQ(lines.size(), 1U) << all(lines);
  EXPECT_EQ(lines[0].substr(0, 36), "a.asm:3: STFI stands directly in fro");
}

}  // namespace
}  // namespace rtvp::c32::analysis
