// See diagnostics.hpp.
#include "models/common/core/diagnostics.hpp"

namespace rtvp::common {

std::string formatDiagnostics(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics) {
    text += d.file + ":";
    if (d.line != 0) text += std::to_string(d.line) + ":" + std::to_string(d.column) + ":";
    text += " ";
    text += d.severity == Diagnostic::Severity::Error ? "error: " : "warning: ";
    text += d.message + "\n";
    if (!d.context.empty()) text += d.context + "\n";
  }
  return text;
}

}  // namespace rtvp::common
