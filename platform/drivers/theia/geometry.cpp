#include "platform/drivers/theia/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>

namespace rtvp::host {
namespace {

using scene::Bounds;
using scene::Vec3;

constexpr double kUnit = 1U << theia::kFractionBits;  // units in the last place of 1.0
constexpr double kMultiplierRange = 10900;            // operands of exact products (theia.md 2.4)
constexpr double kFarthest = 200;                     // LAST_t starts at 250
constexpr double kLongestRay = 245;
constexpr double kLeastNormal = 1.0 / 256;  // |E1 x E2| below which DELTA may round to 0
constexpr double kSquaredWindow = 112;      // MAG is right below 128 (theia.md 2.6)
constexpr double kNearPlane = 1e-6;         // of the farthest coordinate
/// Nine triangles of ten should have |E1 x E2| at least so large: DELTA is off by a few units in
/// the last place, 2^-17, and t, a quotient by it, then by about 5e-4 of itself.
constexpr double kGoodNormal = 1.0 / 16;
/// With |E1 x E2| so large t is right to about 1e-5 even where the ray is nearly in the plane.
constexpr double kFineNormal = 16;
constexpr double kFarCorner = 8000;           ///< of the number format's 16384
constexpr std::size_t kPiecesForOneMore = 8;  ///< that splitting may add

double largest(const Vec3& v) {
  return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
}

// What limits the scale: the greatest numbers that BIU can meet, at scale 1.
struct Reach {
  double volume = 0;     // |T . (E1 x E2)|, grows with the cube
  double area = 0;       // lanes of T x E1 and E1 x E2, with the square
  double least = 1e300;  // smallest |E1 x E2|
};

void reachOf(Reach& reach, const TheiaPiece& piece, const Bounds& origins) {
  const Vec3 e1 = piece.v[1] - piece.v[0];
  const Vec3 e2 = piece.v[2] - piece.v[0];
  const Vec3 n = cross(e1, e2);
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 origin{(corner & 1) != 0 ? origins.hi.x : origins.lo.x,
                      (corner & 2) != 0 ? origins.hi.y : origins.lo.y,
                      (corner & 4) != 0 ? origins.hi.z : origins.lo.z};
    const Vec3 t = origin - piece.v[0];
    // Both are linear in the origin: the corners of the box hold the extremes.
    reach.volume = std::max(reach.volume, std::abs(dot(t, n)));
    reach.area = std::max(reach.area, largest(cross(t, e1)));
  }
  reach.area = std::max(reach.area, largest(n));
  if (const double size = length(n); size > 0) reach.least = std::min(reach.least, size);
}

/// The scale at which no product of BIU leaves its range.
double scaleOf(const Reach& reach) {
  double scale = std::numeric_limits<double>::infinity();
  if (reach.volume > 0) scale = std::min(scale, std::cbrt(kMultiplierRange / reach.volume));
  if (reach.area > 0) scale = std::min(scale, std::sqrt(kMultiplierRange / reach.area));
  return scale;
}

double scaleOf(const TheiaPiece& piece, const Bounds& origins) {
  Reach reach;
  reachOf(reach, piece, origins);
  return scaleOf(reach);
}

/// Two pieces on either side of the middle of the longest edge; the first one takes its place.
TheiaPiece halve(TheiaPiece& piece) {
  std::size_t from = 0;
  for (std::size_t i = 1; i < 3; ++i) {
    const auto edge = [&](std::size_t k) { return length(piece.v[(k + 1) % 3] - piece.v[k]); };
    if (edge(i) > edge(from)) from = i;
  }
  const std::size_t to = (from + 1) % 3;
  TheiaPiece other = piece;
  const Vec3 middle = (piece.v[from] + piece.v[to]) * 0.5;
  piece.v[to] = other.v[from] = middle;
  for (std::size_t k = 0; k < 2; ++k) {
    piece.uv[to][k] = other.uv[from][k] = (piece.uv[from][k] + piece.uv[to][k]) * 0.5;
  }
  return other;
}

/// One scale holds for all triangles and the largest ones set it. Where it leaves the small ones
/// few bits, a floor under a mesh for instance, the largest are split.
void splitLargest(std::vector<TheiaPiece>& pieces, const Bounds& origins, double distanceLimit) {
  std::vector<double> normals;
  for (const TheiaPiece& p : pieces) {
    const double size = length(cross(p.v[1] - p.v[0], p.v[2] - p.v[0]));
    if (size > 0) normals.push_back(size);
  }
  if (normals.empty() || pieces.size() >= kTheiaMaxTriangles) return;
  const auto tenth = normals.begin() + static_cast<std::ptrdiff_t>(normals.size() / 10);
  std::nth_element(normals.begin(), tenth, normals.end());
  const double wanted = std::min(distanceLimit, std::sqrt(kGoodNormal / *tenth));
  std::size_t left =
      std::min(pieces.size() / kPiecesForOneMore, kTheiaMaxTriangles - pieces.size());
  // The one that allows least is first; of equal ones the earlier.
  using Entry = std::pair<double, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> tight;
  const auto add = [&](std::size_t index) {
    const double scale = scaleOf(pieces[index], origins);
    if (scale < wanted) tight.emplace(scale, index);
  };
  for (std::size_t i = 0; i < pieces.size(); ++i) add(i);
  for (; !tight.empty() && left > 0; --left) {
    const std::size_t index = tight.top().second;
    tight.pop();
    pieces.push_back(halve(pieces[index]));
    add(index);
    add(pieces.size() - 1);
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const TheiaPiece& a, const TheiaPiece& b) { return a.element < b.element; });
}

