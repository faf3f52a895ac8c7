// Ear clipping, see triangulate.hpp.
#include "platform/scene/triangulate.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace rtvp::scene {

namespace {

using Pieces = std::vector<std::array<std::uint32_t, 3>>;

struct Point {
  double x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};

// Corners whose turn is below this share of the polygon's squared extent are straight: scene files
// carry six or nine digits, so real corners are far larger.
constexpr double kStraight = 1e-13;

double turn(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Drops the axis in which the normal is largest; the polygon runs counter-clockwise in what is
// left.
std::vector<Point> project(std::span<const Vec3> corners, const Vec3& normal) {
  int axis = 0;
  for (int k = 1; k < 3; ++k) {
    if (std::abs(normal[k]) > std::abs(normal[axis])) axis = k;
  }
  int first = (axis + 1) % 3;
  int second = (axis + 2) % 3;
  if (normal[axis] < 0) std::swap(first, second);
  std::vector<Point> points;
  points.reserve(corners.size());
  for (const Vec3& c : corners) {
    const Vec3 local = c - corners[0];
    points.push_back({local[first], local[second]});
  }
  return points;
}

Pieces fan(std::uint32_t n) {
  Pieces pieces;
  for (std::uint32_t k = 1; k + 1 < n; ++k) pieces.push_back({0, k, k + 1});
  return pieces;
}

class Clipper {
 public:
  explicit Clipper(const std::vector<Point>& points)
      : points_(points), n_(static_cast<std::uint32_t>(points.size())), corners_(n_) {
    double extent = 0;
    for (const Point& p : points_) extent = std::max({extent, std::abs(p.x), std::abs(p.y)});
    straight_ = kStraight * extent * extent;
    for (std::uint32_t k = 0; k < n_; ++k) {
      corners_[k].before = (k + n_ - 1) % n_;
      corners_[k].after = (k + 1) % n_;
    }
    for (std::uint32_t k = 0; k < n_; ++k) measure(k);
  }

  // Every corner turns left or not at all, and the outline runs left to right to left only once.
  [[nodiscard]] bool convex() const {
    int flips = 0;
    double last = 0;
    double firstStep = 0;
    for (std::uint32_t k = 0; k < n_; ++k) {
      if (corners_[k].turn < -straight_) return false;
      const double step = points_[corners_[k].after].x - points_[k].x;
      if (step == 0) continue;
      if (last != 0 && (step > 0) != (last > 0)) ++flips;
      if (firstStep == 0) firstStep = step;
      last = step;
    }
    if (last != 0 && (firstStep > 0) != (last > 0)) ++flips;
    return flips <= 2;
  }

  Pieces clip() {
    std::uint32_t left = n_;
    std::uint32_t at = 0;
    std::uint32_t misses = 0;
    int refreshes = kMaxRefreshes;
    while (left > 3) {
      if (clippable(at)) {
        at = remove(at, left);
        misses = 0;
        continue;
      }
      at = corners_[at].after;
      if (++misses < left) continue;
      // Rounding or a crossing outline: look at every corner afresh, then give in and cut the
      // sharpest one.
      misses = 0;
      if (refreshes-- > 0 && refresh(at, left)) continue;
      at = remove(sharpest(at, left), left);
    }
    pieces_.push_back(ordered(corners_[at].before, at, corners_[at].after));
    return std::move(pieces_);
  }

 private:
  static constexpr int kMaxRefreshes = 8;
  enum class Ear : std::uint8_t { Unknown, No, Yes };
  struct Corner {
    std::uint32_t before = 0;
    std::uint32_t after = 0;
    double turn = 0;
    Ear ear = Ear::Unknown;
  };

  void measure(std::uint32_t k) {
    Corner& c = corners_[k];
    c.turn = turn(points_[c.before], points_[k], points_[c.after]);
    c.ear = Ear::Unknown;
  }

  [[nodiscard]] bool flat(std::uint32_t k) const { return std::abs(corners_[k].turn) <= straight_; }

  bool clippable(std::uint32_t k) {
    Corner& c = corners_[k];
    if (flat(k)) return true;
    if (c.ear == Ear::Unknown) c.ear = c.turn > 0 && emptyEar(k) ? Ear::Yes : Ear::No;
    return c.ear == Ear::Yes;
  }

  // Only a corner that does not turn left can lie in an ear first.
  [[nodiscard]] bool emptyEar(std::uint32_t k) const {
    const Point& a = points_[corners_[k].before];
    const Point& b = points_[k];
    const Point& c = points_[corners_[k].after];
    for (std::uint32_t q = corners_[corners_[k].after].after; q != corners_[k].before;
         q = corners_[q].after) {
      if (corners_[q].turn > straight_) continue;
      const Point& p = points_[q];
      if (p == a || p == b || p == c) continue;
      if (turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0) return false;
    }
    return true;
  }

  // Cuts corner k; returns the corner after its neighbour, which keeps the pieces from becoming a
  // fan of slivers.
  std::uint32_t remove(std::uint32_t k, std::uint32_t& left) {
    const Corner& c = corners_[k];
    if (!flat(k)) pieces_.push_back(ordered(c.before, k, c.after));
    corners_[c.before].after = c.after;
    corners_[c.after].before = c.before;
    --left;
    measure(c.before);
    measure(c.after);
    return corners_[c.after].after;
  }

  bool refresh(std::uint32_t at, std::uint32_t left) {
    bool any = false;
    for (std::uint32_t k = 0; k < left; ++k, at = corners_[at].after) {
      corners_[at].ear = Ear::Unknown;
      any = clippable(at) || any;
    }
    return any;
  }

  [[nodiscard]] std::uint32_t sharpest(std::uint32_t at, std::uint32_t left) const {
    std::uint32_t best = at;
    for (std::uint32_t k = 0; k < left; ++k, at = corners_[at].after) {
      if (corners_[at].turn > corners_[best].turn) best = at;
    }
    return best;
  }

  // The smallest corner number first: which corner starts a piece does not depend on the order of
  // cutting.
  static std::array<std::uint32_t, 3> ordered(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    if (a < b && a < c) return {a, b, c};
    if (b < c) return {b, c, a};
    return {c, a, b};
  }

  const std::vector<Point>& points_;
  std::uint32_t n_;
  std::vector<Corner> corners_;
  double straight_ = 0;
  Pieces pieces_;
};

}  // namespace

Vec3 newellNormal(std::span<const Vec3> corners) {
  Vec3 sum;
  for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
    sum += cross(corners[k] - corners[0], corners[k + 1] - corners[0]);
  }
  return sum;
}

Pieces triangulate(std::span<const Vec3> corners) {
  if (corners.size() < 3) return {};
  const auto n = static_cast<std::uint32_t>(corners.size());
  const Vec3 normal = newellNormal(corners);
  if (n == 3 || normal == Vec3{}) return fan(n);
  const std::vector<Point> points = project(corners, normal);
  Clipper clipper(points);
  return clipper.convex() ? fan(n) : clipper.clip();
}

}  // namespace rtvp::scene
