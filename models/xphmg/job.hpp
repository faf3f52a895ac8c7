// One offload job: descriptor, rings, rays in order, hit and miss entries (xphmg.md 7, 10; D-25,
// D-39, D-52). Plain C++: tickets, FIFO, policy tags and time are its owner's. The owner calls
// fetch(), then open(), then next() until it returns false; between two calls it may abandon the
// job, which then ends at an entry boundary.
#pragma once

#include <cstdint>
#include <cstring>

#include "models/xphmg/inline_op.hpp"
#include "models/xphmg/traversal.hpp"

namespace rtvp::xphmg {

/// CAP.XMEM.EVENTS bits a job may raise.
namespace events {
inline constexpr std::uint32_t kInvMiss = 1U << 0U;  ///< an access was refused: nothing lies there
inline constexpr std::uint32_t kDmaErr = 1U << 3U;   ///< bad ring, bad descriptor, guard
}  // namespace events

/// What the job captures when it is submitted (D-35).
struct JobState {
  Precision precision;
  std::uint64_t rtcap = rtcap::kAll;
  std::uint64_t rtcfg = 0, rtconf2 = 0, rtbase = 0;
  std::uint64_t rtqRay = 0, rtqHit = 0, rtqMiss = 0;
  bool literal88 = false, edgeInclusive = false;  ///< model options
  bool triangleFault = false;                     ///< fault injection: no triangle is ever hit
  bool plain = false;                             ///< speed setting
};

struct JobResult {
  unsigned errorCode = 0;          ///< LAST_EC: 0, 1 or 2
  std::uint32_t events = 0;        ///< EVENTS bits
  std::uint64_t faultAddress = 0;  ///< of a refused access or the bad structure
  Stickies stickies;
  std::uint64_t rays = 0, hits = 0, misses = 0;
  std::uint64_t tiles = 0, leaves = 0, triangles = 0;
};

class Job {
 public:
  Job(const JobState& state, std::uint64_t descriptor_address)
      : state_(state), address_(descriptor_address) {}

  /// Reads the descriptor and checks what needs nothing else. False: the job has failed.
  template <class Port>
  bool fetch(Port& port);
  /// Reads and validates the ring headers, before the first ray. False: failed.
  template <class Port>
  bool open(Port& port);
  /// Traces the next ray and publishes it. False: no ray left, or failed.
  template <class Port>
  bool next(Port& port);
  /// All of it.
  template <class Port>
  const JobResult& run(Port& port) {
    if (fetch(port) && open(port)) {
      while (next(port)) {
      }
    }
    return result_;
  }
  /// Ends the job: policy errors that the owner finds between fetch() and open().
  bool fail(unsigned error_code, std::uint32_t event_bits, std::uint64_t fault_address);

  /// Valid after fetch().
  [[nodiscard]] const RtDesc& descriptor() const { return desc_; }
  [[nodiscard]] const JobResult& result() const { return result_; }
  /// Traversal of the ray that next() handled last.
  [[nodiscard]] const TraversalResult& lastRay() const { return traversal_.result(); }

 private:
  struct Ring {
    std::uint64_t header = 0;  ///< 0: none
    Queue queue;
  };

  bool checkDescriptor();
  void prepareTraversal();
  template <class Port>
  bool openRing(Port& port, std::uint64_t address, Ring& ring);
  template <class Port>
  bool publish(Port& port, const Ring& ring, unsigned offset, std::uint32_t index);
  /// A ring that looks full is looked at again: its consumer may have moved on since the job began.
  template <class Port>
  bool makeRoom(Port& port, Ring& ring);
  template <class Port>
  bool emit(Port& port, Ring& ring, AccessKind kind, const std::uint8_t* entry, unsigned size);
  template <class Port>
  bool finishRay(Port& port, std::uint64_t tag);
  [[nodiscard]] HitBytes hitEntry(std::uint64_t tag);
  [[nodiscard]] std::uint32_t valueWord(double value);
  bool failTraversal();

