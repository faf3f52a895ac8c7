// COFF files: layout, write and read back, damaged files.
#include <gtest/gtest.h>

#include <iostream>
#include <random>
#include <vector>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/asm/coff.hpp"

namespace rtvp::c32 {
namespace {

Image sample() {
  const AssemblyResult result = assemble("dir/sample.asm", R"(
        .text
start:  LDI   5,R0
        BR    a_rather_long_label
a_rather_long_label:
        NOP
        .sect "internal_code",87FE00h
hot:    NOP
        .data
        .word 1,2,start
        .bss  b,16
N       .set  42
        .global start
        .end  start
)");
  EXPECT_TRUE(result.image) << result.report();
  return *result.image;
}

TEST(C32Coff, HeaderIsVersion2ForThisProcessor) {
  const auto bytes = writeCoff(sample());
  ASSERT_GT(bytes.size(), 50u);
  EXPECT_EQ(bytes[0], 0xC2);
  EXPECT_EQ(bytes[1], 0x00);
  EXPECT_EQ(bytes[20], 0x93);
  EXPECT_EQ(bytes[16], 28);
  EXPECT_EQ(bytes[18] & 2, 2);  // executable
  EXPECT_EQ(bytes[22], 0x08);
  EXPECT_EQ(bytes[23], 0x01);
}

TEST(C32Coff, ReadsBackWhatItWrote) {
  const Image image = sample();
  const Image again = loadCoff(writeCoff(image));
  EXPECT_EQ(again, image);
  EXPECT_EQ(again.sourceLine(0x87FE00), "dir/sample.asm:8");
  EXPECT_EQ(again.find("N"), 42u);
  EXPECT_EQ(again.find("a_rather_long_label"), 2u);
  EXPECT_EQ(loadCoff(writeCoff(Image{})), Image{});
}

TEST(C32Coff, SameImageSameBytes) {
  EXPECT_EQ(writeCoff(sample()), writeCoff(sample()));
}

TEST(C32Coff, EveryTruncationIsAnError) {
  const auto bytes = writeCoff(sample());
  for (std::size_t length = 0; length + 1 < bytes.size(); ++length) {
    try {
      loadCoff({bytes.data(), length});
      // Only the string table may be missing: it is read where a name refers to it.
      EXPECT_GT(length, bytes.size() - 100);
    } catch (const CoffError& error) {
      EXPECT_NE(std::string(error.what()).find("COFF: found "), std::string::npos);
    }
  }
}

TEST(C32Coff, DamagedFilesNeverBreakTheReader) {
  constexpr unsigned kSeed = 79;
  std::cout << "seed " << kSeed << "\n";
  std::mt19937 random(kSeed);
  const auto bytes = writeCoff(sample());
  for (int n = 0; n < 20'000; ++n) {
    auto damaged = bytes;
    for (int k = 0; k < 3; ++k) {
      const std::size_t at = random() % 2 == 0 ? random() % damaged.size() : random() % 300;
      damaged[at] = random() % 2 == 0 ? 0xFF : static_cast<std::uint8_t>(random());
    }
    try {
      loadCoff(damaged);
    } catch (const CoffError&) {
    }
  }
  for (int n = 0; n < 1000; ++n) {
    std::vector<std::uint8_t> noise(random() % 400);
    for (auto& byte : noise) byte = static_cast<std::uint8_t>(random());
    if (noise.size() > 22) noise[0] = 0xC2, noise[1] = 0, noise[20] = 0x93, noise[21] = 0;
    try {
      loadCoff(noise);
    } catch (const CoffError&) {
    }
  }
}

TEST(C32Coff, RefusesOtherMachinesAndRelocatableFiles) {
  auto bytes = writeCoff(sample());
  bytes[20] = 0x92;
  EXPECT_THROW(loadCoff(bytes), CoffError);
  bytes[20] = 0x93;
  bytes[50 + 32] = 1;  // relocation count of the first section
  EXPECT_THROW(loadCoff(bytes), CoffError);
}

/// Symbols as TI's compiler writes them with debug information: an entry more, and a type.
TEST(C32Coff, SymbolsWithAuxiliaryEntriesAreSymbols) {
  std::vector<std::uint8_t> b;
  const auto u8 = [&](unsigned v) { b.push_back(static_cast<std::uint8_t>(v)); };
  const auto u16 = [&](unsigned v) { u8(v & 255), u8(v >> 8 & 255); };
  const auto u32 = [&](unsigned v) { u16(v & 0xFFFF), u16(v >> 16); };
  const auto name = [&](const char* text) {
    for (int i = 0; i < 8; ++i) u8(*text != 0 ? static_cast<unsigned char>(*text++) : 0u);
  };
  const auto symbol = [&](const char* n, unsigned value, unsigned section, unsigned type,
                          unsigned storage, unsigned more) {
    name(n), u32(value), u16(section), u16(type), u8(storage), u8(more);
    for (unsigned i = 0; i < 18 * more; ++i) u8(0x55);
  };
  u16(0xC2), u16(2), u32(0), u32(22 + 28 + 96 + 4), u32(9), u16(28), u16(0x102), u16(0x93);
  u16(0x108), u16(0), u32(1), u32(0), u32(0), u32(0x100), u32(0x100), u32(0);
  name(".text"), u32(0x100), u32(0x100), u32(1), u32(22 + 28 + 96), u32(0), u32(0), u32(0), u32(0);
  u32(0x20), u16(0), u16(0);
  name(".data"), u32(0), u32(0), u32(0), u32(0), u32(0), u32(0), u32(0), u32(0);
  u32(0x40), u16(0), u16(0);
  u32(0x0C800000);
  symbol(".text", 0x100, 1, 0, 3, 1);      // the section
  symbol("_main", 0x100, 1, 0x24, 2, 1);   // int main()
  symbol("_local", 0x100, 1, 0x20, 3, 1);  // static void local()
  symbol("_tag", 0, 0xFFFE, 8, 10, 1);     // a structure's name
  symbol("_n", 7, 0xFFFF, 4, 2, 0);
  u32(4);
  const Image image = loadCoff(b);
  EXPECT_EQ(image.find("_main"), 0x100u);
  EXPECT_EQ(image.find("_local"), 0x100u);
  EXPECT_EQ(image.find("_n"), 7u);
  EXPECT_FALSE(image.find("_tag"));
  EXPECT_FALSE(image.find(".text"));
  ASSERT_EQ(image.sections.size(), 2u);
  EXPECT_EQ(image.sections[1].kind, Section::Kind::Data);  // empty, and no .bss for that
}

/// Where the last thing read is a section's word, not a name: every byte of it has to be there.
TEST(C32Coff, AFileThatEndsInTheMiddleOfItsLastWordIsAnError) {
  std::vector<std::uint8_t> b;
  const auto u16 = [&](unsigned v) {
    b.push_back(static_cast<std::uint8_t>(v)), b.push_back(static_cast<std::uint8_t>(v >> 8));
  };
  const auto u32 = [&](unsigned v) { u16(v & 0xFFFF), u16(v >> 16); };
  u16(0xC2), u16(1), u32(0), u32(0), u32(0), u16(28), u16(0x102), u16(0x93);
  u16(0x108), u16(0), u32(1), u32(0), u32(0), u32(0x100), u32(0x100), u32(0);
  for (const char c : {'.', 't', 'e', 'x', 't', '\0', '\0', '\0'})
    b.push_back(static_cast<std::uint8_t>(c));
  u32(0x100), u32(0x100), u32(1), u32(22 + 28 + 48), u32(0), u32(0), u32(0), u32(0);
  u32(0x20), u16(0), u16(0);
  ASSERT_EQ(b.size(), 98U);
  u32(0x0C800000);
  const Image whole = loadCoff(b);
  ASSERT_EQ(whole.sections.size(), 1U);
  EXPECT_EQ(whole.sections[0].words, (std::vector<std::uint32_t>{0x0C800000}));
  for (std::size_t missing = 1; missing <= 4; ++missing)
    EXPECT_THROW(loadCoff({b.data(), b.size() - missing}), CoffError) << missing;
}

}  // namespace
}  // namespace rtvp::c32
