// Numbers that stand for units, frames and what can be unfolded; they mean the same as long as the
// program lives.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rtvp::debug::reference {

inline constexpr std::size_t kMostFrames = 64;
[[nodiscard]] inline std::int64_t frame(std::size_t unit, std::size_t level) {
  return static_cast<std::int64_t>(unit * kMostFrames + level + 1);
}
[[nodiscard]] inline std::size_t unitOfFrame(std::int64_t frame) {
  return static_cast<std::size_t>(frame - 1) / kMostFrames;
}

// What there is to unfold of a unit.
inline constexpr std::int64_t kRegisters = 1, kMachine = 2, kData = 3;
inline constexpr std::int64_t kFirstRegister = 16, kFirstLabel = 1024, kAll = std::int64_t{1} << 18;
/// Rows above the registers: PC, cycle, instructions.
inline constexpr std::size_t kOwn = 3;

[[nodiscard]] inline std::int64_t of(std::size_t unit, std::int64_t what) {
  return static_cast<std::int64_t>(unit) * kAll + what;
}
[[nodiscard]] inline std::size_t unitOf(std::int64_t reference) {
  return static_cast<std::size_t>(reference / kAll);
}
[[nodiscard]] inline std::int64_t whatOf(std::int64_t reference) {
  return reference % kAll;
}

}  // namespace rtvp::debug::reference
