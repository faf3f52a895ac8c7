// The AMCC S5933 PCI controller of the TigerSHARK board as a SystemC module: sockets, interrupt
// pins, the bus-master process and the pass-thru path. State and rules are in S5933Core (board.md
// section 4).
//
// How things attach.
// PCI:     `bus.plug(s5933, s5933.pci_tsock)` makes it a device,
// `s5933.pci_isock.bind(bus.master_tsock)` a master. Add-on:  the PLD is the target of
// `passthru_isock`. An access to base address r (1..4) arrives with address
//          (r << 28) | offset, one 32-bit word a call (fewer bytes are given by byte enables);
//          `delay` on entry is the word's time, what the PLD adds becomes wait states. Rays and
//          results go through the AddOnFifo interface (the direct FIFO pins), which this module
//          implements; `addon_tsock` is the add-on register view, 00h..5Fh. `irq_o` (IRQ#),
//          `addon_reset_o` (SYSRST#, MCSR bit 24) are the chip's pins towards the PLD.
// Host:    `inta_o` (INTA#). All pins carry true for "asserted", whatever the electrical level.
//
// Time. Registers answer in the first data phase plus `register_wait`. Bus mastering is one
// SC_THREAD that sleeps while there is nothing to move. Its bursts are handed to the bus in pieces:
// what the latency timer guarantees, then dword by dword, so that another master's request, the
// FIFO or a register write ends a burst at the right word.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/bus_master.hpp"
#include "models/common/pci_bus.hpp"
#include "models/common/statistics.hpp"
#include "models/common/tlm_dwords.hpp"
#include "models/common/trace.hpp"
#include "models/tigershark/s5933_blocks.hpp"
#include "models/tigershark/s5933_core.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::tigershark {

/// The chip's add-on side as the PLD uses it every word: direct FIFO pins and mailboxes. Calls take
/// no time and may be made from any process; words are visible at once.
class AddOnFifo {
 public:
  virtual ~AddOnFifo() = default;
  /// RDEMPTY: nothing to read from the PCI-to-add-on FIFO.
  [[nodiscard]] virtual bool p2aEmpty() const = 0;
  /// RDFIFO#: takes the next word. From an empty FIFO the last word again, as the chip does.
  virtual std::uint32_t p2aPop() = 0;
  /// Words will enter that FIFO by a transfer that the host has begun.
  [[nodiscard]] virtual bool p2aComing() const = 0;
  /// WRFULL: no place in the add-on-to-PCI FIFO.
  [[nodiscard]] virtual bool a2pFull() const = 0;
  /// WRFIFO#: false means the FIFO was full and the word is lost.
  virtual bool a2pPush(std::uint32_t word) = 0;
  /// Notified whenever words enter the PCI-to-add-on FIFO.
  [[nodiscard]] virtual const sc_core::sc_event& p2aFilled() const = 0;
  /// Notified whenever places become free in the add-on-to-PCI FIFO.
  [[nodiscard]] virtual const sc_core::sc_event& a2pDrained() const = 0;
  /// Writes all four bytes of add-on outgoing mailbox `mailbox` (1..4): the host's incoming
  /// mailbox. Returns false if one of them was still unread and has been overwritten.
  virtual bool postMailbox(unsigned mailbox, std::uint32_t value) = 0;
  /// Has the host left a byte of add-on outgoing mailbox `mailbox` (1..4) unread?
  [[nodiscard]] virtual bool mailboxFull(unsigned mailbox) const = 0;
};

struct S5933Config {
  s5933::CoreConfig core;
  sc_core::sc_time pci_period = sc_core::sc_time(30, sc_core::SC_NS);  ///< as the bus's
  std::uint32_t addon_register_clocks = 1;  ///< add-on bus cycle of an access through addon_tsock
  std::uint32_t register_wait =
      1;  ///< wait states of an operation-register or configuration access
  std::uint32_t passthru_first_wait = 1;  ///< PTATN# to the add-on's first transfer, wait states
  std::uint32_t passthru_word_clocks =
      1;  ///< add-on bus cycle of one transfer: 1 = 30 ns, 2 = 60 ns (board.md 4.5)
  std::uint32_t first_phase_limit = 16;  ///< clocks until a first data phase is answered with retry
  std::uint32_t next_phase_limit =
      8;                           ///< clocks until a later data phase is answered with disconnect
  std::uint32_t stop_backoff = 2;  ///< REQ# stays off this many clocks after a target's stop
};

class S5933 : public sc_core::sc_module, public common::PciDevice, public AddOnFifo {
 public:
  static constexpr int kRegionShift = 28;  ///< pass-thru address: region number above this bit

  tlm_utils::simple_target_socket<S5933, 32> pci_tsock;
  tlm_utils::simple_initiator_socket<S5933, 32> pci_isock;
  tlm_utils::simple_initiator_socket<S5933, 32> passthru_isock;
  tlm_utils::simple_target_socket<S5933, 32> addon_tsock;
  sc_core::sc_out<bool> inta_o;
  sc_core::sc_out<bool> irq_o;
  sc_core::sc_out<bool> addon_reset_o;

