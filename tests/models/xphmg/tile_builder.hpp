// BVH4 tiles from triangles, for tests and benchmarks of the core: binned SAH, boxes rounded
// outward to the element format, everything in one block of memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "models/xphmg/intersect.hpp"
#include "models/xphmg/layout.hpp"
#include "models/xphmg/memory_port.hpp"

namespace rtvp::xphmg::test {

/// Vertices as element words of the format.
using TriangleWords = std::array<std::uint32_t, kTriangleElements>;

struct TileImage {
  std::uint64_t heap = 0;            ///< address of tile 0; TriRanges lie behind the tiles
  std::uint64_t triangles = 0;       ///< base of the triangle buffer; ranges have base 0
  std::vector<std::uint8_t> bytes;   ///< from `heap` on
  std::vector<std::uint32_t> order;  ///< source triangle of prim_id n
  unsigned tiles = 0, leaves = 0;
};

class TileBuilder {
 public:
  TileBuilder(const Precision& precision, const std::vector<TriangleWords>& triangles,
              unsigned leaf_size)
      : precision_(precision), source_(triangles), leafSize_(leaf_size) {
    Stickies ignored;
    for (const TriangleWords& words : triangles) {
      Bounds box;
      for (unsigned i = 0; i < kTriangleElements; ++i) {
        const float value = decode(precision_, words[i], ignored);
        box.lo[i % 3] = std::min(box.lo[i % 3], value);
        box.hi[i % 3] = std::max(box.hi[i % 3], value);
      }
      boxes_.push_back(box);
      order_.push_back(static_cast<std::uint32_t>(order_.size()));
    }
  }

  TileImage build(std::uint64_t heap) {
    nodes_.emplace_back();
    splitInto(0, {0, static_cast<std::uint32_t>(order_.size())});
    return layOut(heap);
  }

 private:
  struct Bounds {
    std::array<float, 3> lo{kBig, kBig, kBig}, hi{-kBig, -kBig, -kBig};
    void include(const Bounds& b) {
      for (unsigned k = 0; k < 3; ++k) {
        lo[k] = std::min(lo[k], b.lo[k]);
        hi[k] = std::max(hi[k], b.hi[k]);
      }
    }
    [[nodiscard]] double area() const {
      const double x = double{hi[0]} - double{lo[0]}, y = double{hi[1]} - double{lo[1]},
                   z = double{hi[2]} - double{lo[2]};
      return x < 0 ? 0 : x * y + y * z + z * x;
    }
    [[nodiscard]] double middle(unsigned k) const { return 0.5 * (double{lo[k]} + double{hi[k]}); }
    static constexpr float kBig = std::numeric_limits<float>::max();
  };
  struct Span {
    std::uint32_t first, last;
    [[nodiscard]] std::uint32_t count() const { return last - first; }
  };
  struct Child {
    Bounds box;
    ChildKind kind = ChildKind::Empty;
    std::uint32_t index = 0;
  };
  using Node = std::array<Child, kTileChildren>;

  [[nodiscard]] Bounds boundsOf(Span span) const {
    Bounds b;
    for (std::uint32_t i = span.first; i < span.last; ++i) b.include(boxes_[order_[i]]);
    return b;
  }

  /// Best of 16 bins on each axis; the middle when all centres coincide.
  std::uint32_t split(Span span) {
    constexpr unsigned kBins = 16;
    double best = std::numeric_limits<double>::infinity();
    unsigned best_axis = 3, best_bin = 0;
    double best_low = 0, best_scale = 0;
    for (unsigned k = 0; k < 3; ++k) {
      double low = 1e300, high = -1e300;
      for (std::uint32_t i = span.first; i < span.last; ++i) {
        low = std::min(low, boxes_[order_[i]].middle(k));
        high = std::max(high, boxes_[order_[i]].middle(k));
      }
      if (!(high > low)) continue;
      const double scale = kBins / (high - low);
      std::array<Bounds, kBins> bin;
      std::array<std::uint32_t, kBins> count{};
      for (std::uint32_t i = span.first; i < span.last; ++i) {
        const unsigned b = binOf(order_[i], k, low, scale, kBins);
        bin[b].include(boxes_[order_[i]]);
        ++count[b];
      }
      std::array<double, kBins> right{};
      Bounds sweep;
      std::uint32_t n = 0;
      for (unsigned b = kBins; b-- > 1;) {
        sweep.include(bin[b]);
        n += count[b];
        right[b] = n == 0 ? 0 : sweep.area() * n;
      }
      sweep = {};
      n = 0;
      for (unsigned b = 0; b + 1 < kBins; ++b) {
        sweep.include(bin[b]);
        n += count[b];
        const double cost = (n == 0 ? 0 : sweep.area() * n) + right[b + 1];
        if (n == 0 || n == span.count() || cost >= best) continue;
        best = cost;
        best_axis = k;
        best_bin = b;
        best_low = low;
        best_scale = scale;
      }
    }
    if (best_axis == 3) return span.first + span.count() / 2;
    const auto middle = std::partition(
        order_.begin() + span.first, order_.begin() + span.last, [&](std::uint32_t t) {
          return binOf(t, best_axis, best_low, best_scale, kBins) <= best_bin;
        });
    return static_cast<std::uint32_t>(middle - order_.begin());
  }

