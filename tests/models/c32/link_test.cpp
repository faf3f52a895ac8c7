// The linker: relocations of every type, placement, and errors that name symbol, file and section.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/link/linker.hpp"
#include "models/c32/link/object_coff.hpp"

namespace rtvp::c32 {
namespace {

LinkInput object(const std::string& name, const std::string& source) {
  AssemblerOptions options;
  options.relocatable = true;
  options.warnings.set("none");
  const AssemblyResult result = assemble(name + ".asm", source, options);
  EXPECT_TRUE(result.object) << result.report();
  if (!result.object) return {name + ".obj", {}};
  return {name + ".obj", readObject(writeObject(*result.object))};
}

LinkResult linked(const std::vector<LinkInput>& inputs, const std::string& script = {}) {
  LinkOptions options;
  options.script = parseScript(script);
  return link(inputs, options);
}

const Section& section(const Image& image, const std::string& name) {
  for (const Section& s : image.sections) {
    if (s.name == name) return s;
  }
  ADD_FAILURE() << "no section " << name;
  static const Section kNone;
  return kNone;
}

std::vector<std::uint32_t> words(const LinkResult& result, const std::string& name) {
  EXPECT_TRUE(result.image) << result.report();
  return result.image ? section(*result.image, name).words : std::vector<std::uint32_t>{};
}

void expectError(const LinkResult& result, const std::string& text) {
  EXPECT_FALSE(result.image);
  EXPECT_NE(result.report().find(text), std::string::npos) << result.report();
}

// One file linked alone is what the assembler makes of it.
TEST(C32Link, OneFileGivesTheAbsoluteProgram) {
  const std::string source = R"(
        .text
start:  LDP   @table
        LDI   @table+1,R0
        LDI   tiny,R1
        CALL  far
        RPTB  back
        NOP
back:   NOP
        BNZD  start
        NOP
        NOP
        NOP
        DBNZ  AR3,far
        .data
table:  .word start,far+2,back-start,5
        .float 1.5
tiny    .set  42
        .sect "more"
        .align 8
far:    RETS
        .word table,vars
        .bss  vars,4,4
        .sect "hot",87FE00h
        .label hot_at
inside: BU    inside
        .text
        .word hot_at,inside
        .global start,far
        .end  start
)";
  AssemblerOptions quiet;
  quiet.warnings.set("none");
  const AssemblyResult absolute = assemble("one.asm", source, quiet);
  ASSERT_TRUE(absolute.image) << absolute.report();
  const LinkResult result = linked({object("one", source)});
  ASSERT_TRUE(result.image) << result.report();
  EXPECT_EQ(result.report(), "");
  ASSERT_EQ(result.image->sections.size(), absolute.image->sections.size());
  for (const Section& s : absolute.image->sections) {
    EXPECT_TRUE(section(*result.image, s.name) == s) << s.name;
  }
  EXPECT_EQ(result.image->entry, absolute.image->entry);
  EXPECT_EQ(result.image->lines, absolute.image->lines);
  for (const auto& [name, symbol] : absolute.image->symbols)
    EXPECT_EQ(result.image->find(name), symbol.value) << name;
}

TEST(C32Link, EveryRelocationType) {
  const LinkInput a = object("a", R"(
        .ref   x, k, f
        .text
        LDP    x              ; PARTMS8
        LDI    @x,R0          ; PARTLS16
        LDI    @x+3,R0
        LDI    k,R1           ; RELWORD
        LDI    k-2,R1
        BR     f              ; REL24
        BR     f+1
        RPTB   f
        CALLNZ f              ; PCRWORD
        BUD    f
        NOP
        NOP
        NOP
        LDI    @f,R0
        .word  x,x-1,f        ; RELLONG
)");
  const LinkInput b = object("b", R"(
        .global x, k, f
k       .set   100
        .sect  "code",1000h
        .space 16
f:      RETS
        .sect  "data",0123450h
x:      .word  7
)");
  const std::vector<std::uint32_t> w = words(linked({a, b}), ".text");
  ASSERT_EQ(w.size(), 17u);
  const std::vector<std::uint32_t> expected = {
      0x08700012, 0x08203450, 0x08203453,     0x08610064,         0x08610062, 0x60001010,
      0x60001011, 0x64001010, 0x72061010 - 9, 0x6A201010 - 9 - 3, 0x0C800000, 0x0C800000,
      0x0C800000, 0x08201010, 0x00123450,     0x0012344F,         0x00001010};
  EXPECT_EQ(w, expected);
}

TEST(C32Link, PagesOfAddressesBehindALabelAreExact) {
  const LinkInput a =
      object("a", "\t.text\n\tLDP big+1\n\tLDI @big+1,R0\n\t.sect \"d\",1FFFFh\nbig: .word 1,2\n");
  const auto w = words(linked({a}), ".text");
  ASSERT_EQ(w.size(), 2u);
  EXPECT_EQ(w[0], 0x08700002u);
  EXPECT_EQ(w[1], 0x08200000u);
}

TEST(C32Link, MergesInOrderAndAligns) {
  const LinkInput a = object("a", "\t.text\n\tNOP\n\t.data\n\t.word 1\n");
  const LinkInput b = object("b", "\t.text\n\t.align 8\nl: NOP\n\t.data\n\t.word 2, l\n");
  const LinkResult result = linked({a, b});
  const auto text = words(result, ".text");
  ASSERT_EQ(text.size(), 9u);
  EXPECT_EQ(words(result, ".data"), (std::vector<std::uint32_t>{1, 2, 8}));
  EXPECT_EQ(result.image->sourceLine(8), "b.asm:3");
}

constexpr const char* kScript = R"(
/* a board: vectors, 64K words of SRAM, the chip's two RAM blocks */
MEMORY
{
    VECS: origin = 0h,      length = 40h
    SRAM: origin = 40h,     length = 0FFC0h
    RAM0: org = 87FE00h     len = 100h
    RAM1: org = 0x87FF00    len = 256
}
SECTIONS
{
    vectors: > VECS
    .text:   load = SRAM
    hot:     load = SRAM, run = RAM0, LOAD_START(hot_load), RUN_START(hot_run), SIZE(hot_size)
    .data:   { b.obj(.data) *(.data tab*) } > SRAM, align = 16, fill = 0FFh
    .bss:    > RAM1
    stack:   size = 32, > RAM1, RUN_START(stack_base), RUN_END(stack_end)
}
ENTRY(main)
board_id = 0C32h;
)";

