// What a trace shows of the lockstep array: shared bus, barrier, vote line, links of the chain and
// the state of every DSP. The array tells it what happens, in the order in which it works that out;
// times are those of the machine. What an array that ran ahead did after a reset never happened and
// is dropped.
//
// States of a DSP follow from what can be seen at its pins, so that they do not depend on how the
// array is simulated: `run` while it takes part in the broadcast accesses, `wait` from its arrival
// at a barrier to the release, `chain` from the last broadcast access of a walk to the next access
// or arrival: it receives, passes on or sends words, or sleeps until one comes.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/trace.hpp"
#include "models/tigershark/array_engine.hpp"
#include "models/tigershark/board_clock.hpp"

namespace rtvp::tigershark {

class ArrayTrace final : public ArrayProbe {
 public:
  /// Declares modules "bus", "array" and "dspN" in `board`.
  ArrayTrace(const common::TraceScope& board, const BoardClock& clock, const ArrayConfig& config);
  /// Somebody wants to see some of it.
  [[nodiscard]] bool wanted() const;

  // ---- what happens; cycles may lie ahead of simulated time
  void reset(Cycle cycle);  ///< the reset line is asserted: what lies ahead is void
  void start(Cycle cycle);  ///< reset is over
  void access(const c32::BusRequest& request, const ArrayBoard::SharedReply& reply);
  void wordReceived(Cycle arrival);         ///< by the first DSP
  void barrier(const ArrayEngine& engine);  ///< complete, not yet released
  void released(Cycle edge) override;
  void horizon(Cycle cycle);  ///< every DSP is simulated up to here
  void busGranted(bool toHost, Cycle cycle);
  /// A DSP has failed: nothing of the array is shown after that.
  void failed(const ArrayEngine& engine, const ArrayError& error);
  /// Simulated time has come to `cycle`: what was before it cannot become void any more.
  void settle(Cycle cycle);
  /// The simulation is over.
  void finish(const ArrayEngine& engine);

  // ArrayProbe
  void voteDriven(std::size_t lane, bool low, Cycle cycle) override;
  void wordSent(std::size_t lane, std::uint32_t word, Cycle arrival) override;

 private:
  enum class State : std::uint8_t { Reset, Run, Wait, Chain, Halt };
  struct Lane {
    common::TraceSignal state, pc, vote, tx, txWord, txWords;
    std::uint64_t sent = 0;
  };
  struct Change {
    common::TraceSignal signal;
    std::uint64_t ps;
    std::uint64_t value;
  };
  struct Drive {
    Cycle cycle;
    bool low;
  };

  void set(const common::TraceSignal& signal, Cycle cycle, std::uint64_t value);
  void setAt(const common::TraceSignal& signal, std::uint64_t ps, std::uint64_t value);
  void setAll(State state, Cycle cycle);
  void arrivals(const ArrayEngine& engine, Cycle until);
  bool leaveChain(Cycle cycle);
  void resolveVote(Cycle until);

  common::TraceScope board_;
  BoardClock clock_;
  Cycle rise_;
  common::TraceSignal busRead_, busWrite_, busAddress_, busData_, busPc_;
  common::TraceSignal vote_, arrived_, barrier_, barriers_, host_;
  std::vector<Lane> lanes_;

  std::vector<Change> ahead_;  ///< of simulated time
  std::vector<Drive> drives_;  ///< of the vote line, not yet in order of time
  std::uint64_t pulling_ = 0;
  Cycle risesAt_ = c32::kNever;  ///< the line was released; it will be high then
  bool low_ = false;             ///< the line
  std::uint64_t releases_ = 0;
  bool running_ = false;          ///< out of reset
  bool atBarrier_ = false;        ///< complete: arrivals are shown
  Cycle walkEnd_ = 0;             ///< end of the latest broadcast access or barrier
  Cycle received_ = c32::kNever;  ///< first word since then, from outside
  Cycle sent_ = c32::kNever;      ///< first word since then, of any DSP
};

}  // namespace rtvp::tigershark
