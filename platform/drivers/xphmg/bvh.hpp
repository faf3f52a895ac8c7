// Builds what an XPHMG_RT unit traverses: a heap of BVHNode4 tiles and TriRanges over a list of
// triangles (xphmg.md 7.1, 7.3). Binned surface-area heuristic over a binary tree, folded to four
// children a tile. Host arithmetic only: it shares no code with the unit's traversal.
//
// Invariant: the bytes do not depend on the number of threads, for parts have triangles of their
// own and are joined in the order in which one thread, the plain twin, builds them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/xphmg/format.hpp"

namespace rtvp::host {

/// Bounds of a triangle whose vertices have been rounded to the unit's format: exact there.
struct XphmgBox {
  std::array<float, 3> lo{};
  std::array<float, 3> hi{};
  void include(const XphmgBox& other) {
    // By value and without a loop: as single instructions, whatever the compiler makes of loops.
    const auto axis = [&](std::size_t k) {
      const float low = other.lo[k], high = other.hi[k];
      lo[k] = low < lo[k] ? low : lo[k];
      hi[k] = high > hi[k] ? high : hi[k];
    };
    axis(0);
    axis(1);
    axis(2);
  }
  [[nodiscard]] double area() const {
    const auto side = [this](std::size_t k) {
      return static_cast<double>(hi[k]) - static_cast<double>(lo[k]);
    };
    return 2 * (side(0) * side(1) + side(1) * side(2) + side(2) * side(0));
  }
};

struct XphmgBvhOptions {
  unsigned leafTriangles = 4;  ///< most triangles a leaf may have, 1..256
  unsigned stackDepth = 64;    ///< of the unit: a tree that could need more is built balanced
  unsigned threads = 1;        ///< of this computer; the tree does not depend on it
};

struct XphmgBvh {
  std::vector<std::uint8_t> heap;    ///< tiles, then TriRanges with base 0
  std::vector<std::uint32_t> order;  ///< order[i] = input number of the triangle with prim_id i
  std::uint32_t tiles = 0, leaves = 0;
  std::uint32_t depth = 0;     ///< tiles on the longest path
  std::uint32_t maxStack = 0;  ///< stack entries a ray can need
  std::uint64_t binned = 0;    ///< triangles put into bins, once an axis
  std::uint64_t cuts = 0;      ///< nodes for which a cut was looked for
  bool balanced = false;       ///< the heuristic's tree would have needed too much stack
  double areaCost = 0;  ///< expected node tests and triangle tests of a ray that meets the root
};

/// `boxes` must not be empty. Boxes are written in `format`, which must hold them exactly. Throws
/// std::invalid_argument when indices would not fit the tile's 24 bits (D-04).
[[nodiscard]] XphmgBvh buildXphmgBvh(std::span<const XphmgBox> boxes, xphmg::Format format,
                                     const XphmgBvhOptions& options = {});

}  // namespace rtvp::host
