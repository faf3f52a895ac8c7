// rtvp_embed: what a program holds is what lies in the file, byte for byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "firmware/shading_image.hpp"
#include "firmware/tigershark_firmware.hpp"
#include "firmware/xphmg_firmware.hpp"
#include "models/c32/boot_rom.hpp"
#include "tests/support/paths.hpp"

namespace rtvp {
namespace {

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string textOf(std::span<const std::uint8_t> bytes) {
  return {bytes.begin(), bytes.end()};
}

TEST(Embed, BytesOfAFile) {
  EXPECT_EQ(textOf(tigersharkFirmware()), contents(RTVP_BINARY_DIR "/firmware/tigershark.coff"));
  ASSERT_FALSE(xphmgQueueDriver().empty()) << "no RISC-V compiler: scripts/setup installs one";
  EXPECT_EQ(textOf(xphmgQueueDriver()),
            contents(RTVP_BINARY_DIR "/firmware/xphmg/queue_driver.elf"));
}

TEST(Embed, WordsOfAListing) {
  std::ifstream in(RTVP_BINARY_DIR "/models/c32/boot_rom.words");
  std::size_t count = 0;
  for (std::string line; std::getline(in, line); ++count)
    EXPECT_EQ(c32::bootRom()[count], std::stoul(line, nullptr, 16)) << "word " << count;
  EXPECT_GE(count, 64U);
  EXPECT_LT(count, c32::kBootRomWords);
  EXPECT_TRUE(std::ranges::all_of(c32::bootRom().subspan(count),
                                  [](std::uint32_t word) { return word == 0; }));
}

TEST(Embed, TextsByName) {
  const auto& sources = firmware::shadingSources();
  EXPECT_EQ(sources.size(), 9U);
  const std::string folder = RTVP_SOURCE_DIR "/firmware/tigershark/";
  EXPECT_EQ(sources.at("shade.asm"), contents(folder + "shading/shade.asm"));
  EXPECT_EQ(sources.at("machine.inc"), contents(folder + "machine.inc"));
  EXPECT_EQ(sources.at("protocol.inc"),
            contents(RTVP_BINARY_DIR "/firmware/tigershark/protocol.inc"));
}

}  // namespace
}  // namespace rtvp
