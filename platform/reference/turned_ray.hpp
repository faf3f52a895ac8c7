// Whether an answer is that of a ray which a machine's number format cannot tell from the true one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platform/raytree/hit_finder.hpp"
#include "platform/reference/reference_finder.hpp"
#include "platform/report/hits.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::reference {

/// Judges answers by the rays that are turned by no more than a small angle.
///
/// A machine whose directions have steps takes the next direction that it has, so it may pass an
/// outline on the other side than the true ray. What it then sees must be what lies there: the
/// triangle named must be met, or its outline passed within the angle, where the answer's t says
/// so; and whatever the true ray meets before it must have an outline within the angle, beyond
/// which the turned ray goes by. An edge beyond which a neighbour goes on is no outline, whichever
/// primitive that is: no turned ray slips between the two. Triangles only; a sphere or an implicit
/// surface in the way has no excuse.
class TurnedRay {
 public:
  /// `angle`: its tangent, at least 0. `distance`: relative difference of t as in HitTolerance.
  /// Keeps references; `pieces` are the elements of each primitive.
  TurnedRay(const scene::Scene& scene, const ReferenceFinder& finder,
            const std::vector<std::vector<std::uint32_t>>& pieces, double angle, double distance)
      : scene_(scene), finder_(finder), pieces_(pieces), angle_(angle), distance_(distance) {}

  /// Whether `row` is what some ray of `ray`'s origin, turned by the angle at most, may meet.
  [[nodiscard]] bool mayMeet(const host::Ray& ray, const report::HitRow& row) const;

 private:
  /// The triangle of an element, or null.
  [[nodiscard]] const scene::Triangle* triangle(std::uint32_t element) const;
  /// Where the answer lies on this piece, as t of the true ray.
  [[nodiscard]] std::optional<double> place(const host::Ray& ray, const std::vector<host::Hit>& met,
                                            std::uint32_t piece, double t) const;
  [[nodiscard]] bool fits(const host::Ray& ray, const scene::Triangle& triangle, double there,
                          double t) const;
  /// Nothing before t stays in the way; `target` is the element that lies there, if any.
  [[nodiscard]] bool goesBy(const host::Ray& ray, const std::vector<host::Hit>& met, double t,
                            std::uint32_t target) const;
  /// From this element over edges within the angle to an outline, or to `target`.
  [[nodiscard]] bool leaves(const host::Ray& ray, std::uint32_t element,
                            std::uint32_t target) const;
  /// Elements that go on beyond the edge p-q, turned to the ray as `element` is.
  [[nodiscard]] std::vector<std::uint32_t> beyond(const host::Ray& ray, std::uint32_t element,
                                                  const scene::Vec3& p, const scene::Vec3& q) const;
  /// t of the ray where it passes the edge p-q within the angle.
  [[nodiscard]] std::optional<double> passes(const host::Ray& ray, const scene::Vec3& p,
                                             const scene::Vec3& q) const;

  const scene::Scene& scene_;
  const ReferenceFinder& finder_;
  const std::vector<std::vector<std::uint32_t>>& pieces_;
  double angle_;
  double distance_;
};

}  // namespace rtvp::reference
