// LMEM: the unit's private read buffer for tiles, TriRanges and triangles (xphmg.md 16.4, D-59):
// 64-byte lines, 8 ways, least recently used. Emptied at the start of every job, so it never holds
// stale data; it changes times and nothing else. Plain C++.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rtvp::xphmg {

class Lmem {
 public:
  static constexpr unsigned kLineBytes = 64;
  static constexpr unsigned kLineShift = 6;
  static constexpr unsigned kWays = 8;
  static constexpr unsigned kMaxKib = 4096;
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// `kib` must be 0 (no LMEM) or a power of two up to kMaxKib; throws std::invalid_argument.
  explicit Lmem(unsigned kib);

  [[nodiscard]] bool enabled() const { return !sets_.empty(); }
  [[nodiscard]] unsigned kib() const { return static_cast<unsigned>(sets_.size() / 16); }
  /// All lines are dropped.
  void clear();

  /// Slot of line number `line` (address / 64), now the most recently used of its set; kNone if it
  /// is not there.
  [[nodiscard]] std::size_t find(std::uint64_t line) {
    if (!touch(line)) return kNone;
    const std::size_t first = firstOf(line);
    return first + sets_[first] % kWays;
  }
  /// The same for whoever needs no slot.
  [[nodiscard]] bool touch(std::uint64_t line) {
    return holds(sets_[firstOf(line)], line) || search(line);
  }
  /// Where the entries are, by value: a loop over many lines keeps it in registers.
  struct Front {
    const std::uint64_t* sets;
    std::uint64_t mask;
    /// Is `line` the most recently used of its set? It then stays so.
    [[nodiscard]] bool holds(std::uint64_t line) const {
      return Lmem::holds(sets[(line & mask) * kWays], line);
    }
  };
  [[nodiscard]] Front front() const { return {sets_.data(), mask_}; }
  /// A slot for `line`, which must not be there: the least recently used of its set.
  std::size_t allocate(std::uint64_t line);
  /// Forgets `line` if it is there: the unit has written to it.
  void drop(std::uint64_t line) {
    if (line >= first_ && line <= last_) forget(line);
  }

  /// The 64 bytes of a slot. They are the owner's: with direct memory access they stay unused.
  [[nodiscard]] std::uint8_t* data(std::size_t slot) { return &bytes_[slot * kLineBytes]; }
  [[nodiscard]] bool hasData(std::size_t slot) const { return filled_[slot] != 0; }
  void setHasData(std::size_t slot, bool has) { filled_[slot] = has ? 1 : 0; }

 private:
  [[nodiscard]] std::size_t firstOf(std::uint64_t line) const { return (line & mask_) * kWays; }
  [[nodiscard]] static bool holds(std::uint64_t entry, std::uint64_t line) {
    return (entry ^ (line + 1) * kWays) < kWays;
  }
  [[nodiscard]] bool search(std::uint64_t line);
  void forget(std::uint64_t line);

  std::uint64_t mask_ = 0;  ///< sets - 1
  /// Of each set the eight entries, most recently used first: (line + 1) * 8 + way; an empty one,
  /// at the end, is the way alone.
  std::vector<std::uint64_t> sets_;
  std::uint64_t first_ = ~std::uint64_t{0}, last_ = 0;  ///< no lines outside are there
  std::vector<std::uint8_t> filled_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace rtvp::xphmg
