// The memory side of an XPHMG_RT unit: every access of a job is counted, timed, tagged and shown.
// Tiles, TriRanges and triangles go through LMEM (D-59); everything else goes to the bus. Where a
// target grants DMI the bytes come from there; counts, times and memory are those of one
// b_transport each (design.md 10).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <systemc>

#include "models/common/bus_master.hpp"
#include "models/xphmg/job.hpp"
#include "models/xphmg/lmem.hpp"
#include "models/xphmg/memory_port.hpp"
#include "models/xphmg/xmem_extension.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::xphmg {

using common::Cycle;

/// Section 14.3; not architectural.
struct UnitTiming {
  unsigned bboxCycles = 4, bboxIssue = 1;  ///< latency of a node test; each further tile of a node
  unsigned triCycles = 8, triIssue = 1;    ///< latency after a leaf's last triangle; between two
  unsigned t0 = 2, t1 = 6, t2 = 30, t3 = 120;  ///< memory by tier
  bool memoryIsT2 = false;                     ///< main memory answers as T2 instead of T3
  unsigned descriptor = 20;                    ///< descriptor fetch
  unsigned doorbell = 10;                      ///< DOORBELL write to the job's start
  bool operator==(const UnitTiming&) const = default;
};

struct LdsAperture {
  std::uint64_t base = 0x10000000;
  std::uint64_t size = 256U << 10U;  ///< 0: none
};

/// One access of the unit as its observer sees it, whether LMEM or the bus served it.
struct AccessRecord {
  AccessKind kind;
  bool write;
  bool refused;
  std::uint64_t address;
  unsigned size;
  unsigned lmemHits;  ///< lines found in LMEM
  unsigned busReads;  ///< transactions it made
  Cycle start, end;
  const XmemTags* tags;
};

/// Cycles with a job under way, by cause.
struct UnitCycles {
  Cycle box = 0, triangle = 0;  ///< busy: the two test pipelines
  Cycle lmem = 0;               ///< stalls: LMEM hits
  Cycle memory = 0;             ///< LMEM misses, or geometry without LMEM
  Cycle queue = 0;              ///< rays, entries, headers, indices
  Cycle descriptor = 0;
  [[nodiscard]] Cycle sum() const { return box + triangle + lmem + memory + queue + descriptor; }
};

struct KindTotals {
  std::uint64_t accesses = 0, bytes = 0;
  std::uint64_t transactions = 0,
                busBytes = 0;  ///< on the bus: more with line fills, fewer by hits
};

class UnitPort final : public MemoryPort {
 public:
  struct Config {
    UnitTiming timing;
    LdsAperture lds;
    unsigned lmemKib = 64;
    bool dmi = true;  ///< speed setting
    unsigned unit = 0;
    sc_core::sc_time period;
  };

  /// `bus`: the calls of the unit's initiator socket.
  UnitPort(const Config& config, common::BusMaster::Calls bus);
  ~UnitPort() override;
  UnitPort(const UnitPort&) = delete;
  UnitPort& operator=(const UnitPort&) = delete;

  // ---- the job's side
  const std::uint8_t* read(AccessKind kind, std::uint64_t address, unsigned size) override {
    // A ray's entry, with direct memory access and nobody who watches or is in the way.
    if (kind == AccessKind::Ray && undisturbed()) {
      if (const auto direct = bus_.direct(false, address, size)) {
        count(kind, size);
        finish(kind, latency(kind, address, false) + direct.latency);
        rayTag_ = loadU64(direct.data + kRayTagOffset);
        return direct.data;
      }
    }
    return readAny(kind, address, size);
  }
  bool write(AccessKind kind, std::uint64_t address, const std::uint8_t* bytes,
             unsigned size) override {
    if (undisturbed()) {
      if (const auto direct = bus_.direct(true, address, size)) {
        count(kind, size);
        forget(address, size);
        copyEntry(direct.data, bytes, size);
        finish(kind, latency(kind, address, true) + direct.latency);
        return true;
      }
    }
    return writeAny(kind, address, bytes, size);
  }
  /// Where all of a grant may be read without anybody noticing: no access is observed, none waits.
  [[nodiscard]] Window window(std::uint64_t address);
  /// The reads of a ray from the window.
  void charge(std::span<const Visit> visits, const TraversalResult& counts) {
    chargeLater(visits, counts);
    settle();
  }

