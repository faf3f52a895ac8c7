// See raster.hpp.
#include "models/implicit/render/raster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rtvp::implicit::render {
namespace {

Vec vertexOf(const Bounds& box, unsigned vertex, const Vec& eye) {
  return {double{(vertex & 4U) != 0 ? box.max[0] : box.min[0]} - eye[0],
          double{(vertex & 2U) != 0 ? box.max[1] : box.min[1]} - eye[1],
          double{(vertex & 1U) != 0 ? box.max[2] : box.min[2]} - eye[2]};
}

FaceSet bitOf(unsigned axis, bool high) {
  return static_cast<FaceSet>(1U << (2 * axis + (high ? 1U : 0U)));
}

}  // namespace

FaceSet seedFaces(const Bounds& box, const Vec& eye) {
  FaceSet faces = 0;
  for (unsigned n = 0; n < 3; ++n) {
    const double centre = (double{box.min[n]} + double{box.max[n]}) / 2;
    faces = static_cast<FaceSet>(faces | bitOf(n, eye[n] > centre));
  }
  return faces;
}

FaceSet frontFaces(const Bounds& box, const Vec& eye) {
  FaceSet faces = 0;
  for (unsigned n = 0; n < 3; ++n) {
    if (eye[n] > box.max[n]) faces = static_cast<FaceSet>(faces | bitOf(n, true));
    if (eye[n] < box.min[n]) faces = static_cast<FaceSet>(faces | bitOf(n, false));
  }
  return faces;
}

FaceSet backFaces(const Bounds& box, const Vec& eye) {
  return static_cast<FaceSet>(~frontFaces(box, eye) & 0x3FU);
}

bool cutByNearPlane(const Bounds& box, const View& view) {
  bool before = false, behind = false;
  for (unsigned v = 0; v < 8; ++v) {
    const bool near = view.onScreen(vertexOf(box, v, view.eye()))[2] <= view.nearDepth();
    (near ? before : behind) = true;
  }
  return before && behind;
}

template <class Draw>
void Rasteriser::triangles(const Bounds& box, FaceSet faces, Draw&& draw) const {
  std::array<Vec, 8> corner;
  for (unsigned v = 0; v < 8; ++v) corner[v] = vertexOf(box, v, view_.eye());
  Triangle triangle;
  for (unsigned face = 0; face < 6; ++face) {
    if ((unsigned{faces} >> face & 1U) == 0) continue;
    const auto& v = kFaceVertices[face];
    for (unsigned first = 0; first < 2; ++first)
      if (triangleOf(corner[v[first]], corner[v[first + 1]], corner[v[first + 2]], triangle))
        draw(triangle);
  }
}

void Rasteriser::cover(const Bounds& box, FaceSet faces, std::vector<PixelRun>& runs) const {
  triangles(box, faces, [&](Triangle& triangle) { runsOf(triangle, runs); });
}

void Rasteriser::coverPixels(const Bounds& box, FaceSet faces,
                             std::vector<std::uint32_t>& pixels) const {
  triangles(box, faces, [&](const Triangle& triangle) {
    const Extent& extent = triangle.extent;
    for (int y = extent.top; y < extent.bottom; ++y) {
      for (int x = extent.left; x < extent.right; ++x) {
        bool inside = true;
        for (const Edge& edge : triangle.edges) {
          const double start = edge.y * (area_.top + static_cast<double>(y)) + edge.one;
          const double at = edge.x * (area_.left + static_cast<double>(x)) + start;
          inside = inside && (at > 0 || (at == 0 && edge.includes()));
        }
        if (inside)
          pixels.push_back(static_cast<std::uint32_t>(x) +
                           area_.width * static_cast<std::uint32_t>(y));
      }
    }
  });
}

Rasteriser::Edge Rasteriser::edgeOf(const Vec& from, const Vec& to, double sign) const {
  const Vec normal = cross(from, to);
  return {sign * dot(normal, view_.column()), sign * dot(normal, view_.row()),
          sign * dot(normal, view_.corner())};
}

