// Configuration space of the S5933: what boot memory makes of it, base addresses and their size
// probing. See s5933_core.hpp and board.md 4.1.
#include <bit>

#include "models/tigershark/s5933_core.hpp"

namespace rtvp::tigershark::s5933 {
namespace {

std::uint32_t get(const std::vector<std::uint8_t>& image, std::size_t at, std::size_t bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    value |= static_cast<std::uint32_t>(image[at + i]) << (8 * i);
  return value;
}

/// Boot memory counts only with the pattern that the part looks for in 50h..53h.
bool isBootable(const std::vector<std::uint8_t>& image) {
  return image.size() >= kNvBytes && (get(image, 0x50, 4) & 0xFFFFFFFCU) == 0x10E8FFC0U;
}

/// Writable address bits of a base address register, 0 if the definition is no region.
std::uint32_t addressMask(std::uint32_t definition, bool io) {
  const std::uint32_t mask = definition & (io ? 0xFFFFFFFCU : 0xFFFFFFF0U);
  return mask != 0 && std::has_single_bit(~mask + 1U) ? mask : 0;
}

}  // namespace

void S5933Core::loadBase(std::size_t number, std::uint32_t definition) {
  BaseAddress& base = bases_[number];
  base = {};
  base.io = (definition & 1) != 0;
  std::uint32_t full = definition;
  if (number == 0) {
    full = 0xFFFFFFC0U | (definition & 3);
  } else {
    const std::uint32_t width = definition >> 30;
    base.bus_width = width == 0 ? 32 : 4U << width;
    full |= 0xC0000000U;  // these two bits define the bus width, as address bits they always exist
    if (width == 0) full = 0;
  }
  const std::uint32_t mask = addressMask(full, base.io);
  base.enabled = mask != 0;
  base.size = base.enabled ? ~mask + 1U : 0;
  const std::uint32_t fixed = base.io ? 1U : full & 0xF;
  config_regs_.setReset(kRowBase0 + number, base.enabled ? fixed : 0);
}

void S5933Core::bootLoad() {
  const auto reset = [this](ConfigReg reg, std::uint32_t value) {
    config_regs_.setReset(reg.row(), value);
  };
  if (isBootable(nv_)) {
    reset("ID", get(nv_, 0x40, 4));
    reset("CLASS", get(nv_, 0x48, 4));
    const std::uint32_t self_test = nv_[0x4F] & 0x80U;
    reset("MISC", self_test << 24 | static_cast<std::uint32_t>(nv_[0x4E]) << 16 |
                      static_cast<std::uint32_t>(nv_[0x4D]) << 8);
    reset("INT", get(nv_, 0x7C, 4));
    counts_on_pci_ = (nv_[0x45] & 0x80) != 0;
    loadBase(0, get(nv_, 0x50, 4));
    for (std::size_t i = 1; i < kBases; ++i) loadBase(i, get(nv_, 0x50 + 4 * i, 4));
  } else {
    for (std::size_t i = 0; i < kConfigRegisters.size(); ++i)
      config_regs_.setReset(i, static_cast<std::uint32_t>(kConfigRegisters[i].reset));
    counts_on_pci_ = true;
    loadBase(0, 0x10E8FFC1U);
    for (std::size_t i = 1; i < kBases; ++i) loadBase(i, 0);
  }
  config_regs_.reset();
}

std::uint32_t S5933Core::configRead(std::uint32_t offset) const {
  const std::size_t found = config_regs_.find(offset);
  return found == common::RegisterFile::kNone ? 0 : config_regs_.read(found);
}

void S5933Core::configWrite(std::uint32_t offset, std::uint32_t value, std::uint32_t byte_mask) {
  const std::size_t found = config_regs_.find(offset);
  if (found == common::RegisterFile::kNone) return;
  const std::uint32_t before = config_regs_.peek(found);
  config_regs_.write(found, value, byte_mask);
  if (found >= kRowBase0 && found < kRowBase0 + kBases) {
    const BaseAddress& base = bases_[found - kRowBase0];
    const std::uint32_t writable = base.enabled ? ~(base.size - 1) : 0;
    config_regs_.assign(found, ~writable, before);
  }
  if (found == kRowMisc) {
    const std::uint32_t now = config_regs_.peek(found);
    if ((now >> 31) == 0) config_regs_.clearBits(found, BIST_START);
    if ((before & BIST_START) == 0 && (config_regs_.peek(found) & BIST_START) != 0) {
      addon_.setBits(kRowAint, AINT_SELF_TEST);
    }
  }
}

std::optional<int> S5933Core::decode(bool io, std::uint64_t address) const {
  const std::uint32_t command = config_regs_.peek(kRowCommand);
  if ((command & (io ? COMMAND_IO : COMMAND_MEMORY)) == 0 || address > 0xFFFFFFFFU)
    return std::nullopt;
  for (std::size_t i = 0; i < kBases; ++i) {
    const BaseAddress& base = bases_[i];
    if (!base.enabled || base.io != io) continue;
    const std::uint32_t mask = ~(base.size - 1);
    const std::uint32_t at = config_regs_.peek(kRowBase0 + i) & mask;
    // A base of 0 is one that nobody has assigned yet.
    if (at != 0 && (static_cast<std::uint32_t>(address) & mask) == at) return static_cast<int>(i);
  }
  return std::nullopt;
}

}  // namespace rtvp::tigershark::s5933
