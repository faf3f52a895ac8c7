// Judges two hit dumps pixel by pixel.
#include "platform/reference/compare_hits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>

#include "platform/reference/reference_finder.hpp"
#include "platform/reference/turned_ray.hpp"

namespace rtvp::reference {
namespace {

using report::HitRow;
using scene::Vec3;

/// Where a ray meets a triangle's plane.
struct PlanePoint {
  std::array<double, 3> weights;  ///< barycentric, of the three vertices
  bool facing;                    ///< the ray comes from the side the normal points to
};

std::optional<PlanePoint> meetPlane(const host::Ray& ray, const scene::Triangle& triangle) {
  const Vec3 e1 = triangle.v[1] - triangle.v[0];
  const Vec3 e2 = triangle.v[2] - triangle.v[0];
  const Vec3 normal = cross(e1, e2);
  const double facing = -dot(normal, ray.direction);
  const Vec3 toOrigin = ray.origin - triangle.v[0];
  // Parallel to the plane, or the plane lies behind the eye.
  if (!(dot(normal, toOrigin) / facing > 0)) return std::nullopt;
  const Vec3 q = cross(ray.direction, toOrigin);
  const double u = -dot(e2, q) / facing;
  const double v = dot(e1, q) / facing;
  return PlanePoint{{1 - u - v, u, v}, facing > 0};
}

class Judge {
 public:
  Judge(const scene::Scene& scene, const HitTolerance& tolerance, const HitListener& listener)
      : scene_(scene),
        tolerance_(tolerance),
        listener_(listener),
        finder_(scene),
        pieces_(scene.primitiveCount),
        turned_(scene, finder_, pieces_, tolerance.step, tolerance.distance) {
    for (std::uint32_t e = 0; e < scene.elements.size(); ++e) {
      pieces_.at(scene.elements[e].primitive).push_back(e);
    }
  }

  void compare(const HitRow& a, const HitRow& b, HitComparison& result) const {
    ++result.compared;
    if (a.prim == b.prim) return compareDistance(a, b, result);
    const host::Ray ray = eyeRay(a);
    if (nearOutline(ray, a.prim) || nearOutline(ray, b.prim)) {
      ++result.excusedOutline;
      tell(HitVerdict::Outline, a, b);
    } else if (nearTie(ray, a.prim, b.prim)) {
      ++result.excusedTie;
      tell(HitVerdict::Tie, a, b);
    } else if (withinStep(ray, a, b)) {
      ++result.excusedStep;
      tell(HitVerdict::Step, a, b);
    } else {
      ++result.wrong;
      tell(HitVerdict::Primitive, a, b);
      note(HitComparison::Fault::Primitive, a, b, result);
    }
  }

 private:
  void tell(HitVerdict verdict, const HitRow& a, const HitRow& b) const {
    if (listener_) listener_(verdict, a, b);
  }
  static void note(HitComparison::Fault fault, const HitRow& a, const HitRow& b,
                   HitComparison& result) {
    if (result.examples.size() < HitComparison::kExamples) result.examples.push_back({fault, a, b});
  }

  [[nodiscard]] host::Ray eyeRay(const HitRow& row) const {
    const scene::Camera& camera = scene_.camera;
    return {camera.eye, camera.direction(row.x + 0.5, row.y + 0.5, scene_.width, scene_.height),
            host::kInfinity, host::Ray::Kind::Nearest};
  }

  void compareDistance(const HitRow& a, const HitRow& b, HitComparison& result) const {
    const double larger = std::max(std::abs(a.t), std::abs(b.t));
    const double relative = larger > 0 ? std::abs(a.t - b.t) / larger : 0;
    const bool agrees = relative <= tolerance_.distance || withinShell(a, b);
    if (!agrees && isImplicit(a.prim) && nearOutline(eyeRay(a), a.prim)) {
      ++result.excusedOutline;
      tell(HitVerdict::Outline, a, b);
      return;
    }
    if (!agrees && pieces_[static_cast<std::size_t>(a.prim)].size() > 1 &&
        nearOutline(eyeRay(a), a.prim)) {
      ++result.excusedOutline;
      tell(HitVerdict::Outline, a, b);
      return;
    }
    if (!agrees && pieces_[static_cast<std::size_t>(a.prim)].size() > 1 &&
        withinStep(eyeRay(a), a, b)) {
      ++result.excusedStep;
      tell(HitVerdict::Step, a, b);
      return;
    }
    result.maxRelativeT = std::max(result.maxRelativeT, relative);
    if (agrees) {
      ++result.equal;
    } else {
      ++result.wrongDistance;
      tell(HitVerdict::Distance, a, b);
      note(HitComparison::Fault::Distance, a, b, result);
    }
  }

