// The walk, written once over Vec (see kernels.hpp for what it promises). A file for each
// instruction set includes this inside a namespace of its own. No standard containers here, so that
// no function compiled for one instruction set can be linked into code for another.

#if defined(__AVX2__)

constexpr unsigned kBad = 0x80;            ///< instead of a mask of children
constexpr float kPadOut = 0x1.000004p+0F;  // 3F800002
constexpr float kPadIn = 0x1.fffff8p-1F;   // 3F7FFFFC

struct Shear {
  unsigned kx, ky, kz;
  float sx, sy, sz;
};

struct Edges {
  __m256d value, depth;
  /// Bits of the values above and below zero.
  [[gnu::always_inline]] int above() const {
    return _mm256_movemask_pd(_mm256_cmp_pd(value, _mm256_setzero_pd(), _CMP_GT_OQ));
  }
  [[gnu::always_inline]] int below() const {
    return _mm256_movemask_pd(_mm256_cmp_pd(value, _mm256_setzero_pd(), _CMP_LT_OQ));
  }
};

#include "models/xphmg/walk/vec_avx2.hpp"

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
[[gnu::always_inline]] inline Shear shearOf(const float* d) {
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

/// Places of a tile's children: bits of masks, elements of arrays.
constexpr unsigned kPlace[4] = {0, 1, 4, 5};
constexpr unsigned kPlaces = 8;

/// Children of a tile that are not empty, by place, from the low byte of child_flags; kReservedKind
/// if one is of the reserved kind.
constexpr std::uint8_t kReservedKind = 0x80;
struct KindTable {
  std::uint8_t used[256];
};
constexpr KindTable makeKinds() {
  KindTable table{};
  for (unsigned flags = 0; flags < 256; ++flags) {
    unsigned used = 0;
    for (unsigned c = 0; c < 4; ++c) {
      if ((flags >> 2U * c & 3U) != 0) used |= 1U << kPlace[c];
    }
    if ((flags & flags >> 1U & 0x55U) != 0) used = kReservedKind;
    table.used[flags] = static_cast<std::uint8_t>(used);
  }
  return table;
}
constexpr KindTable kKinds = makeKinds();

/// A child on its way to be visited: index, and bit 32 for a leaf.
constexpr std::uint64_t kLeaf = std::uint64_t{1} << 32U;

/// Children of a tile.
struct Children {
  alignas(32) float tn[kPlaces];
  const std::uint8_t* indices;  ///< of the tile; the last one shares a word with child_flags
  [[gnu::always_inline]] std::uint64_t of(unsigned place) const {
    const unsigned c = place < 2 ? place : place - 2;
    const std::uint32_t flags = word32(indices + 12);
    const std::uint32_t index = c == 3 ? flags >> 8U : word32(indices + std::size_t{4} * c);
    return index | std::uint64_t{flags >> (2U * c + 1U) & 1U} << 32U;
  }
};

/// Entries still to be visited; the nearest of those pushed together on top.
struct Stack {
  unsigned depth = 0;
  float tn[kMostEntries];
  std::uint64_t child[kMostEntries];

  [[gnu::always_inline]] void set(unsigned at, float t, std::uint64_t c) {
    tn[at] = t;
    child[at] = c;
  }
  [[gnu::always_inline]] void push(float t, std::uint64_t c) { set(depth++, t, c); }
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
      : order_(order), window_(order.window), heap_(order.heap - order.window.base), list_(list) {}

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
  static constexpr std::uint32_t kBatch = 8;

  enum class Step { Declined, Up, Down };  ///< Down: to the child that the caller has been given

  /// False: this ray is none for a walk.
  [[gnu::always_inline]] bool prepare() {
    // Loaded as decodeRay() has stored them.
    const __m128 o = _mm_loadu_ps(order_.ray), rest = _mm_loadu_ps(order_.ray + 4);
    const __m128 d =
        _mm_castsi128_ps(_mm_alignr_epi8(_mm_castps_si128(rest), _mm_castps_si128(o), 12));
    const __m128 inverse = _mm_div_ps(_mm_set1_ps(1.0F), d);
    // x - x is 0 for finite x only.
    const __m128 bad =
        _mm_or_ps(_mm_cmp_ps(_mm_or_ps(_mm_sub_ps(o, o), _mm_sub_ps(inverse, inverse)),
                             _mm_setzero_ps(), _CMP_NEQ_UQ),
                  _mm_cmp_ps(inverse, _mm_setzero_ps(), _CMP_EQ_OQ));
    if ((_mm_movemask_ps(bad) & 7) != 0 || window_.size < kStride) return false;
    Vec::set(boxes_, o, inverse, order_.ray[6], order_.ray[7]);
    return true;
  }

  /// Is all of it, from an offset into the window, in the window?
  [[gnu::always_inline]] bool holds(std::uint64_t offset, std::uint64_t size) const {
    return offset <= window_.size - size;
  }
  [[gnu::always_inline]] bool note(std::uint64_t offset, AccessKind kind, std::uint32_t bytes,
                                   std::uint32_t count = 1) {
    if (visits_ == kMostVisits) return false;
    const Visit visit{window_.base + offset, bytes, static_cast<std::uint16_t>(count), kind};
    __builtin_memcpy(list_ + visits_++, &visit, sizeof visit);
    return true;
  }

  /// On Down `next` is the child.
  [[gnu::always_inline]] Step visitNode(std::uint32_t index, std::uint64_t& next) {
    const std::uint64_t offset = heap_ + std::uint64_t{index} * (Node8 ? 2 * kStride : kStride);
    Children children;
    const unsigned hits = visitTile(offset, children);
    if (hits == kBad) return Step::Declined;
    if constexpr (Node8) {
      Children upper;
      const unsigned others = visitTile(offset + kStride, upper);
      if (others == kBad) return Step::Declined;
      const unsigned bottom = stack_.depth;
      if (!descend(__builtin_popcount(hits) + __builtin_popcount(others))) return Step::Declined;
      insertAll(bottom, upper, others);
      insertAll(bottom, children, hits);
      return Step::Up;
    }
    // By cases, so that the host may guess which children are met: it then need not wait for the
    // tests before it reads the next tile.
    constexpr unsigned a = kPlace[0], b = kPlace[1], c = kPlace[2], d = kPlace[3];
    switch (hits) {
      case 0:
        return Step::Up;
      case 1U << a:
        return goDown(children, a, next);
      case 1U << b:
        return goDown(children, b, next);
      case 1U << c:
        return goDown(children, c, next);
      case 1U << d:
        return goDown(children, d, next);
      case 1U << a | 1U << b:
        return goToNearer(children, a, b, next);
      case 1U << a | 1U << c:
        return goToNearer(children, a, c, next);
      case 1U << a | 1U << d:
        return goToNearer(children, a, d, next);
      case 1U << b | 1U << c:
        return goToNearer(children, b, c, next);
      case 1U << b | 1U << d:
        return goToNearer(children, b, d, next);
      case 1U << c | 1U << d:
        return goToNearer(children, c, d, next);
      case 1U << a | 1U << b | 1U << c:
        return pushThree(children, a, b, c);
      case 1U << a | 1U << b | 1U << d:
        return pushThree(children, a, b, d);
      case 1U << a | 1U << c | 1U << d:
        return pushThree(children, a, c, d);
      case 1U << b | 1U << c | 1U << d:
        return pushThree(children, b, c, d);
      default:
        return pushFour(children);
    }
  }
  /// An only child takes the place of its parent: the stack is no deeper than before.
  [[gnu::always_inline]] Step goDown(const Children& children, unsigned place,
                                     std::uint64_t& next) {
    if (static_cast<double>(children.tn[place]) > best_.limit) return Step::Up;
    next = children.of(place);
    return Step::Down;
  }
  [[gnu::always_inline]] Step goToNearer(const Children& children, unsigned a, unsigned b,
                                         std::uint64_t& next) {
    if (!descend(2)) return Step::Declined;
    if (children.tn[b] < children.tn[a]) {
      stack_.push(children.tn[a], children.of(a));
      return goDown(children, b, next);
    }
    stack_.push(children.tn[b], children.of(b));
    return goDown(children, a, next);
  }

  /// Room for so many more entries? The one that is visited at once is counted, too.
  [[gnu::always_inline]] bool descend(int more) {
    const unsigned depth = stack_.depth + static_cast<unsigned>(more);
    if (depth > maxDepth_) maxDepth_ = depth;
    return depth <= kMostEntries;
  }
  /// Each goes where the number of nearer ones says, without a branch that depends on distances.
  [[gnu::always_inline]] Step pushThree(const Children& children, unsigned a, unsigned b,
                                        unsigned c) {
    if (!descend(3)) return Step::Declined;
    const float ta = children.tn[a], tb = children.tn[b], tc = children.tn[c];
    const unsigned ba = tb < ta ? 1 : 0, ca = tc < ta ? 1 : 0, cb = tc < tb ? 1 : 0;
    const unsigned top = stack_.depth + 2;
    stack_.set(top - (ba + ca), ta, children.of(a));
    stack_.set(top - (1 - ba + cb), tb, children.of(b));
    stack_.set(top - (2 - ca - cb), tc, children.of(c));
    stack_.depth += 3;
    return Step::Up;
  }
  [[gnu::always_inline]] Step pushFour(const Children& children) {
    if (!descend(4)) return Step::Declined;
    constexpr unsigned a = kPlace[0], b = kPlace[1], c = kPlace[2], d = kPlace[3];
    const float ta = children.tn[a], tb = children.tn[b], tc = children.tn[c], td = children.tn[d];
    const unsigned ba = tb < ta ? 1 : 0, ca = tc < ta ? 1 : 0, da = td < ta ? 1 : 0;
    const unsigned cb = tc < tb ? 1 : 0, db = td < tb ? 1 : 0, dc = td < tc ? 1 : 0;
    const unsigned top = stack_.depth + 3;
    stack_.set(top - (ba + ca + da), ta, children.of(a));
    stack_.set(top - (1 - ba + cb + db), tb, children.of(b));
    stack_.set(top - (2 - ca - cb + dc), tc, children.of(c));
    stack_.set(top - (3 - da - db - dc), td, children.of(d));
    stack_.depth += 4;
    return Step::Up;
  }
  [[gnu::always_inline]] void insertAll(unsigned bottom, const Children& children, unsigned hits) {
    while (hits != 0) {
      const unsigned c = 31U - static_cast<unsigned>(__builtin_clz(hits));
      hits ^= 1U << c;
      stack_.insert(bottom, children.tn[c], children.of(c));
    }
  }

  /// Tests one tile: its children that are hit, or kBad.
  [[gnu::always_inline]] unsigned visitTile(std::uint64_t offset, Children& children) {
    if (!holds(offset, kStride) || !note(offset, AccessKind::Tile, kStride)) return kBad;
    const std::uint8_t* const tile = window_.data + offset;
    children.indices = tile + kIndices;
    const unsigned used = kKinds.used[tile[kIndices + 12]];
    if (used == kReservedKind) return kBad;
    return Vec::template boxes<F>(boxes_, tile, used, children.tn);
  }

  [[gnu::always_inline]] bool visitLeaf(std::uint32_t index) {
    const std::uint64_t offset = heap_ + std::uint64_t{index} * 16;
    if (!holds(offset, 16) || !note(offset, AccessKind::TriRange, 16)) return false;
    ++leaves_;
    const std::uint8_t* const range = window_.data + offset;
    const std::uint32_t first = word32(range), count = word32(range + 4);
    if (count == 0) return true;
    const std::uint64_t size = std::uint64_t{count} * kTriangle;
    if (count > kMostTriangles || window_.size < size) return false;
    const std::uint64_t own = word64(range + 8);
    const std::uint64_t at =
        (own != 0 ? own : order_.triBase) - window_.base + std::uint64_t{first} * kTriangle;
    if (!holds(at, size)) return false;
    if (!sheared_) Vec::set(triangles_, order_.ray, shearOf(order_.ray + 3));
    sheared_ = true;
    std::uint32_t done = 0;
    do {
      const std::uint32_t some = count - done < kBatch ? count - done : kBatch;
      const std::uint32_t tested = testTriangles(window_.data + at + std::size_t{done} * kTriangle,
                                                 some, first + done, index);
      if (tested == 0) return false;
      done += tested;
    } while (done != count && !(order_.anyHit && best_.hit));
    triangleCount_ += done;
    ++fullLeaves_;
    return note(at, AccessKind::Triangle, done * kTriangle, done);
  }

  /// Tests up to kBatch triangles. How many it has tested: all, or with ANY_HIT those up to the
  /// first hit; 0: declined.
  [[gnu::always_inline]] std::uint32_t testTriangles(const std::uint8_t* bytes, std::uint32_t count,
                                                     std::uint32_t first, std::uint32_t leaf) {
    // All on which side they lie, before anything depends on one of them.
    Edges edges[kBatch];
    unsigned candidates = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      edges[i] = Vec::template edges<F>(triangles_, bytes + std::size_t{i} * kTriangle);
      const unsigned aside = edges[i].above() != 0 && edges[i].below() != 0 ? 1U : 0U;
      candidates |= (aside ^ 1U) << i;
    }
    for (; candidates != 0; candidates &= candidates - 1U) {
      const unsigned i = static_cast<unsigned>(__builtin_ctz(candidates));
      if (!testCandidate(edges[i], bytes + std::size_t{i} * kTriangle, first + i, leaf)) return 0;
      if (order_.anyHit && best_.hit) return i + 1;
    }
    return count;
  }

  /// A triangle that does not lie to one side of the ray. False: declined.
  [[gnu::always_inline]] bool testCandidate(const Edges& e, const std::uint8_t* bytes,
                                            std::uint32_t prim, std::uint32_t leaf) {
    const bool front = e.above() == 15;
    if (!front && e.below() != 15) {  // an edge met exactly, a degenerate triangle, a NaN
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
    if (order_.cullBack && !front) return true;
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
    if (!(order_.tlo <= t && t <= static_cast<double>(order_.ray[7]))) return true;
    if (best_.worse(t, prim, leaf)) return true;
    best_.take(t, front, prim, leaf);
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
    out.tiles = visits_ - leaves_ - fullLeaves_;
    out.leaves = leaves_;
    out.triangles = triangleCount_;
    out.maxDepth = maxDepth_;
    return visits_;
  }

  const Order& order_;
  const Window window_;
  const std::uint64_t heap_;  ///< offset into the window
  Visit* const list_;
  unsigned visits_ = 0;
  std::uint32_t leaves_ = 0, fullLeaves_ = 0, triangleCount_ = 0;
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
