// THEIA's microcode as the build assembled it: the ROM, and the sets that a user can choose
// between.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "models/theia/assembler.hpp"
#include "models/theia/core.hpp"

namespace rtvp::theia {

/// A choice of routines: the entry table that reaches them. All sets lie in one ROM.
struct Microcode {
  std::string_view name;
  std::string_view description;
  std::array<std::uint16_t, kEntries> table;
};

/// The ROM: the original's routines at their rows and the other sets above them.
/// `fixed_bilinear` corrects the original set's texture filter (theia.md 5.6).
Rom microcodeRom(bool fixed_bilinear = false);
std::span<const Microcode> microcodeSets();
/// ROM row of a label of the microcode sources (the first source's, where several have it).
[[nodiscard]] std::optional<std::uint16_t> microcodeRow(std::string_view label);
/// Labels and lines of what microcodeRom() returns.
[[nodiscard]] std::vector<CodeSource> microcodeCode(bool fixed_bilinear = false);
/// Null when there is no such set.
const Microcode* findMicrocode(std::string_view name);

}  // namespace rtvp::theia
