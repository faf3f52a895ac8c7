// The SL assembler (sl.md section 4): source text to a checked program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/core/diagnostics.hpp"
#include "models/sl/program.hpp"

namespace rtvp::sl {

using common::Diagnostic;
using common::formatDiagnostics;

struct AssemblerOptions {
  bool lenient = false;  ///< blanks and comments as people write them
  OffsetBase base = OffsetBase::Next;
  std::size_t maxErrors = 20;  ///< a run stops after this many
};

struct AssemblyResult {
  std::optional<Program> program;  ///< exactly if there is no diagnostic
  std::vector<Diagnostic> diagnostics;
  std::vector<std::uint32_t> lines;  ///< source line of each instruction
  std::string listing;               ///< pc, word, target and source; empty if there are errors

  [[nodiscard]] std::string report() const { return formatDiagnostics(diagnostics); }
};

/// `file` is the name that diagnostics show.
AssemblyResult assemble(std::string_view file, std::string_view source,
                        const AssemblerOptions& options = {});

}  // namespace rtvp::sl
