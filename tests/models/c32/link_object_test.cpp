// Relocatable COFF files: layout, all three versions, damaged files.
#include <gtest/gtest.h>

#include <iostream>
#include <random>
#include <vector>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/asm/coff.hpp"
#include "models/c32/link/linker.hpp"
#include "models/c32/link/object_coff.hpp"

namespace rtvp::c32 {
namespace {

Object sample() {
  AssemblerOptions options;
  options.warnings.set("none");
  const AssemblyResult result = assemble("dir/sample.asm", R"(
        .ref   outside, a_long_external_name
        .global start
        .text
start:  LDP    @outside
        BR     a_long_external_name
        BNZ    outside
        LDP    start
        .sect  "a_long_section_name",87FE00h
        .label loaded
hot:    BU     hot
        .word  loaded,hot
        .data
        .align 16
        .word  start,outside+2
        .bss   b,16
N       .set   42
        .end   start
)",
                                         options);
  EXPECT_TRUE(result.object) << result.report();
  EXPECT_FALSE(result.image);
  return *result.object;
}

TEST(C32Object, ReadsBackWhatItWrote) {
  const Object object = sample();
  EXPECT_EQ(readObject(writeObject(object)), object);
  EXPECT_EQ(writeObject(object), writeObject(sample()));
  EXPECT_FALSE(isExecutable(writeObject(object)));
  EXPECT_EQ(readObject(writeObject(Object{})), Object{});
  EXPECT_THROW(loadCoff(writeObject(object)), CoffError);  // no program yet
}

TEST(C32Object, RelocatableOnlyWhereAnotherFileIsNeeded) {
  EXPECT_TRUE(assemble("a.asm", "\t.global s\ns: NOP\n").image);
  EXPECT_TRUE(assemble("a.asm", "\t.global s\n\tBR s\n").object);
  EXPECT_TRUE(assemble("a.asm", "\t.ref s\n\tBR s\n").object);
  EXPECT_FALSE(assemble("a.asm", "\t.ref s\n\tBR t\n").object);  // t is a mistake
  EXPECT_FALSE(assemble("a.asm", "\tBR s\n").object);
}

TEST(C32Object, WhatNoFieldCanHoldIsAnError) {
  const auto report = [](const std::string& line) {
    return assemble("a.asm", "\t.ref x, y\n\t.text\nl: NOP\n" + line).report();
  };
  const auto expect = [&](const std::string& line, const std::string& text) {
    EXPECT_NE(report(line).find(text), std::string::npos) << line << "\n" << report(line);
  };
  expect("\tLDI x+40000,R0\n", "beyond 16 bits");
  expect("\t.word x+y\n", "expected a constant, or an address plus or minus a constant");
  expect("\t.word x*2\n", "expected a constant, or an address plus or minus a constant");
  expect("\t.word -x\n", "found an operator on an address");
  expect("\t.byte x\n", "expected a constant (the linker decides this address)");
  expect("\t.float x\n", "expected a constant (the linker decides this address)");
  expect("\tLDF x,R0\n", "expected a floating constant");
  expect("\tTRAP x\n", "expected a constant (the linker decides this address)");
  expect("\tLDI *+AR0(x),R0\n", "expected an integer displacement");
  expect("\tRPTS x\n", "expected a constant (the linker decides this address)");
  expect("\tBU 5\n", "a number is no target in relocatable code");
  expect("\t.assert x > 5\n", "expected a constant, or an address");
  expect("\t.end x+1\n", "expected one symbol as entry");
  expect("\t.sect \"z\",\".text\"\n\tNOP\n", "in relocatable output");
}

/// A version 0 or 1 file with one section, one symbol and one relocation, byte by byte
/// (c32.md 10.6).
std::vector<std::uint8_t> oldFile(int version) {
  std::vector<std::uint8_t> b;
  const auto u16 = [&](std::uint32_t v) {
    b.push_back(static_cast<std::uint8_t>(v)), b.push_back(static_cast<std::uint8_t>(v >> 8));
  };
  const auto u32 = [&](std::uint32_t v) { u16(v & 0xFFFF), u16(v >> 16); };
  const auto name = [&](const std::string& text) {
    for (std::size_t i = 0; i < 8; ++i)
      b.push_back(i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0);
  };
  const std::uint32_t header = version == 0 ? 20 : 22, reloc = version == 0 ? 10 : 12;
  const std::uint32_t data = header + 40, relocs = data + 8, symbols = relocs + reloc;
  u16(version == 0 ? 0x93 : 0xC1), u16(1), u32(0), u32(symbols), u32(2), u16(0), u16(0x0104);
  if (version != 0) u16(0x93);
  name(".text"), u32(0), u32(0), u32(2), u32(data), u32(relocs), u32(0), u16(1), u16(0), u16(0x20);
  b.push_back(0), b.push_back(0);
  u32(0x62000000), u32(0x78800000);
  u32(0);
  if (version == 0) {
    u16(1), u16(0), u16(5);
  } else {
    u32(1), u16(0), u16(5);
  }
  name("main"), u32(0), u16(1), u16(0), b.push_back(2), b.push_back(0);
  name("ext"), u32(0), u16(0), u16(0), b.push_back(2), b.push_back(0);
  u32(4);
  return b;
}

TEST(C32Object, ReadsVersions0And1) {
  for (const int version : {0, 1}) {
    const Object object = readObject(oldFile(version));
    ASSERT_EQ(object.sections.size(), 1u);
    EXPECT_EQ(object.sections[0].words, (std::vector<std::uint32_t>{0x62000000, 0x78800000}));
    ASSERT_EQ(object.sections[0].relocations.size(), 1u);
    EXPECT_EQ(object.sections[0].relocations[0], (Relocation{0, RelocationType::Rel24, 1}));
    ASSERT_EQ(object.symbols.size(), 2u);
    EXPECT_EQ(object.symbols[1].name, "ext");
    Object other = readObject(
        writeObject(*assemble("e.asm", "\t.global ext\n\t.ref q\n\t.text\next: NOP\n").object));
    const LinkResult result = link({{"old.obj", object}, {"e.obj", other}}, {});
    ASSERT_TRUE(result.image) << result.report();
    EXPECT_EQ(result.image->sections[0].words[0], 0x62000002u);
  }
}

// Many names, sections and repeat blocks: what grows with the square of the input would not end
// here.
TEST(C32Object, LargeInputsEnd) {
  std::string source;
  for (int n = 0; n < 20'000; ++n) {
    const std::string name = "e" + std::to_string(n);
    source += "\t.ref " + name + "\n\t.word " + name + "\n\tRPTB $+2\n\tNOP\n\tNOP\n";
  }
  const AssemblyResult result = assemble("big.asm", source);
  ASSERT_TRUE(result.object) << result.report().substr(0, 500);
  Object many = readObject(writeObject(*result.object));
  EXPECT_EQ(many.sections[0].relocations.size(), 40'000u);
  Object sections;
  for (int n = 0; n < 30'000; ++n) {
    ObjectSection s;
    s.name = "s" + std::to_string(n);
    s.size = 1;
    s.words = {0};
    sections.sections.push_back(std::move(s));
  }
  const LinkResult linked = link({{"many.obj", readObject(writeObject(sections))}}, {});
  ASSERT_TRUE(linked.image) << linked.report();
  EXPECT_EQ(linked.image->sections.size(), 30'000u);
}

TEST(C32Object, EveryTruncationIsAnErrorOrLosesNamesOnly) {
  const auto bytes = writeObject(sample());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    try {
      readObject({bytes.data(), length});
      EXPECT_GT(length, bytes.size() - 200);
    } catch (const CoffError& error) {
      EXPECT_NE(std::string(error.what()).find("COFF: found "), std::string::npos);
    }
  }
}

TEST(C32Object, DamagedFilesNeverBreakReaderOrLinker) {
  constexpr unsigned kSeed = 179;
  std::cout << "seed " << kSeed << "\n";
  std::mt19937 random(kSeed);
  const auto bytes = writeObject(sample());
  int read = 0;
  for (int n = 0; n < 20'000; ++n) {
    auto damaged = bytes;
    for (int k = 0; k < 3; ++k) {
      const std::size_t at = random() % damaged.size();
      damaged[at] = random() % 2 == 0 ? 0xFF : static_cast<std::uint8_t>(random());
    }
    try {
      const Object object = readObject(damaged);
      link({{"d.obj", object}}, {});
      ++read;
    } catch (const CoffError&) {
    }
  }
  EXPECT_GT(read, 100);
}

/// object.hpp: -1 is the section itself; the file says so with all bits set (TI's COFF).
TEST(C32Object, ARelocationWithoutSymbolIsAgainstItsSection) {
  EXPECT_EQ(Relocation{}.symbol, -1);
  Object object = *assemble("e.asm", "\t.ref q\n\t.text\ns: .word s\n").object;
  ASSERT_EQ(object.sections[0].relocations.size(), 1U);
  object.sections[0].relocations[0] = {.offset = 0, .type = RelocationType::RelLong};
  EXPECT_EQ(readObject(writeObject(object)).sections[0].relocations,
            object.sections[0].relocations);
}

}  // namespace
}  // namespace rtvp::c32
