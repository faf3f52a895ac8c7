// What sources for TI's own assembler use (tools' README, "Habits"): names of registers,
// structures, debug directives, the macro language, predefined symbols. Expected words are written
// by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/link/linker.hpp"

namespace rtvp::c32 {
namespace {

using Words = std::vector<std::uint32_t>;

AssemblyResult run(const std::string& source, AssemblerOptions options = {}) {
  return assemble("t.asm", source, options);
}

Words words(const std::string& source, const AssemblerOptions& options = {}) {
  const AssemblyResult result = run(source, options);
  EXPECT_TRUE(result.image) << result.report();
  if (!result.image || result.image->sections.empty()) return {};
  return result.image->sections[0].words;
}

std::size_t errorsOf(const std::string& source) {
  std::size_t n = 0;
  for (const Diagnostic& d : run(source).diagnostics)
    n += d.severity == Diagnostic::Severity::Error ? 1 : 0;
  return n;
}

TEST(C32AsmTi, OtherNamesOfRegisters) {
  EXPECT_EQ(words("FP\t.set AR3\nfp .set FP\nACC equ R7\nix .set ir0\n"
                  "\tLDI *+FP(1),ACC\n\tLDI *fp++(ix),R0\n\tADDI3 ACC,R1,acc1\nacc1 .set R2\n"
                  "\tPUSH FP\n"),
            (Words{0x08470301, 0x08406300, 0x21020107, 0x0F2B0000}));
  EXPECT_EQ(words("\t.regalias\n\tLDF *AR0,F1\n"), Words{0x0741C000});
  // One mistake, one message, however often the name is used.
  EXPECT_EQ(errorsOf("\tLDI *+FP(1),R0\n\tLDI *FP,R1\n\tLDI *-FP(2),R2\n\tSTI R0,*FP\n"), 1u);
  EXPECT_EQ(errorsOf("FP .set AR3\n\t.word FP\n"), 1u);
}

TEST(C32AsmTi, TheSameValueTwiceIsNoMistake) {
  EXPECT_EQ(words("N .set 5\nN .set 5\nN .equ 2+3\n\t.word N\n"), Words{5});
  EXPECT_EQ(errorsOf("N .set 5\nN .set 6\n"), 1u);
  EXPECT_EQ(errorsOf("N:\nN .set 0\n"), 1u);
}

TEST(C32AsmTi, StructuresAndUnions) {
  const std::string types =
      "PT\t.struct\nx\t.float\ny\t.float\nlen\t.endstruct\n"
      "BOX\t.struct 2\nlo\t.tag PT\nhi\t.tag PT\nname\t.string 5\nn\t.int 3\nsz\t.endstruct\n"
      "U\t.union\na\t.int\nb\t.space 4\nc\t.tag PT\nul\t.endunion\n";
  EXPECT_EQ(words(types + "\t.word PT.x,PT.y,len,PT.len\n\t.word BOX.hi,BOX.hi.y,BOX.n,sz\n"
                          "\t.word U.a,U.b,U.c.y,ul,$structsz(BOX)\n"),
            (Words{0, 1, 2, 2, 4, 5, 8, 9, 0, 0, 1, 4, 9}));
  // A label with the members of a structure.
  EXPECT_EQ(words(types + "\t.org 100h\nv:\t.word 1,2,3,4\nv\t.tag BOX\n\t.word v.lo,v.hi.y\n"),
            (Words{1, 2, 3, 4, 0x102, 0x105}));
  // Members of a structure without a name are plain symbols; one inside another belongs to it.
  EXPECT_EQ(words("\t.struct\nfirst .int\nsecond .int\n\t.endstruct\n\t.word second\n"), Words{1});
  EXPECT_EQ(words("O .struct\na .int\n\t.union\nb .int\nc .space 3\n\t.endunion\nd .int\n"
                  "ol .endstruct\n\t.word O.b,O.c,O.d,ol\n"),
            (Words{1, 1, 4, 5}));
  EXPECT_EQ(words("O .struct\na .int\nI .struct\np .int\nq .int\n\t.endstruct\nd .int\n"
                  "ol .endstruct\n\t.word O.I,O.I.q,O.d,ol\n"),
            (Words{1, 1, 3, 4}));
  EXPECT_EQ(errorsOf("S .struct\na .int\n"), 1u);
  EXPECT_EQ(errorsOf("\t.endstruct\n"), 1u);
  EXPECT_EQ(errorsOf("v .tag NOWHERE\n"), 1u);
}

TEST(C32AsmTi, TextIsPackedAcrossOperands) {
  EXPECT_EQ(words("\t.string \"AB\",\"CD\",\"E\"\n"), (Words{0x44434241, 0x45}));
  EXPECT_EQ(words("\t.string \"text\",0\n"), (Words{0x74786574, 0}));
  EXPECT_EQ(words("\t.string 41h,'B',\"C\"\n"), Words{0x00434241});
  EXPECT_EQ(words("\t.pstring \"ABCDE\"\n"), (Words{0x41424344, 0x45000000}));
  EXPECT_EQ(words("\t.cstring \"AB\",\"C\"\n"), (Words{0x43004241, 0}));
  EXPECT_EQ(words("\t.ascii \"AB\",\"C\"\n"), (Words{0x4241, 0x43}));
  EXPECT_EQ(errorsOf("\t.string 256\n"), 1u);
}

TEST(C32AsmTi, FieldsFillWordsFromTheLowestBit) {
  EXPECT_EQ(words("\t.field 3,4\n\t.field 8,5\n\t.field 7Fh,7\n\t.field 5\n\t.field 1,1\n"
                  "\t.word 9\n\t.field 2,3\n\t.field -1,30\n"),
            (Words{0xFE83, 5, 1, 9, 2, 0x3FFFFFFF}));
  EXPECT_EQ(words("a .field 1,8\nb .field 2,8\n\t.word a,b\nc .field 3\n\t.word c\n"),
            (Words{0x201, 0, 0, 3, 3}));
}

TEST(C32AsmTi, DebugDirectivesMakeNoWords) {
  const std::string source =
      "\t.file \"a.c\"\n\t.stag _s,64\n\t.member _x,0,4,8,32\n\t.eos\n\t.etag _e,32\n\t.eos\n"
      "\t.utag _u,32\n\t.eos\n\t.sym _main,_main,36,2,0\n\t.global _main\n\t.func 12\n_main:\n"
      "\t.line 1\n\t.block 3\n\tNOP\n\t.endblock 5\n\t.endfunc 14,000000008h,0\n\t.block 2\n";
  EXPECT_EQ(words(source), (Words{0x0C800000, 0, 0}));
  AssemblerOptions gnu;
  gnu.dialect = Dialect::Gnu;
  EXPECT_EQ(words("\t.func 1\n\t.block 2\n\t.endfunc 2\n", gnu), (Words{0, 0}));
}

TEST(C32AsmTi, PredefinedSymbols) {
  AssemblerOptions options;
  const std::string source =
      "\t.word .tms320C30,.tms320C32,.tms320C40,.C30,.C32,.C3x\n"
      "\t.word .REGPARM,.BIGMODEL,.C30INTERRUPT\n"
      "\t.if .C30\n\t.word 30\n\t.else\n\t.word 32\n\t.endif\n";
  EXPECT_EQ(words(source), (Words{0, 1, 0, 0, 1, 1, 0, 0, 0, 32}));
  options.chip = 30;
  EXPECT_EQ(words(source, options), (Words{1, 0, 0, 1, 0, 1, 0, 0, 0, 30}));
}

TEST(C32AsmTi, PagesIntoOtherRegisters) {
  const std::string source = "\tLDP 809800h\n\tLDP 809800h,AR0\n\tLDPK 5\n";
  EXPECT_EQ(words(source), (Words{0x08700080, 0x08680080, 0x08700005}));
  AssemblerOptions gnu;
  gnu.dialect = Dialect::Gnu;
  EXPECT_EQ(words(source, gnu), (Words{0x50700080, 0x50680080, 0x50700005}));
}

TEST(C32AsmTi, StringFunctions) {
  EXPECT_EQ(words("\t.asg \"a,b,c\",list\n\t.asg hello,x\n"
                  "\t.word $symlen(x),$symcmp(x,\"hello\"),$symcmp(\"b\",\"a\"),$firstch(x,'l')\n"
                  "\t.word $lastch(x,'l'),$firstch(x,'z'),$iscons(\"0FFh\"),$iscons(\"17q\")\n"
                  "\t.word $iscons(\"101b\"),$iscons(\"'A'\"),$iscons(\"12\"),$iscons(\"x\")\n"
                  "\t.word $isname(\"a1\"),$isname(\"1a\"),$isreg(\"AR0\"),$isreg(\"Q\")\n"
                  "q:\n\t.word $isdefed(\"q\"),$isdefed(\"nowhere\")\n"),
            (Words{5, 0, 1, 3, 4, 0, 3, 2, 1, 4, 5, 0, 1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(words("\t.asg \"1,2,3\",list\n\t.loop\n\t.break $ismember(item,list) = 0\n"
                  "\t.word item*10\n\t.endloop\n"),
            (Words{10, 20, 30}));
}

TEST(C32AsmTi, MathematicalFunctions) {
  EXPECT_EQ(words("\t.word $cvi(3.7),$cvi(-3.7),$max(3,9),$min(3,9),$sgn(-2.0),$int(3.0)\n"
                  "\t.float $sqrt(4.0),$pow(2,3),$cos(0.0),$cvf(3),$floor(2.5),$fabs(-1.5)\n"),
            (Words{3, 0xFFFFFFFD, 9, 3, 0xFFFFFFFF, 1, 0x01000000, 0x03000000, 0, 0x01400000,
                   0x01000000, 0x00400000}));
  EXPECT_EQ(errorsOf("\t.float $sqrt(-1.0)\n"), 1u);
  EXPECT_EQ(errorsOf("\t.float $atan2(1.0)\n"), 1u);
}

TEST(C32AsmTi, MacroVariablesSubscriptsAndRecursion) {
  EXPECT_EQ(words("m .macro p\n\t.var v\n\t.asg p,v\n\t.word v+1\n\t.endm\n\tm 4\n\tm 6\n"),
            (Words{5, 7}));
  EXPECT_EQ(words("s .macro p\n\t.word :p(1):,:p(2,2):\n\t.endm\n\ts 1234\n"), (Words{1, 23}));
  EXPECT_EQ(words("\t.asg 10,x\nLAB:x:\t.word x,LAB10\n"), (Words{10, 0}));
  EXPECT_EQ(words("down .macro n\n\t.if n > 0 && n != 99\n\t.word n\n\tdown n-1\n\t.endif\n"
                  "\t.endm\n\tdown 3\n"),
            (Words{3, 2, 1}));
  // A parameter may be given another text; what is outside stays.
  EXPECT_EQ(words("\t.asg 1,x\nm .macro x\n\t.eval x*2,x\n\t.word x\n\t.endm\n\tm 5\n\t.word x\n"),
            (Words{10, 1}));
  // A macro may have the name of a register or of an instruction.
  EXPECT_EQ(words("R0 .macro\n\t.word 7\n\t.endm\nnop .macro\n\t.word 8\n\t.endm\n\tR0\n\tNOP\n"),
            (Words{7, 8}));
  EXPECT_EQ(errorsOf("\t.var x\n"), 1u);
  EXPECT_EQ(words("m .macro\n! never seen\n\t.word 1\n\t.endm\n\tm\n"), Words{1});
}

TEST(C32AsmTi, LabelsThatLookLikeInstructions) {
  // A macro's name alone in column 1 names the place, too.
  EXPECT_EQ(words("m .macro\n\tNOP\n\t.endm\nm\n\t.word m\n\t.word 1\n"), (Words{0, 1}));
  EXPECT_EQ(words("sub\tNOP\nadd:\tNOP\nbz\n\t.word sub,add,bz\nm .macro\n\tNOP\n\t.endm\n"
                  "m\tNOP\n\t.word m\n"),
            (Words{0x0C800000, 0x0C800000, 0, 1, 2, 0x0C800000, 5}));
}

TEST(C32AsmTi, RareDirectives) {
  EXPECT_EQ(words("\t.word 1\nend .bes 3\n\t.word end\n"), (Words{1, 0, 0, 0, 3}));
  EXPECT_EQ(words("\t.fill 2,1,7\n\t.double 1.0\n\t.word 1\n\t.even\n\t.mmregs\n\t.clink\n"
                  "\t.sblock \"x\"\n\t.half 1,\"a\"\n"),
            (Words{7, 7, 0, 1, 1, 97}));
  const AssemblyResult r = run("\t.asect \"v\",809FC1h\n\t.word 5\n\t.const\n\t.word 6\n");
  ASSERT_TRUE(r.image) << r.report();
  EXPECT_EQ(r.image->sections[0].loadAddress, 0x809FC1u);
  EXPECT_EQ(r.image->sections[1].name, ".const");
  EXPECT_EQ(words(std::string("\t.word 1\n\x1A this is no text\n")), Words{1});
  EXPECT_EQ(words("\t.sect code\n\t.word 4\n\t.usect x,4\nv .usect vars,2\n"), Words{4});
  // A register where a size is wanted is its number, as TI's assembler has it.
  EXPECT_EQ(words("\t.word w-v\nv .usect \"x\",R3\nw .usect \"x\",1\n"), Words{3});
  EXPECT_EQ(errorsOf("\t.global a,1b,c\na: .word c\nc:\n"), 1u);
}

TEST(C32AsmTi, PartsOfAddressesOfOtherFiles) {
  const AssemblyResult a =
      run("\t.ref far\n\tLDP far+40000h\n\tLDI far>>16,R0\n\tOR far&0FFFFh,R0\n"
          "\tOR far,R1\n\tLDP far+8000h,AR0\n\t.end\n");
  ASSERT_TRUE(a.object) << a.report();
  const AssemblyResult b = run("\t.def far\n\t.sect \"d\",12C000h,12C000h\nfar .word 1\n", [] {
    AssemblerOptions o;
    o.relocatable = true;
    return o;
  }());
  ASSERT_TRUE(b.object) << b.report();
  const LinkResult linked = link({{"a.obj", *a.object}, {"b.obj", *b.object}}, {});
  ASSERT_TRUE(linked.image) << linked.report();
  for (const Section& s : linked.image->sections) {
    if (s.name != ".text") continue;
    EXPECT_EQ(s.words, (Words{0x08700016, 0x08600012, 0x1060C000, 0x1061C000, 0x08680013}));
  }
}

}  // namespace
}  // namespace rtvp::c32
