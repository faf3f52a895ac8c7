// See job_record.hpp: what is heard of a unit.
#include <algorithm>
#include <set>
#include <stdexcept>

#include "models/xphmg/csr_table.hpp"
#include "models/xphmg/debug/job_record.hpp"

namespace rtvp::xphmg {
namespace {

/// Collects what a descriptor reaches, as Job and Traversal would.
class Reach {
 public:
  using Look = std::function<bool(std::uint64_t, std::span<std::uint8_t>)>;
  Reach(const JobState& state, const Look& look, common::ByteImage& memory)
      : state_(state), look_(look), memory_(memory), width_(state.precision.elementBytes()) {}

  void job(std::uint64_t descriptor) {
    const std::vector<std::uint8_t> bytes = take(descriptor, RtDesc::kBytes);
    if (bytes.empty()) return;
    const RtDesc desc = decodeDesc(bytes.data());
    const auto either = [](std::uint64_t field, std::uint64_t fallback) {
      return field != 0 ? field : fallback;
    };
    ring(either(desc.rayQueue, state_.rtqRay), true);
    ring(either(desc.hitQueue, state_.rtqHit), false);
    ring(either(desc.missQueue, state_.rtqMiss), false);
    node8_ = (desc.opts & opts::kNode8) != 0;
    heap_ = either(desc.bvhBase, state_.rtbase);
    triangles_ = desc.triBuf;
    tiles();
  }

 private:
  /// Many leaves may have the same triangles: what is read is bounded beside what is kept.
  void bound() {
    constexpr std::uint64_t kMostReads = kMostJobMemory / 2;
    if (memory_.bytes() > kMostJobMemory || ++reads_ > kMostReads)
      throw std::length_error("its descriptor reaches more than " +
                              std::to_string(kMostJobMemory >> 20U) +
                              " MiB, expected a job on a smaller scene");
  }
  /// Empty: not all of it is there.
  std::vector<std::uint8_t> take(std::uint64_t address, std::size_t size) {
    std::vector<std::uint8_t> bytes(size);
    if (address + size < address || !look_(address, bytes)) return {};
    memory_.put(address, bytes);
    bound();
    return bytes;
  }
  /// The same with the lines around it, which LMEM fetches.
  std::vector<std::uint8_t> takeLines(std::uint64_t address, std::size_t size) {
    const std::uint64_t first = address / Lmem::kLineBytes * Lmem::kLineBytes;
    for (std::uint64_t line = first; line < address + size; line += Lmem::kLineBytes)
      if (!memory_.knows(line, Lmem::kLineBytes)) (void)take(line, Lmem::kLineBytes);
    return take(address, size);
  }
  void ring(std::uint64_t header, bool entries) {
    if (header == 0) return;
    const std::vector<std::uint8_t> bytes = take(header, Queue::kBytes);
    if (bytes.empty() || !entries) return;
    const Queue queue = decodeQueue(bytes.data());
    if (!queue.valid()) return;
    for (std::uint32_t i = queue.head; i != queue.tail; i = queue.next(i))
      if (take(queue.base + std::uint64_t{i} * kRayEntryBytes, kRayEntryBytes).empty()) return;
  }
  /// All tiles from the root on, each once.
  void tiles() {
    const TileLayout layout = tileLayout(width_, state_.literal88);
    std::vector<std::uint32_t> open{0};
    std::set<std::uint32_t> seen{0};
    while (!open.empty()) {
      const std::uint32_t index = open.back();
      open.pop_back();
      const std::uint64_t address = tileAddress(heap_, index, layout.stride, node8_);
      for (unsigned half = 0; half < (node8_ ? 2U : 1U); ++half) {
        const auto bytes = takeLines(address + std::uint64_t{half} * layout.stride, layout.stride);
        if (bytes.empty()) break;
        for (const TileChild& child : decodeTile(bytes.data(), width_, layout).child) {
          if (child.kind == ChildKind::Leaf) leaf(child.index);
          if (child.kind == ChildKind::Node && seen.insert(child.index).second)
            open.push_back(child.index);
        }
      }
    }
  }
  void leaf(std::uint32_t index) {
    if (!leaves_.insert(index).second) return;
    const auto bytes = takeLines(triRangeAddress(heap_, index), kTriRangeBytes);
    if (bytes.empty()) return;
    const TriRange range = decodeTriRange(bytes.data());
    const std::uint64_t base = range.base != 0 ? range.base : triangles_;
    for (std::uint32_t i = 0; i < range.count; ++i) {
      const std::uint64_t at = triangleAddress(base, range.first, i, width_);
      if (takeLines(at, triangleBytes(width_)).empty()) return;
    }
  }

