// An XPHMG_RT unit on a bus: its page of registers behind a target socket, its memory accesses
// through an initiator socket, one interrupt line (xphmg.md 10, 16.1, 16.4). A hart calls submit()
// and csrs() directly; both ways reach one set of registers. All behaviour is in CsrFile, JobQueue
// and Job; this is time and sockets.
//
// Time. b_transport never waits: a register access costs a cycle, a DOORBELL write
// UnitTiming::doorbell cycles, and more while the queue is full (the delay then ends when a place
// is free). The unit's own process runs jobs ahead of simulated time by at most `quantum` and never
// past the end of a job, so completions, interrupts and registers change at their cycle whatever
// the quantum is.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <systemc>
#include <tlm>

#include "models/common/register_target.hpp"
#include "models/common/statistics.hpp"
#include "models/common/trace.hpp"
#include "models/xphmg/csr_file.hpp"
#include "models/xphmg/queue.hpp"
#include "models/xphmg/unit_port.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::xphmg {

struct UnitConfig {
  UnitFeatures features;
  UnitTiming timing;
  LdsAperture lds;
  unsigned lmemKib = 64;
  unsigned queueDepth = 16;  ///< 1..65535
  unsigned number = 0;       ///< among the units, for tags
  sc_core::sc_time period = sc_core::sc_time(1, sc_core::SC_NS);
  bool dmi = true;  ///< speed setting: take direct memory access where it is granted
  sc_core::sc_time quantum = sc_core::sc_time(10, sc_core::SC_US);  ///< speed setting
};

/// One ray as the unit traced it; for cost maps.
struct RayReport {
  std::uint64_t tag = 0;  ///< user_tag
  bool hit = false;
  std::uint32_t nodes = 0, triangles = 0;  ///< tested
  Cycle cycles = 0;                        ///< from reading its entry to publishing its index
  std::uint64_t bytes = 0;                 ///< on the bus meanwhile
};

/// Listens to the jobs of a unit; for recorders.
class JobProbe {
 public:
  JobProbe() = default;
  JobProbe(const JobProbe&) = delete;
  JobProbe& operator=(const JobProbe&) = delete;
  virtual ~JobProbe() = default;
  /// A master has handed over the job of `ticket`; `csrs` are what it captures.
  virtual void submitted(Ticket ticket, std::uint64_t descriptor, const CsrFile& csrs) = 0;
  /// Before its descriptor is fetched.
  virtual void begins(const SubmittedJob& job) = 0;
  virtual void ends(const JobOutcome& outcome, Cycle started, Cycle ended) = 0;
};

class RtUnit : public sc_core::sc_module, private common::RegisterBehaviour {
 public:
  tlm_utils::simple_target_socket<RtUnit, 32> host_tsock;
  tlm_utils::simple_initiator_socket<RtUnit, 32> bus_isock;
  sc_core::sc_port<sc_core::sc_signal_out_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND> irq_o;

  /// Throws std::invalid_argument for a depth, LMEM size or period out of range.
  RtUnit(sc_core::sc_module_name name, const UnitConfig& config);

  /// Before the simulation starts: accesses wait for those of other masters. The unit's quantum has
  /// no meaning then, every access is in its order, and CONTROL = 1 takes effect at once.
  void setContention(common::Contention& contention, unsigned master) {
    port_.setContention(contention, master, &abort_);
  }

  // ---- for a hart beside the unit
  /// Registers as they are at time stamp + `ahead`.
  [[nodiscard]] CsrFile& csrs(const sc_core::sc_time& ahead = sc_core::SC_ZERO_TIME);
  /// XSUBMIT.RT. `delay` grows while the queue is full. 0: refused, LAST_EC says why (2: DESCQ is
  /// absent, 1: CAP is absent or, strictly, RTCFG.EN is 0).
  Ticket submit(std::uint64_t descriptor, sc_core::sc_time& delay);
  [[nodiscard]] Ticket ticketDone(const sc_core::sc_time& ahead = sc_core::SC_ZERO_TIME);
  [[nodiscard]] Ticket ticketLast() const { return queue_.lastTicket(); }
  /// Notified whenever a job has completed.
  [[nodiscard]] const sc_core::sc_event& doneEvent() const { return done_event_; }
  /// XFENCE.SIGNAL and XFENCE.WAIT tokens: a signal waits for the jobs submitted so far.
  void signal(unsigned token);
  [[nodiscard]] bool consumeToken(unsigned token) { return tokens_.consume(token); }
  /// Level of the interrupt line.
  [[nodiscard]] bool irq() const;
  /// As CONTROL = 1.
  void reset();

