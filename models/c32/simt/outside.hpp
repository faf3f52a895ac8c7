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
//  4. The memory stays as it is while instructions are executed here: a store to it is the
//     processors'. So a page of words is compared with what was decoded of it once whenever they
//     begin, and a decoded word is good as long as it and those behind it that decide whether
//     anybody looks at its flags are as they were: the next one, or one of the next seven if all
//     before it go straight on, look at no flags and cannot change these words. A store is one of
//     those only where it goes by DP into the internal RAM, which is asked each time.
//  5. As long as fetches find the bus free and instructions are in their usual case, have no delay
//     slot or repeat block about them and want nothing from the bus, a fetch costs nothing and the
//     bus is brought up to date when that ends (freeOutside). Nobody looks at it in between: who
//     wants the bus finds it closed, does nothing and is looked at again with it open. A run of
//     words through several pages asks each of them for its version.
// The plain twin is the processor itself (Cpu::fetchOutside, Cpu::external): the same cycles,
// causes of waiting and statistics.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "models/c32/simt/machine.hpp"

namespace rtvp::c32::simt {

/// A word outside, decoded.
struct Machine::OutsidePlace {
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

  /// The memory may have changed.
  void begin() {
    ++visit_;
    lastNumber_ = ~0U;
  }
  /// The word at `index` of the window.
  [[gnu::always_inline]] Place& at(const Machine& m, std::uint32_t index) {
    const std::uint32_t number = index / kPageWords;
    if (number != lastNumber_) [[unlikely]]
      select(m, number);
    const std::uint32_t i = index % kPageWords;
    if (!last_->places[i].known) [[unlikely]]
      decode(m, *last_, i);
    return last_->places[i];
  }

  /// Words from there on that lie one behind the other as places.
  static std::uint32_t leftInPage(std::uint32_t index) { return kPageWords - index % kPageWords; }
  /// The same if it lies in the page of another one, which has been looked at last.
  Place* inPage(const Machine& m, std::uint32_t other, std::uint32_t index) {
    return index / kPageWords == other / kPageWords ? &at(m, index) : nullptr;
  }
  /// The word's page, by number.
  static std::uint32_t pageOf(std::uint32_t index) { return index / kPageWords; }
  /// The word at `index`; null: nobody has been in its page yet.
  Place* ifThere(const Machine& m, std::uint32_t index) {
    return version(m, pageOf(index)) == 0 ? nullptr : &at(m, index);
  }
  /// Changes with a page's words; 0: nobody has been there yet.
  std::uint64_t version(const Machine& m, std::uint32_t number) {
    if (number >= pages_.size() || pages_[number] == nullptr) return 0;
    Page& page = *pages_[number];
    if (page.visit != visit_) {
      page.visit = visit_;
      compare(m, number, page);
    }
    return page.version;
  }
  /// There are no runs any more.
  void forgetRuns();
  /// Words that had been decoded are gone since somebody asked.
  bool takeStale() { return std::exchange(stale_, false); }

 private:
  static constexpr std::uint32_t kPageWords = 64;
  static constexpr std::uint32_t kBehind = 7;  ///< so many words decide about flags
  /// Programs are short: one that is everywhere begins anew.
  static constexpr std::size_t kMostPages = 256;
  struct Page {
    std::array<Place, kPageWords> places;
    /// As they lie in the window, as far as that goes; those of the next page as well.
    std::array<std::uint32_t, kPageWords + kBehind> words{};
    std::uint32_t count = 0;
    std::uint64_t visit = 0;    ///< when they were compared
    std::uint64_t version = 0;  ///< of the words: none has another one's
  };
  void select(const Machine& m, std::uint32_t number);
  void compare(const Machine& m, std::uint32_t number, Page& page);
  static void decode(const Machine& m, Page& page, std::uint32_t i);

  std::vector<std::unique_ptr<Page>> pages_;
  std::size_t made_ = 0;
  std::uint64_t visit_ = 0;
  std::uint64_t versions_ = 0;
  std::uint32_t lastNumber_ = ~0U;  ///< of `last_`, the page looked at last
  Page* last_ = nullptr;
  bool stale_ = false;
};

}  // namespace rtvp::c32::simt
