// Reads 64-bit little-endian RISC-V executables (ELF, ET_EXEC). The file is not trusted: every
// offset and size is checked before it is used.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rtvp::rv64 {

/// What is wrong with the file and what was expected.
class ElfError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ElfSegment {
  std::uint64_t address = 0;
  std::uint64_t size = 0;               ///< in memory; bytes past `bytes` are zero
  std::span<const std::uint8_t> bytes;  ///< in the file's data
};

struct ElfSection {
  std::uint64_t address = 0, size = 0;
  [[nodiscard]] bool holds(std::uint64_t place) const {
    return place >= address && place - address < size;
  }
};

struct ElfSymbol {
  std::string name;
  std::uint64_t value = 0;
  std::uint64_t size = 0;
  bool function = false;
};

struct ElfImage {
  std::span<const std::uint8_t> file;  ///< all of it
  std::uint64_t entry = 0;
  std::vector<ElfSegment> segments;  ///< PT_LOAD with a size, in file order
  std::vector<ElfSymbol> symbols;    ///< named, defined ones, by ascending value
  std::vector<ElfSection> sections;  ///< what of them is in memory, with a size

  /// The value of a symbol; null if there is none.
  [[nodiscard]] const ElfSymbol* find(std::string_view name) const;
  /// The last function or label at or below `address`; null if there is none, or if it lies in
  /// front of the section that `address` is in.
  [[nodiscard]] const ElfSymbol* covering(std::uint64_t address) const;
  /// The bytes of a section, empty if there is none of that name. Throws ElfError if it lies
  /// outside the file or is compressed.
  [[nodiscard]] std::optional<std::span<const std::uint8_t>> section(std::string_view name) const;
};

/// Parses `file`, whose bytes the image refers to. Throws ElfError.
[[nodiscard]] ElfImage readElf(std::span<const std::uint8_t> file);

}  // namespace rtvp::rv64
