// The linker's script: which memory a board has and where sections go. Language: README.md.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/c32/link/script_expression.hpp"

namespace rtvp::c32 {

/// A range of the address space that sections may be put into.
struct MemoryRegion {
  std::string name;
  std::uint32_t origin = 0;
  std::uint32_t length = 0;  ///< words
};

/// Where a load or run image goes: an address, a region, or (neither) the linker's choice.
struct Placement {
  std::optional<std::uint32_t> address;
  std::string region;
  bool given() const { return address.has_value() || !region.empty(); }
};

/// `file(section ...)` inside the braces of an output section; * and ? match as in file names.
struct InputPattern {
  std::string file = "*";
  std::vector<std::string> sections;
  std::vector<ScriptAssignment> before;  ///< between the pattern in front and this one
};

/// What an output section is for loaders and for the processor's memory.
enum class OutputType : std::uint8_t {
  Normal,
  Copy,    ///< in the file, not in memory
  Dummy,   ///< gives its symbols addresses, is nowhere
  NoLoad,  ///< has its place in memory, but no words
};

struct OutputSpec {
  std::string name;
  Placement load, run;  ///< run not given: as load
  std::uint32_t alignment = 1;
  OutputType type = OutputType::Normal;
  std::uint32_t block = 0;               ///< not across a multiple of so many words, if it fits one
  std::uint32_t fill = 0;                ///< word between aligned inputs
  std::optional<std::uint32_t> minimum;  ///< `size = n`: at least so many words
  std::vector<InputPattern> inputs;      ///< empty: `*(name)`
  std::vector<ScriptAssignment> after;   ///< behind the last input
  std::vector<std::string> loadStart, runStart, sizeOf, runEnd;  ///< symbols to define
  std::uint32_t line = 0;
};

/// GROUP: members one behind the other. UNION: members at one run address.
struct SectionGroup {
  struct Member {
    bool isGroup = false;
    std::size_t number = 0;  ///< in `sections` or `groups` of the script
  };
  bool isUnion = false, nested = false;
  Placement load, run;
  std::uint32_t alignment = 1;
  std::vector<Member> members;
  std::uint32_t line = 0;
};

/// How C variables get their first values.
enum class Initialisation : std::uint8_t {
  None,
  Rom,  ///< -c: the program copies from .cinit in memory
  Ram,  ///< -cr: the loader does, .cinit is a COPY section
};

/// Options and file names among the directives of a command file, as TI's linker takes them.
struct LinkCommands {
  std::vector<std::string> inputs;       ///< in their order; libraries as `-l name`
  std::vector<std::string> directories;  ///< -i
  std::vector<std::string> wanted;       ///< -u: symbols to look for in libraries
  std::string output, map;
  Initialisation initialisation = Initialisation::None;
  std::optional<std::uint32_t> stack, heap;    ///< words
  std::optional<std::uint32_t> heap8, heap16;  ///< of the C32's memories of 8 and 16 bits
};

struct LinkScript {
  LinkCommands commands;
  std::vector<MemoryRegion> memory;
  std::vector<OutputSpec> sections;
  std::vector<SectionGroup> groups;
  std::vector<std::pair<std::string, std::uint32_t>> constants;  ///< NAME = number;
  std::vector<ScriptAssignment> assignments;                     ///< NAME = expression of symbols;
  std::string entry;

  const MemoryRegion* region(const std::string& name) const;
};

/// what() is `line: found ..., expected ...`.
class ScriptError : public std::runtime_error {
 public:
  ScriptError(std::uint32_t line, std::uint32_t column, const std::string& text)
      : std::runtime_error(text), line_(line), column_(column) {}
  std::uint32_t line() const { return line_; }
  std::uint32_t column() const { return column_; }

 private:
  std::uint32_t line_, column_;
};

/// Throws ScriptError for the first mistake.
LinkScript parseScript(const std::string& text);

/// `pattern` with * and ? against `text`.
bool matches(const std::string& pattern, const std::string& text);

}  // namespace rtvp::c32
