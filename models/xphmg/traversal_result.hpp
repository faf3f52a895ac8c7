// What the traversal of one ray has found and how it ended.
#pragma once

#include <cstdint>

namespace rtvp::xphmg {

enum class TraversalError : std::uint8_t {
  None,
  Bus,           ///< EC 1: an access was refused; see faultAddress
  ReservedKind,  ///< EC 2: child kind 11 (D-06)
  Limit,         ///< EC 1: stack deeper than 64 or more than 2^24 visits
};

struct TraversalResult {
  bool hit = false;
  bool front = false;
  std::uint32_t primId = 0;
  std::uint32_t leafIndex = 0;
  double t = 0, u = 0, v = 0;  ///< unrounded
  bool nanConsumed = false;    ///< NAN_POL applies if nothing was hit
  TraversalError error = TraversalError::None;
  std::uint64_t faultAddress = 0;
  std::uint32_t tiles = 0;      ///< BVHNode4 tiles tested (a BVHNode8 counts 2)
  std::uint32_t leaves = 0;     ///< TriRanges read
  std::uint32_t triangles = 0;  ///< triangles tested
  std::uint32_t maxDepth = 0;   ///< stack entries after a push
};

}  // namespace rtvp::xphmg
