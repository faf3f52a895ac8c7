// See implicit_unit.hpp. Sockets, registers and the ring; statistics are in unit_statistics.cpp.
#include "models/implicit/unit/implicit_unit.hpp"

#include <algorithm>

#include "models/common/report_ids.hpp"
#include "models/common/tlm_dwords.hpp"
#include "models/implicit/unit/layout.hpp"

namespace rtvp::implicit::unit {
namespace {

constexpr auto kOk = tlm::TLM_OK_RESPONSE;
constexpr std::size_t kFirstCounter = kConfigurationRows.size();

}  // namespace

ImplicitUnit::ImplicitUnit(sc_core::sc_module_name name, const ImplicitUnitConfig& config)
    : sc_module(name),
      host_tsock("host_tsock"),
      memory_isock("memory_isock"),
      irq_o("irq_o"),
      config_(config),
      bus_(common::ClockDomain(config.period, "implicit unit"), config.dmi,
           common::BusMaster::through(memory_isock)),
      engine_(config.timing, *this, config.ahead),
      file_(kRegisterTable),
      registers_({kRegisterTable, kRegisterBlockEnd}, *this) {
  base_.totals = engine_.totals();
  host_tsock.register_b_transport(this, &ImplicitUnit::transport);
  host_tsock.register_transport_dbg(this, &ImplicitUnit::debug);
  memory_isock.register_invalidate_direct_mem_ptr(this, &ImplicitUnit::invalidate);
  file_.setReset(row("CORES"), config.timing.cores | config.timing.lanes << 16U);
  file_.reset();
  SC_HAS_PROCESS(ImplicitUnit);
  SC_THREAD(work);
  set_stack_size(1U << 20U);
  SC_METHOD(driveInterrupt);
  sensitive << interrupt_;
  dont_initialize();
}

// ---- host side

void ImplicitUnit::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  ++accesses_;
  const tlm::tlm_response_status status = registers_.access(payload);
  payload.set_response_status(status);
  errors_ += status == kOk ? 0U : 1U;
  delay += clock_.of(common::dwordCount(payload));
}

unsigned ImplicitUnit::debug(tlm::tlm_generic_payload& payload) {
  return registers_.debug(payload);
}

std::uint64_t ImplicitUnit::peekRegister(std::size_t index) {
  if (index < kFirstCounter) {
    updateStatus();
    return file_.read(index);
  }
  const std::size_t half = index - kFirstCounter;
  const std::uint64_t value = counter(static_cast<Counter>(half / 2));
  return static_cast<std::uint32_t>(half % 2 == 0 ? value : value >> 32U);
}

std::optional<std::uint64_t> ImplicitUnit::readRegister(std::size_t index,
                                                        std::uint64_t /*bytes*/) {
  if (index < kFirstCounter) return peekRegister(index);
  const std::size_t half = index - kFirstCounter;
  if (half % 2 != 0) return file_.read(index);  // as of the last read of the low half
  const std::uint64_t value = counter(static_cast<Counter>(half / 2));
  file_.poke(index + 1, static_cast<std::uint32_t>(value >> 32U));
  return static_cast<std::uint32_t>(value);
}

void ImplicitUnit::updateStatus() {
  const bool faulty = (file_.peek(row("FAULT")) & fault::kCode) != 0;
  file_.poke(row("STATUS"), (busy_ || ready() ? status::kBusy : 0U) |
                                (faulty ? status::kFault : 0U) | (halted_ ? status::kHalted : 0U));
  file_.poke(row("RING_HEAD"), head_);
  file_.poke(row("LEAF_PROGRAMS_USED"), static_cast<std::uint32_t>(engine_.leafWords()));
}

bool ImplicitUnit::writeRegister(std::size_t index, std::uint64_t value, std::uint64_t bytes) {
  const std::uint32_t bits =
      file_.write(index, static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(bytes));
  if (index == row("CONTROL")) {
    control(bits);
  } else if (index == row("RING_TAIL")) {
    start_.notify(sc_core::SC_ZERO_TIME);
  } else if (index == row("FAULT") && (bits & fault::kClear) != 0) {
    clearFault();
  }
  traceJobs();
  interrupt_.notify(sc_core::SC_ZERO_TIME);
  return true;
}

