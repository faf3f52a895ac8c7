// Implementation of texture files, see texture_file.hpp.
#include "platform/scene/texture_file.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "platform/report/image.hpp"

namespace rtvp::scene {

namespace {

report::RgbaImage readPng(const std::filesystem::path& file, const platform::InputReader& reader,
                          const Where& where) {
  constexpr std::string_view kExpected = "a PNG picture that can be read";
  try {
    return report::decodePngRgba(reader.read(file, kMaxFileBytes), file.string(), kMaxTextureSide);
  } catch (const report::ImageError& e) {
    where.fail("a texture that is no good (" + std::string(e.what()) + ")", kExpected);
  } catch (const std::system_error& e) {
    where.fail("a file that cannot be read (" + std::string(e.what()) + ")", kExpected);
  }
}

}  // namespace

std::uint32_t loadTexture(Builder& builder, Texture::Kind kind, const std::string& name,
                          std::span<const std::filesystem::path> files, double bumpHeight,
                          const Where& where) {
  Texture texture;
  texture.kind = kind;
  texture.name = name;
  texture.bumpHeight = bumpHeight;
  for (const std::filesystem::path& file : files) {
    const report::RgbaImage image = readPng(file, builder.reader("texture"), where);
    const std::string size = std::to_string(image.width) + " x " + std::to_string(image.height);
    if (kind == Texture::Kind::Cube && image.width != image.height) {
      where.fail("a cube face of " + size + " pixels", "a square");
    }
    if (texture.rgba.empty()) {
      texture.width = image.width;
      texture.height = image.height;
      builder.checkTexture(image.width, image.height, texture.faces(), where);
    } else if (image.width != texture.width) {
      where.fail("a cube face of " + size + " pixels",
                 std::to_string(texture.width) + " a side as its first face has");
    }
    // Row 0 of the file is the top one, row 0 of a texture the bottom one.
    const std::size_t row = static_cast<std::size_t>(image.width) * 4;
    for (std::size_t at = image.rgba.size(); at > 0; at -= row) {
      const auto* const begin = image.rgba.data() + at - row;
      texture.rgba.insert(texture.rgba.end(), begin, begin + row);
    }
  }
  return builder.addTexture(std::move(texture), where);
}

}  // namespace rtvp::scene
