// See height_field.hpp.
#include "models/implicit/registers/height_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace rtvp::implicit::registers {
namespace {

constexpr std::size_t kBlockPoints = 256;  ///< that leaves evaluate at once

/// Columns of a leaf are searched in tiles of so many a side.
constexpr unsigned kTile = 8;
constexpr std::size_t kTileColumns = std::size_t{kTile} * kTile;

/// Leaves with so many voxels are looked at in parts first.
constexpr unsigned kManyVoxels = 256;

/// Then in so many slabs if a clause on one more box costs little beside points: sixteen boxes at a
/// time, programs with so many clauses. Else in half as many.
constexpr unsigned kMostSlabs = 4;
constexpr std::size_t kMostParts = std::size_t{4} * kMostSlabs;
constexpr std::size_t kManyClauses = 64;

/// Of the clauses of a program one in so many must be decided for a leaf to have one of its own.
constexpr std::size_t kWorthInLeaf = 8;

/// Layers of boxes are evaluated together until there are so many: what hides and what is hidden.
constexpr std::size_t kFewBoxes = 8;

/// Voxels from `from` to before `to` on each axis; row 0 is the bottom one.
struct Cell {
  std::array<unsigned, 3> from{}, to{};
};

class Renderer {
 public:
  Renderer(const HeightFieldOptions& options, HeightField& field, HeightFieldCounters& counters)
      : size_(options.size),
        flat_(options.flat),
        wide_(options.isa == common::Isa::Avx512),
        boxes_(options.boxes),
        field_(field),
        counters_(counters),
        points_(options.isa) {
    for (std::size_t n = 0; n < boxes_.size(); ++n)
      levels_.push_back(std::make_unique<Level>(options.isa));
    for (unsigned n = 0; n < size_; ++n) centre_.push_back(voxelCentre(n, size_));
  }

  void run(const Program& program) {
    subdivide(program, {{0, 0, 0}, {size_, size_, flat_ ? 1 : size_}}, 0);
  }

 private:
  /// What one level of the recursion keeps while the next one runs.
  struct Level {
    explicit Level(common::Isa isa) : evaluator(isa) {}
    BatchEvaluator evaluator;
    std::vector<Cell> cells;
    std::vector<Bounds> bounds;
    std::vector<Interval> ranges;
    Program shorter;
  };

  [[nodiscard]] std::size_t pixel(unsigned x, unsigned y) const {
    return std::size_t{size_ - 1 - y} * size_ + x;
  }
  [[nodiscard]] float depth(unsigned z) const { return flat_ ? 0.0F : centre_[z]; }

  /// Whether every pixel of the cell shows something in front of it or its nearest voxels.
  [[nodiscard]] bool hidden(const Cell& cell) const {
    const std::uint32_t front = cell.to[2];
    const unsigned width = cell.to[0] - cell.from[0];
    const std::uint32_t* row = field_.height.data() + pixel(cell.from[0], cell.from[1]);
    for (unsigned y = cell.from[1]; y < cell.to[1]; ++y, row -= size_) {
      int seen = 0;  // of the whole row: as vectors
      for (unsigned x = 0; x < width; ++x) seen |= row[x] < front ? 1 : 0;
      if (seen != 0) return false;
    }
    return true;
  }

  /// Where the cell is evaluated: from the first to the last centre. Differences for normals go
  /// towards the middle, or into the margin of a cell of one voxel.
  [[nodiscard]] Bounds boundsOf(const Cell& cell) const {
    Bounds box;
    const float margin = 1.0F / static_cast<float>(size_);
    for (unsigned axis = 0; axis < 3; ++axis) {
      const bool plane = axis == 2 && flat_;
      box.min[axis] = plane ? 0.0F : centre_[cell.from[axis]];
      box.max[axis] = plane ? 0.0F : centre_[cell.to[axis] - 1];
      if (!plane && cell.to[axis] - cell.from[axis] == 1) box.max[axis] += margin;
    }
    return box;
  }

