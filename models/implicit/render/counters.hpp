// Counters of the unit (sdf.md 18.5). One set is filled by all stages; sets add up.
#pragma once

#include <array>
#include <cstdint>

namespace rtvp::implicit::render {

/// Cells of a stage by what the interval run said.
struct CellCounters {
  std::uint64_t tested = 0;
  std::uint64_t outside = 0;    ///< lo > 0
  std::uint64_t inside = 0;     ///< hi < 0
  std::uint64_t ambiguous = 0;  ///< kept: neither is proven
  std::uint64_t undefined = 0;  ///< of those, kept because f may have no value inside
  std::uint64_t executed = 0;   ///< instructions in interval runs, OPStop included
  std::uint64_t skipped = 0;
  std::uint64_t decided = 0;  ///< instructions that pruning removed
  bool operator==(const CellCounters&) const = default;
};

/// Steps of a trace, evaluations 1, 2, ... kSteps - 1, more.
inline constexpr unsigned kSteps = 64;

struct Counters {
  CellCounters task, mesh, trim;
  std::uint64_t slope_tested = 0;     ///< leaves whose slopes were looked for
  std::uint64_t slope_unbounded = 0;  ///< of those, without a finite bound
  std::uint64_t slope_executed = 0;   ///< instructions in these runs, OPStop included
  std::uint64_t programs = 0;         ///< different codes that leaves share
  std::uint64_t mask_bytes = 0;       ///< of all leaves, as the seed stores them
  std::uint64_t program_bytes = 0;    ///< of the different codes in register form

  std::uint64_t faces = 0;          ///< of cuboids, given to the rasteriser
  std::uint64_t fragments = 0;      ///< pixels covered by a cuboid, layer by layer
  std::uint64_t early_rejects = 0;  ///< fragments behind the depth buffer, not traced
  std::uint64_t carried = 0;        ///< fragments that their ray is known to pass clear, not traced
  std::uint64_t rays = 0;           ///< of a list
  std::uint64_t ray_leaves = 0;     ///< leaves they were traced through
  std::uint64_t traces = 0;         ///< rays through a leaf, or through the box
  std::uint64_t hits = 0;           ///< traces that ended at the surface
  std::uint64_t misses = 0;
  std::uint64_t capped = 0;     ///< traces that the step limit ended
  std::uint64_t undefined = 0;  ///< traces that met a NaN: misses, and faults
  /// Traces in which f fell through 0 by more than eps further than its bound allows.
  std::uint64_t overshoots = 0;
  std::uint64_t depth_rejects = 0;  ///< hits behind the depth buffer
  std::uint64_t covered = 0;        ///< pixels or rays whose nearest hit is an implicit surface

  std::uint64_t trace_evaluations = 0;
  std::uint64_t normal_evaluations = 0;
  std::uint64_t gradient_evaluations = 0;  ///< of those, with derivatives
  std::uint64_t gradient_fallbacks = 0;    ///< of those, where f has none: differences followed
  std::uint64_t material_evaluations = 0;
  std::uint64_t side_evaluations = 0;  ///< f at the start of rays, to know the side they are on
  std::uint64_t executed = 0;          ///< instructions at points: trace, normals, materials, sides
  std::uint64_t trace_executed = 0;    ///< of those, by traces
  std::uint64_t gradient_executed = 0;  ///< of those, with derivatives: four lanes, counted once
  std::uint64_t skipped = 0;
  std::array<std::uint64_t, kSteps> steps{};  ///< traces by their number of evaluations

  [[nodiscard]] std::uint64_t evaluations() const {
    return trace_evaluations + normal_evaluations + material_evaluations + side_evaluations;
  }
  Counters& operator+=(const Counters& other);
  bool operator==(const Counters&) const = default;
};

}  // namespace rtvp::implicit::render
