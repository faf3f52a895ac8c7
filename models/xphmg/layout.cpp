// See layout.hpp. The structs below are the layouts of section 7 as C++ sees them; no bytes
// are moved through them, so that neither the host's byte order nor its alignment matters.
#include "models/xphmg/layout.hpp"

namespace rtvp::xphmg {
namespace {

/// Raw images: only their sizes and offsets are used.
struct RawMemCtl {
  std::uint8_t dom, l1Hint, l2Hint, ldsHint;
  std::uint16_t lineSize, qos;
  std::uint64_t ldsSoftpin;
  std::uint8_t mclass, sprofId, hyb, sec;
  std::uint32_t reserved;
};
struct RawDesc {
  std::uint64_t bvhBase, rayQueue, hitQueue, missQueue, triBuf;
  std::uint32_t opts, reserved;
  RawMemCtl memctl;
};
struct RawQueue {
  std::uint32_t head, tail, cap, reserved;
  std::uint64_t base;
};
struct RawRange {
  std::uint32_t first, count;
  std::uint64_t base;
};
struct RawHit {
  std::uint64_t tag;
  std::uint32_t prim, leaf, t, u, v, flags;
};
struct RawMiss {
  std::uint64_t tag;
  std::uint32_t ray, zero;
};

static_assert(sizeof(RawMemCtl) == MemCtl::kBytes);
static_assert(offsetof(RawMemCtl, lineSize) == 4 && offsetof(RawMemCtl, qos) == 6);
static_assert(offsetof(RawMemCtl, ldsSoftpin) == 8 && offsetof(RawMemCtl, mclass) == 16);
static_assert(offsetof(RawMemCtl, sec) == 19 && offsetof(RawMemCtl, reserved) == 20);
static_assert(sizeof(RawDesc) == RtDesc::kBytes);
static_assert(offsetof(RawDesc, triBuf) == 32 && offsetof(RawDesc, opts) == 40);
static_assert(offsetof(RawDesc, memctl) == RtDesc::kMemCtlOffset);
static_assert(sizeof(RawQueue) == Queue::kBytes && offsetof(RawQueue, cap) == 8);
static_assert(offsetof(RawQueue, head) == Queue::kHeadOffset);
static_assert(offsetof(RawQueue, tail) == Queue::kTailOffset && offsetof(RawQueue, base) == 16);
static_assert(sizeof(RawRange) == kTriRangeBytes && offsetof(RawRange, base) == 8);
static_assert(sizeof(RawHit) == kHitEntryBytes && offsetof(RawHit, t) == 16);
static_assert(offsetof(RawHit, flags) == 28);
static_assert(sizeof(RawMiss) == kMissEntryBytes && offsetof(RawMiss, ray) == 8);

std::uint16_t loadU16(const std::uint8_t* p) {
  return static_cast<std::uint16_t>(loadElement(p, 2));
}

}  // namespace

Tile decodeTile(const std::uint8_t* bytes, unsigned element_bytes, const TileLayout& layout) {
  Tile tile;
  const std::uint32_t flags = loadU32(bytes + layout.flags);
  for (unsigned c = 0; c < layout.children; ++c) {
    TileChild& child = tile.child[c];
    child.kind = static_cast<ChildKind>((flags >> 2U * c) & 3U);
    child.index = c == 3 ? flags >> 8U : loadU32(bytes + layout.indices + std::size_t{4} * c);
    for (unsigned k = 0; k < 6; ++k)
      child.box[k] = loadElement(bytes + (std::size_t{6} * c + k) * element_bytes, element_bytes);
  }
  return tile;
}

void encodeTile(const Tile& tile, unsigned element_bytes, const TileLayout& layout,
                std::uint8_t* bytes) {
  std::memset(bytes, 0, layout.stride);
  std::uint32_t flags = 0;
  for (unsigned c = 0; c < layout.children; ++c) {
    const TileChild& child = tile.child[c];
    flags |= static_cast<std::uint32_t>(child.kind) << 2U * c;
    if (c == 3) {
      flags |= child.index << 8U;
    } else {
      storeU32(bytes + layout.indices + std::size_t{4} * c, child.index);
    }
    for (unsigned k = 0; k < 6; ++k) {
      storeElement(bytes + (std::size_t{6} * c + k) * element_bytes, element_bytes, child.box[k]);
    }
  }
  storeU32(bytes + layout.flags, flags);
}

TriRange decodeTriRange(const std::uint8_t* bytes) {
  return {loadU32(bytes), loadU32(bytes + 4), loadU64(bytes + 8)};
}

void encodeTriRange(const TriRange& range, std::uint8_t* bytes) {
  storeU32(bytes, range.first);
  storeU32(bytes + 4, range.count);
  storeU64(bytes + 8, range.base);
}

HitBytes encodeHit(const HitEntry& hit) {
  const auto pair = [](std::uint32_t low, std::uint32_t high) {
    return low | static_cast<std::uint64_t>(high) << 32U;
  };
  HitBytes bytes;
  storeU64(bytes.data(), hit.tag);
  storeU64(bytes.data() + 8, pair(hit.primId, hit.leafIndex));
  storeU64(bytes.data() + 16, pair(hit.t, hit.u));
  storeU64(bytes.data() + 24,
           pair(hit.v, 1U | (hit.front ? 2U : 0U) | static_cast<std::uint32_t>(hit.format) << 8U |
                           static_cast<std::uint32_t>(hit.rayIndex) << 16U));
  return bytes;
}

HitEntry decodeHit(const std::uint8_t* bytes) {
  const std::uint32_t flags = loadU32(bytes + 28);
  return {loadU64(bytes),
          loadU32(bytes + 8),
          loadU32(bytes + 12),
          loadU32(bytes + 16),
          loadU32(bytes + 20),
          loadU32(bytes + 24),
          (flags & 2U) != 0,
          static_cast<Format>((flags >> 8U) & 0xFFU),
          static_cast<std::uint16_t>(flags >> 16U)};
}

MissBytes encodeMiss(const MissEntry& miss) {
  MissBytes bytes;
  storeU64(bytes.data(), miss.tag);
  storeU64(bytes.data() + 8, miss.rayIndex);
  return bytes;
}

MissEntry decodeMiss(const std::uint8_t* bytes) {
  return {loadU64(bytes), loadU32(bytes + 8)};
}

Queue decodeQueue(const std::uint8_t* bytes) {
  return {loadU32(bytes), loadU32(bytes + 4), loadU32(bytes + 8), loadU64(bytes + 16)};
}

void encodeQueue(const Queue& queue, std::uint8_t* bytes) {
  storeU32(bytes, queue.head);
  storeU32(bytes + 4, queue.tail);
  storeU32(bytes + 8, queue.cap);
  storeU32(bytes + 12, 0);
  storeU64(bytes + 16, queue.base);
}

RtDesc decodeDesc(const std::uint8_t* bytes) {
  RtDesc desc;
  desc.bvhBase = loadU64(bytes);
  desc.rayQueue = loadU64(bytes + 8);
  desc.hitQueue = loadU64(bytes + 16);
  desc.missQueue = loadU64(bytes + 24);
  desc.triBuf = loadU64(bytes + 32);
  desc.opts = loadU32(bytes + 40);
  const std::uint8_t* const m = bytes + RtDesc::kMemCtlOffset;
  desc.memctl = {m[0],           m[1],  m[2],  m[3],  loadU16(m + 4), loadU16(m + 6),
                 loadU64(m + 8), m[16], m[17], m[18], m[19]};
  return desc;
}

void encodeDesc(const RtDesc& desc, std::uint8_t* bytes) {
  std::memset(bytes, 0, RtDesc::kBytes);
  storeU64(bytes, desc.bvhBase);
  storeU64(bytes + 8, desc.rayQueue);
  storeU64(bytes + 16, desc.hitQueue);
  storeU64(bytes + 24, desc.missQueue);
  storeU64(bytes + 32, desc.triBuf);
  storeU32(bytes + 40, desc.opts);
  std::uint8_t* const m = bytes + RtDesc::kMemCtlOffset;
  m[0] = desc.memctl.dom;
  m[1] = desc.memctl.l1Hint;
  m[2] = desc.memctl.l2Hint;
  m[3] = desc.memctl.ldsHint;
  storeElement(m + 4, 2, desc.memctl.lineSize);
  storeElement(m + 6, 2, desc.memctl.qos);
  storeU64(m + 8, desc.memctl.ldsSoftpin);
  m[16] = desc.memctl.mclass;
  m[17] = desc.memctl.sprofId;
  m[18] = desc.memctl.hyb;
  m[19] = desc.memctl.sec;
}

void encodeStackEntry(const StackEntry& entry, unsigned element_bytes, std::uint8_t* bytes) {
  std::memset(bytes, 0, stackEntryBytes(element_bytes));
  storeU32(bytes, (entry.index & 0x3FFFFFFFU) | static_cast<std::uint32_t>(entry.kind) << 30U);
  storeElement(bytes + 4, element_bytes, entry.tnear);
  storeElement(bytes + 4 + element_bytes, element_bytes, entry.tfar);
}

StackEntry decodeStackEntry(const std::uint8_t* bytes, unsigned element_bytes) {
  const std::uint32_t word = loadU32(bytes);
  return {word & 0x3FFFFFFFU, static_cast<ChildKind>(word >> 30U),
          loadElement(bytes + 4, element_bytes),
          loadElement(bytes + 4 + element_bytes, element_bytes)};
}

}  // namespace rtvp::xphmg
