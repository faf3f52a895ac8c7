// The C32 assembler as a library: source text in, Image, diagnostics and listing out. Language:
// README.md beside this file and c32.md section 10. Bad input of any kind ends in located
// diagnostics; memory and time are bounded.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/c32/asm/diagnostics.hpp"
#include "models/c32/asm/image.hpp"

namespace rtvp::c32 {

struct AssemblerOptions {
  std::vector<std::string> includeDirectories;  ///< searched after the including file's own folder
  std::map<std::string, std::int32_t> defines;  ///< -D: constants known before the first line
  bool enhanced =
      false;  ///< registers in the 8-bit fields of parallel pairs (silicon revision 2, c32.md 4.2)
  bool listing = false;  ///< fill AssemblyResult::listing
  std::size_t maxErrors = 50;
  /// Reads an included file; empty result = it does not exist. Default: the file system.
  std::function<std::optional<std::string>(const std::string& path)> readFile;
};

struct AssemblyResult {
  std::optional<Image> image;  ///< present when there was no error
  std::vector<Diagnostic> diagnostics;
  std::string listing;

  /// Compiler-style lines `file:line:column: error: ...`.
  std::string report() const { return formatDiagnostics(diagnostics); }
};

/// Assembles `source`; `fileName` is used in diagnostics and to find included files.
AssemblyResult assemble(const std::string& fileName, const std::string& source,
                        const AssemblerOptions& options = {});

/// Reads and assembles a file.
AssemblyResult assembleFile(const std::string& path, const AssemblerOptions& options = {});

}  // namespace rtvp::c32
