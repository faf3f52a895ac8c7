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
  array_tsock.register_transport_dbg(this, &Sram::arrayDebug);
  host_tsock.register_b_transport(this, &Sram::hostTransport);
  host_tsock.register_transport_dbg(this, &Sram::hostDebug);
}

bool Sram::access(tlm::tlm_generic_payload& payload, unsigned bank) {
  const sc_dt::uint64 address = payload.get_address();
  const unsigned length = payload.get_data_length();
  const sc_dt::uint64 bytes = sc_dt::uint64{config_.words} * 4;
  if (payload.get_byte_enable_ptr() != nullptr) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return false;
  }
  const unsigned streaming =
      payload.get_streaming_width();  // 0 in a debug payload that never set it
  if (length == 0 || (length | address) % 4 != 0 || (streaming != 0 && streaming < length)) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return false;
  }
  if (address >= bytes || length > bytes - address) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return false;
  }
  std::uint32_t* word = words_.data() + std::size_t{bank} * config_.words + address / 4;
  if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), word, length);
  } else if (payload.is_write()) {
    std::memcpy(word, payload.get_data_ptr(), length);
  } else {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return false;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return true;
}

void Sram::arrayTransport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
  if (access(payload, arrayBank_))
    (payload.is_read() ? arrayReads_ : arrayWrites_) += payload.get_data_length() / 4;
}

void Sram::hostTransport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
  if (access(payload, hostBank()))
    (payload.is_read() ? hostReads_ : hostWrites_) += payload.get_data_length() / 4;
}

unsigned Sram::arrayDebug(tlm::tlm_generic_payload& payload) {
  return access(payload, arrayBank_) ? payload.get_data_length() : 0;
}

unsigned Sram::hostDebug(tlm::tlm_generic_payload& payload) {
  return access(payload, hostBank()) ? payload.get_data_length() : 0;
}

void Sram::report(common::StatGroup& stats) const {
  stats.count("words", "words", "size of a bank", config_.words);
  stats.count("array_reads", "words", "words broadcast to the array, instruction fetches included",
              arrayReads_);
  stats.count("array_writes", "words", "words written by the master DSP", arrayWrites_);
  stats.count("host_reads", "words", "words read through the PCI window", hostReads_);
  stats.count("host_writes", "words",
              "words written through the PCI window (firmware, database pages)", hostWrites_);
}

}  // namespace rtvp::tigershark
