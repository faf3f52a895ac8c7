// Sphere tracing (sdf.md 10, 14): a ray in object space through one cuboid with the code that is
// valid there.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/implicit/render/evaluation_watch.hpp"
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
  bool overshoot = false;  ///< f fell through 0 further than its bound allows, and eps more
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

/// One ray in one cuboid, sample by sample, so that many can be evaluated side by side: while it is
/// not done(), f at point() is due. From `span.enter` to `span.leave`; points are kept inside `box`
/// unless the settings take the seed's far end, which is the length of the box's diagonal. Nothing
/// is evaluated if the ray is known to be clear up to `span.leave`.
///
/// With `slope`, the bound of f's derivatives in the cuboid, a sphere becomes an interval of the
/// ray: f cannot fall faster than the derivative along the ray, of which the bound knows both ends.
/// Where it never falls the ray is clear; where it always falls the far end decides, and a change
/// of sign is closed in. Else steps are f over the fastest fall, and a sixteenth of eps at least; a
/// hit is a change of sign, not a small f, and its place is interpolated. Without a finite bound
/// every step is eps, or twice the way through the cuboid over the step limit if that is more.
class Tracer {
 public:
  /// Object and settings must outlive it. `slope` null: steps are f over the Lipschitz bound.
  Tracer(const Object& object, const Bounds& box, const ObjectRay& ray, Span span,
         const Settings& settings, const Walk& walk, const registers::SlopeBound* slope = nullptr);

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] std::array<float, 3> point() const;
  void take(float f);
  /// It steps by a bound of f's derivatives, not by the Lipschitz bound.
  [[nodiscard]] bool sloped() const { return sloped_; }
  [[nodiscard]] const Trace& result() const { return out_; }
  [[nodiscard]] const ObjectRay& ray() const { return ray_; }
  [[nodiscard]] const Walk& walk() const { return walk_; }

 private:
  friend class TraceLanes;

  [[nodiscard]] double eps() const;
  bool leaveShell(double f);
  void advance(double f);
  [[nodiscard]] double relaxed(double radius) const;
  void end(Outcome outcome);
  void cap();
  void miss();
  void checkDrop(double f);

  /// A sample, and what f times the side is there.
  struct Sample {
    double t = 0, f = 0;
  };
  void slopeAlong(const registers::SlopeBound& slope);
  void takeSloped(double f);
  void outside(const Sample& here);
  void inside(const Sample& here, bool sure);
  void closeIn();
  [[nodiscard]] double crossing() const;

  const Settings* settings_;
  ObjectRay ray_;
  Vec low_corner_, high_corner_;  ///< of the box
  double lipschitz_;
  Walk walk_;
  Trace out_;
  bool done_ = false;
  double t_ = 0, end_ = 0;
  double step_ = 0, before_ = 0;  ///< the last step, and the sphere it started in
  bool relaxing_ = false;
  double best_error_, best_t_ = 0;
  double last_f_ = 0, last_t_ = 0;  ///< the sample before

  bool sloped_ = false;
  registers::SlopeBound::Rate rate_;  ///< of f times the side, along the ray
  double least_step_ = 0;
  bool has_low_ = false, bracketed_ = false;
  Sample low_, high_;  ///< the last outside, the first inside
  bool doubted_ = false;
  Sample doubt_;  ///< the sample before, if it may be inside by rounding only
};

/// A normal found by derivatives, or where f is due for it: four points and a code that is valid at
/// all of them.
struct NormalStencil {
  std::uint32_t code = 0;
  std::array<Vec, 4> point{};
  Normals kind = Normals::Tetrahedron;  ///< of the differences, if `due`
  bool due = true;                      ///< false: `found` is the normal
  bool gradient = false;                ///< a pass with derivatives over the leaf's code has run
  Vec found{};

  /// Evaluations of f at points.
  [[nodiscard]] std::uint32_t evaluations() const { return due ? 4 : 0; }
  /// From f at the points. Object space, unit, towards growing f; zero if f has no value near.
  [[nodiscard]] Vec normal(const std::array<float, 4>& f) const;
};
/// Of a hit in the leaf. `gradient`: f and its derivatives there by the leaf's code, or null if the
/// settings do not ask for them.
NormalStencil stencilAt(const Hull& hull, std::uint32_t leaf, const Vec& point,
                        const Settings& settings, const registers::Gradient* gradient = nullptr);

}  // namespace rtvp::implicit::render
