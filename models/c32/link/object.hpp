// A relocatable object: what the assembler writes when the linker is to decide addresses, and what
// the linker reads. Field layouts and relocation types: c32.md 10.3, 10.6.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/c32/asm/image.hpp"

namespace rtvp::c32 {

/// Relocation types by their COFF numbers (c32.md 10.6). S = value of the symbol, A = what stands
/// in the field, P = run address of the word.
enum class RelocationType : std::uint16_t {
  Absolute = 0,   ///< nothing to do
  Rel24 = 5,      ///< low 24 bits: S + A
  RelWord = 16,   ///< low 16 bits, signed: S + A
  RelLong = 17,   ///< all bits: S + A
  PcrWord = 19,   ///< low 16 bits, signed: S + A - P
  Pcr24 = 21,     ///< low 24 bits: S + A - P
  PartLs16 = 32,  ///< low 16 bits: S + A, no check
  PartMs8 = 33,   ///< low 16 bits: (S + displacement >> 16) + A, no check
};

/// "R_REL24" and so on; empty for a number that is no type.
std::string relocationName(RelocationType type);

struct Relocation {
  std::uint32_t offset = 0;  ///< words from the section's start
  RelocationType type = RelocationType::Absolute;
  int symbol = -1;  ///< index into Object::symbols; -1: the start of the section itself
  std::uint32_t displacement = 0;  ///< PartMs8: low 16 bits of the addend

  friend bool operator==(const Relocation&, const Relocation&) = default;
};

struct ObjectSection {
  std::string name;
  Section::Kind kind = Section::Kind::Text;
  std::uint32_t size = 0;
  std::uint32_t alignment = 1;
  std::optional<std::uint32_t> run;   ///< address the source demands; empty: the linker's choice
  std::optional<std::uint32_t> load;  ///< likewise, of the load image
  std::vector<std::uint32_t> words;   ///< empty for Bss
  std::vector<Relocation> relocations;
  bool copy = false;  ///< in the file, not in memory

  friend bool operator==(const ObjectSection&, const ObjectSection&) = default;
};

struct ObjectSymbol {
  static constexpr int kAbsolute = -1, kUndefined = -2;
  std::string name;
  std::uint32_t value = 0;  ///< words from the section's start, or the constant
  int section = kUndefined;
  bool external = false;
  bool load = false;           ///< relative to the section's load address (.label)
  bool sectionSymbol = false;  ///< stands for the section itself

  friend bool operator==(const ObjectSymbol&, const ObjectSymbol&) = default;
};

/// Source line of a word.
struct ObjectLine {
  std::uint32_t section = 0;
  std::uint32_t offset = 0;
  std::uint32_t file = 0;  ///< index into Object::files
  std::uint32_t line = 0;

  friend bool operator==(const ObjectLine&, const ObjectLine&) = default;
};

struct Object {
  std::vector<ObjectSection> sections;
  std::vector<ObjectSymbol> symbols;
  std::vector<std::string> files;
  std::vector<ObjectLine> lines;       ///< sorted by section and offset
  std::optional<std::uint32_t> entry;  ///< of an executable file read as input
  DebugInfo debug;                     ///< places are offsets in their sections

  /// "file:line" of a word; empty if unknown.
  std::string sourceLine(std::uint32_t section, std::uint32_t offset) const;

  friend bool operator==(const Object&, const Object&) = default;
};

}  // namespace rtvp::c32
