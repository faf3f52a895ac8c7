// Bounding volume hierarchy over a scene's elements, for the reference renderer only: no device
// driver links it.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/scene/scene.hpp"

namespace rtvp::reference {

struct BvhNode {
  scene::Bounds bounds;
  std::uint32_t first =
      0;  ///< leaf: first entry in Bvh::order; inner node: left child, the right one follows it
  std::uint32_t count = 0;  ///< elements of a leaf; 0 for an inner node
};

/// Binned surface-area-heuristic tree. The depth stays below kMaxBvhDepth. Invariant: which thread
/// builds a part decides nothing, for parts have items of their own and are joined in the order in
/// which one thread builds them; one thread is the plain twin. Of the tree itself
/// ReferenceFinder::Mode::BruteForce is.
struct Bvh {
  explicit Bvh(const scene::Scene& scene, unsigned threads = 1);
  std::vector<BvhNode> nodes;        ///< [0] is the root; empty for a scene without elements
  std::vector<std::uint32_t> order;  ///< element numbers, leaf by leaf
};

inline constexpr int kMaxBvhDepth = 96;

}  // namespace rtvp::reference
