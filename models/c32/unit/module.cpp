// See module.hpp.
#include "models/c32/unit/module.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "models/common/report_ids.hpp"

namespace rtvp::c32 {
namespace {

using sc_core::sc_time;

ModuleConfig checked(const ModuleConfig& config) {
  if (config.cpu.h1Hz == 0) throw std::invalid_argument("c32: the clock must not be 0 Hz");
  if (config.quantum == 0) throw std::invalid_argument("c32: the quantum must not be 0 cycles");
  if (config.cpu.flatMemory) throw std::invalid_argument("c32: flat memory has no bus");
  return config;
}

constexpr unsigned kBytesOfWord = 4;

}  // namespace

Module::Module(sc_core::sc_module_name name, const ModuleConfig& config)
    : sc_module(name),
      bus_isock("bus_isock"),
      reset_i("reset_i"),
      int_i("int_i", 4),
      xf_i("xf_i", 2),
      xf_o("xf_o", 2),
      tclk_i("tclk_i", 2),
      tclk_o("tclk_o", 2),
      serial_o("serial_o"),
      serial_i("serial_i"),
      config_(checked(config)),
      clock_(config.cpu.h1Hz),
      master_(common::ClockDomain(sc_time::from_value(1)), config.dmi,
              common::BusMaster::through(bus_isock)),
      cpu_(config.cpu, *this) {
  serial_i.bind(*this);
  bus_isock.register_invalidate_direct_mem_ptr(this, &Module::invalidate);
  SC_HAS_PROCESS(Module);
  SC_THREAD(execute);
}

Module::~Module() = default;

void Module::invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
  master_.invalidate(first, last);
}

void Module::load(Image image) {
  image_ = std::move(image);
  loaded_ = true;
}

// ---- the program

void Module::store(std::uint32_t address, std::uint32_t word) {
  if (cpu_.placeAt(address).region != Region::External) {
    if (cpu_.poke(address, word)) return;
  } else {
    std::array<std::uint8_t, kBytesOfWord> bytes{};
    std::memcpy(bytes.data(), &word, bytes.size());
    if (master_.deposit(std::uint64_t{address} * kBytesOfWord, bytes)) return;
  }
  char where[16];
  std::snprintf(where, sizeof where, "%06Xh", address);
  fail("the program has a word at " + std::string(where) + ", where nothing takes it");
}

void Module::start_of_simulation() {
  for (const Section& section : image_.sections) {
    for (std::uint32_t i = 0; i < section.words.size() && !stopped_; ++i) {
      store(section.loadAddress + i, section.words[i]);
    }
  }
}

void Module::restart() {
  stopped_ = false;
  cpu_.reset(now());
  if (loaded_) cpu_.setPc(image_.entry);
  // Levels that are there already; only changes come by events.
  for (unsigned n = 0; n < int_i.size(); ++n) {
    lines_[n] = int_i[n].size() != 0 && int_i[n]->read();
    if (lines_[n]) cpu_.setInterruptLine(n, true, now());
  }
}

void Module::fail(const std::string& text) {
  stopped_ = true;
  if (config_.reportFaults) {
    SC_REPORT_ERROR(report_ids::kC32Fault, (std::string(name()) + ": " + text).c_str());
  }
}

// ---- time

void Module::waitUntil(Cycle cycle, const sc_core::sc_event& orThis) {
  const sc_time until = clock_.timeOf(cycle);
  if (until > sc_core::sc_time_stamp()) wait(until - sc_core::sc_time_stamp(), orThis);
}

/// Simulated time catches up with the processor.
void Module::synchronise(Cycle cycle) {
  const sc_time until = clock_.timeOf(cycle);
  if (until > sc_core::sc_time_stamp()) wait(until - sc_core::sc_time_stamp());
}

void Module::takeInputs() {
  // One of them may make the port call out, and others then add to the list.
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const std::function<void()> input = std::move(inputs_[i]);
    input();
  }
  inputs_.clear();
}

