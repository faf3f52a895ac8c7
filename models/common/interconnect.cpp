// Address routing, see interconnect.hpp.
#include "models/common/interconnect.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "models/common/access_counts.hpp"
#include "models/common/socket_tap.hpp"

namespace rtvp::common {

Interconnect::Interconnect(sc_core::sc_module_name name, const InterconnectConfig& config)
    : sc_module(name),
      bus_tsock("bus_tsock"),
      target_isock("target_isock"),
      config_(config),
      at_([this](int id, auto& payload, auto& delay) { transport(id, payload, delay); },
          [this](int id, auto& payload, auto& phase, auto& delay) {
            return bus_tsock[id]->nb_transport_bw(payload, phase, delay);
          }) {
  bus_tsock.register_b_transport(this, &Interconnect::transport);
  bus_tsock.register_nb_transport_fw(this, &Interconnect::nonBlocking);
  bus_tsock.register_transport_dbg(this, &Interconnect::debug);
  bus_tsock.register_get_direct_mem_ptr(this, &Interconnect::directMemory);
  target_isock.register_invalidate_direct_mem_ptr(this, &Interconnect::invalidate);
}

int Interconnect::attach(Target& target, std::string name, std::uint64_t base, std::uint64_t size,
                         Addressing addressing) {
  bindSockets(target_isock, target);
  const int number = targets_++;
  map(number, std::move(name), base, size, addressing);
  return number;
}

void Interconnect::map(int target, std::string name, std::uint64_t base, std::uint64_t size,
                       Addressing addressing) {
  char where[80];
  std::snprintf(where, sizeof where, " (base %llXh, size %llXh)",
                static_cast<unsigned long long>(base), static_cast<unsigned long long>(size));
  if (target < 0 || target >= targets_) {
    throw std::invalid_argument("interconnect: no target number " + std::to_string(target) +
                                " for " + name);
  }
  if (size == 0 || base + (size - 1) < base) {
    throw std::invalid_argument("interconnect: " + name + " is empty or wraps" + where);
  }
  for (const Range& other : ranges_) {
    if (base <= other.base + (other.size - 1) && other.base <= base + (size - 1)) {
      throw std::invalid_argument("interconnect: " + name + " overlaps " + other.name + where);
    }
  }
  const auto after = std::find_if(ranges_.begin(), ranges_.end(),
                                  [&](const Range& range) { return range.base > base; });
  ranges_.insert(after, Range{std::move(name), base, size, addressing, target});
}

Interconnect::Range* Interconnect::route(std::uint64_t address, std::uint64_t length) {
  for (Range& range : ranges_) {
    if (address < range.base || address - range.base >= range.size) continue;
    return length <= range.size - (address - range.base) ? &range : nullptr;
  }
  return nullptr;
}

void Interconnect::transport(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  Range* const range = route(address, payload.get_data_length());
  if (range == nullptr) {
    ++errors_;
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (contention_ != nullptr) waitForPlace(id, payload, delay);
  ++range->transactions;
  range->bytes += payload.get_data_length();
  delay += config_.latency;
  if (range->addressing == Addressing::Relative) payload.set_address(address - range->base);
  target_isock[range->target]->b_transport(payload, delay);
  payload.set_address(address);
}

void Interconnect::arbitrate(Contention& contention, int id, unsigned master) {
  if (!contention.limited()) return;
  contention_ = &contention;
  masters_[id] = master;
}

void Interconnect::waitForPlace(int id, const tlm::tlm_generic_payload& payload,
                                sc_core::sc_time& delay) {
  const auto master = masters_.find(id);
  if (master == masters_.end() || payload.get_extension<GrantedMark>() != nullptr) return;
  const auto begin = contention_->request(master->second, sc_core::sc_time_stamp() + delay,
                                          payload.get_address(), payload.get_data_length());
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  delay = *begin > now ? *begin - now : sc_core::SC_ZERO_TIME;
}

unsigned Interconnect::debug(int, tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  Range* const range = route(address, payload.get_data_length());
  if (range == nullptr) return 0;
  if (range->addressing == Addressing::Relative) payload.set_address(address - range->base);
  const unsigned moved = target_isock[range->target]->transport_dbg(payload);
  payload.set_address(address);
  return moved;
}

bool Interconnect::directMemory(int, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  const std::uint64_t address = payload.get_address();
  Range* const range = route(address, 1);
  if (range == nullptr) {
    // Nobody is there: no such access, whatever it is, at this address.
    dmi.init();
    dmi.set_start_address(address);
    dmi.set_end_address(address);
    dmi.set_granted_access(tlm::tlm_dmi::DMI_ACCESS_READ_WRITE);
    return false;
  }
  const std::uint64_t shift = range->addressing == Addressing::Relative ? range->base : 0;
  payload.set_address(address - shift);
  const bool granted = target_isock[range->target]->get_direct_mem_ptr(payload, dmi);
  payload.set_address(address);
  // A refusal names a region, too. The target speaks of its own addresses and may be larger than
  // the window it is seen through.
  const std::uint64_t first = std::max<std::uint64_t>(dmi.get_start_address(), range->base - shift);
  const std::uint64_t last =
      std::min<std::uint64_t>(dmi.get_end_address(), range->base - shift + (range->size - 1));
  if (granted) dmi.set_dmi_ptr(dmi.get_dmi_ptr() + (first - dmi.get_start_address()));
  dmi.set_start_address(first + shift);
  dmi.set_end_address(last + shift);
  dmi.set_read_latency(dmi.get_read_latency() + config_.latency);
  dmi.set_write_latency(dmi.get_write_latency() + config_.latency);
  if (auto* const counts = payload.get_extension<AccessCounts>()) {
    counts->reads.push_back({&range->transactions, &range->bytes});
    counts->writes.push_back({&range->transactions, &range->bytes});
  }
  return granted;
}

void Interconnect::invalidate(int id, sc_dt::uint64 start, sc_dt::uint64 end) {
  for (const Range& range : ranges_) {
    if (range.target != id) continue;
    const std::uint64_t shift = range.addressing == Addressing::Relative ? range.base : 0;
    const std::uint64_t low = range.base - shift;
    const std::uint64_t first = std::max<std::uint64_t>(start, low);
    const std::uint64_t last = std::min<std::uint64_t>(end, low + (range.size - 1));
    if (first > last) continue;
    for (unsigned i = 0; i < bus_tsock.size(); ++i) {
      bus_tsock[static_cast<int>(i)]->invalidate_direct_mem_ptr(first + shift, last + shift);
    }
  }
}

void Interconnect::report(StatGroup& group) const {
  for (const Range& range : ranges_) {
    StatGroup& sub = group.group(range.name, "one range of the address map");
    sub.count("transactions", "1", "transactions routed here", range.transactions);
    sub.count("bytes", "bytes", "bytes in those transactions", range.bytes);
  }
  group.count("errors", "1", "accesses to addresses where nothing is mapped", errors_);
}

}  // namespace rtvp::common
