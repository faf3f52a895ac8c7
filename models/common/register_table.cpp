// Register files and their documentation, see register_table.hpp.
#include "models/common/register_table.hpp"

#include <cstdio>
#include <stdexcept>

#include "models/common/core/text.hpp"

namespace rtvp::common {
namespace {

std::string bitRange(const FieldDescriptor& field) {
  std::string text = std::to_string(field.msb);
  if (field.msb != field.lsb) text += ":" + std::to_string(field.lsb);
  return text;
}

}  // namespace

std::string_view nameOf(Access access) {
  switch (access) {
    case Access::Ro:
      return "ro";
    case Access::Wo:
      return "wo";
    case Access::Rw:
      return "rw";
    case Access::W1c:
      return "w1c";
  }
  return "?";
}

RegisterDecoder::RegisterDecoder(std::span<const RegisterDescriptor> table) : table_(table) {
  if (!isWellFormed(table)) throw std::invalid_argument("register table is not well formed");
  if (!table.empty()) rows_.resize(table.back().offset + table.back().width);
  for (std::size_t row = 0; row < table.size(); ++row) {
    for (std::uint32_t byte = 0; byte < table[row].width; ++byte) {
      rows_[table[row].offset + byte] = static_cast<std::uint16_t>(row + 1);
    }
  }
}

RegisterFile::RegisterFile(std::span<const RegisterDescriptor> table) : decoder_(table) {
  for (const RegisterDescriptor& reg : table) {
    if (reg.width > 4) throw std::invalid_argument("a register file holds words of 32 bits");
    masks_.push_back({reg.mask(Access::Rw), reg.mask(Access::W1c), reg.mask(Access::Wo)});
    resets_.push_back(static_cast<std::uint32_t>(reg.reset));
  }
  values_ = resets_;
}

void RegisterFile::reset() {
  values_ = resets_;
}

void RegisterFile::setReset(std::size_t index, std::uint32_t value) {
  resets_.at(index) = value;
}

std::uint32_t RegisterFile::read(std::size_t index) const {
  return values_.at(index) & ~masks_[index].wo;
}

std::uint32_t RegisterFile::write(std::size_t index, std::uint32_t value, std::uint32_t byte_mask) {
  std::uint32_t& state = values_.at(index);
  const Masks& masks = masks_[index];
  const std::uint32_t stored = masks.rw & byte_mask;
  state = (state & ~stored) | (value & stored);
  state &= ~(value & byte_mask & masks.w1c);
  return value & byte_mask;
}

std::string RegisterFile::dump() const {
  std::string text;
  for (std::size_t row = 0; row < table().size(); ++row) {
    const RegisterDescriptor& reg = table()[row];
    text += hexH(reg.offset, 2) + " ";
    text += reg.name;
    text += " = " + hexH(values_[row], reg.width * 2);
    for (const FieldDescriptor& field : reg.fields) {
      const std::uint64_t bits = (values_[row] & field.mask()) >> field.lsb;
      if (bits == 0 || field.mask() == 0xFFFFFFFFU) continue;
      text += " ";
      text += field.name;
      text += "=" + hexH(bits, 1);
    }
    text += "\n";
  }
  return text;
}

std::string registerMarkdown(std::string_view title, std::span<const RegisterDescriptor> table) {
  std::string text = "### " + std::string(title) + "\n\n";
  text += "| offset | name | width | reset | unit | source |\n|---|---|---|---|---|---|\n";
  for (const RegisterDescriptor& reg : table) {
    text += "| " + hexH(reg.offset, 2) + " | `" + std::string(reg.name) + "` | " +
            std::to_string(reg.width * 8) + " | " + hexH(reg.reset, reg.width * 2U) + " | " +
            std::string(reg.unit) + " | " + std::string(reg.source) + " |\n";
  }
  for (const RegisterDescriptor& reg : table) {
    if (reg.fields.empty()) continue;
    text += "\n`" + std::string(reg.name) +
            "`\n\n| bits | field | access | meaning |\n|---|---|---|---|\n";
    for (const FieldDescriptor& field : reg.fields) {
      text += "| " + bitRange(field) + " | " + std::string(field.name) + " | " +
              std::string(nameOf(field.access)) + " | " + std::string(field.description) + " |\n";
    }
  }
  return text;
}

}  // namespace rtvp::common
