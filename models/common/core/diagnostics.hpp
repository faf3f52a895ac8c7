// Located messages, in the form compilers print.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rtvp::common {

struct Diagnostic {
  enum class Severity : std::uint8_t { Error, Warning };
  std::string file;
  std::uint32_t line = 0;    ///< from 1; 0: the file as a whole
  std::uint32_t column = 0;  ///< from 1, in bytes
  Severity severity = Severity::Error;
  std::string message;
  std::string context = {};  ///< lines that follow it: where a macro or file was called from
};

/// `file:line:column: error: message`, one a line, each followed by its context.
[[nodiscard]] std::string formatDiagnostics(const std::vector<Diagnostic>& diagnostics);

}  // namespace rtvp::common
