// The vector kernels of the SIMT engine: one C32 operation applied to a row of lanes
// (performance.md sections 3 and 4). A table of functions per instruction set of the host; every
// table gives the same bits: the invariant of all kernels, whose plain twin is the one of plain C++
// (vec_scalar.hpp, array.isa=scalar); the tests hold each to the definitions.
//
// A float row holds doubles: every 40-bit value fits exactly (3.1). Zero is +0.0, never -0.0. The
// arithmetic kernels expect the host's rounding mode "down" (rounding.hpp).
//
// N and Z travel as a double, the flag value: N is its sign bit, Z is "equals zero", so -0.0 is N
// and Z together. V and UF come out of Faults.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/c32/simt/lane_mask.hpp"
#include "models/common/host_isa.hpp"

namespace rtvp::c32::simt {

/// Lanes a kernel works on, by vectors of `width` lanes. list == nullptr: vectors 0 to count - 1
/// with all their lanes; otherwise the vectors named, those lanes only whose bits are set.
struct LaneSet {
  std::uint32_t count = 0;
  const std::uint16_t* list = nullptr;
  const LaneMask* mask = nullptr;
};

/// Lanes whose result left the range: saturated (V) or flushed to zero (UF).
struct Faults {
  LaneMask overflow;
  LaneMask underflow;
  bool any = false;
};

/// A source row: stride 1, or 0 for a block of one vector that stands for every lane.
struct Source {
  const double* p = nullptr;
  std::size_t stride = 1;
};
struct WordSource {
  const std::uint32_t* p = nullptr;
  std::size_t stride = 1;
};

/// A row, or what stands for one, to another one.
struct Pick {
  double* d = nullptr;
  Source s;
};

/// Conditions on N and Z alone.
enum class NzCond : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge };
inline constexpr unsigned kNzConds = 6;

/// A table of words whose places each have a stamp: only words with the stamp asked for are known.
struct WordTable {
  const std::uint32_t* words = nullptr;
  const std::uint32_t* stamps = nullptr;
  std::uint32_t stamp = 0;
  std::uint32_t count = 0;
  std::uint32_t first = 0;  ///< address of the first word
  std::uint32_t addressMask = 0;
  std::uint32_t displacement = 0;  ///< added to addresses
};

struct Kernels {
  unsigned width = 1;  ///< lanes a vector

  /// b OP a into `d` (may be a source); flag values into `flags` unless null. Lanes outside the
  /// range are added to Faults.
  using Binary = void (*)(const LaneSet&, double* d, Source b, Source a, double* flags, Faults&);
  using Unary = void (*)(const LaneSet&, double* d, Source a, double* flags, Faults&);
  Binary mpyf[4];  ///< bit 0: a, bit 1: b has 24-bit mantissas (no cut needed)
  Binary addf[2];  ///< by Alignment (float40.hpp)
  Binary subf[2];  ///< b - a
  Binary cmpf[2];  ///< flags of b - a; d unused
  Unary negf;
  Unary absf;
  Unary rnd;  ///< reads `flags` too: Z stays
  Unary ldf;  ///< copy
  Unary cut;  ///< to 24-bit mantissas, as STF does; no flags

  /// d = condition(flags) ? a : d.
  void (*select[kNzConds])(const LaneSet&, double* d, Source a, const double* flags);
  /// Lanes of the set for which the condition holds; `out` starts empty.
  void (*holds[kNzConds])(const LaneSet&, const double* flags, LaneMask& out);

  /// A comparison with what is chosen by it, one vector after the other: flags of b - a (kept if
  /// there is a row for them), then picks[0] where the condition holds; `copyPick`: picks[0] in all
  /// lanes, then [1] and [2] where it holds. A pick sees what the ones before it have written.
  using Chosen = void (*)(const LaneSet&, Source b, Source a, const Pick* picks, double* flags,
                          Faults&);
  Chosen comparePick[2][kNzConds];  ///< by Alignment, condition
  Chosen compareCopyPick[2][kNzConds];

  /// Conversions. `raw`: lanes that hold a zero with a nonzero mantissa, which a double cannot
  /// keep.
  void (*fromWords)(const LaneSet&, double* d, const std::uint32_t* words, LaneMask& raw);
  void (*toWords)(const LaneSet&, std::uint32_t* words, const double* a);
  void (*fromExtended)(const LaneSet&, double* d, const std::uint32_t* mantissa,
                       const std::int32_t* exponent, LaneMask& raw);
  void (*toMantissa)(const LaneSet&, std::uint32_t* mantissa, const double* a);
  void (*toExponent)(const LaneSet&, std::int32_t* exponent, const double* a);

  /// Bitwise operations and copies of words; flag values unless null.
  using Bitwise = void (*)(const LaneSet&, std::uint32_t* d, WordSource b, WordSource a,
                           double* flags);
  Bitwise bitAnd, bitOr, bitXor, bitAndn;  ///< ANDN: b & ~a
  void (*copyWords)(const LaneSet&, std::uint32_t* d, WordSource a, double* flags);

  /// b OP a on words, with wrapped results; flag values unless null. Lanes with a carry and with
  /// an overflow are added to the masks.
  using Integer = void (*)(const LaneSet&, std::uint32_t* d, WordSource b, WordSource a,
                           double* flags, LaneMask& carry, LaneMask& overflow);
  Integer addWords, subtractWords, multiplyWords;  ///< ADDI, SUBI, MPYI
  Integer shiftWords, shiftSigned;                 ///< LSH, ASH
  /// FIX: lanes that saturate are added to `overflow`. FLOAT.
  void (*fixWords)(const LaneSet&, std::uint32_t* d, Source a, double* flags, LaneMask& overflow);
  void (*floatWords)(const LaneSet&, double* d, WordSource a, double* flags);
  /// Of the first `lanes`, the word at each one's address. False: one lies elsewhere or is not
  /// known.
  bool (*lookUp)(std::uint32_t lanes, std::uint32_t* d, const std::uint32_t* addresses,
                 const WordTable& table);
};

using common::Isa;
using common::isaName;
using common::isaUsable;
inline constexpr auto& kAllIsas = common::kIsas;

/// The best usable one for so many lanes: four lanes and fewer gain nothing from longer vectors.
[[nodiscard]] Isa bestIsa(unsigned lanes);
/// The table; the ISA must be usable.
[[nodiscard]] const Kernels& kernels(Isa isa);
/// The table for so many lanes: four of them fill no vector of eight, so that AVX-512 hosts use the
/// kernels of AVX2 for them.
[[nodiscard]] const Kernels& kernelsFor(Isa isa, unsigned lanes);

}  // namespace rtvp::c32::simt