  /// Cuts the parent into boxes of the level's side, the nearest first, and follows those that may
  /// show something.
  void subdivide(const Program& program, const Cell& parent, std::size_t depth_level) {
    Level& level = *levels_[depth_level];
    const unsigned side = boxes_[depth_level];
    level.cells.clear();
    const auto flush = [&] {
      if (!level.cells.empty()) follow(program, depth_level);
      level.cells.clear();
    };
    for (unsigned z = (parent.to[2] - 1) / side + 1; z-- > parent.from[2] / side;) {
      for (unsigned y = parent.from[1]; y < parent.to[1]; y += side) {
        for (unsigned x = parent.from[0]; x < parent.to[0]; x += side) {
          const Cell cell{{x, y, z * side},
                          {std::min(x + side, parent.to[0]), std::min(y + side, parent.to[1]),
                           std::min((z + 1) * side, parent.to[2])}};
          if (hidden(cell)) continue;
          level.cells.push_back(cell);
          if (level.cells.size() == BatchEvaluator::kBoxes) flush();
        }
      }
      if (level.cells.size() >= kFewBoxes) flush();
    }
    flush();
  }

  void follow(const Program& program, std::size_t depth_level) {
    Level& level = *levels_[depth_level];
    level.bounds.clear();
    for (const Cell& cell : level.cells) level.bounds.push_back(boundsOf(cell));
    level.ranges.resize(level.cells.size());
    level.evaluator.boxes(program, level.bounds, level.ranges);
    counters_.boxes += level.cells.size();
    counters_.box_clauses += level.cells.size() * program.clauses().size();
    for (unsigned n = 0; n < level.cells.size(); ++n) {
      const Interval& range = level.ranges[n];
      if (range.lo >= 0) continue;  // points without a value are outside too
      const Cell cell = level.cells[n];
      if (n > 0 && hidden(cell)) continue;
      if (range.hi < 0 && !range.undefined) {
        fill(program, cell);
        continue;
      }
      if (!worthPruning(program, level.evaluator.decide(program, n), depth_level)) {
        descend(program, cell, depth_level);
        continue;
      }
      level.evaluator.prune(program, level.shorter);
      ++counters_.pruned;
      counters_.pruned_clauses += level.shorter.clauses().size();
      descend(level.shorter, cell, depth_level);
    }
  }

  /// Shortening takes as long as some hundred points; in a leaf it has to pay at once.
  [[nodiscard]] bool worthPruning(const Program& program, std::size_t decisions,
                                  std::size_t depth_level) const {
    const bool leaf = depth_level + 1 == boxes_.size();
    return decisions * (leaf ? kWorthInLeaf : program.clauses().size()) >=
               program.clauses().size() &&
           decisions > 0;
  }

  void descend(const Program& program, const Cell& cell, std::size_t depth_level) {
    if (depth_level + 1 < boxes_.size()) {
      subdivide(program, cell, depth_level + 1);
    } else {
      search(program, cell);
    }
  }

  /// All of the cell is inside: its front shows.
  void fill(const Program& program, const Cell& cell) {
    hits_.clear();
    for (unsigned y = cell.from[1]; y < cell.to[1]; ++y) {
      for (unsigned x = cell.from[0]; x < cell.to[0]; ++x) {
        std::uint32_t& height = field_.height[pixel(x, y)];
        if (height >= cell.to[2]) continue;
        height = cell.to[2];
        hits_.push_back({x, y, cell.to[2] - 1, 0});
      }
    }
    shade(program, cell, false);
  }

  /// Some layers of a leaf, and which of its quarters (x + 2 y) may show something there.
  struct Slab {
    unsigned from = 0, to = 0;
    std::array<bool, 4> may{};
  };

