// What a trace shows of the lockstep array: shared bus, barrier, vote line, links of the chain and
// the state of every DSP. The array tells it what happens, in the order in which it works that out;
// times are those of the machine. What an array that ran ahead did after a reset never happened and
// is dropped.
//
// States of a DSP follow from what can be seen at its pins, so that they do not depend on how the
// array is simulated: `run` while it takes part in the broadcast accesses, `wait` from its arrival
// at a barrier to the release, `chain` from the last broadcast access of a walk to the next access
// or arrival: it receives, passes on or sends words, or sleeps until one comes. `idle` says which:
// it is up while the processor is in IDLE.
//
// A trace with a window (TraceSink::window()) looks at pins in and shortly before it only. Outside,
// where engines keep their speed, it takes note of what it needs to find out the values that the
// window begins with.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/common/trace.hpp"
#include "models/tigershark/array_engine.hpp"
#include "models/tigershark/board_clock.hpp"

namespace rtvp::tigershark {

class ArrayTrace final : public ArrayProbe {
 public:
  /// Name of the place of a program counter, up to the first blank; empty: unknown.
  using Locate = std::function<std::string(std::uint32_t pc)>;

  /// Declares modules "bus", "array" and "dspN" in `board`.
  ArrayTrace(const common::TraceScope& board, const BoardClock& clock, const ArrayConfig& config,
             Locate locate = {});
  /// Somebody wants to see some of it.
  [[nodiscard]] bool wanted() const;

  // ---- the window
  enum class Phase : std::uint8_t { Before, Inside, After };
  [[nodiscard]] Phase phase() const { return phase_; }
  /// The engine is about to go on from `cycle`. False: nothing that happens from here on is shown.
  bool proceed(const ArrayEngine& engine, Cycle cycle);
  /// The engine must not go beyond, else proceed() is called too late; kNever if it may.
  [[nodiscard]] Cycle limit() const;

  // ---- what happens; cycles may lie ahead of simulated time
  /// The reset line is asserted: what lies ahead is void.
  void reset(const ArrayEngine& engine, Cycle cycle);
  void start(Cycle cycle);  ///< reset is over
  void access(const c32::BusRequest& request, const ArrayBoard::SharedReply& reply);
  /// Before the window: words were read without access(), the last one up to `end`.
  void wordsRead(Cycle end);
  void wordReceived(Cycle arrival);         ///< by the first DSP
  void barrier(const ArrayEngine& engine);  ///< complete, not yet released
  void released(const ArrayEngine& engine, Cycle edge);
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
  void slept(std::size_t lane, Cycle from, Cycle to) override;
  [[nodiscard]] bool wantsSleep() const override;

 private:
  enum class State : std::uint8_t { Reset, Run, Wait, Chain, Halt };
  struct Lane {
    common::TraceSignal state, pc, symbol, vote, idle, tx, txWord, txWords;
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
  void enter(const ArrayEngine& engine, Cycle cycle);
  void leave(const ArrayEngine& engine, Cycle cycle);
  void showSleepers(const ArrayEngine& engine, Cycle until);
  void noteSent(const ArrayEngine& engine);
  std::uint64_t symbolOf(std::uint32_t pc);

  common::TraceScope board_;
  BoardClock clock_;
  Cycle rise_;
  Locate locate_;
  std::unordered_map<std::uint32_t, std::uint64_t> symbols_;  ///< by program counter
  Phase phase_ = Phase::Before;
  Cycle entersAt_ = 0;            ///< the pins are looked at from here on
  Cycle leavesAt_ = c32::kNever;  ///< begin of the first cycle behind the window
  common::TraceSignal busRead_, busWrite_, busAddress_, busData_, busPc_, busSymbol_;
  common::TraceSignal vote_, arrived_, barrier_, barriers_, host_;
  std::vector<Lane> lanes_;

  std::vector<Change> ahead_;  ///< of simulated time
  std::vector<Drive> drives_;  ///< of the vote line, not yet in order of time
  std::uint64_t pulling_ = 0;
  Cycle risesAt_ = c32::kNever;  ///< the line was released; it will be high then
  bool low_ = false;             ///< the line
  std::uint64_t releases_ = 0;
  bool waited_ = false;           ///< there was a barrier since reset
  Cycle releasedAt_ = 0;          ///< the latest one
  Cycle runSince_ = 0;            ///< begin of State::Run, if nothing has come since
  bool running_ = false;          ///< out of reset
  bool atBarrier_ = false;        ///< complete: arrivals are shown
  Cycle walkEnd_ = 0;             ///< end of the latest broadcast access or barrier
  Cycle received_ = c32::kNever;  ///< first word since then, from outside
  Cycle sent_ = c32::kNever;      ///< first word since then, of any DSP
};

}  // namespace rtvp::tigershark
