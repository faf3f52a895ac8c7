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
#include "models/c32/link/object.hpp"

namespace rtvp::c32 {

/// Warnings that may be chosen (README.md, "Warnings").
struct WarningOptions {
  bool dataPage = true;   ///< dp: a direct address before anything sets DP
  bool interlock = true;  ///< interlock: STFI or STII directly before LDFI, LDII or SIGI
  bool carry = true;      ///< carry: condition on C after MPYI, which leaves it alone
  bool repeat = true;     ///< repeat: RPTB of a single word
  bool pipeline = false;  ///< pipeline: address register used too soon after its load
  bool unused = false;    ///< unused: symbol that nothing refers to

  /// Sets one by its name, or all or none of them; `on` false: switches it off. False: no such
  /// name.
  bool set(const std::string& name, bool on = true);
};

/// Whose habits count where they differ (README.md, "Habits").
enum class Dialect : std::uint8_t { Ti, Gnu };

struct AssemblerOptions {
  std::vector<std::string> includeDirectories;  ///< searched after the including file's own folder
  std::map<std::string, std::int32_t> defines;  ///< -D: constants known before the first line
  bool enhanced =
      false;  ///< registers in the 8-bit fields of parallel pairs (silicon revision 2, c32.md 4.2)
  bool listing = false;      ///< fill AssemblyResult::listing
  bool relocatable = false;  ///< leave all addresses to the linker, also where none is open
  Dialect dialect = Dialect::Ti;
  int chip = 32;  ///< 30, 31, 32: which predefined symbols are 1
  WarningOptions warnings;
  std::size_t maxErrors = 50;
  /// Reads an included file; empty result = it does not exist. Default: the file system.
  std::function<std::optional<std::string>(const std::string& path)> readFile;
};

struct AssemblyResult {
  /// One of the two is present when there was no error: `object` if the source refers to symbols of
  /// other files or options.relocatable asks for it, otherwise `image`.
  std::optional<Image> image;
  std::optional<Object> object;
  std::vector<Diagnostic> diagnostics;
  std::string listing;
  std::vector<std::string> sources;  ///< files read: the source, what it includes, macro libraries

  /// Compiler-style lines `file:line:column: error: ...`.
  std::string report() const { return formatDiagnostics(diagnostics); }
};

/// Assembles `source`; `fileName` is used in diagnostics and to find included files.
AssemblyResult assemble(const std::string& fileName, const std::string& source,
                        const AssemblerOptions& options = {});

/// Reads and assembles a file.
AssemblyResult assembleFile(const std::string& path, const AssemblerOptions& options = {});

}  // namespace rtvp::c32
