#include "models/xphmg/hart_module.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace rtvp::xphmg {

using rv64::Outcome;

HartModule::HartModule(sc_core::sc_module_name name, const HartModuleConfig& config,
                       rv64::MachineMemory memory, rv64::Console& console, RtUnit& unit)
    : sc_module(name),
      bus_isock("bus_isock"),
      irq_i("irq_i"),
      config_(config),
      clock_(config.period, "xphmg"),
      unit_(unit),
      machine_(config.machine, memory, console),
      extension_(*this, config.extension),
      inline_port_({config.timing, config.lds, 0, config.dmi, 0, config.period},
                   common::BusMaster::through(bus_isock)),
      devices_(clock_, false, common::BusMaster::through(bus_isock)) {
  machine_.setDevices(this);
  machine_.hart().setExtension(&extension_);
  bus_isock.register_invalidate_direct_mem_ptr(this, &HartModule::invalidate);
  SC_HAS_PROCESS(HartModule);
  SC_THREAD(work);
}

void HartModule::setContention(common::Contention& contention, unsigned master) {
  if (contention.limited()) contention_ = &contention;
  inline_port_.setContention(contention, master, nullptr);
  devices_.setContention(contention, master);
}

// --- time

void HartModule::work() {
  for (int i = 0; i < irq_i.size(); ++i) {
    const sc_core::sc_event& changed = irq_i[i]->value_changed_event();
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.set_sensitivity(&changed);
    options.dont_initialize();
    sc_core::sc_spawn([this] { interrupt(); }, sc_core::sc_gen_unique_name("irq"), &options);
  }
  while (step()) {
  }
}

/// The external interrupt is the OR of the lines.
void HartModule::interrupt() {
  bool level = false;
  for (int i = 0; i < irq_i.size(); ++i) level = level || irq_i[i]->read();
  machine_.hart().setInterrupt(rv64::Interrupt::External, level);
  if (level) ++interrupts_;
  wake_event_.notify();
}

/// Cycles in which no other process can do anything; 0: one is about to.
std::uint64_t HartModule::cyclesUntilOthersAct() const {
  constexpr std::uint64_t kMost = 1'000'000;  // bounds the time between two looks at the kernel
  if (sc_core::sc_pending_activity_at_current_time()) return 0;
  // Compared as times: without activity this one is the largest there is.
  const sc_core::sc_time pending =
      sc_core::sc_time_to_pending_activity(sc_core::sc_get_curr_simcontext());
  return pending > clock_.of(kMost) ? kMost : clock_.at(pending);
}

/// Simulated time catches up with the hart.
void HartModule::sync() {
  const sc_core::sc_time local = clock_.of(machine_.hart().cycle());
  if (local > sc_core::sc_time_stamp()) wait(local - sc_core::sc_time_stamp());
}

/// Runs until something has to happen outside; false at the end of the program.
bool HartModule::step() {
  rv64::Hart& hart = machine_.hart();
  const std::uint64_t cycles = cyclesUntilOthersAct();
  if (cycles == 0) {
    rest_ = Rest::Between;
    if (contention_ != nullptr) {
      contention_->settle();
    } else {
      wait(sc_core::SC_ZERO_TIME);
    }
    rest_ = Rest::None;
    return true;
  }
  hart.setCycleLimit(hart.cycle() + cycles);
  const Outcome outcome = stretch();
  if (control_ != nullptr && control_->left()) {
    sc_core::sc_stop();
    return false;
  }
  if (outcome.kind == Outcome::Kind::Yield) rest_ = Rest::Between;
  sync();
  rest_ = Rest::None;
  switch (outcome.kind) {
    case Outcome::Kind::Yield:
      return true;
    case Outcome::Kind::Waiting:
      return sleep(false);
    case Outcome::Kind::Blocked:
      return sleep(true);
    default:
      finish(outcome);
      return false;
  }
}

/// Up to the cycle limit or whatever ends it; a debugger may hold the hart on the way.
Outcome HartModule::stretch() {
  const rv64::Hart& hart = machine_.hart();
  if (control_ != nullptr) control_->between();
  for (;;) {
    if (control_ != nullptr && control_->left()) return {Outcome::Kind::Yield, 0};
    const std::uint64_t retired = hart.instructionsRetired();
    const Outcome outcome =
        machine_.run(config_.max_instructions > retired ? config_.max_instructions - retired : 0);
    if (outcome.kind != Outcome::Kind::Breakpoint || control_ == nullptr) return outcome;
    control_->stopped();
  }
}

/// Waits for an interrupt or, when an instruction is blocked, for the end of a job.
bool HartModule::sleep(bool blocked) {
  rv64::Hart& hart = machine_.hart();
  asleepSince_ = sc_core::sc_time_stamp();
  const std::optional<std::uint64_t> timer = hart.cyclesToTimer();
  if (!timer && !sc_core::sc_pending_activity()) {
    finish({blocked ? Outcome::Kind::Blocked : Outcome::Kind::Waiting, 0});
    return false;
  }
  if (timer) {
    wait(clock_.of(*timer), wake_event_ | unit_.doneEvent());
  } else {
    if (!blocked) rest_ = Rest::Asleep;
    wait(wake_event_ | unit_.doneEvent());
    const Rest rest = std::exchange(rest_, Rest::None);
    if (!blocked && rest == Rest::Between) return true;  // a checkpoint has woken it
  }
  const std::uint64_t passed = clock_.at(sc_core::sc_time_stamp() - asleepSince_);
  hart.addStall(passed, blocked ? rv64::Spent::Blocked : rv64::Spent::Idle);
  (blocked ? blocked_cycles_ : idle_cycles_) += passed;
  return true;
}

