// See bus_master.hpp.
#include "models/common/bus_master.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace rtvp::common {

BusMaster::BusMaster(const ClockDomain& clock, bool dmi, Calls calls)
    : clock_(clock), dmi_(dmi), calls_(std::move(calls)) {}

void BusMaster::setContention(Contention& contention, unsigned master,
                              const Contention::Abort* abort) {
  if (!contention.limited()) return;
  contention_ = &contention;
  master_ = master;
  abort_ = abort;
  payload_.set_extension(&mark_);
}

Cycle BusMaster::ask(std::uint64_t address, std::size_t size, Cycle at) {
  const auto begin = contention_->request(master_, clock_.of(at), address, size, abort_);
  if (!begin) throw Withdrawn{};
  return std::max(at, clock_.at(*begin));
}

bool BusMaster::read(std::uint64_t address, std::span<std::uint8_t> bytes, Cycle at,
                     Cycle& latency) {
  const Cycle begin = granted(address, bytes.size(), at);
  const bool ok = fetch(address, bytes, begin, latency);
  latency += begin - at;
  return ok;
}

bool BusMaster::write(std::uint64_t address, std::span<const std::uint8_t> bytes, Cycle at,
                      Cycle& latency) {
  const Cycle begin = granted(address, bytes.size(), at);
  const bool ok = store(address, bytes, begin, latency);
  latency += begin - at;
  return ok;
}

bool BusMaster::fetch(std::uint64_t address, std::span<std::uint8_t> bytes, Cycle at,
                      Cycle& latency) {
  if (const Direct found = direct(false, address, bytes.size())) {
    std::memcpy(bytes.data(), found.data, bytes.size());
    latency = found.latency;
    return true;
  }
  return transport(false, address, bytes.data(), bytes.size(), at, latency);
}

bool BusMaster::store(std::uint64_t address, std::span<const std::uint8_t> bytes, Cycle at,
                      Cycle& latency) {
  if (const Direct found = direct(true, address, bytes.size())) {
    std::memcpy(found.data, bytes.data(), bytes.size());
    latency = found.latency;
    return true;
  }
  // A write does not touch its data; TLM's pointer has no const.
  return transport(true, address, const_cast<std::uint8_t*>(bytes.data()), bytes.size(), at,
                   latency);
}

bool BusMaster::look(std::uint64_t address, std::span<std::uint8_t> bytes) {
  prepare(payload_, tlm::TLM_READ_COMMAND, address, bytes.data(),
          static_cast<unsigned>(bytes.size()));
  return calls_.debug(payload_) == bytes.size();
}

bool BusMaster::deposit(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  prepare(payload_, tlm::TLM_WRITE_COMMAND, address, const_cast<std::uint8_t*>(bytes.data()),
          static_cast<unsigned>(bytes.size()));
  return calls_.debug(payload_) == bytes.size();
}

tlm::tlm_response_status BusMaster::send(bool write, std::uint64_t address, std::uint8_t* bytes,
                                         std::size_t size, sc_core::sc_time& delay,
                                         const ByteEnables& enables) {
  ++transportAccesses_;
  prepare(payload_, write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address, bytes,
          static_cast<unsigned>(size), enables);
  calls_.transport(payload_, delay);
  return payload_.get_response_status();
}

bool BusMaster::transport(bool write, std::uint64_t address, std::uint8_t* bytes, std::size_t size,
                          Cycle at, Cycle& latency) {
  const sc_core::sc_time local = clock_.of(at), global = sc_core::sc_time_stamp();
  const sc_core::sc_time before = local > global ? local - global : sc_core::SC_ZERO_TIME;
  sc_core::sc_time delay = before;
  send(write, address, bytes, size, delay);
  // The target may have let simulated time pass.
  latency = clock_.at(sc_core::sc_time_stamp() + delay - (global + before));
  if (!payload_.is_response_ok()) return false;
  if (dmi_ && payload_.is_dmi_allowed()) requestPointer(address);
  return true;
}

void BusMaster::requestPointer(std::uint64_t address) {
  constexpr std::size_t kMostRegions = 8;
  if (regions_.size() >= kMostRegions) return;
  tlm::tlm_dmi dmi;
  payload_.set_address(address);
  AccessCounts counts;
  if (countsDirect_) payload_.set_extension(&counts);
  const bool granted = calls_.pointer(payload_, dmi);
  payload_.clear_extension(&counts);
  if (!granted) return;
  regions_.push_back({dmi.get_start_address(), dmi.get_end_address(), dmi.get_dmi_ptr(),
                      dmi.is_read_allowed(), dmi.is_write_allowed(),
                      clock_.at(dmi.get_read_latency()), clock_.at(dmi.get_write_latency()),
                      std::move(counts.reads), std::move(counts.writes)});
  hot_ = regions_.size() - 1;
}

const BusMaster::Region* BusMaster::search(bool write, std::uint64_t address, std::size_t size) {
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    if (!regions_[i].holds(write, address, size)) continue;
    hot_ = i;
    return &regions_[i];
  }
  return nullptr;
}

BusMaster::Ground BusMaster::ground(std::uint64_t address) const {
  const Region* found = nullptr;
  for (const Region& r : regions_) {
    if (r.holds(true, address, 1) && r.read) found = &r;
  }
  if (found == nullptr) return {};
  // Where two grants meet, which of them an access finds depends on the one before.
  for (const Region& r : regions_) {
    if (&r != found && r.first <= found->last && found->first <= r.last) return {};
  }
  return {found->first, found->last, found->data, found->readLatency, found->writeLatency};
}

void BusMaster::invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
  std::erase_if(regions_, [&](const Region& r) { return r.first <= last && first <= r.last; });
  hot_ = 0;
}

}  // namespace rtvp::common
