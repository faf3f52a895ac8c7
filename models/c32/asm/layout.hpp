// Sections and symbols while a program is assembled, and the step that gives sections their
// addresses.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/c32/asm/expression.hpp"
#include "models/c32/asm/image.hpp"
#include "models/c32/asm/preprocessor.hpp"

namespace rtvp::c32 {

/// A section under construction.
struct Building {
  std::string name;
  Section::Kind kind = Section::Kind::Data;
  std::uint32_t size = 0;
  std::uint32_t alignment = 1;
  std::optional<std::uint32_t> run;   ///< as the source asks; otherwise run = load
  std::optional<std::uint32_t> load;  ///< as the source asks; otherwise behind the section before
  std::string runAfter;               ///< run address = end of that section's run range
  bool copy = false;                  ///< in the file, not in memory
  Line placedBy;                      ///< line that set an address, for messages
  std::uint32_t loadBase = 0;         ///< results of place()
  std::uint32_t runBase = 0;
  std::size_t firstUse = static_cast<std::size_t>(-1);  ///< rank among the sections with contents
  std::vector<std::uint32_t> words;

  bool initialised() const { return kind != Section::Kind::Bss; }
};

/// Reports a placement error (severity, line to blame, text).
using PlacementReport = std::function<void(Diagnostic::Severity, const Line&, const std::string&)>;

/// Gives every section its addresses (README.md, "Sections"): initialised sections load one behind
/// the other in order of their first contents, uninitialised ones follow; explicit addresses win.
void place(std::vector<Building>& sections, const PlacementReport& report);

}  // namespace rtvp::c32
