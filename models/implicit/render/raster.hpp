// Rasteriser of cuboid faces (sdf.md 9.2), homogeneous (Olano and Greer 1997): an edge function is
// the triple product of two corners and the ray of a pixel, all in object space. It needs no
// division and no clipping, a corner behind the eye is like any other, and two faces that share two
// corners have exactly opposite values along their edge, so no pixel is lost or taken twice.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/implicit/render/view.hpp"

namespace rtvp::implicit::render {

/// Bits of faces: 2 * axis + (1 if high).
using FaceSet = std::uint8_t;

/// Vertices of a face, as p q r s: triangles p q r and q r s. Vertex bit 2 = x high, bit 1 = y
/// high, bit 0 = z high.
inline constexpr std::array<std::array<std::uint8_t, 4>, 6> kFaceVertices{{
    {0, 1, 2, 3},  // x low
    {4, 5, 6, 7},  // x high
    {0, 1, 4, 5},  // y low
    {2, 3, 6, 7},  // y high
    {0, 2, 4, 6},  // z low
    {1, 3, 5, 7},  // z high
}};

/// The seed's choice: per axis the high face if the eye lies beyond the centre, else the low one.
FaceSet seedFaces(const Bounds& box, const Vec& eye);
/// Faces that show their outside to the eye.
FaceSet frontFaces(const Bounds& box, const Vec& eye);
/// Those that show their inside: each ray through the box leaves by one of them.
FaceSet backFaces(const Bounds& box, const Vec& eye);
/// Whether part of the box lies on or before the near plane, but not all of it.
bool cutByNearPlane(const Bounds& box, const View& view);

/// Pixels of a row of the rectangle, from `left` to before `right`.
struct PixelRun {
  std::uint32_t row = 0, left = 0, right = 0;
  bool operator==(const PixelRun&) const = default;
};

class Rasteriser {
 public:
  Rasteriser(const View& view, const Rectangle& area) : view_(view), area_(area) {}

  /// Appends the pixels that the faces cover, face by face, triangle by triangle, rows from the
  /// top. A pixel belongs to a triangle if its ray runs through the inside, or along a left or top
  /// edge.
  ///
  /// Invariants of cover(): along a row an edge changes sides once, so each row of a triangle is
  /// one run, and where it ends lies near where the row before ended. coverPixels() is the plain
  /// twin.
  void cover(const Bounds& box, FaceSet faces, std::vector<PixelRun>& runs) const;
  /// The same pixel by pixel, each with a test of its own, as x + width * y of the rectangle.
  void coverPixels(const Bounds& box, FaceSet faces, std::vector<std::uint32_t>& pixels) const;

 private:
  struct Edge {
    double x, y, one;
    int border = 0;  ///< the pixel of a row at which it changes sides
    [[nodiscard]] bool includes() const { return x > 0 || (x == 0 && y > 0); }
  };
  /// Pixels whose rays can meet the triangle; empty if right <= left.
  struct Extent {
    int left, top, right, bottom;
  };

  /// Three edges, what lies within on their inner sides, and where to look; false: nothing.
  struct Triangle {
    std::array<Edge, 3> edges;
    Extent extent;
  };
  bool triangleOf(const Vec& p, const Vec& q, const Vec& r, Triangle& out) const;
  template <class Draw>
  void triangles(const Bounds& box, FaceSet faces, Draw&& draw) const;
  void runsOf(Triangle& triangle, std::vector<PixelRun>& runs) const;
  void cut(Edge& edge, double start, const Extent& extent, int& from, int& to) const;
  [[nodiscard]] Edge edgeOf(const Vec& from, const Vec& to, double sign) const;
  [[nodiscard]] Extent extentOf(const std::array<const Vec*, 3>& corners) const;

  const View& view_;
  Rectangle area_;
};

}  // namespace rtvp::implicit::render
