// Where translated blocks of instructions begin and end. Internal to the hart.
#pragma once

#include <cstdint>

#include "models/xphmg/hart/isa.hpp"

namespace rtvp::rv64 {

/// What an instruction does to the course of a block.
enum class Course : std::uint8_t {
  On,      ///< goes on behind it
  Branch,  ///< goes on behind it or somewhere else
  Jump,    ///< goes on somewhere else
  Aside,   ///< is the interpreter's
};
[[nodiscard]] Course courseOf(const Decoded& d);
/// As far as the operation alone says.
[[nodiscard]] Course courseOf(Op op);

}  // namespace rtvp::rv64
