// The hart on a bus (xphmg.md 16.2): one process that executes instructions, an initiator socket
// for everything but RAM and LDS, the ORed interrupt lines of the RT units as machine external
// interrupt, and RT unit 0 beside it for the vendor instructions and CSRs.
//
// Time. The hart runs ahead of simulated time, but never past the next event of the rest of the
// simulation (sc_time_to_pending_activity), and it synchronises before every access to a device or
// to the unit. So interrupts and memory changes reach it at their cycle, and there is no quantum to
// choose. A unit's writes to memory are another matter: RtUnit::quantum.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <functional>
#include <systemc>
#include <tlm>

#include "models/common/statistics.hpp"
#include "models/xphmg/hart/machine.hpp"
#include "models/xphmg/hart_control.hpp"
#include "models/xphmg/hart_extension.hpp"
#include "models/xphmg/unit.hpp"

namespace rtvp::xphmg {

struct HartModuleConfig {
  rv64::MachineOptions machine;
  ExtensionOptions extension;
  UnitTiming timing;  ///< of inline operations
  LdsAperture lds;
  sc_core::sc_time period = sc_core::sc_time(1, sc_core::SC_NS);
  std::uint64_t max_instructions = ~std::uint64_t{0};
  bool dmi = true;               ///< speed setting: of inline operations
  bool stop_simulation = false;  ///< sc_stop() when the program ends
};

class HartModule : public sc_core::sc_module, private rv64::DeviceWindow, private HartUnit {
 public:
  tlm_utils::simple_initiator_socket<HartModule, 32> bus_isock;
  sc_core::sc_port<sc_core::sc_signal_in_if<bool>, 0, sc_core::SC_ZERO_OR_MORE_BOUND> irq_i;

  /// `memory` holds the bytes that also answer on the bus at kRamBase and kLdsBase.
  HartModule(sc_core::sc_module_name name, const HartModuleConfig& config,
             rv64::MachineMemory memory, rv64::Console& console, RtUnit& unit);

  /// Before the simulation starts: accesses of devices and of inline operations wait for those of
  /// other masters. Loads, stores and fetches of RAM do not.
  void setContention(common::Contention& contention, unsigned master);
  /// Before the simulation starts. Throws rv64::ElfError.
  void load(const rv64::ElfImage& image) { machine_.load(image); }
  /// Instructions after which the program is stopped (Outcome::Kind::Limit), counted from reset.
  void setInstructionLimit(std::uint64_t total) { config_.max_instructions = total; }
  void setObserver(rv64::Observer* observer) { machine_.hart().setObserver(observer); }
  /// Before the simulation starts: a debugger, asked in front of each stretch of the run, and when
  /// the hart stops.
  void setControl(HartControl& control) { control_ = &control; }
  [[nodiscard]] bool controlled() const { return control_ != nullptr; }
  [[nodiscard]] const sc_core::sc_time& period() const { return config_.period; }
  [[nodiscard]] rv64::Hart& hart() { return machine_.hart(); }
  [[nodiscard]] const rv64::Hart& hart() const { return machine_.hart(); }
  [[nodiscard]] const HartExtension& extension() const { return extension_; }

  /// How the program ended; Kind::Waiting or Blocked: nothing in the simulation could wake it.
  [[nodiscard]] const rv64::Outcome& outcome() const { return outcome_; }
  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] const sc_core::sc_event& finishedEvent() const { return finished_event_; }
  void report(common::StatGroup& group) const;
  /// Not in the middle of an instruction, nor blocked or waiting for a timer.
  [[nodiscard]] bool quiescent() const;
  /// For checkpoints, while quiescent() holds. RAM and LDS are not part of it.
  void state(common::StateArchive& a);

 private:
  void work();
  bool step();
  [[nodiscard]] rv64::Outcome stretch();
  bool sleep(bool blocked);
  void sync();
  void interrupt();
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) { inline_port_.invalidate(first, last); }
  void finish(const rv64::Outcome& outcome);
  [[nodiscard]] std::uint64_t cyclesUntilOthersAct() const;
  bool access(bool write, std::uint64_t address, std::uint8_t* data, std::size_t size,
              std::uint64_t& delay);

  // rv64::DeviceWindow
  bool read(std::uint64_t address, std::span<std::uint8_t> data, std::uint64_t& delay) override;
  bool write(std::uint64_t address, std::span<const std::uint8_t> data,
             std::uint64_t& delay) override;
  // HartUnit
  std::uint64_t readCsr(unsigned number) override;
  void writeCsr(unsigned number, std::uint64_t value) override;
  CsrFile& csrs() override;
  std::uint64_t submit(std::uint64_t descriptor, std::uint64_t& stall) override;
  [[nodiscard]] std::uint64_t lastTicket() const override;
  [[nodiscard]] std::uint64_t doneTicket() const override;
  void signalToken(unsigned token) override;
  bool consumeToken(unsigned token) override;
  MemoryPort& beginInline() override;
  std::uint64_t endInline() override;

  HartModuleConfig config_;
  common::ClockDomain clock_;
  RtUnit& unit_;
  rv64::Machine machine_;
  HartExtension extension_;
  UnitPort inline_port_;
  common::BusMaster devices_;
  common::Contention* contention_ = nullptr;
  HartControl* control_ = nullptr;
  sc_core::sc_event wake_event_;
  sc_core::sc_event finished_event_;
  rv64::Outcome outcome_;
  bool finished_ = false;
  /// Where its process waits, if it is not in the middle of an instruction.
  enum class Rest : std::uint8_t {
    None,
    Asleep,   ///< in WFI, without a timer
    Between,  ///< two instructions: for simulated time to catch up
  };
  Rest rest_ = Rest::None;
  sc_core::sc_time asleepSince_;      ///< WFI or blocked
  std::uint64_t idle_cycles_ = 0;     ///< WFI
  std::uint64_t blocked_cycles_ = 0;  ///< XFENCE, full queue
  std::uint64_t device_cycles_ = 0, inline_cycles_ = 0;
  std::uint64_t device_accesses_ = 0, device_errors_ = 0, interrupts_ = 0;
};

}  // namespace rtvp::xphmg
