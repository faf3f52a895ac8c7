// The implicit-surface unit on a bus: register block behind a TLM-2.0 target socket, an initiator
// socket to memory, an interrupt line, statistics. All behaviour is in Engine; this is registers,
// ring, time and sockets.
//
// Time. b_transport never waits: a register access costs a clock. The unit's own process runs a job
// ahead of simulated time by at most `quantum`; a job's result, the registers and the interrupt
// change at the clock at which the job ends, whatever the quantum is.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <systemc>
#include <tlm>

#include "models/common/bus_master.hpp"
#include "models/common/register_target.hpp"
#include "models/common/statistics.hpp"
#include "models/common/trace.hpp"
#include "models/implicit/unit/engine.hpp"
#include "models/implicit/unit/registers.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::implicit::unit {

struct ImplicitUnitConfig {
  Timing timing;
  sc_core::sc_time period = sc_core::sc_time(1, sc_core::SC_NS);
  bool report_faults = true;  ///< a fault is also an SC_REPORT_ERROR (report_ids::kImplicitFault)
  bool dmi = true;            ///< speed setting: take direct memory access where it is granted
  sc_core::sc_time quantum = sc_core::sc_time(10, sc_core::SC_US);  ///< speed setting
  Ahead ahead;                                                      ///< speed settings
};

/// Listens to the unit's jobs and to its memory; for recorders.
class JobTap {
 public:
  JobTap() = default;
  JobTap(const JobTap&) = delete;
  JobTap& operator=(const JobTap&) = delete;
  virtual ~JobTap() = default;
  virtual void begins(Engine& engine, const common::RegisterFile& registers, std::uint64_t address,
                      Clock at) = 0;
  /// `latency`: none for bytes that were looked at without a transfer.
  virtual void moved(bool write, std::uint64_t address, std::span<const std::uint8_t> bytes,
                     std::optional<Clock> latency) = 0;
  /// The job's result is written, its totals are still its own.
  virtual void ends(const Engine& engine, const JobResult& result) = 0;
};

class ImplicitUnit : public sc_core::sc_module, private Memory, private common::RegisterBehaviour {
 public:
  tlm_utils::simple_target_socket<ImplicitUnit, 32> host_tsock;
  tlm_utils::simple_initiator_socket<ImplicitUnit, 32> memory_isock;
  sc_core::sc_port<sc_core::sc_signal_out_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND> irq_o;

  /// Throws std::invalid_argument for timing out of range or a period of 0.
  ImplicitUnit(sc_core::sc_module_name name, const ImplicitUnitConfig& config);

  /// Before the simulation starts: transfers wait for those of other masters. The unit's quantum
  /// has no meaning then, every transfer is in its order.
  void setContention(common::Contention& contention, unsigned master) {
    bus_.setContention(contention, master, &abort_);
  }

  [[nodiscard]] const Engine& engine() const { return engine_; }
  /// Who sees evaluations from within; null: nobody. Must outlive the jobs.
  void setWatch(render::EvaluationWatch* watch) { engine_.setWatch(watch); }
  /// Null: nobody listens. Must outlive the jobs.
  void setJobTap(JobTap* tap) { tap_ = tap; }
  /// Transfers may have to wait for those of others.
  [[nodiscard]] bool contended() const { return bus_.contended(); }
  /// Before the simulation starts: sees every job that ends, in the order of the ring.
  void setJobObserver(std::function<void(const Engine::JobReport&)> observer) {
    engine_.setJobObserver(std::move(observer));
  }
  /// Of a counter since the last reset.
  [[nodiscard]] std::uint64_t counter(Counter counter) const;
  /// Accesses of memory by either way; the sum is the same for every speed setting.
  [[nodiscard]] std::uint64_t dmiAccesses() const { return bus_.dmiAccesses(); }
  [[nodiscard]] std::uint64_t transportAccesses() const { return bus_.transportAccesses(); }
  /// Accounts the time up to now; call before report() at the end of a run.
  void finish();
  void report(common::StatGroup& group) const;
  using sc_core::sc_module::trace;
  /// Declares the unit's signals; before the simulation starts.
  void trace(const common::TraceScope& scope);
  /// Nothing is under way: state() is all there is.
  [[nodiscard]] bool quiescent() const;
  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);
  /// What the unit is doing, for deadlock reports.
  [[nodiscard]] std::string describe() const;

 private:
  /// What has been counted when the registers were last reset.
  struct Base {
    EngineTotals totals;
    Clock clock = 0;
  };

  // host side
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);
  std::uint64_t peekRegister(std::size_t index) override;
  std::optional<std::uint64_t> readRegister(std::size_t index, std::uint64_t bytes) override;
  bool writeRegister(std::size_t index, std::uint64_t value, std::uint64_t bytes) override;
  void clearFault();
  void control(std::uint32_t bits);
  void resetAll();
  void updateStatus();
  void driveInterrupt();

  // the ring
  void work();
  void runJob();
  bool ringIsUsable();
  void fail(const JobResult& result, bool halt);
  [[nodiscard]] std::uint32_t pending() const;
  [[nodiscard]] bool ready() const { return !halted_ && pending() != 0; }
  void waitUntil(Clock clock);

  // memory side
  bool read(std::uint64_t address, std::span<std::uint8_t> bytes, Clock at,
            Clock& latency) override;
  bool write(std::uint64_t address, std::span<const std::uint8_t> bytes, Clock at,
             Clock& latency) override;
  bool look(std::uint64_t address, std::span<std::uint8_t> bytes) override;
  Clock granted(std::uint64_t address, std::size_t bytes, Clock at) override {
    return bus_.granted(address, bytes, at);
  }
  void reached(Clock clock) override;
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) { bus_.invalidate(first, last); }

  [[nodiscard]] Clock accounted() const;

  void traceJobs() const;

  struct Signals {
    common::TraceSignal busy, posted, ended, fault, interrupt;
  };

  ImplicitUnitConfig config_;
  common::BusMaster bus_;
  const common::ClockDomain& clock_ = bus_.clock();
  Signals signals_;
  Engine engine_;
  common::RegisterFile file_;
  common::RegisterTarget registers_;
  sc_core::sc_event start_, reset_event_, interrupt_;
  std::uint32_t head_ = 0;
  bool busy_ = false, halted_ = false, resetting_ = false, flushing_ = false;
  const common::Contention::Abort abort_{reset_event_, resetting_};
  Clock job_begin_ = 0;
  JobTap* tap_ = nullptr;
  Base base_;
  Clock total_ = 0;
  Clock lost_ = 0;  ///< of jobs that a reset has ended
  std::uint64_t resets_ = 0, accesses_ = 0, errors_ = 0;
};

}  // namespace rtvp::implicit::unit
