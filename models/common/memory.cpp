// Plain storage behind TLM-2.0, see memory.hpp.
#include "models/common/memory.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "models/common/access_counts.hpp"

namespace rtvp::common {

Memory::Memory(sc_core::sc_module_name name, const MemoryConfig& config)
    : sc_module(name),
      bus_tsock("bus_tsock"),
      config_(config),
      at_([this](int id, auto& payload, auto& delay) { transport(id, payload, delay); },
          [this](int id, auto& payload, auto& phase, auto& delay) {
            return bus_tsock[id]->nb_transport_bw(payload, phase, delay);
          }) {
  if (config.size == 0 || config.size > (1ULL << 36)) {
    throw std::invalid_argument("memory size must be 1 .. 2^36 bytes, is " +
                                std::to_string(config.size));
  }
  storage_ = ZeroPages(config.size);
  bus_tsock.register_b_transport(this, &Memory::transport);
  bus_tsock.register_nb_transport_fw(this, &Memory::nonBlocking);
  bus_tsock.register_transport_dbg(this, &Memory::debug);
  bus_tsock.register_get_direct_mem_ptr(this, &Memory::directMemory);
}

void Memory::transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const std::uint64_t length = payload.get_data_length();
  if (address > config_.size || length > config_.size - address) {
    ++errors_;
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (payload.get_streaming_width() < length) {
    ++errors_;
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  const bool write = payload.is_write();
  if (!write && !payload.is_read()) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);  // TLM_IGNORE_COMMAND: nothing to move
    return;
  }
  std::uint8_t* const cell = storage_.get() + address;
  std::uint8_t* const data = payload.get_data_ptr();
  const std::uint8_t* const enables = payload.get_byte_enable_ptr();
  if (enables == nullptr) {
    std::memcpy(write ? cell : data, write ? data : cell, length);
  } else {
    const unsigned period = payload.get_byte_enable_length();
    if (period == 0) {
      ++errors_;
      payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
      return;
    }
    for (std::uint64_t i = 0; i < length; ++i) {
      if (enables[i % period] == 0) continue;
      (write ? cell[i] : data[i]) = (write ? data[i] : cell[i]);
    }
  }
  ++(write ? writes_ : reads_);
  (write ? written_bytes_ : read_bytes_) += length;
  delay += write ? config_.write_latency : config_.read_latency;
  payload.set_dmi_allowed(config_.dmi);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned Memory::debug(int, tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  if (address >= config_.size) return 0;
  const std::uint64_t length =
      std::min<std::uint64_t>(payload.get_data_length(), config_.size - address);
  if (payload.is_read()) std::memcpy(payload.get_data_ptr(), storage_.get() + address, length);
  if (payload.is_write()) std::memcpy(storage_.get() + address, payload.get_data_ptr(), length);
  return static_cast<unsigned>(length);
}

bool Memory::directMemory(int, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  dmi.init();
  dmi.set_start_address(0);
  dmi.set_end_address(config_.size - 1);
  if (!config_.dmi || payload.get_address() >= config_.size) {
    // The refusal is of reads and writes, here and nowhere else if the address is beyond the end.
    if (config_.dmi) dmi.set_start_address(config_.size);
    if (config_.dmi) dmi.set_end_address(~sc_dt::uint64{0});
    dmi.set_granted_access(tlm::tlm_dmi::DMI_ACCESS_READ_WRITE);
    return false;
  }
  dmi.set_dmi_ptr(storage_.get());
  dmi.set_granted_access(tlm::tlm_dmi::DMI_ACCESS_READ_WRITE);
  dmi.set_read_latency(config_.read_latency);
  dmi.set_write_latency(config_.write_latency);
  if (auto* const counts = payload.get_extension<AccessCounts>()) {
    counts->reads.push_back({&reads_, &read_bytes_});
    counts->writes.push_back({&writes_, &written_bytes_});
  }
  return true;
}

void Memory::report(StatGroup& group) const {
  group.count("reads", "1", "read transactions", reads_);
  group.count("writes", "1", "write transactions", writes_);
  group.count("read_bytes", "bytes", "bytes read", read_bytes_);
  group.count("written_bytes", "bytes", "bytes written", written_bytes_);
  group.count("errors", "1", "accesses refused (address, streaming or byte-enable error)", errors_);
}

}  // namespace rtvp::common
