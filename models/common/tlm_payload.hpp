// The fields of a payload that the standard wants set for every call (style.md S18).
#pragma once

#include <cstdint>
#include <tlm>

namespace rtvp::common {

/// Enables of a transaction's bytes; none: all are enabled.
struct ByteEnables {
  std::uint8_t* pattern = nullptr;
  unsigned length = 0;
};

/// Makes `payload` ready for one call. Extensions stay.
inline void prepare(tlm::tlm_generic_payload& payload, tlm::tlm_command command,
                    std::uint64_t address, std::uint8_t* bytes, unsigned size,
                    const ByteEnables& enables = {}) {
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(bytes);
  payload.set_data_length(size);
  payload.set_streaming_width(size);
  payload.set_byte_enable_ptr(enables.pattern);
  payload.set_byte_enable_length(enables.length);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace rtvp::common