  [[nodiscard]] bool nearOutline(const host::Ray& ray, std::int64_t primitive) const {
    if (primitive == report::kMiss) return false;
    const std::vector<std::uint32_t>& pieces = pieces_[static_cast<std::size_t>(primitive)];
    return std::any_of(pieces.begin(), pieces.end(), [&](std::uint32_t piece) {
      const scene::Element& element = scene_.elements[piece];
      if (element.kind == scene::Element::Kind::Implicit) return nearImplicitOutline(ray, piece);
      return element.kind == scene::Element::Kind::Sphere
                 ? nearSphereOutline(ray, scene_.spheres[element.index])
                 : nearTriangleOutline(ray, scene_.triangles[element.index], piece, pieces);
    });
  }

  [[nodiscard]] bool withinStep(const host::Ray& ray, const HitRow& a, const HitRow& b) const {
    return tolerance_.step > 0 && turned_.mayMeet(ray, a) && turned_.mayMeet(ray, b);
  }

  [[nodiscard]] bool isImplicit(std::int64_t primitive) const {
    if (primitive == report::kMiss) return false;
    const std::vector<std::uint32_t>& pieces = pieces_[static_cast<std::size_t>(primitive)];
    return !pieces.empty() &&
           scene_.elements[pieces.front()].kind == scene::Element::Kind::Implicit;
  }

  /// Both hits lie as near the implicit surface as a machine promises.
  [[nodiscard]] bool withinShell(const HitRow& a, const HitRow& b) const {
    if (!isImplicit(a.prim)) return false;
    const host::Ray ray = eyeRay(a);
    const std::uint32_t element = pieces_[static_cast<std::size_t>(a.prim)].front();
    const scene::Implicit& object = scene_.implicits[scene_.elements[element].index];
    const auto inShell = [&](double t) {
      const Vec3 p = object.placement.toObject(ray.origin + ray.direction * t);
      return std::abs(object.model->value(p)) <= tolerance_.functions;
    };
    // The point between them tells one surface from two.
    return inShell(a.t) && inShell(b.t) && inShell((a.t + b.t) / 2);
  }

  [[nodiscard]] bool nearImplicitOutline(const host::Ray& ray, std::uint32_t element) const {
    constexpr int kAround = 8;
    const scene::Bounds box = scene_.bounds(scene_.elements[element]);
    const ImplicitSurface& surface = finder_.implicit(scene_.elements[element].index);
    const std::optional<double> t = surface.hit(ray, ray.tmax);
    const double reach = t ? *t : dot((box.lo + box.hi) * 0.5 - ray.origin, ray.direction);
    const Vec3 target = ray.origin + ray.direction * reach;
    const Vec3 axis = std::abs(ray.direction.x) < 0.5 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    const Vec3 right = unit(cross(ray.direction, axis));
    const Vec3 up = cross(right, ray.direction);
    for (int k = 0; k < kAround; ++k) {
      const double angle = 2 * std::numbers::pi * k / kAround;
      const Vec3 aside = right * std::cos(angle) + up * std::sin(angle);
      host::Ray beside = ray;
      beside.direction = unit(target + aside * (2 * tolerance_.functions) - ray.origin);
      const std::optional<double> other = surface.hit(beside, ray.tmax);
      if (t.has_value() != other.has_value()) return true;
      // A silhouette before another part of the surface: a jump, where a slope would be steep.
      if (t && std::abs(*t - *other) > 16 * tolerance_.functions) return true;
    }
    return false;
  }

  [[nodiscard]] bool nearSphereOutline(const host::Ray& ray, const scene::Sphere& sphere) const {
    const Vec3 toCentre = sphere.center - ray.origin;
    const Vec3 offset = toCentre - ray.direction * dot(toCentre, ray.direction);
    const double square = sphere.radius * sphere.radius;
    if (dot(toCentre, ray.direction) <= -sphere.radius) return false;
    return std::abs(square - dot(offset, offset)) <= tolerance_.outline * square;
  }