  /// The columns of a leaf, a tile after the other.
  void search(const Program& program, const Cell& cell) {
    hits_.clear();
    middle_ = {(cell.from[0] + cell.to[0]) / 2, (cell.from[1] + cell.to[1]) / 2};
    const std::span<const Slab> slabs = slabsOf(program, cell);
    most_ = std::min(kBlockPoints, BatchEvaluator::mostPoints(program));
    Cell tile = cell;
    for (tile.from[1] = cell.from[1]; tile.from[1] < cell.to[1]; tile.from[1] += kTile) {
      tile.to[1] = std::min(tile.from[1] + kTile, cell.to[1]);
      for (tile.from[0] = cell.from[0]; tile.from[0] < cell.to[0]; tile.from[0] += kTile) {
        tile.to[0] = std::min(tile.from[0] + kTile, cell.to[0]);
        for (const Slab& slab : slabs) searchTile(program, tile, slab);
      }
    }
    shade(program, cell, true);
  }

  /// Some layers at a time from the front.
  void searchTile(const Program& program, const Cell& tile, const Slab& slab) {
    openColumns(tile, slab);
    for (unsigned z = slab.to; z > slab.from && columns_ > 0;) {
      const unsigned layers = std::min(z - slab.from, static_cast<unsigned>(most_ / columns_));
      placeLayers(program, z - layers, z);
      takeHits(evaluate(program), z - layers, z);
      z -= layers;
    }
  }

  /// Front to back. Of a leaf with many voxels ranges over its parts, two by two in each slab, tell
  /// which hold none that is inside.
  std::span<const Slab> slabsOf(const Program& program, const Cell& cell) {
    const std::array<unsigned, 3> side{cell.to[0] - cell.from[0], cell.to[1] - cell.from[1],
                                       cell.to[2] - cell.from[2]};
    const bool wide = wide_ && program.clauses().size() >= kManyClauses;
    const unsigned slabs = wide ? kMostSlabs : kMostSlabs / 2;
    if (side[0] < 2 || side[1] < 2 || side[2] < slabs ||
        side[0] * side[1] * side[2] < kManyVoxels) {
      slabs_[0] = {cell.from[2], cell.to[2], {true, true, true, true}};
      return std::span(slabs_).first(1);
    }
    std::array<Bounds, kMostParts> parts;
    std::array<Interval, kMostParts> ranges;
    const std::size_t count = std::size_t{4} * slabs;
    for (unsigned n = 0; n < count; ++n) {
      const unsigned z = slabs - 1 - n / 4;
      Cell part = cell;
      (n % 2 != 0 ? part.from : part.to)[0] = middle_[0];
      (n / 2 % 2 != 0 ? part.from : part.to)[1] = middle_[1];
      part.from[2] = cell.from[2] + side[2] * z / slabs;
      part.to[2] = cell.from[2] + side[2] * (z + 1) / slabs;
      parts[n] = boundsOf(part);
      slabs_[n / 4].from = part.from[2];
      slabs_[n / 4].to = part.to[2];
    }
    points_.boxes(program, std::span(parts).first(count), ranges, false);
    counters_.boxes += count;
    counters_.box_clauses += count * program.clauses().size();
    for (unsigned n = 0; n < count; ++n) slabs_[n / 4].may[n % 4] = !(ranges[n].lo >= 0);
    return std::span(slabs_).first(slabs);
  }

  /// Those that do not show something in front of the slab.
  void openColumns(const Cell& tile, const Slab& slab) {
    columns_ = 0;
    highest_ = 0;
    const unsigned middle = std::clamp(middle_[1], tile.from[1], tile.to[1]);
    openRows(tile, {tile.from[1], middle}, slab.may[0], slab.may[1], slab.to);
    openRows(tile, {middle, tile.to[1]}, slab.may[2], slab.may[3], slab.to);
  }

  /// Of the tile's rows `ys` what lies left and right of the leaf's middle.
  void openRows(const Cell& tile, std::array<unsigned, 2> ys, bool left, bool right,
                std::uint32_t front) {
    const unsigned middle = std::clamp(middle_[0], tile.from[0], tile.to[0]);
    const unsigned from = left ? tile.from[0] : middle, to = right ? tile.to[0] : middle;
    if (from >= to) return;
    for (unsigned y = ys[0]; y < ys[1]; ++y) {
      const bool whole = (to - from == kTile && openWhole<kTile>(from, y, front)) ||
                         (to - from == kTile / 2 && openWhole<kTile / 2>(from, y, front));
      if (!whole) openSome(from, to, y, front);
    }
  }

