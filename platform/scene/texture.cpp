// Sampling of colour, bump and cube maps, see texture.hpp.
#include "platform/scene/texture.hpp"

#include <array>
#include <optional>

#include "models/sl/texture.hpp"

namespace rtvp::scene {

namespace {

sl::Vec3 colour(const std::uint8_t* texel) {
  constexpr float kFull = 255;
  return {static_cast<float>(texel[0]) / kFull, static_cast<float>(texel[1]) / kFull,
          static_cast<float>(texel[2]) / kFull};
}

sl::Vec3 normal(const Vec3& n) {
  return {static_cast<float>(n.x), static_cast<float>(n.y), static_cast<float>(n.z)};
}

Vec3 widened(const sl::Vec3& v) {
  return {double{v.x}, double{v.y}, double{v.z}};
}

double heightAt(const Texture& bump, int i, int j) {
  const std::uint8_t* const texel = bump.texel(i, j);
  return (texel[0] + texel[1] + texel[2]) / 765.0 * bump.bumpHeight;
}

}  // namespace

Vec3 bumpNormal(const Texture& bump, int i, int j) {
  const int w = bump.width;
  const int h = bump.height;
  const double di = heightAt(bump, (i + 1) % w, j) - heightAt(bump, (i + w - 1) % w, j);
  const double dj = heightAt(bump, i, (j + 1) % h) - heightAt(bump, i, (j + h - 1) % h);
  return unit({-di / 2, -dj / 2, 1});
}

Vec3 sample(const Texture& texture, double s, double t) {
  const bool bump = texture.kind == Texture::Kind::Bump;
  const std::optional<sl::Footprint> box = sl::boxFootprint(
      static_cast<std::uint32_t>(texture.width), static_cast<std::uint32_t>(texture.height),
      static_cast<float>(s), static_cast<float>(t));
  if (!box) return {};
  std::array<sl::Vec3, 4> texels;
  for (std::size_t k = 0; k < 4; ++k) {
    const auto i = static_cast<int>((*box)[k].i);
    const auto j = static_cast<int>((*box)[k].j);
    texels[k] = bump ? normal(bumpNormal(texture, i, j)) : colour(texture.texel(i, j));
  }
  const Vec3 mean = widened(sl::boxFilter(texels));
  return bump ? unit(mean) : mean;
}

Vec3 sampleCube(const Texture& texture, const Vec3& direction) {
  const sl::CubePlace place = sl::cubePlace(normal(direction));
  const sl::Footprint box =
      sl::cutFootprint(static_cast<std::uint32_t>(texture.width), place.s, place.t);
  std::array<sl::Vec3, 4> texels;
  for (std::size_t k = 0; k < 4; ++k) {
    texels[k] = colour(texture.texel(static_cast<int>(box[k].i), static_cast<int>(box[k].j),
                                     static_cast<int>(place.face)));
  }
  return widened(sl::boxFilter(texels));
}

}  // namespace rtvp::scene
