// What the hart gives to its host code. Internal to the hart.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rtvp::rv64 {

/// The first words lie on the stack while code runs, as they do here; the others are in registers.
struct CodeFrame {
  const std::uint8_t* lines = nullptr;     ///< flags of RAM: nonzero for what stores may concern
  const void* const* directory = nullptr;  ///< of each page: entries of its half words
  std::uint64_t floats_ready = 0;          ///< FS is dirty, frm 0
  std::uint8_t* data = nullptr;            ///< the RAM
  std::uint64_t minus_base = 0;            ///< 0 - its address
};
inline constexpr std::size_t kFrameOnStack = offsetof(CodeFrame, data);

}  // namespace rtvp::rv64
