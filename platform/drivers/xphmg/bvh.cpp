// See bvh.hpp.
#include "platform/drivers/xphmg/bvh.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>

#include "models/common/core/host_threads.hpp"
#include "models/xphmg/layout.hpp"

namespace rtvp::host {
namespace {

constexpr unsigned kBins = 16;
/// So many triangles are one thread's: they take less time than it takes to begin another.
constexpr std::uint32_t kAlone = 2048;
constexpr unsigned kWidth = xphmg::kTileChildren;
constexpr float kHuge = 3.4e38F;
// Costs in units of a node test; a leaf also costs the fetch of its TriRange.
constexpr double kNodeCost = 1, kLeafCost = 0.4, kTriangleCost = 0.8;

XphmgBox nothing() {
  return {{kHuge, kHuge, kHuge}, {-kHuge, -kHuge, -kHuge}};
}

/// Binary tree; a leaf has no children.
struct Node {
  XphmgBox box;
  std::uint32_t first = 0, count = 0;
  std::uint32_t left = 0, right = 0;
  [[nodiscard]] bool leaf() const { return left == 0; }
};

/// What one thread makes of a range of triangles: its nodes by themselves, [0] the range's own.
struct Growth {
  std::vector<Node> nodes;
  std::uint64_t binned = 0, cuts = 0;

  /// Takes over what was made of a child: its first node is here already, the others come behind
  /// all that there are, where they would be if one thread had made them.
  void adopt(std::uint32_t place, const Growth& child) {
    const auto behind = static_cast<std::uint32_t>(nodes.size()) - 1;
    const auto moved = [behind](Node node) {
      if (!node.leaf()) {
        node.left += behind;
        node.right += behind;
      }
      return node;
    };
    nodes[place] = moved(child.nodes.front());
    std::transform(child.nodes.begin() + 1, child.nodes.end(), std::back_inserter(nodes), moved);
    binned += child.binned;
    cuts += child.cuts;
  }
};

/// The same tree whatever the number of threads: they work on ranges of their own.
class Builder {
 public:
  Builder(std::span<const XphmgBox> boxes, const XphmgBvhOptions& options, bool balanced)
      : boxes_(boxes),
        leaf_(std::max(1U, options.leafTriangles)),
        balanced_(balanced),
        order_(boxes.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
    centres_.reserve(boxes.size());
    for (const XphmgBox& box : boxes) {
      const auto centre = [&](std::size_t k) {
        return 0.5 * (static_cast<double>(box.lo[k]) + static_cast<double>(box.hi[k]));
      };
      centres_.push_back({centre(0), centre(1), centre(2)});
    }
    tree_ = grow(range(0, static_cast<std::uint32_t>(boxes.size())), options.threads);
    // Within a leaf the smaller input number comes first: equal t then goes to it.
    for (const Node& n : tree_.nodes) {
      if (n.leaf()) std::sort(order_.begin() + n.first, order_.begin() + n.first + n.count);
    }
  }
  [[nodiscard]] const std::vector<Node>& nodes() const { return tree_.nodes; }
  [[nodiscard]] std::vector<std::uint32_t>& order() { return order_; }
  [[nodiscard]] std::uint64_t binned() const { return tree_.binned; }
  [[nodiscard]] std::uint64_t cuts() const { return tree_.cuts; }

 private:
  struct Split {
    double cost = 0;
    int axis = -1;
    unsigned bin = 0;  ///< bins below go left
    double low = 0, scale = 0;
  };

  struct Interval {
    double low = kHuge, high = -kHuge;
  };

  Growth grow(const Node& root, unsigned threads) {
    Growth all{{root}};
    if (threads > 1 && root.count > kAlone) {
      if (!divide(all, 0)) return all;
      Growth below[2];
      common::inTwo(
          2, [&] { below[0] = grow(all.nodes[1], threads - threads / 2); },
          [&] { below[1] = grow(all.nodes[2], threads / 2); });
      for (const std::uint32_t child : {1U, 2U}) all.adopt(child, below[child - 1]);
      return all;
    }
    std::vector<std::uint32_t> open{0};
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      if (!divide(all, at)) continue;
      open.push_back(all.nodes[at].right);
      open.push_back(all.nodes[at].left);
    }
    return all;
  }

