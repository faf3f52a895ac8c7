// What only Timing::Static, Timing::Pipeline and observed processors need: counting accesses by RAM
// block, execute-only conflicts, trace records. Such a processor makes all accesses by the slow
// path, which tells this file.
#include <algorithm>
#include <bit>
#include <cstring>

#include "models/c32/cpu.hpp"

namespace rtvp::c32 {
namespace {

constexpr unsigned kRomPort = 2;
constexpr unsigned kPortsPerBlock = 2;

/// Index of the on-chip memory block, or 3 for anything else.
unsigned portOf(const CpuConfig& config, std::uint32_t address, Region region) {
  if (config.flatMemory) return 3;
  if (region == Region::BootRom) return kRomPort;
  return region == Region::InternalRam ? onChipRam(config.chip).blockOf(address) : 3;
}

}  // namespace

void Cpu::setObserver(CpuObserver* observer) {
  observer_ = observer;
  choosePath();
  updateAttention();
}

void Cpu::choosePath() {
  full_ = !config_.flatMemory && (observer_ != nullptr || config_.timing != Timing::Interlock ||
                                  config_.trapUninitialised || config_.chip != Chip::C32);
  full_ |= observer_ != nullptr;
  ramWords_ = config_.flatMemory || full_ ? 0 : kRamWords;
}

/// Called for every access of a watched processor, fetches apart.
void Cpu::noteAccess(std::uint32_t address, std::uint32_t word, bool write) {
  if (observer_ != nullptr) accesses_.push_back({address, word, write});
  if (config_.timing != Timing::Pipeline) return;  // nobody counts them
  const unsigned port = portOf(config_, address, placeAt(address).region);
  if (port < ports_.size()) ++ports_[port];
}

void Cpu::beginInstruction() {
  ports_ = {};
  accesses_.clear();
  if (observer_ == nullptr) return;
  std::copy_n(reg_, before_.registers.size(), before_.registers.begin());
  std::copy_n(exponent_, before_.exponents.size(), before_.exponents.begin());
  before_.cacheHits = stats_.cacheHits;
  if (before_.stallsKnown) return;
  before_.stalls = stats_.stalls();
  before_.stallsKnown = true;
}

/// A store pair before a read, or a store before two reads: the reads wait (c32.md 7.5, execute
/// only).
Cycle Cpu::executeOnlyStall(const MicroOp& op) const {
  const bool waits =
      (lastStores_ == 2 && op.dataReads != 0) || (lastStores_ != 0 && op.dataReads == 2);
  return waits ? config_.executeOnlyCycles : 0;
}

/// Each on-chip block serves two accesses a cycle (c32.md 7.5); the third and fourth wait.
void Cpu::chargePorts(const MicroOp& op) {
  lastStores_ = op.dataWrites;
  const unsigned fetch = portOf(config_, pc_, placeAt(pc_).region);
  if (fetch < ports_.size() && !(single_ && pc_ != reg_[reg::RS])) ++ports_[fetch];
  Cycle dma = 0;
  Cycle own = 0;
  for (unsigned b = 0; b < ports_.size(); ++b) {
    if (ports_[b] >= kPortsPerBlock) portsFull_[b] = exec_ + 1;
    if (ports_[b] > kPortsPerBlock) own += ports_[b] - kPortsPerBlock;
    if (ports_[b] >= kPortsPerBlock && dmaPort_[b] == exec_ + 1) ++dma;
  }
  end_ += own + dma;
  stats_.ramConflict += own;
  stats_.dmaConflict += dma;
}

/// What the instruction has changed.
std::span<const RegisterWrite> Cpu::registersWritten() {
  // Most instructions change one or two of them: a bit for each that differs, two at a time.
  static_assert(reg::kCount % 2 == 0 && reg::kCount <= 32);
  std::uint32_t differ = 0;
  for (unsigned n = 0; n < reg::kCount; n += 2) {
    const auto pair = [n](const std::uint32_t* file) {
      std::uint64_t both = 0;
      std::memcpy(&both, file + n, sizeof both);
      return both;
    };
    if (pair(reg_) == pair(before_.registers.data())) continue;
    for (unsigned i = n; i < n + 2; ++i) differ |= (reg_[i] != before_.registers[i] ? 1U : 0U) << i;
  }
  if (std::memcmp(exponent_, before_.exponents.data(), before_.exponents.size()) != 0) {
    for (unsigned i = 0; i < before_.exponents.size(); ++i)
      differ |= (exponent_[i] != before_.exponents[i] ? 1U : 0U) << i;
  }
  std::size_t count = 0;
  for (; differ != 0; differ &= differ - 1) {
    const auto n = static_cast<unsigned>(std::countr_zero(differ));
    writes_[count++] = {static_cast<std::uint8_t>(n), n < 8 ? exponent_[n] : std::int8_t{0},
                        reg_[n]};
  }
  return {writes_.data(), count};
}

void Cpu::report(const MicroOp& op) {
  TraceRecord record;
  record.pc = pc_;
  record.nextPc = nextPc_;
  record.word = op.word;
  record.start = cycle_;
  record.end = end_;
  if (end_ - cycle_ != 1) {  // one cycle is its own: none is lost
    const StallCycles now = stats_.stalls();
    for (unsigned c = 0; c < kStallCauses; ++c) record.stalls[c] = now[c] - before_.stalls[c];
    before_.stalls = now;
  }
  record.cacheHit = stats_.cacheHits != before_.cacheHits;
  record.registers = registersWritten();
  record.accesses = accesses_;
  observer_->executed(record);
}

}  // namespace rtvp::c32