void Module::execute() {
  watch();
  inReset_ = reset_i.size() != 0 && reset_i->read();
  if (!inReset_) restart();
  for (;;) {
    if (inReset_ || stopped_) {
      wait(reset_);
      inputs_.clear();  // what came meanwhile is lost
      if (!inReset_) restart();
      continue;
    }
    takeInputs();
    const Cycle from = cpu_.idle() ? now() : std::max(now(), cpu_.cycle());
    const bool asserted = std::ranges::any_of(lines_, [](bool line) { return line; });
    switch (cpu_.run(from + (asserted ? 1 : config_.quantum))) {
      case StopReason::Fault:
        fail(cpu_.fault().text);
        break;
      case StopReason::Horizon:
        if (!cpu_.idle()) {
          waitUntil(cpu_.cycle(), reset_);
        } else if (inputs_.empty()) {
          waitUntil(std::max(cpu_.nextEvent(), now() + 1), wake_);
        }
        break;
      case StopReason::Idle:
      case StopReason::Blocked:  // an interlock that only a pin can let go on
      case StopReason::Steps:
      case StopReason::Place:  // nobody sets places here
        if (inputs_.empty()) wait(wake_);
        break;
    }
  }
}

// ---- pins

void Module::watch() {
  sc_core::sc_spawn_options pins;
  sc_core::sc_spawn_options reset;
  for (sc_core::sc_spawn_options* const options : {&pins, &reset}) {
    options->spawn_method();
    options->dont_initialize();
  }
  bool any = false;
  for (sc_core::sc_vector<In>* const ports : {&int_i, &tclk_i}) {
    for (In& port : *ports) {
      if (port.size() == 0) continue;
      pins.set_sensitivity(&port->value_changed_event());
      any = true;
    }
  }
  if (any) sc_core::sc_spawn([this] { pinsChanged(); }, "pins", &pins);
  if (reset_i.size() == 0) return;
  reset.set_sensitivity(&reset_i->value_changed_event());
  sc_core::sc_spawn([this] { resetChanged(); }, "reset", &reset);
}

void Module::resetChanged() {
  inReset_ = reset_i->read();
  reset_.notify();
  wake_.notify();
}

void Module::pinsChanged() {
  const Cycle when = now();
  for (unsigned n = 0; n < int_i.size(); ++n) {
    if (int_i[n].size() == 0 || int_i[n]->read() == lines_[n]) continue;
    lines_[n] = !lines_[n];
    inputs_.emplace_back(
        [this, n, level = lines_[n], when] { cpu_.setInterruptLine(n, level, when); });
  }
  for (unsigned n = 0; n < tclk_i.size(); ++n) {
    if (tclk_i[n].size() == 0 || tclk_i[n]->read() == levels_[n]) continue;
    levels_[n] = !levels_[n];
    inputs_.emplace_back(
        [this, n, level = levels_[n]] { cpu_.setPin(n == 0 ? Pin::Tclk0 : Pin::Tclk1, level); });
  }
  wake_.notify();
}

PinReply Module::pinsSampled(Cycle cycle) {
  synchronise(cycle);
  const auto level = [this](unsigned n) {
    if (drives_[n] != Drive::Released) return drives_[n] == Drive::High;
    return xf_i[n].size() == 0 || xf_i[n]->read();
  };
  return {.ready = true, .xf0 = level(0), .xf1 = level(1), .validUntil = 0};
}

void Module::pinsDriven(Drive xf0, Drive xf1, Cycle cycle) {
  synchronise(cycle + 1);
  drives_[0] = xf0;
  drives_[1] = xf1;
  for (unsigned n = 0; n < xf_o.size(); ++n) {
    if (xf_o[n].size() != 0) xf_o[n]->write(drives_[n] != Drive::Low);
  }
}

void Module::pinDriven(Pin pin, Drive drive, Cycle cycle) {
  if (pin != Pin::Tclk0 && pin != Pin::Tclk1) return;
  Out& port = tclk_o[pin == Pin::Tclk0 ? 0 : 1];
  if (port.size() == 0) return;
  synchronise(cycle + 1);
  port->write(drive != Drive::Low);
}

