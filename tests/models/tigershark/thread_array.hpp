// One SC_THREAD per DSP: the lockstep array as a hardware designer would write it first. An oracle
// for the array engines (performance.md 5.4), up to eight processors.
//
// Every processor executes an instruction when simulated time gets to it. A shared access is put on
// the bus in its own cycle and resolved in the middle of that cycle, when everybody has shown what
// he does; barrier, vote line and chain are events and a list of edges. Nothing runs ahead, nothing
// is logged for others, and no code is shared with the engines but the processor (c32::Cpu) and the
// interface to the board.
#pragma once

#include <memory>
#include <set>
#include <systemc>
#include <vector>

#include "models/tigershark/array_engine.hpp"

namespace rtvp::tigershark::test {

class ThreadArray : public sc_core::sc_module {
 public:
  static constexpr int kMostLanes = 8;

  explicit ThreadArray(const sc_core::sc_module_name& name);
  ~ThreadArray() override;

  /// A new array with its reset released now, which is its cycle 0.
  void restart(const ArrayConfig& config, ArrayBoard& board);
  /// A word enters node 0's receiver.
  void chainInput(std::uint32_t word, Cycle arrival);
  /// Simulates up to `horizon`, or until nothing happens any more, or until somebody breaks a rule.
  void run(Cycle horizon);

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] ArrayError::Kind failure() const { return failure_; }
  [[nodiscard]] const c32::Cpu& cpu(int lane) const;
  [[nodiscard]] bool arrived(int lane) const;
  /// The array's own counters; those summed over the processors are theirs.
  [[nodiscard]] const ArrayCounters& counters() const { return counters_; }

 private:
  struct Lane;
  class Seat;
  static std::size_t index(int lane) { return static_cast<std::size_t>(lane); }

  void wake(std::size_t lane);
  void execute(std::size_t lane);
  void attend(Lane& lane);
  void resolve();
  void resolveBus(Cycle now);
  void releaseBarrier(Cycle now);
  void fail(ArrayError::Kind kind);
  [[nodiscard]] Cycle now() const;
  [[nodiscard]] sc_core::sc_time timeOf(Cycle cycle) const;
  void waitUntil(Lane& lane, Cycle cycle);
  void look(Cycle cycle);

  c32::BusReply access(Lane& lane, const c32::BusRequest& request);
  void driven(Lane& lane, c32::Drive xf0, c32::Drive xf1, Cycle cycle);
  c32::PinReply sampled(const Lane& lane, Cycle cycle);

  ArrayConfig config_;
  ArrayBoard* board_ = nullptr;
  sc_core::sc_time base_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<std::unique_ptr<Seat>> seats_;  // the threads
  sc_core::sc_event look_;                    // the middle of a cycle
  std::set<Cycle> looks_;                     // cycles that want one
  std::set<Cycle> votesSeen_;
  ArrayCounters counters_;
  bool failed_ = false;
  ArrayError::Kind failure_ = ArrayError::Kind::Lockstep;
};

}  // namespace rtvp::tigershark::test
