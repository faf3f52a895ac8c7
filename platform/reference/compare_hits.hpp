// The acceptance rule for hit dumps: do two engines see the same scene, rounding apart?
//
// The same primitive at every pixel, except *excused* ones, whose rays pass so close to the outline
// of a primitive that either engine reports, or whose nearest hits are so close together, that
// rounding decides; and the same distance wherever the primitive agrees. Too many excuses are a
// failure too. What lies along a pixel's ray is found out here, in double precision, from the
// scene.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "platform/report/hits.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::reference {

struct HitTolerance {
  /// Of an outline: barycentric on a triangle, 1 - d^2/r^2 on a sphere (d: distance of the ray's
  /// line to the centre).
  double outline = 1e-3;
  double nearTie = 1e-4;   ///< relative difference of t between the nearest hits
  double distance = 1e-4;  ///< relative difference of t between the two dumps
  /// Tangent of the angle between directions that a machine's number format tells apart: a ray that
  /// passes an outline by less may be answered as if it passed on the other side (TurnedRay). 0: no
  /// such excuse.
  double step = 0;
  /// Largest abs(f) at a hit on an implicit surface: machines stop at f <= eps, 1e-3 unless told
  /// otherwise. Also the distance from a silhouette within which a ray may pass.
  double functions = 2e-3;
  double maxExcused = 0.02;  ///< share of the pixels
};

/// How two hits of one pixel differ.
enum class HitVerdict : std::uint8_t {
  Outline,    ///< excused: another primitive beside an outline
  Tie,        ///< excused: another primitive at nearly the same distance
  Step,       ///< excused: the answer of a ray within HitTolerance::step
  Primitive,  ///< another primitive, without an excuse
  Distance,   ///< the same primitive, another distance
};
/// Told of every pixel whose hits differ.
using HitListener =
    std::function<void(HitVerdict, const report::HitRow& a, const report::HitRow& b)>;

struct HitComparison {
  enum class Fault : std::uint8_t { Primitive, Distance };
  struct Example {
    Fault fault;
    report::HitRow a;
    report::HitRow b;
  };
  static constexpr std::size_t kExamples = 10;

  std::uint64_t compared = 0;  ///< pixels
  std::uint64_t equal = 0;     ///< same primitive and distance, or a miss in both
  std::uint64_t excusedOutline = 0;
  std::uint64_t excusedTie = 0;
  std::uint64_t excusedStep = 0;    ///< what neither of these excuses, but HitTolerance::step does
  std::uint64_t wrong = 0;          ///< other primitive, without an excuse
  std::uint64_t wrongDistance = 0;  ///< same primitive, other distance
  double maxRelativeT =
      0;  ///< where the primitive agrees and the pixel counts as equal or wrongDistance
  std::vector<Example> examples;  ///< the first faults
  HitTolerance tolerance;

  [[nodiscard]] std::uint64_t excused() const { return excusedOutline + excusedTie + excusedStep; }
  [[nodiscard]] bool tooManyExcused() const {
    return static_cast<double>(excused()) > tolerance.maxExcused * static_cast<double>(compared);
  }
  [[nodiscard]] bool passed() const {
    return wrong == 0 && wrongDistance == 0 && !tooManyExcused();
  }
};

/// The dumps do not belong together or not to this scene.
class HitMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Compares two dumps of the same pixels. `scene` must have the width and height the dumps were
/// made with. Throws HitMismatch if the pixels differ, lie outside the picture, or name primitives
/// the scene lacks.
///
/// The outline of a primitive of several pieces is that of their union as the ray sees it: an edge
/// between two pieces counts only if one of them faces the ray and the other does not. An implicit
/// surface has no outline in closed form: a ray is near it if one of eight rays beside it,
/// HitTolerance::functions away where it meets the surface or passes it, does otherwise. Where the
/// two dumps see the same primitive of several pieces at different distances within such an
/// outline, they see two of its pieces: excused as well. What none of this excuses is excused by
/// HitTolerance::step if both answers are those of rays within that angle.
[[nodiscard]] HitComparison compareHits(const report::HitDump& a, const report::HitDump& b,
                                        const scene::Scene& scene,
                                        const HitTolerance& tolerance = {},
                                        const HitListener& listener = {});

}  // namespace rtvp::reference
