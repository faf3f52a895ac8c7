// See unit_port.hpp.
#include "models/xphmg/unit_port.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace rtvp::xphmg {
UnitPort::UnitPort(const Config& config, common::BusMaster::Calls bus)
    : config_(config),
      bus_(common::ClockDomain(config.period, "xphmg"), config.dmi, std::move(bus)),
      bulk_(inBulk(config)),
      lmem_(config.lmemKib) {
  extension_.unit = config.unit;
  setTags(extension_.tags);
  bus_.setExtension(extension_);
}

UnitPort::~UnitPort() {
  bus_.clearExtension(extension_);
}

void UnitPort::beginJob(std::uint64_t ticket, Cycle at) {
  now_ = std::max(now_, at);
  extension_.ticket = ticket;
  lmem_.clear();
  last_ = AccessKind::Descriptor;
  secondTile_ = false;
}

void UnitPort::setTags(const XmemTags& tags) {
  extension_.tags = tags;
  // Entries follow one another: a profile that prefetches keeps `depth` more of them on their way.
  const UnitTiming& t = config_.timing;
  const unsigned memory = t.memoryIsT2 ? t.t2 : t.t3;
  rayCycles_[0] = std::max<Cycle>(t.t0, memory / (1U + tags.prefetchDepth));
  rayCycles_[1] = std::max<Cycle>(t.t0, t.t1 / (1U + tags.prefetchDepth));
}

/// The test pipelines. A node is tested when its last tile is there. Triangles of a leaf enter one
/// after the other as they arrive; the leaf is done when the last one leaves.
inline void UnitPort::chargeTests(AccessKind kind, Cycle since) {
  const UnitTiming& t = config_.timing;
  if (kind == AccessKind::Tile) {
    const Cycle cycles = node8_ && secondTile_ ? t.bboxIssue : t.bboxCycles;
    secondTile_ = node8_ && !secondTile_;
    cycles_.box += cycles;
    now_ += cycles;
    return;
  }
  if (kind != AccessKind::Triangle) return;
  Cycle cycles = 0;
  if (last_ == AccessKind::TriRange) {
    cycles = t.triCycles;
  } else if (now_ - since < t.triIssue) {
    cycles = t.triIssue - (now_ - since);
  }
  cycles_.triangle += cycles;
  now_ += cycles;
}

const std::uint8_t* UnitPort::readAny(AccessKind kind, std::uint64_t address, unsigned size) {
  KindTotals& total = totals_[static_cast<std::size_t>(kind)];
  ++total.accesses;
  total.bytes += size;
  const Cycle start = now_;
  const std::uint64_t hits = lmemHits_, transactions = total.transactions;
  const std::uint8_t* const bytes = buffered(kind) && lmem_.enabled()
                                        ? readBuffered(kind, address, size)
                                        : busRead(kind, address, size, scratch_.data(), false);
  if (observer_) {
    observer_(
        {kind, false, bytes == nullptr, address, size, static_cast<unsigned>(lmemHits_ - hits),
         static_cast<unsigned>(total.transactions - transactions), start, now_, &extension_.tags});
  }
  if (bytes == nullptr) return nullptr;
  if (kind == AccessKind::Ray) rayTag_ = loadU64(bytes + kRayTagOffset);
  chargeTests(kind, start);
  last_ = kind;
  return bytes;
}

Window UnitPort::window(std::uint64_t address) {
  if (observer_ || bus_.contended()) return {};
  const common::BusMaster::Readable r = bus_.readable(address);
  if (r.data == nullptr) return {};
  // Whole lines only: LMEM reads no others, and each of them is in the grant.
  constexpr std::uint64_t kLine = Lmem::kLineBytes;
  const std::uint64_t skip = (kLine - r.first % kLine) % kLine;
  if (skip > r.last - r.first) return {};
  return {r.data + skip, r.first + skip, (r.last - r.first - skip + 1) / kLine * kLine};
}

Grant UnitPort::grant(std::uint64_t address) {
  if (!undisturbed()) return {};
  ground_ = bus_.ground(address);
  if (ground_.data == nullptr) return {};
  return {ground_.data, ground_.first, ground_.last - ground_.first + 1};
}

