// Keeps what comes into an array's engine from outside: enough to run the array again, in any
// engine, with the same instructions in the same cycles (array_replay.hpp). The engine runs at its
// speed meanwhile; what it does inside is not looked at.
//
// A recording begins where all lanes slept last before the window that is asked for, with their
// state, or at the first reset.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "models/c32/isa.hpp"
#include "models/tigershark/array_engine.hpp"

namespace rtvp::tigershark {

class ArrayRecorder {
 public:
  /// Takes the recording in pieces of whole events; may throw.
  using Sink = std::function<void(std::string_view events)>;

  static constexpr std::size_t kMostKept = std::size_t{16} << 20;  ///< bytes
  /// Of the cycles from `from` until `to`. Inputs in front of them are given to the sink once they
  /// are more than `mostKept` bytes, instead of being forgotten at the lanes' next sleep.
  ArrayRecorder(ArrayEngine& engine, int lanes, Cycle from, Cycle to, Sink sink,
                std::size_t mostKept = kMostKept);

  /// In front of each advance, in cycle `now`: how far it may go.
  [[nodiscard]] Cycle proceed(Cycle now);
  /// Nothing more is to be told.
  [[nodiscard]] bool over() const { return phase_ == Phase::Over; }

  // ---- what comes in, each before the engine gets it, but the answer to an access behind it
  void reset(Cycle cycle);
  void chainInput(std::uint32_t word, Cycle arrival);
  void advance(Cycle horizon);
  void access(const c32::BusRequest& request, const ArrayBoard::SharedReply& reply);
  void outcome(const ArrayOutcome& outcome);
  void release(Cycle edge);
  // ---- a debugger's changes of a lane, between two advances
  /// R0-R7: with the exponent above the 32 bits; kPc: the PC.
  void setRegister(int lane, unsigned number, std::uint64_t raw);
  static constexpr unsigned kPc = c32::reg::kCount;
  void poke(int lane, std::uint32_t address, std::uint32_t word);

  /// The recording ends here, if it has not done so before.
  void finish();

 private:
  enum class Phase : std::uint8_t { Before, Inside, Over };

  void byte(unsigned value) { events_.push_back(static_cast<char>(value)); }
  void number(std::uint64_t value);
  void cycle(Cycle value);
  void beginAnew();
  void flush();

  ArrayEngine& engine_;
  int lanes_;
  Cycle from_, to_;
  Sink sink_;
  std::size_t mostKept_;
  Phase phase_ = Phase::Before;
  bool advancing_ = false;  ///< the engine is at work
  bool failed_ = false;     ///< since the last reset
  std::string events_;
  std::size_t stateBytes_ = 0;  ///< of the state that events_ begins with
  // What the next event is compared with.
  Cycle last_ = 0;
  std::uint32_t address_ = 0;
  std::uint32_t waitStates_ = 0;
};

}  // namespace rtvp::tigershark
