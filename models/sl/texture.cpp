// See texture.hpp.
#include "models/sl/texture.hpp"

#include <cmath>

namespace rtvp::sl {
namespace {

/// A whole number modulo `size`, never negative. Exact for any finite float.
std::uint32_t wrap(float whole, std::uint32_t size) {
  const double n = size;
  const double rest = std::fmod(static_cast<double>(whole), n);
  return static_cast<std::uint32_t>(rest < 0 ? rest + n : rest);
}

}  // namespace

std::optional<Footprint> boxFootprint(std::uint32_t width, std::uint32_t height, float s, float t) {
  const float u = s * static_cast<float>(width) - 0.5F;
  const float v = t * static_cast<float>(height) - 0.5F;
  if (!std::isfinite(u) || !std::isfinite(v)) return std::nullopt;
  const std::uint32_t i = wrap(std::floor(u), width), j = wrap(std::floor(v), height);
  const std::uint32_t right = i + 1 == width ? 0 : i + 1, above = j + 1 == height ? 0 : j + 1;
  return Footprint{{{i, j}, {right, j}, {i, above}, {right, above}}};
}

Vec3 boxFilter(const std::array<Vec3, 4>& t) {
  const auto mean = [&t](auto lane) {
    return (((t[0].*lane + t[1].*lane) + t[2].*lane) + t[3].*lane) * 0.25F;
  };
  return {mean(&Vec3::x), mean(&Vec3::y), mean(&Vec3::z)};
}

Vec3 Texture::sample(float s, float t) const {
  if (texels.empty()) return {};
  const std::optional<Footprint> at = boxFootprint(width, height, s, t);
  if (!at) return {};
  std::array<Vec3, 4> found;
  for (std::size_t n = 0; n < 4; ++n)
    found[n] = texels[std::size_t{(*at)[n].j} * width + (*at)[n].i];
  return boxFilter(found);
}

}  // namespace rtvp::sl