  JobState state_;
  std::uint64_t address_;
  RtDesc desc_;
  std::uint64_t heap_ = 0;
  bool packed_ = false;  ///< t, u, v rounded to FP16 first (EW = 32 only)
  Ring rays_, hits_, misses_;
  std::uint32_t rayTail_ = 0;
  Traversal traversal_{TraversalSetup{}};
  JobResult result_;
};

// ---- implementation ----

template <class Port>
bool Job::fetch(Port& port) {
  if (address_ % 8 != 0) return fail(1, events::kDmaErr, address_);
  const std::uint8_t* const bytes = port.read(AccessKind::Descriptor, address_, RtDesc::kBytes);
  if (bytes == nullptr) return fail(1, events::kInvMiss, address_);
  desc_ = decodeDesc(bytes);
  return checkDescriptor();
}

template <class Port>
bool Job::openRing(Port& port, std::uint64_t address, Ring& ring) {
  if (address == 0 || address % 8 != 0) return fail(1, events::kDmaErr, address);
  const std::uint8_t* const bytes = port.read(AccessKind::QueueHeader, address, Queue::kBytes);
  if (bytes == nullptr) return fail(1, events::kInvMiss, address);
  ring = {address, decodeQueue(bytes)};
  return ring.queue.valid() || fail(1, events::kDmaErr, address);
}

template <class Port>
bool Job::open(Port& port) {
  const auto either = [](std::uint64_t field, std::uint64_t fallback) {
    return field != 0 ? field : fallback;
  };
  if (!openRing(port, either(desc_.rayQueue, state_.rtqRay), rays_)) return false;
  if (!openRing(port, either(desc_.hitQueue, state_.rtqHit), hits_)) return false;
  const std::uint64_t miss = either(desc_.missQueue, state_.rtqMiss);
  if (miss != 0 && !openRing(port, miss, misses_)) return false;
  if (rays_.queue.base % state_.precision.elementBytes() != 0)
    return fail(1, events::kDmaErr, rays_.queue.base);
  rayTail_ = rays_.queue.tail;
  prepareTraversal();
  return true;
}

template <class Port>
bool Job::next(Port& port) {
  if (result_.errorCode != 0 || rays_.queue.head == rayTail_) return false;
  const std::uint64_t at = rays_.queue.base + std::uint64_t{rays_.queue.head} * kRayEntryBytes;
  const std::uint8_t* const bytes = port.read(AccessKind::Ray, at, kRayEntryBytes);
  if (bytes == nullptr) return fail(1, events::kInvMiss, at);
  const std::uint64_t tag = loadU64(bytes + kRayTagOffset);
  const Ray ray = decodeRay(state_.precision, bytes, false, result_.stickies);
  ++result_.rays;
  traversal_.trace(ray, port);
  const TraversalResult& traced = traversal_.result();
  result_.stickies.add(traversal_.stickies());
  result_.tiles += traced.tiles;
  result_.leaves += traced.leaves;
  result_.triangles += traced.triangles;
  if (traced.error != TraversalError::None) return failTraversal();
  return finishRay(port, tag);
}

template <class Port>
bool Job::finishRay(Port& port, std::uint64_t tag) {
  if (packed_ || state_.precision.elementBytes() < 4)
    result_.stickies.stat |= Stickies::kDowncastTaken;  // hit or miss (D-51)
  if (traversal_.result().hit) {
    // A full ring is found before anything is rounded for it.
    if (!makeRoom(port, hits_)) return false;
    const HitBytes entry = hitEntry(tag);
    if (!emit(port, hits_, AccessKind::Hit, entry.data(), kHitEntryBytes)) return false;
    ++result_.hits;
  } else {
    const MissBytes entry = encodeMiss({tag, rays_.queue.head});
    if (misses_.header != 0 &&
        !emit(port, misses_, AccessKind::Miss, entry.data(), kMissEntryBytes))
      return false;
    ++result_.misses;
  }
  rays_.queue.head = rays_.queue.next(rays_.queue.head);
  return publish(port, rays_, Queue::kHeadOffset, rays_.queue.head);
}

template <class Port>
bool Job::makeRoom(Port& port, Ring& ring) {
  if (!ring.queue.full()) return true;
  const std::uint8_t* const bytes = port.read(AccessKind::QueueHeader, ring.header, Queue::kBytes);
  if (bytes == nullptr) return fail(1, events::kInvMiss, ring.header);
  ring.queue.head = decodeQueue(bytes).head;
  return (ring.queue.valid() && !ring.queue.full()) || fail(1, events::kDmaErr, ring.header);
}

template <class Port>
bool Job::emit(Port& port, Ring& ring, AccessKind kind, const std::uint8_t* entry, unsigned size) {
  if (!makeRoom(port, ring)) return false;
  const std::uint64_t at = ring.queue.base + std::uint64_t{ring.queue.tail} * size;
  if (!port.write(kind, at, entry, size)) return fail(1, events::kInvMiss, at);
  ring.queue.tail = ring.queue.next(ring.queue.tail);
  return publish(port, ring, Queue::kTailOffset, ring.queue.tail);
}

template <class Port>
bool Job::publish(Port& port, const Ring& ring, unsigned offset, std::uint32_t index) {
  std::uint8_t bytes[4];
  storeU32(bytes, index);
  return port.write(AccessKind::QueueIndex, ring.header + offset, bytes, 4) ||
         fail(1, events::kInvMiss, ring.header + offset);
}

}  // namespace rtvp::xphmg
