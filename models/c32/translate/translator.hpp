// The scalar engine's compiled back end: blocks of a program (plan.hpp) become host code
// (block_code.hpp) for the timing and the memory that they run with, and go on to each other
// without the run loop. A speed setting: same registers, memory, cycles, statistics and faults as
// the run loop, which executes whatever is not translated.
//
// It keeps to itself, and so do a debugger's interests, whenever somebody looks: an observer, stop
// places, a step of a few instructions, interrupts due, DMA, HOLD, low power, delay slots and
// restarts are the run loop's.
#pragma once

#include <cstdint>
#include <memory>

#include "models/c32/accelerator.hpp"
#include "models/c32/cpu.hpp"
#include "models/c32/translate/code.hpp"

namespace rtvp::c32::translate {

class Translator final : public Accelerator {
 public:
  /// `plain`: memory by STRB0 below 800000h, or all of a flat memory but the hole.
  explicit Translator(const PlainMemory& plain = {});
  ~Translator() override;
  Translator(const Translator&) = delete;
  Translator& operator=(const Translator&) = delete;

  /// The host can execute what would be made.
  [[nodiscard]] static bool possible();

  std::uint64_t run(Cpu& cpu, std::uint64_t left) override;
  /// A word of plain memory that is marked as translated will change.
  void forget() { stale_ = true; }

  /// Instructions executed so: speed, not simulation.
  [[nodiscard]] std::uint64_t instructions() const { return instructions_; }
  /// Times that all was forgotten.
  [[nodiscard]] std::uint64_t flushes() const { return flushes_; }

 private:
  struct Store;
  [[nodiscard]] bool mayRun(const Cpu& cpu, std::uint64_t left) const;
  [[nodiscard]] Conditions conditionsOf(const Cpu& cpu) const;
  [[nodiscard]] bool suits(const Cpu& cpu) const;
  void flush(Cpu& cpu, const Conditions& conditions);
  [[nodiscard]] bool keyHere(const Cpu& cpu, Key& key) const;
  std::uint32_t slotOf(const Key& key);
  bool translate(Cpu& cpu, std::uint32_t slot);
  std::uint64_t execute(Cpu& cpu, Key key, Cycle limit);
  void enter(const Cpu& cpu, Cycle limit);
  void leave(Cpu& cpu, const Key& key, Cycle limit);
  void leaveInside(Cpu& cpu, Leave& where, Cycle limit);
  void takeBack(Cpu& cpu, const Leave& where);
  Key dynamicKey(const Cpu& cpu);

  PlainMemory plain_;
  std::unique_ptr<Store> store_;
  bool stale_ = true;
  bool refused_ = false;  ///< by the host
  bool skip_ = false;     ///< the run loop's turn
  std::uint32_t holdOff_ = 0;
  std::uint32_t strobe_ = 0;
  bool fetchOutside_ = false;
  std::uint64_t codeWrites_ = 0;
  std::uint64_t instructions_ = 0;
  std::uint64_t flushes_ = 0;
};

}  // namespace rtvp::c32::translate
