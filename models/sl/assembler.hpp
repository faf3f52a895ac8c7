// The SL assembler (sl.md section 4): source text to a checked program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/sl/program.hpp"

namespace rtvp::sl {

struct Diagnostic {
  std::string file;
  std::uint32_t line = 0;    ///< from 1
  std::uint32_t column = 0;  ///< from 1, in bytes
  std::string message;
};

/// `file:line:column: error: message`, one a line.
std::string formatDiagnostics(const std::vector<Diagnostic>& diagnostics);

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
