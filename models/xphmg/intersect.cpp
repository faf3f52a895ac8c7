// See intersect.hpp.
#include "models/xphmg/intersect.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "models/common/intrinsics.hpp"

namespace rtvp::xphmg {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// D-47: two ULP outward, whatever the sign.
float padFar(float t1) {
  constexpr float kOut = std::bit_cast<float>(0x3F800002U);
  constexpr float kIn = std::bit_cast<float>(0x3F7FFFFCU);
  return t1 * (t1 < 0 ? kIn : kOut);
}

bool equalInfinities(float a, float b) {
  return std::isinf(a) && a == b;
}

/// A vertex relative to the origin, sheared so that the ray is the z axis.
struct Sheared {
  float x, y, z;
  [[nodiscard]] bool finite() const { return std::isfinite(x) && std::isfinite(y); }
};

Sheared shear(const ShearRay& r, const std::array<float, 3>& vertex) {
  const float px = vertex[r.kx] - r.ray.o[r.kx];
  const float py = vertex[r.ky] - r.ray.o[r.ky];
  const float pz = vertex[r.kz] - r.ray.o[r.kz];
  const float ox = r.sx * pz;
  const float oy = r.sy * pz;
  return {px - ox, py - oy, pz};
}

/// Twice the signed area of (origin, p, q) in sheared x, y. The products of two FP32 values are
/// exact in binary64, so the sign is exact.
double edge(const Sheared& p, const Sheared& q) {
  return static_cast<double>(p.x) * static_cast<double>(q.y) -
         static_cast<double>(p.y) * static_cast<double>(q.x);
}

/// Is a vertex component the same infinity as the origin's?
bool meetsInfinity(const Triangle& triangle, const Ray& ray) {
  for (const auto& vertex : triangle.v) {
    for (unsigned k = 0; k < 3; ++k) {
      if (equalInfinities(vertex[k], ray.o[k])) return true;
    }
  }
  return false;
}

/// Half-open ownership of a directed edge through the ray (step 7, D-41).
bool owned(const Sheared& from, const Sheared& to, double sign) {
  const double dx = sign * (static_cast<double>(to.x) - static_cast<double>(from.x));
  const double dy = sign * (static_cast<double>(to.y) - static_cast<double>(from.y));
  return dy < 0 || (dy == 0 && dx > 0);
}

}  // namespace

static bool anyNan(const std::array<float, kRayElements>& value) {
#if defined(__SSE2__)
  static_assert(kRayElements == 8);
  const __m128 first = _mm_loadu_ps(value.data()), last = _mm_loadu_ps(value.data() + 4);
  return _mm_movemask_ps(_mm_cmpunord_ps(first, last)) != 0;
#else
  return std::any_of(value.begin(), value.end(), [](float v) { return std::isnan(v); });
#endif
}

/// An FP32 record without a NaN, which raises nothing. False: it is none.
static bool decodePlainRay(const Precision& precision, const std::uint8_t* bytes, Ray& ray) {
  if (precision.format != Format::Fp32 || precision.ftz ||
      std::endian::native != std::endian::little) {
    return false;
  }
  std::array<float, kRayElements> value;
  std::memcpy(value.data(), bytes, sizeof value);
  if (anyNan(value)) return false;
  std::memcpy(static_cast<void*>(&ray), bytes, sizeof value);
  return true;
}

Ray decodeRay(const Precision& precision, const std::uint8_t* bytes, bool w_guard,
              Stickies& stickies) {
  Ray ray;
  if (!w_guard && decodePlainRay(precision, bytes, ray)) return ray;
  const unsigned width = precision.elementBytes();
  std::array<float, kRayElements + 1> value{};
  for (unsigned i = 0; i < kRayElements + (w_guard ? 1U : 0U); ++i) {
    value[i] = decode(precision, loadElement(bytes + std::size_t{i} * width, width), stickies);
    ray.nan = ray.nan || std::isnan(value[i]);
  }
  for (unsigned k = 0; k < 3; ++k) {
    ray.o[k] = value[k];
    ray.d[k] = value[k + 3];
  }
  ray.tmin = value[6];
  ray.tmax = value[7];
  ray.zeroW = w_guard && value[8] == 0;
  return ray;
}

Box decodeBox(const Precision& precision, const std::array<std::uint32_t, 6>& words,
              Stickies& stickies) {
  Box box;
  for (unsigned k = 0; k < 3; ++k) {
    box.lo[k] = decode(precision, words[k], stickies);
    box.hi[k] = decode(precision, words[k + 3], stickies);
    box.nan = box.nan || std::isnan(box.lo[k]) || std::isnan(box.hi[k]);
  }
  return box;
}

SlabRay::SlabRay(const Ray& source) : ray(source) {
  // A zero component has no inverse: intersectBox() takes another way (no DZ, no 0 * inf).
  for (unsigned k = 0; k < 3; ++k) inverse[k] = ray.d[k] == 0 ? 0 : 1.0F / ray.d[k];
}

