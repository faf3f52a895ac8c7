// See height_field.hpp.
#include "models/implicit/registers/height_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace rtvp::implicit::registers {
namespace {

constexpr std::size_t kBlockPoints = 256;  ///< that leaves evaluate at once

/// Leaves with so many voxels are looked at by eighths first.
constexpr unsigned kManyVoxels = 256;

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
  };

  [[nodiscard]] std::size_t pixel(unsigned x, unsigned y) const {
    return std::size_t{size_ - 1 - y} * size_ + x;
  }
  [[nodiscard]] float depth(unsigned z) const { return flat_ ? 0.0F : centre_[z]; }

  /// Whether every pixel of the cell shows something in front of it or its nearest voxels.
  [[nodiscard]] bool hidden(const Cell& cell) const {
    for (unsigned y = cell.from[1]; y < cell.to[1]; ++y) {
      const std::uint32_t* const row = field_.height.data() + pixel(0, y);
      for (unsigned x = cell.from[0]; x < cell.to[0]; ++x)
        if (row[x] < cell.to[2]) return false;
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
      if (!worthPruning(program, level.evaluator.decisions(program, n), depth_level)) {
        descend(program, cell, depth_level);
        continue;
      }
      const Program shorter = level.evaluator.prune(program, n);
      ++counters_.pruned;
      counters_.pruned_clauses += shorter.clauses().size();
      descend(shorter, cell, depth_level);
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
        hits_.push_back({x, y, cell.to[2] - 1});
      }
    }
    shade(program, cell);
  }

  /// Some layers of a leaf, and which of its quarters (x + 2 y) may show something there.
  struct Slab {
    unsigned from = 0, to = 0;
    std::array<bool, 4> may{};
  };

  /// The columns of a leaf, some layers at a time from the front.
  void search(const Program& program, const Cell& cell) {
    hits_.clear();
    middle_ = {(cell.from[0] + cell.to[0]) / 2, (cell.from[1] + cell.to[1]) / 2};
    for (const Slab& slab : slabsOf(program, cell)) {
      openColumns(cell, slab);
      for (unsigned z = slab.to; z > slab.from && columns_ > 0;) {
        const auto most = static_cast<unsigned>(std::max<std::size_t>(kBlockPoints / columns_, 1));
        const unsigned layers = std::min(z - slab.from, most);
        placeLayers(z - layers, z);
        evaluatePlaced(program);
        takeHits(z - layers, z);
        z -= layers;
      }
    }
    shade(program, cell);
  }

  /// Front to back. Of a leaf with many voxels the ranges over its eighths tell which hold none
  /// that is inside.
  std::span<const Slab> slabsOf(const Program& program, const Cell& cell) {
    const std::array<unsigned, 3> side{cell.to[0] - cell.from[0], cell.to[1] - cell.from[1],
                                       cell.to[2] - cell.from[2]};
    if (side[0] < 2 || side[1] < 2 || side[2] < 2 || side[0] * side[1] * side[2] < kManyVoxels) {
      slabs_[0] = {cell.from[2], cell.to[2], {true, true, true, true}};
      return std::span(slabs_).first(1);
    }
    const std::array<unsigned, 3> middle{middle_[0], middle_[1], (cell.from[2] + cell.to[2]) / 2};
    std::array<Bounds, 8> parts;
    std::array<Interval, 8> ranges;
    for (unsigned n = 0; n < parts.size(); ++n) {
      Cell part = cell;
      for (unsigned axis = 0; axis < 3; ++axis)
        ((n >> axis & 1U) != 0 ? part.from : part.to)[axis] = middle[axis];
      parts[n] = boundsOf(part);
    }
    points_.boxes(program, parts, ranges, false);
    counters_.boxes += parts.size();
    counters_.box_clauses += parts.size() * program.clauses().size();
    slabs_[0] = {middle[2], cell.to[2], {}};
    slabs_[1] = {cell.from[2], middle[2], {}};
    for (unsigned n = 0; n < parts.size(); ++n)
      slabs_[n < 4 ? 1 : 0].may[n % 4] = !(ranges[n].lo >= 0);
    return slabs_;
  }

  /// Those that do not show something in front of the slab.
  void openColumns(const Cell& cell, const Slab& slab) {
    columns_ = 0;
    const std::size_t most = std::size_t{cell.to[0] - cell.from[0]} * (cell.to[1] - cell.from[1]);
    if (column_height_.size() <= most) {
      column_pixel_.resize(most + 1);  // one is written behind the last
      column_height_.resize(most + 1);
      column_before_.resize(most + 1);
      column_x_.resize(most + 1);
      column_y_.resize(most + 1);
    }
    for (unsigned quarter = 0; quarter < slab.may.size(); ++quarter) {
      if (!slab.may[quarter]) continue;
      const bool right = quarter % 2 != 0, upper = quarter / 2 != 0;
      openRectangle(right ? middle_[0] : cell.from[0], right ? cell.to[0] : middle_[0],
                    upper ? middle_[1] : cell.from[1], upper ? cell.to[1] : middle_[1], slab.to);
    }
  }

  void openRectangle(unsigned left, unsigned right, unsigned bottom, unsigned top,
                     std::uint32_t front) {
    std::size_t at = columns_;
    std::size_t* const pixels = column_pixel_.data();
    std::uint32_t* const heights = column_height_.data();
    float *const xs = column_x_.data(), *const ys = column_y_.data();
    for (unsigned y = bottom; y < top; ++y) {
      const std::size_t first = pixel(0, y);
      const std::uint32_t* const shown = field_.height.data() + first;
      for (unsigned x = left; x < right; ++x) {
        // Written in any case, and kept by the step.
        pixels[at] = first + x;
        heights[at] = shown[x];
        xs[at] = centre_[x];
        ys[at] = centre_[y];
        at += shown[x] < front ? 1 : 0;
      }
    }
    columns_ = at;
  }

  /// The open columns' voxels of the layers, the front layer first.
  void placeLayers(unsigned from, unsigned to) {
    place(columns_ * (to - from));
    for (unsigned layer = 0; layer < to - from; ++layer) {
      const std::size_t at = layer * columns_;
      std::copy_n(column_x_.data(), columns_, x_.data() + at);
      std::copy_n(column_y_.data(), columns_, y_.data() + at);
      std::fill_n(z_.data() + at, columns_, depth(to - 1 - layer));
    }
  }

  /// Columns stay open whose voxels are outside and whose next ones are not hidden.
  void takeHits(unsigned from, unsigned to) {
    std::uint32_t* const heights = column_height_.data();
    std::uint32_t* const before = column_before_.data();
    std::copy_n(heights, columns_, before);
    if (anyInside(values_.data(), placed_))
      for (unsigned z = to; z > from; --z) raise(values_.data() + (to - z) * columns_, z);
    std::uint32_t highest = 0;
    for (std::size_t n = 0; n < columns_; ++n) highest = std::max(highest, heights[n]);
    if (highest < from) return;
    std::size_t left = 0;
    for (std::size_t n = 0; n < columns_; ++n) {
      const std::uint32_t height = heights[n];
      const std::size_t at = column_pixel_[n];
      if (height != before[n]) {
        field_.height[at] = height;
        hits_.push_back({static_cast<unsigned>(at % size_),
                         size_ - 1 - static_cast<unsigned>(at / size_), height - 1});
      }
      column_pixel_[left] = at;
      column_x_[left] = column_x_[n];
      column_y_[left] = column_y_[n];
      heights[left] = height;
      left += height < from ? 1 : 0;
    }
    columns_ = left;
  }

  /// The heights of columns that a layer which ends at `z` shows.
  void raise(const float* row, std::uint32_t z) {
    std::uint32_t* const heights = column_height_.data();
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

  /// Normals at the hits, by differences that stay inside the cell.
  void shade(const Program& program, const Cell& cell) {
    if (hits_.empty()) return;
    const std::size_t count = hits_.size();
    const float step = 1.0F / static_cast<float>(size_);  // half a voxel
    place(4 * count);
    if (towards_[0].size() < count)
      for (std::vector<float>& signs : towards_) signs.resize(count);
    for (std::size_t n = 0; n < count; ++n) {
      const Voxel& hit = hits_[n];
      x_[n] = centre_[hit.x];
      y_[n] = centre_[hit.y];
      z_[n] = depth(hit.z);
      for (unsigned axis = 0; axis < 3; ++axis) towards_[axis][n] = towards(hit, cell, axis);
    }
    const std::array<std::vector<float>*, 3> rows{&x_, &y_, &z_};
    for (unsigned axis = 0; axis < 3; ++axis) {
      float* const row = rows[axis]->data();
      for (unsigned moved = 0; moved < 3; ++moved)
        std::copy_n(row, count, row + (moved + 1) * count);
      float* const there = row + (axis + 1) * count;
      const float* const sign = towards_[axis].data();
      for (std::size_t n = 0; n < count; ++n) there[n] += sign[n] * step;
    }
    evaluatePlaced(program);
    differences(count);
    for (std::size_t n = 0; n < count; ++n)
      field_.normal[pixel(hits_[n].x, hits_[n].y)] = {x_[n], y_[n], z_[n]};
  }

  /// From f at the hits and beside them to unit normals in x_, y_ and z_.
  void differences(std::size_t count) {
    float *const x = x_.data(), *const y = y_.data(), *const z = z_.data();
    const float *const sx = towards_[0].data(), *const sy = towards_[1].data(),
                       *const sz = towards_[2].data(), *const f = values_.data();
    for (std::size_t n = 0; n < count; ++n) {
      const float dx = (f[count + n] - f[n]) * sx[n], dy = (f[2 * count + n] - f[n]) * sy[n],
                  dz = (f[3 * count + n] - f[n]) * sz[n];
      const float length = std::sqrt(0.0F + dx * dx + dy * dy + dz * dz);
      const bool good = length > 0 && length < std::numeric_limits<float>::infinity();
      x[n] = good ? dx / length : 0.0F;
      y[n] = good ? dy / length : 0.0F;
      z[n] = good ? dz / length : 1.0F;
    }
  }

  struct Voxel {
    unsigned x, y, z;
  };
  /// Sign of the direction in which the cell goes on; 0 across a plane.
  [[nodiscard]] float towards(const Voxel& hit, const Cell& cell, unsigned axis) const {
    if (axis == 2 && flat_) return 0;
    const std::array<unsigned, 3> at{hit.x, hit.y, hit.z};
    return 2 * at[axis] + 1 <= cell.from[axis] + cell.to[axis] ? 1.0F : -1.0F;
  }

  void place(std::size_t count) {
    placed_ = count;
    if (values_.size() >= count) return;
    for (std::vector<float>* row : {&x_, &y_, &z_, &values_}) row->resize(count);
  }
  void evaluatePlaced(const Program& program) {
    points_.points(program, std::span(x_).first(placed_), std::span(y_).first(placed_),
                   std::span(z_).first(placed_), std::span(values_).first(placed_));
    counters_.points += placed_;
    counters_.point_clauses += placed_ * program.clauses().size();
  }

  unsigned size_;
  bool flat_;
  const std::vector<unsigned>& boxes_;
  HeightField& field_;
  HeightFieldCounters& counters_;
  BatchEvaluator points_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<float> centre_, x_, y_, z_, values_;
  std::size_t placed_ = 0;                     ///< points in them
  std::array<std::vector<float>, 3> towards_;  ///< of each hit: signs of towards()
  std::vector<Voxel> hits_;

  // Of the leaf that is searched.
  std::array<unsigned, 2> middle_{};
  std::array<Slab, 2> slabs_;
  std::size_t columns_ = 0;  ///< open ones, in these:
  std::vector<std::size_t> column_pixel_;
  std::vector<std::uint32_t> column_height_, column_before_;  ///< shown so far
  std::vector<float> column_x_, column_y_;
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

HeightField render(const Program& program, const HeightFieldOptions& options,
                   HeightFieldCounters* counters) {
  check(options);
  HeightField field;
  field.size = options.size;
  const std::size_t pixels = std::size_t{options.size} * options.size;
  field.height.resize(pixels);
  field.normal.resize(pixels);
  HeightFieldCounters ignored;
  Renderer(options, field, counters != nullptr ? *counters : ignored).run(program);
  return field;
}

}  // namespace rtvp::implicit::registers
