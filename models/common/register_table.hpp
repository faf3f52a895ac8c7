// One constexpr table per register-mapped model (style.md S20, S21): from it come decode, reset,
// access rules, debug dump, the Markdown register page and the exhaustive test. Plain C++, no
// SystemC. Side effects are not in the table: the model runs them in a switch next to it and keeps
// computed bits current with poke().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rtvp::common {

/// What a bit does on a bus access. Bits outside every field are reserved: they read as in the
/// reset value and ignore writes.
enum class Access : std::uint8_t {
  Ro,   ///< reads the state; writes are ignored
  Wo,   ///< a write acts, nothing is stored, reads 0
  Rw,   ///< stored as written
  W1c,  ///< writing 1 clears the bit, 0 leaves it
};

/// Bits msb..lsb of one register.
struct FieldDescriptor {
  std::string_view name;
  std::uint8_t msb;
  std::uint8_t lsb;
  Access access;
  std::string_view description;

  [[nodiscard]] constexpr std::uint32_t mask() const {
    return (0xFFFFFFFFU >> (31U - (msb - lsb))) << lsb;
  }
};

/// One register. `fields` must outlive the table (a constexpr array).
struct RegisterDescriptor {
  std::string_view name;  ///< the manual's spelling
  std::uint32_t offset;   ///< bytes from the block's base
  std::uint8_t width;     ///< bytes: 1, 2 or 4
  std::uint32_t reset;    ///< value after reset
  bool side_effects;  ///< an access does more than the bits say (FIFO ports, mailboxes, commands)
  std::string_view unit;    ///< "bytes", "byte address", "bits" ...
  std::string_view source;  ///< document and section, or "assumed" with the reason
  std::span<const FieldDescriptor> fields;

  [[nodiscard]] constexpr std::uint32_t mask(Access access) const {
    std::uint32_t bits = 0;
    for (const FieldDescriptor& field : fields) {
      if (field.access == access) bits |= field.mask();
    }
    return bits;
  }
};

/// Compile-time check for static_assert: widths are legal, registers are ordered, aligned and
/// disjoint, fields lie in their register and do not overlap.
constexpr bool isWellFormed(std::span<const RegisterDescriptor> table) {
  std::uint32_t next = 0;
  for (const RegisterDescriptor& reg : table) {
    if (reg.width != 1 && reg.width != 2 && reg.width != 4) return false;
    if (reg.offset < next || reg.offset % reg.width != 0) return false;
    next = reg.offset + reg.width;
    std::uint32_t seen = 0;
    for (const FieldDescriptor& field : reg.fields) {
      if (field.msb < field.lsb || field.msb >= reg.width * 8) return false;
      if ((seen & field.mask()) != 0) return false;
      seen |= field.mask();
    }
    if (reg.width < 4 && (reg.reset >> (reg.width * 8)) != 0) return false;
  }
  return true;
}

/// The register's number in the table by name; the table's size when there is none. For constexpr
/// enumerators.
constexpr std::size_t indexOf(std::span<const RegisterDescriptor> table, std::string_view name) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].name == name) return i;
  }
  return table.size();
}

/// The stored state of a register block, accessed by table row. Byte masks have FFh in every byte
/// that the access enables. An index outside the table throws std::out_of_range: that is a model
/// bug, never a guest's input.
class RegisterFile {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// `table` must outlive the file and be well formed (isWellFormed); throws std::invalid_argument
  /// otherwise.
  explicit RegisterFile(std::span<const RegisterDescriptor> table);

  /// Every register takes its reset value.
  void reset();
  /// Replaces a reset value (boot memory); the current value is left alone until reset().
  void setReset(std::size_t index, std::uint32_t value);

  /// Row of the register that holds byte `offset`, kNone for a hole.
  [[nodiscard]] std::size_t find(std::uint32_t offset) const;

  /// What the bus sees: the state with write-only bits as 0.
  [[nodiscard]] std::uint32_t read(std::size_t index) const;
  /// A bus write under the access rules. Returns the bits the write may act on: write data masked
  /// by byte enables.
  std::uint32_t write(std::size_t index, std::uint32_t value,
                      std::uint32_t byte_mask = 0xFFFFFFFFU);

  /// The model's own view: no access rules.
  [[nodiscard]] std::uint32_t peek(std::size_t index) const { return values_.at(index); }
  void poke(std::size_t index, std::uint32_t value) { values_.at(index) = value; }
  void setBits(std::size_t index, std::uint32_t bits) { values_.at(index) |= bits; }
  void clearBits(std::size_t index, std::uint32_t bits) { values_.at(index) &= ~bits; }
  /// Replaces the bits under `mask`.
  void assign(std::size_t index, std::uint32_t mask, std::uint32_t bits) {
    std::uint32_t& value = values_.at(index);
    value = (value & ~mask) | (bits & mask);
  }

  [[nodiscard]] std::span<const RegisterDescriptor> table() const { return table_; }
  /// One line per register: offset, name, value, fields that are not zero.
  [[nodiscard]] std::string dump() const;

 private:
  struct Masks {
    std::uint32_t rw, w1c, wo;
  };
  std::span<const RegisterDescriptor> table_;
  std::vector<Masks> masks_;
  std::vector<std::uint32_t> values_;
  std::vector<std::uint32_t> resets_;
  std::vector<std::uint16_t> decode_;  // row + 1 by byte offset, 0 = hole
};

/// The register page of a model's documentation: one table of registers, one of fields per
/// register.
[[nodiscard]] std::string registerMarkdown(std::string_view title,
                                           std::span<const RegisterDescriptor> table);

}  // namespace rtvp::common
