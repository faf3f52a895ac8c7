// The board's static RAM: 32-bit words, two ways in (the DSP array and the PLD on behalf of the
// host). Double-buffered boards (TS-045) have two banks of the stated size; which side sees which
// bank is the PLD's choice.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/statistics.hpp"
#include "models/common/trace.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::tigershark {

struct SramConfig {
  std::uint32_t words = 128 * 1024;  ///< a bank (TS-015)
  bool doubleBuffer = false;         ///< two banks
};

class Sram : public sc_core::sc_module {
 public:
  Sram(const sc_core::sc_module_name& name, const SramConfig& config);

  /// Both sockets: byte addresses, 4 bytes a word, aligned. Zero wait states at the chip: what a
  /// processor waits is its bus control's and the PLD's business.
  tlm_utils::simple_target_socket<Sram> array_tsock;
  tlm_utils::simple_target_socket<Sram> host_tsock;

  /// Bank that the array sees; the host sees the other one when double-buffered, the same one
  /// otherwise.
  void selectArrayBank(unsigned bank);
  [[nodiscard]] unsigned arrayBank() const { return arrayBank_; }

  /// `more`: words that the array has read through the pointer it was granted (TLM DMI), and not by
  /// transactions.
  void report(common::StatGroup& stats, std::int64_t more = 0) const;
  using sc_core::sc_module::trace;
  void trace(const common::TraceScope& scope);

  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

 private:
  void arrayTransport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void hostTransport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  bool arrayPointer(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  unsigned arrayDebug(tlm::tlm_generic_payload& payload);
  unsigned hostDebug(tlm::tlm_generic_payload& payload);
  /// Moves the words; debug transport is that and no more, so byte enables and streaming do not
  /// count here.
  tlm::tlm_response_status move(const tlm::tlm_generic_payload& payload, unsigned bank);
  bool access(tlm::tlm_generic_payload& payload, unsigned bank);
  [[nodiscard]] unsigned hostBank() const { return config_.doubleBuffer ? arrayBank_ ^ 1U : 0U; }

  SramConfig config_;
  std::vector<std::uint32_t> words_;
  unsigned arrayBank_ = 0;
  std::uint64_t arrayReads_ = 0;
  std::uint64_t arrayWrites_ = 0;
  std::uint64_t hostReads_ = 0;
  std::uint64_t hostWrites_ = 0;

  struct Signals {
    common::TraceSignal bank, host_reads, host_writes;
  } signals_;
};

}  // namespace rtvp::tigershark
