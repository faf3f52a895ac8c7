// One constexpr table per register-mapped model (style.md S20, S21): from it come decode, reset,
// access rules, debug dump, the Markdown register page and the exhaustive test. Plain C++, no
// SystemC. Side effects are not in the table: the model runs them in a switch next to it and keeps
// computed bits current with poke().
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rtvp::common {

class StateArchive;

/// What a bit does on a bus access. Bits outside every field are reserved: they read as in the
/// reset value and ignore writes.
enum class Access : std::uint8_t {
  Ro,   ///< reads the state; writes are ignored
  Wo,   ///< a write acts, nothing is stored, reads 0
  Rw,   ///< stored as written
  W1c,  ///< writing 1 clears the bit, 0 leaves it
};

/// What a read of a register does beside giving its value.
enum class ReadEffect : std::uint8_t {
  None,
  Takes,   ///< the next read gives something else: it takes from a FIFO
  Others,  ///< other registers change: flags, latches
};

/// Bits msb..lsb of one register.
struct FieldDescriptor {
  std::string_view name;
  std::uint8_t msb;
  std::uint8_t lsb;
  Access access;
  std::string_view description;
  /// Features of the build, as bits of the model's choice, without which the field reads 0 and
  /// ignores writes.
  std::uint32_t needs = 0;

  [[nodiscard]] constexpr std::uint64_t mask() const {
    return (~std::uint64_t{0} >> (63U - (msb - lsb))) << lsb;
  }
};

/// One register. `fields` must outlive the table (a constexpr array).
struct RegisterDescriptor {
  std::string_view name;  ///< the manual's spelling
  std::uint32_t offset;   ///< bytes from the block's base
  std::uint8_t width;     ///< bytes: 1, 2, 4 or 8
  std::uint64_t reset;    ///< value after reset
  bool side_effects;  ///< an access does more than the bits say (FIFO ports, mailboxes, commands)
  std::string_view unit;    ///< "bytes", "byte address", "bits" ...
  std::string_view source;  ///< document and section, or "assumed" with the reason
  std::span<const FieldDescriptor> fields;
  std::uint16_t number = 0;  ///< of a CSR, for instructions; 0: only the bus reaches it
  ReadEffect onRead = ReadEffect::None;

  /// The bits with this access in a build that has `features`.
  [[nodiscard]] constexpr std::uint64_t bits(
      Access access, std::uint32_t features = std::numeric_limits<std::uint32_t>::max()) const {
    std::uint64_t mask = 0;
    for (const FieldDescriptor& field : fields) {
      if (field.access == access && (field.needs & ~features) == 0) mask |= field.mask();
    }
    return mask;
  }
  /// The same of a register of at most 32 bits, all features built.
  [[nodiscard]] constexpr std::uint32_t mask(Access access) const {
    return static_cast<std::uint32_t>(bits(access));
  }
  /// All bits of it.
  [[nodiscard]] constexpr std::uint64_t wholeMask() const {
    return ~std::uint64_t{0} >> (64U - 8U * width);
  }
  /// Bits of no field: they read as in the reset value.
  [[nodiscard]] constexpr std::uint64_t reserved() const {
    std::uint64_t mask = wholeMask();
    for (const FieldDescriptor& field : fields) mask &= ~field.mask();
    return mask;
  }
  /// The same whose reads do this, too.
  [[nodiscard]] constexpr RegisterDescriptor reading(ReadEffect effect) const {
    RegisterDescriptor copy = *this;
    copy.onRead = effect;
    return copy;
  }
};

/// Compile-time check for static_assert: widths are legal, registers are ordered, aligned and
/// disjoint, fields lie in their register and do not overlap.
constexpr bool isWellFormed(std::span<const RegisterDescriptor> table) {
  std::uint32_t next = 0;
  for (const RegisterDescriptor& reg : table) {
    if (reg.width != 1 && reg.width != 2 && reg.width != 4 && reg.width != 8) return false;
    if (reg.offset < next || reg.offset % reg.width != 0) return false;
    next = reg.offset + reg.width;
    std::uint64_t seen = 0;
    for (const FieldDescriptor& field : reg.fields) {
      if (field.msb < field.lsb || field.msb >= reg.width * 8) return false;
      if ((seen & field.mask()) != 0) return false;
      seen |= field.mask();
    }
    if (reg.width < 8 && (reg.reset >> (reg.width * 8)) != 0) return false;
  }
  return true;
}

/// Compile-time check for static_assert: a name means one register. By itself, because compilers
/// limit the steps of one evaluation.
constexpr bool namesAreUnique(std::span<const RegisterDescriptor> table) {
  // By pointer: compilers count the steps of what they work out (clang: a million).
  const RegisterDescriptor* const end = table.data() + table.size();
  for (const RegisterDescriptor* a = table.data(); a != end; ++a) {
    for (const RegisterDescriptor* b = a + 1; b != end; ++b) {
      if (a->name.size() == b->name.size() && a->name == b->name) return false;
    }
  }
  return true;
}

/// Row of a register in its table by name; the table's size when there is none. For names that come
/// at run time; what is written in the program is resolved by rowOf() and RegisterName.
constexpr std::size_t indexOf(std::span<const RegisterDescriptor> table, std::string_view name) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].name == name) return i;
  }
  return table.size();
}

