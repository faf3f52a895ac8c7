// sl-as: the assembler's command line (sl_batch.md "sl-as"); also disassembler and manual.
#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>

#include "models/common/tool_files.hpp"
#include "models/sl/assembler.hpp"

namespace {

namespace po = boost::program_options;
using namespace rtvp::sl;  // NOLINT(google-build-using-namespace): a program about this namespace
using rtvp::common::readFile;
using rtvp::common::writeFile;

constexpr int kDone = 0, kFailed = 1, kUsage = 2, kInternal = 70;

void printWords(const Program& program) {
  for (const std::uint64_t word : program.words())
    std::printf("%016llx\n", static_cast<unsigned long long>(word));
}

bool save(const std::string& path, std::string_view bytes) {
  if (writeFile(path, bytes)) return true;
  std::cerr << path
            << ":1:1: error: found a file that cannot be written, expected a writable one\n";
  return false;
}

/// A .slc file as text that assembles again.
int printSource(const std::string& path, const std::string& bytes) {
  try {
    const Program program =
        readSlc({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    std::string out = "sl 1.0\n";
    if (program.base() == OffsetBase::Branch) out += "# offsets count from the branch itself\n";
    for (const Instruction& in : program.code()) out += disassemble(in) + '\n';
    std::cout << out;
    return kDone;
  } catch (const LoadError& e) {
    std::cerr << path << ":1:1: error: " << e.what() << '\n';
    return kFailed;
  }
}

int assembleFile(const std::string& path, const std::string& source,
                 const po::variables_map& given) {
  AssemblerOptions options;
  options.lenient = given.count("lenient") != 0;
  const std::string base = given["offset-base"].as<std::string>();
  if (base != "next" && base != "branch") {
    std::cerr << "sl-as: error: found --offset-base " << base << ", expected next or branch\n";
    return kUsage;
  }
  options.base = base == "next" ? OffsetBase::Next : OffsetBase::Branch;
  const AssemblyResult result = assemble(path, source, options);
  std::cerr << result.report();
  if (!result.program) return kFailed;
  if (given.count("listing") != 0 && !save(given["listing"].as<std::string>(), result.listing))
    return kFailed;
  const bool words = given.count("words") != 0;
  if (!words || given.count("output") != 0) {
    const std::vector<std::uint8_t> file = writeSlc(*result.program);
    const std::string output = given.count("output") != 0
                                   ? given["output"].as<std::string>()
                                   : std::filesystem::path(path).replace_extension(".slc").string();
    if (!save(output, {reinterpret_cast<const char*>(file.data()), file.size()})) return kFailed;
  }
  if (words) printWords(*result.program);
  return kDone;
}

int run(int argc, char** argv) {
  po::options_description visible("options"), all;
  visible.add_options()("output,o", po::value<std::string>()->value_name("FILE"),
                        "the .slc file (default: the source's name with .slc)")(
      "listing,l", po::value<std::string>()->value_name("FILE"),
      "write a listing: number, word, target, source line")(
      "words", "print one word of 16 digits a line; no file unless -o is given")(
      "lenient",
      "accept blanks and tabs at either end and between words, comments before 'sl 1.0'")(
      "offset-base", po::value<std::string>()->default_value("next")->value_name("next|branch"),
      "what branch offsets count from: the next instruction or the branch itself")(
      "disassemble,d", "FILE is a .slc file: print it as source")(
      "manual", "print instructions and registers as Markdown and stop")("help,h",
                                                                         "print this and stop");
  all.add(visible).add_options()("input", po::value<std::string>(), "");
  po::positional_options_description positional;
  positional.add("input", 1);
  po::variables_map given;
  po::store(po::command_line_parser(argc, argv).options(all).positional(positional).run(), given);
  po::notify(given);
  if (given.count("help") != 0) {
    std::cout << "sl-as [options] FILE.sl\n" << visible;
    return kDone;
  }
  if (given.count("manual") != 0) {
    std::cout << manual();
    return kDone;
  }
  if (given.count("input") == 0) {
    std::cerr
        << "sl-as: error: found no source file, expected FILE.sl (--help lists the options)\n";
    return kUsage;
  }
  const std::string path = given["input"].as<std::string>();
  const std::optional<std::string> bytes = readFile(path);
  if (!bytes) {
    std::cerr << path << ":1:1: error: found no readable file, expected one\n";
    return kFailed;
  }
  if (given.count("disassemble") != 0) return printSource(path, *bytes);
  return assembleFile(path, *bytes, given);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const po::error& e) {
    std::cerr << "sl-as: error: " << e.what() << '\n';
    return kUsage;
  } catch (const std::exception& e) {
    std::cerr << "sl-as: internal error: " << e.what() << '\n';
    return kInternal;
  }
}
