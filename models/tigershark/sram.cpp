#include "models/tigershark/sram.hpp"

#include <cstring>

namespace rtvp::tigershark {

Sram::Sram(const sc_core::sc_module_name& name, const SramConfig& config)
    : sc_module(name),
      array_tsock("array_tsock"),
      host_tsock("host_tsock"),
      config_(config),
      words_(static_cast<std::size_t>(config.words) * (config.doubleBuffer ? 2U : 1U)) {
  array_tsock.register_b_transport(this, &Sram::arrayTransport);
  array_tsock.register_get_direct_mem_ptr(this, &Sram::arrayPointer);
  array_tsock.register_transport_dbg(this, &Sram::arrayDebug);
  host_tsock.register_b_transport(this, &Sram::hostTransport);
  host_tsock.register_transport_dbg(this, &Sram::hostDebug);
}

tlm::tlm_response_status Sram::move(const tlm::tlm_generic_payload& payload, unsigned bank) {
  const sc_dt::uint64 address = payload.get_address();
  const unsigned length = payload.get_data_length();
  const sc_dt::uint64 bytes = sc_dt::uint64{config_.words} * 4;
  if (length == 0 || (length | address) % 4 != 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (address >= bytes || length > bytes - address) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  std::uint32_t* word = words_.data() + std::size_t{bank} * config_.words + address / 4;
  if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), word, length);
  } else if (payload.is_write()) {
    std::memcpy(word, payload.get_data_ptr(), length);
  } else {
    return tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

bool Sram::access(tlm::tlm_generic_payload& payload, unsigned bank) {
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr) {
    status = tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  } else if (payload.get_streaming_width() < payload.get_data_length()) {
    status = tlm::TLM_BURST_ERROR_RESPONSE;
  } else {
    status = move(payload, bank);
  }
  payload.set_response_status(status);
  return status == tlm::TLM_OK_RESPONSE;
}

void Sram::arrayTransport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
  if (!access(payload, arrayBank_)) return;
  (payload.is_read() ? arrayReads_ : arrayWrites_) += payload.get_data_length() / 4;
  payload.set_dmi_allowed(payload.is_read());
}

/// The array may read its bank through a pointer until the banks are swapped. Writes are counted,
/// so there is none for them; a refusal tells of the whole bank.
bool Sram::arrayPointer(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  dmi.init();
  std::uint32_t* const bank = words_.data() + std::size_t{arrayBank_} * config_.words;
  dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(bank));
  dmi.set_start_address(0);
  dmi.set_end_address(sc_dt::uint64{config_.words} * 4 - 1);
  if (!payload.is_read()) {
    dmi.set_dmi_ptr(nullptr);
    dmi.set_granted_access(tlm::tlm_dmi::DMI_ACCESS_WRITE);
    return false;
  }
  dmi.allow_read();
  return payload.get_address() <= dmi.get_end_address();
}

void Sram::selectArrayBank(unsigned bank) {
  const unsigned before = arrayBank_;
  arrayBank_ = config_.doubleBuffer ? bank & 1U : 0U;
  signals_.bank.set(sc_core::sc_time_stamp().value(), arrayBank_);
  if (arrayBank_ != before) {
    array_tsock->invalidate_direct_mem_ptr(0, sc_dt::uint64{config_.words} * 4 - 1);
  }
}

void Sram::hostTransport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (!access(payload, hostBank())) return;
  (payload.is_read() ? hostReads_ : hostWrites_) += payload.get_data_length() / 4;
  const std::uint64_t at = (sc_core::sc_time_stamp() + delay).value();
  signals_.host_reads.set(at, hostReads_);
  signals_.host_writes.set(at, hostWrites_);
}

void Sram::trace(const common::TraceScope& scope) {
  signals_.bank = scope.count("bank", "bank that the DSPs see");
  signals_.host_reads = scope.count("host_reads", "words read by the host so far");
  signals_.host_writes = scope.count("host_writes", "words written by the host so far");
}

unsigned Sram::arrayDebug(tlm::tlm_generic_payload& payload) {
  return move(payload, arrayBank_) == tlm::TLM_OK_RESPONSE ? payload.get_data_length() : 0;
}

unsigned Sram::hostDebug(tlm::tlm_generic_payload& payload) {
  return move(payload, hostBank()) == tlm::TLM_OK_RESPONSE ? payload.get_data_length() : 0;
}

void Sram::report(common::StatGroup& stats, std::int64_t more) const {
  stats.count("words", "words", "size of a bank", config_.words);
  stats.count("array_reads", "words", "words broadcast to the array, instruction fetches included",
              arrayReads_ + static_cast<std::uint64_t>(more));
  stats.count("array_writes", "words", "words written by the master DSP", arrayWrites_);
  stats.count("host_reads", "words", "words read through the PCI window", hostReads_);
  stats.count("host_writes", "words",
              "words written through the PCI window (firmware, database pages)", hostWrites_);
}

}  // namespace rtvp::tigershark
