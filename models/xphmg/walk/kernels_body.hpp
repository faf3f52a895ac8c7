// The walk, written once over Vec (see kernels.hpp for what it promises). A file for each
// instruction set includes this inside a namespace of its own. No standard containers here, so that
// no function compiled for one instruction set can be linked into code for another.

#if defined(__AVX2__)

constexpr unsigned kBad = 0x80;
constexpr float kPadOut = 0x1.000004p+0F;  // 3F800002
constexpr float kPadIn = 0x1.fffff8p-1F;   // 3F7FFFFC

struct Shear {
  unsigned kx, ky, kz;
  float sx, sy, sz;
};

struct Edges {
  __m256d value, depth;
};

#if defined(__AVX512DQ__)
#include "models/xphmg/walk/vec_avx512.hpp"
#else
#include "models/xphmg/walk/vec_avx2.hpp"
#endif

[[gnu::always_inline]] inline std::uint32_t word32(const std::uint8_t* p) {
  std::uint32_t x;
  __builtin_memcpy(&x, p, sizeof x);
  return x;
}
[[gnu::always_inline]] inline std::uint64_t word64(const std::uint8_t* p) {
  std::uint64_t x;
  __builtin_memcpy(&x, p, sizeof x);
  return x;
}

/// 9.2, steps 1 and 2.
[[gnu::always_inline]] inline Shear shearOf(const float (&d)[3]) {
  const float x = __builtin_fabsf(d[0]), y = __builtin_fabsf(d[1]), z = __builtin_fabsf(d[2]);
  Shear s;
  s.kz = x > y ? (x > z ? 0U : 2U) : (y > z ? 1U : 2U);
  s.kx = s.kz == 2 ? 0 : s.kz + 1;
  s.ky = s.kx == 2 ? 0 : s.kx + 1;
  if (d[s.kz] < 0) {
    const unsigned swap = s.kx;
    s.kx = s.ky;
    s.ky = swap;
  }
  s.sx = d[s.kx] / d[s.kz];
  s.sy = d[s.ky] / d[s.kz];
  s.sz = 1.0F / d[s.kz];
  return s;
}

/// Children of a tile by the low byte of child_flags: bits 0 .. 3 those that are not empty, bits
/// 4 .. 7 the leaves among them; kReservedKind if one is of the reserved kind.
constexpr std::uint8_t kReservedKind = 0xF0;  // no other entry is a leaf without being there
struct KindTable {
  std::uint8_t of[256];
};
constexpr KindTable makeKinds() {
  KindTable table{};
  for (unsigned flags = 0; flags < 256; ++flags) {
    unsigned entry = 0;
    for (unsigned c = 0; c < 4; ++c) {
      const unsigned kind = flags >> 2U * c & 3U;
      if (kind != 0) entry |= 1U << c;
      if (kind == 2) entry |= 16U << c;
    }
    const bool reserved = (flags & flags >> 1U & 0x55U) != 0;
    table.of[flags] = reserved ? kReservedKind : static_cast<std::uint8_t>(entry);
  }
  return table;
}
constexpr KindTable kKinds = makeKinds();

/// A child on its way to be visited: index, and bit 32 for a leaf.
constexpr std::uint64_t kLeaf = std::uint64_t{1} << 32U;

/// Children of a tile that are hit.
struct Children {
  alignas(16) float tn[4];
  alignas(16) std::uint32_t index[4];
  unsigned leaves;  ///< bit c: child c is one
  [[gnu::always_inline]] std::uint64_t of(unsigned c) const {
    return index[c] | std::uint64_t{leaves >> c & 1U} << 32U;
  }
};

/// Entries still to be visited; the nearest of those pushed together on top.
struct Stack {
  unsigned depth = 0;
  float tn[kMostEntries];
  std::uint64_t child[kMostEntries];

  [[gnu::always_inline]] void push(float t, std::uint64_t c) {
    tn[depth] = t;
    child[depth] = c;
    ++depth;
  }
  /// Puts an entry below those from `bottom` on that are nearer, above those as near: children come
  /// with the last one first.
  [[gnu::always_inline]] void insert(unsigned bottom, float t, std::uint64_t c) {
    unsigned at = depth++;
    for (; at > bottom && tn[at - 1] < t; --at) {
      tn[at] = tn[at - 1];
      child[at] = child[at - 1];
    }
    tn[at] = t;
    child[at] = c;
  }
};

