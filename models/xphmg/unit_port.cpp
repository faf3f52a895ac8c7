// See unit_port.hpp.
#include "models/xphmg/unit_port.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace rtvp::xphmg {
namespace {

constexpr bool buffered(AccessKind kind) {
  return kind == AccessKind::Tile || kind == AccessKind::TriRange || kind == AccessKind::Triangle;
}

}  // namespace

UnitPort::UnitPort(const Config& config, Bus bus)
    : config_(config), bus_(std::move(bus)), lmem_(config.lmemKib) {
  if (config.period == sc_core::SC_ZERO_TIME)
    throw std::invalid_argument("xphmg: the clock period must not be 0");
  extension_.unit = config.unit;
  payload_.set_extension(&extension_);
}

UnitPort::~UnitPort() {
  payload_.clear_extension(&extension_);
}

void UnitPort::beginJob(std::uint64_t ticket, Cycle at) {
  now_ = std::max(now_, at);
  extension_.ticket = ticket;
  lmem_.clear();
  last_ = AccessKind::Descriptor;
  secondTile_ = false;
}

Cycle UnitPort::cyclesOf(const sc_core::sc_time& time) const {
  return (time.value() + config_.period.value() - 1) / config_.period.value();
}

Cycle UnitPort::latency(AccessKind kind, std::uint64_t address, bool write) const {
  const UnitTiming& t = config_.timing;
  if (kind == AccessKind::Descriptor) return t.descriptor;
  if (write) return t.t0;  // posted
  const bool lds = address - config_.lds.base < config_.lds.size;
  const Cycle cycles = lds ? t.t1 : t.memoryIsT2 ? t.t2 : t.t3;
  if (kind != AccessKind::Ray) return cycles;
  // Entries follow one another: a profile that prefetches keeps `depth` more of them on their way.
  return std::max<Cycle>(t.t0, cycles / (1U + extension_.tags.prefetchDepth));
}

void UnitPort::charge(AccessKind kind, Cycle cycles) {
  now_ += cycles;
  if (buffered(kind)) {
    cycles_.memory += cycles;
  } else if (kind == AccessKind::Descriptor) {
    cycles_.descriptor += cycles;
  } else {
    cycles_.queue += cycles;
  }
}

/// The test pipelines. A node is tested when its last tile is there. Triangles of a leaf enter one
/// after the other as they arrive; the leaf is done when the last one leaves.
void UnitPort::chargeTests(AccessKind kind, Cycle since) {
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

const std::uint8_t* UnitPort::read(AccessKind kind, std::uint64_t address, unsigned size) {
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

/// Line by line through LMEM. A line that is not all there (the end of a memory) is not kept: the
/// access is then made as it is.
const std::uint8_t* UnitPort::readBuffered(AccessKind kind, std::uint64_t address, unsigned size) {
  const std::uint64_t end = address + size;
  bool complete = end >= address;
  const Region* const whole = region(address, size, false);
  const std::uint8_t* const direct =
      whole != nullptr ? whole->data + (address - whole->first) : nullptr;
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
        payload_.set_read();
        payload_.set_address(begin);
        payload_.set_data_ptr(lmem_.data(slot));
        payload_.set_data_length(Lmem::kLineBytes);
        lmem_.setHasData(slot, bus_.debug(payload_) == Lmem::kLineBytes);
      }
      const std::uint64_t from = std::max(begin, address);
      const std::uint64_t to = std::min(begin + Lmem::kLineBytes, end);
      std::memcpy(scratch_.data() + (from - address), lmem_.data(slot) + (from - begin), to - from);
    }
  }
  if (!complete) return busRead(kind, address, size, scratch_.data(), false);
  return direct != nullptr ? direct : scratch_.data();
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
  Cycle cycles = latency(kind, address, false);
  if (const Region* const direct = region(address, size, false)) {
    ++dmiAccesses_;
    charge(kind, cycles + direct->readCycles);
    return direct->data + (address - direct->first);
  }
  extension_.kind = kind;
  extension_.lineFill = line_fill;
  const bool ok = transport(false, address, into, size, cycles);
  charge(kind, cycles);
  return ok ? into : nullptr;
}

bool UnitPort::write(AccessKind kind, std::uint64_t address, const std::uint8_t* bytes,
                     unsigned size) {
  KindTotals& total = totals_[static_cast<std::size_t>(kind)];
  ++total.accesses;
  ++total.transactions;
  total.bytes += size;
  total.busBytes += size;
  classBytes_[extension_.tags.mclass & 3U] += size;
  for (std::uint64_t line = address >> Lmem::kLineShift;
       line <= (address + size - 1) >> Lmem::kLineShift; ++line)
    lmem_.drop(line);
  const Cycle start = now_;
  Cycle cycles = latency(kind, address, true);
  bool ok = true;
  if (const Region* const direct = region(address, size, true)) {
    ++dmiAccesses_;
    std::memcpy(direct->data + (address - direct->first), bytes, size);
    cycles += direct->writeCycles;
  } else {
    extension_.kind = kind;
    extension_.lineFill = false;
    std::memcpy(scratch_.data(), bytes, size);
    ok = transport(true, address, scratch_.data(), size, cycles);
  }
  charge(kind, cycles);
  last_ = kind;
  if (observer_) observer_({kind, true, !ok, address, size, 0, 1, start, now_, &extension_.tags});
  return ok;
}

bool UnitPort::transport(bool write, std::uint64_t address, std::uint8_t* bytes, unsigned size,
                         Cycle& cycles) {
  ++transportAccesses_;
  payload_.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload_.set_address(address);
  payload_.set_data_ptr(bytes);
  payload_.set_data_length(size);
  payload_.set_streaming_width(size);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  const sc_core::sc_time local =
      sc_core::sc_time::from_value((now_ + cycles) * config_.period.value());
  const sc_core::sc_time global = sc_core::sc_time_stamp();
  const sc_core::sc_time before = local > global ? local - global : sc_core::SC_ZERO_TIME;
  sc_core::sc_time delay = before;
  bus_.transport(payload_, delay);
  cycles += cyclesOf(delay - before);
  if (!payload_.is_response_ok()) {
    unmapped_ = payload_.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE;
    return false;
  }
  if (config_.dmi && payload_.is_dmi_allowed()) requestDmi(address);
  return true;
}

void UnitPort::requestDmi(std::uint64_t address) {
  constexpr std::size_t kMostRegions = 8;
  if (regions_.size() >= kMostRegions) return;
  tlm::tlm_dmi dmi;
  payload_.set_address(address);
  if (!bus_.dmi(payload_, dmi)) return;
  regions_.push_back({dmi.get_start_address(), dmi.get_end_address(), dmi.get_dmi_ptr(),
                      dmi.is_read_allowed(), dmi.is_write_allowed(),
                      cyclesOf(dmi.get_read_latency()), cyclesOf(dmi.get_write_latency())});
  hot_ = regions_.size() - 1;
}

const UnitPort::Region* UnitPort::region(std::uint64_t address, unsigned size, bool write) {
  const auto holds = [&](const Region& r) {
    return address >= r.first && address <= r.last && size - 1 <= r.last - address &&
           (write ? r.write : r.read);
  };
  if (hot_ < regions_.size() && holds(regions_[hot_])) return &regions_[hot_];
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    if (!holds(regions_[i])) continue;
    hot_ = i;
    return &regions_[i];
  }
  return nullptr;
}

void UnitPort::invalidate(std::uint64_t first, std::uint64_t last) {
  std::erase_if(regions_, [&](const Region& r) { return r.first <= last && first <= r.last; });
  hot_ = 0;
}

}  // namespace rtvp::xphmg