  /// Gives a node two children, unless it is better a leaf.
  bool divide(Growth& all, std::uint32_t at) {
    const std::uint32_t middle = split(all, at);
    const std::uint32_t first = all.nodes[at].first, end = first + all.nodes[at].count;
    if (middle == first) return false;
    all.nodes[at].left = static_cast<std::uint32_t>(all.nodes.size());
    all.nodes[at].right = all.nodes[at].left + 1;
    all.nodes.push_back(range(first, middle));
    all.nodes.push_back(range(middle, end));
    return true;
  }

  [[nodiscard]] double centre(std::uint32_t triangle, int axis) const {
    return centres_[triangle][static_cast<std::size_t>(axis)];
  }
  [[nodiscard]] std::span<const std::uint32_t> trianglesOf(const Node& node) const {
    return std::span(order_).subspan(node.first, node.count);
  }
  [[nodiscard]] Node range(std::uint32_t first, std::uint32_t end) const {
    Node node{nothing(), first, end - first, 0, 0};
    for (std::uint32_t i = first; i < end; ++i) node.box.include(boxes_[order_[i]]);
    return node;
  }
  static unsigned binOf(double value, double low, double scale) {
    const double bin = (value - low) * scale;
    return static_cast<unsigned>(bin < 0 ? 0 : bin > kBins - 1 ? kBins - 1 : bin);
  }
  [[nodiscard]] Interval centresOf(const Node& node, int axis) const;
  void tryAxis(const Node& node, int axis, Split& best) const;
  /// Half of the triangles by centre along the longest axis.
  std::uint32_t median(const Node& node);
  /// Where the node is cut; its first triangle: not at all.
  std::uint32_t split(Growth& all, std::uint32_t at);

