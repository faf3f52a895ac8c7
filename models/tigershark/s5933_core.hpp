// The S5933's state and rules (board.md 4): configuration space, operation registers of both sides,
// mailboxes, FIFOs, boot memory, interrupts and the bus master's decisions. Plain C++, no time: the
// shell in s5933.hpp moves the words and charges the clocks. Byte masks have FFh in every byte an
// access enables.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/common/register_table.hpp"
#include "models/tigershark/s5933_fifo.hpp"
#include "models/tigershark/s5933_nv.hpp"
#include "models/tigershark/s5933_registers.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::tigershark::s5933 {

/// Bus-master transfers, named after the PCI cycle: Read = host memory to add-on (P2A), Write =
/// add-on to host memory (A2P).
enum class Direction : std::uint8_t { Read = 0, Write = 1 };

/// Field problems of the real part (board.md 4.4), all off by default.
struct Faults {
  bool fifo_strobe_broken =
      false;  ///< F1: direct FIFO strobes do nothing; AFIFO register cycles work
  bool hang_on_disable =
      false;  ///< F2: clearing an enable in mid transfer stops mastering until add-on or PCI reset
  bool stale_words = false;  ///< F3: FIFO flag resets leave the words in the data path
  bool residue =
      false;  ///< F4: with the 4+ scheme the last words (fewer than 4) stay in the A2P FIFO
  std::uint32_t target_read_hang =
      0;  ///< F5: operation-register reads complete only this often, then retry for ever; 0 = off
  std::uint32_t master_read_hang =
      0;                 ///< F6: read mastering stalls after this many words until reset; 0 = off
  bool nv_fail = false;  ///< F7: boot-memory accesses through MCSR/AGCSTS fail with bit 28
  bool mailbox_interrupt_stuck =
      false;  ///< F8: clearing the incoming-mailbox interrupt with the byte unread re-raises it
};

struct CoreConfig {
  std::uint32_t fifo_depth =
      8;  ///< words each way: 8 the chip, 32 the seed's reading (TS-042); 4 .. 4096
  std::vector<std::uint8_t> boot_memory;  ///< see s5933_nv.hpp; empty = none fitted
  Faults faults;
};

/// A decoded base address register.
struct BaseAddress {
  bool enabled = false;
  bool io = false;
  std::uint32_t size = 0;        ///< bytes
  std::uint32_t bus_width = 32;  ///< add-on bus of a pass-thru region
};

class S5933Core {
 public:
  static constexpr int kBases = 5;

  /// Throws std::invalid_argument for a FIFO depth outside 4..4096.
  explicit S5933Core(const CoreConfig& config);

  /// PCI RST#: boot-loads the configuration space and resets everything but the boot memory.
  void reset();

  // ---- configuration space; offsets are dword offsets 0 .. FCh
  [[nodiscard]] std::uint32_t configRead(std::uint32_t offset) const;
  void configWrite(std::uint32_t offset, std::uint32_t value, std::uint32_t byte_mask);
  /// Base address register that answers `address`, or nothing.
  [[nodiscard]] std::optional<int> decode(bool io, std::uint64_t address) const;
  [[nodiscard]] const BaseAddress& base(int number) const {
    return bases_.at(static_cast<std::size_t>(number));
  }
  /// Address in the region of base address `number`.
  [[nodiscard]] std::uint32_t regionOffset(int number, std::uint64_t address) const {
    return static_cast<std::uint32_t>(address) & (base(number).size - 1);
  }
  [[nodiscard]] std::uint32_t latencyTimer() const {
    return config_regs_.peek(kRowMisc) >> 8 & 0xFF;
  }

  // ---- operation registers from the PCI side, offset 0 .. 3Ch (dword)
  /// Nothing = the part answers with retry (FIFO port empty or busy, fault F5).
  [[nodiscard]] std::optional<std::uint32_t> pciRead(std::uint32_t offset, std::uint32_t byte_mask);
  /// False = retry (FIFO port full).
  bool pciWrite(std::uint32_t offset, std::uint32_t value, std::uint32_t byte_mask);
  /// As pciRead, without any effect.
  [[nodiscard]] std::uint32_t pciPeek(std::uint32_t offset) const;

  // ---- operation registers from the add-on side, offset 0 .. 5Ch; false = no such register
  bool addonRead(std::uint32_t offset, std::uint32_t byte_mask, std::uint32_t& value);
  bool addonWrite(std::uint32_t offset, std::uint32_t value, std::uint32_t byte_mask);
  [[nodiscard]] std::uint32_t addonPeek(std::uint32_t offset) const;

