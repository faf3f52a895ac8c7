// GROUP, UNION, and assignments of command files. Meaning: TI, Assembly Language Tools User's Guide
// (SPRU035), linker description; addresses worked out by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/link/linker.hpp"

namespace rtvp::c32 {
namespace {

class C32LinkPlaces : public testing::Test {
 protected:
  /// Links one source with a script; messages are in report_.
  bool link(const std::string& source, const std::string& script) {
    AssemblerOptions options;
    options.relocatable = true;
    options.warnings.set("none");
    const AssemblyResult a = assemble("a.asm", source, options);
    EXPECT_TRUE(a.object) << a.report();
    LinkOptions link;
    try {
      link.script = parseScript(script);
    } catch (const ScriptError& error) {
      report_ = std::to_string(error.line()) + ": " + error.what();
      return false;
    }
    const LinkResult result = rtvp::c32::link({{"a.obj", a.object.value_or(Object{})}}, link);
    report_ = result.report();
    if (!result.image) return false;
    image_ = *result.image;
    return true;
  }
  const Section& section(const std::string& name) const {
    static const Section kNone;
    for (const Section& s : image_.sections) {
      if (s.name == name) return s;
    }
    ADD_FAILURE() << "no section " << name;
    return kNone;
  }
  std::uint32_t value(const std::string& name) const { return image_.find(name).value_or(~0u); }
  Image image_;
  std::string report_;
};

const std::string kMemory = "MEMORY { SLOW: o = 100h, l = 1000h  FAST: o = 809800h, l = 100h }\n";
const std::string kParts =
    "\t.global x\n\t.text\n\tNOP\n\tNOP\nx: NOP\n\t.sect \"one\"\n\t.word 1,2,3\n"
    "\t.sect \"two\"\n\t.word 4,5\n\t.align 4\n\t.word 6\n\t.sect \"three\"\n\t.word 7\n"
    "room .usect \"room\",5\n";

TEST_F(C32LinkPlaces, GroupsLieSideBySide) {
  ASSERT_TRUE(link(
      kParts, kMemory + "SECTIONS { .text: > SLOW\n GROUP: { two one: fill = 9 three } > SLOW, "
                        "align = 16  room: > FAST }"))
      << report_;
  EXPECT_EQ(section(".text").runAddress, 0x100);
  EXPECT_EQ(section("two").runAddress, 0x110) << "behind three words, to a multiple of 16";
  EXPECT_EQ(section("one").runAddress, 0x115) << "two has 5 words";
  EXPECT_EQ(section("three").runAddress, 0x118);
  EXPECT_EQ(section("three").loadAddress, 0x118);
}

TEST_F(C32LinkPlaces, GroupsRunElsewhere) {
  ASSERT_TRUE(link(kParts, kMemory + "SECTIONS { GROUP: { one three } load = SLOW, run = FAST }"))
      << report_;
  EXPECT_EQ(section("one").runAddress, 0x809800);
  EXPECT_EQ(section("one").loadAddress, 0x100);
  EXPECT_EQ(section("three").runAddress, 0x809803);
  EXPECT_EQ(section("three").loadAddress, 0x103);
}

TEST_F(C32LinkPlaces, UnionsShareTheirRunAddress) {
  ASSERT_TRUE(link(kParts, kMemory +
                               "SECTIONS { UNION: run = FAST { one: load = SLOW  two: load = 200h  "
                               "room }  three: > FAST }"))
      << report_;
  EXPECT_EQ(report_, "");
  EXPECT_EQ(section("one").runAddress, 0x809800);
  EXPECT_EQ(section("two").runAddress, 0x809800);
  EXPECT_EQ(section("room").runAddress, 0x809800);
  EXPECT_EQ(section("one").loadAddress, 0x100);
  EXPECT_EQ(section("two").loadAddress, 0x200);
  EXPECT_EQ(section("three").runAddress, 0x809805) << "behind the largest";
}

TEST_F(C32LinkPlaces, GroupsInUnions) {
  ASSERT_TRUE(link(
      kParts, kMemory + "SECTIONS { UNION: run = FAST { GROUP { one: load = SLOW  three: load = "
                        "SLOW } two: load = SLOW } }"))
      << report_;
  EXPECT_EQ(section("one").runAddress, 0x809800);
  EXPECT_EQ(section("three").runAddress, 0x809803);
  EXPECT_EQ(section("two").runAddress, 0x809800);
}

TEST_F(C32LinkPlaces, WithoutMemory) {
  ASSERT_TRUE(link(kParts, "SECTIONS { .text: {}  GROUP: { one room }  UNION: { two three } }"))
      << report_;
  EXPECT_EQ(section(".text").runAddress, 0);
  EXPECT_EQ(section("one").runAddress, 3);
  EXPECT_EQ(section("room").runAddress, 6);
  EXPECT_EQ(section("two").runAddress, 12) << "aligned to 4 behind room";
  EXPECT_EQ(section("three").runAddress, 12);
}

TEST_F(C32LinkPlaces, HolesAndPlaces) {
  ASSERT_TRUE(
      link(kParts,
           "gap = 2;\nSECTIONS { .text: { first = .; *(.text) . += gap; mid = . ; . = align(8); "
           "*(one) last=.-1; } fill = 0EEh }"))
      << report_;
  const std::vector<std::uint32_t> words = section(".text").words;
  ASSERT_EQ(words.size(), 11);
  EXPECT_EQ(words[2], 0x0C800000);
  EXPECT_EQ(words[3], 0xEE) << "the hole";
  EXPECT_EQ(words[8], 1);
  EXPECT_EQ(value("first"), 0);
  EXPECT_EQ(value("mid"), 5);
  EXPECT_EQ(value("last"), 10);
}

TEST_F(C32LinkPlaces, ExpressionsOfSymbols) {
  ASSERT_TRUE(link("\t.global x\n\t.ref top,half\n\t.text\nx: .word top,half\n",
                   "SECTIONS { .text: > 40h }\n top = x + (size << 2) - -1; size = 3 * 4 % 7 | 8;\n"
                   "half = ~0FFh & (x>>3)*10h + 300h;"))
      << report_;
  // size = 12 % 7 | 8 = 13; top = 40h + 52 + 1; half: (8 * 16 + 768) & ~255.
  EXPECT_EQ(value("size"), 13);
  EXPECT_EQ(section(".text").words, (std::vector<std::uint32_t>{0x40 + 53, 0x300}));
}

TEST_F(C32LinkPlaces, Mistakes) {
  const auto fails = [&](const std::string& script, const std::string& text) {
    EXPECT_FALSE(link(kParts, script)) << script;
    EXPECT_NE(report_.find(text), std::string::npos) << script << "\n" << report_;
  };
  fails("\n. = 5;", "2: found '.', expected '.' inside of a section's braces only");
  fails("a = 1 + ;", "1: found ';', expected a number, a symbol or '.'");
  fails("a = (1;", "expected ')'");
  fails("a = 1/0;", "expected no division by 0");
  fails("a = nowhere + 1;", "'a' needs 'nowhere', which is not defined");
  fails("SECTIONS { .text: { *(.text) . = 1; } }", "'.' may only grow, to a number known here");
  fails("SECTIONS { GROUP: { } }", "expected sections in the braces of GROUP");
  fails("SECTIONS { GROUP: { one: run = 100h } }", "has an address of its own in GROUP of line 1");
  fails("SECTIONS { GROUP: { one  UNION: run = 5h { two } } }",
        "expected addresses of the outermost group only");
  fails(kMemory + "SECTIONS { GROUP: { one room: size = 200h } > FAST }",
        "section \"GROUP of line 2\" (515 words) does not fit memory FAST");
  std::string deep = "a = ";
  for (int n = 0; n < 200; ++n) deep += "(";
  fails(deep, "expected a shorter expression");
}

}  // namespace
}  // namespace rtvp::c32
