// Assembles one microcode source and writes its rows and labels as C++ arrays. Labels of further
// sources may be jump targets in it.
//   theia-embed NAME IN.tasm OUT.cpp [OTHER.tasm]
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "models/common/core/file_io.hpp"
#include "models/theia/assembler.hpp"

namespace {

bool write(const rtvp::theia::Program& program, const std::string& name, const std::string& source,
           const char* path) {
  std::ofstream out(path);
  out << "// Generated from " << source << ".\n"
      << "#include \"firmware/theia/rom_image.hpp\"\n\nnamespace rtvp::theia {\n"
      << "namespace {\nconstexpr RomRow kRows[] = {\n";
  for (const auto& [row, instruction] : program.rows) {
    char text[64];
    std::snprintf(text, sizeof text, "    {%u, 0x%016llXULL, %u},\n", row,
                  static_cast<unsigned long long>(instruction.word), program.lines.at(row));
    out << text;
  }
  out << "};\nconstexpr std::array<RomLabel, " << program.labels.size() << "> kLabels{{\n";
  for (const auto& [label, row] : program.labels)
    out << "    {\"" << label << "\", " << row << "},\n";
  out << "}};\n}  // namespace\nextern const RomImage k" << name << "Image;\n"
      << "const RomImage k" << name << "Image{\"" << source << "\", kRows, kLabels, {{";
  for (const auto entry : program.table) out << entry << ", ";
  out << "}}};\n}  // namespace rtvp::theia\n";
  out.close();
  return static_cast<bool>(out);
}

/// Nothing when the source does not assemble without a message; prints what was wrong.
std::optional<rtvp::theia::Program> read(const char* path, const rtvp::theia::Labels& symbols) {
  const std::string source = rtvp::common::readFile(path).value_or(std::string());
  rtvp::theia::AssemblerOptions options;
  options.symbols = symbols;
  auto result = rtvp::theia::assemble(path, source, options);
  std::fputs(result.report().c_str(), stderr);
  if (result.program && result.program->rom && result.diagnostics.empty()) {
    return std::move(result.program);
  }
  std::fprintf(stderr, "%s: microcode must assemble without a message and begin with .rom\n", path);
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: theia-embed NAME IN.tasm OUT.cpp [OTHER.tasm]\n");
    return EXIT_FAILURE;
  }
  rtvp::theia::Labels symbols;
  for (int i = 4; i < argc; ++i) {
    const auto other = read(argv[i], {});
    if (!other) return EXIT_FAILURE;
    symbols.insert(other->labels.begin(), other->labels.end());
  }
  const auto program = read(argv[2], symbols);
  return program && write(*program, argv[1], argv[2], argv[3]) ? EXIT_SUCCESS : EXIT_FAILURE;
}