  std::span<const XphmgBox> boxes_;
  std::vector<std::array<double, 3>> centres_;  ///< of the boxes
  unsigned leaf_;
  bool balanced_;
  std::vector<std::uint32_t> order_;
  Growth tree_;
};

Builder::Interval Builder::centresOf(const Node& node, int axis) const {
  Interval all;
  for (const std::uint32_t triangle : trianglesOf(node)) {
    const double c = centre(triangle, axis);
    all.low = c < all.low ? c : all.low;
    all.high = c > all.high ? c : all.high;
  }
  return all;
}

void Builder::tryAxis(const Node& node, int axis, Split& best) const {
  const auto [low, high] = centresOf(node, axis);
  if (!(high > low)) return;
  const double scale = kBins / (high - low);
  std::array<XphmgBox, kBins> box;  // where something is counted
  std::array<std::uint32_t, kBins> count;
  std::uint32_t filled = 0;  // one bit a bin: most nodes have few triangles
  for (const std::uint32_t triangle : trianglesOf(node)) {
    const unsigned bin = binOf(centre(triangle, axis), low, scale);
    if ((filled >> bin & 1U) == 0) {
      filled |= 1U << bin;
      box[bin] = boxes_[triangle];
      count[bin] = 1;
    } else {
      box[bin].include(boxes_[triangle]);
      ++count[bin];
    }
  }
  std::array<double, kBins> rightCost;  // of this and all filled bins above
  XphmgBox grown = nothing();
  std::uint32_t n = 0;
  for (std::uint32_t left = filled; left != 0;) {
    const auto bin = static_cast<unsigned>(std::bit_width(left)) - 1;
    left ^= 1U << bin;
    grown.include(box[bin]);
    n += count[bin];
    rightCost[bin] = grown.area() * n;
  }
  grown = nothing();
  n = 0;
  // Cuts behind filled bins: behind an empty one it would be the same cut.
  for (std::uint32_t left = filled; (left & (left - 1)) != 0;) {
    const auto bin = static_cast<unsigned>(std::countr_zero(left));
    left &= left - 1;
    grown.include(box[bin]);
    n += count[bin];
    const double cost = grown.area() * n + rightCost[static_cast<unsigned>(std::countr_zero(left))];
    if (best.axis < 0 || cost < best.cost) best = {cost, axis, bin + 1, low, scale};
  }
}

std::uint32_t Builder::median(const Node& node) {
  int axis = 0;
  for (int k = 1; k < 3; ++k) {
    const auto extent = [&](int a) {
      const auto i = static_cast<std::size_t>(a);
      return node.box.hi[i] - node.box.lo[i];
    };
    if (extent(k) > extent(axis)) axis = k;
  }
  const auto first = order_.begin() + node.first;
  const std::uint32_t half = node.count / 2;
  std::nth_element(first, first + half, first + node.count, [&](std::uint32_t a, std::uint32_t b) {
    const double ca = centre(a, axis), cb = centre(b, axis);
    return ca != cb ? ca < cb : a < b;
  });
  return node.first + half;
}

std::uint32_t Builder::split(Growth& all, std::uint32_t at) {
  const Node node = all.nodes[at];
  if (node.count <= 1) return node.first;
  const bool may_end = node.count <= leaf_;
  if (balanced_) return may_end ? node.first : median(node);
  ++all.cuts;
  all.binned += std::uint64_t{3} * node.count;
  Split best;
  for (int axis = 0; axis < 3; ++axis) tryAxis(node, axis, best);
  if (best.axis < 0) return may_end ? node.first : median(node);
  const double area = std::max(node.box.area(), 1e-300);
  // Cutting costs about half a tile (four children share one) and a leaf more.
  const double cut = 0.5 * kNodeCost + 2 * kLeafCost + kTriangleCost * best.cost / area;
  if (may_end && kLeafCost + kTriangleCost * node.count <= cut) return node.first;
  const auto first = order_.begin() + node.first;
  const auto middle = std::partition(first, first + node.count, [&](std::uint32_t t) {
    return binOf(centre(t, best.axis), best.low, best.scale) < best.bin;
  });
  return node.first + static_cast<std::uint32_t>(middle - first);
}

/// Tiles of four children out of the binary tree.
class Folder {
 public:
  Folder(const std::vector<Node>& nodes, bool balanced) : nodes_(nodes), balanced_(balanced) {
    // Depth first, so that a subtree's tiles lie together.
    std::vector<std::uint32_t> open;
    tiles_.push_back({childrenOf(0), 1});
    open.push_back(0);
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      const std::size_t count = tiles_[at].children.size();
      const auto below = static_cast<std::uint32_t>(tiles_.size());
      for (std::size_t c = 0; c < count; ++c) {
        Child& child = tiles_[at].children[c];
        if (nodes_[child.node].leaf()) {
          child.target = leaves_++;
          continue;
        }
        child.target = static_cast<std::uint32_t>(tiles_.size());
        const std::uint32_t depth = tiles_[at].depth + 1;
        tiles_.push_back({childrenOf(tiles_[at].children[c].node), depth});
      }
      for (auto next = static_cast<std::uint32_t>(tiles_.size()); next-- > below;)
        open.push_back(next);
    }
  }

  struct Child {
    std::uint32_t node;
    std::uint32_t target = 0;  ///< tile or leaf number
  };
  struct TileNode {
    std::vector<Child> children;
    std::uint32_t depth = 0;
  };
  [[nodiscard]] const std::vector<TileNode>& tiles() const { return tiles_; }
  [[nodiscard]] std::uint32_t leaves() const { return leaves_; }
  [[nodiscard]] std::uint32_t maxStack() const;

 private:
  /// Which child is opened first: the one most rays meet, or for a low tree the fullest.
  [[nodiscard]] double weight(std::uint32_t node) const {
    return balanced_ ? nodes_[node].count : nodes_[node].box.area();
  }
  [[nodiscard]] std::vector<Child> childrenOf(std::uint32_t node) const {
    if (nodes_[node].leaf()) return {{node}};  // the root of a small scene
    std::vector<Child> list{{nodes_[node].left}, {nodes_[node].right}};
    while (list.size() < kWidth) {
      auto widest = list.end();
      for (auto c = list.begin(); c != list.end(); ++c) {
        if (nodes_[c->node].leaf()) continue;
        if (widest == list.end() || weight(c->node) > weight(widest->node)) widest = c;
      }
      if (widest == list.end()) break;
      const Node& n = nodes_[widest->node];
      *widest = {n.left};
      list.insert(widest + 1, {n.right});
    }
    return list;
  }

