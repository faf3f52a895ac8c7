// Mailbox between a host and the driver program on the hart: two FIFOs of addresses and two level
// interrupts. A platform addition; the XPHMG_RT text has no host beside the hart.
//
// The host posts descriptor addresses (POST), the hart takes them (TAKE), submits the jobs and
// reports each with an error code (DONE); the host collects the reports (COLLECT). Times are the
// caller's: an access takes a cycle and acts at once.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <deque>
#include <systemc>
#include <tlm>

#include "models/common/register_target.hpp"
#include "models/common/statistics.hpp"
#include "models/xphmg/mailbox_registers.hpp"

namespace rtvp::xphmg {

class Mailbox : public sc_core::sc_module, private common::RegisterBehaviour {
 public:
  tlm_utils::simple_target_socket<Mailbox, 32> bus_tsock;
  sc_core::sc_port<sc_core::sc_signal_out_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>
      hart_irq_o;  ///< level: posts wait
  sc_core::sc_port<sc_core::sc_signal_out_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>
      host_irq_o;  ///< level: reports wait

  struct Config {
    unsigned depth = 256;  ///< places of each FIFO, 1..65535
    sc_core::sc_time period = sc_core::sc_time(1, sc_core::SC_NS);  ///< of an access
  };
  /// Throws std::invalid_argument for a depth out of range.
  Mailbox(sc_core::sc_module_name name, const Config& config);

  /// Notified with each report of the hart.
  [[nodiscard]] const sc_core::sc_event& reportedEvent() const { return reported_event_; }
  void report(common::StatGroup& group) const;
  /// Nothing is in it.
  [[nodiscard]] bool quiescent() const;
  /// For checkpoints, while quiescent() holds.
  void state(common::StateArchive& a);

 private:
  struct Entry {
    std::uint64_t address = 0;
    std::uint32_t code = 0;
  };

  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);
  std::uint64_t peekRegister(std::size_t index) override { return registers_.read(index); }
  std::optional<std::uint64_t> readRegister(std::size_t index, std::uint64_t bytes) override;
  bool writeRegister(std::size_t index, std::uint64_t value, std::uint64_t bytes) override;
  void push(std::deque<Entry>& fifo, const Entry& entry, std::uint32_t lost);
  Entry pop(std::deque<Entry>& fifo);
  void reset();
  void update();
  void drive();

  Config config_;
  common::RegisterFile registers_;
  common::RegisterTarget target_;
  std::deque<Entry> posts_, reports_;
  sc_core::sc_event irq_event_, reported_event_;
  std::uint64_t posted_ = 0, reported_ = 0, failed_ = 0, lost_ = 0, accesses_ = 0, errors_ = 0;
  std::size_t most_ = 0;
};

}  // namespace rtvp::xphmg
