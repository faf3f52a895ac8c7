// theia-as: the assembler's command line. Language: theia.md section 6 and the README's extensions.
#include <boost/program_options.hpp>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "models/common/tool/files.hpp"
#include "models/common/tool/program.hpp"
#include "models/theia/assembler.hpp"

namespace {

namespace po = boost::program_options;
using namespace rtvp::theia;  // NOLINT(google-build-using-namespace): a program about this
                              // namespace

namespace tool = rtvp::tool;
namespace status = tool::status;

/// The words that a host loads: table and code, or `row high low` lines for microcode.
std::string wordsText(const Program& program) {
  std::string out;
  char line[64];
  if (program.rom) {
    for (const auto& [row, in] : program.rows) {
      std::snprintf(line, sizeof line, "%u %08x %08x\n", row, static_cast<unsigned>(in.word >> 32),
                    static_cast<unsigned>(in.word));
      out += line;
    }
    return out;
  }
  for (const Instruction in : program.image()) {
    std::snprintf(line, sizeof line, "%08x\n%08x\n", static_cast<unsigned>(in.word >> 32),
                  static_cast<unsigned>(in.word));
    out += line;
  }
  return out;
}

/// The host's image: its length in words first.
std::string imageText(const Program& program) {
  char length[16];
  std::snprintf(length, sizeof length, "%08x\n", static_cast<unsigned>(2 * program.image().size()));
  return length + wordsText(program);
}

void write(const std::string& path, const std::string& text) {
  tool::writeOutput(path, text, tool::Failure("cannot write " + path, status::kFailed));
}

/// What became of a source file; nothing when it has errors. Prints the diagnostics.
std::optional<Program> assembleSource(const std::string& path, const AssemblerOptions& options,
                                      std::string* listing) {
  const std::string name = tool::inputName(path);
  const std::string source = tool::readInput(path, "a THEIA source", status::kFailed);
  AssemblyResult result = assemble(name, source, options);
  std::cerr << result.report();
  if (listing != nullptr) *listing = std::move(result.listing);
  return std::move(result.program);
}

int assembleFile(const std::string& path, const po::variables_map& given) {
  AssemblerOptions options;
  options.instructionWords = given["rows"].as<unsigned>();
  const std::string output = tool::textOf(given, "output"), listed = tool::textOf(given, "listing");
  const bool saved = tool::has(given, "output") || tool::has(given, "listing");
  const bool words = tool::has(given, "words") || !saved;
  std::vector<std::string> readers = tool::listOf(given, "symbols");
  readers.push_back(path);
  tool::requireOneStandard(readers, "input");
  tool::requireOneStandard({output, listed, words ? "-" : ""}, "output");
  for (const std::string& other : tool::listOf(given, "symbols")) {
    const std::optional<Program> program = assembleSource(other, options, nullptr);
    if (!program) return status::kFailed;
    options.symbols.insert(program->labels.begin(), program->labels.end());
  }
  std::string listing;
  const std::optional<Program> program = assembleSource(path, options, &listing);
  if (!program) return status::kFailed;
  if (tool::has(given, "listing")) write(listed, listing);
  if (tool::has(given, "output"))
    write(output, program->rom ? wordsText(*program) : imageText(*program));
  if (words) std::cout << wordsText(*program);
  return status::kDone;
}

int run(const po::variables_map& given) {
  if (tool::has(given, "manual")) {
    std::cout << manual();
    return status::kDone;
  }
  if (!tool::has(given, "input"))
    throw tool::Failure("found no source file, expected FILE.tasm (--help)");
  const unsigned rows = given["rows"].as<unsigned>();
  if (rows < kEntries || rows > 4096) throw tool::Failure("--rows is 12 to 4096");
  return assembleFile(tool::textOf(given, "input"), given);
}

void declare(po::options_description& options) {
  auto add = options.add_options();
  add("output,o", po::value<std::string>(), "write the host's image: length, words");
  add("listing,l", po::value<std::string>(), "write a listing");
  add("words", "print the words, high first, table before code");
  add("rows", po::value<unsigned>()->default_value(128), "rows of the user instruction memory");
  add("symbols", po::value<std::vector<std::string>>(),
      "a source whose labels may be jump targets; may be given several times");
  add("manual", "print instructions, registers and entry points");
}

}  // namespace

int main(int argc, char** argv) {
  return tool::run({.name = "theia-as",
                    .summary = "assembler of THEIA microcode",
                    .usage = "theia-as [options] FILE.tasm\n",
                    .declare = declare,
                    .run = run,
                    .input = "input",
                    .writes = {"output", "listing"},
                    .reads = {"symbols"}},
                   argc, argv);
}
