// Text form of a tape (sdf.md 3.8): one instruction a line, `var` or a constant per input, `;`
// comments, .bounds and .material before the first instruction.
// Beyond the reference: constants m2(...), m3(...), m4(...), column major, for the matrix opcodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/core/diagnostics.hpp"
#include "models/implicit/tape.hpp"

namespace rtvp::implicit {

using common::Diagnostic;
using common::formatDiagnostics;

struct AssemblyResult {
  std::optional<Tape> tape;          ///< exactly if there is no diagnostic
  std::vector<std::uint32_t> lines;  ///< of each instruction of the tape
  std::vector<Diagnostic> diagnostics;
  /// `file:line:column: error: message`, one a line.
  [[nodiscard]] std::string report() const { return formatDiagnostics(diagnostics); }
};

/// `file` is the name that diagnostics show. Stops after 20 errors.
AssemblyResult assemble(std::string_view file, std::string_view source,
                        Limits limits = Limits::seed());

/// Text that assembles to the same tape.
std::string disassemble(const Tape& tape);
std::string disassemble(const Instruction& instruction);

}  // namespace rtvp::implicit
