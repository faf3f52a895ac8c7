// A byte-addressed memory behind TLM-2.0: the host's DRAM, and whatever else is plain storage.
// Addresses are relative to the memory's first byte (the interconnect subtracts the base). Several
// initiators may bind.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <cstdint>
#include <memory>
#include <span>
#include <systemc>
#include <tlm>

#include "models/common/at_target.hpp"
#include "models/common/core/zero_pages.hpp"
#include "models/common/statistics.hpp"

namespace rtvp::common {

class StateArchive;

struct MemoryConfig {
  std::uint64_t size = 64ULL << 20;                        ///< bytes; not 0, at most 2^36
  sc_core::sc_time read_latency = sc_core::SC_ZERO_TIME;   ///< added once per transaction
  sc_core::sc_time write_latency = sc_core::SC_ZERO_TIME;  ///< added once per transaction
  bool dmi = true;                                         ///< grant direct memory pointers
};

/// Zero-filled after power-on; the pages of the process are touched only when used. Accepts any
/// length, byte enables and no streaming (a streaming width below the length answers
/// TLM_BURST_ERROR_RESPONSE); an access past the end answers TLM_ADDRESS_ERROR_RESPONSE and moves
/// nothing. Initiators may be loosely or approximately timed (at_target.hpp).
class Memory : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<Memory, 32> bus_tsock;

  /// Throws std::invalid_argument for a size of 0 or above 2^36, std::bad_alloc when the machine
  /// has no room.
  Memory(sc_core::sc_module_name name, const MemoryConfig& config);

  [[nodiscard]] const MemoryConfig& config() const { return config_; }
  /// The storage itself, for loaders and tests; outside the simulated bus.
  [[nodiscard]] std::span<std::uint8_t> bytes() { return {storage_.get(), config_.size}; }

  /// For checkpoints, with nothing under way.
  void state(StateArchive& a);
  void report(StatGroup& group) const;

 private:
  void transport(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nonBlocking(int id, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay) {
    return at_.forward(id, payload, phase, delay);
  }
  unsigned debug(int id, tlm::tlm_generic_payload& payload);
  bool directMemory(int id, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);

  MemoryConfig config_;
  AtTarget at_;
  ZeroPages storage_;
  std::uint64_t reads_ = 0, writes_ = 0, read_bytes_ = 0, written_bytes_ = 0, errors_ = 0;
};

}  // namespace rtvp::common
