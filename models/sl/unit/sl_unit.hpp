// The shading unit on a bus: register block and program store behind a TLM-2.0 target socket, an
// initiator socket to memory, an interrupt line, statistics. All behaviour is in ShadingCore.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>

#include "models/common/bus_master.hpp"
#include "models/common/register_target.hpp"
#include "models/common/statistics.hpp"
#include "models/common/trace.hpp"
#include "models/sl/unit/shading_core.hpp"
#include "models/sl/unit/unit_registers.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::sl::unit {

struct SlUnitConfig {
  CoreConfig core;
  sc_core::sc_time period = sc_core::sc_time(10, sc_core::SC_NS);
  unsigned wordClocks = 1;    ///< bus clocks a word of a transfer
  bool dmi = true;            ///< speed setting: take direct memory access where it is granted
  bool report_faults = true;  ///< a fault is also an SC_REPORT_ERROR (report_ids::kSlFault)
};

/// b_transport never waits: a register takes one clock, an instruction of the program store two.
/// Whole instructions only in the store; byte enables only in the register block. A write of
/// REQUEST_TAIL starts the unit at the next clock; its own transfers are b_transport calls whose
/// delay runs ahead of simulated time by at most one batch of requests, then the unit waits. By
/// direct memory access they take the same time and are counted alike (AccessCounts). While it is
/// busy the host must leave its queues, slots and program store alone: writes to the program
/// store then answer TLM_COMMAND_ERROR_RESPONSE. Debug transport reads registers and the program
/// store.
class SlUnit : public sc_core::sc_module, private MemoryPort, private common::RegisterBehaviour {
 public:
  tlm_utils::simple_target_socket<SlUnit, 32> host_tsock;
  tlm_utils::simple_initiator_socket<SlUnit, 32> memory_isock;
  sc_core::sc_out<bool> irq_o;

  SlUnit(sc_core::sc_module_name name, const SlUnitConfig& config);

  /// Before the simulation starts: transfers wait for those of other masters.
  void setContention(common::Contention& contention, unsigned master) {
    bus_.setContention(contention, master);
  }

  [[nodiscard]] const ShadingCore& core() const { return core_; }
  /// For debuggers, which change runs.
  [[nodiscard]] ShadingCore& core() { return core_; }
  [[nodiscard]] const common::ClockDomain& clock() const { return clock_; }
  void setRunProbe(RunProbe* probe) { core_.setRunProbe(probe); }
  /// Transfers whose words moved by pointer.
  [[nodiscard]] std::uint64_t dmiAccesses() const { return bus_.dmiAccesses(); }
  /// Transfers may have to wait for those of others.
  [[nodiscard]] bool contended() const { return bus_.contended(); }
  void setRequestObserver(std::function<void(const ShadingCore::RequestReport&)> observer) {
    core_.setRequestObserver(std::move(observer));
  }
  void keepAccounts() { core_.keepAccounts(); }
  /// Clocks of a pipeline, as report() has them.
  [[nodiscard]] Clock cycles(const PipelineCounters& pipeline) const {
    return std::max(total_, pipeline.worked());
  }
  /// Accounts the time up to now; call before report() at the end of a run.
  void finish();
  void report(common::StatGroup& group) const;
  using sc_core::sc_module::trace;
  void trace(const common::TraceScope& scope);
  /// Nothing is under way: state() is all there is.
  [[nodiscard]] bool quiescent() const;
  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);
  /// What the unit is doing, for deadlock reports.
  [[nodiscard]] std::string describe() const;

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);
  tlm::tlm_response_status programs(tlm::tlm_generic_payload& payload);
  std::uint64_t peekRegister(std::size_t index) override { return file_.read(index); }
  bool writeRegister(std::size_t index, std::uint64_t value, std::uint64_t bytes) override;
  void control(std::uint32_t bits);
  void updateRegisters();
  void work();
  void driveInterrupt();
  void checkFault();
  Clock read(std::uint64_t address, std::span<std::uint32_t> words, Clock at) override;
  Clock write(std::uint64_t address, std::span<const std::uint32_t> words, Clock at) override;
  bool look(std::uint64_t address, std::span<std::uint32_t> words) override;
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) { bus_.invalidate(first, last); }
  Clock transfer(bool write, std::uint64_t address, std::uint32_t* words, std::size_t count,
                 Clock at);
  [[nodiscard]] CoreAddresses addresses() const;
  [[nodiscard]] std::uint32_t tail() const { return file_.peek(row("REQUEST_TAIL")); }

  SlUnitConfig config_;
  common::BusMaster bus_;
  const common::ClockDomain& clock_ = bus_.clock();
  ShadingCore core_;
  common::RegisterFile file_;
  common::RegisterTarget registers_;
  sc_core::sc_event start_;
  sc_core::sc_event interrupt_;
  bool busy_ = false;
  bool fault_reported_ = false;
  Clock total_ = 0;
  std::uint64_t batches_ = 0;
  std::uint64_t words_read_ = 0, words_written_ = 0;
  std::uint64_t transactions_ = 0, errors_ = 0;

  struct Signals {
    common::TraceSignal busy, posted, taken, answered, interrupt;
  } signals_;
};

}  // namespace rtvp::sl::unit
