// Code outside the internal RAM: what all processors fetch together, one word for all. Internal to
// the machine.
//
// Invariants:
//  1. Only from the board's window, and only with all processors in one group, in one cycle, none
//     at the barrier and none with its cache on: then the fetch is one shared access for all, as
//     the lockstep contract wants it, and nothing can refuse it. What is otherwise is the
//     processors'.
//  2. An instruction happens as a whole or not at all. What its fetch has done to the bus and to
//     the accounts is taken back before the processors get it, and they fetch it again; so a word
//     of its data may not come from the board itself, which would see it asked for twice.
//  3. A branch that takes some of the processors away is theirs: it breaks the contract, and they
//     find, name and time that.
//  4. A decoded word is good while the memory holds it and the word behind it: that one decides
//     whether anybody looks at the flags.
// The plain twin is the processor itself (Cpu::fetchOutside, Cpu::external): the same cycles,
// causes of waiting and statistics.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "models/c32/simt/machine.hpp"

namespace rtvp::c32::simt {

/// A word outside, decoded.
struct Machine::OutsidePlace {
  std::uint64_t words = 0;  ///< it and the one behind it, as they lie in the window
  bool known = false;
  bool divides = false;  ///< a branch: its condition may not be some processors' only
  VectorOp op;
  FastOp fast;
};

struct Machine::Outside {
  using Place = OutsidePlace;
  static constexpr std::uint32_t kPageWords = 64;
  using Page = std::array<Place, kPageWords>;

  /// The word at `index` of the window, which has one more behind it.
  const Place& at(const Machine& m, std::uint32_t index) {
    std::uint64_t words = 0;
    std::memcpy(&words, m.window_.bytes + std::size_t{index} * 4, sizeof words);
    const std::uint32_t number = index / kPageWords;
    if (number != lastNumber) [[unlikely]] {
      lastNumber = number;
      last = number < pages.size() ? pages[number].get() : nullptr;
    }
    if (last != nullptr) [[likely]] {
      const Place& place = (*last)[index % kPageWords];
      if (place.known && place.words == words) [[likely]]
        return place;
    }
    return decode(m, index, words);
  }

 private:
  /// Programs are short: one that is everywhere begins anew.
  static constexpr std::size_t kMostPages = 256;
  const Place& decode(const Machine& m, std::uint32_t index, std::uint64_t words);

  std::vector<std::unique_ptr<Page>> pages;
  std::size_t made = 0;
  std::uint32_t lastNumber = ~0U;  ///< of `last`, the page looked at last
  Page* last = nullptr;
};

}  // namespace rtvp::c32::simt
