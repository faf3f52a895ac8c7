// Eye rays of a rectangle of pixels: faces of the leaves, rasteriser, fragments, depth test (sdf.md
// 9.2, 10, 11). And lists of rays, which walk the leaves along the ray. Distances are in the world,
// along the ray, whose direction has length 1.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "models/implicit/render/hull.hpp"
#include "models/implicit/render/material.hpp"
#include "models/implicit/render/object.hpp"
#include "models/implicit/render/settings.hpp"

namespace rtvp::implicit::render {

inline constexpr std::uint32_t kNoObject = 0xFFFFFFFF;
inline constexpr float kNoDepth = std::numeric_limits<float>::infinity();

/// The eye ray of pixel (x, y) starts at `eye` along corner + x column + y row (made unit).
struct Camera {
  Vec eye{}, corner{}, column{}, row{};
  double cone = 0;  ///< radius of a pixel's cone at distance 1 along the axis; 0: half a pixel

  /// Square pixels, rays through their centres, row 0 at the top. `field_of_view` is vertical, in
  /// degrees.
  static Camera lookAt(const Vec& eye, const Vec& target, const Vec& up, double field_of_view,
                       unsigned width, unsigned height);
  /// Finite, and corner, column and row span space.
  [[nodiscard]] bool valid() const;
};

/// A rectangle of the picture; buffers hold width * height elements, rows from the top.
struct Rectangle {
  unsigned left = 0, top = 0, width = 0, height = 0;
};

/// What a pixel or ray met.
struct HitRecord {
  std::uint32_t object = kNoObject;  ///< Object::id()
  std::uint32_t shape = kNoShape;    ///< OPSDF whose material dominates
  float t = kNoDepth;
  std::array<float, 3> normal{};  ///< world, unit, out of the object; not for any-hit rays
  Material material{};            ///< if the settings ask for materials
  std::uint32_t evaluations = 0;  ///< of f, in all leaves and objects
  bool capped = false;            ///< the step limit ended a trace on the way
  bool undefined = false;         ///< f was NaN on the way
  [[nodiscard]] bool hit() const { return object != kNoObject; }
};

/// An object and its hull, as buildHull() or wholeBox() made it with the same settings.
struct Placed {
  const Object* object = nullptr;
  const Hull* hull = nullptr;
};

struct Frame {
  Rectangle rectangle;
  /// Distances found by others on entry (kNoDepth: none), the nearest of all on return.
  std::vector<float> depth;
  std::vector<HitRecord> hits;

  explicit Frame(const Rectangle& area)
      : rectangle(area),
        depth(std::size_t{area.width} * area.height, kNoDepth),
        hits(std::size_t{area.width} * area.height) {}
};

/// Throws std::invalid_argument for settings or a camera that cannot be.
void renderFrame(std::span<const Placed> objects, const Camera& camera, const Settings& settings,
                 Frame& frame, Counters& counters, Observer& observer);
void renderFrame(std::span<const Placed> objects, const Camera& camera, const Settings& settings,
                 Frame& frame, Counters& counters);

struct WorldRay {
  Vec origin{}, direction{};  ///< direction of length 1
  float tmax = kNoDepth;      ///< hits lie below it
  bool any = false;           ///< any hit will do (shadow rays): no normal, no material
  double cone = 0;            ///< radius of the ray's cone at distance 1
};

/// A ray hits where f changes sign along it. f at the origin tells on which side of an object it
/// starts, so refracted rays find where they leave the solid; a ray that starts within 2 eps of a
/// surface is on it: whether f grows along it tells the side, and nothing is hit before it has
/// left the shell of eps.
///
/// Nearest or any hit of one ray over all objects; none for a ray that is not finite. `number` is
/// the target that events carry.
HitRecord traceRay(std::span<const Placed> objects, const WorldRay& ray, const Settings& settings,
                   Counters& counters, Observer& observer, std::uint32_t number = 0);
HitRecord traceRay(std::span<const Placed> objects, const WorldRay& ray, const Settings& settings,
                   Counters& counters);

}  // namespace rtvp::implicit::render
