// One register or one word of internal RAM in all lanes, with two views: as doubles (F) and as the
// bits that the C32 keeps (M; registers have their exponent byte beside it). A view is made when it
// is asked for and dropped when the other one is written (performance.md 3.5, 4.2). A row whose
// value is the same in every lane is held once.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

#include "models/c32/float40.hpp"
#include "models/c32/simt/kernels.hpp"

namespace rtvp::c32::simt {

/// A block that stands for every lane holds this many copies: the longest vector.
inline constexpr unsigned kBlock = 8;

/// The lanes an instruction works on, with the list of vectors that hold any of them.
struct Active {
  LaneMask mask;
  bool full = true;         ///< every lane, padding included
  std::uint32_t lanes = 0;  ///< processors among them, padding not counted
  std::uint32_t vectors = 0;
  bool once = false;  ///< full and several vectors: values all share are computed once
  std::uint16_t list[kMaxLanes];
  LaneSet lanes_;  ///< for kernels; points into this object

  Active() = default;
  Active(const Active&) = delete;
  Active& operator=(const Active&) = delete;
  [[nodiscard]] const LaneSet& set() const { return lanes_; }
};

/// What all rows of an array have in common.
struct RowShape {
  const Kernels* k = nullptr;
  unsigned processors = 0;
  unsigned lanes = 0;  ///< padded to whole vectors; the padding repeats lane 0
  LaneMask all;
  LaneMask real;           ///< without the padding
  unsigned maskWords = 0;  ///< of a mask: the others are zero

  void choose(Active& active, const LaneMask& mask) const;
};

/// Exact, without library calls; `x` must not be a zero with a mantissa.
[[nodiscard]] double exactDouble(Float40 x);
[[nodiscard]] Float40 exactFloat40(double x);
/// Of a single word; a zero with a mantissa gives zero.
[[nodiscard]] inline double singleToDouble(std::uint32_t word) {
  const std::uint32_t biased = word >> 24 ^ 0x80u;
  if (biased == 0) return 0.0;
  const std::uint64_t sign = 0 - static_cast<std::uint64_t>(word >> 23 & 1u);
  const std::uint64_t fraction = (word ^ sign) & 0x7FFFFFu;
  const std::uint64_t t = static_cast<std::uint64_t>(biased + (1023u - 128u)) << 52 |
                          fraction << 29 | (sign & 0x1FFFFFFFu);
  return std::bit_cast<double>((t - sign) | sign << 63);
}
/// No mantissa bits below the 24 of a single word.
[[nodiscard]] inline bool isShortValue(double x) {
  return (std::bit_cast<std::uint64_t>(x) & 0x1FFFFFFFu) == 0;
}
[[nodiscard]] inline bool fitsDouble(Float40 x) {
  return !x.isZero() || x.mantissa == 0;
}

class Row {
 public:
  /// `ram`: words with a single-format float view; otherwise an extended register.
  Row(const RowShape& shape, bool ram);

  // ---- reading, for the active lanes
  /// p is null if a lane holds a zero with a mantissa, which no double can stand for.
  Source readF(const Active& active) {
    if (ready_.p != nullptr) return ready_;
    return makeF(active);
  }
  WordSource readM(const Active& active) {
    if (hasM_) return uniform_ ? WordSource{um_, 0} : WordSource{m_, 1};
    return makeM(active);
  }
  [[nodiscard]] bool uniform() const { return uniform_; }
  /// Every lane of the F view has a 24-bit mantissa.
  [[nodiscard]] bool shortF() const { return short_; }
  [[nodiscard]] bool knowsWord() const { return uniform_ && hasM_; }
  /// The M view of a uniform row (after readM, or if it is known).
  [[nodiscard]] std::uint32_t word() const { return um_[0]; }

