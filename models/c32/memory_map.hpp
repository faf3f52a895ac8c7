// Address map of the C32 and the wait states its bus control registers ask for (c32.md 8.1, 8.4).
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/c32/port.hpp"

namespace rtvp::c32 {

inline constexpr std::uint32_t kRamBase = 0x87FE00;  ///< RAM block 0; block 1 follows at 87FF00
inline constexpr std::uint32_t kRamWords = 512;
inline constexpr std::uint32_t kPeripheralBase = 0x808000;
inline constexpr std::uint32_t kPeripheralEnd = 0x809800;

enum class Region : std::uint8_t { InternalRam, Peripheral, External, BootRom, Reserved };

/// What an address selects, and through which strobe if it is external.
struct Place {
  Region region = Region::Reserved;
  Strobe strobe = Strobe::Strb0;
};

/// c32.md 8.1. `microprocessor`: pin MCBL/MP = 0, no boot ROM.
[[nodiscard]] constexpr Place placeOf(std::uint32_t address, bool microprocessor = true) {
  if (address < 0x001000) {
    return {microprocessor ? Region::External : Region::BootRom, Strobe::Strb0};
  }
  if (address < 0x800000) return {Region::External, Strobe::Strb0};
  if (address < kPeripheralBase) return {};
  if (address < kPeripheralEnd) return {Region::Peripheral, Strobe::Strb0};
  if (address < 0x810000) return {};
  if (address < 0x830000) return {Region::External, Strobe::IoStrb};
  if (address < kRamBase) return {};
  if (address < 0x880000) return {Region::InternalRam, Strobe::Strb0};
  if (address < 0x900000) return {Region::External, Strobe::Strb0};
  return {Region::External, Strobe::Strb1};
}

/// One STRB0, STRB1 or IOSTRB control register (c32.md 8.4).
struct BusControl {
  std::uint32_t value = 0;

  [[nodiscard]] constexpr unsigned readyMode() const { return (value >> 3) & 3u; }  ///< SWW
  [[nodiscard]] constexpr unsigned waitCount() const { return (value >> 5) & 7u; }  ///< WTCNT
  [[nodiscard]] constexpr unsigned bankBits() const { return (value >> 8) & 31u; }  ///< BNKCMP
  [[nodiscard]] constexpr unsigned dataSize() const { return (value >> 16) & 3u; }  ///< 0, 1, 3
  [[nodiscard]] constexpr bool zeroFill() const { return ((value >> 20) & 1u) != 0; }

  /// Wait states of an access for which the memory itself asks `external`.
  [[nodiscard]] constexpr std::uint32_t waits(std::uint32_t external) const {
    switch (readyMode()) {
      case 0:
        return external;
      case 1:
        return waitCount();
      case 2:
        return std::min(external, std::uint32_t{waitCount()});
      default:
        return std::max(external, std::uint32_t{waitCount()});
    }
  }

  /// True if going from `last` to `address` crosses a bank: BNKCMP address MSBs differ.
  [[nodiscard]] constexpr bool crossesBank(std::uint32_t last, std::uint32_t address) const {
    const unsigned compared = std::min(bankBits(), 16u);
    return compared != 0 && ((last ^ address) & 0xFFFFFFu) >> (24 - compared) != 0;
  }
};

}  // namespace rtvp::c32
