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

/// What Job::stretch() has done.
struct Stretch {
  std::uint64_t rays = 0;
  std::uint32_t maxDepth = 0;  ///< the deepest stack among them
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
  /// Rays as next() would trace and publish them, one after the other until the port's time is
  /// `limit`, as long as there is nothing unusual: a ray whose walk is declined, a ring that is
  /// full or not in the heap's grant, the end of the rays. That is left to next(), the plain twin.
  /// A speed setting. Invariants: rays, hits, misses and headers lie in one grant, nobody else acts
  /// before it returns, and each ray is read, walked, charged and published in its turn, in memory
  /// as by single accesses; only sums wait for the end.
  template <GrantingPort Port>
  Stretch stretch(Port& port, std::uint64_t limit);
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
    [[nodiscard]] bool in(const Grant& grant, unsigned entry_bytes) const {
      return grant.holds(header, Queue::kBytes) &&
             grant.holds(queue.base, std::uint64_t{queue.cap} * entry_bytes);
    }
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
  template <class Port>
  void put(Port& port, const Grant& grant, Ring& ring, AccessKind kind, const std::uint8_t* entry,
           unsigned size);
  template <class Port>
  static void putIndex(Port& port, const Grant& grant, std::uint64_t at, std::uint32_t index);
  [[nodiscard]] HitBytes hitEntry(std::uint64_t tag);
  /// Of a ray, hit or miss (D-51).
  void noteDowncast() {
    if (packed_ || state_.precision.elementBytes() < 4)
      result_.stickies.stat |= Stickies::kDowncastTaken;
  }
  void countRay(const TraversalResult& traced) {
    ++result_.rays;
    result_.tiles += traced.tiles;
    result_.leaves += traced.leaves;
    result_.triangles += traced.triangles;
  }
  [[nodiscard]] std::uint32_t valueWord(double value);
  bool failTraversal();

  JobState state_;
  std::uint64_t address_;
  RtDesc desc_;
  std::uint64_t heap_ = 0;
  bool plainWords_ = false;  ///< results are FP32, to nearest, subnormals as they are
  bool packed_ = false;      ///< t, u, v rounded to FP16 first (EW = 32 only)
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
  traversal_.trace(ray, port);
  const TraversalResult& traced = traversal_.result();
  result_.stickies.add(traversal_.stickies());
  countRay(traced);
  if (traced.error != TraversalError::None) return failTraversal();
  return finishRay(port, tag);
}

template <class Port>
bool Job::finishRay(Port& port, std::uint64_t tag) {
  noteDowncast();
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

template <GrantingPort Port>
Stretch Job::stretch(Port& port, std::uint64_t limit) {
  Stretch done;
  const Grant grant = port.grant(heap_);
  if (grant.size == 0 || !traversal_.walks() || !rays_.in(grant, kRayEntryBytes) ||
      !hits_.in(grant, kHitEntryBytes) ||
      (misses_.header != 0 && !misses_.in(grant, kMissEntryBytes)))
    return done;
  const Window window = port.window(heap_);
  Entries entries;
  while (rays_.queue.head != rayTail_ && !hits_.queue.full() &&
         !(misses_.header != 0 && misses_.queue.full())) {
    const std::uint64_t at = rays_.queue.base + std::uint64_t{rays_.queue.head} * kRayEntryBytes;
    // Its flags do not matter before the job ends: next() may set them once more.
    const Ray ray = decodeRay(state_.precision, grant.at(at), false, result_.stickies);
    const std::uint64_t tag = loadU64(grant.at(at) + kRayTagOffset);
    const std::span<const Visit> visits = traversal_.walk(ray, window);
    if (visits.empty()) break;
    const TraversalResult& traced = traversal_.result();
    port.tookRay(at);
    port.chargeLater(visits, traced);
    countRay(traced);
    if (traced.hit) {
      put(port, grant, hits_, AccessKind::Hit, hitEntry(tag).data(), kHitEntryBytes);
      ++entries.hits;
    } else if (misses_.header != 0) {
      put(port, grant, misses_, AccessKind::Miss, encodeMiss({tag, rays_.queue.head}).data(),
          kMissEntryBytes);
      ++entries.misses;
    }
    rays_.queue.head = rays_.queue.next(rays_.queue.head);
    putIndex(port, grant, rays_.header + Queue::kHeadOffset, rays_.queue.head);
    entries.rayTag = tag;
    ++entries.rays;
    done.maxDepth = traced.maxDepth > done.maxDepth ? traced.maxDepth : done.maxDepth;
    if (port.now() >= limit) break;
  }
  if (entries.rays == 0) return done;
  noteDowncast();
  entries.indices = entries.rays + entries.hits + entries.misses;
  port.count(entries);
  result_.hits += entries.hits;
  result_.misses += entries.rays - entries.hits;
  done.rays = entries.rays;
  return done;
}

/// As emit() where there is room.
template <class Port>
void Job::put(Port& port, const Grant& grant, Ring& ring, AccessKind kind,
              const std::uint8_t* entry, unsigned size) {
  const std::uint64_t at = ring.queue.base + std::uint64_t{ring.queue.tail} * size;
  std::memcpy(grant.at(at), entry, size);
  port.wrote(kind, at, size);
  ring.queue.tail = ring.queue.next(ring.queue.tail);
  putIndex(port, grant, ring.header + Queue::kTailOffset, ring.queue.tail);
}

/// As publish().
template <class Port>
void Job::putIndex(Port& port, const Grant& grant, std::uint64_t at, std::uint32_t index) {
  storeU32(grant.at(at), index);
  port.wrote(AccessKind::QueueIndex, at, 4);
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
