// See lmem.hpp.
#include "models/xphmg/lmem.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

namespace rtvp::xphmg {

Lmem::Lmem(unsigned kib) {
  if (kib == 0) return;
  if (!std::has_single_bit(kib) || kib > kMaxKib) {
    throw std::invalid_argument("LMEM: found " + std::to_string(kib) +
                                " KiB, expected 0 or a power of two up to " +
                                std::to_string(kMaxKib));
  }
  const std::size_t lines = std::size_t{kib} * 1024 / kLineBytes;
  mask_ = lines / kWays - 1;
  tags_.assign(lines, 0);
  stamps_.assign(lines, 0);
  guesses_.assign(kGuesses, 0);
  filled_.assign(lines, 0);
  bytes_.assign(lines * kLineBytes, 0);
}

void Lmem::clear() {
  std::fill(tags_.begin(), tags_.end(), 0);
  std::fill(stamps_.begin(), stamps_.end(), 0);
  first_ = ~std::uint64_t{0};
  last_ = 0;
}

std::size_t Lmem::search(std::uint64_t line) {
  const std::size_t first = (line & mask_) * kWays;
  for (std::size_t slot = first; slot < first + kWays; ++slot) {
    if (tags_[slot] != line + 1) continue;
    guesses_[line % kGuesses] = static_cast<std::uint32_t>(slot);
    return slot;
  }
  return kNone;
}

std::size_t Lmem::allocate(std::uint64_t line) {
  const std::size_t first = (line & mask_) * kWays;
  // Empty slots have stamp 0 and go first.
  const auto from = stamps_.begin() + static_cast<std::ptrdiff_t>(first);
  const std::size_t slot =
      first + static_cast<std::size_t>(std::min_element(from, from + kWays) - from);
  tags_[slot] = line + 1;
  stamps_[slot] = ++clock_;
  guesses_[line % kGuesses] = static_cast<std::uint32_t>(slot);
  first_ = std::min(first_, line);
  last_ = std::max(last_, line);
  filled_[slot] = 0;
  return slot;
}

void Lmem::forget(std::uint64_t line) {
  const std::size_t first = (line & mask_) * kWays;
  for (std::size_t slot = first; slot < first + kWays; ++slot) {
    if (tags_[slot] != line + 1) continue;
    tags_[slot] = 0;
    stamps_[slot] = 0;
  }
}

}  // namespace rtvp::xphmg
