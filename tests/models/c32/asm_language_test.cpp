// The assembler's language: labels, expressions, directives, sections, macros, conditionals,
// listing.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "models/c32/asm/assembler.hpp"

namespace rtvp::c32 {
namespace {

using Words = std::vector<std::uint32_t>;

AssemblyResult run(const std::string& source, const AssemblerOptions& options = {}) {
  return assemble("t.asm", source, options);
}

Words words(const std::string& source, const AssemblerOptions& options = {}) {
  const AssemblyResult result = run(source, options);
  EXPECT_TRUE(result.image) << result.report();
  if (!result.image || result.image->sections.empty()) return {};
  return result.image->sections[0].words;
}

const Section& section(const Image& image, const std::string& name) {
  for (const Section& s : image.sections) {
    if (s.name == name) return s;
  }
  ADD_FAILURE() << "no section " << name;
  return image.sections.front();
}

TEST(C32AsmExpressions, ConstantsOfAllForms) {
  EXPECT_EQ(words("\t.word 10,0FFh,0xFF,17q,17o,017,08,101b,'A',-1,1Bh,0b1h\n"),
            (Words{10, 255, 255, 15, 15, 17, 8, 5, 65, 0xFFFFFFFF, 0x1B, 0xB1}));
  EXPECT_EQ(
      words("\t.float 1.5,-2e3,0f1.5,0e1.5,.5,2,1.5e-3\n"),
      (Words{0x00400000, 0x0A860000, 0x00400000, 0x00400000, 0xFF000000, 0x01000000, 0xF6449BA6}));
}

TEST(C32AsmExpressions, OperatorsAndPrecedence) {
  EXPECT_EQ(words("\t.word 2+3*4,(2+3)*4,7-2-1,1<<4|1,0FFh&0Fh^3,~0,!5,!0,7/2,7%4\n"),
            (Words{14, 20, 4, 17, 12, 0xFFFFFFFF, 0, 1, 3, 3}));
  EXPECT_EQ(words("\t.word 3<4,3>4,3<=3,3>=4,3=3,3==4,3!=4,-8>>1,1+1<<2,-(-3)\n"),
            (Words{1, 0, 1, 0, 1, 0, 1, 0xFFFFFFFC, 8, 3}));
}

TEST(C32AsmExpressions, AddressesAndThePc) {
  EXPECT_EQ(
      words("\t.org 100h\na:\t.word $,b-a,b\nb:\t.word a+1,$-a,size\nsize .set end-a\nend:\n"),
      (Words{0x100, 3, 0x103, 0x101, 3, 6}));
  EXPECT_EQ(words("x .set y+1\ny .set z*2\n\t.word x\nz .set 5\n"), Words{11});
  EXPECT_EQ(words("\t.org 12345h\nl:\t.word l>>8,l&0FFh,l/2\n"), (Words{0x123, 0x45, 0x91A2}));
}

TEST(C32AsmLabels, LocalAndMacroUniqueNames) {
  EXPECT_EQ(words("$1:\t.word $1\n\t.newblock\n\t.word $1\n$1:\t.word 7\n"), (Words{0, 2, 7}));
  EXPECT_EQ(words("m .macro\nl?\t.word l?\n\t.endm\n\tm\n\tm\n"), (Words{0, 1}));
}

TEST(C32AsmLabels, ColonIsOptionalAndNamesMayBeMnemonics) {
  EXPECT_EQ(words("buf .word 1\nNOP\nlabel2\n  label3: .word buf,label2,label3\n"),
            (Words{1, 0x0C800000, 0, 2, 2}));
}

TEST(C32AsmLabels, InFrontOfLoopsConditionsAndAssignments) {
  EXPECT_EQ(words("n\t.set 0\na:\t.loop 2\n\t.word a\n\t.endloop\nb\t.if 1\n\t.word b\nc\t.else\n"
                  "d\t.endif\ne:\t.asg 7,x\n\t.word x,e\nf:\t.eval 3,y\n\t.word f\n"),
            (Words{0, 0, 2, 7, 3, 5}));
  // The rest of a wrong line does not take the label with it: one mistake, one message.
  const AssemblyResult wrong = run("a:\t.loop what\n\t.endloop\n\t.word a\n");
  EXPECT_FALSE(wrong.image);
  EXPECT_EQ(wrong.report().find("undefined symbol 'a'"), std::string::npos) << wrong.report();
}

TEST(C32AsmData, BytesStringsAndFloats) {
  EXPECT_EQ(words("\t.byte \"ab\",0,0FFh\n\t.hword 0FFFFh,-1\n"),
            (Words{97, 98, 0, 255, 0xFFFF, 0xFFFF}));
  EXPECT_EQ(words("\t.string \"abcde\"\n\t.ascii \"abcd\"\n\t.asciz \"abcd\"\n"),
            (Words{0x64636261, 0x65, 0x64636261, 0x64636261, 0}));
  EXPECT_EQ(words("\t.byte \"a;\"\"\\n\" ; comment\n"), (Words{97, ';', '"', '\n'}));
  EXPECT_EQ(words("\t.float 3.14159265358979,0,-1.0,-256\n"),
            (Words{0x01490FDB, 0x80000000, 0xFF800000, 0x07800000}));
  EXPECT_EQ(words("\t.ieee 1.0\n\t.ldouble 3.14159265358979\n"),
            (Words{0x3F800000, 0x01490FDA, 0x490FDAA2}));
}

TEST(C32AsmData, SpaceAndAlignment) {
  EXPECT_EQ(words("\t.word 1\n\t.space 2\n\tNOP\n\t.align 8\n\t.word 2\n"),
            (Words{1, 0, 0, 0x0C800000, 0x0C800000, 0x0C800000, 0x0C800000, 0x0C800000, 2}));
  const AssemblyResult result = run("\t.word 1\n\t.data\n\t.align\nx:\t.word x\n");
  ASSERT_TRUE(result.image) << result.report();
  EXPECT_EQ(*result.image->find("x"), 32u);
}

TEST(C32AsmSections, LoadConsecutivelyAndRunElsewhere) {
  const AssemblyResult result = run(R"(
        .sect "vectors"
        .org   0
        .word  start
        .text
start:  LDI    @hot_at,AR0
        BR     hot
hot_at: .word  hot_load
        .sect  "hot",87FE00h
        .label hot_load
hot:    NOP
        BU     hot
hot_end:
        .data
table:  .word  hot_end-hot,hot
v       .usect "vars",4
w       .usect "vars",2,8
        .bss   b,3
        .place "vars","hot"
        .assert hot_end - hot <= 512, "code does not fit"
        .global start
        .end   start
)");
  ASSERT_TRUE(result.image) << result.report();
  EXPECT_EQ(result.report(), "t.asm:6:16: warning: @ uses DP, which nothing above has set (LDP)\n");
  const Image& image = *result.image;
  EXPECT_EQ(section(image, "vectors").loadAddress, 0u);
  EXPECT_EQ(section(image, ".text").loadAddress, 1u);
  EXPECT_EQ(section(image, ".text").runAddress, 1u);
  EXPECT_EQ(section(image, "hot").loadAddress, 4u);
  EXPECT_EQ(section(image, "hot").runAddress, 0x87FE00u);
  EXPECT_EQ(section(image, "hot").words[1], 0x6A00FFFEu);
  EXPECT_EQ(section(image, ".data").loadAddress, 6u);
  EXPECT_EQ(section(image, ".text").words, (Words{0x08280003, 0x6087FE00, 4}));
  EXPECT_EQ(section(image, ".data").words, (Words{2, 0x87FE00}));
  EXPECT_EQ(section(image, "vars").runAddress, 0x87FE08u);  // behind hot, aligned to 8
  EXPECT_EQ(*image.find("w"), 0x87FE10u);
  EXPECT_EQ(section(image, ".bss").runAddress, 8u);
  EXPECT_EQ(image.entry, 1u);
  EXPECT_TRUE(image.symbols.at("start").external);
  EXPECT_EQ(image.sourceLine(0x87FE01), "t.asm:12");
  EXPECT_EQ(image.sourceLine(2), "t.asm:7");
  EXPECT_EQ(image.sourceLine(0x1000), "");
}

TEST(C32AsmSections, ExplicitLoadAddress) {
  const AssemblyResult result =
      run("\t.sect \"a\",1000h,200h\n\t.word 1\n\t.sect \"b\"\nl:\t.word l\n");
  ASSERT_TRUE(result.image) << result.report();
  EXPECT_EQ(section(*result.image, "a").loadAddress, 0x200u);
  EXPECT_EQ(section(*result.image, "b").words, Words{0x201});
}

TEST(C32AsmSections, OrgMovesForward) {
  EXPECT_EQ(words("\t.org 10h\n\t.word 1\n\t.org 13h\nx:\t.word x\n"), (Words{1, 0, 0, 0x13}));
}

TEST(C32AsmMacros, ParametersDefaultsAndNesting) {
  EXPECT_EQ(words("pair .macro x,y\n\t.word x,y\n\t.endm\ntwo .macro p\n\tpair p,p+1\n\tpair "
                  "p*2,\"3,4\"\n\t.endm\n\ttwo 5\n"),
            (Words{5, 6, 10, 3, 4}));
  EXPECT_EQ(words("op .macro r,d\n\tLDI d,r\n\t.endm\nl: op R0, 7\n\t.word l\n"),
            (Words{0x08600007, 0}));
  EXPECT_EQ(
      words("m .macro a\n\t.if a = 0\n\t.mexit\n\t.endif\n\t.word a\n\t.endm\n\tm 0\n\tm 4\n"),
      Words{4});
  EXPECT_EQ(words("m .macro n\nlab:n:\t.word lab:n:\n\t.endm\n\tm 1\n\tm 2\n"), (Words{0, 1}));
}

TEST(C32AsmMacros, LoopsBreakAndEval) {
  EXPECT_EQ(words("\t.eval 0,i\n\t.loop 4\n\t.word i*i\n\t.eval i+1,i\n\t.endloop\n"),
            (Words{0, 1, 4, 9}));
  EXPECT_EQ(words("\t.eval 0,i\n\t.loop\n\t.break i = 2\n\t.word i\n\t.eval i+1,i\n\t.endloop\n"),
            (Words{0, 1}));
  EXPECT_EQ(words("\t.asg \"AR3\",fp\n\tLDI *-fp(2),R0\n"), Words{0x08400B02});
  EXPECT_EQ(words("\t.loop 2\n\t.loop 2\n\t.word 1\n\t.endloop\n\t.word 2\n\t.endloop\n"),
            (Words{1, 1, 2, 1, 1, 2}));
}

TEST(C32AsmConditionals, BranchesAndSkippedText) {
  const std::string source =
      "\t.if A = 1\n\t.word 1\n\t.elseif A = 2\n\t.word 2\n\t.else\n\t.word 3\n\t.endif\n";
  for (const int a : {1, 2, 3}) {
    AssemblerOptions options;
    options.defines["A"] = a;
    EXPECT_EQ(words(source, options), Words{static_cast<std::uint32_t>(a)});
  }
  EXPECT_EQ(words("\t.if 0\n )( not readable\n\t.if 1\n\t.word 1\n\t.endif\n\t.else\n\t.word "
                  "2\n\t.endif\n"),
            Words{2});
}

TEST(C32AsmIncludes, SearchesFoldersAndNamesTheFile) {
  AssemblerOptions options;
  options.includeDirectories = {"inc"};
  const std::map<std::string, std::string> files = {{"d/a.inc", "\t.include \"b.inc\"\n"},
                                                    {"inc/b.inc", "\tLDI 1,R9\n"}};
  options.readFile = [&](const std::string& path) -> std::optional<std::string> {
    const auto it = files.find(path);
    if (it == files.end()) return std::nullopt;
    return it->second;
  };
  const AssemblyResult result = assemble("d/main.asm", "\t.copy a.inc\n", options);
  EXPECT_NE(result.report().find("inc/b.inc:1:8: error: found undefined symbol 'R9'"),
            std::string::npos)
      << result.report();
  EXPECT_NE(result.report().find("d/a.inc:1: note: in file included from here"), std::string::npos);
}

TEST(C32AsmListing, ShowsAddressWordAndSource) {
  AssemblerOptions options;
  options.listing = true;
  const AssemblyResult result = run("* head\n\t.org 10h\na:\tLDI 5,R0\n\t.word 1,2\n", options);
  EXPECT_EQ(result.listing,
            "                       1\t* head\n"
            "                       2\t\t.org 10h\n"
            "000010 08600005 1      3\ta:\tLDI 5,R0\n"
            "000011 00000001        4\t\t.word 1,2\n"
            "000012 00000002 \n");
}

TEST(C32AsmComments, AllForms) {
  EXPECT_EQ(words("* whole line\n; too\n\t.word 1 ; end\n/* block\n\t.word 9\n*/\n\t.word /* in "
                  "line */ 2\n"),
            (Words{1, 2}));
}

TEST(C32AsmParallel, TwoLinesWithCommentsBetween) {
  EXPECT_EQ(words("\tMPYF3 *AR0++,*AR1++,R0 ; product\n; between\n ||\tADDF3 R0,R2,R2\n"),
            Words{0x80102120});
}

TEST(C32AsmDeterminism, SameSourceSameImage) {
  const std::string source = "b:\t.word a,b\na:\t.word b\n";
  EXPECT_EQ(*run(source).image, *run(source).image);
}

}  // namespace
}  // namespace rtvp::c32