TEST(C32Link, ScriptPlacesSections) {
  const LinkInput a = object("a", R"(
        .ref   hot_load,hot_run,hot_size,stack_base,stack_end,board_id
        .global main
        .sect  "vectors"
        .word  main
        .text
main:   LDI    hot_size,R0
        LDI    board_id,R1
        .word  hot_load,hot_run,stack_base,stack_end,in_hot
        .sect  "hot"
in_hot: NOP
        BU     in_hot
        .data
        .word  1
        .bss   v,4
)");
  const LinkInput b = object("b", "\t.data\n\t.word 2\n\t.sect \"table\"\n\t.word 3\n");
  const LinkResult result = linked({a, b}, kScript);
  ASSERT_TRUE(result.image) << result.report();
  const Image& image = *result.image;
  EXPECT_EQ(image.entry, 0x40u);
  EXPECT_EQ(section(image, "vectors").words, (std::vector<std::uint32_t>{0x40}));
  EXPECT_EQ(section(image, ".text").words,
            (std::vector<std::uint32_t>{0x08600002, 0x08610C32, 0x47, 0x87FE00, 0x87FF04, 0x87FF24,
                                        0x87FE00}));
  EXPECT_EQ(section(image, "hot").loadAddress, 0x47u);
  EXPECT_EQ(section(image, "hot").runAddress, 0x87FE00u);
  EXPECT_EQ(section(image, ".data").words, (std::vector<std::uint32_t>{2, 1, 3}));
  EXPECT_EQ(section(image, ".data").runAddress, 0x50u);
  EXPECT_EQ(section(image, "stack").size, 32u);
  EXPECT_NE(result.map.find("SRAM           000040    65472"), std::string::npos) << result.map;
  EXPECT_NE(result.map.find("a.obj"), std::string::npos);
}

TEST(C32LinkErrors, UndefinedNamesSymbolFileAndSection) {
  const LinkInput a =
      object("a", "\t.ref gone\n\t.text\n\tBR gone\n\tCALL gone\n\t.data\n\t.word gone\n");
  expectError(
      linked({a}),
      "a.asm:3: a.obj(.text+0000h): error: symbol 'gone' is defined in no file; also used at "
      "a.asm:4: a.obj(.text+0001h), a.asm:6: a.obj(.data+0000h)\n");
}

TEST(C32LinkErrors, DuplicateNamesBothPlaces) {
  const std::string source = "\t.global twice\n\t.text\ntwice: NOP\n";
  expectError(
      linked({object("a", source), object("b", source)}),
      "b.asm:3: b.obj(.text+0000h): error: symbol 'twice' is defined again; first in a.asm:3: "
      "a.obj(.text+0000h)");
}

