// theia-as: the assembler's command line. Language: theia.md section 6 and the README's extensions.
#include <boost/program_options.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "models/theia/assembler.hpp"

namespace {

namespace po = boost::program_options;
using namespace rtvp::theia;  // NOLINT(google-build-using-namespace): a program about this
                              // namespace

constexpr int kDone = 0, kFailed = 1, kUsage = 2, kInternal = 70;

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

bool writeFile(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) std::cerr << "theia-as: error: cannot write " << path << '\n';
  return static_cast<bool>(out);
}

/// What became of a source file; nothing when it cannot be read. Prints the diagnostics.
std::optional<Program> assembleSource(const std::string& path, const AssemblerOptions& options,
                                      std::string* listing) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::cerr << path << ":1:1: error: cannot read the file\n";
    return std::nullopt;
  }
  const std::string source{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  AssemblyResult result = assemble(path, source, options);
  std::cerr << result.report();
  if (listing != nullptr) *listing = std::move(result.listing);
  return std::move(result.program);
}

int assembleFile(const std::string& path, const po::variables_map& given) {
  AssemblerOptions options;
  options.instructionWords = given["rows"].as<unsigned>();
  if (given.count("symbols") != 0) {
    for (const std::string& other : given["symbols"].as<std::vector<std::string>>()) {
      const std::optional<Program> program = assembleSource(other, options, nullptr);
      if (!program) return kFailed;
      options.symbols.insert(program->labels.begin(), program->labels.end());
    }
  }
  std::string listing;
  const std::optional<Program> program = assembleSource(path, options, &listing);
  if (!program) return kFailed;
  if (given.count("listing") != 0 && !writeFile(given["listing"].as<std::string>(), listing))
    return kFailed;
  if (given.count("output") != 0 &&
      !writeFile(given["output"].as<std::string>(),
                 program->rom ? wordsText(*program) : imageText(*program)))
    return kFailed;
  if (given.count("words") != 0 || given.count("output") + given.count("listing") == 0)
    std::cout << wordsText(*program);
  return kDone;
}

int run(int argc, char** argv) {
  po::options_description visible("options"), all;
  visible.add_options()("output,o", po::value<std::string>(),
                        "write the host's image: length, words")(
      "listing,l", po::value<std::string>(), "write a listing")(
      "words", "print the words, high first, table before code")(
      "rows", po::value<unsigned>()->default_value(128), "rows of the user instruction memory")(
      "symbols", po::value<std::vector<std::string>>(),
      "a source whose labels may be jump targets; may be given several times")(
      "manual", "print instructions, registers and entry points")("help", "this text");
  all.add(visible).add_options()("input", po::value<std::string>(), "");
  po::positional_options_description positional;
  positional.add("input", 1);
  po::variables_map given;
  po::store(po::command_line_parser(argc, argv).options(all).positional(positional).run(), given);
  po::notify(given);
  if (given.count("help") != 0) {
    std::cout << "theia-as [options] FILE.tasm\n" << visible;
    return kDone;
  }
  if (given.count("manual") != 0) {
    std::cout << manual();
    return kDone;
  }
  if (given.count("input") == 0) {
    std::cerr << "theia-as: error: found no source file, expected FILE.tasm (--help)\n";
    return kUsage;
  }
  const unsigned rows = given["rows"].as<unsigned>();
  if (rows < kEntries || rows > 4096) {
    std::cerr << "theia-as: error: --rows is 12 to 4096\n";
    return kUsage;
  }
  return assembleFile(given["input"].as<std::string>(), given);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const po::error& e) {
    std::cerr << "theia-as: error: " << e.what() << '\n';
    return kUsage;
  } catch (const std::exception& e) {
    std::cerr << "theia-as: internal error: " << e.what() << '\n';
    return kInternal;
  }
}