/// How many times larger a piece in machine units may be drawn, and is if that serves it.
double enlargementOf(const TheiaPiece& piece, const Bounds& origins) {
  Reach reach;
  reachOf(reach, piece, origins);
  // Of the other edge, too: u is compared before v, and its product must be in range.
  TheiaPiece turned = piece;
  std::swap(turned.v[1], turned.v[2]);
  reachOf(reach, turned, origins);
  const double edge = std::max(largest(piece.v[1] - piece.v[0]), largest(piece.v[2] - piece.v[0]));
  double k = 1;
  while (2 * k <= kTheiaMostEnlarged && k * k * reach.least < kFineNormal &&
         4 * k * k * reach.volume <= kMultiplierRange &&
         4 * k * k * reach.area <= kMultiplierRange &&
         2 * k * edge + largest(piece.v[0]) <= kFarCorner) {
    k *= 2;
  }
  return k;
}

void finish(TheiaView& view, const Bounds& origins, double distanceLimit, TheiaCorners corners) {
  splitLargest(view.pieces, origins, distanceLimit);
  Reach reach;
  for (const TheiaPiece& piece : view.pieces) reachOf(reach, piece, origins);
  const double scale = std::min(distanceLimit, scaleOf(reach));
  view.scale = scale;
  for (TheiaPiece& piece : view.pieces) {
    for (Vec3& p : piece.v) {
      p = p * scale;
      view.bounds.include(p);
    }
  }
  const Bounds starts{origins.lo * scale, origins.hi * scale};
  for (TheiaPiece& piece : view.pieces) {
    if (corners == TheiaCorners::Enlarged) piece.enlarged = enlargementOf(piece, starts);
    const double k = piece.enlarged;
    const double normal = length(cross(piece.v[1] - piece.v[0], piece.v[2] - piece.v[0]));
    view.precisionAtRisk |= normal > 0 && k * k * normal < kLeastNormal;
  }
}

const scene::Triangle& triangleOf(const scene::Scene& scene, const scene::Element& element) {
  if (element.kind != scene::Element::Kind::Triangle) {
    throw std::invalid_argument("THEIA knows triangles only: load the scene tessellated");
  }
  return scene.triangles[element.index];
}

// The part of a triangle with z <= plane: none, one or two triangles.
void clip(const TheiaPiece& piece, double plane, std::vector<TheiaPiece>& out) {
  std::array<Vec3, 4> corner;
  std::array<std::array<double, 2>, 4> uv{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t next = (i + 1) % 3;
    const Vec3& a = piece.v[i];
    const Vec3& b = piece.v[next];
    if (a.z <= plane) {
      uv[count] = piece.uv[i];
      corner[count++] = a;
    }
    if ((a.z <= plane) != (b.z <= plane)) {
      const double share = (plane - a.z) / (b.z - a.z);
      for (std::size_t k = 0; k < 2; ++k) {
        uv[count][k] = piece.uv[i][k] + (piece.uv[next][k] - piece.uv[i][k]) * share;
      }
      corner[count++] = a + (b - a) * share;
    }
  }
  for (std::size_t i = 2; i < count; ++i) {
    out.push_back(
        {{corner[0], corner[i - 1], corner[i]}, piece.element, {uv[0], uv[i - 1], uv[i]}});
  }
}

