// The host computer as its devices see it: one process that reads, writes and waits for interrupts.
// Whatever software runs on the host (ray tree, drivers) runs in this process and reaches a device
// only through HostBus.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <systemc>
#include <tlm>

#include "models/common/statistics.hpp"
#include "models/common/trace.hpp"

namespace rtvp::host {

/// What a device driver can do. All calls take simulated time and may only be made from the host's
/// own process.
class HostBus {
 public:
  virtual ~HostBus() = default;
  /// Physical byte addresses, multiples of 4. Accesses that fail report kPciAbort and do not
  /// return.
  [[nodiscard]] virtual std::uint32_t read32(std::uint64_t address) = 0;
  virtual void write32(std::uint64_t address, std::uint32_t value) = 0;
  virtual void readBlock(std::uint64_t address, std::span<std::uint32_t> words) = 0;
  virtual void writeBlock(std::uint64_t address, std::span<const std::uint32_t> words) = 0;

  /// Level of an interrupt line.
  [[nodiscard]] virtual bool interrupt(std::size_t line) const = 0;
  /// Sleeps until some interrupt line is asserted (at once if one is) or `deadline` is reached;
  /// true if one is. `why` is what a deadlock report says.
  virtual bool waitInterrupt(const sc_core::sc_time& deadline, const std::string& why) = 0;
  /// Sleeps.
  virtual void waitFor(const sc_core::sc_time& duration, const std::string& why) = 0;
  [[nodiscard]] virtual sc_core::sc_time now() const = 0;
};

struct HostProcessConfig {
  std::size_t interruptLines = 1;
  std::function<void(HostBus&)>
      program;  ///< what the host runs; the simulation stops when it returns
};

class HostProcess : public sc_core::sc_module, private HostBus {
 public:
  HostProcess(const sc_core::sc_module_name& name, HostProcessConfig config);

  tlm_utils::simple_initiator_socket<HostProcess> bus_isock;
  sc_core::sc_vector<sc_core::sc_in<bool>> inta_i;  ///< one line a device, asserted = true

  /// The program returned or threw.
  [[nodiscard]] bool finished() const { return finished_; }
  /// What the program threw, if anything.
  [[nodiscard]] const std::exception_ptr& error() const { return error_; }
  /// What the process waits for and since when; for deadlock reports.
  [[nodiscard]] std::string waitingFor() const;

  void report(common::StatGroup& stats) const;
  using sc_core::sc_module::trace;
  void trace(const common::TraceScope& scope);

 private:
  std::uint32_t read32(std::uint64_t address) override;
  void write32(std::uint64_t address, std::uint32_t value) override;
  void readBlock(std::uint64_t address, std::span<std::uint32_t> words) override;
  void writeBlock(std::uint64_t address, std::span<const std::uint32_t> words) override;
  [[nodiscard]] bool interrupt(std::size_t line) const override;
  bool waitInterrupt(const sc_core::sc_time& deadline, const std::string& why) override;
  void waitFor(const sc_core::sc_time& duration, const std::string& why) override;
  [[nodiscard]] sc_core::sc_time now() const override { return sc_core::sc_time_stamp(); }

  void run();
  void transfer(tlm::tlm_command command, std::uint64_t address, std::uint32_t* words,
                std::size_t count);
  [[nodiscard]] bool anyInterrupt() const;
  enum class State : std::uint8_t { Run, Interrupt, Delay };
  void enter(State state) const;

  HostProcessConfig config_;
  tlm::tlm_generic_payload payload_;
  sc_core::sc_event_or_list interruptEvents_;
  bool finished_ = false;
  std::exception_ptr error_;
  std::string why_ = "start of simulation";
  sc_core::sc_time since_;
  std::uint64_t wordsRead_ = 0;
  std::uint64_t wordsWritten_ = 0;
  std::uint64_t interrupts_ = 0;
  sc_core::sc_time waited_;
  common::TraceSignal state_;
};

}  // namespace rtvp::host