  /// The columns of a row if all are open, the usual case; as vectors.
  template <unsigned kWidth>
  bool openWhole(unsigned left, unsigned y, std::uint32_t front) {
    const std::uint32_t* const shown = field_.height.data() + pixel(left, y);
    std::uint32_t highest = 0;
    for (unsigned k = 0; k < kWidth; ++k) highest = std::max(highest, shown[k]);
    if (highest >= front) return false;
    highest_ = std::max(highest_, highest);
    const float* const xs = centre_.data() + left;
    const float row = centre_[y];
    const std::uint32_t first = left | y << kRowShift;
    const std::size_t at = columns_;
    Columns& columns = column_;
    for (unsigned k = 0; k < kWidth; ++k) columns.place[at + k] = first + k;
    for (unsigned k = 0; k < kWidth; ++k) columns.height[at + k] = shown[k];
    for (unsigned k = 0; k < kWidth; ++k) columns.x[at + k] = xs[k];
    for (unsigned k = 0; k < kWidth; ++k) columns.y[at + k] = row;
    columns_ = at + kWidth;
    return true;
  }
  void openSome(unsigned left, unsigned right, unsigned y, std::uint32_t front) {
    const std::uint32_t* const shown = field_.height.data() + pixel(0, y);
    const float* const xs = centre_.data();
    const float row = xs[y];
    Columns& columns = column_;
    std::size_t at = columns_;
    std::uint32_t highest = highest_;
    for (unsigned x = left; x < right; ++x) {
      // Written in any case, and kept by the step.
      const std::uint32_t height = shown[x];
      columns.place[at] = x | y << kRowShift;
      columns.height[at] = height;
      columns.x[at] = xs[x];
      columns.y[at] = row;
      const bool open = height < front;
      highest = std::max(highest, open ? height : 0);
      at += open ? 1U : 0U;
    }
    columns_ = at;
    highest_ = highest;
  }

  /// The open columns' voxels of the layers, the front layer first.
  void placeLayers(const Program& program, unsigned from, unsigned to) {
    const std::array<float*, 3> rows = place(program, columns_ * (to - from));
    for (unsigned layer = 0; layer < to - from; ++layer) {
      const std::size_t at = layer * columns_;
      std::copy_n(column_.x.data(), columns_, rows[0] + at);
      std::copy_n(column_.y.data(), columns_, rows[1] + at);
      std::fill_n(rows[2] + at, columns_, depth(to - 1 - layer));
    }
  }

  /// Columns stay open whose voxels are outside and whose next ones are not hidden.
  void takeHits(const float* values, unsigned from, unsigned to) {
    const bool inside = anyInside(values, columns_ * (to - from));
    if (!inside && highest_ < from) return;
    Columns& columns = column_;
    std::copy_n(columns.height.data(), columns_, columns.before.data());
    if (inside)
      for (unsigned z = to; z > from; --z) raise(values + (to - z) * columns_, z);
    std::size_t left = 0;
    for (std::size_t n = 0; n < columns_; ++n) {
      const std::uint32_t height = columns.height[n], at = columns.place[n];
      if (height != columns.before[n]) {
        const unsigned x = at & ((1U << kRowShift) - 1), y = at >> kRowShift;
        field_.height[pixel(x, y)] = height;
        hits_.push_back({x, y, height - 1, values[(to - height) * columns_ + n]});
      }
      columns.place[left] = at;
      columns.x[left] = columns.x[n];
      columns.y[left] = columns.y[n];
      columns.height[left] = height;
      left += height < from ? 1U : 0U;
    }
    columns_ = left;
  }