Rasteriser::Extent Rasteriser::extentOf(const std::array<const Vec*, 3>& corners) const {
  // The part of the triangle behind the near plane, on the screen.
  double left = std::numeric_limits<double>::infinity(), top = left, right = -left, bottom = -left;
  const double near = view_.nearDepth();
  const auto include = [&](const Vec& s) {
    left = std::min(left, s[0] / s[2]);
    right = std::max(right, s[0] / s[2]);
    top = std::min(top, s[1] / s[2]);
    bottom = std::max(bottom, s[1] / s[2]);
  };
  std::array<Vec, 3> screen;
  for (unsigned n = 0; n < 3; ++n) screen[n] = view_.onScreen(*corners[n]);
  for (unsigned n = 0; n < 3; ++n) {
    const Vec &a = screen[n], &b = screen[(n + 1) % 3];
    if (a[2] > 0 && a[2] >= near) include(a);
    if ((a[2] < near) == (b[2] < near) || near <= 0) continue;
    include(add(a, scaled(sub(b, a), (near - a[2]) / (b[2] - a[2]))));
  }
  const auto low = [](double at, unsigned from, unsigned size) {
    return static_cast<int>(std::clamp(std::floor(at) - 1 - from, 0.0, double(size)));
  };
  const auto high = [](double at, unsigned from, unsigned size) {
    return static_cast<int>(std::clamp(std::ceil(at) + 2 - from, 0.0, double(size)));
  };
  if (!(left <= right && top <= bottom)) return {0, 0, 0, 0};
  return {low(left, area_.left, area_.width), low(top, area_.top, area_.height),
          high(right, area_.left, area_.width), high(bottom, area_.top, area_.height)};
}

bool Rasteriser::triangleOf(const Vec& p, const Vec& q, const Vec& r, Triangle& out) const {
  const double volume = dot(cross(p, q), r);
  if (volume == 0) return false;  // seen edge on
  out.extent = extentOf({&p, &q, &r});
  if (out.extent.left >= out.extent.right || out.extent.top >= out.extent.bottom) return false;
  const double sign = volume > 0 ? 1 : -1;
  out.edges = {edgeOf(p, q, sign), edgeOf(q, r, sign), edgeOf(r, p, sign)};
  return true;
}

void Rasteriser::runsOf(Triangle& triangle, std::vector<PixelRun>& runs) const {
  const Extent& extent = triangle.extent;
  for (Edge& edge : triangle.edges) edge.border = extent.left;
  for (int y = extent.top; y < extent.bottom; ++y) {
    const double row = area_.top + static_cast<double>(y);
    int from = extent.left, to = extent.right;
    for (Edge& edge : triangle.edges) cut(edge, edge.y * row + edge.one, extent, from, to);
    if (from < to)
      runs.push_back({static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(from),
                      static_cast<std::uint32_t>(to)});
  }
}

/// Leaves of the row's pixels `from` to before `to` those on the edge's inner side. Rounded
/// products and sums rise with their operands as exact ones do, so these are all pixels before or
/// from the edge's border on, which lies near that of the row before.
void Rasteriser::cut(Edge& edge, double start, const Extent& extent, int& from, int& to) const {
  const double least = edge.includes() ? 0 : std::numeric_limits<double>::denorm_min();
  const auto inside = [&](int x) {
    return edge.x * (area_.left + static_cast<double>(x)) + start >= least;
  };
  int at = edge.border;
  if (edge.x > 0) {
    while (at > extent.left && inside(at - 1)) --at;
    while (at < extent.right && !inside(at)) ++at;
    from = std::max(from, at);
  } else if (edge.x < 0) {
    while (at < extent.right && inside(at)) ++at;
    while (at > extent.left && !inside(at - 1)) --at;
    to = std::min(to, at);
  } else if (!inside(extent.left)) {
    to = extent.left;  // along the row: none of it
  }
  edge.border = at;
}

}  // namespace rtvp::implicit::render
