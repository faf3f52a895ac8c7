// Places in the internal RAM that a processor stops in front of. What runs instructions in a row
// asks how far it may go; nobody has to look at each of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "models/c32/memory_map.hpp"

namespace rtvp::c32 {

class StopPlaces {
 public:
  /// Word offsets in the internal RAM; others are ignored.
  explicit StopPlaces(const std::vector<std::uint32_t>& offsets) {
    for (const std::uint32_t o : offsets) {
      if (o < kRamWords) offsets_.push_back(o);
    }
    std::uint32_t far = kFar;
    for (std::uint32_t o = kRamWords; o-- > 0;) {
      ahead_[o] = static_cast<std::uint16_t>(far);
      at_[o] = std::find(offsets_.begin(), offsets_.end(), o) != offsets_.end();
      far = at_[o] ? 1 : std::min(far + 1, kFar);
    }
  }
  [[nodiscard]] bool at(std::uint32_t offset) const { return at_[offset]; }
  /// Words from `offset`, which is not looked at, to the next place.
  [[nodiscard]] std::uint32_t ahead(std::uint32_t offset) const { return ahead_[offset]; }
  [[nodiscard]] const std::vector<std::uint32_t>& offsets() const { return offsets_; }

 private:
  static constexpr std::uint32_t kFar = std::numeric_limits<std::uint16_t>::max();
  std::vector<std::uint32_t> offsets_;
  std::array<std::uint16_t, kRamWords> ahead_{};
  std::array<bool, kRamWords> at_{};
};

}  // namespace rtvp::c32
