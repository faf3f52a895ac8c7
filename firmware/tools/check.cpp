// Checks the assembled TigerSHARK firmware against its budget.
//   tigershark-check IN.coff
// The build stops here when code, data and stack outgrow the 512 words of internal RAM, when hot
// code leaves block 0 or data leaves block 1, or when the image does not lie where the board
// expects it (design.md section 10).
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#include "models/c32/asm/coff.hpp"
#include "models/common/core/file_io.hpp"
#include "models/tigershark/protocol.hpp"

namespace {

using rtvp::c32::Image;
using rtvp::c32::Section;

constexpr std::uint32_t kRam0 = 0x87FE00;
constexpr std::uint32_t kRam1 = 0x87FF00;
constexpr std::uint32_t kRamEnd = 0x880000;

const Section& section(const Image& image, const std::string& name) {
  for (const Section& s : image.sections) {
    if (s.name == name) return s;
  }
  throw std::runtime_error("no section " + name);
}

std::uint32_t symbol(const Image& image, const std::string& name) {
  const auto value = image.find(name);
  if (!value) throw std::runtime_error("no symbol " + name);
  return *value;
}

void require(bool condition, const std::string& rule) {
  if (!condition) throw std::runtime_error(rule);
}

void check(const Image& image) {
  const Section& reset = section(image, "reset");
  const Section& boot = section(image, "boot");
  const Section& internal = section(image, "internal");
  require(reset.loadAddress == 0 && reset.size == 1, "the reset vector is not word 0");
  require(
      boot.loadAddress == rtvp::tigershark::kFirmwareBase && boot.runAddress == boot.loadAddress,
      "boot code is not at FIRMWARE_BASE");
  require(internal.loadAddress == boot.loadAddress + boot.size,
          "the internal image does not follow the boot code");
  require(internal.runAddress == kRam0, "the internal image does not run at RAM block 0");
  require(internal.runAddress + internal.size <= kRamEnd, "text, data and stack need " +
                                                              std::to_string(internal.size) +
                                                              " words, internal RAM has 512");
  require(symbol(image, "hot_end") <= kRam1, "the record loop does not fit RAM block 0");
  require(symbol(image, "data_start") >= kRam1, "data must lie in RAM block 1");
  require(symbol(image, "internal_load") == internal.loadAddress,
          "internal_load is not the load address");
  std::printf(
      "tigershark firmware: boot %u words, internal %u of 512 (record loop %u, chain %u, data and "
      "stack %u)\n",
      boot.size, internal.size, symbol(image, "hot_end") - kRam0,
      symbol(image, "data_start") - symbol(image, "hot_end"),
      internal.runAddress + internal.size - symbol(image, "data_start"));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    require(argc == 2, "usage: tigershark-check IN.coff");
    check(rtvp::c32::loadCoff(rtvp::common::readBytes(argv[1], std::uint64_t{1} << 30U)));
    return EXIT_SUCCESS;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tigershark firmware: %s\n", e.what());
    return EXIT_FAILURE;
  }
}
