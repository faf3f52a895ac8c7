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

inline constexpr std::uint32_t kStrobe0End = 0x800000;  ///< end of STRB0's first range

/// Two blocks of equal size, one behind the other.
struct OnChipRam {
  std::uint32_t base = 0;
  std::uint32_t words = 0;
  std::uint32_t blockWords = 0;

  [[nodiscard]] constexpr bool contains(std::uint32_t address) const {
    return address - base < words;
  }
  [[nodiscard]] constexpr unsigned blockOf(std::uint32_t address) const {
    return (address - base) / blockWords;
  }
};
[[nodiscard]] constexpr OnChipRam onChipRam(Chip chip) {
  return chip == Chip::C32 ? OnChipRam{kRamBase, kRamWords, kRamWords / 2}
                           : OnChipRam{0x809800, 2048, 1024};
}

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
  if (address < kStrobe0End) return {Region::External, Strobe::Strb0};
  if (address < kPeripheralBase) return {};
  if (address < kPeripheralEnd) return {Region::Peripheral, Strobe::Strb0};
  if (address < 0x810000) return {};
  if (address < 0x830000) return {Region::External, Strobe::IoStrb};
  if (address < kRamBase) return {};
  if (address < 0x880000) return {Region::InternalRam, Strobe::Strb0};
  if (address < 0x900000) return {Region::External, Strobe::Strb0};
  return {Region::External, Strobe::Strb1};
}

/// The same of a C30 or C31. The C30's expansion bus has two strobes with one control register:
/// Strb1 stands for its MSTRB (1 cycle), IoStrb for its IOSTRB. Its ROM was masked by the customer:
/// there is none here.
[[nodiscard]] constexpr Place placeOf(Chip chip, std::uint32_t address, bool microprocessor) {
  if (chip == Chip::C32) return placeOf(address, microprocessor);
  if (address < 0x001000 && !microprocessor && chip == Chip::C31)
    return {Region::BootRom, Strobe::Strb0};
  if (address < kStrobe0End || address >= 0x80A000) return {Region::External, Strobe::Strb0};
  if (address >= 0x809800) return {Region::InternalRam, Strobe::Strb0};
  if (address >= kPeripheralBase) return {Region::Peripheral, Strobe::Strb0};
  if (chip == Chip::C30 && address < 0x802000) return {Region::External, Strobe::Strb1};
  if (chip == Chip::C30 && address >= 0x804000 && address < 0x806000)
    return {Region::External, Strobe::IoStrb};
  return {};
}

/// One STRB0, STRB1 or IOSTRB control register (c32.md 8.4).
struct BusControl {
  std::uint32_t value = 0;

  [[nodiscard]] constexpr unsigned readyMode() const { return (value >> 3) & 3u; }  ///< SWW
  [[nodiscard]] constexpr unsigned waitCount() const { return (value >> 5) & 7u; }  ///< WTCNT
  [[nodiscard]] constexpr unsigned bankBits() const { return (value >> 8) & 31u; }  ///< BNKCMP
  [[nodiscard]] constexpr unsigned dataSize() const { return (value >> 16) & 3u; }  ///< the code
  /// 32-bit data in 32-bit memory: an address is a bus address, a word a bus word.
  [[nodiscard]] constexpr bool plain() const { return ((value >> 16) & 0xFu) == 0xFu; }
  [[nodiscard]] constexpr unsigned dataBits() const { return bits(value >> 16); }
  [[nodiscard]] constexpr unsigned memoryBits() const { return bits(value >> 18); }
  [[nodiscard]] constexpr bool signBit() const { return ((value >> 20) & 1u) != 0; }
  [[nodiscard]] constexpr bool noHold() const { return (value & 2u) != 0; }
  [[nodiscard]] constexpr bool softwareHold() const { return (value & 4u) != 0; }  ///< HIZ
  /// STRB0 only: its strobes also cover STRB1 space.
  [[nodiscard]] constexpr bool coversStrobe1() const { return ((value >> 21) & 1u) != 0; }

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

 private:
  /// Size code to bits; the reserved code 2 acts as 32 bits.
  static constexpr unsigned bits(std::uint32_t code) {
    return (code & 3u) == 0 ? 8 : (code & 3u) == 1 ? 16 : 32;
  }
};

/// One bus cycle of a logical access when data size and memory width differ (c32.md 2.5): narrow
/// data share a location, wide data take several, the least significant part first.
struct BusCycle {
  std::uint32_t address = 0;    ///< in locations of the memory's width
  std::uint8_t byteEnable = 0;  ///< strobes B3-B0
  std::uint8_t lane = 0;        ///< data bit of the bus that holds the part's bit 0
  std::uint8_t shift = 0;       ///< bit of the datum that is the part's bit 0
  std::uint8_t bits = 0;        ///< of the part
};

/// Bus cycles that a datum takes.
[[nodiscard]] constexpr unsigned busCycles(unsigned dataBits, unsigned memoryBits) {
  return dataBits > memoryBits ? dataBits / memoryBits : 1;
}

/// Cycle `part` of an access to logical `address`.
[[nodiscard]] constexpr BusCycle busCycle(unsigned dataBits, unsigned memoryBits,
                                          std::uint32_t address, unsigned part) {
  BusCycle c;
  if (dataBits <= memoryBits) {
    const unsigned ratio = memoryBits / dataBits;
    const unsigned lane = address % ratio;
    c.address = address / ratio;
    c.lane = static_cast<std::uint8_t>(lane * dataBits);
    c.bits = static_cast<std::uint8_t>(dataBits);
    c.byteEnable = static_cast<std::uint8_t>(((1u << dataBits / 8) - 1u) << (lane * dataBits / 8));
  } else {
    c.address = (address * (dataBits / memoryBits) + part) & 0xFFFFFFu;
    c.shift = static_cast<std::uint8_t>(part * memoryBits);
    c.bits = static_cast<std::uint8_t>(memoryBits);
    c.byteEnable = static_cast<std::uint8_t>((1u << memoryBits / 8) - 1u);
  }
  return c;
}

}  // namespace rtvp::c32