void UnitPort::count(const Entries& entries) {
  settle();
  count(AccessKind::Ray, kRayEntryBytes, entries.rays);
  count(AccessKind::Hit, kHitEntryBytes, entries.hits);
  count(AccessKind::Miss, kMissEntryBytes, entries.misses);
  count(AccessKind::QueueIndex, sizeof(std::uint32_t), entries.indices);
  bus_.addDirect(entries.rays + entries.hits + entries.misses + entries.indices);
  rayTag_ = entries.rayTag;
  last_ = AccessKind::QueueIndex;
}

/// Each read by itself costs at least the time between two triangles in their pipeline, so that
/// only the first triangle of a leaf waits there; and no node waits for its second tile.
bool UnitPort::inBulk(const Config& config) {
  const UnitTiming& t = config.timing;
  return config.lmemKib != 0 && std::min(t.t1, t.memoryIsT2 ? t.t2 : t.t3) >= t.triIssue;
}

void UnitPort::chargeEach(std::span<const Visit> visits) {
  for (const Visit& visit : visits) {
    KindTotals& total = totals_[static_cast<std::size_t>(visit.kind)];
    total.accesses += visit.count;
    total.bytes += visit.bytes;
    const unsigned size = visit.bytes / visit.count;
    for (std::uint32_t at = 0; at < visit.bytes; at += size) {
      const Cycle start = now_;
      if (lmem_.enabled()) {
        chargeLines(visit.kind, visit.address + at, size);
      } else {
        chargeDirect(visit.kind, visit.address + at, size);
      }
      chargeTests(visit.kind, start);
      last_ = visit.kind;
    }
  }
}

/// Of `count` triangles one behind the other, elements of 2^`shift` bytes: how many begin in the
/// line in which the one before ends. Triangle i begins with a line where 9 i is the elements from
/// `address` to the next line, modulo those of a line; 57 is the inverse of 9 there.
static std::uint64_t sharedLines(std::uint64_t address, std::uint32_t count, unsigned shift) {
  const unsigned line = Lmem::kLineShift - shift;  // elements of a line, as a power of two
  const std::uint64_t back = ((address >> shift) * 57) & ((std::uint64_t{1} << line) - 1U);
  const std::uint64_t begin = (count - 1U + back) >> line;
  return count - 1U - ((address & ((1U << shift) - 1U)) == 0 ? begin : 0);
}

/// Are both the most recently used of their sets? They then stay so.
static bool holdsBoth(const Lmem::Front& front, std::uint64_t line, std::uint64_t other) {
  const auto odds = [&front](std::uint64_t l) {
    return front.sets[(l & front.mask) * Lmem::kWays] ^ (l + 1) * Lmem::kWays;
  };
  return (odds(line) | odds(other)) < Lmem::kWays;  // all but the way's number is alike
}

/// Invariants: nobody sees the time between two reads, so what does not depend on their order is
/// added once; inBulk() has said that no read waits for the one before. chargeEach(), and read() of
/// each, are the plain twins.
/// What does is LMEM: each line is touched in its order. A line that two triangles of a leaf share
/// is touched by both, one right after the other, which counts and leaves the order as it is.
void UnitPort::chargeBulk(std::span<const Visit> visits, const TraversalResult& counts) {
  const UnitTiming& t = config_.timing;
  const unsigned tile = visits.front().bytes;  // a walk begins with the root
  const unsigned shift = tile == tileLayout(4).stride ? 2 : 1;
  const std::uint64_t missesBefore = sums_.misses;
  const Lmem::Front front = lmem_.front();
  std::uint64_t touched = 0;
  for (const Visit& visit : visits) {
    std::uint64_t line = visit.address >> Lmem::kLineShift;
    const std::uint64_t last = (visit.address + visit.bytes - 1) >> Lmem::kLineShift;
    touched += last - line + 1;
    if (visit.count > 1) touched += sharedLines(visit.address, visit.count, shift);
    // Most visits are of one line or two that have been visited just before.
    if (last - line <= 1 && holdsBoth(front, line, last)) continue;
    do touchInBulk(visit.kind, line);
    while (line++ != last);
  }
  const std::uint64_t missed = sums_.misses - missesBefore;
  const std::uint64_t full = visits.size() - counts.tiles - counts.leaves;  // leaves, not empty
  sums_.tiles += counts.tiles;
  sums_.tileBytes += std::uint64_t{counts.tiles} * tile;
  sums_.leaves += counts.leaves;
  sums_.full += full;
  sums_.triangles += counts.triangles;
  sums_.triangleBytes += std::uint64_t{counts.triangles} * triangleBytes(1U << shift);
  sums_.hits += touched - missed;
  now_ += boxCycles(counts.tiles) + full * t.triCycles + (touched - missed) * t.t1;
  last_ = visits.back().kind;
}

