// See fast_path.hpp.
#include "models/xphmg/fast_path.hpp"

#include <bit>
#include <cmath>

namespace rtvp::xphmg::fast {

bool suits(const Precision& precision, const xphmg::Ray& ray) {
  if (precision.format != Format::Fp32 || precision.ftz) return false;
  for (unsigned k = 0; k < 3; ++k) {
    if (!std::isfinite(ray.o[k]) || ray.d[k] == 0) return false;
  }
  return true;
}

Ray::Ray(const SlabRay& ray)
    : o(ray.ray.o), inverse(ray.inverse), tmin(ray.ray.tmin), tmax(ray.ray.tmax) {
  for (unsigned k = 0; k < 3; ++k) negative[k] = inverse[k] < 0;
}

bool testTile(const Ray& ray, const std::uint8_t* bytes, TileResult& result) {
  constexpr float kOut = std::bit_cast<float>(0x3F800002U);
  constexpr float kIn = std::bit_cast<float>(0x3F7FFFFCU);
  result.mask = 0;
  for (unsigned c = 0; c < kTileChildren; ++c) {
    float tn = ray.tmin, tf = ray.tmax;
    bool ordered = true;
    for (unsigned k = 0; k < 3; ++k) {
      const float lo = std::bit_cast<float>(loadU32(bytes + 24U * c + 4U * k));
      const float hi = std::bit_cast<float>(loadU32(bytes + 24U * c + 12U + 4U * k));
      if (std::isunordered(lo, hi)) return false;
      ordered = ordered && lo <= hi;
      const float t0 = ((ray.negative[k] ? hi : lo) - ray.o[k]) * ray.inverse[k];
      float t1 = ((ray.negative[k] ? lo : hi) - ray.o[k]) * ray.inverse[k];
      t1 *= t1 < 0 ? kIn : kOut;
      tn = t0 > tn ? t0 : tn;
      tf = t1 < tf ? t1 : tf;
    }
    result.tn[c] = tn;
    if (ordered && tn <= tf) result.mask |= 1U << c;
  }
  return true;
}

}  // namespace rtvp::xphmg::fast