  // ---- direct FIFO pins
  [[nodiscard]] bool p2aEmpty() const { return p2a_.empty(); }
  [[nodiscard]] bool a2pFull() const { return a2p_.full(); }
  std::uint32_t p2aPop();
  bool a2pPush(std::uint32_t word);

  // ---- other pins
  [[nodiscard]] bool inta() const;
  [[nodiscard]] bool irq() const;
  [[nodiscard]] bool addonReset() const { return (pci_.peek(kRowMcsr) & MCSR_ADDON_RESET) != 0; }
  void setMasterPins(bool read_enable, bool write_enable) {
    pin_enable_ = {read_enable, write_enable};
  }
  void clockExternalMailbox(std::uint8_t byte);
  [[nodiscard]] bool mailboxFull(unsigned mailbox) const;
  void latchPassThru(std::uint32_t address, std::uint32_t data);
  /// The part has answered with target abort: its status register says so.
  void noteTargetAbort() { config_regs_.setBits(kRowCommand, STATUS_SIGNALED_TARGET_ABORT); }

  // ---- bus master
  /// Does the part assert REQ#, and for which direction? Applies enables, counts, FIFO management
  /// and priority.
  [[nodiscard]] std::optional<Direction> request() const;
  /// Words come to the P2A FIFO, now or when there is room for them, whatever the host does next.
  [[nodiscard]] bool comes() const {
    return p2a_reserved_ != 0 ||
           (enabled(Direction::Read) && (!counting() || count(Direction::Read) != 0));
  }
  /// Data phases that a granted burst can make now; the management scheme no longer matters.
  [[nodiscard]] std::uint32_t burstWords(Direction direction) const;
  [[nodiscard]] std::uint32_t masterAddress(Direction direction) const;
  /// Bytes that the index-th data phase from now moves: 4, or less at the end of a count that is no
  /// multiple of 4.
  [[nodiscard]] std::uint32_t phaseBytes(Direction direction, std::uint32_t index) const;
  [[nodiscard]] bool readMultiple() const {
    return (pci_.peek(kRowMcsr) & MCSR_READ_MULTIPLE) != 0;
  }
  /// Holds `words` words of the A2P FIFO, or places of the P2A FIFO, for a burst. Words of a write
  /// are put in `data`.
  void beginPiece(Direction direction, std::uint32_t words, std::uint32_t* data);
  /// The burst has moved `words` of them (data: what a read brought). Counts, addresses and
  /// interrupts follow.
  void endPiece(Direction direction, std::uint32_t words, const std::uint32_t* data);
  /// The transfer met a master abort (nobody) or target abort: status bits, interrupts; mastering
  /// that way stops.
  void abortTransfer(Direction direction, bool master_abort);

  /// What has happened since the last call: the shell notifies its events.
  struct Changes {
    bool p2a_filled = false, a2p_drained = false;
  };
  Changes takeChanges();

  struct Totals {
    std::uint64_t master_words[2] = {0, 0}, master_aborts = 0, target_aborts = 0;
    std::uint64_t mailbox_writes[2] = {0, 0};  ///< by PCI, by add-on
    std::uint64_t mailbox_overwrites = 0, a2p_lost = 0, nv_accesses = 0;
  };
  [[nodiscard]] const Totals& totals() const { return totals_; }
  [[nodiscard]] const Fifo& p2a() const { return p2a_; }
  [[nodiscard]] const Fifo& a2p() const { return a2p_; }
  [[nodiscard]] bool hung() const { return hung_[0] || hung_[1]; }
  [[nodiscard]] const std::vector<std::uint8_t>& bootMemory() const { return nv_; }
  /// Both register views and the configuration space, for debuggers.
  [[nodiscard]] std::string dump() const;

  /// For checkpoints, with nothing under way.
  void state(common::StateArchive& a);

 private:
  enum Side : std::size_t { kPci = 0, kAddon = 1 };
  static constexpr std::size_t row(std::uint32_t offset) {
    return offset / 4;
  }  // the PCI table has no holes
  static constexpr std::size_t kRowMcsr = common::rowOf(kPciRegisters, "MCSR");
  static constexpr std::size_t kRowIntcsr = common::rowOf(kPciRegisters, "INTCSR");
  static constexpr std::size_t kRowAint = common::rowOf(kAddonRegisters, "AINT");
  static constexpr std::size_t kRowAgcsts = common::rowOf(kAddonRegisters, "AGCSTS");
  static constexpr std::size_t kRowApta = common::rowOf(kAddonRegisters, "APTA");
  static constexpr std::size_t kRowAptd = common::rowOf(kAddonRegisters, "APTD");
  static constexpr std::size_t kRowCommand = common::rowOf(kConfigRegisters, "PCICMD");
  static constexpr std::size_t kRowMisc = common::rowOf(kConfigRegisters, "MISC");
  static constexpr std::size_t kRowBase0 = common::rowOf(kConfigRegisters, "BADR0");

