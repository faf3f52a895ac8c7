// Operation registers, mailboxes, boot memory and bus mastering of the S5933, see s5933_core.hpp.
// The configuration space is in s5933_config.cpp, FIFOs and bus master are in s5933_master.cpp.
#include "models/tigershark/s5933_core.hpp"

#include <algorithm>
#include <stdexcept>

namespace rtvp::tigershark::s5933 {
namespace {

constexpr bool touches(std::uint32_t byte_mask, std::uint32_t byte) {
  return (byte_mask >> (8 * byte) & 0xFF) != 0;
}

constexpr std::size_t index(Direction direction) {
  return static_cast<std::size_t>(direction);
}

}  // namespace

S5933Core::S5933Core(const CoreConfig& config)
    : config_(config), nv_(config.boot_memory), p2a_(config.fifo_depth), a2p_(config.fifo_depth) {
  if (config.fifo_depth < 4 || config.fifo_depth > 4096) {
    throw std::invalid_argument("S5933 FIFO depth is " + std::to_string(config.fifo_depth) +
                                " words, accepted 4 .. 4096");
  }
  bootLoad();
}

void S5933Core::reset() {
  bootLoad();
  pci_.reset();
  addon_.reset();
  boxes_ = {};
  resetP2a();
  resetA2p();
  hung_ = {false, false};
  target_reads_ = 0;
  read_mastered_ = 0;
  p2a_stage_ = a2p_stage_ = 0;
  last_direction_ = Direction::Write;
  nv_port_ = {};
}

// ---- mailboxes

bool S5933Core::mailboxSelected(std::uint32_t control, int shift, std::uint32_t mailbox,
                                std::uint32_t byte) const {
  const std::uint32_t bits = control >> shift;
  return (bits & 3) == byte && (bits >> 2 & 3) == mailbox && (bits >> 4 & 1) != 0;
}

void S5933Core::writeMailbox(Side from, std::uint32_t mailbox, std::uint32_t value,
                             std::uint32_t byte_mask) {
  Mailboxes& boxes = boxes_[from];
  std::uint32_t& word = boxes.data[mailbox];
  word = (word & ~byte_mask) | (value & byte_mask);
  if (byte_mask != 0) ++totals_.mailbox_writes[from];
  for (std::uint32_t byte = 0; byte < 4; ++byte) {
    if (!touches(byte_mask, byte)) continue;
    const std::uint32_t flag = 1U << (4 * mailbox + byte);
    if ((boxes.flags & flag) != 0) {
      ++totals_.mailbox_overwrites;
      continue;
    }
    boxes.flags |= flag;
    if (from == kPci && mailboxSelected(addon_.peek(kRowAint), 0, mailbox, byte)) {
      addon_.setBits(kRowAint, AINT_IN_INT);
    }
    if (from == kAddon && mailboxSelected(pci_.peek(kRowIntcsr), 8, mailbox, byte)) {
      pci_.setBits(kRowIntcsr, INTCSR_IN_INT);
    }
  }
}

std::uint32_t S5933Core::readMailbox(Side by, std::uint32_t mailbox, std::uint32_t byte_mask) {
  Mailboxes& boxes = boxes_[by == kPci ? kAddon : kPci];
  for (std::uint32_t byte = 0; byte < 4; ++byte) {
    const std::uint32_t flag = 1U << (4 * mailbox + byte);
    if (!touches(byte_mask, byte) || (boxes.flags & flag) == 0) continue;
    boxes.flags &= ~flag;
    if (by == kAddon && mailboxSelected(pci_.peek(kRowIntcsr), 0, mailbox, byte)) {
      pci_.setBits(kRowIntcsr, INTCSR_OUT_INT);
    }
    if (by == kPci && mailboxSelected(addon_.peek(kRowAint), 8, mailbox, byte)) {
      addon_.setBits(kRowAint, AINT_OUT_INT);
    }
  }
  return boxes.data[mailbox];
}

void S5933Core::resetMailboxFlags() {
  boxes_[kPci].flags = 0;
  boxes_[kAddon].flags = 0;
}

std::uint32_t S5933Core::mailboxFlags() const {
  return boxes_[kAddon].flags << 16 | boxes_[kPci].flags;
}

bool S5933Core::mailboxFull(unsigned mailbox) const {
  return mailbox >= 1 && mailbox <= 4 && (boxes_[kAddon].flags >> (4 * (mailbox - 1)) & 0xF) != 0;
}

void S5933Core::clockExternalMailbox(std::uint8_t byte) {
  writeMailbox(kAddon, 3, static_cast<std::uint32_t>(byte) << 24, 0xFF000000U);
}

// ---- status words

std::uint32_t S5933Core::mcsrStatus() const {
  std::uint32_t bits = 0;
  if (count(Direction::Write) == 0) bits |= MCSR_A2P_COUNT_ZERO;
  if (count(Direction::Read) == 0) bits |= MCSR_P2A_COUNT_ZERO;
  if (a2p_.empty()) bits |= MCSR_A2P_EMPTY;
  if (a2p_.size() >= 4) bits |= MCSR_A2P_4PLUS;
  if (a2p_.full()) bits |= MCSR_A2P_FULL;
  if (p2a_.empty()) bits |= MCSR_P2A_EMPTY;
  if (p2a_.places() >= 4) bits |= MCSR_P2A_4FREE;
  if (p2a_.full()) bits |= MCSR_P2A_FULL;
  return bits;
}

std::uint32_t S5933Core::agcstsStatus() const {
  const std::uint32_t mcsr = mcsrStatus();
  // Count bits agree; the FIFO triples swap places.
  return (mcsr & 0xC0) | (mcsr & 7) << 3 | (mcsr >> 3 & 7);
}

bool S5933Core::inta() const {
  const std::uint32_t bits = pci_.peek(kRowIntcsr);
  if ((bits & (INTCSR_OUT_INT | INTCSR_IN_INT | INTCSR_WRITE_INT | INTCSR_READ_INT)) != 0)
    return true;
  return (bits & (INTCSR_WRITE_ENABLE | INTCSR_READ_ENABLE)) != 0 &&
         (bits & (INTCSR_MASTER_ABORT | INTCSR_TARGET_ABORT)) != 0;
}

bool S5933Core::irq() const {
  const std::uint32_t bits = addon_.peek(kRowAint);
  if ((bits & (AINT_IN_INT | AINT_OUT_INT | AINT_WRITE_INT | AINT_READ_INT | AINT_SELF_TEST)) != 0)
    return true;
  return (bits & (AINT_WRITE_ENABLE | AINT_READ_ENABLE)) != 0 && (bits & AINT_MASTER_ERROR) != 0;
}

std::uint32_t S5933Core::intcsrStatus() const {
  return pci_.peek(kRowIntcsr) | (inta() ? INTCSR_ASSERTED : 0);
}

// ---- operation registers, PCI side

std::uint32_t S5933Core::pciPeek(std::uint32_t offset) const {
  switch (offset) {
    case OMB1:
    case OMB2:
    case OMB3:
    case OMB4:
      return boxes_[kPci].data[(offset - OMB1) / 4];
    case IMB1:
    case IMB2:
    case IMB3:
    case IMB4:
      return boxes_[kAddon].data[(offset - IMB1) / 4];
    case FIFO:
      return pciWords() != 0 ? convert(pciPeekWord(0)) : convert(a2p_.lastRead());
    case MWAR:
    case MWTC:
    case MRAR:
    case MRTC:
      return pci_.read(row(offset));
    case MBEF:
      return mailboxFlags();
    case INTCSR:
      return intcsrStatus();
    case MCSR:
      return (pci_.read(kRowMcsr) & ~0xFFU) | mcsrStatus();
    default:
      return 0;
  }
}

std::optional<std::uint32_t> S5933Core::pciRead(std::uint32_t offset, std::uint32_t byte_mask) {
  if (config_.faults.target_read_hang != 0 && ++target_reads_ > config_.faults.target_read_hang)
    return std::nullopt;
  if (offset >= IMB1 && offset <= IMB4) return readMailbox(kPci, (offset - IMB1) / 4, byte_mask);
  if (offset != FIFO) return pciPeek(offset);
  if (a2p_locked_ != 0) return std::nullopt;  // a burst is emptying it
  if (pciWords() == 0 && a2p_.stale() == 0) return std::nullopt;
  if (!advances(byte_mask, INTCSR_PCI_ADVANCE_SHIFT)) return pciPeek(FIFO);
  return pciPop();
}

bool S5933Core::pciWrite(std::uint32_t offset, std::uint32_t value, std::uint32_t byte_mask) {
  switch (offset) {
    case OMB1:
    case OMB2:
    case OMB3:
    case OMB4:
      writeMailbox(kPci, (offset - OMB1) / 4, value, byte_mask);
      return true;
    case FIFO: {
      const bool advance = advances(byte_mask, INTCSR_PCI_ADVANCE_SHIFT);
      if (advance && pciPlaces() == 0) return false;
      p2a_stage_ = (p2a_stage_ & ~byte_mask) | (value & byte_mask);
      if (advance) pciPush(p2a_stage_);
      return true;
    }
    case MWAR:
    case MWTC:
    case MRAR:
    case MRTC:
      if (counts_on_pci_) pci_.write(row(offset), value, byte_mask);
      return true;
    case INTCSR:
      writeIntcsr(value, byte_mask);
      return true;
    case MCSR:
      writeMcsr(value, byte_mask);
      return true;
    default:
      return true;  // read-only: the cycle completes and nothing happens
  }
}

void S5933Core::writeIntcsr(std::uint32_t value, std::uint32_t byte_mask) {
  const std::uint32_t acted = pci_.write(kRowIntcsr, value, byte_mask);
  if (!config_.faults.mailbox_interrupt_stuck || (acted & INTCSR_IN_INT) == 0) return;
  const std::uint32_t control = pci_.peek(kRowIntcsr) >> 8;
  const std::uint32_t flag = 1U << (4 * (control >> 2 & 3) + (control & 3));
  if ((control >> 4 & 1) != 0 && (boxes_[kAddon].flags & flag) != 0)
    pci_.setBits(kRowIntcsr, INTCSR_IN_INT);
}

void S5933Core::writeMcsr(std::uint32_t value, std::uint32_t byte_mask) {
  const std::uint32_t before = pci_.peek(kRowMcsr);
  const std::uint32_t acted = pci_.write(kRowMcsr, value, byte_mask);
  const std::uint32_t cleared = before & ~pci_.peek(kRowMcsr);
  if (config_.faults.hang_on_disable && counts_on_pci_) {
    if ((cleared & MCSR_READ_ENABLE) != 0 && count(Direction::Read) != 0)
      hung_[index(Direction::Read)] = true;
    if ((cleared & MCSR_WRITE_ENABLE) != 0 && count(Direction::Write) != 0)
      hung_[index(Direction::Write)] = true;
  }
  if ((acted & MCSR_ADDON_RESET) != 0) {
    hung_ = {false, false};
    read_mastered_ = 0;
  }
  if ((acted & MCSR_MAILBOX_RESET) != 0) resetMailboxFlags();
  if ((acted & MCSR_A2P_RESET) != 0) resetA2p();
  if ((acted & MCSR_P2A_RESET) != 0) resetP2a();
  nvCommand(kPci, value, byte_mask);
}

// ---- operation registers, add-on side

std::uint32_t S5933Core::addonPeek(std::uint32_t offset) const {
  switch (offset) {
    case AIMB1:
    case AIMB2:
    case AIMB3:
    case AIMB4:
      return boxes_[kPci].data[(offset - AIMB1) / 4];
    case AOMB1:
    case AOMB2:
    case AOMB3:
    case AOMB4:
      return boxes_[kAddon].data[(offset - AOMB1) / 4];
    case AFIFO:
      return p2a_.size() != 0 ? p2a_.peek() : p2a_.lastRead();
    case AMWAR:
      return pci_.peek(row(MWAR));
    case AMRAR:
      return pci_.peek(row(MRAR));
    case AMWTC:
      return pci_.peek(row(MWTC));
    case AMRTC:
      return pci_.peek(row(MRTC));
    case APTA:
      return addon_.peek(kRowApta);
    case APTD:
      return addon_.peek(kRowAptd);
    case AMBEF:
      return mailboxFlags();
    case AINT:
      return addon_.peek(kRowAint) | (irq() ? AINT_ASSERTED : 0);
    case AGCSTS:
      return (addon_.read(kRowAgcsts) & ~0xFFU) | agcstsStatus();
    default:
      return 0;
  }
}

bool S5933Core::addonRead(std::uint32_t offset, std::uint32_t byte_mask, std::uint32_t& value) {
  if (addon_.find(offset) == common::RegisterFile::kNone) return false;
  if (offset <= AIMB4) {
    value = readMailbox(kAddon, (offset - AIMB1) / 4, byte_mask);
  } else if (offset == AFIFO && advances(byte_mask, INTCSR_ADDON_ADVANCE_SHIFT)) {
    value = p2a_.pop();
  } else {
    value = addonPeek(offset);
  }
  return true;
}

bool S5933Core::addonWrite(std::uint32_t offset, std::uint32_t value, std::uint32_t byte_mask) {
  if (addon_.find(offset) == common::RegisterFile::kNone) return false;
  switch (offset) {
    case AOMB1:
    case AOMB2:
    case AOMB3:
    case AOMB4:
      writeMailbox(kAddon, (offset - AOMB1) / 4, value, byte_mask);
      break;
    case AFIFO:
      a2p_stage_ = (a2p_stage_ & ~byte_mask) | (value & byte_mask);
      if (advances(byte_mask, INTCSR_ADDON_ADVANCE_SHIFT) && !a2p_.push(a2p_stage_))
        ++totals_.a2p_lost;
      break;
    case AMWAR:
      if (!counts_on_pci_) pci_.write(row(MWAR), value, byte_mask);
      break;
    case AMRAR:
      if (!counts_on_pci_) pci_.write(row(MRAR), value, byte_mask);
      break;
    case AMWTC:
      if (!counts_on_pci_) pci_.write(row(MWTC), value, byte_mask);
      break;
    case AMRTC:
      if (!counts_on_pci_) pci_.write(row(MRTC), value, byte_mask);
      break;
    case APTD:
      addon_.write(kRowAptd, value, byte_mask);
      break;
    case AINT:
      addon_.write(kRowAint, value, byte_mask);
      break;
    case AGCSTS:
      writeAgcsts(value, byte_mask);
      break;
    default:
      break;  // read-only
  }
  return true;
}

void S5933Core::writeAgcsts(std::uint32_t value, std::uint32_t byte_mask) {
  const std::uint32_t acted = addon_.write(kRowAgcsts, value, byte_mask);
  if ((acted & AGCSTS_MAILBOX_RESET) != 0) resetMailboxFlags();
  if ((acted & AGCSTS_A2P_RESET) != 0) resetA2p();
  if ((acted & AGCSTS_P2A_RESET) != 0) resetP2a();
  if (touches(byte_mask, 1)) {
    config_regs_.assign(kRowMisc, BIST_CODE, (addon_.peek(kRowAgcsts) >> 12 & 0xF) << 24);
    config_regs_.clearBits(kRowMisc, BIST_START);
  }
  nvCommand(kAddon, value, byte_mask);
}

void S5933Core::latchPassThru(std::uint32_t address, std::uint32_t data) {
  addon_.poke(kRowApta, address);
  addon_.poke(kRowAptd, data);
}

// ---- boot memory

// Drivers work byte-wise: a command byte, then the data byte it speaks of, then a begin command. A
// wider write that holds both is taken in that order too.
void S5933Core::nvCommand(Side side, std::uint32_t value, std::uint32_t byte_mask) {
  common::RegisterFile& regs = side == kPci ? pci_ : addon_;
  const std::size_t regs_row = side == kPci ? kRowMcsr : kRowAgcsts;
  const bool commanded = touches(byte_mask, 3);
  if (commanded) nv_port_.command = (value & MCSR_NV_START) != 0 ? value >> 29 : 0;
  if (touches(byte_mask, 2)) {
    const std::uint32_t byte = value >> 16 & 0xFF;
    if (nv_port_.command == 4) {
      nv_port_.address = (nv_port_.address & 0xFF00) | byte;
    } else if (nv_port_.command == 5) {
      nv_port_.address = (nv_port_.address & 0x00FF) | byte << 8;
    } else {
      nv_port_.data = static_cast<std::uint8_t>(byte);
    }
  }
  if (!commanded || nv_port_.command < 6) return;
  ++totals_.nv_accesses;
  if (config_.faults.nv_fail || nv_port_.address >= nv_.size()) {
    pci_.setBits(kRowMcsr, MCSR_NV_FAIL);
    return;
  }
  pci_.clearBits(kRowMcsr, MCSR_NV_FAIL);
  if (nv_port_.command == 6) {
    nv_[nv_port_.address] = nv_port_.data;
  } else {
    regs.assign(regs_row, 0x00FF0000, static_cast<std::uint32_t>(nv_[nv_port_.address]) << 16);
  }
}

// ---- events and debugging

S5933Core::Changes S5933Core::takeChanges() {
  const Changes changes = changes_;
  changes_ = {};
  return changes;
}

std::string S5933Core::dump() const {
  common::RegisterFile pci = pci_;
  common::RegisterFile addon = addon_;
  for (std::size_t i = 0; i < kPciRegisters.size(); ++i)
    pci.poke(i, pciPeek(kPciRegisters[i].offset));
  for (std::size_t i = 0; i < kAddonRegisters.size(); ++i)
    addon.poke(i, addonPeek(kAddonRegisters[i].offset));
  return "configuration space\n" + config_regs_.dump() + "PCI side\n" + pci.dump() +
         "add-on side\n" + addon.dump();
}

}  // namespace rtvp::tigershark::s5933
