#include "models/xphmg/hart/hart.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/xphmg/hart/execute.hpp"
#include "models/xphmg/hart/translate/course.hpp"
#include "models/xphmg/hart/translate/translator.hpp"

namespace rtvp::rv64 {
namespace {

constexpr std::uint64_t kMIE = 1U << 3U;
constexpr std::uint64_t kMPIE = 1U << 7U;
constexpr std::uint64_t kInterruptFlag = std::uint64_t{1} << 63U;

constexpr std::uint64_t bit(Interrupt line) {
  return std::uint64_t{1} << static_cast<unsigned>(line);
}

}  // namespace

Hart::Hart(Bus& bus, HartOptions options) : bus_(bus), options_(options) {
  if (options_.timer_divider == 0) options_.timer_divider = 1;
  fault_slot_.handler = &Hart::fetchFault;
  fault_slot_.instruction.length = 0;
  reset(0);
}

Hart::~Hart() = default;

void Hart::addRam(std::uint64_t base, std::span<std::uint8_t> bytes) {
  Region region;
  region.base = base;
  region.bytes = bytes;
  const std::size_t pages = (bytes.size() + kPageBytes - 1) / kPageBytes;
  region.pages.resize(pages);
  region.flags = common::ZeroPages((bytes.size() >> kLineBits) + 1);
  regions_.push_back(std::move(region));
  const Region& first = regions_.front();
  ram_ = {first.base, first.bytes.size(), first.bytes.data(), first.flags.get()};
  translator_.reset();
}

/// A store of at most 8 bytes that touches the given ones begins in a line that gets the flag.
void Hart::mark(Region& region, std::uint64_t offset, std::uint64_t size, LineFlag flag) {
  constexpr std::uint64_t kLargestStore = 8;
  const std::uint64_t first = offset - std::min(offset, kLargestStore - 1);
  for (std::uint64_t line = first >> kLineBits; line <= (offset + size - 1) >> kLineBits; ++line) {
    region.flags[line] |= flag;
  }
}

void Hart::watchWrites(std::uint64_t address, std::uint64_t size, WriteWatch* watch) {
  Region* region = regionOf(address, size);
  if (region == nullptr) return;
  watches_.push_back({address, size, watch});
  mark(*region, address - region->base, size, kWatched);
}

void Hart::reset(std::uint64_t pc) {
  x_.fill(0);
  f_.fill(0);
  pc_ = pc;
  x_[10] = options_.hart_id;
  retired_ = stall_ = translated_ = 0;
  pending_trap_.reset();
  last_trap_at_.reset();
  stop_requested_ = blocked_ = waiting_ = breakpoint_ = resume_over_breakpoint_ = placed_ = false;
  reserved_ = false;
  fflags_ = frm_ = 0;
  mstatus_ = 0x1800;
  mie_ = lines_ = mtvec_ = mscratch_ = mepc_ = mcause_ = mtval_ = 0;
  mcountinhibit_ = mcycle_base_ = minstret_base_ = time_base_ = 0;
  mtimecmp_ = ~std::uint64_t{0};
  flushDecoded();
  if (account_ != nullptr) account_->clear();
}

Stop Hart::run(std::uint64_t instructions) {
  const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - retired_;
  budget_end_ = retired_ + std::min(instructions, room);
  enterHostUnit();
  std::optional<Stop> stop = settle();
  while (!stop) {
    setLimit();
    if (observer_ != nullptr || intercept_) {
      runObserved();
    } else if (translates()) {
      account_ != nullptr ? runTranslated<true>() : runTranslated<false>();
    } else {
      account_ != nullptr ? runCounted() : runFast();
    }
    stop = settle();
  }
  leaveHostUnit();
  return *stop;
}

void Hart::requestStop() {
  stop_requested_ = true;
  attention();
}

/// What has to happen between two instructions; a value ends the run.
std::optional<Stop> Hart::settle() {
  if (pending_trap_) {
    if (std::optional<Stop> stop = finishTrap()) return stop;
  }
  if (blocked_) {
    blocked_ = false;
    --retired_;
    if (account_ != nullptr) account_->undone(pc_);
    return Stop::Blocked;
  }
  if (placed_) {
    placed_ = false;
    --retired_;
    if (account_ != nullptr) account_->undone(pc_);
    resume_over_breakpoint_ = true;
    return Stop::Breakpoint;
  }
  if (stop_requested_) {
    stop_requested_ = false;
    return Stop::Requested;
  }
  if (breakpoint_) {
    breakpoint_ = false;
    resume_over_breakpoint_ = true;
    return Stop::Breakpoint;
  }
  if (std::optional<unsigned> cause = interruptToTake()) {
    waiting_ = resume_over_breakpoint_ = false;
    enterTrap(kInterruptFlag | *cause, 0, pc_);
    if (mtvec_ == 0) return Stop::NoHandler;
  }
  if (waiting_) {
    if (!interruptPending()) return Stop::WaitInterrupt;
    waiting_ = false;
  }
  if (retired_ >= budget_end_) return Stop::Budget;
  if (cycle() >= cycle_limit_) return Stop::CycleLimit;
  return std::nullopt;
}

/// The trapping instruction took its cycle but did not retire.
std::optional<Stop> Hart::finishTrap() {
  const PendingTrap trap = *pending_trap_;
  pending_trap_.reset();
  --retired_;
  ++stall_;
  if (account_ != nullptr) account_->trapped(current_pc_);
  const bool doubled = last_trap_at_ == retired_;
  if (extension_ != nullptr) extension_->trapped(*this);
  enterTrap(trap.cause, trap.value, current_pc_);
  if (mtvec_ == 0) return Stop::NoHandler;
  if (doubled) return Stop::DoubleTrap;
  return std::nullopt;
}

void Hart::enterTrap(std::uint64_t cause, std::uint64_t value, std::uint64_t pc) {
  mepc_ = pc;
  mcause_ = cause;
  mtval_ = value;
  mstatus_ = (mstatus_ & ~(kMIE | kMPIE)) | ((mstatus_ & kMIE) != 0 ? kMPIE : 0);
  last_trap_at_ = retired_;
  const std::uint64_t base = mtvec_ & ~std::uint64_t{3};
  const bool vectored = (mtvec_ & 1U) != 0 && (cause & kInterruptFlag) != 0;
  pc_ = vectored ? base + 4 * (cause & ~kInterruptFlag) : base;
}

std::uint64_t Hart::mip() const {
  return lines_ | (mtime() >= mtimecmp_ ? bit(Interrupt::Timer) : 0);
}

/// External before software before timer (RISC-V privileged ISA, mip).
std::optional<unsigned> Hart::interruptToTake() const {
  if ((mstatus_ & kMIE) == 0 || intercept_) return std::nullopt;
  const std::uint64_t pending = mip() & mie_;
  for (const Interrupt line : {Interrupt::External, Interrupt::Software, Interrupt::Timer}) {
    if ((pending & bit(line)) != 0) return static_cast<unsigned>(line);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Hart::cyclesToTimer() const {
  const std::uint64_t now = mtime();
  if (now >= mtimecmp_) return std::nullopt;
  const std::uint64_t ticks = mtimecmp_ - now;
  const std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  if (ticks > largest / options_.timer_divider) return std::nullopt;
  return ticks * options_.timer_divider - cycle() % options_.timer_divider;
}

void Hart::setLimit() {
  limit_ = budget_end_;
  if (cycle_limit_ - cycle() < limit_ - retired_) limit_ = retired_ + (cycle_limit_ - cycle());
  if (std::optional<std::uint64_t> cycles = cyclesToTimer()) {
    if (*cycles < limit_ - retired_) limit_ = retired_ + *cycles;
  }
}

void Hart::setInterrupt(Interrupt line, bool level) {
  lines_ = level ? lines_ | bit(line) : lines_ & ~bit(line);
  attention();
}

void Hart::setMtime(std::uint64_t value) {
  time_base_ = value - cycle() / options_.timer_divider;
  attention();
}

void Hart::setMtimecmp(std::uint64_t value) {
  mtimecmp_ = value;
  attention();
}

void Hart::addStall(std::uint64_t cycles, Spent cause) {
  if (cycles == 0) return;
  stall_ += cycles;
  if (account_ != nullptr) {
    constexpr std::uint64_t kWfiBytes = 4;  // it has retired, so the PC stands behind it
    account_->stalled(cause == Spent::Idle ? pc_ - kWfiBytes : pc_, cause, cycles);
  }
  if (observer_ != nullptr) observer_->stalled(cause, cycles);
  attention();
}

void Hart::trap(std::uint64_t cause, std::uint64_t value) {
  if (pending_trap_) return;
  pending_trap_ = PendingTrap{cause, value};
  current_pc_ = pc_;
  next_ = pc_;
  attention();
}

void Hart::block() {
  blocked_ = true;
  next_ = pc_;
  attention();
}

void Hart::setIntercept(bool on) {
  intercept_ = on;
  attention();
}

// --- the loops

void Hart::fetchFault(Hart& hart, const Decoded& /*instruction*/) {
  hart.trap(Cause::FetchAccess, hart.pc_);
}

/// The handler of instructions that somebody wants to stop in front of.
void Hart::atPlace(Hart& hart, const Decoded& instruction) {
  if (std::exchange(hart.resume_over_breakpoint_, false)) {
    Execute::find(instruction.op)(hart, instruction);
    hart.resume_over_breakpoint_ = hart.blocked_;  // it will be executed again
    return;
  }
  hart.placed_ = true;
  hart.next_ = hart.pc_;
  hart.attention();
}

void Hart::setAccount(Account* account) {
  if (account == account_) return;
  account_ = account;
  flushDecoded();  // code counts or does not
}

void Hart::setPlaces(std::vector<std::uint64_t> addresses) {
  std::sort(addresses.begin(), addresses.end());
  if (addresses == places_) return;
  places_ = std::move(addresses);
  flushDecoded();
}

inline Hart::Slot* Hart::slotAt(std::uint64_t pc) {
  const std::uint64_t offset = pc - page_base_;
  if (offset < kPageBytes) {
    Slot& slot = (*page_)[offset / 2];
    if (slot.handler != nullptr) return &slot;
  }
  Region* region = regionOf(pc, 2);
  if (region == nullptr) return &fault_slot_;
  return decodeSlot(*region, pc - region->base);
}

Hart::Slot* Hart::decodeSlot(Region& region, std::uint64_t offset) {
  std::unique_ptr<Page>& page = region.pages[offset >> kPageBits];
  if (!page) page = std::make_unique<Page>();
  page_ = page.get();
  page_base_ = region.base + (offset & ~(kPageBytes - 1));
  Slot& slot = (*page)[(offset % kPageBytes) / 2];
  if (slot.handler != nullptr) return &slot;
  std::uint32_t word = 0;
  const std::uint64_t room = region.bytes.size() - offset;
  std::memcpy(&word, region.bytes.data() + offset, std::min<std::uint64_t>(room, 4));
  if ((word & 3U) == 3 && room < 4) return &fault_slot_;
  slot.instruction = decode(word);
  const bool place = std::binary_search(places_.begin(), places_.end(), region.base + offset);
  slot.handler = place ? &Hart::atPlace : Execute::find(slot.instruction.op);
  mark(region, offset, slot.instruction.length, kDecoded);
  return &slot;
}

void Hart::runFast() {
  do {
    const Slot* slot = slotAt(pc_);
    next_ = pc_ + slot->instruction.length;
    slot->handler(*this, slot->instruction);
    pc_ = next_;
    ++retired_;
  } while (retired_ < limit_);
}

bool Hart::translates() {
  if (!options_.translate || regions_.empty()) return false;
  if (!translator_) translator_ = std::make_unique<Translator>(*this);
  return translator_->usable();
}

/// runFast() or runCounted() with host code for what runs often.
template <bool kCounted>
void Hart::runTranslated() {
  do {
    const void* code = translator_->find(pc_);
    if (code != nullptr && (translator_->run(code) || retired_ >= limit_)) continue;
    interpretBlock<kCounted>();
  } while (retired_ < limit_);
}

/// Up to the next place at which a block may begin, one instruction at least.
template <bool kCounted>
void Hart::interpretBlock() {
  bool goesOn = true;
  do {
    const Slot* slot = slotAt(pc_);
    goesOn = courseOf(slot->instruction.op) == Course::On;
    next_ = pc_ + slot->instruction.length;
    slot->handler(*this, slot->instruction);
    if constexpr (kCounted) account_->executed(pc_);
    pc_ = next_;
    ++retired_;
  } while (goesOn && retired_ < limit_);
}

/// runFast() for whoever wants to know where the cycles go.
void Hart::runCounted() {
  do {
    const Slot* slot = slotAt(pc_);
    next_ = pc_ + slot->instruction.length;
    slot->handler(*this, slot->instruction);
    account_->executed(pc_);  // now: others may look while it waits for a device
    pc_ = next_;
    ++retired_;
  } while (retired_ < limit_);
}

void Hart::runObserved() {
  do {
    const Slot slot = *slotAt(pc_);
    if (observer_ != nullptr && !resume_over_breakpoint_ && !ask(slot.instruction)) {
      breakpoint_ = true;
      return;
    }
    resume_over_breakpoint_ = false;
    next_ = pc_ + slot.instruction.length;
    runSlot(slot);
    if (account_ != nullptr) account_->executed(pc_);
    const bool done = !pending_trap_ && !blocked_;
    pc_ = next_;
    ++retired_;
    if (observer_ != nullptr) {
      const OutsideCall outside(*this);
      observer_->after(*this, slot.instruction, done);
    }
  } while (retired_ < limit_);
}

/// The observer may calculate: it has the host's own floating-point unit.
bool Hart::ask(const Decoded& instruction) {
  const OutsideCall outside(*this);
  return observer_->before(*this, instruction);
}

void Hart::runSlot(const Slot& slot) {
  if (intercept_ && extension_ != nullptr && slot.instruction.length != 0) {
    const OutsideCall outside(*this);
    if (extension_->intercept(*this, slot.instruction)) return;
  }
  slot.handler(*this, slot.instruction);
}

void Hart::executeNow(const Decoded& instruction) {
  const bool outside = !host_unit_entered_;
  if (outside) enterHostUnit();
  Execute::find(instruction.op)(*this, instruction);
  if (outside) leaveHostUnit();
}

// --- memory

Hart::Region* Hart::regionOf(std::uint64_t address, std::uint64_t size) {
  for (Region& region : regions_) {
    const std::uint64_t offset = address - region.base;
    if (offset < region.bytes.size() && region.bytes.size() - offset >= size) return &region;
  }
  return nullptr;
}

/// Forgets the decoded instructions that these bytes belong to.
void Hart::forget(Region& region, std::uint64_t offset, std::uint64_t size) {
  const std::uint64_t first = offset < 2 ? 0 : (offset - 2) / 2;
  for (std::uint64_t half = first; half <= (offset + size - 1) / 2; ++half) {
    const std::unique_ptr<Page>& page = region.pages[half * 2 >> kPageBits];
    if (!page) continue;
    Slot& slot = (*page)[half % (kPageBytes / 2)];
    if (slot.handler == nullptr) continue;
    slot.handler = nullptr;
    if (translator_ && &region == &regions_.front()) translator_->drop(half * 2);
  }
}

/// After a store to a line that holds decoded instructions or watched bytes.
void Hart::stored(Region& region, std::uint64_t offset, unsigned size) {
  forget(region, offset, size);
  const std::uint64_t address = region.base + offset;
  for (const Watch& watch : watches_) {
    if (address < watch.address + watch.size && watch.address < address + size) {
      watch.watch->written(address, size);
    }
  }
}

bool Hart::loadSlow(std::uint64_t address, std::span<std::uint8_t> data) {
  if (const Region* region = regionOf(address, data.size())) {
    std::memcpy(data.data(), region->bytes.data() + (address - region->base), data.size());
    return true;
  }
  std::uint64_t delay = 0;
  const OutsideCall outside(*this);
  const bool done = bus_.read(address, data, delay);
  addStall(delay, Spent::Device);
  attention();
  if (!done) trap(Cause::LoadAccess, address);
  return done;
}

bool Hart::storeSlow(std::uint64_t address, std::span<const std::uint8_t> data) {
  if (Region* region = regionOf(address, data.size())) {
    const std::uint64_t offset = address - region->base;
    std::memcpy(region->bytes.data() + offset, data.data(), data.size());
    stored(*region, offset, static_cast<unsigned>(data.size()));
    return true;
  }
  std::uint64_t delay = 0;
  const OutsideCall outside(*this);
  const bool done = bus_.write(address, data, delay);
  addStall(delay, Spent::Device);
  attention();
  if (!done) trap(Cause::StoreAccess, address);
  return done;
}

bool Hart::load(std::uint64_t address, std::span<std::uint8_t> data) {
  return loadSlow(address, data);
}

bool Hart::store(std::uint64_t address, std::span<const std::uint8_t> data) {
  return storeSlow(address, data);
}

bool Hart::peek(std::uint64_t address, std::span<std::uint8_t> data) const {
  for (const Region& region : regions_) {
    const std::uint64_t offset = address - region.base;
    if (offset < region.bytes.size() && region.bytes.size() - offset >= data.size()) {
      std::memcpy(data.data(), region.bytes.data() + offset, data.size());
      return true;
    }
  }
  return false;
}

bool Hart::poke(std::uint64_t address, std::span<const std::uint8_t> data) {
  if (data.empty()) return true;
  Region* region = regionOf(address, data.size());
  if (region == nullptr) return false;
  const std::uint64_t offset = address - region->base;
  std::memcpy(region->bytes.data() + offset, data.data(), data.size());
  forget(*region, offset, data.size());
  return true;
}

bool Hart::fill(std::uint64_t address, std::uint64_t size) {
  if (size == 0) return true;
  Region* region = regionOf(address, size);
  if (region == nullptr) return false;
  const std::uint64_t offset = address - region->base;
  std::memset(region->bytes.data() + offset, 0, size);
  forget(*region, offset, size);
  return true;
}

void Hart::flushDecoded() {
  for (Region& region : regions_) {
    for (std::unique_ptr<Page>& page : region.pages) {
      if (!page) continue;
      for (Slot& slot : *page) slot.handler = nullptr;
    }
  }
  if (translator_) translator_->clear();
}

// --- the host's floating-point unit

void Hart::enterHostUnit() {
  if (host_unit_entered_) return;
  host_unit_.enter();
  host_unit_entered_ = true;
}

void Hart::leaveHostUnit() {
  if (!host_unit_entered_) return;
  fflags_ |= host_unit_.leave();
  host_unit_entered_ = false;
}

void Hart::collectFlags() {
  if (host_unit_entered_) fflags_ |= fp::HostUnit::takeFlags();
}

std::optional<std::uint64_t> Hart::readCsr(unsigned number) {
  if (extension_ != nullptr && extension_->ownsCsr(number)) {
    const OutsideCall outside(*this);
    return extension_->readCsr(*this, number);
  }
  return CsrFile::read(*this, number);
}

bool Hart::writeCsr(unsigned number, std::uint64_t value) {
  if (extension_ != nullptr && extension_->ownsCsr(number)) {
    const OutsideCall outside(*this);
    return extension_->writeCsr(*this, number, value);
  }
  return CsrFile::write(*this, number, value);
}

}  // namespace rtvp::rv64
