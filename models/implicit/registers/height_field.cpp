// See height_field.hpp.
#include "models/implicit/registers/height_field.hpp"

#include <algorithm>
#include <stdexcept>

#include "models/implicit/registers/batch/kernels.hpp"

namespace rtvp::implicit::registers {
namespace {

constexpr std::size_t kBlockPoints = 256;  ///< that leaves evaluate at once

/// Columns of a leaf are searched in tiles of so many a side.
constexpr unsigned kTile = batch::kTile;

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

/// Where a picture in the plane has its voxels.
constexpr float kPlane = 0;

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
        kernels_(batch::kernels(options.isa)),
        points_(options.isa) {
    shaded_.size = static_cast<float>(size_);
    shaded_.flat = flat_ ? 1 : 0;
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

  /// No hits of a cell that is about to be drawn; room for what it may show.
  void startHits(const Cell& cell) {
    const std::size_t most =
        std::size_t{cell.to[0] - cell.from[0]} * (cell.to[1] - cell.from[1]) + batch::kSlack;
    if (hit_place_.size() < most) {
      hit_place_.resize(most);
      hit_height_.resize(most);
      hit_f_.resize(most);
    }
    hits_ = {hit_place_.data(), hit_height_.data(), hit_f_.data(), 0};
  }
  [[nodiscard]] std::size_t pixel(std::uint32_t place) const {
    return pixel(place & ((1U << batch::kRowShift) - 1), place >> batch::kRowShift);
  }
  /// What the hits show, from the first of them on.
  void show(std::size_t first) {
    for (std::size_t n = first; n < hits_.count; ++n)
      field_.height[pixel(hits_.place[n])] = hits_.height[n];
  }

  /// All of the cell is inside: its front shows.
  void fill(const Program& program, const Cell& cell) {
    startHits(cell);
    std::size_t count = 0;
    for (unsigned y = cell.from[1]; y < cell.to[1]; ++y) {
      const std::uint32_t* const shown = field_.height.data() + pixel(0, y);
      for (unsigned x = cell.from[0]; x < cell.to[0]; ++x) {
        // Written in any case, and kept by the step.
        hits_.place[count] = x | y << batch::kRowShift;
        hits_.height[count] = cell.to[2];
        count += shown[x] < cell.to[2] ? 1U : 0U;
      }
    }
    hits_.count = count;
    show(0);
    shade(program, cell, false);
  }

  /// Some layers of a leaf, and which of its quarters (x + 2 y) may show something there.
  struct Slab {
    unsigned from = 0, to = 0;
    std::array<bool, 4> may{};
  };

  /// The columns of a leaf, a tile after the other.
  void search(const Program& program, const Cell& cell) {
    startHits(cell);
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
    kernels_.open_columns(columns_, tileOf(tile, slab), slab.to);
    const std::size_t before = hits_.count;
    for (unsigned z = slab.to; z > slab.from && columns_.count > 0;) {
      const unsigned layers =
          std::min(z - slab.from, static_cast<unsigned>(most_ / columns_.count));
      const std::array<float*, 3> rows = place(program, columns_.count * layers);
      kernels_.place_layers(columns_, flat_ ? &kPlane : &centre_[z - 1], layers, rows[0], rows[1],
                            rows[2]);
      kernels_.take_hits(columns_, evaluate(program), z - layers, z, hits_);
      z -= layers;
    }
    show(before);
  }

  /// The tile, and which of its columns may show something in the slab.
  [[nodiscard]] batch::Tile tileOf(const Cell& tile, const Slab& slab) const {
    const auto within = [&](unsigned axis) {
      return std::clamp(middle_[axis], tile.from[axis], tile.to[axis]) - tile.from[axis];
    };
    const unsigned all = (1U << (tile.to[0] - tile.from[0])) - 1, left = (1U << within(0)) - 1;
    const auto columns = [&](bool may_left, bool may_right) {
      return static_cast<std::uint8_t>((may_left ? left : 0) | (may_right ? all ^ left : 0));
    };
    batch::Tile result{};
    result.shown = field_.height.data() + pixel(tile.from[0], tile.from[1]);
    result.row = -static_cast<std::ptrdiff_t>(size_);
    result.x = centre_.data() + tile.from[0];
    result.y = centre_.data() + tile.from[1];
    result.place = tile.from[0] | tile.from[1] << batch::kRowShift;
    result.rows = tile.to[1] - tile.from[1];
    result.lower = within(1);
    result.may_lower = columns(slab.may[0], slab.may[1]);
    result.may_upper = columns(slab.may[2], slab.may[3]);
    return result;
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

  /// Normals at the hits, by differences that stay inside the cell. `known`: f at the hits is.
  void shade(const Program& program, const Cell& cell, bool known) {
    const std::size_t points = (flat_ ? 2U : 3U) + (known ? 0U : 1U);  // of a hit
    const std::size_t most =
        std::min(batch::kMostShaded, BatchEvaluator::mostPoints(program) / points);
    for (unsigned axis = 0; axis < 3; ++axis)
      shaded_.twice_middle[axis] = cell.from[axis] + cell.to[axis];
    for (std::size_t first = 0; first < hits_.count; first += most) {
      const std::size_t count = std::min(most, hits_.count - first);
      const auto groups =
          static_cast<unsigned>((count + batch::kLanes - 1) / batch::kLanes * batch::kLanes);
      kernels_.beside_hits(shaded_, hits_.place + first, hits_.height + first, groups);
      placeBeside(count, place(program, points * count));
      const float* const f = evaluate(program);
      std::copy_n(f, count, shaded_.fx);
      std::copy_n(f + count, count, shaded_.fy);
      if (!flat_) std::copy_n(f + 2 * count, count, shaded_.fz);
      std::copy_n(known ? hits_.f + first : f + (points - 1) * count, count, shaded_.f);
      kernels_.normals(shaded_, groups);
      for (std::size_t n = 0; n < count; ++n)
        field_.normal[pixel(hits_.place[first + n])] = {shaded_.normal[0][n], shaded_.normal[1][n],
                                                        shaded_.normal[2][n]};
    }
  }

  /// For each axis the points half a voxel from the hits, then, where there is room, the hits.
  void placeBeside(std::size_t count, const std::array<float*, 3>& rows) const {
    const std::size_t axes = flat_ ? 2 : 3;
    for (std::size_t at = 0; at * count < placed_; ++at) {
      for (std::size_t row = 0; row < 3; ++row)
        std::copy_n(at == row && at < axes ? shaded_.beside[row] : shaded_.at[row], count,
                    rows[row] + at * count);
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
  const batch::Kernels& kernels_;
  BatchEvaluator points_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<float> centre_;
  std::size_t placed_ = 0;  ///< points that are to be evaluated

  // Hits of a cell, and what shades them.
  std::vector<std::uint32_t> hit_place_, hit_height_;
  std::vector<float> hit_f_;
  batch::Hits hits_{};
  batch::Beside shaded_{};

  // Of the leaf that is searched.
  std::array<unsigned, 2> middle_{};
  std::array<Slab, kMostSlabs> slabs_;
  std::size_t most_ = 0;  ///< points that are evaluated together
  batch::Columns columns_{};
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
  constexpr std::size_t kTogether = 16;  // pixels, as vectors
  const std::size_t pixels = std::size_t{size} * size;
  if (field.size != size || field.height.size() != pixels || field.normal.size() != pixels) {
    field = {};
    field.size = size;
    field.height.resize(pixels);
    field.normal.resize(pixels);
    return;
  }
  for (std::size_t first = 0; first < pixels; first += kTogether) {
    const std::size_t count = std::min(kTogether, pixels - first);
    std::uint32_t* const height = field.height.data() + first;
    std::uint32_t any = 0;
    for (std::size_t n = 0; n < count; ++n) any |= height[n];
    if (any == 0) continue;
    std::fill_n(height, count, 0U);
    std::fill_n(field.normal.data() + first, count, std::array<float, 3>{});
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
