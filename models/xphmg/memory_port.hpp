// How the core reaches memory: every access is one call that its owner can charge, tag, show to a
// bus monitor or refuse.
#pragma once

#include <cstdint>

namespace rtvp::xphmg {

/// What an access is for. The core itself makes the first four kinds and LaneTable.
enum class AccessKind : std::uint8_t {
  Tile,         ///< one BVHNode4; a BVHNode8 is two accesses, lo then hi
  TriRange,     ///< 16 bytes
  Triangle,     ///< 9 elements
  Ray,          ///< ray record (inline) or 64-byte ray entry (offload)
  LaneTable,    ///< 8 bytes of an RTNODE or RTTRI lane table
  Descriptor,   ///< 72 bytes
  QueueHeader,  ///< 24 bytes
  Hit,          ///< 32 bytes written
  Miss,         ///< 16 bytes written
  QueueIndex,   ///< 4 bytes written: the index a ring's owner publishes
};
inline constexpr unsigned kAccessKinds = 10;

class MemoryPort {
 public:
  MemoryPort() = default;
  MemoryPort(const MemoryPort&) = delete;
  MemoryPort& operator=(const MemoryPort&) = delete;
  virtual ~MemoryPort() = default;

  /// `size` bytes at `address`, valid until the next call on this port; nullptr: a bus error. The
  /// pointer may be unaligned. An implementation may take simulated time.
  virtual const std::uint8_t* read(AccessKind kind, std::uint64_t address, unsigned size) = 0;
  /// False: a bus error, nothing written.
  virtual bool write(AccessKind kind, std::uint64_t address, const std::uint8_t* bytes,
                     unsigned size) = 0;
};

}  // namespace rtvp::xphmg
