// One instruction on a block of shading points: the arithmetic of the batched engine, compiled once
// per instruction set of the host. Results equal the plain machine's bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/common/host_isa.hpp"

namespace rtvp::sl::batch {

inline constexpr unsigned kPoints = 64;         ///< of a block: a bit each in a 64-bit set
inline constexpr unsigned kRows = 26 * 3 + 12;  ///< lanes of vectors, then scalars

/// Registers of a block: a row holds one lane of one register at all points.
struct alignas(64) Block {
  float rows[kRows][kPoints];
  std::uint32_t random[kPoints];
};

/// Operands of an instruction: rows of the lane x, or of the scalar.
struct Operands {
  std::uint16_t destination;
  std::uint16_t a;
  std::uint16_t b;
  float literal;
};

/// Tables of the noise, as kernels gather from them.
struct Tables {
  std::int32_t permutation[256];
  float slopes[256];            ///< of the 1-D noise, by x & 255
  std::int32_t gradients[256];  ///< by hash
};

/// All ones at points that take part, 0 elsewhere.
struct alignas(64) Mask {
  std::int32_t on[kPoints];
};

/// Runs an instruction at the points of the mask, or at all if it is null.
using Kernel = void (*)(Block&, const Operands&, const Tables&, const Mask*);

struct Kernels {
  Kernel form[31];  ///< by Form; null for those that are not arithmetic
  /// Points at which row a < row b, as bits.
  std::uint64_t (*less)(const Block&, const Operands&);
  void (*expand)(std::uint64_t bits, Mask&);
  /// row[i] = from[i * stride] for all points of a block.
  void (*collect)(float* row, const float* from, std::size_t stride);
};

using common::bestIsa;
using common::Isa;
using common::isaName;
using common::isaUsable;
using common::kIsas;

/// The table; the instruction set must be usable.
const Kernels& kernels(Isa isa);

}  // namespace rtvp::sl::batch