/// The nearest hit so far.
struct Best {
  bool hit = false, front = false;
  std::uint32_t prim = 0, leaf = 0;
  double t = 0, v = 0, w = 0, det = 1;
  double limit = __builtin_inf();  ///< entries beyond are dropped

  [[gnu::always_inline]] bool worse(double other, std::uint32_t p, std::uint32_t l) const {
    return hit && (other > t || (other == t && (p > prim || (p == prim && l >= leaf))));
  }
  [[gnu::always_inline]] void take(double other, bool is_front, std::uint32_t p, std::uint32_t l) {
    hit = true;
    front = is_front;
    prim = p;
    leaf = l;
    t = other;
    limit = t * (t >= 0 ? 1 + 0x1p-22 : 1 - 0x1p-22);  // D-48
  }
};

[[gnu::noinline]] Exact testExactly(const Order& order, const std::uint8_t* triangle,
                                    Candidate& found) {
  return order.exact(order.context, triangle, found);
}

template <Format F, bool Node8>
class Walker {
 public:
  [[gnu::always_inline]] Walker(const Order& order, Visit* list)
      : order_(order), window_(order.window), list_(list) {}

  [[gnu::always_inline]] unsigned run(TraversalResult& out) {
    if (!prepare()) return 0;
    std::uint64_t child = 0;
    for (;;) {
      if ((child & kLeaf) != 0) {
        if (!visitLeaf(static_cast<std::uint32_t>(child))) return 0;
        if (order_.anyHit && best_.hit) break;
      } else {
        const Step step = visitNode(static_cast<std::uint32_t>(child), child);
        if (step == Step::Declined) return 0;
        if (step == Step::Down) continue;
      }
      do {
        if (stack_.depth == 0) return finish(out);
        --stack_.depth;
      } while (static_cast<double>(stack_.tn[stack_.depth]) > best_.limit);
      child = stack_.child[stack_.depth];
    }
    return finish(out);
  }

 private:
  static constexpr unsigned kWidth = F == Format::Fp32 ? 4 : 2;
  static constexpr unsigned kStride = F == Format::Fp32 ? 128 : 64;
  static constexpr unsigned kIndices = kStride - 16;
  static constexpr unsigned kTriangle = 9 * kWidth;

  enum class Step { Declined, Up, Down };  ///< Down: to the child that the caller has been given

  /// False: this ray is none for a walk.
  [[gnu::always_inline]] bool prepare() {
    const __m128 o = _mm_setr_ps(order_.o[0], order_.o[1], order_.o[2], 1.0F);
    const __m128 d = _mm_setr_ps(order_.d[0], order_.d[1], order_.d[2], 1.0F);
    const __m128 inverse = _mm_div_ps(_mm_set1_ps(1.0F), d);
    // x - x is 0 for finite x only.
    const __m128 bad =
        _mm_or_ps(_mm_cmp_ps(_mm_or_ps(_mm_sub_ps(o, o), _mm_sub_ps(inverse, inverse)),
                             _mm_setzero_ps(), _CMP_NEQ_UQ),
                  _mm_cmp_ps(inverse, _mm_setzero_ps(), _CMP_EQ_OQ));
    if (_mm_movemask_ps(bad) != 0 || window_.size < kStride) return false;
    Vec::set(boxes_, o, inverse, order_.tmin, order_.tmax);
    return true;
  }

  /// Its place in the window, or null.
  [[gnu::always_inline]] const std::uint8_t* at(std::uint64_t address, std::uint64_t size) const {
    const std::uint64_t offset = address - window_.base;
    return offset <= window_.size - size ? window_.data + offset : nullptr;
  }
  [[gnu::always_inline]] bool note(std::uint64_t address, AccessKind kind, std::uint32_t count) {
    if (visits_ == kMostVisits) return false;
    list_[visits_++] = {address, count, kind};
    return true;
  }

