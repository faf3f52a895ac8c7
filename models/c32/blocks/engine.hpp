// Executes blocks (block.hpp) on the processors of a chain: nodes of a ray-tracing board that pass
// words on by interrupt, all with the same program. What takes a scalar processor most of its time
// there - looking for events, peripheral accesses, dispatch - is worked out once a block.
//
// Invariants: it works on the processor's own state, leaves at an instruction boundary what it does
// not hold, and the processor itself (Cpu::run), the plain twin, goes on from there. So nothing
// needs to be covered, and everything that is must be exact. A speed setting: array.chain=scalar.
//
// The processors' transmitters must be plain channels to their neighbours: CpuPort's
// serialTransmitted tells all.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/c32/blocks/block.hpp"
#include "models/c32/blocks/quick_serial.hpp"
#include "models/c32/blocks/wave.hpp"
#include "models/c32/cpu.hpp"

namespace rtvp::c32::blocks {

/// A processor with the words on their way to it.
class Station {
 public:
  explicit Station(Cpu& cpu) : cpu_(&cpu) {}

  /// As Cpu::deliverSerial; the word reaches the processor when it runs.
  void deliver(std::uint32_t word, Cycle arrival);
  /// Several, by arrival.
  void deliver(std::span<const SerialWord> words);
  /// All words go to the processor: for whoever uses it without the engine.
  void handOver();
  /// As Cpu::nextEvent, words on their way included.
  [[nodiscard]] Cycle nextEvent() const;
  [[nodiscard]] Cpu& cpu() const { return *cpu_; }
  /// Host memory beside the object itself, in bytes.
  [[nodiscard]] std::size_t ownBytes() const { return inbox_.ownBytes(); }

 private:
  friend class Engine;
  Cpu* cpu_;
  Inbox inbox_;
  std::size_t known_ = 0;         ///< words of the engine's code that it was compared with
  std::uint64_t codeWrites_ = 0;  ///< of the processor, at that time
  std::uint64_t generation_ = 0;  ///< of the engine's code
  bool sameCode_ = true;
};

class Engine {
 public:
  /// How far turns from IDLE to IDLE are worked out beforehand.
  enum class Turns : std::uint8_t {
    Blocks,      ///< not beyond blocks
    Summaries,   ///< summarised (wave.hpp)
    Translated,  ///< and run as host code (turn_code.hpp)
  };
  Engine(const CpuConfig& config, Turns turns);

  /// As cpu.run(horizon), with the same outcome.
  StopReason run(Station& station, Cycle horizon);

  /// No block goes across these places; null: there are none. The processors stop there themselves.
  void setStops(const StopPlaces* stops);

  /// Instructions executed in blocks: speed, not simulation.
  [[nodiscard]] std::uint64_t instructions() const {
    return instructions_ + (wave_ ? wave_->instructions() : 0);
  }
  /// Those of them that summaries did.
  [[nodiscard]] std::uint64_t summarised() const { return wave_ ? wave_->instructions() : 0; }
  /// And those of these in host code.
  [[nodiscard]] std::uint64_t translated() const { return wave_ ? wave_->translated() : 0; }
  /// And those of these in laps.
  [[nodiscard]] std::uint64_t inLaps() const { return wave_ ? wave_->inLaps() : 0; }

 private:
  enum class Did : std::uint8_t {
    Idle,       ///< as StopReason
    Horizon,    ///< as StopReason
    Uncovered,  ///< the processor executes the next instruction
  };
  /// What a block's steps work on.
  struct Frame;

  bool enter(Station& s);
  void leave(Station& s);
  bool compareCode(Station& s);
  void forgetCode();
  [[nodiscard]] static bool quiet(const Cpu& cpu);
  [[nodiscard]] static bool isDecoded(const Cpu& cpu, std::uint32_t offset);
  Did execute(Station& s, Cycle horizon);
  std::optional<Did> wake(Station& s, QuickSerial& port, Cycle horizon);
  bool interrupt(Cpu& cpu);
  const Block* find(Station& s, std::uint32_t pc, const Residue& residue);
  /// How a block was left.
  struct Left {
    const Exit* exit = nullptr;  ///< null: an instruction of it is the processor's
    std::uint32_t pc = 0;
  };
  Left runBlock(Cpu& cpu, QuickSerial& port, const Block& block);
  static void accountSteps(CycleAccount& account, const Block& block, std::size_t count,
                           Cycle cycles, Cycle conflict);
  const Block* follow(Station& s, const Exit& exit, std::uint32_t pc);
  bool record(const Block& block, const Left& left, bool idle);
  void endRecord(bool keep);

  CpuConfig config_;
  QuickClock clock_;
  struct Keyed {
    Residue residue;
    std::unique_ptr<Block> block;
  };
  std::array<std::vector<Keyed>, kRamWords> blocks_;
  std::vector<std::unique_ptr<Block>> paths_;
  std::vector<Leg> legs_;  ///< of the path that is being recorded
  std::size_t stepsRecorded_ = 0;
  struct Word {
    std::uint32_t offset;
    std::uint32_t word;
  };
  std::vector<Word> code_;  ///< what the blocks were made of
  std::array<bool, kRamWords> isCode_{};
  std::uint64_t generation_ = 0;
  unsigned forgotten_ = 0;
  const StopPlaces* stops_ = nullptr;
  std::uint64_t instructions_ = 0;  ///< in blocks
  std::unique_ptr<Wave> wave_;      ///< null: none
};

}  // namespace rtvp::c32::blocks
