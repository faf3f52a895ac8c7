// The worked example of the reference's section 12 as memory, in FP16 or FP32.
#pragma once

#include <vector>

#include "models/xphmg/job.hpp"
#include "tests/models/xphmg/tile_builder.hpp"

namespace rtvp::xphmg::test {

/// Addresses of section 12; all in one block.
struct JobScene {
  static constexpr std::uint64_t kBase = 0x80000000, kHeap = 0x80001000, kTris = 0x80002000;
  static constexpr std::uint64_t kRayQueue = 0x80003000, kHitQueue = 0x80003020,
                                 kMissQueue = 0x80003040;
  static constexpr std::uint64_t kRays = 0x80003100, kHits = 0x80003400, kMisses = 0x80003600;
  static constexpr std::uint64_t kDesc = 0x80004000;

  explicit JobScene(Format format)
      : memory(kBase, std::vector<std::uint8_t>(0x5000)), width(formatInfo(format).bytes) {
    state.precision.format = format;
    const TileLayout layout = tileLayout(width);
    rangeIndex = layout.stride / kTriRangeBytes;
    Tile root;
    const double box0[] = {0, 0, 1, 1, 1, 1}, box1[] = {2, 0, 3, 3, 1, 3};
    for (unsigned k = 0; k < 6; ++k) {
      root.child[0].box[k] = word(box0[k]);
      root.child[1].box[k] = word(box1[k]);
    }
    for (unsigned c = 0; c < 2; ++c) {
      root.child[c].kind = ChildKind::Leaf;
      root.child[c].index = rangeIndex + c;
    }
    encodeTile(root, width, layout, at(kHeap));
    range(0, {0, 2, 0});
    range(1, {2, 1, 0});
    const double tris[3][9] = {
        {0, 0, 1, 0, 1, 1, 1, 0, 1}, {1, 0, 1, 0, 1, 1, 1, 1, 1}, {2, 0, 3, 2, 1, 3, 3, 0, 3}};
    for (unsigned i = 0; i < 3; ++i) put(triangleAddress(kTris, i, 0, width), tris[i], 9);
    const double xy[4][2] = {{.25, .25}, {.5, .5}, {2.25, .25}, {5, 5}};
    for (unsigned i = 0; i < 4; ++i) ray(i, xy[i][0], xy[i][1], 0xA0 + i);
    queue(kRayQueue, {0, 4, 8, kRays});
    queue(kHitQueue, {0, 0, 8, kHits});
    queue(kMissQueue, {0, 0, 8, kMisses});
    desc.bvhBase = kHeap;
    desc.rayQueue = kRayQueue;
    desc.hitQueue = kHitQueue;
    desc.missQueue = kMissQueue;
    desc.triBuf = kTris;
    desc.memctl.dom = 2;
    desc.memctl.lineSize = 64;
    desc.memctl.sprofId = 1;
  }

  [[nodiscard]] std::uint32_t word(double x) const {
    Stickies ignored;
    Precision p;
    p.format = state.precision.format;
    return encode(p, p.format, x, ignored);
  }
  std::uint8_t* at(std::uint64_t address) { return memory.bytes().data() + (address - kBase); }
  void put(std::uint64_t address, const double* values, unsigned n) {
    for (unsigned i = 0; i < n; ++i)
      storeElement(at(address) + std::size_t{i} * width, width, word(values[i]));
  }
  void range(unsigned n, const TriRange& r) {
    encodeTriRange(r, at(kHeap + (rangeIndex + n) * std::uint64_t{kTriRangeBytes}));
  }
  void ray(unsigned slot, double x, double y, std::uint64_t tag) {
    const double record[] = {x, y, 0, 0, 0, 1, 0, 100};
    put(kRays + std::uint64_t{slot} * kRayEntryBytes, record, 8);
    storeU64(at(kRays + std::uint64_t{slot} * kRayEntryBytes + kRayTagOffset), tag);
  }
  void queue(std::uint64_t address, const Queue& q) { encodeQueue(q, at(address)); }
  [[nodiscard]] Queue queueAt(std::uint64_t address) { return decodeQueue(at(address)); }
  [[nodiscard]] HitEntry hit(unsigned slot) {
    return decodeHit(at(kHits + std::uint64_t{slot} * kHitEntryBytes));
  }
  JobResult run() {
    encodeDesc(desc, at(kDesc));
    return Job(state, kDesc).run(memory);
  }

  BlockMemory memory;
  unsigned width;
  std::uint32_t rangeIndex = 0;
  JobState state;
  RtDesc desc;
};

}  // namespace rtvp::xphmg::test