  [[gnu::always_inline]] Step visitNode(std::uint32_t index, std::uint64_t& next) {
    const std::uint64_t address =
        order_.heap + std::uint64_t{index} * (Node8 ? 2 * kStride : kStride);
    Children children;
    unsigned hits = visitTile(address, children);
    if (hits == kBad) return Step::Declined;
    if constexpr (Node8) {
      Children upper;
      const unsigned others = visitTile(address + kStride, upper);
      if (others == kBad) return Step::Declined;
      const unsigned bottom = stack_.depth;
      if (!descend(__builtin_popcount(hits) + __builtin_popcount(others))) return Step::Declined;
      pushAll(bottom, upper, others);
      pushAll(bottom, children, hits);
      return Step::Up;
    }
    if (hits == 0) return Step::Up;
    const unsigned a = static_cast<unsigned>(__builtin_ctz(hits));
    hits &= hits - 1U;
    unsigned nearest = a;
    if (hits == 0) {
      if (!descend(1)) return Step::Declined;
    } else if ((hits & (hits - 1U)) == 0) {
      if (!descend(2)) return Step::Declined;
      unsigned farther = static_cast<unsigned>(__builtin_ctz(hits));
      if (children.tn[farther] < children.tn[a]) {
        nearest = farther;
        farther = a;
      }
      stack_.push(children.tn[farther], children.of(farther));
    } else {
      if (!descend(__builtin_popcount(hits) + 1)) return Step::Declined;
      const unsigned bottom = stack_.depth;
      pushAll(bottom, children, hits);
      stack_.insert(bottom, children.tn[a], children.of(a));
      return Step::Up;
    }
    if (static_cast<double>(children.tn[nearest]) > best_.limit) return Step::Up;
    next = children.of(nearest);
    return Step::Down;
  }

  /// Room for so many more entries? The one that is visited at once is counted, too.
  [[gnu::always_inline]] bool descend(int more) {
    const unsigned depth = stack_.depth + static_cast<unsigned>(more);
    if (depth > maxDepth_) maxDepth_ = depth;
    return depth <= kMostEntries;
  }
  [[gnu::always_inline]] void pushAll(unsigned bottom, const Children& children, unsigned hits) {
    while (hits != 0) {
      const unsigned c = 31U - static_cast<unsigned>(__builtin_clz(hits));
      hits ^= 1U << c;
      stack_.insert(bottom, children.tn[c], children.of(c));
    }
  }

  /// Tests one tile: its children that are hit, or kBad.
  [[gnu::always_inline]] unsigned visitTile(std::uint64_t address, Children& children) {
    const std::uint8_t* const tile = at(address, kStride);
    if (tile == nullptr || !note(address, AccessKind::Tile, 1)) return kBad;
    ++tiles_;
    const unsigned kinds = kKinds.of[tile[kIndices + 12]];
    if (kinds == kReservedKind) return kBad;
    children.leaves = kinds >> 4U;
    const __m128i indices = _mm_loadu_si128(reinterpret_cast<const __m128i*>(tile + kIndices));
    _mm_store_si128(reinterpret_cast<__m128i*>(children.index),
                    _mm_srlv_epi32(indices, _mm_setr_epi32(0, 0, 0, 8)));
    return Vec::template boxes<F>(boxes_, tile, kinds & 15U, children.tn);
  }

  [[gnu::always_inline]] bool visitLeaf(std::uint32_t index) {
    const std::uint64_t address = order_.heap + std::uint64_t{index} * 16;
    const std::uint8_t* const range = at(address, 16);
    if (range == nullptr || !note(address, AccessKind::TriRange, 1)) return false;
    ++leaves_;
    const std::uint32_t first = word32(range), count = word32(range + 4);
    if (count == 0) return true;
    if (count > kMostTriangles || window_.size < std::uint64_t{count} * kTriangle) return false;
    const std::uint64_t own = word64(range + 8);
    const std::uint64_t base = (own != 0 ? own : order_.triBase) + std::uint64_t{first} * kTriangle;
    const std::uint8_t* triangle = at(base, std::uint64_t{count} * kTriangle);
    if (triangle == nullptr) return false;
    if (!sheared_) Vec::set(triangles_, order_.o, shearOf(order_.d));
    sheared_ = true;
    std::uint32_t i = 0;
    do {
      if (!testTriangle(triangle, first + i, index)) return false;
      triangle += kTriangle;
      ++i;
    } while (i != count && !(order_.anyHit && best_.hit));
    triangleCount_ += i;
    return note(base, AccessKind::Triangle, i);
  }

