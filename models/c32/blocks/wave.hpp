// A word that passes a chain runs the same few instructions on every processor, with other times.
// The wave takes a sleeping processor through as many such turns as summaries (summary.hpp) cover:
// sleep, wake-up, summary, sleep. Engine (engine.hpp) does what is left.
//
// Invariants:
//  1. Between two turns nothing of the processor is kept anywhere but in the wave; run() puts all
//  of
//     it back before it returns or learns. Nobody sees the processor meanwhile: its transmitter's
//     receiver (CpuPort::serialTransmitted) gets words and their times only.
//  2. A turn is taken only if all of it ends before the horizon.
//  3. Words come from the inbox in order; what is sent goes out when the turn is complete, in the
//     order of the program.
//  4. Sums (statistics) are added up by summary at the end: they do not depend on order.
//  5. Turns that come often run as host code (turn_code.hpp). What follows here is its plain twin,
//     which does them all where a profile is kept.
//  6. A debugger enters by Engine::setStops(): all summaries go, and none is made of a turn that
//     comes to a place to stop at, because a block ends there.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/c32/blocks/summary.hpp"
#include "models/c32/cpu.hpp"

namespace rtvp::c32::blocks {

struct Slept;
struct LapTiming;
struct TurnFrame;

class Wave {
 public:
  /// `translate`: turns that come often run as host code (turn_code.hpp) where the host can.
  Wave(const CpuConfig& config, bool translate);
  ~Wave();

  using Find = std::function<const Block*(std::uint32_t pc, const Residue& residue)>;
  /// Takes `cpu`, which sleeps in IDLE as Engine::quiet() demands, from turn to turn. It sleeps
  /// again afterwards. `find` builds the blocks of a turn that is to be summarised.
  void run(Cpu& cpu, Inbox& inbox, Cycle horizon, const Find& find);
  /// The program has changed.
  void forget();
  /// Instructions executed so far.
  [[nodiscard]] std::uint64_t instructions() const { return instructions_; }
  /// Those of them in host code.
  [[nodiscard]] std::uint64_t translated() const { return translated_; }
  /// And those of these in laps (lap.hpp).
  [[nodiscard]] std::uint64_t inLaps() const { return inLaps_; }

 private:
  struct Known;  ///< a summary with what the wave keeps beside it
  struct Node;   ///< those that begin alike
  struct Run;    ///< one call of run()
  struct Passages;
  struct KeyHash {
    std::size_t operator()(const Key& k) const {
      std::uint64_t h = (std::uint64_t{k.pc} << 32 | k.flags) * 0x9E3779B97F4A7C15u;
      h ^= (std::uint64_t{k.enable} << 8 | k.port) * 0xC2B2AE3D27D4EB4Fu;
      return static_cast<std::size_t>(h ^ h >> 29);
    }
  };

  [[nodiscard]] bool suits(const Cpu& cpu);
  void load(Run& r) const;
  void store(Run& r);
  void accountTurns(CycleAccount& account, const Summary& s, std::uint64_t times) const;
  bool sleep(Run& r) const;
  Node& nodeFor(Run& r);
  bool turn(Run& r, Node& node);
  [[nodiscard]] bool fits(Run& r, Known& k) const;
  bool apply(Run& r, const Summary& s) const;
  void commit(Run& r, Known& k);
  bool learn(Run& r, Node& node, const Find& find);

  // wave_passages.cpp: the same turns in host code.
  void makePassages(std::uint64_t cycles, std::uint64_t edges);
  void forgetPassages();
  void takePassages(Run& r);
  bool runPassages();
  void enterPassages(Run& r) const;
  void leavePassages(Run& r) const;
  void armPassages(const Cpu& cpu);
  void notePassage(const Run& r, Known& from);
  bool translate(Known& from, const Slept& slept, Known& to);
  bool placeOf(Known& k);
  void storePassages(Run& r);

  // wave_laps.cpp: messages as a whole.
  struct Laps;
  struct Lap;
  struct LapVersion;
  struct LapTaken;  ///< turns that may become one
  void forgetLaps();
  void noteReturn(Run& r);
  void noteLoop(std::size_t words);
  bool beginLapsAt(Known& k, unsigned message);
  void endLapsAt(Known& k);
  bool takeLaps();
  bool takeLap(TurnFrame& f, const LapTiming& timing);
  static LapVersion* takeOther(TurnFrame& f, Lap& lap, const LapTiming& timing);
  void storeLaps(Run& r);
  bool wantsLap();
  void beginLap(Run& r);
  void noteSent(Cycle arrival);
  void noteTurn(Run& r);
  void endLap(Run& r);
  void makeLap();
  void makeVersion(Run& r, Lap& lap);

  EdgeClock clock_;
  EdgeClock::Stride word_;      ///< a word's bits
  EdgeClock::Stride complete_;  ///< up to its presence in the far DRR
  Cycle entry_;                 ///< cycles of an interrupt's entry

  std::unordered_map<Key, std::unique_ptr<Node>, KeyHash> nodes_;
  std::size_t summaries_ = 0;
  std::vector<Known*> used_;  ///< in this run()
  std::uint64_t round_ = 0;   ///< counts what may change which RAM words are program
  // All summaries are made for one setting of the port and of arithmetic.
  std::uint32_t global_ = 0;
  IntegerMode mode_;
  unsigned forgotten_ = 0;
  std::uint64_t instructions_ = 0;
  std::uint64_t translated_ = 0;
  std::uint64_t inLaps_ = 0;
  std::unique_ptr<Passages> passages_;      ///< null: none
  std::unique_ptr<Laps> laps_;              ///< null: none
  std::array<std::uint32_t, 256> value_{};  ///< of the turn at work
};

}  // namespace rtvp::c32::blocks