  const JobState& state_;
  const Look& look_;
  common::ByteImage& memory_;
  unsigned width_;
  bool node8_ = false;
  std::uint64_t heap_ = 0, triangles_ = 0;
  std::uint64_t reads_ = 0;
  std::set<std::uint32_t> leaves_;
};

/// Registers that masters write and jobs capture.
bool captured(Csr csr) {
  switch (csr) {
    case Csr::DOORBELL:
    case Csr::CONTROL:
    case Csr::IRQ_EN:
    case Csr::IRQ_PEND:
    case Csr::PREC_EXC_ST:
    case Csr::XMEM_EVENTS:
      return false;
    default:
      return descriptor(csr).bits(common::Access::Rw) != 0;
  }
}

KindTotals operator-(const KindTotals& a, const KindTotals& b) {
  return {a.accesses - b.accesses, a.bytes - b.bytes, a.transactions - b.transactions,
          a.busBytes - b.busBytes};
}

UnitCycles operator-(const UnitCycles& a, const UnitCycles& b) {
  return {a.box - b.box,       a.triangle - b.triangle, a.lmem - b.lmem,
          a.memory - b.memory, a.queue - b.queue,       a.descriptor - b.descriptor};
}

}  // namespace

void reachJobMemory(const JobState& state, std::uint64_t descriptor,
                    const std::function<bool(std::uint64_t, std::span<std::uint8_t>)>& look,
                    common::ByteImage& memory) {
  Reach(state, look, memory).job(descriptor);
}

JobRecorder::JobRecorder(RtUnit& unit, Ticket ticket, Done done, Refuse refuse)
    : unit_(unit), ticket_(ticket), done_(std::move(done)), refuse_(std::move(refuse)) {
  unit.setJobProbe(this);
  unit.setAccessObserver([this](const AccessRecord& a) {
    if (listening_) access(a);
  });
  unit.setRayObserver([this](const RayReport& ray) {
    if (listening_) record_.end.rays.push_back(ray);
  });
}

JobRecorder::~JobRecorder() {
  unit_.setJobProbe(nullptr);
  unit_.setAccessObserver({});
  unit_.setRayObserver({});
}

void JobRecorder::submitted(Ticket ticket, std::uint64_t descriptor, const CsrFile& csrs) {
  if (ticket != ticket_) return;
  record_.descriptor = descriptor;
  for (unsigned i = 0; i < kCsrs; ++i) {
    const Csr csr = static_cast<Csr>(i);
    if (captured(csr)) record_.registers.emplace_back(csr, csrs.read(csr));
  }
}

void JobRecorder::begins(const SubmittedJob& job) {
  if (job.ticket != ticket_) return;
  record_.config = unit_.config();
  before_ = totals();
  listening_ = true;
  if (!refuse_) return;
  try {
    reachJobMemory(
        job.snapshot.state, job.descriptor,
        [this](std::uint64_t address, std::span<std::uint8_t> bytes) {
          return unit_.look(address, bytes);
        },
        record_.memory);
  } catch (const std::length_error& e) {
    refuse_(e.what());
  }
}

void JobRecorder::access(const AccessRecord& a) {
  const UnitTiming& timing = unit_.port().timing();
  if (a.kind == AccessKind::Descriptor) record_.readCycles = a.end - a.start - timing.descriptor;
  if (!a.write || a.refused) return;
  if (!wrote_) record_.writeCycles = a.end - a.start - timing.t0;
  wrote_ = true;
  JobWrite write{a.address, std::vector<std::uint8_t>(a.size)};
  if (unit_.look(a.address, write.bytes)) record_.end.writes.push_back(std::move(write));
}

JobEnd JobRecorder::totals() const {
  const UnitPort& port = unit_.port();
  JobEnd sum;
  sum.causes = port.cycles();
  sum.lmemHits = port.lmemHits();
  sum.lmemMisses = port.lmemMisses();
  for (unsigned kind = 0; kind < kAccessKinds; ++kind)
    sum.accesses[kind] = port.totals(static_cast<AccessKind>(kind));
  sum.classBytes = port.classBytes();
  return sum;
}

void JobRecorder::ends(const JobOutcome& outcome, Cycle started, Cycle ended) {
  if (!listening_) return;
  listening_ = false;
  JobEnd& end = record_.end;
  const JobEnd after = totals();
  end.outcome = outcome;
  end.outcome.ticket = 0;
  end.cycles = ended - started;
  end.causes = after.causes - before_.causes;
  end.lmemHits = after.lmemHits - before_.lmemHits;
  end.lmemMisses = after.lmemMisses - before_.lmemMisses;
  for (unsigned kind = 0; kind < kAccessKinds; ++kind)
    end.accesses[kind] = after.accesses[kind] - before_.accesses[kind];
  for (unsigned n = 0; n < end.classBytes.size(); ++n)
    end.classBytes[n] = after.classBytes[n] - before_.classBytes[n];
  done_(std::move(record_));
}

}  // namespace rtvp::xphmg
