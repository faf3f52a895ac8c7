// The TigerSHARK node firmware as it was assembled with this build, for programs that need no file
// at run time.
#pragma once

#include <cstdint>
#include <span>

namespace rtvp {

/// A COFF file (c32.md 10.6), readable with c32::loadCoff().
[[nodiscard]] std::span<const std::uint8_t> tigersharkFirmware();

}  // namespace rtvp