  [[nodiscard]] bool nearTriangleOutline(const host::Ray& ray, const scene::Triangle& triangle,
                                         std::uint32_t piece,
                                         const std::vector<std::uint32_t>& pieces) const {
    const std::optional<PlanePoint> point = meetPlane(ray, triangle);
    if (!point) return false;
    const auto& w = point->weights;
    if (!(std::min({w[0], w[1], w[2]}) >= -tolerance_.outline)) return false;
    for (std::size_t i = 0; i < 3; ++i) {
      // The weight of a vertex is the distance from the opposite edge.
      if (w[i] <= tolerance_.outline &&
          !hidden(ray, triangle.v[(i + 1) % 3], triangle.v[(i + 2) % 3], point->facing, piece,
                  pieces)) {
        return true;
      }
    }
    return false;
  }

  /// True if another piece goes on beyond the edge p-q, turned to the ray as this one is.
  [[nodiscard]] bool hidden(const host::Ray& ray, const Vec3& p, const Vec3& q, bool facing,
                            std::uint32_t piece, const std::vector<std::uint32_t>& pieces) const {
    return std::any_of(pieces.begin(), pieces.end(), [&](std::uint32_t other) {
      const scene::Element& element = scene_.elements[other];
      if (other == piece || element.kind != scene::Element::Kind::Triangle) return false;
      const scene::Triangle& triangle = scene_.triangles[element.index];
      for (std::size_t i = 0; i < 3; ++i) {
        const Vec3& from = triangle.v[i];
        const Vec3& to = triangle.v[(i + 1) % 3];
        const bool opposite = from == q && to == p;
        if (!opposite && !(from == p && to == q)) continue;
        // Consistent winding runs the shared edge both ways; equal runs mean that the neighbour's
        // normal is turned.
        const std::optional<PlanePoint> point = meetPlane(ray, triangle);
        if (point && point->facing == (opposite ? facing : !facing)) return true;
      }
      return false;
    });
  }

  /// The nearest hit and another primitive's are too close to tell apart, and both dumps chose
  /// among such hits.
  [[nodiscard]] bool nearTie(const host::Ray& ray, std::int64_t a, std::int64_t b) const {
    if (a == report::kMiss || b == report::kMiss) return false;
    host::Ray reach = ray;
    const host::Hit first = finder_.nearest(ray);
    if (first.element == scene::kNoElement) return false;
    reach.tmax = first.t * (1 + tolerance_.nearTie);
    // Where an implicit surface and another one cut each other at a flat angle.
    if (isImplicit(a) || isImplicit(b)) reach.tmax += 10 * tolerance_.functions;
    bool hasA = false;
    bool hasB = false;
    for (const host::Hit& hit : finder_.all(reach)) {
      const std::int64_t primitive = scene_.elements[hit.element].primitive;
      hasA = hasA || primitive == a;
      hasB = hasB || primitive == b;
    }
    return hasA && hasB;
  }

  const scene::Scene& scene_;
  const HitTolerance& tolerance_;
  const HitListener& listener_;
  ReferenceFinder finder_;
  std::vector<std::vector<std::uint32_t>> pieces_;
  TurnedRay turned_;
};

void checkRow(const HitRow& row, const scene::Scene& scene) {
  const auto where = [&row] {
    return "pixel (" + std::to_string(row.x) + ", " + std::to_string(row.y) + ")";
  };
  if (row.x < 0 || row.y < 0 || row.x >= scene.width || row.y >= scene.height) {
    throw HitMismatch(where() + " is outside the picture of " + std::to_string(scene.width) +
                      " x " + std::to_string(scene.height) + " pixels");
  }
  if (row.prim < report::kMiss || row.prim >= std::int64_t{scene.primitiveCount}) {
    throw HitMismatch(where() + " names primitive " + std::to_string(row.prim) +
                      ", the scene has " + std::to_string(scene.primitiveCount));
  }
}

}  // namespace

HitComparison compareHits(const report::HitDump& a, const report::HitDump& b,
                          const scene::Scene& scene, const HitTolerance& tolerance,
                          const HitListener& listener) {
  if (a.size() != b.size()) {
    throw HitMismatch("the hit dumps have " + std::to_string(a.size()) + " and " +
                      std::to_string(b.size()) + " pixels");
  }
  HitComparison result;
  result.tolerance = tolerance;
  const Judge judge(scene, tolerance, listener);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].x != b[i].x || a[i].y != b[i].y) {
      throw HitMismatch("row " + std::to_string(i + 1) + ": the dumps show different pixels");
    }
    checkRow(a[i], scene);
    checkRow(b[i], scene);
    judge.compare(a[i], b[i], result);
  }
  return result;
}

}  // namespace rtvp::reference