  // ---- for simulation tools
  void setAccessObserver(std::function<void(const AccessRecord&)> observer) {
    port_.setObserver(std::move(observer));
  }
  void setRayObserver(std::function<void(const RayReport&)> observer) {
    ray_observer_ = std::move(observer);
  }
  /// Null: nobody listens. Must outlive its jobs.
  void setJobProbe(JobProbe* probe) { job_probe_ = probe; }
  /// Memory as the unit sees it, without time and without being counted; false: not all of it is
  /// there.
  [[nodiscard]] bool look(std::uint64_t address, std::span<std::uint8_t> bytes) {
    return port_.look(address, bytes);
  }
  [[nodiscard]] const UnitConfig& config() const { return config_; }
  [[nodiscard]] const UnitPort& port() const { return port_; }
  /// Sums over completed jobs.
  [[nodiscard]] const JobOutcome& totals() const { return totals_; }
  void report(common::StatGroup& group) const;
  using sc_core::sc_module::trace;
  void trace(const common::TraceScope& scope);

  /// Nothing is under way: state() is all there is.
  [[nodiscard]] bool quiescent() const;
  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

 private:
  struct Completion {
    Cycle started;
    Cycle at;
    JobOutcome outcome;
    std::uint64_t lmemHits, busy;  ///< totals at that cycle, for the page's counters
  };

  void work();
  void drive();
  /// Runs jobs until local time reaches `limit` or one job ends.
  void advance(Cycle limit);
  void workOn(Cycle now);
  bool startJob();
  void endJob();
  bool stretch(Cycle limit);
  bool nextRay();
  void release(Cycle now);
  void apply(const Completion& completion);
  [[nodiscard]] Cycle placeFree();
  [[nodiscard]] unsigned refusal() const;
  void updatePage();

  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last);
  std::uint64_t peekRegister(std::size_t row) override { return csrs_.read(static_cast<Csr>(row)); }
  std::optional<std::uint64_t> readRegister(std::size_t row, std::uint64_t bytes) override;
  bool writeRegister(std::size_t row, std::uint64_t value, std::uint64_t bytes) override;
  void show(const common::TraceSignal& signal, Cycle cycle, std::uint64_t value) const;
  void showUnfinished(Cycle end) const;
  void reportCycles(common::StatGroup& group) const;
  void reportTraffic(common::StatGroup& group) const;

  UnitConfig config_;
  common::ClockDomain clock_;
  CsrFile csrs_;
  common::RegisterTarget page_;
  sc_core::sc_time ahead_;  ///< of the access under way: when it acts, then when its master goes on
  JobQueue queue_;
  FenceTokens tokens_;
  UnitPort port_;

  struct Running {
    SubmittedJob submitted;
    Job job;
    std::uint32_t policyEvents = 0;
    bool node8 = false;
    bool fetched = false;
    Cycle started = 0;
  };
  std::optional<Running> running_;
  std::deque<Completion> completions_;  ///< not yet visible
  sc_core::sc_event work_event_, irq_event_, done_event_;
  bool working_ = false;    ///< the process is inside a job; seen by others while it waits for them
  bool abandoned_ = false;  ///< that job is to be given up
  sc_core::sc_event abandon_event_;
  const common::Contention::Abort abort_{abandon_event_, abandoned_};
  std::function<void(const RayReport&)> ray_observer_;
  JobProbe* job_probe_ = nullptr;

  JobOutcome totals_;
  std::uint64_t jobs_ = 0, failed_ = 0, registerAccesses_ = 0, registerErrors_ = 0, maxDepth_ = 0;
  std::uint64_t heldCycles_ = 0, residence_ = 0;
  std::uint64_t lmemBase_ = 0, busyBase_ = 0;  ///< at the last reset
  unsigned most_ = 0;

  // A job is shown once it is over: a reset may still undo what the unit ran ahead.
  struct Signals {
    common::TraceSignal job, tail, head, rays, irq;
  } signals_;
};

}  // namespace rtvp::xphmg
