// PNG and JPEG files as textures of a scene.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "platform/scene/builder.hpp"

namespace rtvp::scene {

/// Reads `files` (one; six square ones of one size for Cube, in the order of CubePlace::face) and
/// adds them to the scene as one texture; returns its number. Throws SceneError at `where` for a
/// file that is missing, damaged, larger than kMaxTextureSide a side, or one too many.
[[nodiscard]] std::uint32_t loadTexture(Builder& builder, Texture::Kind kind,
                                        const std::string& name,
                                        std::span<const std::filesystem::path> files,
                                        double bumpHeight, const Where& where);

/// The same for a colour texture whose file lies in memory, in `bytes`.
[[nodiscard]] std::uint32_t addTexture(Builder& builder, const std::string& name,
                                       std::span<const std::uint8_t> bytes, const Where& where);

/// True if the name ends as one of a PNG or JPEG file.
[[nodiscard]] bool isTextureName(const std::filesystem::path& file);

}  // namespace rtvp::scene
