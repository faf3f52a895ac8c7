// What the tests of the S5933's core share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "models/tigershark/s5933_core.hpp"

namespace rtvp::tigershark::s5933 {

inline constexpr std::uint32_t kAll = 0xFFFFFFFFU;

inline CoreConfig boardConfig(std::uint32_t depth = 8) {
  CoreConfig config;
  config.fifo_depth = depth;
  config.boot_memory = makeBoardNvImage(512 * 1024);
  return config;
}

/// A part with bus mastering allowed.
inline S5933Core masterCore(const CoreConfig& config = boardConfig()) {
  S5933Core core(config);
  core.configWrite(CFG_COMMAND, COMMAND_MASTER | COMMAND_MEMORY, 0xFFFF);
  return core;
}

inline std::uint32_t addonRead(S5933Core& core, std::uint32_t offset, std::uint32_t mask = kAll) {
  std::uint32_t value = 0;
  EXPECT_TRUE(core.addonRead(offset, mask, value));
  return value;
}

/// Moves `words` as the shell would, all at once; what came out of a write.
inline std::vector<std::uint32_t> transfer(S5933Core& core, Direction direction,
                                           std::uint32_t words, std::uint32_t first = 0) {
  std::vector<std::uint32_t> data(words);
  for (std::uint32_t i = 0; i < words; ++i) data[i] = first + i;
  core.beginPiece(direction, words, data.data());
  core.endPiece(direction, words, data.data());
  return data;
}

}  // namespace rtvp::tigershark::s5933