void HartModule::finish(const Outcome& outcome) {
  outcome_ = outcome;
  finished_ = true;
  finished_event_.notify(sc_core::SC_ZERO_TIME);
  if (config_.stop_simulation) sc_core::sc_stop();
}

// --- devices

bool HartModule::access(bool write, std::uint64_t address, std::uint8_t* data, std::size_t size,
                        std::uint64_t& delay) {
  sync();
  Cycle latency = 0;
  const bool ok = devices_.transport(write, address, data, size, machine_.hart().cycle(), latency);
  delay += latency;
  ++device_accesses_;
  device_cycles_ += latency;
  machine_.hart().requestStop();  // the device may have something to do now
  if (!ok) ++device_errors_;
  return ok;
}

bool HartModule::read(std::uint64_t address, std::span<std::uint8_t> data, std::uint64_t& delay) {
  return access(false, address, data.data(), data.size(), delay);
}

bool HartModule::write(std::uint64_t address, std::span<const std::uint8_t> data,
                       std::uint64_t& delay) {
  std::array<std::uint8_t, 8> copy{};
  std::copy(data.begin(), data.end(), copy.begin());
  return access(true, address, copy.data(), data.size(), delay);
}

// --- the unit beside the hart

std::uint64_t HartModule::readCsr(unsigned number) {
  return csrs().readNumber(number).value_or(0);
}

void HartModule::writeCsr(unsigned number, std::uint64_t value) {
  csrs().writeNumber(number, value);
  machine_.hart().requestStop();
}

CsrFile& HartModule::csrs() {
  sync();
  return unit_.csrs();
}

std::uint64_t HartModule::submit(std::uint64_t descriptor, std::uint64_t& stall) {
  sync();
  const sc_core::sc_time since = sc_core::sc_time_stamp();
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const std::uint64_t ticket = unit_.submit(descriptor, delay);
  stall = clock_.at(sc_core::sc_time_stamp() + delay - since);
  blocked_cycles_ += stall;
  machine_.hart().requestStop();
  return ticket;
}

std::uint64_t HartModule::lastTicket() const {
  return unit_.ticketLast();
}

std::uint64_t HartModule::doneTicket() const {
  const sc_core::sc_time local = clock_.of(machine_.hart().cycle());
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  return unit_.ticketDone(local > now ? local - now : sc_core::SC_ZERO_TIME);
}

void HartModule::signalToken(unsigned token) {
  sync();
  unit_.signal(token);
}

bool HartModule::consumeToken(unsigned token) {
  sync();
  return unit_.consumeToken(token);
}

MemoryPort& HartModule::beginInline() {
  inline_port_.beginJob(0, machine_.hart().cycle());
  inline_port_.setTags(resolveXmem(unit_.csrs().xmemRegisters(), MemCtl{}).tags);
  inline_port_.setNode8((unit_.csrs().read(Csr::RTNODE) & csr::kNodeNode8) != 0);
  return inline_port_;
}

std::uint64_t HartModule::endInline() {
  const std::uint64_t cycles = inline_port_.now() - machine_.hart().cycle();
  inline_cycles_ += cycles;
  if (contention_ != nullptr) machine_.hart().requestStop();  // others may have acted meanwhile
  return cycles;
}

void HartModule::report(common::StatGroup& group) const {
  const rv64::Hart& hart = machine_.hart();
  const std::uint64_t retired = hart.instructionsRetired();
  const std::uint64_t stalls = idle_cycles_ + blocked_cycles_ + device_cycles_ + inline_cycles_;
  group.count("instructions", "1", "Instructions retired.", retired);
  group.count("cycles", "cycles", "Cycles of the hart's clock since reset.", hart.cycle());
  group.count("cycles_busy", "cycles", "One for each instruction that retired.", retired);
  group.count("cycles_trap", "cycles", "Instructions that trapped instead of retiring.",
              hart.cycle() - retired - stalls);
  group.count("cycles_inline_rt", "cycles",
              "Memory accesses and tests of RT.BBOX and RT.TRI beyond the instruction's cycle.",
              inline_cycles_);
  group.count("cycles_device", "cycles", "Waiting for devices on the bus.", device_cycles_);
  group.count("cycles_blocked", "cycles",
              "XSUBMIT.RT with its doorbell and a full queue, XFENCE.WAIT and XFENCE.PIPE.",
              blocked_cycles_);
  group.count("cycles_idle", "cycles", "Waiting for an interrupt (WFI).", idle_cycles_);
  group.count("device_accesses", "1", "Loads and stores to devices.", device_accesses_);
  group.count("device_errors", "1", "Of these, refused ones: access faults.", device_errors_);
  group.count("interrupts", "1", "Rises of the external interrupt line.", interrupts_);
}

}  // namespace rtvp::xphmg
