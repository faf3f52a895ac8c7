// The on-chip boot ROM of the C32, 000000h-000FFFh in microcomputer mode (c32.md 8.8). The program
// in it is this project's own, boot_rom.asm, written to the documented behaviour.
#pragma once

#include <cstdint>
#include <span>

namespace rtvp::c32 {

inline constexpr std::uint32_t kBootRomWords = 0x1000;

/// The ROM's contents; words that the program does not use are 0.
[[nodiscard]] std::span<const std::uint32_t, kBootRomWords> bootRom();
/// The same of a C31 (boot_rom_c31.asm).
[[nodiscard]] std::span<const std::uint32_t, kBootRomWords> bootRomC31();

}  // namespace rtvp::c32
