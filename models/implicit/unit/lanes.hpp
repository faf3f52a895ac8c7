// Warps from what lanes did: evaluations of the same code run side by side as long as the lane that
// needs most; different codes run one after the other (divergence through masks and step counts).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "models/implicit/unit/objects.hpp"
#include "models/implicit/unit/warp.hpp"

namespace rtvp::implicit::unit {

/// Evaluations of one lane.
struct LaneWork {
  LoadedObject* object = nullptr;
  std::uint32_t code = 0;
  Flavour flavour = Flavour::Point;
  std::uint32_t evaluations = 0;
};

/// Adds one step of the lanes: each entry is a lane's work in it.
void addRuns(Warp& warp, std::span<const LaneWork> lanes, const Timing& timing,
             std::uint32_t extra);

/// The masks or leaf entries that warps read once.
///
/// Invariants: `seen_` has only regions that are in `regions_`, and keeps out nothing but the same
/// region; what it has forgotten comes into `regions_` once more and goes when that is sorted. So
/// what is read, and in which order, is that of sorting all.
class SetupReads {
 public:
  /// Of a leaf, by its index in the hull, for code `code`: the leaf's own, its task cell's, or
  /// nothing for the whole tape.
  void add(const LoadedObject& object, std::uint32_t leaf, std::uint32_t code);
  /// What traces in the leaf step by, if the slope stage has found it.
  void addSlope(const LoadedObject& object, std::uint32_t leaf);
  void moveInto(Warp& warp);

 private:
  void insert(const Region* region);
  std::vector<std::pair<std::uint64_t, const Region*>> regions_;  ///< some more than once
  /// Some of those that are in regions_, by their address: most are not inserted twice.
  std::array<const Region*, 256> seen_{};
};

/// Runs of neighbouring pixels as transfers of the depth buffer.
struct PixelRange {
  std::uint32_t first = 0, count = 0;  ///< targets, in one row
  bool operator==(const PixelRange&) const = default;
};

/// Pixels of a picture `width` wide become ranges, from the first on, each pixel once.
///
/// Invariants: pixels mostly come one behind the other in a row, and then lengthen the range
/// before; sorting and joining these gives what sorting all pixels gives. rangesOf() is the plain
/// twin.
class PixelRanges {
 public:
  explicit PixelRanges(std::uint32_t width) : width_(width) {}
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  void add(std::uint32_t target) {
    if (!ranges_.empty() && target == next_ && target != row_end_) {
      ++ranges_.back().count;
      ++next_;
      return;
    }
    ranges_.push_back({target, 1});
    next_ = target + 1;
    row_end_ = target / width_ * width_ + width_;
  }
  /// Those of all pixels since the last call; valid until the next add().
  std::span<const PixelRange> take();

 private:
  std::uint32_t width_;
  std::uint32_t next_ = 0, row_end_ = 0;
  std::vector<PixelRange> ranges_, out_;
};
std::vector<PixelRange> rangesOf(std::vector<std::uint32_t>& targets, std::uint32_t width);

}  // namespace rtvp::implicit::unit