  [[nodiscard]] unsigned binOf(std::uint32_t t, unsigned k, double low, double scale,
                               unsigned bins) const {
    return std::min(bins - 1, static_cast<unsigned>((boxes_[t].middle(k) - low) * scale));
  }

  void splitInto(std::size_t node, Span span) {
    std::vector<Span> parts{span};
    while (parts.size() < kTileChildren) {
      std::size_t widest = parts.size();
      double area = -1;
      for (std::size_t p = 0; p < parts.size(); ++p) {
        if (parts[p].count() > leafSize_ && boundsOf(parts[p]).area() > area) {
          widest = p;
          area = boundsOf(parts[p]).area();
        }
      }
      if (widest == parts.size()) break;
      const std::uint32_t middle = split(parts[widest]);
      parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(widest) + 1,
                   {middle, parts[widest].last});
      parts[widest].last = middle;
    }
    for (std::size_t p = 0; p < parts.size(); ++p) {
      Child child;
      child.box = boundsOf(parts[p]);
      if (parts[p].count() > leafSize_) {
        child.kind = ChildKind::Node;
        child.index = static_cast<std::uint32_t>(nodes_.size());
        nodes_.emplace_back();
        splitInto(child.index, parts[p]);
      } else {
        child.kind = ChildKind::Leaf;
        child.index = static_cast<std::uint32_t>(ranges_.size());
        ranges_.push_back({parts[p].first, parts[p].count(), 0});
      }
      nodes_[node][p] = child;
    }
  }

  /// A bound as an element word, rounded outward.
  [[nodiscard]] std::uint32_t outward(float bound, bool up) const {
    Precision p = precision_;
    p.rounding = up ? Rounding::Rup : Rounding::Rdn;
    Stickies ignored;
    return encode(p, p.format, bound, ignored);
  }

  TileImage layOut(std::uint64_t heap) {
    const unsigned width = precision_.elementBytes();
    const TileLayout layout = tileLayout(width);
    TileImage image;
    image.heap = heap;
    image.tiles = static_cast<unsigned>(nodes_.size());
    image.leaves = static_cast<unsigned>(ranges_.size());
    const std::size_t ranges_at = nodes_.size() * layout.stride;
    const std::size_t triangles_at = (ranges_at + ranges_.size() * kTriRangeBytes + 63) / 64 * 64;
    image.triangles = heap + triangles_at;
    image.bytes.resize(triangles_at + order_.size() * triangleBytes(width));
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      Tile tile;
      for (unsigned c = 0; c < kTileChildren; ++c) {
        const Child& child = nodes_[n][c];
        if (child.kind == ChildKind::Empty) continue;
        tile.child[c].kind = child.kind;
        tile.child[c].index = child.index;
        if (child.kind == ChildKind::Leaf)
          tile.child[c].index += static_cast<std::uint32_t>(ranges_at / kTriRangeBytes);
        for (unsigned k = 0; k < 3; ++k) {
          tile.child[c].box[k] = outward(child.box.lo[k], false);
          tile.child[c].box[k + 3] = outward(child.box.hi[k], true);
        }
      }
      encodeTile(tile, width, layout, image.bytes.data() + n * layout.stride);
    }
    for (std::size_t r = 0; r < ranges_.size(); ++r)
      encodeTriRange(ranges_[r], image.bytes.data() + ranges_at + r * kTriRangeBytes);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      for (unsigned k = 0; k < kTriangleElements; ++k) {
        storeElement(
            image.bytes.data() + triangles_at + i * triangleBytes(width) + std::size_t{k} * width,
            width, source_[order_[i]][k]);
      }
    }
    image.order = order_;
    return image;
  }

  Precision precision_;
  const std::vector<TriangleWords>& source_;
  unsigned leafSize_;
  std::vector<Bounds> boxes_;
  std::vector<std::uint32_t> order_;
  std::vector<Node> nodes_;
  std::vector<TriRange> ranges_;
};

/// One block of memory at an address; counts what is read.
class BlockMemory final : public MemoryPort {
 public:
  BlockMemory(std::uint64_t base, std::vector<std::uint8_t> bytes)
      : base_(base), bytes_(std::move(bytes)) {}
  const std::uint8_t* read(AccessKind kind, std::uint64_t address, unsigned size) override {
    ++reads[static_cast<unsigned>(kind)];
    const std::uint64_t offset = address - base_;
    if (offset > bytes_.size() || bytes_.size() - offset < size) return nullptr;
    return bytes_.data() + offset;
  }
  bool write(AccessKind /*kind*/, std::uint64_t address, const std::uint8_t* from,
             unsigned size) override {
    const std::uint64_t offset = address - base_;
    if (offset > bytes_.size() || bytes_.size() - offset < size) return false;
    std::copy(from, from + size, bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
    return true;
  }
  [[nodiscard]] std::vector<std::uint8_t>& bytes() { return bytes_; }
  /// A memory of its own with the same contents.
  [[nodiscard]] BlockMemory copy() const { return {base_, bytes_}; }
  std::array<std::uint64_t, kAccessKinds> reads{};

 private:
  std::uint64_t base_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace rtvp::xphmg::test
