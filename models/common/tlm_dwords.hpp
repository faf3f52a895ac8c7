// Payloads as sequences of little-endian dwords with byte masks: what a 32-bit register bus makes
// of any address, length and byte-enable pattern. Shared by register targets and the PCI bus.
#pragma once

#include <cstdint>
#include <tlm>
#include <vector>

namespace rtvp::common {

/// The payload's byte enables as one byte per data byte (00h or FFh), in `scratch`; null when every
/// byte is enabled or when the pattern is malformed (pointer set, length 0).
inline std::uint8_t* expandByteEnables(const tlm::tlm_generic_payload& payload,
                                       std::vector<std::uint8_t>& scratch) {
  const std::uint8_t* const pattern = payload.get_byte_enable_ptr();
  const unsigned period = payload.get_byte_enable_length();
  if (pattern == nullptr || period == 0) return nullptr;
  scratch.resize(payload.get_data_length());
  for (std::size_t i = 0; i < scratch.size(); ++i) scratch[i] = pattern[i % period];
  return scratch.data();
}

/// One dword of a payload: which bytes of it the payload covers and enables.
struct DwordLane {
  std::uint64_t address;    ///< of the dword, a multiple of 4
  std::uint32_t byte_mask;  ///< FFh in every enabled byte
  std::uint32_t first;      ///< lane of the first covered byte
  std::uint32_t count;      ///< covered bytes
  std::uint8_t* data;       ///< the payload's bytes for lanes first .. first + count - 1

  /// The write data, 0 in lanes that are not covered.
  [[nodiscard]] std::uint32_t load() const {
    std::uint32_t value = 0;
    for (std::uint32_t i = 0; i < count; ++i)
      value |= static_cast<std::uint32_t>(data[i]) << (8 * (first + i));
    return value;
  }
  /// Puts read data in the enabled bytes.
  void store(std::uint32_t value) const {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t shift = 8 * (first + i);
      if (((byte_mask >> shift) & 0xFF) != 0) data[i] = static_cast<std::uint8_t>(value >> shift);
    }
  }
};

/// Number of dwords the payload touches.
inline std::uint32_t dwordCount(const tlm::tlm_generic_payload& payload) {
  return static_cast<std::uint32_t>((payload.get_address() % 4 + payload.get_data_length() + 3) /
                                    4);
}

/// The index-th dword of the payload, index < dwordCount().
inline DwordLane dwordLane(const tlm::tlm_generic_payload& payload, std::uint32_t index) {
  const std::uint64_t begin = payload.get_address();
  const std::uint64_t end = begin + payload.get_data_length();
  const std::uint64_t base = begin - begin % 4 + 4ULL * index;
  const std::uint64_t low = base > begin ? base : begin;
  const std::uint64_t high = base + 4 < end ? base + 4 : end;
  DwordLane lane{};
  lane.address = base;
  lane.first = static_cast<std::uint32_t>(low - base);
  lane.count = static_cast<std::uint32_t>(high - low);
  lane.data = payload.get_data_ptr() + (low - begin);
  const std::uint8_t* const pattern = payload.get_byte_enable_ptr();
  const unsigned period = payload.get_byte_enable_length();
  for (std::uint32_t i = 0; i < lane.count; ++i) {
    const bool enabled =
        pattern == nullptr || (period != 0 && pattern[(low - begin + i) % period] != 0);
    if (enabled) lane.byte_mask |= 0xFFU << (8 * (lane.first + i));
  }
  return lane;
}

}  // namespace rtvp::common
