// The mesh of mesh_text.hpp as glTF: buffers in the file, beside it, or in a .glb.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/platform/scene/mesh_text.hpp"

namespace rtvp::scene::test {

/// Positions, then indices of 16 bits.
inline std::string gltfBuffer() {
  std::string bytes;
  for (const auto& v : kVertices) {
    for (const float x : v) bytes += bytesOf(x);
  }
  for (const auto& f : kFaces) {
    for (const std::uint32_t k : f) bytes += bytesOf(static_cast<std::uint16_t>(k));
  }
  return bytes;
}

inline std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8U | (k + i < bytes.size() ? static_cast<std::uint8_t>(bytes[k + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += k + i > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * i) & 63U];
    }
  }
  return text;
}

/// JSON around a buffer; `uri`: of the buffer, empty: none. `more`: further members of the root.
inline std::string gltfJson(const std::string& uri, const std::string& more = "") {
  return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":5,"type":"VEC3"},
{"bufferView":1,"componentType":5123,"count":18,"type":"SCALAR"}],
"bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":60},{"buffer":0,"byteOffset":60,"byteLength":36}],
"buffers":[{"byteLength":96)" +
         (uri.empty() ? "" : R"(,"uri":")" + uri + '"') + "}]" + more + "}";
}

inline std::string glbText(std::string json, const std::string& buffer) {
  while (json.size() % 4 != 0) json += ' ';
  const auto word = [](std::size_t n) { return bytesOf(static_cast<std::uint32_t>(n)); };
  return "glTF" + word(2) + word(28 + json.size() + buffer.size()) + word(json.size()) + "JSON" +
         json + word(buffer.size()) + std::string("BIN\0", 4) + buffer;
}

inline std::string embeddedGltf(const std::string& more = "") {
  return gltfJson("data:application/octet-stream;base64," + base64(gltfBuffer()), more);
}

/// The same as a PBRT file, mirrored so that it is what the others hold.
inline std::string pbrtText() {
  std::string points;
  std::string indices;
  for (const auto& v : kVertices) {
    for (std::size_t k = 0; k < 3; ++k) points += std::to_string(k == 0 ? -v[k] : v[k]) + ' ';
  }
  for (const auto& f : kFaces) {
    for (const std::size_t k : {0U, 2U, 1U}) indices += std::to_string(f[k]) + ' ';
  }
  return "WorldBegin\nShape \"trianglemesh\" \"point P\" [" + points +
         "]\n  \"integer indices\" [" + indices + "]\nWorldEnd\n";
}

}  // namespace rtvp::scene::test
