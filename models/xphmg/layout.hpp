// Memory layouts of XPHMG_RT, byte by byte (xphmg.md 7): tiles, triangle ranges, rays, queue
// entries, rings and the job descriptor. Everything is little-endian.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "models/xphmg/format.hpp"

namespace rtvp::xphmg {

[[nodiscard]] inline std::uint32_t loadU32(const std::uint8_t* p) {
  return static_cast<std::uint32_t>(p[0]) | static_cast<std::uint32_t>(p[1]) << 8U |
         static_cast<std::uint32_t>(p[2]) << 16U | static_cast<std::uint32_t>(p[3]) << 24U;
}
[[nodiscard]] inline std::uint64_t loadU64(const std::uint8_t* p) {
  return loadU32(p) | static_cast<std::uint64_t>(loadU32(p + 4)) << 32U;
}
/// One store on hosts that have this byte order.
template <class Word>
void storeLittle(std::uint8_t* p, Word v) {
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(p, &v, sizeof v);
  } else {
    for (unsigned i = 0; i < sizeof v; ++i) p[i] = static_cast<std::uint8_t>(v >> 8U * i);
  }
}
inline void storeU32(std::uint8_t* p, std::uint32_t v) {
  storeLittle(p, v);
}
inline void storeU64(std::uint8_t* p, std::uint64_t v) {
  storeLittle(p, v);
}
/// Element of W = 1, 2 or 4 bytes.
[[nodiscard]] inline std::uint32_t loadElement(const std::uint8_t* p, unsigned bytes) {
  if (bytes == 4) return loadU32(p);
  if (bytes == 2) return static_cast<std::uint32_t>(p[0]) | static_cast<std::uint32_t>(p[1]) << 8U;
  return p[0];
}
inline void storeElement(std::uint8_t* p, unsigned bytes, std::uint32_t word) {
  if (bytes == 4) return storeU32(p, word);
  if (bytes == 2) return storeLittle(p, static_cast<std::uint16_t>(word));
  p[0] = static_cast<std::uint8_t>(word);
}

// ---- BVHNode4 and BVHNode8 (7.1, 7.2; D-03, D-04, D-06) ----

/// Two bits a child; 3 is reserved: EC 2 (D-06).
enum class ChildKind : std::uint8_t { Empty = 0, Node = 1, Leaf = 2, Reserved = 3 };

inline constexpr unsigned kTileChildren = 4;
inline constexpr unsigned kNode8Children = 8;
inline constexpr std::uint32_t kMaxChild3Index = 0xFFFFFF;  ///< D-04: 24 bits in child_flags

/// Where the parts of a tile lie. The literal reading of the text (three children, 88 bytes) is a
/// model option, `literal88` (7.1).
struct TileLayout {
  unsigned stride = 64;   ///< 64 B for W <= 2, 128 B for W = 4 (D-03)
  unsigned indices = 48;  ///< offset of child0_idx
  unsigned flags = 60;    ///< offset of child_flags
  unsigned children = 4;  ///< AABBs stored
  bool operator==(const TileLayout&) const = default;
};
[[nodiscard]] constexpr TileLayout tileLayout(unsigned element_bytes, bool literal88 = false) {
  if (literal88) return {128, 72, 84, 3};
  if (element_bytes <= 2) return {64, 48, 60, 4};
  return {128, 112, 124, 4};
}
static_assert(tileLayout(2).indices == 6 * kTileChildren * 2 && tileLayout(2).stride == 64);
static_assert(tileLayout(4).stride == 128 && tileLayout(4).flags + 4 == 128);
static_assert(tileLayout(4, true).flags + 4 == 88);

struct TileChild {
  ChildKind kind = ChildKind::Empty;
  std::uint32_t index = 0;             ///< tile or TriRange index (D-05); child 3: 24 bits
  std::array<std::uint32_t, 6> box{};  ///< element words: min x y z, max x y z
  bool operator==(const TileChild&) const = default;
};
/// One tile, or half of a BVHNode8.
struct Tile {
  std::array<TileChild, kTileChildren> child;
  bool operator==(const Tile&) const = default;
};

[[nodiscard]] Tile decodeTile(const std::uint8_t* bytes, unsigned element_bytes,
                              const TileLayout& layout);
/// Writes `layout.stride` bytes; reserved bytes are zero. Child 3 keeps 24 bits of its index.
void encodeTile(const Tile& tile, unsigned element_bytes, const TileLayout& layout,
                std::uint8_t* bytes);

/// D-05: what a child of kind Node / Leaf points at.
[[nodiscard]] constexpr std::uint64_t tileAddress(std::uint64_t heap, std::uint32_t index,
                                                  unsigned tile_stride, bool node8) {
  return heap + std::uint64_t{index} * (node8 ? 2U * tile_stride : tile_stride);
}
inline constexpr unsigned kTriRangeBytes = 16;
[[nodiscard]] constexpr std::uint64_t triRangeAddress(std::uint64_t heap, std::uint32_t index) {
  return heap + std::uint64_t{index} * kTriRangeBytes;
}

// ---- TriRange and triangles (7.3; D-23, D-24) ----

struct TriRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint64_t base = 0;  ///< 0: tri_buf (offload) or RTBASE (inline)
  bool operator==(const TriRange&) const = default;
};
[[nodiscard]] TriRange decodeTriRange(const std::uint8_t* bytes);
void encodeTriRange(const TriRange& range, std::uint8_t* bytes);

