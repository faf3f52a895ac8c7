// See texture.hpp.
#include "models/sl/texture.hpp"

#include <algorithm>
#include <cmath>

namespace rtvp::sl {
namespace {

/// A whole number modulo `size`, never negative. Exact for any finite float.
std::uint32_t wrap(float whole, std::uint32_t size) {
  const double n = size;
  const double rest = std::fmod(static_cast<double>(whole), n);
  return static_cast<std::uint32_t>(rest < 0 ? rest + n : rest);
}

float acrossFace(float x) {
  return std::isnan(x) ? 0.5F : 0.5F + 0.5F * std::clamp(x, -1.0F, 1.0F);
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

// The face of the largest component (the earlier axis on a tie) and the place on it as seen from
// inside: side faces have +y up, the top and bottom faces continue the +z face.
CubePlace cubePlace(const Vec3& d) {
  const float ax = std::abs(d.x);
  const float ay = std::abs(d.y);
  const float az = std::abs(d.z);
  if (ax >= ay && ax >= az) {
    return {d.x < 0 ? 1U : 0U, acrossFace((d.x > 0 ? d.z : -d.z) / ax), acrossFace(d.y / ax)};
  }
  if (ay >= az) {
    return {d.y < 0 ? 3U : 2U, acrossFace(-d.x / ay), acrossFace((d.y > 0 ? -d.z : d.z) / ay)};
  }
  return {d.z < 0 ? 5U : 4U, acrossFace((d.z > 0 ? -d.x : d.x) / az), acrossFace(d.y / az)};
}

// The 2 x 2 box of a cube's face is cut at the edges: a face does not continue on its other side.
Footprint cutFootprint(std::uint32_t side, float s, float t) {
  const auto last = static_cast<float>(side - 1);
  const auto index = [last](float x) {
    return static_cast<std::uint32_t>(std::clamp(x, 0.0F, last));
  };
  const float u = std::floor(s * static_cast<float>(side) - 0.5F);
  const float v = std::floor(t * static_cast<float>(side) - 0.5F);
  const std::uint32_t i = index(u);
  const std::uint32_t j = index(v);
  const std::uint32_t right = index(u + 1);
  const std::uint32_t above = index(v + 1);
  return {{{i, j}, {right, j}, {i, above}, {right, above}}};
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
