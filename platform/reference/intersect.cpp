// Exact-sign edge tests and the sphere test.
#include "platform/reference/intersect.hpp"

#include <cmath>
#include <utility>

namespace rtvp::reference {
namespace {

using scene::Vec3;

/// a*b - c*d as a rounded value whose sign is exact. Rounding is monotonic, so unequal rounded
/// products already have the exact order; equal ones are told apart by their rounding errors, which
/// fma delivers without error.
double crossExactSign(double a, double b, double c, double d) {
  const double left = a * b;
  const double right = c * d;
  if (left != right) return left - right;
  return std::fma(a, b, -left) - std::fma(c, d, -right);
}

struct Sheared {
  double x;
  double y;
  double z;
};

Sheared shear(const ShearedRay& ray, const Vec3& vertex) {
  const Vec3 v = vertex - ray.origin;
  return {v[ray.kx] - ray.shearX * v[ray.kz], v[ray.ky] - ray.shearY * v[ray.kz],
          ray.scaleZ * v[ray.kz]};
}

}  // namespace

ShearedRay::ShearedRay(const host::Ray& ray) : origin(ray.origin) {
  const Vec3& d = ray.direction;
  kz = std::abs(d.x) > std::abs(d.y) ? 0 : 1;
  if (std::abs(d.z) > std::abs(d[kz])) kz = 2;
  kx = (kz + 1) % 3;
  ky = (kz + 2) % 3;
  shearX = d[kx] / d[kz];
  shearY = d[ky] / d[kz];
  scaleZ = 1 / d[kz];
}

std::optional<double> intersect(const ShearedRay& ray, const std::array<Vec3, 3>& triangle) {
  const Sheared a = shear(ray, triangle[0]);
  const Sheared b = shear(ray, triangle[1]);
  const Sheared c = shear(ray, triangle[2]);
  const double wa = crossExactSign(c.x, b.y, c.y, b.x);
  const double wb = crossExactSign(a.x, c.y, a.y, c.x);
  const double wc = crossExactSign(b.x, a.y, b.y, a.x);
  if ((wa < 0 || wb < 0 || wc < 0) && (wa > 0 || wb > 0 || wc > 0)) return std::nullopt;
  const double sum = wa + wb + wc;
  if (sum == 0) return std::nullopt;
  const double t = (wa * a.z + wb * b.z + wc * c.z) / sum;
  return std::isfinite(t) ? std::optional(t) : std::nullopt;
}

std::optional<std::array<double, 2>> intersect(const host::Ray& ray, const scene::Sphere& sphere) {
  const Vec3 toCentre = sphere.center - ray.origin;
  const double along = dot(toCentre, ray.direction);
  const Vec3 offset = toCentre - ray.direction * along;
  const double square = sphere.radius * sphere.radius - dot(offset, offset);
  if (!(square >= 0)) return std::nullopt;
  const double half = std::sqrt(square);
  return std::array{along - half, along + half};
}

}  // namespace rtvp::reference
