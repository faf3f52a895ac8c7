// See height_field.hpp.
#include "models/implicit/registers/height_field.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace rtvp::implicit::registers {
namespace {

constexpr std::size_t kBlockPoints = 256;  ///< that leaves evaluate at once

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
      if (!level.evaluator.decides(program, n)) {
        descend(program, cell, depth_level);
        continue;
      }
      const Program shorter = level.evaluator.prune(program, n);
      ++counters_.pruned;
      counters_.pruned_clauses += shorter.clauses().size();
      descend(shorter, cell, depth_level);
    }
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

  /// The columns of a leaf, some layers at a time from the front.
  void search(const Program& program, const Cell& cell) {
    hits_.clear();
    open_.clear();
    for (unsigned y = cell.from[1]; y < cell.to[1]; ++y) {
      for (unsigned x = cell.from[0]; x < cell.to[0]; ++x) {
        const std::uint32_t height = field_.height[pixel(x, y)];
        if (height < cell.to[2]) open_.push_back({x, y, height});
      }
    }
    for (unsigned z = cell.to[2]; z > cell.from[2] && !open_.empty();) {
      const auto most =
          static_cast<unsigned>(std::max<std::size_t>(kBlockPoints / open_.size(), 1));
      const unsigned layers = std::min(z - cell.from[2], most);
      placeLayers(z - layers, z);
      evaluatePlaced(program);
      takeHits(z - layers, z);
      z -= layers;
    }
    shade(program, cell);
  }

  /// The open columns' voxels of the layers, the front layer first.
  void placeLayers(unsigned from, unsigned to) {
    const std::size_t columns = open_.size();
    place(columns * (to - from));
    for (std::size_t n = 0; n < columns; ++n) {
      x_[n] = centre_[open_[n].x];
      y_[n] = centre_[open_[n].y];
    }
    for (unsigned layer = 0; layer < to - from; ++layer) {
      const std::size_t at = layer * columns;
      std::copy_n(x_.data(), layer > 0 ? columns : 0, x_.data() + at);
      std::copy_n(y_.data(), layer > 0 ? columns : 0, y_.data() + at);
      std::fill_n(z_.data() + at, columns, depth(to - 1 - layer));
    }
  }

  /// Columns stay open whose voxels are outside and whose next ones are not hidden.
  void takeHits(unsigned from, unsigned to) {
    const std::size_t columns = open_.size();
    for (unsigned z = to; z > from; --z) {
      const float* const row = values_.data() + (to - z) * columns;
      int any = 0;
      for (std::size_t n = 0; n < columns; ++n) any |= row[n] < 0 ? 1 : 0;
      if (any == 0) continue;
      for (std::size_t n = 0; n < columns; ++n) {
        Column& column = open_[n];
        if (!(row[n] < 0) || column.height >= z) continue;
        column.height = z;
        field_.height[pixel(column.x, column.y)] = z;
        hits_.push_back({column.x, column.y, z - 1});
      }
    }
    std::erase_if(open_, [from](const Column& column) { return column.height >= from; });
  }

  /// Normals at the hits, by differences that stay inside the cell.
  void shade(const Program& program, const Cell& cell) {
    if (hits_.empty()) return;
    const std::size_t count = hits_.size();
    const float step = 1.0F / static_cast<float>(size_);  // half a voxel
    place(4 * count);
    for (std::size_t n = 0; n < count; ++n) {
      const Voxel& hit = hits_[n];
      const std::array<float, 3> p{centre_[hit.x], centre_[hit.y], depth(hit.z)};
      put(n, p[0], p[1], p[2]);
      for (unsigned axis = 0; axis < 3; ++axis) {
        std::array<float, 3> q = p;
        q[axis] += towards(hit, cell, axis) * step;
        put((axis + 1) * count + n, q[0], q[1], q[2]);
      }
    }
    evaluatePlaced(program);
    for (std::size_t n = 0; n < count; ++n) {
      const Voxel& hit = hits_[n];
      std::array<float, 3> normal{};
      float length = 0;
      for (unsigned axis = 0; axis < 3; ++axis) {
        const float difference = values_[(axis + 1) * count + n] - values_[n];
        normal[axis] = difference * towards(hit, cell, axis);
        length += normal[axis] * normal[axis];
      }
      length = std::sqrt(length);
      const bool good = length > 0 && std::isfinite(length);
      for (float& component : normal) component = good ? component / length : 0;
      if (!good) normal = {0, 0, 1};
      field_.normal[pixel(hit.x, hit.y)] = normal;
    }
  }

  struct Voxel {
    unsigned x, y, z;
  };
  struct Column {
    unsigned x, y;
    std::uint32_t height;  ///< shown so far
  };

  /// Sign of the direction in which the cell goes on; 0 across a plane.
  [[nodiscard]] float towards(const Voxel& hit, const Cell& cell, unsigned axis) const {
    if (axis == 2 && flat_) return 0;
    const std::array<unsigned, 3> at{hit.x, hit.y, hit.z};
    return 2 * at[axis] + 1 <= cell.from[axis] + cell.to[axis] ? 1.0F : -1.0F;
  }

  void place(std::size_t count) {
    for (std::vector<float>* row : {&x_, &y_, &z_, &values_}) row->resize(count);
  }
  void put(std::size_t at, float x, float y, float z) {
    x_[at] = x;
    y_[at] = y;
    z_[at] = z;
  }
  void evaluatePlaced(const Program& program) {
    points_.points(program, x_, y_, z_, values_);
    counters_.points += values_.size();
    counters_.point_clauses += values_.size() * program.clauses().size();
  }

  unsigned size_;
  bool flat_;
  const std::vector<unsigned>& boxes_;
  HeightField& field_;
  HeightFieldCounters& counters_;
  BatchEvaluator points_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<float> centre_, x_, y_, z_, values_;
  std::vector<Voxel> hits_;
  std::vector<Column> open_;
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
