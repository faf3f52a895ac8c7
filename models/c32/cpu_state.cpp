// Hand-over of a processor's state between engines.
#include <algorithm>

#include "models/c32/cpu.hpp"

namespace rtvp::c32 {

bool Cpu::canExport() const {
  return idle_ == Idle::No && fault_.kind == Fault::Kind::None && !resetPending_ &&
         entering_ == 0 && interlock_ == 0 && accessCount_ == 0 && !single_ &&
         flow_.slowClock == 0 && lineEvents_.empty() && (reg_[reg::ST] & kGIE) == 0 &&
         !peripherals_.dma().active() && dmaBusFree_ <= cycle_ && !holding_ &&
         (holdFrom_ == kNever || holdUntil_ <= cycle_) && observer_ == nullptr &&
         !config_.flatMemory;
}

CpuState Cpu::exportState() const {
  CpuState s;
  std::copy_n(reg_, s.registers.size(), s.registers.begin());
  std::copy_n(exponent_, s.exponents.size(), s.exponents.begin());
  s.pc = pc_;
  s.cycle = cycle_;
  std::copy_n(groupReady_, s.groupReady.size(), s.groupReady.begin());
  s.delaySlots = flow_.delaySlots;
  s.delayTaken = delayTaken_;
  s.delayTarget = delayTarget_;
  s.busFree = busFree_;
  s.lastRead = lastRead_;
  s.lastStrobe = lastStrobe_;
  s.lastWasRead = lastWasRead_;
  s.xf0 = xf0_;
  s.xf1 = xf1_;
  s.statistics = stats_;
  s.extraCycles = extraCycles_;
  return s;
}

void Cpu::importState(const CpuState& s) {
  setPc(s.pc);
  std::copy(s.registers.begin(), s.registers.end(), reg_);
  std::copy(s.exponents.begin(), s.exponents.end(), exponent_);
  cycle_ = s.cycle;
  std::copy(s.groupReady.begin(), s.groupReady.end(), groupReady_);
  flow_.delaySlots = s.delaySlots;
  delayTaken_ = s.delayTaken;
  delayTarget_ = s.delayTarget;
  busFree_ = s.busFree;
  lastRead_ = s.lastRead;
  lastStrobe_ = s.lastStrobe;
  lastWasRead_ = s.lastWasRead;
  xf0_ = s.xf0;
  xf1_ = s.xf1;
  stats_ = s.statistics;
  extraCycles_ = s.extraCycles;
  if (account_ != nullptr) account_->settle(stats_);
  integerMode_.saturate = (reg_[reg::ST] & kOVM) != 0;
  updateRepeatEnd();
  updateAttention();
}

void Cpu::timerAccess(Cycle at, bool write, std::uint32_t address, std::uint32_t& word) {
  exec_ = at;
  peripheralAccess(address, write, word);  // never refused: canExport() knows of no DMA
  flow_.accessIndex = accessCount_ = 0;    // done, nothing to be executed again
}

bool Cpu::watchCode(std::uint32_t offset) {
  return decoded_[offset] != DecodePool::kNone || decodeRam(offset) != &scratch_;
}

}  // namespace rtvp::c32
