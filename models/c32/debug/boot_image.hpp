// Programs in the form that the boot ROM loads (c32.md 8.8, boot_rom.asm): what a PROM holds at one
// of the three addresses, or what a host sends to the serial port.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/c32/asm/image.hpp"
#include "models/c32/port.hpp"

namespace rtvp::c32 {

/// The program cannot be loaded by the boot ROM; what() says why.
class BootError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct BootSource {
  std::string_view name;
  unsigned pins = 0;          ///< INT0-INT3 that select it
  std::uint32_t address = 0;  ///< of the table; serial: unused
  bool serial = false;
};
/// boot1, boot2, boot3, serial; null for another name, and for a C30, which has no loader.
const BootSource* bootSource(std::string_view name, Chip chip = Chip::C32);

/// Blocks of the program, the one that begins at the entry first, and the end mark: the stream for
/// the serial port. `control` is what STRB0 and STRB1 hold while a block is stored; a C31's blocks
/// have none.
std::vector<std::uint32_t> bootBlocks(const Image& image, std::uint32_t control = 0x000F0008,
                                      Chip chip = Chip::C32);
/// The table for a memory of `width` 8, 16 or 32 bits: width, IOSTRB, STRB0, STRB1, blocks; C31:
/// width, bus control, blocks.
std::vector<std::uint32_t> bootTable(const Image& image, unsigned width,
                                     std::uint32_t control = 0x000F0008, Chip chip = Chip::C32);
/// Words as the locations of a memory `width` bits wide, the least significant part first.
std::vector<std::uint32_t> bootLocations(const std::vector<std::uint32_t>& words, unsigned width);

}  // namespace rtvp::c32
