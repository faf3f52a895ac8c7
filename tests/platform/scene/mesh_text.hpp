// One mesh, a tetrahedron on a square's half, as files of several formats.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace rtvp::scene::test {

// All exact in binary32 and in few decimal digits.
inline constexpr std::array<std::array<float, 3>, 5> kVertices{
    {{-1, -1, 0.5F}, {1.25F, -1, 0.25F}, {1, 1, -0.5F}, {-0.75F, 1, 0}, {0.125F, 0.5F, 1.5F}}};
inline constexpr std::array<std::array<std::uint32_t, 3>, 6> kFaces{
    {{0, 1, 2}, {0, 2, 3}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}};

/// Bytes of a number, the most significant first if `big`.
template <typename T>
std::string bytesOf(T value, bool big = false) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  if (big == (std::endian::native == std::endian::little)) {
    std::reverse(bytes.begin(), bytes.end());
  }
  return bytes;
}

inline std::string plyText(const std::string& format) {
  std::ostringstream out;
  out << "ply\nformat " << format
      << " 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
         "element face 6\nproperty list uchar int vertex_indices\nend_header\n";
  const bool ascii = format == "ascii";
  const bool big = format == "binary_big_endian";
  for (const auto& v : kVertices) {
    for (const float x : v) ascii ? out << x << ' ' : out << bytesOf(x, big);
    if (ascii) out << '\n';
  }
  for (const auto& f : kFaces) {
    ascii ? out << "3 " : out << '\3';
    for (const std::uint32_t k : f) ascii ? out << k << ' ' : out << bytesOf(k, big);
    if (ascii) out << '\n';
  }
  return out.str();
}

inline std::string stlText(bool binary) {
  std::ostringstream out;
  if (binary) {
    out << std::string(80, 'x') << bytesOf(static_cast<std::uint32_t>(kFaces.size()));
  } else {
    out << "solid mesh\n";
  }
  for (const auto& f : kFaces) {
    binary ? out << std::string(12, '\0') : out << " facet normal 0 0 0\n  outer loop\n";
    for (const std::uint32_t k : f) {
      const auto& v = kVertices[k];
      if (binary) {
        for (const float x : v) out << bytesOf(x);
      } else {
        out << "   vertex " << v[0] << ' ' << v[1] << ' ' << v[2] << '\n';
      }
    }
    binary ? out << std::string(2, '\0') : out << "  endloop\n endfacet\n";
  }
  if (!binary) out << "endsolid mesh\n";
  return out.str();
}

inline std::string objText() {
  std::ostringstream out;
  for (const auto& v : kVertices) out << "v " << v[0] << ' ' << v[1] << ' ' << v[2] << '\n';
  for (const auto& f : kFaces)
    out << "f " << f[0] + 1 << ' ' << f[1] + 1 << ' ' << f[2] + 1 << '\n';
  return out.str();
}

inline std::string offText() {
  std::ostringstream out;
  out << "OFF\n5 6 0\n";
  for (const auto& v : kVertices) out << v[0] << ' ' << v[1] << ' ' << v[2] << '\n';
  for (const auto& f : kFaces) out << "3 " << f[0] << ' ' << f[1] << ' ' << f[2] << '\n';
  return out.str();
}

/// Name and text of each; none names another file.
inline std::vector<std::pair<std::string, std::string>> meshFiles() {
  return {{"a.obj", objText()},
          {"ascii.ply", plyText("ascii")},
          {"little.ply", plyText("binary_little_endian")},
          {"big.ply", plyText("binary_big_endian")},
          {"ascii.stl", stlText(false)},
          {"binary.stl", stlText(true)},
          {"a.off", offText()}};
}

}  // namespace rtvp::scene::test
