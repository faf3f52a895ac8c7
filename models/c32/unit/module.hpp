// One C32 in somebody's SystemC platform: external bus, interrupt, XF and timer pins, serial port,
// reset. Instructions, timers, DMA and timing are the core's (models/c32/cpu.hpp); this shell gives
// it time and neighbours.
//
// Time. The processor runs ahead of simulated time by up to a quantum. Accesses of the bus carry
// their own time as the delay of b_transport. What comes in by pins and serial port is seen at the
// begin of the next quantum, with the time at which it came; XF and TCLK, in and out, are exact:
// the processor waits for simulated time there. A processor in IDLE wakes at once. While an
// interrupt pin is asserted the quantum is one instruction: a device takes its request back when it
// is served, and the processor must not take the interrupt again meanwhile.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/c32/asm/image.hpp"
#include "models/c32/cpu.hpp"
#include "models/common/bus_master.hpp"
#include "models/common/hertz_clock.hpp"
#include "models/common/statistics.hpp"

namespace rtvp::c32 {

/// What a serial port sends to another one. Both have one H1 clock.
class SerialLink : public virtual sc_core::sc_interface {
 public:
  /// `frame.arrival` is in cycles since time zero, and may lie ahead.
  virtual void receive(const SerialFrame& frame) = 0;
};

struct ModuleConfig {
  CpuConfig cpu;             ///< h1Hz is the clock; not flatMemory
  Cycle quantum = 1000;      ///< H1 cycles, at least 1: how far ahead of simulated time
  bool dmi = true;           ///< speed setting: use memory by pointer where it is granted
  bool reportFaults = true;  ///< a fault is also an SC_REPORT_ERROR (report_ids::kC32Fault)
};

/// The external bus as bytes: word address times 4, little endian; of memory that is 8 or 16 bits
/// wide (bus control registers), location number times 1 or 2. What the target adds to the delay
/// are wait states that it asks for by RDY, rounded up to whole cycles: the bus control registers
/// decide what comes of them. Time that passes in b_transport holds the access back instead, as an
/// arbiter does. A response other than OK is a bus error, which stops the processor.
///
/// Levels: int_i true = the pin is low, asserted. xf_i, xf_o, tclk_i, tclk_o are levels; a pin that
/// the processor does not drive is high at the output. Each port may stay unbound. HOLD has no pin:
/// who shares the bus arbitrates behind bus_isock.
class Module : public sc_core::sc_module, private CpuPort, private SerialLink {
 public:
  using In = sc_core::sc_port<sc_core::sc_signal_in_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
  using Out =
      sc_core::sc_port<sc_core::sc_signal_inout_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

  tlm_utils::simple_initiator_socket<Module, 32> bus_isock;
  In reset_i;                    ///< true: in reset; unbound: released at time zero
  sc_core::sc_vector<In> int_i;  ///< INT0-INT3
  sc_core::sc_vector<In> xf_i;   ///< XF0, XF1 as inputs
  sc_core::sc_vector<Out> xf_o;
  sc_core::sc_vector<In> tclk_i;  ///< TCLK0, TCLK1 as inputs
  sc_core::sc_vector<Out> tclk_o;
  sc_core::sc_port<SerialLink, 1, sc_core::SC_ZERO_OR_MORE_BOUND> serial_o;
  sc_core::sc_export<SerialLink> serial_i;

  /// Throws std::invalid_argument for a clock or quantum of 0, and for flat memory.
  Module(sc_core::sc_module_name name, const ModuleConfig& config);
  ~Module() override;

  /// Before the simulation starts: `image` is put into internal RAM and, by debug transport, into
  /// what is bound to bus_isock; after each reset the processor begins at its entry. Without one it
  /// fetches its reset vector from address 0.
  void load(Image image);

  [[nodiscard]] Cpu& cpu() { return cpu_; }
  [[nodiscard]] const Cpu& cpu() const { return cpu_; }
  [[nodiscard]] const common::HertzClock& clock() const { return clock_; }
  /// Of the external bus.
  [[nodiscard]] const common::BusMaster& master() const { return master_; }
  void report(common::StatGroup& group) const;

 private:
  void start_of_simulation() override;
  void execute();
  void watch();
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last);
  void restart();
  void takeInputs();
  void waitUntil(Cycle cycle, const sc_core::sc_event& orThis);
  void synchronise(Cycle cycle);
  void pinsChanged();
  void resetChanged();
  void fail(const std::string& text);
  void store(std::uint32_t address, std::uint32_t word);
  [[nodiscard]] Cycle now() const { return clock_.cycleAt(sc_core::sc_time_stamp()); }
  bool move(const BusRequest& request, std::uint64_t at, std::uint32_t& word,
            std::uint64_t& latency);

  BusReply busAccess(const BusRequest& request) override;
  void pinsDriven(Drive xf0, Drive xf1, Cycle cycle) override;
  PinReply pinsSampled(Cycle cycle) override;
  void serialTransmitted(std::uint32_t, int, Cycle) override {}
  void serialFrameSent(const SerialFrame& frame) override;
  void pinDriven(Pin pin, Drive drive, Cycle cycle) override;
  void receive(const SerialFrame& frame) override;

  ModuleConfig config_;
  common::HertzClock clock_;
  common::BusMaster master_;  ///< its cycles are picoseconds: H1 has no period in them
  Cpu cpu_;
  Image image_;
  bool loaded_ = false, inReset_ = false, stopped_ = false;
  Drive drives_[2] = {Drive::Released, Drive::Released};  ///< of XF0, XF1
  bool lines_[4] = {}, levels_[2] = {true, true};         ///< INT, TCLK as last seen
  std::vector<std::function<void()>> inputs_;  ///< what came since the processor ran last
  sc_core::sc_event wake_, reset_;
};

}  // namespace rtvp::c32
