// The system interconnect: any number of initiators, any number of targets, one address map. It
// forwards blocking transport, debug transport and DMI, subtracts bases, and answers
// TLM_ADDRESS_ERROR_RESPONSE where nothing is mapped. Approximately timed initiators may bind, too;
// targets get b_transport (at_target.hpp).
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <cstdint>
#include <map>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/at_target.hpp"
#include "models/common/contention.hpp"
#include "models/common/statistics.hpp"

namespace rtvp::common {

class StateArchive;

struct InterconnectConfig {
  sc_core::sc_time latency = sc_core::SC_ZERO_TIME;  ///< added once per routed transaction
};

/// Use: `ic.attach(dram.bus_tsock, "dram", 0, size)` for each target,
/// `initiator.bind(ic.bus_tsock)` for each initiator.
class Interconnect : public sc_core::sc_module {
 public:
  /// What a target sees as its address.
  enum class Addressing {
    Relative,  ///< address - base
    Absolute,  ///< the address as the initiator gave it (bus bridges)
  };
  struct Range {
    std::string name;
    std::uint64_t base, size;
    Addressing addressing;
    int target;  ///< number of the binding
    std::uint64_t transactions = 0, bytes = 0;
  };
  using Target = tlm::tlm_base_target_socket_b<32>;  ///< any target socket of this width

  tlm_utils::multi_passthrough_target_socket<Interconnect, 32> bus_tsock;
  tlm_utils::multi_passthrough_initiator_socket<Interconnect, 32> target_isock;

  explicit Interconnect(sc_core::sc_module_name name, const InterconnectConfig& config = {});

  /// Binds `target` and maps it at [base, base + size). Returns the target's number for further
  /// map() calls. Throws std::invalid_argument if the range is empty, wraps or overlaps another.
  int attach(Target& target, std::string name, std::uint64_t base, std::uint64_t size,
             Addressing addressing = Addressing::Relative);
  /// One more range for a bound target.
  void map(int target, std::string name, std::uint64_t base, std::uint64_t size,
           Addressing addressing = Addressing::Relative);

  /// Before the simulation starts: the accesses of initiator `id` (in binding order) wait for those
  /// of others as `master` of `contention`. Not for initiators that ask themselves (BusMaster).
  /// b_transport may then wait.
  void arbitrate(Contention& contention, int id, unsigned master);

  /// Ranges in address order.
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }
  /// For checkpoints, with nothing under way.
  void state(StateArchive& a);
  void report(StatGroup& group) const;

 private:
  void waitForPlace(int id, const tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  Range* route(std::uint64_t address, std::uint64_t length);
  void transport(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nonBlocking(int id, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                 sc_core::sc_time& delay) {
    return at_.forward(id, payload, phase, delay);
  }
  unsigned debug(int id, tlm::tlm_generic_payload& payload);
  bool directMemory(int id, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void invalidate(int id, sc_dt::uint64 start, sc_dt::uint64 end);

  InterconnectConfig config_;
  AtTarget at_;
  std::vector<Range> ranges_;
  int targets_ = 0;
  Contention* contention_ = nullptr;
  std::map<int, unsigned> masters_;  ///< initiators for which the interconnect asks
  std::uint64_t errors_ = 0;
};

}  // namespace rtvp::common