  /// The heights of columns that a layer which ends at `z` shows.
  void raise(const float* row, std::uint32_t z) {
    std::uint32_t* const heights = column_.height.data();
    for (std::size_t n = 0; n < columns_; ++n) {
      const std::uint32_t height = heights[n], raised = height < z ? z : height;
      heights[n] = row[n] < 0 ? raised : height;
    }
  }

  static bool anyInside(const float* values, std::size_t count) {
    int any = 0;
    for (std::size_t n = 0; n < count; ++n) any |= values[n] < 0 ? 1 : 0;
    return any != 0;
  }

  struct Hit {
    unsigned x, y, z;
    float f;
  };

  /// Normals at the hits, by differences that stay inside the cell. `known`: f at the hits is.
  void shade(const Program& program, const Cell& cell, bool known) {
    const std::size_t points = (flat_ ? 2U : 3U) + (known ? 0U : 1U);  // of a hit
    const std::size_t most = std::min(kMostShaded, BatchEvaluator::mostPoints(program) / points);
    for (std::size_t first = 0; first < hits_.size(); first += most) {
      const std::span<const Hit> hits =
          std::span(hits_).subspan(first, std::min(most, hits_.size() - first));
      placeBeside(hits, cell, place(program, points * hits.size()));
      const float* const f = evaluate(program);
      if (known) {
        for (std::size_t n = 0; n < hits.size(); ++n) shaded_.f[n] = hits[n].f;
      } else {
        std::copy_n(f + (points - 1) * hits.size(), hits.size(), shaded_.f.data());
      }
      differences(f, hits.size());
      for (std::size_t n = 0; n < hits.size(); ++n)
        field_.normal[pixel(hits[n].x, hits[n].y)] = {shaded_.normal[0][n], shaded_.normal[1][n],
                                                      shaded_.normal[2][n]};
    }
  }

  /// For each axis the points half a voxel from the hits, then, where there is room, the hits.
  void placeBeside(std::span<const Hit> hits, const Cell& cell, const std::array<float*, 3>& rows) {
    const std::size_t count = hits.size();
    const unsigned axes = flat_ ? 2 : 3;
    const float step = 1.0F / static_cast<float>(size_);  // half a voxel
    for (std::size_t n = 0; n < count; ++n) {
      const Hit& hit = hits[n];
      const std::array<float, 3> at{centre_[hit.x], centre_[hit.y], depth(hit.z)};
      const std::array<unsigned, 3> voxel{hit.x, hit.y, hit.z};
      for (unsigned axis = 0; axis < axes; ++axis) {
        // Towards the middle of the cell.
        const float sign = 2 * voxel[axis] + 1 <= cell.from[axis] + cell.to[axis] ? 1.0F : -1.0F;
        shaded_.sign[axis][n] = sign;
        for (unsigned row = 0; row < 3; ++row) rows[row][axis * count + n] = at[row];
        rows[axis][axis * count + n] += sign * step;
      }
    }
    if (placed_ == axes * count) return;
    for (std::size_t n = 0; n < count; ++n) {
      rows[0][axes * count + n] = centre_[hits[n].x];
      rows[1][axes * count + n] = centre_[hits[n].y];
      rows[2][axes * count + n] = depth(hits[n].z);
    }
  }

  /// From f beside the hits, and at them, to unit normals. Nothing changes across a plane.
  void differences(const float* f, std::size_t count) {
    const float *const fx = f, *const fy = f + count, *const at = shaded_.f.data(),
                       *const fz = flat_ ? at : f + 2 * count;
    const auto& sign = shaded_.sign;
    auto& normal = shaded_.normal;
    for (std::size_t n = 0; n < count; ++n) {
      const float dx = (fx[n] - at[n]) * sign[0][n], dy = (fy[n] - at[n]) * sign[1][n],
                  dz = (fz[n] - at[n]) * sign[2][n];
      const float length = std::sqrt(0.0F + dx * dx + dy * dy + dz * dz);
      const bool good = length > 0 && length < std::numeric_limits<float>::infinity();
      normal[0][n] = good ? dx / length : 0.0F;
      normal[1][n] = good ? dy / length : 0.0F;
      normal[2][n] = good ? dz / length : 1.0F;
    }
  }

