// Sphere tracing (sdf.md 10, 14): a ray in object space through one cuboid with the code that is
// valid there.
#pragma once

#include <cstdint>

#include "models/implicit/render/hull.hpp"
#include "models/implicit/render/observer.hpp"
#include "models/implicit/render/settings.hpp"
#include "models/implicit/render/vector.hpp"

namespace rtvp::implicit::render {

/// A ray in object space; `direction` has length 1.
struct ObjectRay {
  Vec origin{}, direction{};
  double cone = 0;  ///< radius of the pixel's cone at distance 1
  int side = 1;     ///< +1: starts outside, hits where f falls to eps; -1: inside, -f is traced
};

/// The part [enter, leave] of a ray within a box; empty if enter > leave.
struct Span {
  double enter = 0, leave = -1;
  [[nodiscard]] bool empty() const { return !(enter <= leave); }
};
Span spanOf(const ObjectRay& ray, const Bounds& box);

struct Trace {
  Outcome outcome = Outcome::Miss;
  double t = 0;            ///< along the object ray; of a hit or a candidate
  bool candidate = false;  ///< Capped, but `t` lies within the pixel's cone of the surface
  std::uint32_t evaluations = 0;
};

/// What a ray knows from one cuboid to the next.
struct Walk {
  bool leaving = false;  ///< started on the surface and has not left the shell of eps yet
  float clear = 0;       ///< up to this t there is no surface (Settings::carry)

  /// Rounded down: what is kept must not reach further than what is known.
  void setClear(double t) { clear = static_cast<float>(t * (1 - 0x1p-23)); }
};

/// From `span.enter` to `span.leave` with code `code` of the hull. Points are kept inside `box`
/// unless the settings take the seed's far end, which is the length of the box's diagonal. Nothing
/// is evaluated if the ray is known to be clear up to `span.leave`.
Trace trace(const Object& object, const Hull& hull, std::uint32_t code, const Bounds& box,
            const ObjectRay& ray, Span span, const Settings& settings, Walk& walk);

struct NormalResult {
  Vec normal{};  ///< object space, unit, towards growing f; zero if f has no value near
  std::uint32_t evaluations = 0;
  std::uint32_t code = 0;  ///< the code that ran: valid at all points of the stencil
};
NormalResult normalAt(const Hull& hull, std::uint32_t leaf, const Vec& point,
                      const Settings& settings);

}  // namespace rtvp::implicit::render
