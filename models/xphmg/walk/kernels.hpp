// A whole ray over tiles that lie in one block of host memory, compiled once per instruction set of
// the host. A speed setting: what a walk finds, counts and visits is what Traversal's steps find,
// count and visit, to the bit; tests hold it to them.
//
// Invariants.
// - Nothing is charged and no flag is raised during a walk. It leaves a list of its visits, in
//   order, which the port charges afterwards; nobody else acts meanwhile, so order and time of the
//   charges are those of single accesses.
// - A walk promises all or nothing. It declines, and the ray is traced step by step from its begin,
//   when anything is not plain: an access outside the block, a reserved child, a NaN or an inverted
//   box, a NaN vertex, a zero or infinite direction component, an infinite origin, a stack deeper
//   than kMaxStackDepth, more visits than the list holds.
// - Without those no bound is a NaN, so minima and maxima may be taken in any order; the two-ULP
//   pad of the far bound is monotonic, so it is applied once, to the least. Signs of zero differ
//   from the plain form in tn alone, which is only ever compared.
// - Products of FP32 values are exact in binary64; no multiplication is fused with a sum.
#pragma once

#include <cstdint>

#include "models/common/host_isa.hpp"
#include "models/xphmg/format.hpp"
#include "models/xphmg/memory_port.hpp"
#include "models/xphmg/traversal_result.hpp"

namespace rtvp::xphmg::walk {

inline constexpr unsigned kMostEntries = 64;           ///< of the stack
inline constexpr unsigned kMostVisits = 1024;          ///< entries of the list
inline constexpr std::uint32_t kMostTriangles = 4096;  ///< of a leaf

/// What an exact test of one triangle says.
enum class Exact : std::uint8_t { Missed, Hit, Declined };

struct Candidate {
  double t, u, v;
  bool front;
};

/// What all rays of a job share, and one ray.
struct Order {
  Window window;
  std::uint64_t heap = 0, triBase = 0;
  bool cullBack = false, anyHit = false;
  /// Tests a triangle with an edge that the ray meets exactly, or that is degenerate.
  Exact (*exact)(void* context, const std::uint8_t* triangle, Candidate& found) = nullptr;
  void* context = nullptr;

  const float* ray = nullptr;  ///< o xyz, d xyz, tmin, tmax
  double tlo = 0;              ///< lowerBound() of the ray
};

/// Number of visits in the list; 0: declined, the rest means nothing then.
using Walk = unsigned (*)(const Order&, Visit* list, TraversalResult& found);

struct Kernels {
  /// By walkOf(); null where this instruction set has no walk.
  Walk walk[3][2];
};

inline constexpr unsigned kNoWalk = 3;
/// Index into Kernels::walk of an element format, or kNoWalk.
[[nodiscard]] constexpr unsigned walkOf(Format format) {
  switch (format) {
    case Format::Fp32:
      return 0;
    case Format::Fp16:
      return 1;
    case Format::Bf16:
      return 2;
    default:
      return kNoWalk;
  }
}

/// The table; the instruction set must be usable.
const Kernels& kernels(common::Isa isa);

}  // namespace rtvp::xphmg::walk