  [[gnu::always_inline]] bool testTriangle(const std::uint8_t* bytes, std::uint32_t prim,
                                           std::uint32_t leaf) {
    const Edges e = Vec::template edges<F>(triangles_, bytes);
    const __m256d zero = _mm256_setzero_pd();
    const int above = _mm256_movemask_pd(_mm256_cmp_pd(e.value, zero, _CMP_GT_OQ));
    const int below = _mm256_movemask_pd(_mm256_cmp_pd(e.value, zero, _CMP_LT_OQ));
    if (above != 0 && below != 0) return true;  // to one side of the ray
    if (above != 15 && below != 15) {           // an edge met exactly, a degenerate triangle, a NaN
      Candidate found;
      const Exact verdict = testExactly(order_, bytes, found);
      if (verdict == Exact::Hit && !best_.worse(found.t, prim, leaf)) {
        best_.take(found.t, found.front, prim, leaf);
        best_.v = found.u;
        best_.w = found.v;
        best_.det = 1;
      }
      return verdict != Exact::Declined;
    }
    if (order_.cullBack && above == 0) return true;
    // ((u + v) + w, (u A + v B) + w C): the determinant and T.
    const __m256d weighed = _mm256_mul_pd(e.value, e.depth);
    const __m256d uw = _mm256_unpacklo_pd(e.value, weighed);
    const __m256d v = _mm256_unpackhi_pd(e.value, weighed);
    const __m128d w = _mm256_extractf128_pd(uw, 1);
    const __m128d sums =
        _mm_add_pd(_mm_add_pd(_mm256_castpd256_pd128(uw), _mm256_castpd256_pd128(v)), w);
    const double det = _mm_cvtsd_f64(sums);
    const double t = _mm_cvtsd_f64(_mm_unpackhi_pd(sums, sums)) / det;
    // Also false for an infinite vertex: det is then infinite and t a NaN (9.3).
    if (!(order_.tlo <= t && t <= static_cast<double>(order_.tmax))) return true;
    if (best_.worse(t, prim, leaf)) return true;
    best_.take(t, above != 0, prim, leaf);
    best_.v = _mm_cvtsd_f64(_mm256_castpd256_pd128(v));
    best_.w = _mm_cvtsd_f64(w);
    best_.det = det;
    return true;
  }

  [[gnu::always_inline]] unsigned finish(TraversalResult& out) const {
    out.hit = best_.hit;
    out.front = best_.front;
    out.primId = best_.prim;
    out.leafIndex = best_.leaf;
    out.t = best_.t;
    // Adding 0 turns -0 into +0 (D-49).
    out.u = best_.v / best_.det + 0.0;
    out.v = best_.w / best_.det + 0.0;
    out.nanConsumed = false;
    out.error = TraversalError::None;
    out.faultAddress = 0;
    out.tiles = tiles_;
    out.leaves = leaves_;
    out.triangles = triangleCount_;
    out.maxDepth = maxDepth_;
    return visits_;
  }

  const Order& order_;
  const Window window_;
  Visit* const list_;
  unsigned visits_ = 0;
  std::uint32_t tiles_ = 0, leaves_ = 0, triangleCount_ = 0;
  unsigned maxDepth_ = 1;
  bool sheared_ = false;
  Best best_;
  Stack stack_;
  typename Vec::Boxes boxes_;
  typename Vec::Triangles triangles_;
};

template <Format F, bool Node8>
unsigned walkRay(const Order& order, Visit* list, TraversalResult& out) {
  return Walker<F, Node8>(order, list).run(out);
}

constexpr Kernels kTable = {{{walkRay<Format::Fp32, false>, walkRay<Format::Fp32, true>},
                             {walkRay<Format::Fp16, false>, walkRay<Format::Fp16, true>},
                             {walkRay<Format::Bf16, false>, walkRay<Format::Bf16, true>}}};

#else

constexpr Kernels kTable{};

#endif
