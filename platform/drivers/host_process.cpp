#include "platform/drivers/host_process.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "models/common/report_ids.hpp"

namespace rtvp::host {
namespace {

// A block moves in pieces, so that others get the bus in between and time advances while a page
// loads.
constexpr std::size_t kPieceWords = 256;

std::string hex(std::uint64_t value) {
  std::ostringstream text;
  text << std::hex << value << 'h';
  return text.str();
}

}  // namespace

HostProcess::HostProcess(const sc_core::sc_module_name& name, HostProcessConfig config)
    : sc_module(name),
      bus_isock("bus_isock"),
      inta_i("inta_i", config.interruptLines),
      config_(std::move(config)) {
  SC_HAS_PROCESS(HostProcess);
  SC_THREAD(run);
  set_stack_size(std::size_t{4} << 20U);  // the ray tree runs on this stack
}

void HostProcess::run() {
  try {
    config_.program(*this);
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // the kernel ends this process
  } catch (...) {
    error_ = std::current_exception();
  }
  finished_ = true;
  sc_core::sc_stop();
}

std::string HostProcess::waitingFor() const {
  return std::string(name()) + " waits for " + why_ + " since " + since_.to_string();
}

void HostProcess::transfer(tlm::tlm_command command, std::uint64_t address, std::uint32_t* words,
                           std::size_t count) {
  while (count > 0) {
    const std::size_t piece = std::min(count, kPieceWords);
    const auto bytes = static_cast<unsigned>(piece * sizeof(std::uint32_t));
    payload_.set_command(command);
    payload_.set_address(address);
    payload_.set_data_ptr(reinterpret_cast<unsigned char*>(words));
    payload_.set_data_length(bytes);
    payload_.set_streaming_width(bytes);
    payload_.set_byte_enable_ptr(nullptr);
    payload_.set_dmi_allowed(false);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    bus_isock->b_transport(payload_, delay);
    if (!payload_.is_response_ok()) {
      const std::string text = std::string(name()) + " at " + sc_core::sc_time_stamp().to_string() +
                               ": " + (command == tlm::TLM_READ_COMMAND ? "read" : "write") +
                               " of " + std::to_string(bytes) + " bytes at " + hex(address) +
                               " answered " + payload_.get_response_string();
      SC_REPORT_ERROR(report_ids::kPciAbort, text.c_str());
    }
    (command == tlm::TLM_READ_COMMAND ? wordsRead_ : wordsWritten_) += piece;
    if (delay != sc_core::SC_ZERO_TIME) wait(delay);
    address += bytes;
    words += piece;
    count -= piece;
  }
}

std::uint32_t HostProcess::read32(std::uint64_t address) {
  std::uint32_t value = 0;
  transfer(tlm::TLM_READ_COMMAND, address, &value, 1);
  return value;
}

void HostProcess::write32(std::uint64_t address, std::uint32_t value) {
  transfer(tlm::TLM_WRITE_COMMAND, address, &value, 1);
}

void HostProcess::readBlock(std::uint64_t address, std::span<std::uint32_t> words) {
  transfer(tlm::TLM_READ_COMMAND, address, words.data(), words.size());
}

void HostProcess::writeBlock(std::uint64_t address, std::span<const std::uint32_t> words) {
  // A write does not touch its data; TLM's pointer has no const.
  transfer(tlm::TLM_WRITE_COMMAND, address, const_cast<std::uint32_t*>(words.data()), words.size());
}

bool HostProcess::interrupt(std::size_t line) const {
  return inta_i[line].read();
}

bool HostProcess::anyInterrupt() const {
  for (std::size_t line = 0; line < inta_i.size(); ++line) {
    if (inta_i[line].read()) return true;
  }
  return false;
}

bool HostProcess::waitInterrupt(const sc_core::sc_time& deadline, const std::string& why) {
  why_ = why;
  since_ = sc_core::sc_time_stamp();
  // An event list has no empty().
  if (interruptEvents_.size() == 0) {  // NOLINT(readability-container-size-empty)
    for (std::size_t line = 0; line < inta_i.size(); ++line) {
      interruptEvents_ |= inta_i[line].posedge_event();
    }
  }
  bool found = anyInterrupt();
  if (!found) enter(State::Interrupt);
  while (!found && sc_core::sc_time_stamp() < deadline) {
    wait(deadline - sc_core::sc_time_stamp(), interruptEvents_);
    found = anyInterrupt();
  }
  enter(State::Run);
  waited_ += sc_core::sc_time_stamp() - since_;
  if (found) ++interrupts_;
  why_ = "nothing (it runs)";
  return found;
}

void HostProcess::waitFor(const sc_core::sc_time& duration, const std::string& why) {
  why_ = why;
  since_ = sc_core::sc_time_stamp();
  enter(State::Delay);
  wait(duration);
  enter(State::Run);
  waited_ += duration;
  why_ = "nothing (it runs)";
}

void HostProcess::trace(const common::TraceScope& scope) {
  state_ = scope.state("state", {"run", "interrupt", "delay"},
                       "the driver's process: at work, waiting for an interrupt or for time");
}

void HostProcess::enter(State state) const {
  state_.set(sc_core::sc_time_stamp().value(), static_cast<std::uint64_t>(state));
}

void HostProcess::report(common::StatGroup& stats) const {
  stats.count("words_read", "words", "words read from memory and devices", wordsRead_);
  stats.count("words_written", "words", "words written to memory and devices", wordsWritten_);
  stats.count("interrupts", "interrupts", "interrupts taken", interrupts_);
  stats.count("waited_ps", "ps", "simulated time asleep, waiting for interrupts and delays",
              waited_.value());
}

}  // namespace rtvp::host
