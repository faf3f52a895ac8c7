// The benchmark's simulated side: one computer with two XPHMG_RT units, one that takes direct
// memory access and one without LMEM and with a b_transport an access. Rays go through ring,
// doorbell, traversal and hit ring, everything charged and tagged; what is timed is all of it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/xphmg/intersect.hpp"
#include "tests/models/xphmg/tile_builder.hpp"

namespace rtvp::bench {

struct Hit {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t primitive = kNone;  ///< index into Scene::triangles
  float t = 0;
};

class UnitSide {
 public:
  static constexpr std::uint64_t kHeap = 0x80000000;
  static constexpr std::size_t kMostRays = 8192;

  /// Elaborates; once a process. Scenes may be exchanged by load().
  UnitSide();
  ~UnitSide();
  UnitSide(const UnitSide&) = delete;
  UnitSide& operator=(const UnitSide&) = delete;

  /// `image` must have been built at kHeap.
  void load(const xphmg::test::TileImage& image);
  /// One job of at most kMostRays rays, as a user's program would: entries written into the ring,
  /// the doorbell, hits read from their ring. Throws std::runtime_error if the job fails.
  void trace(bool dmi, std::span<const xphmg::Ray> rays, Hit* hits);
  /// Accesses of a unit since the last load().
  [[nodiscard]] std::uint64_t accesses(bool dmi) const;

 private:
  struct Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace rtvp::bench
