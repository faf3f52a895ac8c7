// Checks the assembled TigerSHARK firmware against its budget and writes it as a C++ array.
//   embed IN.coff OUT.cpp
// The build stops here when code, data and stack outgrow the 512 words of internal RAM, when hot
// code leaves block 0 or data leaves block 1, or when the image does not lie where the board
// expects it (design.md section 10).
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/c32/asm/coff.hpp"
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

void write(const std::vector<std::uint8_t>& bytes, const std::string& path) {
  std::ofstream out(path);
  out << "// Generated from tigershark.coff.\n#include \"firmware/tigershark_firmware.hpp\"\n\n"
         "namespace rtvp {\nnamespace {\nconstexpr std::uint8_t kImage[] = {";
  for (std::size_t i = 0; i < bytes.size(); ++i)
    out << (i % 24 == 0 ? "\n" : "") << static_cast<int>(bytes[i]) << ',';
  out << "\n};\n}  // namespace\n\nstd::span<const std::uint8_t> tigersharkFirmware() { return "
         "kImage; }\n\n"
         "}  // namespace rtvp\n";
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    require(argc == 3, "usage: embed IN.coff OUT.cpp");
    std::ifstream in(argv[1], std::ios::binary);
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in),
                                          std::istreambuf_iterator<char>()};
    check(rtvp::c32::loadCoff(bytes));
    write(bytes, argv[2]);
    return EXIT_SUCCESS;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tigershark firmware: %s\n", e.what());
    return EXIT_FAILURE;
  }
}
