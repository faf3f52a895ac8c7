// BVH construction.
#include "platform/reference/bvh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

#include "models/common/core/host_threads.hpp"

namespace rtvp::reference {
namespace {

using scene::Bounds;
using scene::Vec3;

constexpr int kBins = 16;
constexpr std::uint32_t kLeafSize = 4;
/// So many items are one thread's: they take less time than it takes to begin another.
constexpr std::uint32_t kAlone = 2048;
/// Below this depth splits are by count, which ends within 32 more levels whatever the scene is
/// like.
constexpr int kHeuristicDepth = 60;

double halfArea(const Bounds& b) {
  if (b.empty()) return 0;
  const Vec3 d = b.hi - b.lo;
  return d.x * d.y + d.y * d.z + d.z * d.x;
}

struct Item {
  Bounds bounds;
  Vec3 centre;
  std::uint32_t element;
};

struct Bin {
  Bounds bounds;
  std::uint32_t count = 0;
};

/// Bin of a coordinate; written so that no value, not even an infinite one, is converted out of
/// range.
int binOf(double value, double low, double scale) {
  const double position = (value - low) * scale;
  if (!(position > 0)) return 0;
  return position < kBins ? static_cast<int>(position) : kBins - 1;
}

class Builder {
 public:
  Builder(const scene::Scene& scene, Bvh& bvh, unsigned threads) : bvh_(bvh), threads_(threads) {
    items_.resize(scene.elements.size());
    common::inParts(items_.size(), kAlone, threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Bounds bounds = scene.bounds(scene.elements[i]);
        items_[i] = {bounds, bounds.lo * 0.5 + bounds.hi * 0.5, static_cast<std::uint32_t>(i)};
      }
    });
  }

  void build() {
    if (items_.empty()) return;
    bvh_.nodes.emplace_back();
    split(bvh_.nodes, 0, {0, static_cast<std::uint32_t>(items_.size()), 0, threads_});
    bvh_.order.reserve(items_.size());
    for (const Item& item : items_) bvh_.order.push_back(item.element);
  }

 private:
  using Nodes = std::vector<BvhNode>;
  /// Items that become one node and what is below it.
  struct Part {
    std::uint32_t begin;
    std::uint32_t end;
    int depth;
    unsigned threads;  ///< that may work on it
  };

  void split(Nodes& nodes, std::uint32_t node, const Part& part) {
    const auto [begin, end, depth, threads] = part;
    Bounds bounds;
    Bounds centres;
    for (std::uint32_t i = begin; i < end; ++i) {
      bounds.include(items_[i].bounds);
      centres.include(items_[i].centre);
    }
    nodes[node].bounds = bounds;
    if (end - begin <= kLeafSize) {
      nodes[node].first = begin;
      nodes[node].count = end - begin;
      return;
    }
    std::uint32_t middle = depth < kHeuristicDepth ? partition(begin, end, centres) : begin;
    if (middle == begin || middle == end) middle = halve(begin, end, centres);
    const auto left = static_cast<std::uint32_t>(nodes.size());
    nodes.resize(nodes.size() + 2);
    nodes[node].first = left;
    const Part first{begin, middle, depth + 1, threads - threads / 2};
    const Part second{middle, end, depth + 1, threads / 2};
    if (threads > 1 && end - begin > kAlone) {
      Nodes below[2];
      common::inTwo(
          2, [&] { below[0] = apart(first); }, [&] { below[1] = apart(second); });
      adopt(nodes, left, below[0]);
      adopt(nodes, left + 1, below[1]);
    } else {
      split(nodes, left, first);
      split(nodes, left + 1, second);
    }
  }

  /// The part's nodes by themselves, [0] the one that it becomes. Touches no items but its own.
  Nodes apart(const Part& part) {
    Nodes nodes(1);
    split(nodes, 0, part);
    return nodes;
  }

