// Boot-memory images of the S5933 (board.md 4.1): what the card tells the host about itself at
// power-on. Plain C++.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace rtvp::tigershark::s5933 {

/// One pass-thru region (base addresses 1 to 4).
struct NvRegion {
  std::uint32_t bytes =
      0;  ///< a power of two, 16 .. 512 MiB (memory) or 4 .. 256 (I/O); 0 = disabled
  bool io = false;
  std::uint32_t bus_width = 32;  ///< add-on bus: 8, 16 or 32
};

struct NvConfig {
  std::uint16_t vendor = 0x10E8;
  std::uint16_t device = 0x4750;
  std::uint8_t revision = 0;
  std::uint32_t class_code = 0xFF0000;
  bool counts_on_pci = true;  ///< byte 45h bit 7: the PCI side owns address and count registers
  std::uint8_t latency_timer = 0;   ///< PCI clocks
  bool self_test = false;           ///< 4Fh
  bool registers_in_memory = true;  ///< 50h: base 0 in memory space instead of I/O
  std::array<NvRegion, 4> regions{};
  std::uint8_t interrupt_line = 0xFF;
  std::uint8_t interrupt_pin = 1;
  std::uint8_t min_grant = 0, max_latency = 0;  ///< 250 ns units
};

inline constexpr std::size_t kNvBytes = 128;  ///< serial part: addresses 40h..7Fh are boot-loaded

/// Throws std::invalid_argument for a region that no base address register can describe.
[[nodiscard]] std::vector<std::uint8_t> makeNvImage(const NvConfig& config);

/// The board's mapping (board.md 4.5): base 0 the registers in memory, base 1 the SRAM window of
/// `sram_bytes` rounded up to a power of two, base 2 the 4 KiB PLD registers.
[[nodiscard]] std::vector<std::uint8_t> makeBoardNvImage(std::uint32_t sram_bytes);

}  // namespace rtvp::tigershark::s5933