/// Of all tiles of whole nodes.
Cycle UnitPort::boxCycles(std::uint64_t tiles) const {
  const UnitTiming& t = config_.timing;
  return node8_ ? tiles / 2 * (t.bboxCycles + t.bboxIssue) : tiles * t.bboxCycles;
}

/// What has been charged in bulk goes to the statistics.
void UnitPort::settle() {
  const UnitTiming& t = config_.timing;
  const auto add = [this](AccessKind kind, std::uint64_t count, std::uint64_t bytes) {
    KindTotals& total = totals_[static_cast<std::size_t>(kind)];
    total.accesses += count;
    total.bytes += bytes;
  };
  add(AccessKind::Tile, sums_.tiles, sums_.tileBytes);
  add(AccessKind::TriRange, sums_.leaves, sums_.leaves * kTriRangeBytes);
  add(AccessKind::Triangle, sums_.triangles, sums_.triangleBytes);
  lmemHits_ += sums_.hits;
  lmemMisses_ += sums_.misses;
  cycles_.box += boxCycles(sums_.tiles);
  cycles_.triangle += sums_.full * t.triCycles;
  cycles_.lmem += sums_.hits * t.t1;
  sums_ = {};
}

void UnitPort::touchInBulk(AccessKind kind, std::uint64_t line) {
  if (lmem_.touch(line)) return;
  ++sums_.misses;
  chargeMiss(kind, line);
}

void UnitPort::chargeMiss(AccessKind kind, std::uint64_t line) {
  chargeDirect(kind, line << Lmem::kLineShift, Lmem::kLineBytes);
  lmem_.allocate(line);
}

/// As readBuffered() with direct memory access to all of it.
void UnitPort::chargeLines(AccessKind kind, std::uint64_t address, unsigned size) {
  const std::uint64_t last = (address + size - 1) >> Lmem::kLineShift;
  for (std::uint64_t line = address >> Lmem::kLineShift; line <= last; ++line) {
    if (lmem_.touch(line)) {
      ++lmemHits_;
      now_ += config_.timing.t1;
      cycles_.lmem += config_.timing.t1;
    } else {
      ++lmemMisses_;
      chargeMiss(kind, line);
    }
  }
}

/// As busRead() with direct memory access.
void UnitPort::chargeDirect(AccessKind kind, std::uint64_t address, unsigned size) {
  KindTotals& total = totals_[static_cast<std::size_t>(kind)];
  ++total.transactions;
  total.busBytes += size;
  classBytes_[extension_.tags.mclass & 3U] += size;
  charge(kind, latency(kind, address, false) + bus_.direct(false, address, size).latency);
}

