// The hull of an object (sdf.md 9): which cells of its 16 x 16 x 8 grid may hold the surface, and
// the shorter code that decides f in each. It does not depend on the camera.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/implicit/registers/slope.hpp"
#include "models/implicit/render/counters.hpp"
#include "models/implicit/render/object.hpp"
#include "models/implicit/render/observer.hpp"
#include "models/implicit/render/settings.hpp"

namespace rtvp::implicit::render {

inline constexpr std::array<unsigned, 3> kTaskGrid{4, 4, 4};
inline constexpr std::array<unsigned, 3> kLeafGrid{16, 16, 8};
inline constexpr unsigned kLeaves = 16 * 16 * 8;
/// Parts of a leaf that the trim stage tests: cubes of 1/32 of the bounds.
inline constexpr std::array<unsigned, 3> kTrimGrid{2, 2, 4};
inline constexpr unsigned kTrimCells = 2 * 2 * 4;
inline constexpr unsigned kGroup = 32;  ///< cells of a group: lanes of the machine
inline constexpr std::uint32_t kNoLeaf = 0xFFFFFFFF;

/// A kept cell of the 4 x 4 x 4 grid. `group` is the half in z, `lane` the cell in it.
struct TaskCell {
  std::uint8_t group = 0, lane = 0;
  std::array<std::uint8_t, 3> at{};
  Bounds box;
  std::uint32_t code = 0;  ///< index into Hull::codes
};

/// A kept cell of the 16 x 16 x 8 grid.
struct Leaf {
  std::uint32_t number = 0;  ///< (half * 32 + task lane) * 32 + mesh lane (3.6): 0..2047
  std::array<std::uint8_t, 3> at{};
  Bounds box;      ///< the lattice cell: here `code` is valid
  Bounds trimmed;  ///< the part of it that may hold the surface (Settings::trim), else all
  std::uint32_t code = 0;
  std::uint32_t task = 0;       ///< index into Hull::tasks
  registers::SlopeBound slope;  ///< of f in `trimmed`, if Hull::sloped
};

struct Hull {
  Bounds bounds;
  std::vector<TaskCell> tasks;
  std::vector<Leaf> leaves;  ///< in the order of the stages: task cells, then mesh lanes
  std::vector<Code> codes;   ///< different ones; 0 is the whole tape or program
  bool sloped = false;       ///< the object declares no Lipschitz bound: leaves have slopes
  /// latticePlane() of the leaf lattice by axis and index, if there is one.
  std::array<std::array<float, 17>, 3> planes{};
  /// Index into `leaves` by lattice position x + 16 y + 256 z; kNoLeaf if not kept.
  std::vector<std::uint32_t> leaf_at;

  [[nodiscard]] std::uint32_t leafAt(unsigned x, unsigned y, unsigned z) const {
    return leaf_at[x + 16 * y + 256 * z];
  }
  /// What traces in a leaf step by; null: the object's Lipschitz bound.
  [[nodiscard]] const registers::SlopeBound* slopeOf(const Leaf& leaf) const {
    return sloped ? &leaf.slope : nullptr;
  }
};

/// Plane `index` of 0..`cells` across the bounds on an axis: the lattice all stages share.
float latticePlane(const Bounds& bounds, unsigned axis, unsigned index, unsigned cells);

/// Task stage, mesh stage and, if the settings ask for it, trim stage; of an object without a
/// Lipschitz bound the slope stage. A cell goes only if it is
/// proven to hold no surface; one in which f may be undefined stays. `number` is the object's in
/// events. Throws std::invalid_argument for settings that cannot be, ObjectError for an object that
/// they cannot run.
Hull buildHull(const Object& object, const Settings& settings, Counters& counters,
               Observer& observer, std::uint32_t number = 0);
Hull buildHull(const Object& object, const Settings& settings, Counters& counters);

/// The hull of mode=brute: one cell, the box, with the whole tape.
Hull wholeBox(const Object& object, const Settings& settings);

}  // namespace rtvp::implicit::render
