// A payload for one access, with all its attributes said.
#pragma once

#include <cstdint>
#include <tlm>
#include <vector>

namespace rtvp::common::test {

struct Access {
  tlm::tlm_command command;
  std::uint64_t address;
  std::vector<std::uint8_t> data;
  std::vector<std::uint8_t> enables = {};  ///< empty: no byte enables
  unsigned streaming = 0;                  ///< 0: as long as the data

  /// `call` gets the payload; its data are then in `data`.
  template <typename Call>
  auto with(Call call) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    const auto length = static_cast<unsigned>(data.size());
    payload.set_data_length(length);
    payload.set_streaming_width(streaming == 0 ? length : streaming);
    payload.set_byte_enable_ptr(enables.empty() ? nullptr : enables.data());
    payload.set_byte_enable_length(static_cast<unsigned>(enables.size()));
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return call(payload);
  }
};

}  // namespace rtvp::common::test
