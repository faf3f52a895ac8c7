// The rule of register blocks (register_target.hpp) as the tests know it: what status an access
// must have, said without the code under test, and a sweep of a model's socket by it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "models/common/register_table.hpp"
#include "tests/models/common/register_access.hpp"

namespace rtvp::common::test {

struct Rule {
  std::span<const RegisterDescriptor> table;
  std::uint64_t bytes;    ///< of the block
  unsigned smallest = 1;  ///< sizes it takes, 1: any
  unsigned largest = 8;

  [[nodiscard]] bool inside(std::uint64_t offset, std::uint64_t size) const {
    return offset + size <= bytes;
  }
  [[nodiscard]] tlm::tlm_response_status status(std::uint64_t offset, std::uint64_t size,
                                                const std::vector<std::uint8_t>& enables) const {
    if (smallest > 1) {
      for (std::uint64_t i = 0; i < size && !enables.empty(); ++i)
        if (enables[i % enables.size()] == 0) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
      bool taken = false;
      for (unsigned s = smallest; s <= largest; s *= 2) taken |= size == s;
      if (!taken) return tlm::TLM_BURST_ERROR_RESPONSE;
      if (offset % size != 0) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
    return inside(offset, size) ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  /// Row that holds a byte, by looking at every row; the table's size for a hole.
  [[nodiscard]] std::size_t owner(std::uint64_t offset) const {
    for (std::size_t row = 0; row < table.size(); ++row)
      if (offset >= table[row].offset && offset < table[row].offset + table[row].width) return row;
    return table.size();
  }
};

/// Patterns of byte enables, the first being none.
inline const std::array<std::vector<std::uint8_t>, 6>& enablePatterns() {
  static const std::array<std::vector<std::uint8_t>, 6> patterns{{
      {},
      {0xFF},
      {0},
      {0xFF, 0},
      {0xFF, 0xFF, 0, 0},
      {0, 0, 0, 0xFF, 0xFF, 0, 0xFF, 0},
  }};
  return patterns;
}

/// A model's socket: what it does with a payload, time left out.
struct Socket {
  std::function<void(tlm::tlm_generic_payload&)> transport;
  std::function<unsigned(tlm::tlm_generic_payload&)> debug;
  std::uint64_t base = 0;       ///< of the block
  std::uint64_t reach = ~0ULL;  ///< bytes from the base that get as far as the model
};

/// Reads of every offset, of 1, 2, 4 and 8 bytes, with all patterns: status; bytes not enabled
/// stay; holes are 0; registers that `steady` names (their reads have no effect and time does not
/// change them) hold what debug access shows.
inline void sweep(const Rule& rule, const Socket& socket,
                  const std::function<bool(const RegisterDescriptor&)>& steady) {
  std::vector<std::size_t> owners;
  for (std::uint64_t offset = 0; offset < rule.bytes; ++offset)
    owners.push_back(rule.owner(offset));
  const auto look = [&](std::uint64_t offset, std::uint64_t size) {
    Access a{tlm::TLM_READ_COMMAND, socket.base + offset, std::vector<std::uint8_t>(size, 0xEE)};
    const unsigned moved = a.with(socket.debug);
    EXPECT_EQ(moved, rule.inside(offset, size) ? size : 0U) << "debug " << offset << ' ' << size;
    return a.data;
  };
  for (std::uint64_t offset = 0; offset < rule.bytes + 9; ++offset) {
    for (const std::uint64_t size : {1U, 2U, 4U, 8U}) {
      if (offset + size > socket.reach) continue;
      const std::vector<std::uint8_t> shown = look(offset, size);
      for (const auto& enables : enablePatterns()) {
        Access a{tlm::TLM_READ_COMMAND, socket.base + offset, std::vector<std::uint8_t>(size, 0xEE),
                 enables};
        const auto status = a.with([&](tlm::tlm_generic_payload& payload) {
          socket.transport(payload);
          return payload.get_response_status();
        });
        ASSERT_EQ(status, rule.status(offset, size, enables)) << offset << ' ' << size;
        for (std::uint64_t i = 0; i < size; ++i) {
          const bool enabled = enables.empty() || enables[i % enables.size()] != 0;
          if (status != tlm::TLM_OK_RESPONSE || !enabled) {
            ASSERT_EQ(a.data[i], 0xEE) << offset << ' ' << size;
          } else if (owners[offset + i] == rule.table.size()) {
            ASSERT_EQ(a.data[i], 0) << "a hole at " << offset + i;
          } else if (steady(rule.table[owners[offset + i]])) {
            ASSERT_EQ(a.data[i], shown[i]) << rule.table[owners[offset + i]].name;
          }
        }
      }
    }
  }
}

/// Writes ones to every hole, as large as the block takes them, and to nothing else.
inline void fillHoles(const Rule& rule, const Socket& socket) {
  const std::uint64_t size = rule.smallest;
  for (std::uint64_t offset = 0; offset + size <= rule.bytes; offset += size) {
    bool hole = true;
    for (std::uint64_t i = 0; i < size; ++i) hole &= rule.owner(offset + i) == rule.table.size();
    if (!hole) continue;
    Access a{tlm::TLM_WRITE_COMMAND, socket.base + offset, std::vector<std::uint8_t>(size, 0xFF)};
    a.with([&](tlm::tlm_generic_payload& payload) {
      socket.transport(payload);
      EXPECT_TRUE(payload.is_response_ok()) << offset;
    });
  }
}

/// Both, and that the holes have kept nothing.
inline void sweepBlock(const Rule& rule, const Socket& socket,
                       const std::function<bool(const RegisterDescriptor&)>& steady) {
  fillHoles(rule, socket);
  sweep(rule, socket, steady);
}

}  // namespace rtvp::common::test
