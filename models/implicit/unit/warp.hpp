// Work for a core: cells or rays that run the same code side by side.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "models/implicit/unit/port.hpp"
#include "models/implicit/unit/timing.hpp"

namespace rtvp::implicit::unit {

enum class CacheKind : std::uint8_t { Opcodes, Constants, Leaves };
inline constexpr unsigned kCacheKinds = 3;

/// Bytes a core needs, through a cache, and how long it then computes.
struct Slot {
  CacheKind cache = CacheKind::Opcodes;
  const Region* region = nullptr;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t cycles = 0;
  /// Accesses behind it that are known to be hits, by cache.
  std::array<std::uint32_t, kCacheKinds> again{};
};

/// One evaluation of a code: a sweep over its memory.
struct Plan {
  std::vector<Slot> slots;
  Clock cycles = 0;  ///< with no memory to wait for
};

/// The same evaluation several times, by all lanes that still want it.
struct Run {
  const Plan* plan = nullptr;
  std::uint32_t evaluations = 0;
  std::uint32_t extra = 0;  ///< cycles beside each
};

/// A transfer past the caches: rays, depth, hit records, masks written.
struct Move {
  Traffic traffic = Traffic::Depth;
  bool write = false;
  bool check = true;  ///< what is read must be what is expected
  std::uint64_t address = 0;
  std::uint32_t offset = 0;  ///< of Warp::bytes: what is written, or what must be found
  std::uint32_t bytes = 0;
};

struct Warp {
  Clock ready = 0;  ///< when the front end hands it out
  Clock start = 0;  ///< cycles before its first access
  std::vector<Move> before;
  std::vector<Slot> setup;  ///< masks, leaf entries
  std::vector<Run> runs;
  /// Writes of a pixel must come in the order of its fragments: warps with a number make theirs in
  /// the order of the numbers, which count from 1. 0: no matter.
  std::uint64_t order = 0;
  std::vector<Move> after;
  std::vector<std::uint8_t> bytes;
  std::uint64_t idle_lanes = 0;  ///< lane evaluations lost

  void move(std::vector<Move>& list, Traffic traffic, bool write, std::uint64_t address,
            std::span<const std::uint8_t> data) {
    list.push_back({traffic, write, true, address, static_cast<std::uint32_t>(bytes.size()),
                    static_cast<std::uint32_t>(data.size())});
    bytes.insert(bytes.end(), data.begin(), data.end());
  }
};

}  // namespace rtvp::implicit::unit
