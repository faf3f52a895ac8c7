// What a compiler tells debuggers: C files, functions, variables, types and lines, as the symbol
// table and the line entries of a TI COFF file hold them (TI, TMS320C54x User's Guide, appendix
// "Common Object File Format": the format of all processors of that time). The assembler makes it
// of debug directives, the linker joins it, c32-objdump shows it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rtvp::c32 {

/// Storage classes of symbols (c32.md 10.6; the others as in every COFF).
namespace storage {
inline constexpr std::uint8_t kAutomatic = 1, kExternal = 2, kStatic = 3, kRegister = 4, kLabel = 6,
                              kMember = 8, kArgument = 9, kStructure = 10, kUnionMember = 11,
                              kUnion = 12, kTypedef = 13, kEnumeration = 15, kEnumerator = 16,
                              kRegisterArgument = 17, kField = 18, kBlock = 100, kFunction = 101,
                              kEndOfStructure = 102, kFile = 103;
}  // namespace storage

/// Types: four bits of basic type, then pairs of bits, the lowest first: how the name is derived
/// from it.
namespace ctype {
inline constexpr unsigned kVoid = 0, kStruct = 8, kUnion = 9, kEnum = 10, kBasicMask = 15;
inline constexpr unsigned kPointer = 1, kFunction = 2, kArray = 3;
constexpr unsigned derivation(unsigned type, unsigned level) {
  return type >> (4 + 2 * level) & 3u;
}
}  // namespace ctype

/// One entry of the symbol table.
struct DebugEntry {
  static constexpr int kAbsolute = -1, kNowhere = -2;
  std::string name;         ///< of a file (kFile): the file's name
  std::uint32_t value = 0;  ///< in a section: its offset in an Object, its address in an Image;
                            ///< else frame offset, register, or first bit of a member
  int section = kNowhere;
  std::uint16_t type = 0;
  std::uint8_t storage = 0;
  int tag = -1;            ///< the entry of its structure, union or enumeration
  std::uint32_t size = 0;  ///< bits; of a function: words
  std::uint32_t line = 0;  ///< begin and end of functions and blocks
  int next = -1;           ///< entry behind the end of a function, block or structure
  std::array<std::uint16_t, 4> dimensions{};
  std::uint32_t saved = 0, frame = 0;  ///< begin of a function: mask of registers it saves, words

  bool isFunction() const { return ctype::derivation(type, 0) == ctype::kFunction; }
  bool isSymbol() const { return storage == storage::kExternal || storage == storage::kStatic; }
  bool isTag() const {
    return storage == storage::kStructure || storage == storage::kUnion ||
           storage == storage::kEnumeration;
  }
  bool isMember() const {
    return storage == storage::kMember || storage == storage::kUnionMember ||
           storage == storage::kEnumerator || storage == storage::kField;
  }

  friend bool operator==(const DebugEntry&, const DebugEntry&) = default;
};

/// The code of a line of the source begins here.
struct DebugLine {
  int function = -1;  ///< its entry
  int section = -1;
  std::uint32_t place = 0;  ///< as DebugEntry::value
  std::uint32_t line = 0;   ///< from the function's first line on, that being 1

  friend bool operator==(const DebugLine&, const DebugLine&) = default;
};

struct DebugInfo {
  std::vector<DebugEntry> entries;
  std::vector<DebugLine> lines;  ///< by function

  bool empty() const { return entries.empty(); }
  friend bool operator==(const DebugInfo&, const DebugInfo&) = default;
};

/// A line of a C source.
struct SourcePlace {
  std::string file;
  std::uint32_t line = 0;
  std::string function;
  friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

/// The name of the file an entry belongs to; empty if there is none before it.
std::string debugFile(const DebugInfo& info, int entry);
/// The begin (.bf) of a function's entry, or -1.
int debugBegin(const DebugInfo& info, int function);
/// Line of the file for one of the info's lines.
std::uint32_t debugLineNumber(const DebugInfo& info, const DebugLine& line);
/// Where each section's words come from: places and lines, sorted by place. What a function's last
/// line covers ends with the function.
struct PlacedSource {
  std::uint32_t place = 0;
  SourcePlace source;
};
std::vector<PlacedSource> debugSources(const DebugInfo& info, int section);

/// `int *x[4]`: the declaration of an entry in C, without the underscore that compilers put in
/// front of names.
std::string declaration(const DebugInfo& info, const DebugEntry& entry);
/// All of it as text: files, types, functions with their variables and lines.
std::string debugText(const DebugInfo& info);

}  // namespace rtvp::c32