  const std::vector<Node>& nodes_;
  bool balanced_;
  std::vector<TileNode> tiles_;
  std::uint32_t leaves_ = 0;
};

/// A popped tile of c children leaves c - 1 behind while the last one is worked on.
std::uint32_t Folder::maxStack() const {
  std::vector<std::uint32_t> need(tiles_.size());
  for (std::size_t t = tiles_.size(); t-- > 0;) {  // children have larger numbers
    const auto count = static_cast<std::uint32_t>(tiles_[t].children.size());
    need[t] = count;
    for (const Child& c : tiles_[t].children) {
      if (!nodes_[c.node].leaf()) need[t] = std::max(need[t], count - 1 + need[c.target]);
    }
  }
  return need[0];
}

std::uint32_t word(xphmg::Format format, float value) {
  xphmg::Precision precision;
  precision.format = format;
  xphmg::Stickies none;
  return xphmg::encode(precision, format, static_cast<double>(value), none);
}

void writeHeap(XphmgBvh& out, const std::vector<Node>& nodes, const Folder& folder,
               xphmg::Format format) {
  const unsigned bytes = xphmg::formatInfo(format).bytes;
  const xphmg::TileLayout layout = xphmg::tileLayout(bytes);
  const std::size_t rangesAt = folder.tiles().size() * layout.stride;
  const std::uint64_t firstRange = rangesAt / xphmg::kTriRangeBytes;
  if (firstRange + folder.leaves() > xphmg::kMaxChild3Index + 1U) {
    throw std::invalid_argument("XPHMG_RT: " + std::to_string(out.order.size()) +
                                " triangles need more leaves than a tile's 24-bit index can name");
  }
  out.heap.assign(rangesAt + std::size_t{folder.leaves()} * xphmg::kTriRangeBytes, 0);
  const double rootArea = std::max(nodes[0].box.area(), 1e-300);
  for (std::size_t t = 0; t < folder.tiles().size(); ++t) {
    xphmg::Tile tile;
    std::size_t slot = 0;
    XphmgBox whole = nothing();
    for (const Folder::Child& c : folder.tiles()[t].children) {
      const Node& node = nodes[c.node];
      xphmg::TileChild& child = tile.child[slot++];
      child.kind = node.leaf() ? xphmg::ChildKind::Leaf : xphmg::ChildKind::Node;
      child.index = node.leaf() ? static_cast<std::uint32_t>(firstRange) + c.target : c.target;
      for (std::size_t k = 0; k < 3; ++k) {
        child.box[k] = word(format, node.box.lo[k]);
        child.box[3 + k] = word(format, node.box.hi[k]);
      }
      whole.include(node.box);
      if (!node.leaf()) continue;
      out.areaCost += node.count * node.box.area() / rootArea;
      xphmg::encodeTriRange({node.first, node.count, 0},
                            out.heap.data() + rangesAt + std::size_t{c.target} * 16);
    }
    out.areaCost += whole.area() / rootArea;
    xphmg::encodeTile(tile, bytes, layout, out.heap.data() + t * layout.stride);
    out.depth = std::max(out.depth, folder.tiles()[t].depth);
  }
}

}  // namespace

XphmgBvh buildXphmgBvh(std::span<const XphmgBox> boxes, xphmg::Format format,
                       const XphmgBvhOptions& options) {
  if (boxes.empty()) throw std::invalid_argument("XPHMG_RT: a scene needs a triangle");
  std::uint64_t binned = 0, cuts = 0;
  for (const bool balanced : {false, true}) {
    Builder builder(boxes, options, balanced);
    const Folder folder(builder.nodes(), balanced);
    XphmgBvh out;
    out.binned = binned += builder.binned();
    out.cuts = cuts += builder.cuts();
    out.balanced = balanced;
    out.maxStack = folder.maxStack();
    if (out.maxStack > options.stackDepth && !balanced) continue;
    out.tiles = static_cast<std::uint32_t>(folder.tiles().size());
    out.leaves = folder.leaves();
    out.order = std::move(builder.order());
    writeHeap(out, builder.nodes(), folder, format);
    return out;
  }
  throw std::logic_error("a balanced tree always ends the loop");
}

}  // namespace rtvp::host
