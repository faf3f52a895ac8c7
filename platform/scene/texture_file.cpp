// Implementation of texture files, see texture_file.hpp.
#include "platform/scene/texture_file.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "platform/report/image.hpp"

namespace rtvp::scene {

namespace {

constexpr std::string_view kExpected = "a PNG or JPEG picture that can be read";

report::RgbaImage decoded(std::span<const std::uint8_t> bytes, const std::string& name,
                          const Where& where) {
  try {
    return report::decodeRgba(bytes, name, kMaxTextureSide);
  } catch (const report::ImageError& e) {
    where.fail("a texture that is no good (" + std::string(e.what()) + ")", kExpected);
  }
}

report::RgbaImage readPicture(const std::filesystem::path& file,
                              const platform::InputReader& reader, const Where& where) {
  try {
    return decoded(reader.read(file, kMaxFileBytes), file.string(), where);
  } catch (const std::system_error& e) {
    where.fail("a file that cannot be read (" + std::string(e.what()) + ")", kExpected);
  }
}

// Row 0 of a picture file is the top one, row 0 of a texture the bottom one.
void appendUpright(Texture& texture, const report::RgbaImage& image) {
  const std::size_t row = static_cast<std::size_t>(image.width) * 4;
  for (std::size_t at = image.rgba.size(); at > 0; at -= row) {
    const auto* const begin = image.rgba.data() + at - row;
    texture.rgba.insert(texture.rgba.end(), begin, begin + row);
  }
}

}  // namespace

bool isTextureName(const std::filesystem::path& file) {
  const std::string extension = lowered(file.extension().string());
  return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

std::uint32_t addTexture(Builder& builder, const std::string& name,
                         std::span<const std::uint8_t> bytes, const Where& where) {
  Texture texture;
  texture.name = name;
  const report::RgbaImage image = decoded(bytes, name, where);
  texture.width = image.width;
  texture.height = image.height;
  builder.checkTexture(image.width, image.height, 1, where);
  appendUpright(texture, image);
  return builder.addTexture(std::move(texture), where);
}

std::uint32_t loadTexture(Builder& builder, Texture::Kind kind, const std::string& name,
                          std::span<const std::filesystem::path> files, double bumpHeight,
                          const Where& where) {
  Texture texture;
  texture.kind = kind;
  texture.name = name;
  texture.bumpHeight = bumpHeight;
  for (const std::filesystem::path& file : files) {
    const report::RgbaImage image = readPicture(file, builder.reader("texture"), where);
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
    appendUpright(texture, image);
  }
  return builder.addTexture(std::move(texture), where);
}

}  // namespace rtvp::scene