void ImplicitUnit::clearFault() {
  for (const Reg reg :
       std::initializer_list<Reg>{"FAULT", "FAULT_OBJECT", "FAULT_POSITION", "FAULT_JOB",
                                  "FAULT_ADDRESS_LOW", "FAULT_ADDRESS_HIGH"})
    file_.poke(reg.row(), 0);
}

void ImplicitUnit::control(std::uint32_t bits) {
  if ((bits & control::kReset) != 0) return resetAll();
  if ((bits & control::kFlush) != 0) {
    if (busy_) {
      flushing_ = true;
    } else {
      engine_.flush();
    }
  }
  if ((bits & control::kStart) != 0) {
    halted_ = false;
    start_.notify(sc_core::SC_ZERO_TIME);
  }
}

void ImplicitUnit::resetAll() {
  ++resets_;
  file_.reset();
  head_ = 0;
  halted_ = flushing_ = false;
  const Clock now = clock_.now();
  if (busy_) {
    // The process gives up its job before it does anything else.
    lost_ += now - std::min(now, job_begin_);
    resetting_ = true;
    busy_ = false;
    reset_event_.notify(sc_core::SC_ZERO_TIME);
  } else if (!resetting_) {
    engine_.reset();
  }
  base_ = {engine_.totals(), now};
}

void ImplicitUnit::driveInterrupt() {
  const bool level = (file_.peek(row("INTERRUPT")) & file_.peek(row("INTERRUPT_ENABLE"))) != 0;
  for (int i = 0; i < irq_o.size(); ++i) irq_o[i]->write(level);
  signals_.interrupt.set(sc_core::sc_time_stamp().value(), level ? 1 : 0);
}

void ImplicitUnit::trace(const common::TraceScope& scope) {
  signals_.busy = scope.wire("busy", "a job is under way");
  signals_.posted = scope.count("posted", "jobs posted by the host so far");
  signals_.ended = scope.count("ended", "jobs ended so far");
  signals_.fault = scope.count("fault", "code of the first fault since it was cleared");
  signals_.interrupt = scope.wire("interrupt", "interrupt to the host");
}

void ImplicitUnit::traceJobs() const {
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  signals_.busy.set(now, busy_ ? 1 : 0);
  signals_.posted.set(now, file_.peek(row("RING_TAIL")));
  signals_.ended.set(now, head_);
  signals_.fault.set(now, file_.peek(row("FAULT")) & fault::kCode);
}

// ---- the ring

std::uint32_t ImplicitUnit::pending() const {
  return file_.peek(row("RING_TAIL")) - head_;
}

void ImplicitUnit::work() {
  for (;;) {
    while (!ready()) wait(start_);
    if (!ringIsUsable()) continue;
    try {
      runJob();
    } catch (const common::BusMaster::Withdrawn&) {
      resetting_ = false;
      engine_.reset();
    }
  }
}

bool ImplicitUnit::ringIsUsable() {
  const std::uint32_t entries = file_.peek(row("RING_ENTRIES"));
  if (pending() <= entries) return true;
  JobResult result;
  result.fault = Fault::Ring;
  result.text = "the ring holds " + std::to_string(entries) + " jobs, the doorbell says " +
                std::to_string(pending());
  fail(result, true);
  traceJobs();
  return false;
}

