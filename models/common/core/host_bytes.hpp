// How much host memory a container holds, for statistics about the simulator itself.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

namespace rtvp::common {

/// Bytes behind the object, its own size not counted.
template <typename T>
[[nodiscard]] std::size_t bytesOf(const std::vector<T>& v) {
  return v.capacity() * sizeof(T);
}
[[nodiscard]] inline std::size_t bytesOf(const std::vector<bool>& v) {
  return v.capacity() / 8;
}
/// As libstdc++ has it: pieces of 512 bytes, one at least, and a table of eight pointers or more.
template <typename T>
[[nodiscard]] std::size_t bytesOf(const std::deque<T>& d) {
  constexpr std::size_t kPiece = 512;
  return (d.size() * sizeof(T) / kPiece + 1) * (kPiece + sizeof(void*)) + 7 * sizeof(void*);
}

}  // namespace rtvp::common