  /// The same for reading and writing; what follows is for accesses in it.
  [[nodiscard]] Grant grant(std::uint64_t address);
  /// As charge(), but what is only summed up waits for count().
  void chargeLater(std::span<const Visit> visits, const TraversalResult& counts) {
    if (bulk_ && !secondTile_) {
      chargeBulk(visits, counts);
    } else {
      chargeEach(visits);
    }
  }
  void tookRay(std::uint64_t address) {
    charge(AccessKind::Ray, latency(AccessKind::Ray, address, false) + ground_.readLatency);
  }
  void wrote(AccessKind kind, std::uint64_t address, unsigned size) {
    forget(address, size);
    charge(kind, latency(kind, address, true) + ground_.writeLatency);
  }
  void count(const Entries& entries);

  // ---- the unit's side
  /// Accesses wait for those of others from now on; read() and write() may then let simulated time
  /// pass and throw BusMaster::Withdrawn.
  void setContention(common::Contention& contention, unsigned master,
                     const common::Contention::Abort* abort) {
    bus_.setContention(contention, master, abort);
  }
  [[nodiscard]] bool contended() const { return bus_.contended(); }
  /// A job begins at `at`: LMEM is emptied.
  void beginJob(std::uint64_t ticket, Cycle at);
  void setTags(const XmemTags& tags);
  void setNode8(bool node8) { node8_ = node8; }
  /// The unit's local time.
  [[nodiscard]] Cycle now() const { return now_; }
  /// Why the last access was refused: nothing is mapped there.
  [[nodiscard]] bool unmapped() const { return unmapped_; }
  /// user_tag of the last ray entry.
  [[nodiscard]] std::uint64_t rayTag() const { return rayTag_; }
  /// As BusMaster::look().
  [[nodiscard]] bool look(std::uint64_t address, std::span<std::uint8_t> bytes) {
    return bus_.look(address, bytes);
  }
  void invalidate(std::uint64_t first, std::uint64_t last) { bus_.invalidate(first, last); }
  void setObserver(std::function<void(const AccessRecord&)> observer) {
    observer_ = std::move(observer);
  }

  [[nodiscard]] const UnitCycles& cycles() const { return cycles_; }
  [[nodiscard]] const KindTotals& totals(AccessKind kind) const {
    return totals_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] std::uint64_t lmemHits() const { return lmemHits_; }
  [[nodiscard]] std::uint64_t lmemMisses() const { return lmemMisses_; }
  [[nodiscard]] const std::array<std::uint64_t, 4>& classBytes() const { return classBytes_; }
  [[nodiscard]] std::uint64_t busBytes() const {
    return classBytes_[0] + classBytes_[1] + classBytes_[2] + classBytes_[3];
  }
  [[nodiscard]] std::uint64_t dmiAccesses() const { return bus_.dmiAccesses(); }
  [[nodiscard]] std::uint64_t transportAccesses() const { return bus_.transportAccesses(); }
  [[nodiscard]] const UnitTiming& timing() const { return config_.timing; }

  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