void ImplicitUnit::runJob() {
  const Configuration configuration = configurationOf(file_);
  const Area& ring = configuration.map.ring;
  const std::uint64_t address = ring.address + std::uint64_t{head_ % ring.count} * job::kBytes;
  busy_ = true;
  job_begin_ = clock_.now();
  traceJobs();
  if (tap_ != nullptr) tap_->begins(engine_, file_, address, job_begin_);
  JobResult result = engine_.run(configuration, address, job_begin_);
  waitUntil(result.end);
  bool halt = !result.descriptor_read;
  if (!halt) {
    halt = !engine_.complete(address, result);
    waitUntil(result.end);
  }
  if (tap_ != nullptr) tap_->ends(engine_, result);
  engine_.retire(result);
  busy_ = false;
  if (flushing_) engine_.flush();
  flushing_ = false;
  if (!halt) ++head_;
  if (result.fault != Fault::None) fail(result, halt);
  traceJobs();
  if (halt) return;
  if (pending() == 0) file_.setBits(row("INTERRUPT"), interrupt::kDone);
  interrupt_.notify(sc_core::SC_ZERO_TIME);
}

void ImplicitUnit::fail(const JobResult& result, bool halt) {
  halted_ = halt;
  file_.setBits(row("INTERRUPT"), interrupt::kFault);
  interrupt_.notify(sc_core::SC_ZERO_TIME);
  if ((file_.peek(row("FAULT")) & fault::kCode) == 0) {
    file_.poke(row("FAULT"), static_cast<std::uint32_t>(result.fault));
    file_.poke(row("FAULT_OBJECT"), result.object);
    file_.poke(row("FAULT_POSITION"), result.position);
    file_.poke(row("FAULT_JOB"), halt ? head_ : head_ - 1);
    file_.poke(row("FAULT_ADDRESS_LOW"), static_cast<std::uint32_t>(result.address));
    file_.poke(row("FAULT_ADDRESS_HIGH"), static_cast<std::uint32_t>(result.address >> 32U));
  }
  if (!config_.report_faults) return;
  std::string text =
      std::string(name()) + ": job " + std::to_string(halt ? head_ : head_ - 1) + ": ";
  if (result.object != kNone) text += "object " + std::to_string(result.object) + ": ";
  if (result.position != kNone) text += "position " + std::to_string(result.position) + ": ";
  text += std::string(nameOf(result.fault)) + ": " + result.text;
  SC_REPORT_ERROR(report_ids::kImplicitFault, text.c_str());
}

void ImplicitUnit::waitUntil(Clock clock) {
  const sc_core::sc_time until = clock_.of(clock);
  if (until > sc_core::sc_time_stamp()) wait(until - sc_core::sc_time_stamp(), reset_event_);
  if (resetting_) throw common::BusMaster::Withdrawn{};
}

// ---- memory side

void ImplicitUnit::reached(Clock clock) {
  if (bus_.contended()) return;
  if (clock_.of(clock) > sc_core::sc_time_stamp() + config_.quantum) waitUntil(clock);
}

bool ImplicitUnit::read(std::uint64_t address, std::span<std::uint8_t> bytes, Clock at,
                        Clock& latency) {
  const bool moved = bus_.fetch(address, bytes, at, latency);
  if (tap_ != nullptr && moved) tap_->moved(false, address, bytes, latency);
  return moved;
}

bool ImplicitUnit::write(std::uint64_t address, std::span<const std::uint8_t> bytes, Clock at,
                         Clock& latency) {
  const bool moved = bus_.store(address, bytes, at, latency);
  if (tap_ != nullptr && moved) tap_->moved(true, address, bytes, latency);
  return moved;
}

bool ImplicitUnit::look(std::uint64_t address, std::span<std::uint8_t> bytes) {
  const bool seen = bus_.look(address, bytes);
  if (tap_ != nullptr && seen) tap_->moved(false, address, bytes, std::nullopt);
  return seen;
}

std::string ImplicitUnit::describe() const {
  return std::string(name()) + ": " +
         (halted_ ? "halted"
          : busy_ ? "busy"
                  : "idle") +
         ", jobs ended " + std::to_string(head_) + " of " +
         std::to_string(file_.peek(row("RING_TAIL"))) + ", fault " +
         std::string(nameOf(static_cast<Fault>(file_.peek(row("FAULT")) & fault::kCode)));
}

}  // namespace rtvp::implicit::unit