// A step of whole units in the last place, at least one.
double wholeUnits(double step) {
  return std::max(1.0, std::round(step * kUnit)) / kUnit;
}

}  // namespace

theia::Word toFixed(double value) {
  const double units = std::clamp(std::round(value * kUnit), -2147483648.0, 2147483647.0);
  return static_cast<theia::Word>(static_cast<std::int32_t>(units));
}

double fromFixed(theia::Word word) {
  return static_cast<double>(static_cast<std::int32_t>(word)) / kUnit;
}

TheiaCamera theiaCamera(const scene::Scene& scene) {
  TheiaCamera camera;
  const int w = scene.width;
  const int h = scene.height;
  camera.centerX = w / 2.0;
  camera.centerY = h / 2.0;
  camera.eye = scene.camera.eye;
  // The camera's own projection says where the axes lie and how far a pixel's step goes.
  camera.forward = scene.camera.direction(camera.centerX, camera.centerY, w, h);
  const auto offset = [&](double px, double py) {
    const Vec3 d = scene.camera.direction(px, py, w, h);
    return d * (1 / dot(d, camera.forward)) - camera.forward;
  };
  const Vec3 halfX = offset(w, camera.centerY);
  const Vec3 halfY = offset(camera.centerX, 0);
  camera.right = unit(halfX);
  camera.up = unit(halfY);
  const double extent = 1 + dot(halfX, halfX) + dot(halfY, halfY);
  const double wanted = std::min(8.0, std::sqrt(kSquaredWindow / extent));
  const double perPixel = length(halfX) / camera.centerX;
  camera.stepX = wholeUnits(wanted * perPixel);
  camera.distance = camera.stepX / perPixel;
  if (camera.distance > 1.02 * wanted) {
    throw std::invalid_argument(
        "the camera's angle is too small for THEIA's window: a pixel is finer than its number "
        "format");
  }
  const double stepY = camera.distance * length(halfY) / camera.centerY;
  camera.stepY = wholeUnits(stepY);
  camera.stretchY = camera.stepY / stepY;
  // The distance itself is rounded to the number format, which is far finer than a pixel.
  camera.distance = fromFixed(toFixed(camera.distance));
  return camera;
}

TheiaView theiaEyeView(const scene::Scene& scene, const TheiaCamera& camera, TheiaCorners corners) {
  std::vector<TheiaPiece> all;
  double farthest = 0;
  for (std::uint32_t e = 0; e < scene.elements.size(); ++e) {
    TheiaPiece piece;
    piece.v = triangleOf(scene, scene.elements[e]).v;
    piece.element = e;
    for (Vec3& p : piece.v) {
      const Vec3 c = p - camera.eye;
      p = {dot(c, camera.right), dot(c, camera.up) * camera.stretchY, -dot(c, camera.forward)};
      farthest = std::max(farthest, largest(p));
    }
    all.push_back(piece);
  }
  TheiaView view;
  double reach = 0;
  for (const TheiaPiece& piece : all) clip(piece, -kNearPlane * farthest, view.pieces);
  for (const TheiaPiece& piece : view.pieces) {
    for (const Vec3& p : piece.v) reach = std::max(reach, largest(p));
  }
  Bounds eye;
  eye.include(Vec3{});
  finish(view, eye, reach > 0 ? kFarthest / reach : 1, corners);
  return view;
}

TheiaView theiaRayView(const scene::Scene& scene, const scene::Bounds& box) {
  const Vec3 middle = (box.lo + box.hi) * 0.5;
  TheiaView view;
  for (std::uint32_t e = 0; e < scene.elements.size(); ++e) {
    TheiaPiece piece;
    piece.v = triangleOf(scene, scene.elements[e]).v;
    piece.element = e;
    for (Vec3& p : piece.v) p = p - middle;
    view.pieces.push_back(piece);
  }
  Bounds origins;
  origins.include(box.lo - middle);
  origins.include(box.hi - middle);
  const double diagonal = box.diagonal();
  finish(view, origins, diagonal > 0 ? kLongestRay / diagonal : 1, TheiaCorners::Enlarged);
  return view;
}

}  // namespace rtvp::host