/// Line by line through LMEM. A line that is not all there (the end of a memory) is not kept: the
/// access is then made as it is.
const std::uint8_t* UnitPort::readBuffered(AccessKind kind, std::uint64_t address, unsigned size) {
  const std::uint64_t end = address + size;
  bool complete = end >= address;
  const std::uint8_t* const direct = bus_.pointer(address, size);
  if (complete) {
    const std::uint64_t last = (end - 1) >> Lmem::kLineShift;
    for (std::uint64_t line = address >> Lmem::kLineShift; line <= last && complete; ++line) {
      std::size_t slot = lmem_.find(line);
      if (slot != Lmem::kNone) {
        ++lmemHits_;
        now_ += config_.timing.t1;
        cycles_.lmem += config_.timing.t1;
      } else {
        ++lmemMisses_;
        complete = readLine(kind, line, slot);
      }
      if (!complete || direct != nullptr) continue;
      const std::uint64_t begin = line << Lmem::kLineShift;
      if (!lmem_.hasData(slot)) {  // it came by DMI, which has been withdrawn since
        lmem_.setHasData(slot, bus_.look(begin, {lmem_.data(slot), Lmem::kLineBytes}));
      }
      const std::uint64_t from = std::max(begin, address);
      const std::uint64_t to = std::min(begin + Lmem::kLineBytes, end);
      std::memcpy(scratch_.data() + (from - address), lmem_.data(slot) + (from - begin), to - from);
    }
  }
  if (!complete) return busRead(kind, address, size, scratch_.data(), false);
  if (direct == nullptr) return scratch_.data();
  // A grant may end while the unit waits for others.
  if (!bus_.contended() || bus_.pointer(address, size) == direct) return direct;
  return bus_.look(address, {scratch_.data(), size}) ? scratch_.data() : nullptr;
}

bool UnitPort::readLine(AccessKind kind, std::uint64_t line, std::size_t& slot) {
  std::array<std::uint8_t, Lmem::kLineBytes> bytes;
  const std::uint8_t* const found =
      busRead(kind, line << Lmem::kLineShift, Lmem::kLineBytes, bytes.data(), true);
  if (found == nullptr) return false;
  slot = lmem_.allocate(line);
  // By DMI the data are where they are.
  if (found == bytes.data()) {
    std::memcpy(lmem_.data(slot), found, Lmem::kLineBytes);
    lmem_.setHasData(slot, true);
  }
  return true;
}

const std::uint8_t* UnitPort::busRead(AccessKind kind, std::uint64_t address, unsigned size,
                                      std::uint8_t* into, bool line_fill) {
  KindTotals& total = totals_[static_cast<std::size_t>(kind)];
  ++total.transactions;
  total.busBytes += size;
  classBytes_[extension_.tags.mclass & 3U] += size;
  charge(kind, bus_.granted(address, size, now_) - now_);
  Cycle cycles = latency(kind, address, false);
  if (const auto direct = bus_.direct(false, address, size)) {
    charge(kind, cycles + direct.latency);
    return direct.data;
  }
  extension_.kind = kind;
  extension_.lineFill = line_fill;
  const bool ok = transport(false, address, into, size, cycles);
  charge(kind, cycles);
  return ok ? into : nullptr;
}

bool UnitPort::writeAny(AccessKind kind, std::uint64_t address, const std::uint8_t* bytes,
                        unsigned size) {
  count(kind, size);
  forget(address, size);
  const Cycle start = now_;
  charge(kind, bus_.granted(address, size, now_) - now_);
  Cycle cycles = latency(kind, address, true);
  bool ok = true;
  if (const auto direct = bus_.direct(true, address, size)) {
    copyEntry(direct.data, bytes, size);
    cycles += direct.latency;
  } else {
    extension_.kind = kind;
    extension_.lineFill = false;
    std::memcpy(scratch_.data(), bytes, size);
    ok = transport(true, address, scratch_.data(), size, cycles);
  }
  finish(kind, cycles);
  if (observer_) observer_({kind, true, !ok, address, size, 0, 1, start, now_, &extension_.tags});
  return ok;
}

/// Adds what bus and memory annotate to `cycles`, those that the access takes anyway.
bool UnitPort::transport(bool write, std::uint64_t address, std::uint8_t* bytes, unsigned size,
                         Cycle& cycles) {
  Cycle latency = 0;
  const bool ok = bus_.transport(write, address, bytes, size, now_ + cycles, latency);
  cycles += latency;
  if (!ok) unmapped_ = bus_.status() == tlm::TLM_ADDRESS_ERROR_RESPONSE;
  return ok;
}

}  // namespace rtvp::xphmg
