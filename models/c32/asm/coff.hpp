// TI COFF (c32.md 10.6): executable object files without relocations, written as version 2, read as
// 0, 1 or 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/c32/asm/image.hpp"

namespace rtvp::c32 {

/// The file is not a readable C3x COFF executable; what() names the field and its offset.
class CoffError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Section physical address = load, virtual = run. The source line map travels in a COPY section
/// named
/// `.rtvp_lines`, which loaders do not put into memory.
std::vector<std::uint8_t> writeCoff(const Image& image);

/// Reads what writeCoff wrote, and other tools' absolute C3x/C4x COFF. Throws CoffError; every
/// offset and count is checked against the file before use.
Image loadCoff(std::span<const std::uint8_t> bytes);

}  // namespace rtvp::c32
