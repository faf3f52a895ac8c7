// See lmem.hpp.
#include "models/xphmg/lmem.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <utility>

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
  sets_.resize(lines);
  filled_.assign(lines, 0);
  bytes_.assign(lines * kLineBytes, 0);
  clear();
}

void Lmem::clear() {
  for (std::size_t i = 0; i < sets_.size(); ++i) sets_[i] = i % kWays;
  first_ = ~std::uint64_t{0};
  last_ = 0;
}

/// Beyond the most recently used entry of the set; moves what it finds to the front.
bool Lmem::search(std::uint64_t line) {
  std::uint64_t* const set = &sets_[firstOf(line)];
  unsigned n = 1;
  while (!holds(set[n], line)) {
    if (++n == kWays) return false;
  }
  std::uint64_t carried = set[n];
  for (unsigned i = 0; i <= n; ++i) carried = std::exchange(set[i], carried);
  return true;
}

std::size_t Lmem::allocate(std::uint64_t line) {
  const std::size_t first = firstOf(line);
  std::uint64_t* const set = &sets_[first];
  const std::uint64_t way = set[kWays - 1] % kWays;
  std::copy_backward(set, set + kWays - 1, set + kWays);
  set[0] = (line + 1) * kWays + way;
  filled_[first + way] = 0;
  first_ = std::min(first_, line);
  last_ = std::max(last_, line);
  return first + way;
}

void Lmem::forget(std::uint64_t line) {
  std::uint64_t* const set = &sets_[firstOf(line)];
  std::uint64_t* const end = set + kWays;
  std::uint64_t* const found =
      std::find_if(set, end, [line](std::uint64_t entry) { return holds(entry, line); });
  if (found == end) return;
  *found %= kWays;
  std::rotate(found, found + 1, end);
}

}  // namespace rtvp::xphmg
