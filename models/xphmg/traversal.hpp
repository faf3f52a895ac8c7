// Closest-hit and any-hit traversal of one ray over BVH4 or BVH8 tiles (xphmg.md 10, D-48, D-52):
// an explicit stack of nodes and leaves, near first. Works on any memory port: with MemoryPort
// itself, or with a concrete class whose read() the compiler then inlines.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "models/common/host_isa.hpp"
#include "models/xphmg/fast_path.hpp"
#include "models/xphmg/intersect.hpp"
#include "models/xphmg/memory_port.hpp"
#include "models/xphmg/traversal_result.hpp"
#include "models/xphmg/walk/kernels.hpp"

namespace rtvp::xphmg {

inline constexpr unsigned kMaxStackDepth = 64;                        ///< entries after a push
inline constexpr std::uint64_t kMaxVisits = std::uint64_t{1} << 24U;  ///< nodes and triangles a ray

/// What all rays of a job share.
struct TraversalSetup {
  Precision precision;
  std::uint64_t heap = 0;     ///< bvh_base: tile 0 is the root
  std::uint64_t triBase = 0;  ///< for ranges whose base is 0
  bool node8 = false;
  bool literal88 = false;  ///< option: tiles of the text's literal 88 bytes (7.1)
  bool cullBack = false;
  bool edgeInclusive = false;
  bool anyHit = false;
  unsigned epsilon = 0;        ///< k of D-19
  bool triangleFault = false;  ///< fault injection: the triangle test always misses
  bool plain = false;          ///< speed setting: never take a vector path; results are the same
  common::Isa isa = common::bestIsa();  ///< speed setting: of walks; must be usable
};

class Traversal {
 public:
  explicit Traversal(const TraversalSetup& setup);

  /// Begins a ray. Its operands' stickies are the caller's (decodeRay()); those of boxes and
  /// triangles go to `stickies()`.
  void start(const Ray& ray);
  /// Pops and handles one stack entry. False when the ray is finished.
  template <class Port>
  bool step(Port& port);
  /// The whole ray: a walk where the port offers a window, else start() and all steps.
  template <class Port>
  const TraversalResult& trace(const Ray& ray, Port& port) {
    if constexpr (WindowedPort<Port>) {
      if (walks()) {
        const std::span<const Visit> visits = walk(ray, port.window(setup_.heap));
        if (!visits.empty()) {
          port.charge(visits, result_);
          return result_;
        }
      }
    }
    start(ray);
    while (step(port)) {
    }
    return result_;
  }

  /// May rays of this setup be walked?
  [[nodiscard]] bool walks() const { return walk_ != nullptr; }
  /// The whole ray at once (walk/kernels.hpp), charged to nobody: what it has read, in order.
  /// Empty: declined, nothing has happened.
  [[nodiscard]] std::span<const Visit> walk(const Ray& ray, const Window& window);

  [[nodiscard]] const TraversalResult& result() const { return result_; }
  /// Accumulated over all rays since construction or clearStickies().
  [[nodiscard]] const Stickies& stickies() const { return stickies_; }
  void clearStickies() { stickies_ = {}; }
  [[nodiscard]] const TraversalSetup& setup() const { return setup_; }

 private:
  struct Entry {
    std::uint32_t index;
    float tn;
    ChildKind kind;
  };

  static walk::Exact testExactly(void* self, const std::uint8_t* bytes, walk::Candidate& found);
  template <class Port>
  bool visitNode(Port& port, std::uint32_t index);
  template <class Port>
  bool visitLeaf(Port& port, std::uint32_t index);
  template <class Port>
  bool visitTriangles(Port& port, const TriRange& range, std::uint32_t leaf);
  /// Tests one tile; appends its hit children to found_. False: reserved kind.
  bool testTile(const std::uint8_t* bytes);
  bool testTilePlain(const std::uint8_t* bytes);
  void shear();
  void testTriangle(const std::uint8_t* bytes, std::uint32_t prim, std::uint32_t leaf);
  void offer(const TriResult& hit, std::uint32_t prim, std::uint32_t leaf);
  /// Pushes found_ so that the nearest child is popped first. False: too deep.
  bool pushFound();
  bool fail(TraversalError error, std::uint64_t address);

  TraversalSetup setup_;
  TileLayout layout_;
  unsigned width_;
  SlabRay slab_;
  ShearRay shear_;
  fast::Ray fast_;
  fast::Shear fastShear_;
  bool sheared_ = false;  ///< shear_ belongs to this ray: set up at its first triangle
  TriOptions options_;
  bool vector_ = false;  ///< this ray may take the vector path
  TraversalResult result_;
  Stickies stickies_;
  std::uint64_t visits_ = 0;
  unsigned depth_ = 0;
  unsigned foundCount_ = 0;
  std::array<Entry, kNode8Children> found_{};
  std::array<Entry, kMaxStackDepth> stack_{};
  walk::Walk walk_ = nullptr;  ///< null: rays of this setup go step by step
  walk::Order order_;
  std::vector<Visit> list_;
};

// ---- implementation ----

template <class Port>
bool Traversal::step(Port& port) {
  while (depth_ != 0) {
    const Entry entry = stack_[--depth_];
    if (result_.hit && beyond(entry.tn, result_.t)) continue;
    return entry.kind == ChildKind::Node ? visitNode(port, entry.index)
                                         : visitLeaf(port, entry.index);
  }
  return false;
}

template <class Port>
bool Traversal::visitNode(Port& port, std::uint32_t index) {
  const std::uint64_t address = tileAddress(setup_.heap, index, layout_.stride, setup_.node8);
  foundCount_ = 0;
  for (unsigned half = 0; half < (setup_.node8 ? 2U : 1U); ++half) {
    const std::uint64_t at = address + std::uint64_t{half} * layout_.stride;
    const std::uint8_t* const bytes = port.read(AccessKind::Tile, at, layout_.stride);
    if (bytes == nullptr) return fail(TraversalError::Bus, at);
    ++result_.tiles;
    if (++visits_ > kMaxVisits) return fail(TraversalError::Limit, at);
    if (!testTile(bytes)) return fail(TraversalError::ReservedKind, at);
  }
  return pushFound() || fail(TraversalError::Limit, address);
}

template <class Port>
bool Traversal::visitLeaf(Port& port, std::uint32_t index) {
  const std::uint64_t address = triRangeAddress(setup_.heap, index);
  const std::uint8_t* const bytes = port.read(AccessKind::TriRange, address, kTriRangeBytes);
  if (bytes == nullptr) return fail(TraversalError::Bus, address);
  ++result_.leaves;
  return visitTriangles(port, decodeTriRange(bytes), index);
}

template <class Port>
bool Traversal::visitTriangles(Port& port, const TriRange& range, std::uint32_t leaf) {
  const std::uint64_t base = range.base != 0 ? range.base : setup_.triBase;
  const unsigned size = triangleBytes(width_);
  for (std::uint32_t i = 0; i < range.count; ++i) {
    const std::uint64_t address = triangleAddress(base, range.first, i, width_);
    const std::uint8_t* const bytes = port.read(AccessKind::Triangle, address, size);
    if (bytes == nullptr) return fail(TraversalError::Bus, address);
    ++result_.triangles;
    if (++visits_ > kMaxVisits) return fail(TraversalError::Limit, address);
    testTriangle(bytes, range.first + i, leaf);
    if (setup_.anyHit && result_.hit) {
      depth_ = 0;
      return false;
    }
  }
  return true;
}

}  // namespace rtvp::xphmg
