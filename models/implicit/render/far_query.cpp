// See far_query.hpp.
#include "models/implicit/render/far_query.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "models/implicit/evaluate.hpp"

namespace rtvp::implicit::render {
namespace {

constexpr double kDistance = 65536;  ///< of the queries, and of the region that is checked
constexpr double kInflate = 1.00001;
constexpr unsigned kProofCells = 2048;  ///< interval runs of one proof
constexpr unsigned kBisections = 6;

struct FarValues {
  std::array<double, 3> low{}, high{};  ///< the bounds before any inflation
};

FarValues query(const Tape& tape) {
  FarValues out;
  for (unsigned n = 0; n < 3; ++n) {
    std::array<double, 3> p{};
    p[n] = kDistance;
    out.high[n] = kDistance - evaluate64(tape, p);
    p[n] = -kDistance;
    out.low[n] = evaluate64(tape, p) - kDistance;
  }
  return out;
}

float roundedDown(double a) {
  const auto f = static_cast<float>(a);
  return f > a ? std::nextafter(f, -std::numeric_limits<float>::infinity()) : f;
}
float roundedUp(double a) {
  return -roundedDown(-a);
}

/// Whether f > 0 (or no value) all over the box, by intervals over parts of it.
bool provenOutside(const Tape& tape, const Bounds& whole) {
  const Mask mask(tape.size());
  std::vector<Bounds> left{whole};
  for (unsigned run = 0; run < kProofCells && !left.empty(); ++run) {
    const Bounds box = left.back();
    left.pop_back();
    const Interval value = evaluate(tape, mask, box);
    if (value.lo > 0) continue;
    if (value.hi <= 0) return false;
    unsigned widest = 0;
    for (unsigned n = 1; n < 3; ++n)
      if (box.max[n] - box.min[n] > box.max[widest] - box.min[widest]) widest = n;
    const float middle = box.min[widest] + (box.max[widest] - box.min[widest]) / 2;
    if (!(box.min[widest] < middle && middle < box.max[widest])) return false;
    Bounds low = box, high = box;
    low.max[widest] = middle;
    high.min[widest] = middle;
    left.push_back(low);
    left.push_back(high);
  }
  return left.empty();
}

/// One of the six sides of a box: what lies beyond the plane, within kDistance.
struct Face {
  unsigned axis;
  bool high;

  [[nodiscard]] bool proven(const Tape& tape, float plane) const {
    constexpr auto kReach = static_cast<float>(kDistance);
    Bounds slab{{-kReach, -kReach, -kReach}, {kReach, kReach, kReach}};
    (high ? slab.min : slab.max)[axis] = plane;
    return provenOutside(tape, slab);
  }

  /// The plane nearest to `plane`, outward, for which there is a proof; NaN if there is none.
  [[nodiscard]] float grown(const Tape& tape, float plane, double size) const {
    const auto moved = [&](double by) {
      return high ? roundedUp(plane + by) : roundedDown(plane - by);
    };
    double bad = 0, good = size * 1e-4;
    while (!proven(tape, moved(good))) {
      bad = good;
      good *= 4;
      if (std::abs(moved(good)) >= kDistance) return std::numeric_limits<float>::quiet_NaN();
    }
    for (unsigned n = 0; n < kBisections; ++n) {
      const double middle = (bad + good) / 2;
      (proven(tape, moved(middle)) ? good : bad) = middle;
    }
    return moved(good);
  }
};

}  // namespace

FarBounds seedFarQuery(const Tape& tape) {
  const FarValues values = query(tape);
  FarBounds out;
  for (unsigned n = 0; n < 3; ++n) {
    out.max[n] = values.high[n] * kInflate;
    out.min[n] = values.low[n] * kInflate;
  }
  return out;
}

FarQuery farQuery(const Tape& tape) {
  const FarValues values = query(tape);
  double radius_squared = 0, size = 0;
  for (unsigned n = 0; n < 3; ++n) {
    const double low = values.low[n], high = values.high[n];
    if (!std::isfinite(low) || !std::isfinite(high))
      return {std::nullopt, "far query: a bound that is not finite; f is no distance far away",
              false};
    if (!(low < high))
      return {std::nullopt, "far query: bounds reversed; f is no distance far away", false};
    const double reach = std::max(std::abs(low), std::abs(high));
    radius_squared += reach * reach;
    size = std::max(size, high - low);
  }
  if (radius_squared >= kDistance * kDistance)
    return {std::nullopt, "far query: the object reaches beyond the distance of the query", false};
  FarQuery out;
  Bounds box;
  for (unsigned n = 0; n < 3; ++n) {
    const auto slack = [&](double c) {
      return std::abs(c) * 1e-5 + radius_squared / (2 * kDistance) + 1e-5;
    };
    box.min[n] = roundedDown(values.low[n] - slack(values.low[n]));
    box.max[n] = roundedUp(values.high[n] + slack(values.high[n]));
  }
  for (unsigned n = 0; n < 3; ++n) {
    for (const bool high : {false, true}) {
      const Face face{n, high};
      float& plane = (high ? box.max : box.min)[n];
      if (face.proven(tape, plane)) continue;
      plane = face.grown(tape, plane, size);
      out.grown = true;
      if (std::isnan(plane))
        return {std::nullopt, "far query: no box outside which f > 0 can be proven", true};
    }
  }
  out.bounds = box;
  return out;
}

}  // namespace rtvp::implicit::render
