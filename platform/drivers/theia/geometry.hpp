// A scene as THEIA's registers want it: camera space, Q15.17 and the scale that the machine's
// number range allows (theia.md section 8). Host arithmetic only: no ray meets a triangle here.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/theia/fixed.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::host {

/// Triangles whose corners are in one frame of coordinates, each with the element it is a piece of.
struct TheiaPiece {
  std::array<scene::Vec3, 3> v;
  std::uint32_t element = 0;
  /// Barycentric coordinates (u, v) of the corners in the element: it may be a part of it, clipped
  /// or split.
  std::array<std::array<double, 2>, 3> uv{{{0, 0}, {1, 0}, {0, 1}}};
  /// The machine gets the second and third corner so many times as far from the first: a power of
  /// two up to kTheiaMostEnlarged; it says u and v in that triangle. 1: as they are.
  double enlarged = 1;

  /// Coordinates in the element of a point with the coordinates (b, c) in the piece.
  [[nodiscard]] std::array<double, 2> inElement(double b, double c) const {
    const auto mix = [&](std::size_t i) {
      return uv[0][i] * (1 - b - c) + uv[1][i] * b + uv[2][i] * c;
    };
    return {mix(0), mix(1)};
  }
};

/// The machine counts triangles in 15 bits of fixed point (theia.md section 8).
inline constexpr std::size_t kTheiaMaxTriangles = 16383;

inline constexpr double kTheiaMostEnlarged = 64;

/// Whether the microcode knows triangles that are a part of the one in its registers
/// (improved.tasm): small ones then keep their bits beside large ones.
enum class TheiaCorners : std::uint8_t { AsTheyAre, Enlarged };

/// A frame of coordinates in which the machine sees the scene.
struct TheiaView {
  std::vector<TheiaPiece> pieces;  ///< machine units, in element order
  double scale = 1;                ///< machine units in a scene unit
  /// The scale leaves some triangle so few bits that hits may be wrong: |E1 x E2| below 2^-8.
  bool precisionAtRisk = false;
  scene::Bounds bounds;  ///< of the pieces
};

/// The window of a picture: the ray of picture position (px, py) has the direction
/// (px * stepX + x0, y0 - py * stepY, -distance) in machine units, steps being whole units in the
/// last place.
struct TheiaCamera {
  scene::Vec3 eye, right, up, forward;
  double distance = 8;
  double stepX = 0, stepY = 0;
  double centerX = 0, centerY = 0;  ///< picture position of the axis
  /// Camera space is stretched by so little along `up` that stepY is exact as well.
  double stretchY = 1;
};

[[nodiscard]] TheiaCamera theiaCamera(const scene::Scene& scene);

/// Triangles in the camera's space, those wholly behind the eye dropped, those across its plane
/// clipped. The scene must be of triangles only (std::invalid_argument).
[[nodiscard]] TheiaView theiaEyeView(const scene::Scene& scene, const TheiaCamera& camera,
                                     TheiaCorners corners = TheiaCorners::AsTheyAre);

/// Triangles about the middle of `box`, enlarged, scaled for rays that start anywhere in it. The
/// scene must lie in the box.
[[nodiscard]] TheiaView theiaRayView(const scene::Scene& scene, const scene::Bounds& box);

/// Nearest Q15.17 number; beyond the range the largest one.
[[nodiscard]] theia::Word toFixed(double value);
[[nodiscard]] double fromFixed(theia::Word word);

}  // namespace rtvp::host
