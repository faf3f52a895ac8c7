// The PCI ends of the S5933's FIFOs (byte lanes, endian conversion, pairs) and the bus master's
// decisions, see s5933_core.hpp.
#include <algorithm>

#include "models/tigershark/s5933_core.hpp"

namespace rtvp::tigershark::s5933 {
namespace {

constexpr std::uint32_t kCountMask = 0x03FFFFFF;

constexpr std::uint32_t swapBytes(std::uint32_t w) {
  return w << 24 | (w & 0xFF00) << 8 | (w >> 8 & 0xFF00) | w >> 24;
}
constexpr std::uint32_t swapInHalves(std::uint32_t w) {
  return (w & 0x00FF00FF) << 8 | (w >> 8 & 0x00FF00FF);
}

constexpr std::size_t index(Direction direction) {
  return static_cast<std::size_t>(direction);
}

}  // namespace

// ---- FIFOs

bool S5933Core::advances(std::uint32_t byte_mask, int shift) const {
  const std::uint32_t lane = pci_.peek(kRowIntcsr) >> shift & 3;
  return (byte_mask >> (8 * lane) & 0xFF) != 0;
}

std::uint32_t S5933Core::convert(std::uint32_t word) const {
  switch ((pci_.peek(kRowIntcsr) & INTCSR_ENDIAN) >> INTCSR_ENDIAN_SHIFT) {
    case 1:
      return swapInHalves(word);
    case 2:
    case 3:
      return swapBytes(word);
    default:
      return word;
  }
}

std::uint32_t S5933Core::pciPlaces() const {
  const std::uint32_t free = p2a_.places();
  const bool latched = (pci_.peek(kRowIntcsr) & INTCSR_P2A_TOGGLE) != 0;
  std::uint32_t places = free;
  if (latched) {
    places = free < 2 ? 0 : (pairs() ? (free & ~1U) - 1 : free - 1);
  } else if (pairs()) {
    places = free & ~1U;
  }
  return places > p2a_reserved_ ? places - p2a_reserved_ : 0;
}

std::uint32_t S5933Core::pciWords() const {
  const std::uint32_t latched = (pci_.peek(kRowIntcsr) & INTCSR_A2P_TOGGLE) != 0 ? 1 : 0;
  return latched + (pairs() ? a2p_.size() & ~1U : a2p_.size());
}

void S5933Core::pciPush(std::uint32_t word) {
  const bool latched = (pci_.peek(kRowIntcsr) & INTCSR_P2A_TOGGLE) != 0;
  const std::uint32_t converted = convert(word);
  if (pairs() && !latched) {
    p2a_pair_ = converted;
    pci_.setBits(kRowIntcsr, INTCSR_P2A_TOGGLE);
    return;
  }
  if (pairs()) p2a_.push(converted);
  if (latched) p2a_.push(p2a_pair_);
  if (!pairs()) p2a_.push(converted);
  pci_.clearBits(kRowIntcsr, INTCSR_P2A_TOGGLE);
  changes_.p2a_filled = true;
}

std::uint32_t S5933Core::pciPop() {
  changes_.a2p_drained = true;
  if ((pci_.peek(kRowIntcsr) & INTCSR_A2P_TOGGLE) != 0) {
    pci_.clearBits(kRowIntcsr, INTCSR_A2P_TOGGLE);
    return convert(a2p_pair_);
  }
  const std::uint32_t first = a2p_.pop();
  if (!pairs() || a2p_.empty()) return convert(first);
  a2p_pair_ = first;
  pci_.setBits(kRowIntcsr, INTCSR_A2P_TOGGLE);
  return convert(a2p_.pop());
}

std::uint32_t S5933Core::pciPeekWord(std::uint32_t ahead) const {
  if ((pci_.peek(kRowIntcsr) & INTCSR_A2P_TOGGLE) != 0) {
    if (ahead == 0) return a2p_pair_;
    --ahead;
  }
  return a2p_.peek(pairs() ? ahead ^ 1U : ahead);
}

std::uint32_t S5933Core::p2aPop() {
  if (config_.faults.fifo_strobe_broken) return p2a_.lastRead();
  return p2a_.pop();
}

bool S5933Core::a2pPush(std::uint32_t word) {
  if (!config_.faults.fifo_strobe_broken && a2p_.push(word)) return true;
  ++totals_.a2p_lost;
  return false;
}

void S5933Core::resetP2a() {
  p2a_.reset(config_.faults.stale_words);
  p2a_reserved_ = 0;
  ++p2a_epoch_;
  pci_.clearBits(kRowIntcsr, INTCSR_P2A_TOGGLE);
}

void S5933Core::resetA2p() {
  a2p_.reset(config_.faults.stale_words);
  a2p_locked_ = 0;
  ++a2p_epoch_;
  pci_.clearBits(kRowIntcsr, INTCSR_A2P_TOGGLE);
  changes_.a2p_drained = true;
}

// ---- bus master

std::uint32_t S5933Core::count(Direction direction) const {
  return pci_.peek(row(direction == Direction::Read ? MRTC : MWTC));
}

std::uint32_t S5933Core::masterAddress(Direction direction) const {
  return pci_.peek(row(direction == Direction::Read ? MRAR : MWAR));
}

bool S5933Core::counting() const {
  return counts_on_pci_ || (addon_.peek(kRowAgcsts) & AGCSTS_COUNT_ENABLE) != 0;
}

bool S5933Core::enabled(Direction direction) const {
  if (hung_[index(direction)] || (config_regs_.peek(kRowCommand) & COMMAND_MASTER) == 0)
    return false;
  if (!counts_on_pci_) return pin_enable_[index(direction)];
  const std::uint32_t bit = direction == Direction::Read ? MCSR_READ_ENABLE : MCSR_WRITE_ENABLE;
  return (pci_.peek(kRowMcsr) & bit) != 0;
}

std::uint32_t S5933Core::burstWords(Direction direction) const {
  if (!enabled(direction)) return 0;
  const std::uint32_t room = direction == Direction::Read ? pciPlaces() : pciWords();
  return counting() ? std::min(room, (count(direction) + 3) / 4) : room;
}

bool S5933Core::wants(Direction direction) const {
  const std::uint32_t words = burstWords(direction);
  if (words == 0) return false;
  const std::uint32_t mcsr = pci_.peek(kRowMcsr);
  if (direction == Direction::Read) return (mcsr & MCSR_READ_4PLUS) == 0 || pciPlaces() >= 4;
  if ((mcsr & MCSR_WRITE_4PLUS) == 0 || pciWords() >= 4) return true;
  // The tail of a counted transfer goes out although it is short, unless the part has that fault.
  return counting() && !config_.faults.residue && (count(direction) + 3) / 4 <= pciWords();
}

std::optional<Direction> S5933Core::request() const {
  const bool read = wants(Direction::Read);
  const bool write = wants(Direction::Write);
  if (!read && !write) return std::nullopt;
  if (read != write) return read ? Direction::Read : Direction::Write;
  const std::uint32_t mcsr = pci_.peek(kRowMcsr);
  const bool read_first = (mcsr & MCSR_READ_PRIORITY) != 0;
  const bool write_first = (mcsr & MCSR_WRITE_PRIORITY) != 0;
  if (read_first != write_first) return read_first ? Direction::Read : Direction::Write;
  return last_direction_ == Direction::Write ? Direction::Read : Direction::Write;
}

std::uint32_t S5933Core::phaseBytes(Direction direction, std::uint32_t phase) const {
  if (!counting()) return 4;
  const std::uint32_t left = count(direction);
  return left > 4 * phase ? std::min(4U, left - 4 * phase) : 0;
}

void S5933Core::beginPiece(Direction direction, std::uint32_t words, std::uint32_t* data) {
  last_direction_ = direction;
  if (direction == Direction::Read) {
    p2a_reserved_ = words;
    piece_epoch_[index(direction)] = p2a_epoch_;
    return;
  }
  a2p_locked_ = words;
  piece_epoch_[index(direction)] = a2p_epoch_;
  for (std::uint32_t i = 0; i < words; ++i) data[i] = convert(pciPeekWord(i));
}

void S5933Core::endPiece(Direction direction, std::uint32_t words, const std::uint32_t* data) {
  const bool read = direction == Direction::Read;
  // A FIFO that was reset during the burst has nothing to do with its words any more.
  const bool same = piece_epoch_[index(direction)] == (read ? p2a_epoch_ : a2p_epoch_);
  (read ? p2a_reserved_ : a2p_locked_) = 0;
  for (std::uint32_t i = 0; same && i < words; ++i) {
    if (read) {
      pciPush(data[i]);
    } else {
      static_cast<void>(pciPop());
    }
  }
  totals_.master_words[index(direction)] += words;
  const std::size_t address_row = row(read ? MRAR : MWAR);
  const std::size_t count_row = row(read ? MRTC : MWTC);
  pci_.poke(address_row, pci_.peek(address_row) + 4 * words);
  if (counting() && words != 0) {
    const std::uint32_t before = count(direction);
    const std::uint32_t after = before > 4 * words ? before - 4 * words : 0;
    pci_.poke(count_row, after & kCountMask);
    if (before != 0 && after == 0) {
      const std::uint32_t enables = pci_.peek(kRowIntcsr);
      const std::uint32_t addon_enables = addon_.peek(kRowAint);
      if ((enables & (read ? INTCSR_READ_ENABLE : INTCSR_WRITE_ENABLE)) != 0) {
        pci_.setBits(kRowIntcsr, read ? INTCSR_READ_INT : INTCSR_WRITE_INT);
      }
      if ((addon_enables & (read ? AINT_READ_ENABLE : AINT_WRITE_ENABLE)) != 0) {
        addon_.setBits(kRowAint, read ? AINT_READ_INT : AINT_WRITE_INT);
      }
    }
  }
  if (!read) return;
  read_mastered_ += words;
  const std::uint32_t limit = config_.faults.master_read_hang;
  if (limit != 0 && read_mastered_ >= limit) hung_[index(direction)] = true;
}

void S5933Core::abortTransfer(Direction direction, bool master_abort) {
  ++(master_abort ? totals_.master_aborts : totals_.target_aborts);
  config_regs_.setBits(kRowCommand,
                       master_abort ? STATUS_RECEIVED_MASTER_ABORT : STATUS_RECEIVED_TARGET_ABORT);
  pci_.setBits(kRowIntcsr, master_abort ? INTCSR_MASTER_ABORT : INTCSR_TARGET_ABORT);
  addon_.setBits(kRowAint, AINT_MASTER_ERROR);
  // Trying the same address again would fail for ever: the enable falls (assumed; the data book
  // only says it stops).
  pci_.clearBits(kRowMcsr, direction == Direction::Read ? MCSR_READ_ENABLE : MCSR_WRITE_ENABLE);
  pin_enable_[index(direction)] = false;
}

}  // namespace rtvp::tigershark::s5933
