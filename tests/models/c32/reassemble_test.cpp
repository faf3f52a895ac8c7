// What --asm writes assembles to the same program: the firmware that is shipped, the runtime
// library, any word, and sections that are in the file but not in memory.
#include "models/c32/link/reassemble.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/asm/coff.hpp"
#include "models/c32/link/archive.hpp"
#include "models/c32/link/linker.hpp"
#include "models/c32/link/object_coff.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::c32 {
namespace {

namespace fs = std::filesystem;

std::vector<std::uint8_t> bytesOf(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string s = text.str();
  EXPECT_FALSE(s.empty()) << path;
  return {s.begin(), s.end()};
}

void expectSame(std::vector<Section> first, std::vector<Section> again, const std::string& what) {
  const auto byPlace = [](const Section& a, const Section& b) {
    return std::tuple(a.name, a.loadAddress) < std::tuple(b.name, b.loadAddress);
  };
  std::sort(first.begin(), first.end(), byPlace);
  std::sort(again.begin(), again.end(), byPlace);
  ASSERT_EQ(again.size(), first.size()) << what;
  for (std::size_t n = 0; n < first.size(); ++n) {
    const Section &a = first[n], &b = again[n];
    EXPECT_EQ(b.name, a.name) << what;
    EXPECT_EQ(b.loadAddress, a.loadAddress) << what << a.name;
    EXPECT_EQ(b.runAddress, a.runAddress) << what << a.name;
    EXPECT_EQ(b.size, a.size) << what << a.name;
    EXPECT_TRUE(b.words == a.words) << what << a.name;
  }
}

void expectRoundTrip(const Image& image, const std::string& what) {
  AssemblerOptions options;
  options.enhanced = true;
  options.warnings.set("none");
  const AssemblyResult result = assemble("again.asm", reassemblable(image), options);
  ASSERT_TRUE(result.image) << what << "\n" << result.report().substr(0, 2000);
  expectSame(image.sections, result.image->sections, what);
  expectSame(image.copies, result.image->copies, what + " copies");
  EXPECT_EQ(result.image->entry, image.entry) << what;
  const Image file = loadCoff(writeCoff(*result.image));
  EXPECT_EQ(file.copies.size(), image.copies.size());
  // As an object, and linked again.
  options.relocatable = true;
  const AssemblyResult object = assemble("again.asm", reassemblable(image), options);
  ASSERT_TRUE(object.object) << what << "\n" << object.report().substr(0, 2000);
  const LinkResult relinked = link({{"again.obj", readObject(writeObject(*object.object))}}, {});
  ASSERT_TRUE(relinked.image) << what << "\n" << relinked.report().substr(0, 2000);
  expectSame(image.sections, relinked.image->sections, what + " linked");
  expectSame(image.copies, relinked.image->copies, what + " linked copies");
  EXPECT_EQ(relinked.image->entry, image.entry) << what;
}

TEST(C32Reassemble, ShippedFirmware) {
  const fs::path build = fs::path(RTVP_BIN_DIR).parent_path();
  for (const char* name :
       {"firmware/tigershark.coff", "models/c32/boot_rom.coff", "models/c32/boot_rom_c31.coff"})
    expectRoundTrip(loadCoff(bytesOf(build / name)), name);
}

TEST(C32Reassemble, RuntimeLibraryLinked) {
  const fs::path build = fs::path(RTVP_BIN_DIR).parent_path();
  for (const char* model : {"register", "stack"}) {
    std::vector<LinkInput> inputs;
    const auto members = readArchive(bytesOf(build / "firmware/runtime" / model / "c32rt.lib"));
    ASSERT_GT(members.size(), 20);
    for (const ArchiveMember& m : members) inputs.push_back({m.name, readObject(m.bytes)});
    const LinkResult result = link(inputs, {});
    ASSERT_TRUE(result.image) << result.report();
    expectRoundTrip(*result.image, model);
  }
}

TEST(C32Reassemble, AnyWord) {
  std::mt19937 random(17);
  Image image;
  Section text;
  text.name = ".text";
  text.loadAddress = 0x1000;
  text.runAddress = 0x87FE00;
  for (int n = 0; n < 20000; ++n) text.words.push_back(static_cast<std::uint32_t>(random()));
  text.size = static_cast<std::uint32_t>(text.words.size());
  image.entry = 0x87FE03;
  image.sections.push_back(text);
  expectRoundTrip(image, "random");
}

/// The RAM model of TI's linker: variables' first values in a section the loader reads.
TEST(C32Reassemble, CopySections) {
  Image image;
  image.sections.push_back({".text", 0, 0, 2, Section::Kind::Text, {0x0C800000, 0x78800000}});
  image.sections.push_back({".bss", 0x809800, 0x809800, 3, Section::Kind::Bss, {}});
  image.copies.push_back({".cinit", 0, 0, 4, Section::Kind::Data, {1, 0x809800, 77, 0}});
  expectRoundTrip(image, "copy");
}

/// Objects keep such sections, and so do programs linked of them.
TEST(C32Reassemble, CopySectionsAreLinked) {
  AssemblerOptions options;
  options.relocatable = true;
  const AssemblyResult a = assemble(
      "a.asm", "\t.global f\n\t.text\nf: RETS\n\t.copysect \"notes\"\n\t.word 5,f\n", options);
  ASSERT_TRUE(a.object) << a.report();
  const Object object = readObject(writeObject(*a.object));
  const LinkResult result = link({{"a.obj", object}, {"b.obj", Object{}}}, {});
  ASSERT_TRUE(result.image) << result.report();
  ASSERT_EQ(result.image->copies.size(), 1);
  EXPECT_EQ(result.image->copies[0].name, "notes");
  EXPECT_EQ(result.image->copies[0].words, (std::vector<std::uint32_t>{5, 0}));
  EXPECT_EQ(result.image->sections.size(), 1);
}

TEST(C32Reassemble, NotesOfTargetsNameNothingOfAnotherSection) {
  Image image;
  image.sections = {{".text", 0, 0, 4, Section::Kind::Text, {}},
                    {"hot", 4, 0x100, 2, Section::Kind::Text, {}}};
  image.symbols = {{"main", {0, 0, false}}, {"square", {0x101, 1, false}}};
  const auto note = [&](std::uint32_t target) {
    return targetNote(image, labelsOf(image), 0x60000000 | target, 2);  // BR
  };
  EXPECT_EQ(note(0), "  ; main");
  EXPECT_EQ(note(3), "  ; main+3");
  EXPECT_EQ(note(4), "");
  EXPECT_EQ(note(0x100), "");
  EXPECT_EQ(note(0x101), "  ; square");
  EXPECT_EQ(note(0x102), "");
}

}  // namespace
}  // namespace rtvp::c32
