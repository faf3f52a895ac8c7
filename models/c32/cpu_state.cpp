// Hand-over of a processor's state between engines.
#include <algorithm>
#include <bit>

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

void Cpu::exportState(CpuState& s) const {
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
}

void Cpu::importState(const CpuState& s) {
  pc_ = s.pc & kAddressMask;
  forgetProgress();
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

void Cpu::prefetchState() const {
  constexpr std::size_t kLine = 64;
  const auto fetch = [](const void* from, std::size_t bytes) {
    const char* const first = static_cast<const char*>(from);
    for (std::size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(first + at, 1);
  };
  const auto span = [&](const auto& first, const auto& behind) {
    const char* const from = reinterpret_cast<const char*>(&first);
    fetch(from, static_cast<std::size_t>(reinterpret_cast<const char*>(&behind) - from));
  };
  span(reg_, code_);
  span(stats_, completed_);
  span(config_, peripherals_.dma());
  fetch(&peripherals_.dma(), 1);
  fetch(&cache_, 1);
}

void Cpu::timerAccess(Cycle at, bool write, std::uint32_t address, std::uint32_t& word) {
  exec_ = at;
  peripheralAccess(address, write, word);  // never refused: canExport() knows of no DMA
  flow_.accessIndex = accessCount_ = 0;    // done, nothing to be executed again
}

/// As one after the other. That none is code is the rule, and asked once.
void Cpu::storeInternal(const InternalStores& stores, std::size_t processor) {
  std::uint32_t code = 0;
  for (std::size_t i = 0; i < code_.size(); ++i) code |= code_[i] & stores.touched_[i];
  const std::uint32_t count = stores.count_;
  const std::uint16_t* const at = stores.at_.data();
  const std::uint32_t* const* const words = stores.words_.data();
  std::uint32_t* const ram = ram_.data();
  for (std::uint32_t i = 0; i < count; ++i) ram[at[i]] = words[i][processor];
  // Elsewhere nobody asks (internalKnown()).
  for (std::uint32_t i = 0; config_.trapUninitialised && i < count; ++i) ramKnown_[at[i]] = true;
  for (std::uint32_t i = 0; code != 0 && i < count; ++i) forgetCode(at[i]);
}

void Cpu::prefetchInternal(const InternalStores& stores) const {
  for (std::uint32_t left = stores.lines_; left != 0; left &= left - 1) {
    const auto line = static_cast<std::size_t>(std::countr_zero(left));
    __builtin_prefetch(&ram_[line * InternalStores::kLineWords], 1);
  }
}

bool Cpu::watchCode(std::uint32_t offset) {
  return decoded_[offset] != DecodePool::kNone || decodeRam(offset) != &scratch_;
}

}  // namespace rtvp::c32