/// The same, but std::out_of_range when there is none.
constexpr std::size_t rowAtRunTime(std::span<const RegisterDescriptor> table,
                                   std::string_view name) {
  const std::size_t row = indexOf(table, name);
  if (row == table.size()) throw std::out_of_range("no register " + std::string(name));
  return row;
}

// Not constexpr and never defined: a compiler that meets a wrong name quotes one of these.
void theTableHasNoRegisterOfThisName();
void theRegisterHasNoFieldOfThisName();

/// Row of a register, looked up by the compiler: a name that the table does not have does not
/// compile.
consteval std::size_t rowOf(std::span<const RegisterDescriptor> table, std::string_view name) {
  const std::size_t row = indexOf(table, name);
  if (row == table.size()) theTableHasNoRegisterOfThisName();
  return row;
}

/// A field, looked up in the same way.
consteval FieldDescriptor fieldOf(std::span<const FieldDescriptor> fields, std::string_view name) {
  for (const FieldDescriptor& field : fields) {
    if (field.name == name) return field;
  }
  theRegisterHasNoFieldOfThisName();
  return fields.front();
}
/// Mask of a field of a register of at most 32 bits.
consteval std::uint32_t bitsOf(std::span<const FieldDescriptor> fields, std::string_view name) {
  return static_cast<std::uint32_t>(fieldOf(fields, name).mask());
}
/// Its lowest bit.
consteval unsigned shiftOf(std::span<const FieldDescriptor> fields, std::string_view name) {
  return fieldOf(fields, name).lsb;
}
/// `value` put in its place; one that is too large for the field does not compile.
consteval std::uint32_t bitsOf(std::span<const FieldDescriptor> fields, std::string_view name,
                               std::uint32_t value) {
  const FieldDescriptor field = fieldOf(fields, name);
  if (((std::uint64_t{value} << field.lsb) & ~field.mask()) != 0) {
    theRegisterHasNoFieldOfThisName();
  }
  return static_cast<std::uint32_t>(std::uint64_t{value} << field.lsb);
}

/// A register of `kTable`, written as its name and resolved by the compiler. As a parameter's type
/// it makes `read("STATUS")` an index in the caller's code.
template <const auto& kTable>
class RegisterName {
 public:
  template <std::size_t N>
  consteval RegisterName(const char (&name)[N])
      : row_(rowOf(kTable, std::string_view(name, N - 1))) {}

  /// Row in the table.
  [[nodiscard]] constexpr std::size_t row() const { return row_; }
  /// Bytes from the block's base.
  [[nodiscard]] constexpr std::uint32_t offset() const { return kTable[row_].offset; }
  [[nodiscard]] constexpr std::string_view name() const { return kTable[row_].name; }

 private:
  std::size_t row_;
};

/// Which register holds a byte of a block. `table` must outlive it.
class RegisterDecoder {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// Throws std::invalid_argument for a table that is not well formed.
  explicit RegisterDecoder(std::span<const RegisterDescriptor> table);

  /// Row of the register that holds byte `offset`, kNone for a hole.
  [[nodiscard]] std::size_t find(std::uint64_t offset) const {
    if (offset >= rows_.size() || rows_[offset] == 0) return kNone;
    return rows_[offset] - 1U;
  }
  [[nodiscard]] std::span<const RegisterDescriptor> table() const { return table_; }

 private:
  std::span<const RegisterDescriptor> table_;
  std::vector<std::uint16_t> rows_;  // row + 1 by byte offset, 0 = hole
};

/// The stored state of a block of registers of at most 32 bits, accessed by table row. Byte masks
/// have FFh in every byte that the access enables. An index outside the table throws
/// std::out_of_range: that is a model bug, never a guest's input.
class RegisterFile {
 public:
  static constexpr std::size_t kNone = RegisterDecoder::kNone;

  /// `table` must outlive the file. Throws std::invalid_argument for a table that is not well
  /// formed or has a register of 64 bits.
  explicit RegisterFile(std::span<const RegisterDescriptor> table);

  /// Every register takes its reset value.
  void reset();
  /// Replaces a reset value (boot memory); the current value is left alone until reset().
  void setReset(std::size_t index, std::uint32_t value);

  /// Row of the register that holds byte `offset`, kNone for a hole.
  [[nodiscard]] std::size_t find(std::uint64_t offset) const { return decoder_.find(offset); }

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

  [[nodiscard]] std::span<const RegisterDescriptor> table() const { return decoder_.table(); }
  /// For checkpoints, with nothing under way.
  void state(StateArchive& a);
  /// One line per register: offset, name, value, fields that are not zero.
  [[nodiscard]] std::string dump() const;

 private:
  struct Masks {
    std::uint32_t rw, w1c, wo;
  };
  RegisterDecoder decoder_;
  std::vector<Masks> masks_;
  std::vector<std::uint32_t> values_;
  std::vector<std::uint32_t> resets_;
};

/// An access in a word of two or three letters: ro, wo, rw, w1c.
[[nodiscard]] std::string_view nameOf(Access access);

/// The register page of a model's documentation: one table of registers, one of fields per
/// register.
[[nodiscard]] std::string registerMarkdown(std::string_view title,
                                           std::span<const RegisterDescriptor> table);

}  // namespace rtvp::common
