// THEIA's assembler as a library (theia.md 6): source text in, instruction rows, located
// diagnostics and a listing out. Extensions of the original language: `.rom`, `.org ROW` (microcode
// sources), `32'd<decimal>`, TRUE/FALSE for RET, `#n` for a register by number, `@hhhh` for a raw
// target, labels of another source as jump targets.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/common/core/diagnostics.hpp"
#include "models/theia/isa.hpp"
#include "models/theia/registers.hpp"

namespace rtvp::theia {

using common::Diagnostic;
using common::formatDiagnostics;

/// Names of code addresses, kUserCode included.
using Labels = std::map<std::string, std::uint16_t, std::less<>>;

struct AssemblerOptions {
  unsigned instructionWords = 128;  ///< rows of the user instruction RAM, table included (G1b/c)
  unsigned romWords = 2048;         ///< rows that `.rom` sources may use
  std::size_t maxErrors = 50;
  /// Labels of code assembled before, as jump targets. The source's own labels come first; entry
  /// points of other sources are never meant.
  Labels symbols = {};
};

/// What assembly produced. User programs: rows kUserFirstRow.. of the instruction RAM. ROM
/// programs: sparse rows of the ROM.
struct Program {
  bool rom = false;
  std::map<std::uint16_t, Instruction> rows;     ///< by row, without kUserCode
  std::map<std::uint16_t, std::uint32_t> lines;  ///< source line of each row
  Labels labels;
  std::array<std::uint16_t, kEntries> table{};  ///< entry addresses, defaults where not defined
  std::array<bool, kEntries> defined{};         ///< slots that the source defines

  /// The instruction RAM's content from row 0: table, then code (gaps are NOPs). User programs
  /// only.
  [[nodiscard]] std::vector<Instruction> image() const;
};

struct AssemblyResult {
  std::optional<Program> program;  ///< present when there was no error
  std::vector<Diagnostic> diagnostics;
  std::string listing;
  [[nodiscard]] std::string report() const { return formatDiagnostics(diagnostics); }
};

/// Assembles `source`; `file` is used in diagnostics only. Time and memory are bounded by the
/// source and the options.
AssemblyResult assemble(std::string_view file, std::string_view source,
                        const AssemblerOptions& options = {});

/// Where the code of a source lies, for debuggers and profiles.
struct CodeSource {
  std::string file;  ///< as it is called in places; its stem tells labels of the same name apart
  std::vector<std::pair<std::string, std::uint16_t>> labels;   ///< with their code addresses
  std::vector<std::pair<std::uint16_t, std::uint32_t>> lines;  ///< code address, source line
};
CodeSource sourceOf(std::string file, const Program& program);

/// The pipeline's hazards (theia.md 2.7) that can be seen in a program: one warning each.
std::vector<Diagnostic> findHazards(const Program& program, std::string_view file);

}  // namespace rtvp::theia
