// The C32's instruction cache (c32.md 7.6): 64 words in two segments of 32, one tag per segment,
// one present flag per word, least recently used segment replaced. Only words that were fetched are
// in it; nothing keeps it coherent with memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace rtvp::common {
class StateArchive;
}

namespace rtvp::c32 {

class InstructionCache {
 public:
  static constexpr unsigned kSegmentWords = 32;

  /// All P flags 0, segment 0 most recent, control off.
  void reset() {
    clear();
    tags_ = {~0u, ~0u};
    recent_ = 0;
    enabled_ = frozen_ = false;
  }
  void clear() { present_ = {}; }
  void control(bool enabled, bool frozen) {
    enabled_ = enabled;
    frozen_ = frozen;
  }
  [[nodiscard]] bool enabled() const { return enabled_; }

  /// The word if it is there; a hit makes its segment the most recent.
  [[nodiscard]] std::optional<std::uint32_t> lookup(std::uint32_t address) {
    const unsigned s = segmentOf(address);
    const unsigned word = address % kSegmentWords;
    if (s == kNone || (present_[s] >> word & 1u) == 0) return std::nullopt;
    if (!frozen_) recent_ = s;
    return words_[s][word];
  }

  /// Enters a word that was fetched because it was missing. True if a segment had to be replaced.
  bool fill(std::uint32_t address, std::uint32_t instruction) {
    if (frozen_) return false;
    unsigned s = segmentOf(address);
    const bool replaced = s == kNone;
    if (replaced) {
      s = 1 - recent_;
      present_[s] = 0;
      tags_[s] = address / kSegmentWords;
    }
    present_[s] |= 1u << address % kSegmentWords;
    words_[s][address % kSegmentWords] = instruction;
    recent_ = s;
    return replaced;
  }

  /// All of it, both ways (cpu_archive.cpp).
  void state(common::StateArchive& a);
  /// For dumps and tests.
  [[nodiscard]] std::uint32_t present(unsigned segment) const { return present_[segment & 1u]; }
  [[nodiscard]] std::uint32_t tag(unsigned segment) const { return tags_[segment & 1u]; }
  [[nodiscard]] unsigned mostRecent() const { return recent_; }

 private:
  static constexpr unsigned kNone = 2;
  /// Segment whose tag matches; clearing the P flags leaves the tags alone.
  [[nodiscard]] unsigned segmentOf(std::uint32_t address) const {
    const std::uint32_t tag = address / kSegmentWords;
    if (tags_[recent_] == tag) return recent_;
    return tags_[1 - recent_] == tag ? 1 - recent_ : kNone;
  }

  std::array<std::uint32_t, 2> tags_{~0u, ~0u};
  std::array<std::uint32_t, 2> present_{};
  std::array<std::array<std::uint32_t, kSegmentWords>, 2> words_{};
  unsigned recent_ = 0;
  bool enabled_ = false;
  bool frozen_ = false;
};

}  // namespace rtvp::c32
