// One table of everything the C32's documentation leaves open: named options of CpuConfig with
// their defaults, and the decisions that have no alternative. Command lines, their --help and the
// manual read it from here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "models/c32/timing.hpp"

namespace rtvp::c32 {

struct CpuOption {
  std::string_view key;      ///< as on a command line: "bcond-untaken-cycles"
  std::string_view section;  ///< of c32.md
  std::string_view unit;     ///< "cycles", "Hz", "bits" or empty
  std::string_view choices;  ///< names of the values 0, 1 ... separated by '|'; empty: a number
  std::uint64_t least;
  std::uint64_t most;
  std::string_view help;
  std::uint64_t (*get)(const CpuConfig&);
  void (*set)(CpuConfig&, std::uint64_t);
};

/// Every option, in the order of c32.md.
[[nodiscard]] std::span<const CpuOption> cpuOptions();

/// Sets `key` from text: a choice's name, or a decimal or 0x number in range. Empty on success,
/// else what is wrong.
[[nodiscard]] std::optional<std::string> setCpuOption(CpuConfig& config, std::string_view key,
                                                      std::string_view value);
/// The value as setCpuOption() takes it.
[[nodiscard]] std::string cpuOptionText(const CpuOption& option, const CpuConfig& config);

/// A statement of c32.md marked unverified, or left open, that the model fixes.
struct CpuDecision {
  std::string_view section;
  std::string_view text;
};
[[nodiscard]] std::span<const CpuDecision> cpuDecisions();

/// Both tables as Markdown, with the defaults: the manual's page.
[[nodiscard]] std::string cpuOptionsMarkdown();
/// The register tables of DMA, timers, serial port and bus control as Markdown.
[[nodiscard]] std::string peripheralsMarkdown();

}  // namespace rtvp::c32