// ---- serial port

void Module::serialFrameSent(const SerialFrame& frame) {
  if (serial_o.size() != 0) serial_o->receive(frame);
}

void Module::receive(const SerialFrame& frame) {
  inputs_.emplace_back([this, frame] { cpu_.deliverSerial(frame); });
  wake_.notify(sc_core::SC_ZERO_TIME);
}

// ---- external bus

/// One bus cycle; `at` and `latency` in picoseconds.
bool Module::move(const BusRequest& request, std::uint64_t at, std::uint32_t& word,
                  std::uint64_t& latency) {
  const bool write = request.op == BusOp::Write;
  const unsigned size = request.width / 8U;
  const std::uint64_t address = std::uint64_t{request.address} * size;
  std::array<std::uint8_t, kBytesOfWord> bytes{};
  if (write) std::memcpy(bytes.data(), &request.data, bytes.size());
  const std::span<std::uint8_t> moved(bytes.data(), size);
  const unsigned all = (1U << size) - 1;
  if (!write || (request.byteEnable & all) == all) {
    const bool ok = write ? master_.store(address, moved, at, latency)
                          : master_.fetch(address, moved, at, latency);
    std::memcpy(&word, bytes.data(), bytes.size());
    return ok;
  }
  std::array<std::uint8_t, kBytesOfWord> enables{};
  for (unsigned i = 0; i < size; ++i) {
    enables[i] = (request.byteEnable >> i & 1U) != 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
  }
  const std::uint64_t before = sc_core::sc_time_stamp().value();
  sc_time delay = sc_time::from_value(at - before);
  const auto status =
      master_.send(true, address, bytes.data(), size, delay, {enables.data(), size});
  latency = sc_core::sc_time_stamp().value() + delay.value() - at;
  return status == tlm::TLM_OK_RESPONSE;
}

BusReply Module::busAccess(const BusRequest& request) {
  const std::uint64_t at = std::max<std::uint64_t>(clock_.timeOf(request.cycle).value(),
                                                   sc_core::sc_time_stamp().value());
  BusReply reply;
  std::uint64_t latency = 0;
  if (!move(request, at, reply.data, latency)) {
    reply.status = BusReply::Status::Error;
    return reply;
  }
  // What simulated time has passed held the access back; the rest are wait states.
  const std::uint64_t begin = std::max<std::uint64_t>(at, sc_core::sc_time_stamp().value());
  const std::uint64_t end = std::max(begin, at + latency);
  reply.start = std::max(request.cycle, clock_.cycleAt(sc_time::from_value(begin)));
  const Cycle done = clock_.cycleAt(sc_time::from_value(end));
  if (end > begin && done > reply.start) {
    reply.externalWait = static_cast<std::uint32_t>(done - reply.start);
  }
  return reply;
}

void Module::report(common::StatGroup& group) const {
  const CpuStatistics& s = cpu_.statistics();
  group.count("instructions", "instructions", "instructions executed", s.instructions);
  group.count("cycles_busy", "cycles", "executing instructions", s.executing);
  group.count("cycles_bus_wait", "cycles", "waiting for the external bus", s.busWait);
  group.count("cycles_held", "cycles", "accesses that somebody held back", s.held);
  group.count("cycles_conflict", "cycles", "lost to conflicts inside the processor: pipeline, DMA",
              s.registerConflict + s.ramConflict + s.executeOnly + s.dmaConflict);
  group.count("cycles_interrupt", "cycles", "entering interrupt routines", s.interruptEntry);
  group.count("cycles_idle", "cycles", "in IDLE", s.idle);
  group.count("cycles_other", "cycles", "reset release, interlocks, low-power mode",
              s.interlockWait + s.lowPower + s.reset);
  group.count("interrupts", "1", "interrupts taken", s.interruptsTaken);
  group.count("bus_transactions", "1", "accesses of the external bus by transaction",
              master_.transportAccesses());
  group.count("bus_direct", "1", "accesses of the external bus by pointer", master_.dmiAccesses());
}

}  // namespace rtvp::c32
