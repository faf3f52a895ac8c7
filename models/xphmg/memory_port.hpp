// How the core reaches memory: every access is one call that its owner can charge, tag, show to a
// bus monitor or refuse.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "models/xphmg/traversal_result.hpp"

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

/// Memory that a walk (walk/kernels.hpp) may read where it lies.
struct Window {
  const std::uint8_t* data = nullptr;
  std::uint64_t base = 0;
  std::uint64_t size = 0;  ///< 0: there is none
};

/// Reads that a walk has made: a Tile, a TriRange, or triangles one behind the other.
struct Visit {
  std::uint64_t address;  ///< of the first
  std::uint32_t bytes;    ///< all of them
  std::uint16_t count;
  AccessKind kind;
};

/// Memory that a job may read and write where it lies.
struct Grant {
  std::uint8_t* data = nullptr;
  std::uint64_t base = 0;
  std::uint64_t size = 0;  ///< 0: there is none
  [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t bytes) const {
    return bytes <= size && address - base <= size - bytes;
  }
  [[nodiscard]] std::uint8_t* at(std::uint64_t address) const { return data + (address - base); }
};

/// What a job has read and written in a grant by itself.
struct Entries {
  std::uint64_t rays = 0, hits = 0, misses = 0, indices = 0;
  std::uint64_t rayTag = 0;  ///< user_tag of the last ray
};

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

/// A port that may let a ray see its memory as a whole and charges the reads afterwards, in order,
/// as if each had been made by read(): same counts, times and effects.
template <class Port>
concept WindowedPort = requires(Port& port, std::uint64_t address, std::span<const Visit> visits,
                                const TraversalResult& counts) {
  /// Around `address`; of size 0 when single accesses have to be made. Valid until others act.
  { port.window(address) } -> std::convertible_to<Window>;
  /// The reads of one ray; `counts` of them are tiles, leaves and triangles.
  port.charge(visits, counts);
};

/// A port that may let a job do all of its rays by itself: same counts, times and effects.
template <class Port>
concept GrantingPort = WindowedPort<Port> &&
    requires(Port& port, std::uint64_t address, AccessKind kind, unsigned size,
             std::span<const Visit> visits, const TraversalResult& counts, const Entries& entries) {
  /// Around `address`; of size 0 when single accesses have to be made. Valid until others act.
  { port.grant(address) } -> std::convertible_to<Grant>;
  /// Time and effects of an access, as it is made.
  port.tookRay(address);
  port.wrote(kind, address, size);
  port.chargeLater(visits, counts);
  /// What is only summed up of all these, afterwards.
  port.count(entries);
  /// The owner's time.
  { port.now() } -> std::convertible_to<std::uint64_t>;
};

}  // namespace rtvp::xphmg
