#include "models/tigershark/board.hpp"

#include <string>

#include "models/common/socket_tap.hpp"

namespace rtvp::tigershark {
namespace {

LockstepArrayConfig arrayConfig(const BoardConfig& c) {
  LockstepArrayConfig config;
  config.array.lanes = c.dsps;
  config.array.cpu = c.cpu;
  config.array.cpu.h1Hz = c.clockHz;
  config.array.cpu.serialBitClockHz = c.bitClockHz;
  config.array.riseCycles = c.riseCycles;
  config.array.syncCycles = c.syncCycles;
  config.array.releaseCycles = c.releaseCycles;
  config.array.holdCycles = c.holdCycles;
  config.sramWords = c.sramWords;
  config.waitStates = c.waitStates;
  config.strict = c.strictTiming;
  config.dmi = c.dmi;
  config.burst = c.burst;
  config.quantum = c.quantum;
  config.engine = c.engine;
  config.pool = c.pool;
  config.walk = c.walk;
  config.locate = c.locate;
  return config;
}

}  // namespace

Board::Board(const sc_core::sc_module_name& name, const BoardConfig& config)
    : sc_module(name),
      config_(config),
      clock_(config.clockHz, config.bitClockHz),
      irq_("irq"),
      addonReset_("addon_reset") {
  S5933Config pci = config.s5933;
  pci.core.fifo_depth = config.fifoDepth;
  pci.core.boot_memory = s5933::makeBoardNvImage(config.sramWords * 4);
  s5933_ = std::make_unique<S5933>("s5933", pci);
  sram_ = std::make_unique<Sram>(
      "sram", SramConfig{.words = config.sramWords, .doubleBuffer = config.doubleBuffer});
  array_ = std::make_unique<LockstepArray>("array", arrayConfig(config), clock_);
  pld_ = std::make_unique<Pld>("pld",
                               PldConfig{.dsps = config.dsps, .doubleBuffer = config.doubleBuffer},
                               clock_, *array_, *sram_, *s5933_);
  for (int lane = 0; lane < config.dsps; ++lane) {
    dsps_.push_back(std::make_unique<Dsp>(("dsp" + std::to_string(lane)).c_str(), *array_, lane));
  }

  common::bindSockets(s5933_->passthru_isock, pld_->passthru_tsock);
  common::bindSockets(pld_->addon_isock, s5933_->addon_tsock);
  common::bindSockets(pld_->sram_isock, sram_->host_tsock);
  common::bindSockets(array_->bus_isock, sram_->array_tsock);
  s5933_->irq_o.bind(irq_);
  s5933_->addon_reset_o.bind(addonReset_);
  pld_->addon_reset_i.bind(addonReset_);
}

void Board::trace(const common::TraceScope& board) {
  if (!board) return;
  s5933_->trace(board.module("s5933"));
  pld_->trace(board.module("pld"));
  sram_->trace(board.module("sram"));
  array_->trace(board);
}

void Board::report(common::StatGroup& stats) const {
  array_->report(stats.group("array", "the lockstep array, all DSPs together"));
  pld_->report(stats.group("pld", "chain ends and bus handover"));
  sram_->report(stats.group("sram", "shared memory"), array_->uncountedReads());
  s5933_->report(stats.group("s5933", "PCI controller"));
  common::StatGroup& dsps = stats.group("dsps", "each processor");
  for (const auto& dsp : dsps_) dsp->report(dsps.group(dsp->basename(), "one TMS320C32"));
}

}  // namespace rtvp::tigershark
