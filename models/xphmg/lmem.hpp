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

  [[nodiscard]] bool enabled() const { return !tags_.empty(); }
  [[nodiscard]] unsigned kib() const { return static_cast<unsigned>(tags_.size() / 16); }
  /// All lines are dropped.
  void clear();

  /// Slot of line number `line` (address / 64), now the most recently used of its set; kNone if it
  /// is not there.
  [[nodiscard]] std::size_t find(std::uint64_t line) {
    const std::size_t guess = guesses_[line % kGuesses];
    const std::size_t slot = tags_[guess] == line + 1 ? guess : search(line);
    if (slot != kNone) stamps_[slot] = ++clock_;
    return slot;
  }
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
  static constexpr std::size_t kGuesses = 4096;

  [[nodiscard]] std::size_t search(std::uint64_t line);
  void forget(std::uint64_t line);

  std::uint64_t mask_ = 0;  ///< sets - 1
  std::uint64_t clock_ = 0;
  std::vector<std::uint64_t> tags_;  ///< line + 1; 0 = empty
  std::vector<std::uint64_t> stamps_;
  // Speed only. Where a line was found last, by its number; and what lines may be there at all.
  std::vector<std::uint32_t> guesses_;
  std::uint64_t first_ = ~std::uint64_t{0}, last_ = 0;
  std::vector<std::uint8_t> filled_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace rtvp::xphmg
