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
//  4. A decoded word is good while the memory holds it and the words behind it that decide whether
//     anybody looks at its flags: the next one, or one of the next three if all before it go
//     straight on, look at no flags and cannot change these words. A store is one of those only
//     where it goes by DP into the internal RAM, which is asked each time.
//  5. As long as fetches find the bus free and instructions are in their usual case, have no delay
//     slot or repeat block about them and want nothing from the bus, a fetch costs nothing and the
//     bus is brought up to date when that ends (freeOutside). Nobody looks at it in between: who
//     wants the bus finds it closed, does nothing and is looked at again with it open.
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
  static constexpr std::uint32_t kWords = 4;
  /// It and those behind it, as they lie in the window.
  using Words = std::array<std::uint64_t, 2>;
  Words words{};
  bool known = false;
  bool divides = false;  ///< a branch: its condition may not be some processors' only
  bool control = false;  ///< it goes elsewhere: not at the end of a repeat block
  /// `fast` does without flags that a word further behind than the next one replaces.
  bool farFlags = false;
  FastOp fast;
  VectorOp op;
};

struct Machine::Outside {
  using Place = OutsidePlace;
  static constexpr std::uint32_t kPageWords = 64;
  using Page = std::array<Place, kPageWords>;

  /// The word at `index` of the window, which has three more behind it.
  [[gnu::always_inline]] const Place& at(const Machine& m, std::uint32_t index) {
    Place::Words words;
    std::memcpy(words.data(), m.window_.bytes + std::size_t{index} * 4, sizeof words);
    const std::uint32_t number = index / kPageWords;
    if (number != lastNumber) [[unlikely]] {
      lastNumber = number;
      last = number < pages.size() ? pages[number].get() : nullptr;
    }
    if (last != nullptr) [[likely]] {
      const Place& place = (*last)[index % kPageWords];
      if (((place.words[0] ^ words[0]) | (place.words[1] ^ words[1])) == 0 && place.known)
          [[likely]]
        return place;
    }
    return decode(m, index, words);
  }

 private:
  /// Programs are short: one that is everywhere begins anew.
  static constexpr std::size_t kMostPages = 256;
  const Place& decode(const Machine& m, std::uint32_t index, const Place::Words& words);

  std::vector<std::unique_ptr<Page>> pages;
  std::size_t made = 0;
  std::uint32_t lastNumber = ~0U;  ///< of `last`, the page looked at last
  Page* last = nullptr;
};

}  // namespace rtvp::c32::simt
