// A program drawn as an orthographic height field: of each column of voxel centres in the cube
// -1..1, seen along -z, the first that is inside (f < 0), and the surface's normal there. Boxes are
// halved down by ranges and pruning, front to back; what is hidden is not evaluated.
//
// Invariants: a box is left out only if its range is surely outside, or if every column of it shows
// something nearer already; a shortened program has the whole one's values all over its box; so
// each pixel shows the first voxel, from the front, that evaluate() finds inside. The plain twin is
// to ask for each voxel, as the tests do; `isa` changes no bit.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "models/implicit/registers/batch_evaluator.hpp"
#include "models/implicit/registers/program.hpp"

namespace rtvp::implicit::registers {

struct HeightFieldOptions {
  unsigned size = 256;  ///< pixels on each side, and voxels in depth; at most kMaxSize
  bool flat = false;    ///< 2D: only the plane z = 0; heights are 0 or 1
  common::Isa isa = common::bestIsa();
  /// Sides of the boxes in voxels, each a multiple of the next; the last are evaluated by points.
  std::vector<unsigned> boxes{128, 32, 8};

  static constexpr unsigned kMaxSize = 4096;
};

/// Memory that is zero from the start: the C library knows which pages are, and does not fill them.
template <class T>
struct ZeroedMemory {
  using value_type = T;
  ZeroedMemory() = default;
  template <class U>
  explicit ZeroedMemory(const ZeroedMemory<U>& /*other*/) {}
  T* allocate(std::size_t count) {
    void* const memory = std::calloc(count, sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t /*count*/) { std::free(memory); }
  template <class U>
  static void construct(U* /*at*/) {}  // zeros
  bool operator==(const ZeroedMemory& /*other*/) const { return true; }
};

struct HeightField {
  unsigned size = 0;
  /// By pixel, top row first: 0 where nothing is hit, else the number + 1 of the hit voxel from the
  /// back.
  std::vector<std::uint32_t, ZeroedMemory<std::uint32_t>> height;
  /// Unit vectors (forward differences of half a voxel); zeros where nothing is hit.
  std::vector<std::array<float, 3>, ZeroedMemory<std::array<float, 3>>> normal;

  [[nodiscard]] std::size_t hits() const;
};

/// What a rendering took.
struct HeightFieldCounters {
  std::uint64_t boxes = 0, points = 0;
  std::uint64_t box_clauses = 0, point_clauses = 0;  ///< clauses times boxes or points
  std::uint64_t pruned = 0, pruned_clauses = 0;  ///< programs made by pruning, and their clauses
};

/// Coordinate of a voxel's centre: of a column from the left, of a row from the bottom, in depth
/// from the back.
float voxelCentre(unsigned index, unsigned size);

/// Throws std::invalid_argument if the options make no sense.
HeightField render(const Program& program, const HeightFieldOptions& options,
                   HeightFieldCounters* counters = nullptr);
/// The same into an earlier rendering's memory, or an empty one's: for pictures in a row.
void render(const Program& program, const HeightFieldOptions& options, HeightField& field,
            HeightFieldCounters* counters = nullptr);

}  // namespace rtvp::implicit::registers
