// A program as it goes into memory: sections with a load and a run address, symbols, and which
// source line each word came from. Result of the assembler and of the COFF reader; input of
// loaders, drivers and debuggers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/c32/asm/debug_info.hpp"

namespace rtvp::c32 {

struct Section {
  enum class Kind : std::uint8_t { Text, Data, Bss };
  std::string name;
  std::uint32_t loadAddress = 0;  ///< word address where the words are put (COFF physical address)
  std::uint32_t runAddress = 0;   ///< word address labels refer to (COFF virtual address)
  std::uint32_t size = 0;         ///< words; equals words.size() unless kind is Bss
  Kind kind = Kind::Text;
  std::vector<std::uint32_t> words;  ///< empty for Bss

  friend bool operator==(const Section&, const Section&) = default;
};

struct Symbol {
  std::uint32_t value = 0;
  int section = -1;  ///< index into Image::sections; -1 = a constant
  bool external = false;

  friend bool operator==(const Symbol&, const Symbol&) = default;
};

/// One word of code or data at its run address.
struct LineEntry {
  std::uint32_t address = 0;
  std::uint32_t file = 0;  ///< index into Image::files
  std::uint32_t line = 0;  ///< 1-based

  friend bool operator==(const LineEntry&, const LineEntry&) = default;
};

struct Image {
  std::vector<Section> sections;
  std::map<std::string, Symbol, std::less<>> symbols;
  std::vector<std::string> files;
  std::vector<LineEntry> lines;  ///< sorted by address
  /// COPY sections: in the file, not in the processor's memory. A program's `.cinit` is one where
  /// the loader is to initialise variables (the RAM model of TI's linker, -cr).
  std::vector<Section> copies;
  DebugInfo debug;          ///< what a compiler tells debuggers; places are run addresses
  std::uint32_t entry = 0;  ///< run address

  /// Words that a loader has to store for the RAM model: the records of a COPY section `.cinit`,
  /// decoded as far as they are whole.
  std::vector<Section> initialised() const;
  /// Value of a symbol.
  std::optional<std::uint32_t> find(std::string_view name) const;
  /// "file:line" of the word that runs at `address`; empty if unknown.
  std::string sourceLine(std::uint32_t address) const;

  friend bool operator==(const Image&, const Image&) = default;
};

}  // namespace rtvp::c32
