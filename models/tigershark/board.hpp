// One TigerSHARK board: S5933, PLD, SRAM and the lockstep array (board.md section 1). The PCI side
// is the S5933's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "models/common/statistics.hpp"
#include "models/common/trace.hpp"
#include "models/tigershark/dsp.hpp"
#include "models/tigershark/lockstep_array.hpp"
#include "models/tigershark/pld.hpp"
#include "models/tigershark/s5933.hpp"
#include "models/tigershark/sram.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::tigershark {

/// A default that a part's struct has too is written there.
struct BoardConfig {
  int dsps = ArrayConfig{}.lanes;                             ///< 4..512
  std::uint32_t sramWords = LockstepArrayConfig{}.sramWords;  ///< a bank (TS-015)
  std::uint32_t waitStates =
      LockstepArrayConfig{}.waitStates;           ///< of the SRAM, through RDY (TS-014)
  bool doubleBuffer = false;                      ///< two banks (TS-045)
  std::uint64_t clockHz = c32::CpuConfig{}.h1Hz;  ///< H1; the 60 MHz part (TS-002)
  std::uint64_t bitClockHz = c32::CpuConfig{}.serialBitClockHz;  ///< chain (board.md 3)
  Cycle riseCycles = ArrayConfig{}.riseCycles;
  Cycle syncCycles = ArrayConfig{}.syncCycles;
  Cycle releaseCycles = ArrayConfig{}.releaseCycles;
  Cycle holdCycles = ArrayConfig{}.holdCycles;
  bool strictTiming = LockstepArrayConfig{}.strict;   ///< speed only
  bool dmi = LockstepArrayConfig{}.dmi;               ///< speed only
  std::uint32_t burst = LockstepArrayConfig{}.burst;  ///< speed only
  Cycle quantum = LockstepArrayConfig{}.quantum;      ///< speed only
  EngineChoice engine{EngineChoice::Kind::Auto};      ///< speed only
  std::shared_ptr<common::WorkPool> pool;             ///< speed only: threads, or null
  unsigned fifoDepth = 8;  ///< words each way: 8 (chip), 32 (seed) (TS-042)
  S5933Config s5933;       ///< PCI controller; FIFO depth and boot memory are set from this struct
  c32::CpuConfig cpu;      ///< the processor's documented options; clocks are set from this struct
  std::optional<WalkMarks> walk;                        ///< of the firmware, for counting tests
  std::function<std::string(std::uint32_t pc)> locate;  ///< source line of a PC, for reports
};

class Board : public sc_core::sc_module {
 public:
  Board(const sc_core::sc_module_name& name, const BoardConfig& config);

  /// PCI sockets and INTA# are the S5933's: bind those.
  [[nodiscard]] S5933& s5933() { return *s5933_; }
  [[nodiscard]] Sram& sram() { return *sram_; }
  [[nodiscard]] LockstepArray& array() { return *array_; }
  [[nodiscard]] Pld& pld() { return *pld_; }
  [[nodiscard]] const Dsp& dsp(int lane) const { return *dsps_.at(static_cast<std::size_t>(lane)); }
  [[nodiscard]] const BoardConfig& config() const { return config_; }

  /// Who waits for what, for deadlock reports.
  [[nodiscard]] std::string describe() const { return array_->describe(); }
  void report(common::StatGroup& stats) const;
  /// Nothing is under way: state() is all there is.
  [[nodiscard]] bool quiescent() const;
  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);
  using sc_core::sc_module::trace;
  void trace(const common::TraceScope& board);

 private:
  BoardConfig config_;
  BoardClock clock_;
  sc_core::sc_signal<bool> irq_;  // the PLD has no use for IRQ#; the pin must lead somewhere
  sc_core::sc_signal<bool> addonReset_;
  std::unique_ptr<S5933> s5933_;
  std::unique_ptr<Sram> sram_;
  std::unique_ptr<LockstepArray> array_;
  std::unique_ptr<Pld> pld_;
  std::vector<std::unique_ptr<Dsp>> dsps_;
};

}  // namespace rtvp::tigershark
