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

}  // namespace
}  // namespace rtvp::c32::analysis