  /// Throws std::invalid_argument for a FIFO depth outside 4..4096 or a zero period.
  S5933(sc_core::sc_module_name name, const S5933Config& config);
  ~S5933() override;
  S5933(const S5933&) = delete;
  S5933& operator=(const S5933&) = delete;

  // PciDevice
  [[nodiscard]] bool claims(common::PciSpace space, std::uint64_t address) const override;

  // AddOnFifo
  [[nodiscard]] bool p2aEmpty() const override;
  [[nodiscard]] bool p2aComing() const override { return core_.comes(); }
  std::uint32_t p2aPop() override;
  [[nodiscard]] bool a2pFull() const override;
  bool a2pPush(std::uint32_t word) override;
  [[nodiscard]] const sc_core::sc_event& p2aFilled() const override { return p2a_filled_; }
  [[nodiscard]] const sc_core::sc_event& a2pDrained() const override { return a2p_drained_; }
  bool postMailbox(unsigned mailbox, std::uint32_t value) override;
  [[nodiscard]] bool mailboxFull(unsigned mailbox) const override;

  /// AMREN / AMWEN pins: gate mastering when the boot memory gives the add-on the address and count
  /// registers.
  void setMasterPins(bool read_enable, bool write_enable);
  /// EMBCLK edge with a byte on the external mailbox pins: add-on outgoing mailbox 4, byte 3.
  void clockExternalMailbox(std::uint8_t byte);
  /// PCI RST#.
  void reset();

  [[nodiscard]] const s5933::S5933Core& core() const { return core_; }
  void report(common::StatGroup& group) const;
  using sc_core::sc_module::trace;
  void trace(const common::TraceScope& scope);

  /// Nothing is under way: state() is all there is.
  [[nodiscard]] bool quiescent() const;
  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

 private:
  struct Pending {  // a pass-thru access that outlasted its data phase
    bool valid = false;
    bool write = false;
    std::uint64_t address = 0;
    std::uint32_t data = 0;
    sc_core::sc_time ready;
  };
  struct WordResult {
    bool done = false;
    bool failed = false;
    std::uint32_t waits = 0;
  };

  void pciTransport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned pciDebug(tlm::tlm_generic_payload& payload);
  void addonTransport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned addonDebug(tlm::tlm_generic_payload& payload);
  void configAccess(tlm::tlm_generic_payload& payload, common::PciAttributes& answer);
  void registerAccess(tlm::tlm_generic_payload& payload, common::PciAttributes& answer);
  void passThru(int region, tlm::tlm_generic_payload& payload, common::PciAttributes& answer,
                const sc_core::sc_time& delay);
  WordResult passThruWord(int region, const common::DwordLane& lane, bool write, bool first,
                          const sc_core::sc_time& at);
  WordResult addonCycle(int region, const common::DwordLane& lane, bool write,
                        const sc_core::sc_time& at);
  [[nodiscard]] std::uint32_t clocks(const sc_core::sc_time& time) const {
    return static_cast<std::uint32_t>(clock_.at(time));
  }
  [[nodiscard]] sc_core::sc_time after(std::uint32_t clocks) const { return clock_.of(clocks); }
  /// Where the block of operation registers lies, given an address in it.
  [[nodiscard]] std::uint64_t registerBase(std::uint64_t address) const {
    return address - core_.regionOffset(0, address);
  }
  unsigned passThruDebug(int region, std::uint64_t offset, tlm::tlm_generic_payload& payload);

  void masterLoop();
  void burst(s5933::Direction direction);
  bool piece(s5933::Direction direction, std::uint32_t words, bool continues);
  void drivePins();
  void update(const sc_core::sc_time& delay);
  void show() const;

  S5933Config config_;
  common::ClockDomain clock_;
  s5933::S5933Core core_;
  s5933::ConfigBlock config_block_{core_};
  s5933::PciBlock pci_block_{core_};
  s5933::AddonBlock addon_block_{core_};
  common::RegisterTarget config_target_{{s5933::kConfigRegisters, s5933::kConfigBytes},
                                        config_block_};
  common::RegisterTarget pci_target_{{s5933::kPciRegisters, s5933::kPciBytes}, pci_block_};
  common::RegisterTarget addon_target_{{s5933::kAddonRegisters, s5933::kAddonBytes}, addon_block_};
  Pending pending_;

  sc_core::sc_event p2a_filled_, a2p_drained_, work_, pins_;
  common::PciAttributes master_attributes_;
  common::BusMaster master_bus_;
  std::vector<std::uint8_t> master_bytes_;
  std::vector<std::uint32_t> master_words_;
  bool idle_ = false;  // the master process waits for work
  bool inta_level_ = false, irq_level_ = false, reset_level_ = false;  // as last driven
  common::BusMaster passthru_bus_;

  struct Signals {
    common::TraceSignal p2a, p2a_words, a2p, a2p_words, inta, addon_reset;
  } signals_;

  struct Totals {
    std::uint64_t register_reads = 0, register_writes = 0, passthru_words = 0, passthru_waits = 0;
    std::uint64_t bursts[2] = {0, 0}, longest[2] = {0, 0};
    std::uint64_t retries = 0, disconnects = 0, inta = 0, irq = 0;
  } totals_;
};

}  // namespace rtvp::tigershark