inline constexpr unsigned kTriangleElements = 9;  ///< v0.xyz v1.xyz v2.xyz, packed
[[nodiscard]] constexpr unsigned triangleBytes(unsigned element_bytes) {
  return kTriangleElements * element_bytes;
}
/// Triangle `first + i` of a base; the sum is not cut to 32 bits here, only in the prim_id.
[[nodiscard]] constexpr std::uint64_t triangleAddress(std::uint64_t base, std::uint32_t first,
                                                      std::uint32_t i, unsigned element_bytes) {
  return base + (std::uint64_t{first} + i) * triangleBytes(element_bytes);
}

// ---- Rays and queue entries (7.4; D-22) ----

inline constexpr unsigned kRayElements = 8;  ///< o xyz, d xyz, tmin, tmax; element 8 is w (D-21)
inline constexpr unsigned kRayEntryBytes = 64;
inline constexpr unsigned kRayTagOffset = 32;
inline constexpr unsigned kHitEntryBytes = 32;
inline constexpr unsigned kMissEntryBytes = 16;

struct HitEntry {
  std::uint64_t tag = 0;
  std::uint32_t primId = 0;
  std::uint32_t leafIndex = 0;        ///< child index of the TriRange
  std::uint32_t t = 0, u = 0, v = 0;  ///< words of the effective format
  bool front = false;
  Format format = Format::Fp16;
  std::uint16_t rayIndex = 0;  ///< ring index of the ray
  bool operator==(const HitEntry&) const = default;
};
using HitBytes = std::array<std::uint8_t, kHitEntryBytes>;
[[nodiscard]] HitBytes encodeHit(const HitEntry& hit);
[[nodiscard]] HitEntry decodeHit(const std::uint8_t* bytes);

struct MissEntry {
  std::uint64_t tag = 0;
  std::uint32_t rayIndex = 0;
  bool operator==(const MissEntry&) const = default;
};
using MissBytes = std::array<std::uint8_t, kMissEntryBytes>;
[[nodiscard]] MissBytes encodeMiss(const MissEntry& miss);
[[nodiscard]] MissEntry decodeMiss(const std::uint8_t* bytes);

// ---- Rings (7.5) ----

struct Queue {
  std::uint32_t head = 0;
  std::uint32_t tail = 0;
  std::uint32_t cap = 0;
  std::uint64_t base = 0;
  static constexpr unsigned kBytes = 24;
  static constexpr unsigned kHeadOffset = 0;
  static constexpr unsigned kTailOffset = 4;

  /// cap 0 and indices outside [0, cap) are errors (D-39).
  [[nodiscard]] bool valid() const { return cap != 0 && head < cap && tail < cap; }
  [[nodiscard]] bool empty() const { return head == tail; }
  [[nodiscard]] std::uint32_t next(std::uint32_t index) const {
    return index + 1 == cap ? 0 : index + 1;
  }
  [[nodiscard]] bool full() const { return next(tail) == head; }
  bool operator==(const Queue&) const = default;
};
[[nodiscard]] Queue decodeQueue(const std::uint8_t* bytes);
void encodeQueue(const Queue& queue, std::uint8_t* bytes);

// ---- XPHMG_MEMCTL and XPHMG_RT_DESC (5.3, 7.6) ----

struct MemCtl {
  std::uint8_t dom = 0;
  std::uint8_t l1Hint = 0, l2Hint = 0, ldsHint = 0;
  std::uint16_t lineSize = 0, qos = 0;
  std::uint64_t ldsSoftpin = 0;
  std::uint8_t mclass = 0, sprofId = 0, hyb = 0, sec = 0;
  static constexpr unsigned kBytes = 24;
  bool operator==(const MemCtl&) const = default;
};

struct RtDesc {
  std::uint64_t bvhBase = 0;  ///< tile 0 = root, 64 B aligned; 0: RTBASE
  std::uint64_t rayQueue = 0, hitQueue = 0, missQueue = 0;  ///< 0: RTQ_RAY / RTQ_HIT / RTQ_MISS
  std::uint64_t triBuf = 0;
  std::uint32_t opts = 0;
  MemCtl memctl;
  static constexpr unsigned kBytes = 72;
  static constexpr unsigned kMemCtlOffset = 48;
  bool operator==(const RtDesc&) const = default;
};
[[nodiscard]] RtDesc decodeDesc(const std::uint8_t* bytes);
void encodeDesc(const RtDesc& desc, std::uint8_t* bytes);

/// Bits of RtDesc::opts (D-25); any other bit is EC 2.
namespace opts {
inline constexpr std::uint32_t kCullBack = 1U << 0U;
inline constexpr std::uint32_t kPackHint = 1U << 2U;
inline constexpr std::uint32_t kEpsCtl = 1U << 3U;
inline constexpr std::uint32_t kNode8 = 1U << 8U;
inline constexpr std::uint32_t kAnyHit = 1U << 9U;
inline constexpr std::uint32_t kKnown = kCullBack | kPackHint | kEpsCtl | kNode8 | kAnyHit;
}  // namespace opts

/// Traversal stack entry as software keeps it in memory (D-42): u32 index with the kind in [31:30],
/// tnear, tfar of W bytes each, rounded up to 4 bytes.
struct StackEntry {
  std::uint32_t index = 0;  ///< 30 bits
  ChildKind kind = ChildKind::Node;
  std::uint32_t tnear = 0, tfar = 0;  ///< element words
  bool operator==(const StackEntry&) const = default;
};
[[nodiscard]] constexpr unsigned stackEntryBytes(unsigned element_bytes) {
  return 4U + (2U * element_bytes + 3U) / 4U * 4U;
}
void encodeStackEntry(const StackEntry& entry, unsigned element_bytes, std::uint8_t* bytes);
[[nodiscard]] StackEntry decodeStackEntry(const std::uint8_t* bytes, unsigned element_bytes);

}  // namespace rtvp::xphmg
