// Contention for an interconnect and the memory behind it: a GrantQueue whose masters are processes
// of the simulation.
//
// Order. Requests are granted by (simulated time, master), never in the order of calls, although
// masters run ahead of simulated time. What bounds them is the kernel's own list of pending events:
// as long as nothing is pending up to the time of a decision, nobody else can ask before it, and a
// master that is alone goes on without any wait. Otherwise its process sleeps until simulated time
// gets there and everything that happens at that time has happened. So quanta, direct memory access
// and timing modes, which move processes about within that freedom, change no grant.
//
// Who asks: every BusMaster that has been given a Contention, the interconnect for initiators that
// do not ask themselves, the PCI bus for its masters. Requests come from SC_THREADs.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/grant_queue.hpp"
#include "models/common/statistics.hpp"

namespace rtvp::common {

class StateArchive;

struct ContentionConfig {
  LinkConfig bus{.name = "bus"};        ///< every access
  LinkConfig memory{.name = "memory"};  ///< accesses of addresses given to addMemory()
  Arbitration arbitration = Arbitration::Fifo;
};

/// On transactions whose master has asked for its place itself.
struct GrantedMark : tlm::tlm_extension<GrantedMark> {
  tlm::tlm_extension_base* clone() const override { return new GrantedMark(*this); }
  void copy_from(const tlm::tlm_extension_base& /*other*/) override {}
};

class Contention : public sc_core::sc_module {
 public:
  /// A reason to give a request up: `raised`, of which `event` tells.
  struct Abort {
    const sc_core::sc_event& event;
    const bool& raised;
  };

  /// Throws std::invalid_argument for a clock period of 0.
  Contention(sc_core::sc_module_name name, const ContentionConfig& config);

  /// Where the memory is that the second link leads to.
  void addMemory(std::uint64_t base, std::uint64_t size);
  /// Its number; where times are equal the lower one is served first.
  unsigned addMaster(std::string name);
  /// Some link has a limit; without one everybody uses them as if alone.
  [[nodiscard]] bool limited() const { return limited_; }

  /// Asks for `bytes` at `address` at the master's local time `at`, now or later. Returns when the
  /// access may begin, the same or a later time; simulated time may pass. None: `abort` was raised.
  std::optional<sc_core::sc_time> request(unsigned master, const sc_core::sc_time& at,
                                          std::uint64_t address, std::uint64_t bytes,
                                          const Abort* abort = nullptr);
  /// Waits until all that happens at this time has happened and this master is next. Simulated time
  /// does not pass.
  void turn(unsigned master);
  /// For a master that has its turn and has not waited since: when the access may begin, behind all
  /// that have been granted.
  sc_core::sc_time take(unsigned master, std::uint64_t address, std::uint64_t bytes);
  /// Waits until all that happens at this time has happened, requests of all masters included.
  void settle();

  /// For checkpoints, with nothing under way.
  void state(StateArchive& a);
  [[nodiscard]] const GrantQueue& queue() const { return queue_; }
  void report(StatGroup& group) const;

 private:
  struct Master {
    std::optional<GrantQueue::Grant> grant;
    sc_core::sc_event granted, done;
    bool asking = false;  ///< one of its processes is; another one waits for `done`
  };
  struct Range {
    std::uint64_t base, size;
  };

  [[nodiscard]] unsigned linksOf(std::uint64_t address) const;
  std::optional<sc_core::sc_time> ask(const GrantQueue::Request& request, const Abort* abort);
  std::optional<sc_core::sc_time> await(Master& master, const GrantQueue::Request& request,
                                        const Abort* abort);
  [[nodiscard]] bool quietThrough(std::uint64_t ps) const;
  void decide(std::optional<unsigned> self);
  void arm();
  void work();

  GrantQueue queue_;
  bool limited_;
  std::vector<Range> memory_;
  std::vector<std::unique_ptr<Master>> masters_;
  std::deque<sc_core::sc_event*> settling_;  ///< who waits for the end of this time
  sc_core::sc_event timer_;
};

}  // namespace rtvp::common
