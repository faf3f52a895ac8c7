// One clause on many points, or on many boxes: the arithmetic of the batch evaluator, compiled once
// per instruction set of the host. Results equal the plain machine's bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/common/host_isa.hpp"
#include "models/implicit/opcode.hpp"
#include "models/implicit/registers/batch/columns.hpp"

namespace rtvp::implicit::registers::batch {

inline constexpr unsigned kLanes = 16;    ///< rows are whole multiples of it, and 64-byte aligned
inline constexpr unsigned kBoxes = 64;    ///< of a row of ranges: one bit of a word each
inline constexpr unsigned kBoxLanes = 8;  ///< boxes are evaluated in whole multiples of it

/// Ranges of one number over the boxes; `u` is all ones where it may be undefined, else 0.
struct alignas(64) RangeRow {
  float lo[kBoxes];
  float hi[kBoxes];
  std::int32_t u[kBoxes];
};

/// Which operand is one constant for all lanes.
enum class Form : std::uint8_t { Rows, FirstConstant, SecondConstant };
inline constexpr unsigned kForms = 3;

/// Null where a function has no kernel: it is computed lane by lane. Destinations may be sources.
struct Kernels {
  void (*fill)(float* d, float value, unsigned n);
  void (*unary[kFunctions])(float* d, const float* a, unsigned n);
  void (*binary[kFunctions][kForms])(float* d, const float* a, const float* b, unsigned n);
  void (*ternary[kFunctions])(float* d, const float* a, const float* b, const float* c, unsigned n);

  /// Of derivatives by x, y and z, three rows behind each other: d = a x, d = a x + b y.
  void (*slope_scale)(float* d, const float* a, const float* x, unsigned n);
  void (*slope_sum)(float* d, const float* a, const float* x, const float* b, const float* y,
                    unsigned n);
  /// Of a value and its derivatives, four rows: `first` where a < b, else `second`.
  void (*choose)(float* d, const float* a, const float* b, const float* first, const float* second,
                 unsigned n);

  void (*range_fill)(RangeRow& d, float value, unsigned n);
  void (*range_unary[kFunctions])(RangeRow& d, const RangeRow& a, unsigned n);
  void (*range_binary[kFunctions])(RangeRow& d, const RangeRow& a, const RangeRow& b, unsigned n);
  /// The second operand is a finite constant.
  void (*range_constant[kFunctions])(RangeRow& d, const RangeRow& a, float b, unsigned n);
  /// The smaller, or greater, of numbers, and one bit a box for what wins all over it: the first
  /// one in winner[0], the second one in winner[1].
  void (*range_least)(RangeRow& d, const RangeRow& a, const RangeRow& b, std::uint64_t* winner,
                      unsigned n);
  void (*range_most)(RangeRow& d, const RangeRow& a, const RangeRow& b, std::uint64_t* winner,
                     unsigned n);

  // Of height fields, see columns_body.hpp. Of the last two `n` is in whole groups of lanes.
  void (*open_columns)(Columns& columns, const Tile& tile, std::uint32_t front);
  void (*place_layers)(const Columns& columns, const float* depth, unsigned layers, float* x,
                       float* y, float* z);
  void (*take_hits)(Columns& columns, const float* values, std::uint32_t from, std::uint32_t to,
                    Hits& hits);
  void (*beside_hits)(Beside& shaded, const std::uint32_t* places, const std::uint32_t* heights,
                      unsigned n);
  void (*normals)(Beside& shaded, unsigned n);
};

/// The table; the instruction set must be usable.
const Kernels& kernels(common::Isa isa);

}  // namespace rtvp::implicit::registers::batch