 private:
  [[nodiscard]] bool undisturbed() const { return !observer_ && !bus_.contended(); }
  /// Accesses that are one transaction each.
  void count(AccessKind kind, std::uint64_t size, std::uint64_t accesses = 1) {
    KindTotals& total = totals_[static_cast<std::size_t>(kind)];
    total.accesses += accesses;
    total.transactions += accesses;
    total.bytes += accesses * size;
    total.busBytes += accesses * size;
    classBytes_[extension_.tags.mclass & 3U] += accesses * size;
  }
  void finish(AccessKind kind, Cycle cycles) {
    charge(kind, cycles);
    last_ = kind;
  }
  /// LMEM drops what the unit has written.
  void forget(std::uint64_t address, unsigned size) {
    const std::uint64_t last = (address + size - 1) >> Lmem::kLineShift;
    for (std::uint64_t line = address >> Lmem::kLineShift; line <= last; ++line) lmem_.drop(line);
  }
  /// As memcpy(); entries in the pieces that they have just been stored in.
  static void copyEntry(std::uint8_t* to, const std::uint8_t* from, unsigned size) {
    constexpr unsigned kPiece = sizeof(std::uint64_t);
    if (size % kPiece != 0) {
      std::memcpy(to, from, size);
      return;
    }
    for (unsigned at = 0; at < size; at += kPiece) std::memcpy(to + at, from + at, kPiece);
  }
  const std::uint8_t* readAny(AccessKind kind, std::uint64_t address, unsigned size);
  bool writeAny(AccessKind kind, std::uint64_t address, const std::uint8_t* bytes, unsigned size);
  const std::uint8_t* readBuffered(AccessKind kind, std::uint64_t address, unsigned size);
  bool readLine(AccessKind kind, std::uint64_t line, std::size_t& slot);
  [[nodiscard]] static bool inBulk(const Config& config);
  void chargeBulk(std::span<const Visit> visits, const TraversalResult& counts);
  void chargeEach(std::span<const Visit> visits);
  [[nodiscard]] Cycle boxCycles(std::uint64_t tiles) const;
  void settle();
  void touchInBulk(AccessKind kind, std::uint64_t line);
  void chargeMiss(AccessKind kind, std::uint64_t line);
  void chargeLines(AccessKind kind, std::uint64_t address, unsigned size);
  void chargeDirect(AccessKind kind, std::uint64_t address, unsigned size);
  const std::uint8_t* busRead(AccessKind kind, std::uint64_t address, unsigned size,
                              std::uint8_t* into, bool line_fill);
  bool transport(bool write, std::uint64_t address, std::uint8_t* bytes, unsigned size,
                 Cycle& cycles);
  [[nodiscard]] static constexpr bool buffered(AccessKind kind) {
    return kind == AccessKind::Tile || kind == AccessKind::TriRange || kind == AccessKind::Triangle;
  }
  [[nodiscard]] Cycle latency(AccessKind kind, std::uint64_t address, bool write) const {
    const UnitTiming& t = config_.timing;
    if (kind == AccessKind::Descriptor) return t.descriptor;
    if (write) return t.t0;  // posted
    const bool lds = address - config_.lds.base < config_.lds.size;
    if (kind == AccessKind::Ray) return rayCycles_[lds ? 1 : 0];
    return lds ? t.t1 : t.memoryIsT2 ? t.t2 : t.t3;
  }
  void charge(AccessKind kind, Cycle cycles) {
    now_ += cycles;
    if (buffered(kind)) {
      cycles_.memory += cycles;
    } else if (kind == AccessKind::Descriptor) {
      cycles_.descriptor += cycles;
    } else {
      cycles_.queue += cycles;
    }
  }
  void chargeTests(AccessKind kind, Cycle since);

  Config config_;
  common::BusMaster bus_;
  common::BusMaster::Ground ground_;  ///< of the last grant()
  const bool bulk_;                   ///< walks may be charged in sums
  struct Sums {
    std::uint64_t tiles = 0, tileBytes = 0, leaves = 0, full = 0;
    std::uint64_t triangles = 0, triangleBytes = 0, hits = 0, misses = 0;
  } sums_;  ///< of walks, not in the statistics yet
  Lmem lmem_;
  XmemExtension extension_;
  std::function<void(const AccessRecord&)> observer_;
  std::array<std::uint8_t, 128> scratch_{};

  Cycle rayCycles_[2] = {0, 0};  ///< of a ray entry in memory, in LDS
  Cycle now_ = 0;
  bool unmapped_ = false, node8_ = false, secondTile_ = false;
  AccessKind last_ = AccessKind::Descriptor;
  std::uint64_t rayTag_ = 0;
  UnitCycles cycles_;
  std::array<KindTotals, kAccessKinds> totals_{};
  std::array<std::uint64_t, 4> classBytes_{};
  std::uint64_t lmemHits_ = 0, lmemMisses_ = 0;
};

}  // namespace rtvp::xphmg