  std::array<float*, 3> place(const Program& program, std::size_t count) {
    placed_ = count;
    return points_.place(program, count);
  }
  const float* evaluate(const Program& program) {
    counters_.points += placed_;
    counters_.point_clauses += placed_ * program.clauses().size();
    return points_.evaluate(program);
  }

  unsigned size_;
  bool flat_;
  bool wide_;  ///< ranges of sixteen boxes cost little more than of eight
  const std::vector<unsigned>& boxes_;
  HeightField& field_;
  HeightFieldCounters& counters_;
  BatchEvaluator points_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<float> centre_;
  std::size_t placed_ = 0;  ///< points that are to be evaluated
  std::vector<Hit> hits_;   ///< of a cell

  /// Hits that are shaded together.
  static constexpr std::size_t kMostShaded = 128;
  struct {
    std::array<float, kMostShaded> f;  ///< at them
    std::array<std::array<float, kMostShaded>, 3> sign, normal;
  } shaded_{};

  // Of the leaf that is searched.
  std::array<unsigned, 2> middle_{};
  std::array<Slab, kMostSlabs> slabs_;
  std::size_t most_ = 0;  ///< points that are evaluated together
  /// Open columns of a tile; one is written behind the last.
  static constexpr unsigned kRowShift = 16;
  struct Columns {
    std::array<std::uint32_t, kTileColumns + 1> place;           ///< x, and the row above kRowShift
    std::array<std::uint32_t, kTileColumns + 1> height, before;  ///< shown so far
    std::array<float, kTileColumns + 1> x, y;
  } column_{};
  std::size_t columns_ = 0;
  std::uint32_t highest_ = 0;  ///< of the heights when they were opened
};

void check(const HeightFieldOptions& options) {
  if (options.size == 0 || options.size > HeightFieldOptions::kMaxSize)
    throw std::invalid_argument("a height field has 1 to " +
                                std::to_string(HeightFieldOptions::kMaxSize) + " pixels a side");
  if (options.boxes.empty()) throw std::invalid_argument("found no box sizes, expected some");
  for (std::size_t n = 0; n < options.boxes.size(); ++n) {
    const unsigned side = options.boxes[n];
    if (side == 0 || (n > 0 && (side >= options.boxes[n - 1] || options.boxes[n - 1] % side != 0)))
      throw std::invalid_argument("box sizes must fall, each dividing the one before");
  }
}

}  // namespace

std::size_t HeightField::hits() const {
  return static_cast<std::size_t>(
      std::count_if(height.begin(), height.end(), [](std::uint32_t h) { return h > 0; }));
}

float voxelCentre(unsigned index, unsigned size) {
  return (2.0F * static_cast<float>(index) + 1.0F - static_cast<float>(size)) /
         static_cast<float>(size);
}

namespace {

/// Empty, of that size. Where nothing was hit all is zero already.
void clear(HeightField& field, unsigned size) {
  const std::size_t pixels = std::size_t{size} * size;
  if (field.size != size || field.height.size() != pixels || field.normal.size() != pixels) {
    field = {};
    field.size = size;
    field.height.resize(pixels);
    field.normal.resize(pixels);
    return;
  }
  for (std::size_t n = 0; n < pixels; ++n) {
    if (field.height[n] == 0) continue;
    field.height[n] = 0;
    field.normal[n] = {};
  }
}

}  // namespace

void render(const Program& program, const HeightFieldOptions& options, HeightField& field,
            HeightFieldCounters* counters) {
  check(options);
  clear(field, options.size);
  HeightFieldCounters ignored;
  Renderer(options, field, counters != nullptr ? *counters : ignored).run(program);
}

HeightField render(const Program& program, const HeightFieldOptions& options,
                   HeightFieldCounters* counters) {
  HeightField field;
  render(program, options, field, counters);
  return field;
}

}  // namespace rtvp::implicit::registers
