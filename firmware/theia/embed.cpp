// Assembles one microcode source and writes its rows as a C++ array.
//   theia-embed NAME IN.tasm OUT.cpp
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "models/theia/assembler.hpp"

namespace {

bool write(const rtvp::theia::Program& program, const std::string& name, const char* path) {
  std::ofstream out(path);
  out << "// Generated from " << name << ".tasm.\n"
      << "#include <array>\n#include <cstdint>\n#include <span>\n\n"
      << "#include \"models/theia/registers.hpp\"\n\nnamespace rtvp::theia {\n"
      << "struct RomRow {\n  std::uint16_t row;\n  std::uint64_t word;\n};\n"
      << "struct RomImage {\n  std::span<const RomRow> rows;\n"
      << "  std::array<std::uint16_t, kEntries> table;\n};\n"
      << "namespace {\nconstexpr RomRow kRows[] = {\n";
  for (const auto& [row, instruction] : program.rows) {
    char text[64];
    std::snprintf(text, sizeof text, "    {%u, 0x%016llXULL},\n", row,
                  static_cast<unsigned long long>(instruction.word));
    out << text;
  }
  out << "};\n}  // namespace\nextern const RomImage k" << name << "Image;\n"
      << "const RomImage k" << name << "Image{kRows, {{";
  for (const auto entry : program.table) out << entry << ", ";
  out << "}}};\n}  // namespace rtvp::theia\n";
  out.close();
  return static_cast<bool>(out);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: theia-embed NAME IN.tasm OUT.cpp\n");
    return EXIT_FAILURE;
  }
  std::ifstream in(argv[2], std::ios::binary);
  const std::string source{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto result = rtvp::theia::assemble(argv[2], source);
  std::fputs(result.report().c_str(), stderr);
  if (!result.program || !result.program->rom || !result.diagnostics.empty()) {
    std::fprintf(stderr, "%s: microcode must assemble without a message and begin with .rom\n",
                 argv[2]);
    return EXIT_FAILURE;
  }
  return write(*result.program, argv[1], argv[3]) ? EXIT_SUCCESS : EXIT_FAILURE;
}