SlabResult intersectBox(const SlabRay& ray, const Box& box, Stickies& stickies) {
  if (box.nan) return {};
  for (unsigned k = 0; k < 3; ++k) {
    if (box.lo[k] > box.hi[k]) return {};
  }
  bool possible = true;
  float tn = ray.ray.tmin, tf = ray.ray.tmax;
  float slab_near = -kInfinity, slab_far = kInfinity;
  for (unsigned k = 0; k < 3; ++k) {
    const float o = ray.ray.o[k];
    if (ray.ray.d[k] == 0) {
      possible = possible && !(o < box.lo[k] || o > box.hi[k]);
      continue;
    }
    if (equalInfinities(box.lo[k], o) || equalInfinities(box.hi[k], o)) {
      stickies.exc |= Stickies::kInvalid;
      possible = false;
      continue;
    }
    const float inverse = ray.inverse[k];
    const float near = inverse < 0 ? box.hi[k] : box.lo[k];
    const float far = inverse < 0 ? box.lo[k] : box.hi[k];
    const float t0 = (near - o) * inverse;
    const float t1 = padFar((far - o) * inverse);
    // D-49: the first operand stays when equal or when the bound is a NaN.
    tn = t0 > tn ? t0 : tn;
    tf = t1 < tf ? t1 : tf;
    slab_near = t0 > slab_near ? t0 : slab_near;
    slab_far = t1 < slab_far ? t1 : slab_far;
  }
  return {possible && tn <= tf, tn, tf, slab_near, slab_far};
}

ShearRay::ShearRay(const Ray& source) : ray(source) {
  const std::array<float, 3>& d = ray.d;
  const float x = std::abs(d[0]), y = std::abs(d[1]), z = std::abs(d[2]);
  if (x > y) {
    kz = x > z ? 0 : 2;
  } else {
    kz = y > z ? 1 : 2;
  }
  kx = (kz + 1) % 3;
  ky = (kx + 1) % 3;
  if (d[kz] < 0) {
    const unsigned swap = kx;
    kx = ky;
    ky = swap;
  }
  for (const float o : ray.o) finiteOrigin = finiteOrigin && std::isfinite(o);
  zeroDirection = d[0] == 0 && d[1] == 0 && d[2] == 0;
  if (zeroDirection) return;
  sx = d[kx] / d[kz];
  sy = d[ky] / d[kz];
  sz = 1.0F / d[kz];
}

double lowerBound(float tmin, unsigned k) {
  const double low = tmin;
  if (k == 0 || std::isinf(low)) return low;
  return low + std::ldexp(static_cast<double>(k), std::ilogb(std::max(std::abs(low), 1.0)) - 23);
}

Triangle decodeTriangle(const Precision& precision, const std::uint8_t* bytes, Stickies& stickies) {
  const unsigned width = precision.elementBytes();
  Triangle triangle;
  for (unsigned i = 0; i < kTriangleElements; ++i) {
    const float value =
        decode(precision, loadElement(bytes + std::size_t{i} * width, width), stickies);
    triangle.v[i / 3][i % 3] = value;
    triangle.nan = triangle.nan || std::isnan(value);
  }
  return triangle;
}

TriResult intersectTriangle(const ShearRay& ray, const Triangle& triangle,
                            const TriOptions& options, Stickies& stickies) {
  if (triangle.nan) return {};
  if (!ray.finiteOrigin && meetsInfinity(triangle, ray.ray)) {
    stickies.exc |= Stickies::kInvalid;
    return {};
  }
  const Sheared a = shear(ray, triangle.v[0]);
  const Sheared b = shear(ray, triangle.v[1]);
  const Sheared c = shear(ray, triangle.v[2]);
  if (!a.finite() || !b.finite() || !c.finite()) return {};  // 9.3
  const double u = edge(c, b), v = edge(a, c), w = edge(b, a);
  if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return {};
  const double det = (u + v) + w;
  if (det == 0 || (options.cullBack && det < 0)) return {};
  if (!options.edgeInclusive) {
    const double sign = det < 0 ? -1 : 1;
    if ((u == 0 && !owned(b, c, sign)) || (v == 0 && !owned(c, a, sign)) ||
        (w == 0 && !owned(a, b, sign))) {
      return {};
    }
  }
  const auto scaled = [&ray](const Sheared& p) { return static_cast<double>(ray.sz * p.z); };
  const double sum = (u * scaled(a) + v * scaled(b)) + w * scaled(c);
  const double t = sum / det;
  if (!(options.tlo <= t && t <= static_cast<double>(ray.ray.tmax))) return {};
  // Edge values are the weights of the opposite vertices. Both results lie in [0, 1]: numerator and
  // sum have one sign, and a rounded sum of such numbers is never below one of them. Adding 0 turns
  // -0 into +0 (D-49).
  return {true, det > 0, t, v / det + 0.0, w / det + 0.0};
}

}  // namespace rtvp::xphmg