  /// Puts a part's first node at its place, the others behind all that there are: where they would
  /// be if one thread had made them.
  static void adopt(Nodes& nodes, std::uint32_t place, const Nodes& part) {
    const auto behind = static_cast<std::uint32_t>(nodes.size());
    const auto moved = [behind](BvhNode node) {
      if (node.count == 0) node.first += behind - 1;
      return node;
    };
    nodes[place] = moved(part.front());
    std::transform(part.begin() + 1, part.end(), std::back_inserter(nodes), moved);
  }

  /// Splits at the cheapest of kBins - 1 planes an axis; returns `begin` if the centres cannot be
  /// told apart.
  std::uint32_t partition(std::uint32_t begin, std::uint32_t end, const Bounds& centres) {
    double bestCost = 0;
    int bestAxis = -1;
    int bestBin = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const std::optional<std::pair<double, int>> plane = cheapestPlane(begin, end, centres, axis);
      if (plane && (bestAxis < 0 || plane->first < bestCost)) {
        bestCost = plane->first;
        bestBin = plane->second;
        bestAxis = axis;
      }
    }
    if (bestAxis < 0) return begin;
    const double low = centres.lo[bestAxis];
    const double scale = kBins / (centres.hi[bestAxis] - low);
    const auto first = items_.begin();
    const auto middle = std::stable_partition(first + begin, first + end, [&](const Item& item) {
      return binOf(item.centre[bestAxis], low, scale) < bestBin;
    });
    return static_cast<std::uint32_t>(middle - first);
  }

  std::optional<std::pair<double, int>> cheapestPlane(std::uint32_t begin, std::uint32_t end,
                                                      const Bounds& centres, int axis) const {
    const double low = centres.lo[axis];
    const double extent = centres.hi[axis] - low;
    const double scale = kBins / extent;
    if (!(extent > 0) || !std::isfinite(scale)) return std::nullopt;
    std::array<Bin, kBins> bins;
    for (std::uint32_t i = begin; i < end; ++i) {
      Bin& bin = bins[static_cast<std::size_t>(binOf(items_[i].centre[axis], low, scale))];
      bin.bounds.include(items_[i].bounds);
      ++bin.count;
    }
    std::array<double, kBins> right{};  // cost of everything from bin i on
    Bin sum;
    for (std::size_t i = kBins; i-- > 1;) {
      sum.bounds.include(bins[i].bounds);
      sum.count += bins[i].count;
      right[i] = halfArea(sum.bounds) * sum.count;
    }
    std::optional<std::pair<double, int>> best;
    sum = {};
    for (std::size_t i = 1; i < kBins; ++i) {
      sum.bounds.include(bins[i - 1].bounds);
      sum.count += bins[i - 1].count;
      if (sum.count == 0 || sum.count == end - begin) continue;
      const double cost = halfArea(sum.bounds) * sum.count + right[i];
      if (!best || cost < best->first) best = {cost, static_cast<int>(i)};
    }
    return best;
  }

  /// Equal halves along the longest axis; also ends on centres that all coincide.
  std::uint32_t halve(std::uint32_t begin, std::uint32_t end, const Bounds& centres) {
    const Vec3 extent = centres.hi - centres.lo;
    const int axis =
        extent.x > extent.y ? (extent.x > extent.z ? 0 : 2) : (extent.y > extent.z ? 1 : 2);
    const std::uint32_t middle = begin + (end - begin) / 2;
    const auto first = items_.begin();
    std::nth_element(first + begin, first + middle, first + end,
                     [axis](const Item& a, const Item& b) {
                       return a.centre[axis] != b.centre[axis] ? a.centre[axis] < b.centre[axis]
                                                               : a.element < b.element;
                     });
    return middle;
  }

  Bvh& bvh_;
  unsigned threads_;
  std::vector<Item> items_;
};

}  // namespace

Bvh::Bvh(const scene::Scene& scene, unsigned threads) {
  Builder(scene, *this, threads).build();
}

}  // namespace rtvp::reference