  void bootLoad();
  void loadBase(std::size_t number, std::uint32_t definition);
  void writeMailbox(Side from, std::uint32_t mailbox, std::uint32_t value, std::uint32_t byte_mask);
  std::uint32_t readMailbox(Side by, std::uint32_t mailbox, std::uint32_t byte_mask);
  [[nodiscard]] bool mailboxSelected(std::uint32_t control, int shift, std::uint32_t mailbox,
                                     std::uint32_t byte) const;
  void resetMailboxFlags();
  void resetP2a();
  void resetA2p();
  void nvCommand(Side side, std::uint32_t value, std::uint32_t byte_mask);
  void writeMcsr(std::uint32_t value, std::uint32_t byte_mask);
  void writeIntcsr(std::uint32_t value, std::uint32_t byte_mask);
  void writeAgcsts(std::uint32_t value, std::uint32_t byte_mask);
  [[nodiscard]] std::uint32_t count(Direction direction) const;
  [[nodiscard]] bool counting() const;
  [[nodiscard]] bool enabled(Direction direction) const;
  [[nodiscard]] bool wants(Direction direction) const;
  [[nodiscard]] std::uint32_t mcsrStatus() const;
  [[nodiscard]] std::uint32_t agcstsStatus() const;
  [[nodiscard]] std::uint32_t mailboxFlags() const;
  [[nodiscard]] std::uint32_t intcsrStatus() const;

  // PCI ends of the FIFOs, with endian conversion and the pairing of 64-bit mode
  [[nodiscard]] std::uint32_t convert(std::uint32_t word) const;
  [[nodiscard]] bool pairs() const {
    return (pci_.peek(kRowIntcsr) & INTCSR_ENDIAN) == INTCSR_ENDIAN;
  }
  [[nodiscard]] std::uint32_t pciPlaces() const;
  [[nodiscard]] std::uint32_t pciWords() const;
  void pciPush(std::uint32_t word);
  std::uint32_t pciPop();
  [[nodiscard]] std::uint32_t pciPeekWord(std::uint32_t ahead) const;
  [[nodiscard]] bool advances(std::uint32_t byte_mask, int shift) const;

  CoreConfig config_;
  std::vector<std::uint8_t> nv_;
  common::RegisterFile config_regs_{kConfigRegisters};
  common::RegisterFile pci_{
      kPciRegisters};  // MCSR, INTCSR and the shared address and count registers live here
  common::RegisterFile addon_{kAddonRegisters};  // AINT, AGCSTS, APTA, APTD live here
  std::array<BaseAddress, kBases> bases_{};
  bool counts_on_pci_ = true;

  struct Mailboxes {
    std::array<std::uint32_t, 4> data{};
    std::uint32_t flags = 0;  // 4 a mailbox, mailbox 1 in the low nibble
  };
  std::array<Mailboxes, 2> boxes_{};  // written by kPci, by kAddon

  Fifo p2a_, a2p_;
  std::uint32_t p2a_reserved_ = 0;  // places held for a read burst under way
  std::uint32_t a2p_locked_ = 0;    // words held for a write burst under way
  std::uint64_t p2a_epoch_ = 0,
                a2p_epoch_ = 0;  // counts FIFO resets: a burst must not touch a FIFO reset under it
  std::array<std::uint64_t, 2> piece_epoch_{};
  std::uint32_t p2a_pair_ = 0, a2p_pair_ = 0;  // first / second dword of a 64-bit pair
  std::uint32_t p2a_stage_ = 0,
                a2p_stage_ = 0;  // bytes written before the advancing lane, by PCI / by add-on
  std::array<bool, 2> pin_enable_{false, false};
  std::array<bool, 2> hung_{false, false};
  Direction last_direction_ = Direction::Write;
  std::uint64_t target_reads_ = 0, read_mastered_ = 0;

  struct Nv {
    std::uint32_t address = 0;
    std::uint32_t command = 0;  // last command, 0 or 4..7
    std::uint8_t data = 0;
  } nv_port_;

  Changes changes_;
  Totals totals_;
};

}  // namespace rtvp::tigershark::s5933
