#include "platform/drivers/theia/textures.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

namespace rtvp::host {
namespace {

constexpr int kChannelShift = 9;    // of a texture word over its byte (theia.md 3.5)
constexpr int kMostTexels = 10900;  // coordinates in texels are products: the multiplier's range

const scene::Material& materialOf(const scene::Scene& scene, const scene::Element& element) {
  return scene.materials[element.material];
}

/// Whether THEIA could draw the element's texture: a plain picture on a triangle with coordinates.
bool drawable(const scene::Scene& scene, const scene::Element& element) {
  const scene::Material& material = materialOf(scene, element);
  return material.texture < scene.textures.size() &&
         element.kind == scene::Element::Kind::Triangle &&
         scene.triangles[element.index].textured &&
         scene.textures[material.texture].kind == scene::Texture::Kind::Color;
}

/// Channel value at picture position (x, y) in texels, centres at .5, by the four nearest texels;
/// exact at centres. Pictures repeat.
double channelAt(const scene::Texture& texture, double x, double y, int channel) {
  const auto wrap = [](double at, int size) {
    const int i = static_cast<int>(std::floor(at)) % size;
    return i < 0 ? i + size : i;
  };
  const double fx = x - 0.5 - std::floor(x - 0.5);
  const double fy = y - 0.5 - std::floor(y - 0.5);
  const int i = wrap(x - 0.5, texture.width);
  const int j = wrap(y - 0.5, texture.height);
  const int i2 = (i + 1) % texture.width;
  const int j2 = (j + 1) % texture.height;
  const auto at = [&](int column, int row) {
    return static_cast<double>(texture.texel(column, row)[channel]);
  };
  return (at(i, j) * (1 - fx) + at(i2, j) * fx) * (1 - fy) +
         (at(i, j2) * (1 - fx) + at(i2, j2) * fx) * fy;
}

void append(std::vector<std::uint32_t>& words, const scene::Texture& texture, int side) {
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      for (int channel = 0; channel < 3; ++channel) {
        const double value = channelAt(texture, (column + 0.5) * texture.width / side,
                                       (row + 0.5) * texture.height / side, channel);
        words.push_back(static_cast<std::uint32_t>(std::lround(value)) << kChannelShift);
      }
    }
  }
}

}  // namespace

std::uint32_t TheiaTextures::firstWordOf(const scene::Scene& scene,
                                         const scene::Element& element) const {
  return drawable(scene, element) ? first[materialOf(scene, element).texture] : kNone;
}

std::array<theia::Vec, 3> TheiaTextures::coordinates(const scene::Scene& scene,
                                                     const TheiaPiece& piece) const {
  const scene::Element& element = scene.elements[piece.element];
  const std::uint32_t begin = firstWordOf(scene, element);
  if (begin == kNone) return {};
  const auto& st = scene.triangles[element.index].st;
  std::array<std::array<double, 2>, 3> corner{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [b, c] = piece.uv[i];
    corner[i] = {st[0].u * (1 - b - c) + st[1].u * b + st[2].u * c,
                 st[0].v * (1 - b - c) + st[1].v * b + st[2].v * c};
  }
  std::array<theia::Vec, 3> result{};
  std::array<std::array<double, 3>, 2> lane{};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    // Repeats are alike: begin with the first. The machine's texels have their colour at their
    // corner, the picture's in their middle.
    const double least = std::min({corner[0][axis], corner[1][axis], corner[2][axis]});
    for (std::size_t i = 0; i < 3; ++i) {
      lane[axis][i] = corner[i][axis] - std::floor(least) - 0.5 / side;
      if (std::abs(lane[axis][i]) * side > kMostTexels) {
        throw std::invalid_argument("texture coordinates: a triangle crosses more than " +
                                    std::to_string(kMostTexels) +
                                    " texels, beyond THEIA's number format");
      }
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    result[i] = {toFixed(lane[0][i]), toFixed(lane[1][i]), 0};
  }
  result[0].z = theia::kOne;
  result[1].z = begin;
  return result;
}

TheiaTextures theiaTextures(const scene::Scene& scene, std::size_t limit) {
  TheiaTextures result;
  result.first.assign(scene.textures.size(), TheiaTextures::kNone);
  std::vector<std::uint32_t> used;
  for (const scene::Element& element : scene.elements) {
    if (!drawable(scene, element)) continue;
    const std::uint32_t texture = materialOf(scene, element).texture;
    if (std::find(used.begin(), used.end(), texture) == used.end()) used.push_back(texture);
  }
  for (const scene::Material& material : scene.materials) {
    if (material.texture >= scene.textures.size()) continue;
    if (scene.textures[material.texture].kind != scene::Texture::Kind::Color) ++result.ignored;
  }
  for (const std::uint32_t index : used) {
    const scene::Texture& texture = scene.textures[index];
    const auto longest = static_cast<unsigned>(std::max(texture.width, texture.height));
    result.side = std::max(result.side, static_cast<int>(std::bit_ceil(longest)));
  }
  const auto side = static_cast<std::size_t>(result.side);
  if (const std::size_t need = used.size() * side * side * 3; need > limit) {
    throw std::invalid_argument(
        std::to_string(used.size()) + " textures of " + std::to_string(side) + " x " +
        std::to_string(side) + " texels: " + std::to_string(need) +
        " words, the texture memory has " + std::to_string(limit) + " (theia.texture_words)");
  }
  for (const std::uint32_t index : used) {
    const scene::Texture& texture = scene.textures[index];
    if (texture.width != result.side || texture.height != result.side) ++result.resampled;
    result.first[index] = static_cast<std::uint32_t>(result.words.size());
    append(result.words, texture, result.side);
    ++result.count;
  }
  return result;
}

}  // namespace rtvp::host