TEST(C32LinkErrors, BranchesAndImmediatesThatDoNotReach) {
  const LinkInput far = object("far", "\t.global f\n\t.sect \"f\",20000h\nf: RETS\n");
  expectError(linked({object("a", "\t.ref f\n\t.text\n\tBNZ f\n"), far}),
              "a.asm:3: a.obj(.text+0000h): error: 'f' is 131071 words away");
  expectError(linked({object("a", "\t.ref f\n\t.text\n\tLDI f,AR0\n"), far}),
              "'f' is 00020000h, which no signed 16-bit immediate holds");
}

TEST(C32LinkErrors, MemoryAndOverlaps) {
  const std::string memory = "MEMORY { A: origin = 0 length = 10 }\n";
  expectError(linked({object("a", "\t.text\n\t.space 11\n")}, memory + "SECTIONS { .text: > A }"),
              "section \".text\" (11 words, first part from a.obj) does not fit memory A: 10 of 10 "
              "words are free (load address)");
  expectError(linked({object("a", "\t.text\n\t.space 11\n")}, memory),
              "does not fit any memory region");
  expectError(linked({object("a", "\t.sect \"x\",5,5\n\t.space 6\n")}, memory),
              "section \"x\" at run address 000005h lies outside the memory");
  expectError(
      linked({object("a", "\t.sect \"x\",5,5\n\t.space 6\n\t.sect \"y\",7,7\n\t.word 1\n")}),
      "a.obj: error: load addresses of section \"y\" (from 000007h) overlap section \"x\" "
      "(000005h to 00000Ah)");
  expectError(linked({object("a", "\t.sect \"x\",5\n\t.word 1\n"),
                      object("b", "\t.sect \"x\",9\n\t.word 1\n")}),
              "b.obj: error: section \"x\" has an address in its source but stands behind");
  expectError(linked({object("a", "\t.sect \"x\",5\n\t.word 1\n")}, "SECTIONS { x: load = 9 }"),
              "has an address in its source and another in the script");
  expectError(linked({object("a", "\t.sect \"x\",5\n\t.align 4\n\t.word 1\n")}),
              "section \"x\" at run address 000005h is not aligned to 4 words");
  expectError(linked({object("a", "\t.text\n\tNOP\n")}, "ENTRY(nowhere)"),
              "entry symbol 'nowhere' is not defined by any file");
}

TEST(C32LinkErrors, AtMostFifty) {
  std::string source = "\t.text\n";
  for (int n = 0; n < 80; ++n) {
    const std::string name = "u" + std::to_string(n);
    source.insert(0, "\t.ref " + name + "\n");
    source += "\tBR " + name + "\n";
  }
  EXPECT_EQ(linked({object("a", source)}).messages.size(), 51u);
}

TEST(C32LinkScript, ErrorsAreLocated) {
  const auto expectScriptError = [](const std::string& text, std::uint32_t line,
                                    const std::string& message) {
    try {
      parseScript(text);
      ADD_FAILURE() << text;
    } catch (const ScriptError& error) {
      EXPECT_EQ(error.line(), line) << text;
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  };
  expectScriptError("MEMORY {\n A: origin = 0 }", 2, "origin or length");
  expectScriptError("MEMORY {\n A: origin = 0 length = 5\n A: origin = 9 length = 5 }", 3,
                    "a region name not used before");
  expectScriptError("MEMORY {\n A: origin = 0 length = 5\n B: origin = 4 length = 5 }", 3,
                    "does not overlap A");
  expectScriptError("MEMORY { A: origin = 0FFFFFFh length = 2 }", 1, "ends at or below FFFFFFh");
  expectScriptError("SECTIONS {\n .text: > NOWHERE }", 2, "a region of MEMORY");
  expectScriptError("SECTIONS { .text: align = 3 }", 1, "a power of two");
  expectScriptError("SECTIONS { .text: { a.obj }", 1, "'('");
  expectScriptError("SECTIONS { .text: > 0 .text: > 0 }", 1, "a section not described before");
  expectScriptError("SECTIONS {", 1, "found end of file");
  expectScriptError("/* open", 1, "*/ behind it");
  expectScriptError("x = 12345678901;", 1, "a number");
  expectScriptError("x", 1, "a file name with a dot");
  expectScriptError("{", 1, "MEMORY, SECTIONS, ENTRY");
}

TEST(C32LinkScript, Wildcards) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches(".text*", ".text:main"));
  EXPECT_TRUE(matches("a?c*e", "abcxxe"));
  EXPECT_FALSE(matches("a?c", "ac"));
  EXPECT_FALSE(matches("", "x"));
  EXPECT_TRUE(matches("*a*b*", "xxaxxbxx"));
}

}  // namespace
}  // namespace rtvp::c32
