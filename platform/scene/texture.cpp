// Sampling of colour, bump and cube maps, see texture.hpp.
#include "platform/scene/texture.hpp"

#include <algorithm>
#include <cmath>

namespace rtvp::scene {

namespace {

// Index of a texel from its floor, which may lie beyond every integer type: fmod is exact.
int wrapped(float index, int side) {
  const auto n = static_cast<float>(side);
  float rest = std::fmod(index, n);
  if (rest < 0) rest += n;
  return std::min(static_cast<int>(rest), side - 1);
}

int cut(float index, int side) {
  return static_cast<int>(std::clamp(index, 0.0F, static_cast<float>(side - 1)));
}

Vec3 colour(const std::uint8_t* texel) {
  return {texel[0] / 255.0, texel[1] / 255.0, texel[2] / 255.0};
}

// -1..1 to 0..1; the middle for what is not a number.
float acrossFace(double x) {
  return std::isnan(x) ? 0.5F : static_cast<float>(0.5 + 0.5 * std::clamp(x, -1.0, 1.0));
}

double heightAt(const Texture& bump, int i, int j) {
  const std::uint8_t* const texel = bump.texel(i, j);
  return (texel[0] + texel[1] + texel[2]) / 765.0 * bump.bumpHeight;
}

}  // namespace

Box boxAt(float s, float t, int width, int height, bool wrap) {
  Box box;
  const float u = s * static_cast<float>(width) - 0.5F;
  const float v = t * static_cast<float>(height) - 0.5F;
  if (!std::isfinite(u) || !std::isfinite(v)) return box;
  box.valid = true;
  const float i = std::floor(u);
  const float j = std::floor(v);
  // The neighbour is taken from the index, not from i + 1, which may round to i.
  const int i0 = wrap ? wrapped(i, width) : cut(i, width);
  const int j0 = wrap ? wrapped(j, height) : cut(j, height);
  const int i1 = wrap ? (i0 + 1) % width : cut(i + 1, width);
  const int j1 = wrap ? (j0 + 1) % height : cut(j + 1, height);
  for (int k = 0; k < 4; ++k) {
    box.i[k] = (k & 1) != 0 ? i1 : i0;
    box.j[k] = (k & 2) != 0 ? j1 : j0;
  }
  return box;
}

// The side faces have +y up; the top face continues the +z face upwards, the bottom face continues
// it downwards. `s` runs to the right for an eye in the centre of the cube.
CubePlace cubePlace(const Vec3& d) {
  const double ax = std::abs(d.x);
  const double ay = std::abs(d.y);
  const double az = std::abs(d.z);
  CubePlace place;
  double major = ax;
  double right = d.x > 0 ? d.z : -d.z;
  double up = d.y;
  place.face = d.x < 0 ? 1 : 0;
  if (!(ax >= ay && ax >= az)) {
    if (ay >= az) {
      place.face = d.y < 0 ? 3 : 2;
      major = ay;
      right = -d.x;
      up = d.y > 0 ? -d.z : d.z;
    } else {
      place.face = d.z < 0 ? 5 : 4;
      major = az;
      right = d.z > 0 ? -d.x : d.x;
    }
  }
  place.s = acrossFace(right / major);
  place.t = acrossFace(up / major);
  return place;
}

Vec3 bumpNormal(const Texture& bump, int i, int j) {
  const int w = bump.width;
  const int h = bump.height;
  const double di = heightAt(bump, (i + 1) % w, j) - heightAt(bump, (i + w - 1) % w, j);
  const double dj = heightAt(bump, i, (j + 1) % h) - heightAt(bump, i, (j + h - 1) % h);
  return unit({-di / 2, -dj / 2, 1});
}

Vec3 sample(const Texture& texture, double s, double t) {
  const bool bump = texture.kind == Texture::Kind::Bump;
  const Box box =
      boxAt(static_cast<float>(s), static_cast<float>(t), texture.width, texture.height);
  if (!box.valid) return {};
  Vec3 sum;
  for (int k = 0; k < 4; ++k) {
    sum +=
        bump ? bumpNormal(texture, box.i[k], box.j[k]) : colour(texture.texel(box.i[k], box.j[k]));
  }
  return bump ? unit(sum) : sum * 0.25;
}

Vec3 sampleCube(const Texture& texture, const Vec3& direction) {
  const CubePlace place = cubePlace(direction);
  const Box box = boxAt(place.s, place.t, texture.width, texture.height, false);
  Vec3 sum;
  for (int k = 0; k < 4; ++k) sum += colour(texture.texel(box.i[k], box.j[k], place.face));
  return sum * 0.25;
}

}  // namespace rtvp::scene
