// The linker's script: which memory a board has and where sections go. Language: README.md.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

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
};

struct OutputSpec {
  std::string name;
  Placement load, run;  ///< run not given: as load
  std::uint32_t alignment = 1;
  std::uint32_t fill = 0;                ///< word between aligned inputs
  std::optional<std::uint32_t> minimum;  ///< `size = n`: at least so many words
  std::vector<InputPattern> inputs;      ///< empty: `*(name)`
  std::vector<std::string> loadStart, runStart, sizeOf, runEnd;  ///< symbols to define
  std::uint32_t line = 0;
};

struct LinkScript {
  std::vector<MemoryRegion> memory;
  std::vector<OutputSpec> sections;
  std::vector<std::pair<std::string, std::uint32_t>> constants;  ///< NAME = number;
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