  // ---- writing: returns where the active lanes' new values go
  double* writeF(const Active& active, bool isShort) {
    if (!active.full) return writeSomeF(active, isShort);
    uniform_ = mixed_ = hasM_ = false;
    hasF_ = true;
    ready_ = {f_, 1};
    short_ = shortF_ = isShort;
    return f_;
  }
  /// The same with the old values in place, for conditional writes; null as readF.
  double* updateF(const Active& active, bool isShort) {
    if (!hasF_ || uniform_) return updateSomeF(active, isShort);
    hasM_ = false;
    shortF_ = shortF_ && isShort;
    short_ = ram_ || shortF_;
    return f_;
  }
  std::uint32_t* writeM(const Active& active) {
    if (!active.full || !hasM_ || uniform_) return remakeM(active);
    hasF_ = false;
    ready_ = {nullptr, 1};
    short_ = ram_;
    return m_;
  }
  /// The words of all lanes, in memory as large and aligned as the row's, which it gets for it.
  void swapWords(const Active& active, std::uint32_t*& words) {
    writeM(active);
    std::swap(m_, words);
  }
  /// Both views' worth of one value into the active lanes.
  void storeExtended(const Active& active, Float40 value);
  /// Where the views are, whether they are valid or not: floats never move, words do in swapWords.
  [[nodiscard]] double* floats() { return f_; }
  [[nodiscard]] std::uint32_t* words() { return m_; }
  // ---- writing one value to every lane
  void fillF(double value, bool isShort) {
    for (double& x : uf_) x = value;
    uniform_ = hasF_ = true;
    mixed_ = hasM_ = false;
    ready_ = {uf_, 0};
    short_ = shortF_ = isShort;
  }
  void fillM(std::uint32_t value);
  void fillExtended(Float40 value);

  // ---- whole rows, between engines
  void importWords(const std::uint32_t* words);
  void importExtended(const std::uint32_t* mantissas, const std::int32_t* exponents);
  /// Makes the M view (and the exponents of a register) complete.
  const std::uint32_t* exportWords();
  const std::int32_t* exportExponents();
  /// Processors whose value is above zero; of rows of words. Changes no view.
  [[nodiscard]] unsigned countAboveZero() const;
  [[nodiscard]] bool isAboveZero(unsigned processor) const;
  /// Of host memory, its views included.
  [[nodiscard]] std::size_t bytes() const { return sizeof(Row) + bytes_; }

 private:
  /// Where the exponents that belong to the M view are.
  enum class Exponents : std::uint8_t { One, Row, FromF };
  /// Brings ready_ and short_ up to date when a function that changes the views ends.
  struct Refresh {
    explicit Refresh(Row& r) : row(r) {}
    Refresh(const Refresh&) = delete;
    Refresh& operator=(const Refresh&) = delete;
    ~Refresh() {
      row.ready_ = !row.hasF_ ? Source{} : row.uniform_ ? Source{row.uf_, 0} : Source{row.f_, 1};
      row.short_ = row.ram_ || (row.hasF_ && row.shortF_);
    }
    Row& row;
  };

  [[nodiscard]] LaneSet everyLane() const { return {shape_.lanes / shape_.k->width}; }
  Source makeF(const Active& active);
  WordSource makeM(const Active& active);
  std::uint32_t* remakeM(const Active& active);
  double* updateSomeF(const Active& active, bool isShort);
  double* writeSomeF(const Active& active, bool isShort);
  void exponentsToRow();
  void keepExponents();
  void expandM();
  void expandF();
  void leaveUniform();
  [[nodiscard]] bool lanesToF(const LaneMask& lanes);
  void lanesToM(const LaneMask& lanes);

  Source ready_;  ///< the F view of all lanes; null if there is none
  bool short_;
  bool ram_;
  bool uniform_ = true;
  bool mixed_ = false;  ///< the views are valid in laneF_ and laneM_ only
  bool hasF_ = false;
  bool hasM_ = true;
  bool shortF_ = false;
  Exponents exponents_ = Exponents::One;
  std::int32_t ue_ = 0;
  const RowShape& shape_;
  LaneMask laneF_;
  LaneMask laneM_;
  double* f_ = nullptr;
  std::uint32_t* m_ = nullptr;
  std::int32_t* e_ = nullptr;
  struct Free {
    void operator()(void* p) const;
  };
  std::unique_ptr<void, Free> memory_;
  std::size_t bytes_ = 0;  ///< of memory_
  alignas(64) double uf_[kBlock] = {};
  alignas(64) std::uint32_t um_[kBlock] = {};
};

}  // namespace rtvp::c32::simt
