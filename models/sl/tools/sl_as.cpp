// sl-as: the assembler's command line (sl_batch.md "sl-as"); also disassembler and manual.
#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>

#include "models/common/tool/files.hpp"
#include "models/common/tool/program.hpp"
#include "models/sl/assembler.hpp"

namespace {

namespace po = boost::program_options;
using namespace rtvp::sl;  // NOLINT(google-build-using-namespace): a program about this namespace

namespace tool = rtvp::tool;
namespace status = tool::status;

void printWords(const Program& program) {
  for (const std::uint64_t word : program.words())
    std::printf("%016llx\n", static_cast<unsigned long long>(word));
}

/// A .slc file as text that assembles again.
int printSource(const std::string& name, const std::string& bytes) {
  try {
    const Program program = readSlc(tool::bytesOf(bytes));
    std::string out = "sl 1.0\n";
    if (program.base() == OffsetBase::Branch) out += "# offsets count from the branch itself\n";
    for (const Instruction& in : program.code()) out += disassemble(in) + '\n';
    std::cout << out;
    return status::kDone;
  } catch (const LoadError& e) {
    throw tool::Failure::at(name + ":1:1", e.what(), status::kFailed);
  }
}

int assembleFile(const std::string& path, const po::variables_map& given) {
  AssemblerOptions options;
  options.lenient = tool::has(given, "lenient");
  const std::string base = tool::textOf(given, "offset-base");
  const std::string source = tool::readInput(path, "an SL source", status::kFailed);
  if (base != "next" && base != "branch")
    throw tool::Failure("found --offset-base " + base + ", expected next or branch");
  options.base = base == "next" ? OffsetBase::Next : OffsetBase::Branch;
  const bool words = tool::has(given, "words"), named = tool::has(given, "output");
  if (!words && !named && tool::isStandard(path))
    throw tool::Failure("found a source on standard input without -o, expected -o FILE or --words");
  const std::string listing = tool::textOf(given, "listing");
  const std::string output = named ? tool::textOf(given, "output")
                                   : std::filesystem::path(path).replace_extension(".slc").string();
  tool::requireOneStandard({named ? output : "", listing, words ? "-" : ""}, "output");
  if (!named && !words) tool::requireWritable(output, {path, listing});

  const AssemblyResult result = assemble(tool::inputName(path), source, options);
  std::cerr << result.report();
  if (!result.program) return status::kFailed;
  if (tool::has(given, "listing")) tool::writeOutput(listing, result.listing);
  if (!words || named) tool::writeOutput(output, tool::textOf(writeSlc(*result.program)));
  if (words) printWords(*result.program);
  return status::kDone;
}

int run(const po::variables_map& given) {
  if (tool::has(given, "manual")) {
    std::cout << manual();
    return status::kDone;
  }
  if (!tool::has(given, "input"))
    throw tool::Failure("found no source file, expected FILE.sl (--help lists the options)");
  const std::string path = tool::textOf(given, "input");
  if (tool::has(given, "disassemble"))
    return printSource(tool::inputName(path),
                       tool::readInput(path, "an .slc file", status::kFailed));
  return assembleFile(path, given);
}

void declare(po::options_description& options) {
  auto add = options.add_options();
  add("output,o", po::value<std::string>()->value_name("FILE"),
      "the .slc file (default: the source's name with .slc)");
  add("listing,l", po::value<std::string>()->value_name("FILE"),
      "write a listing: number, word, target, source line");
  add("words", "print one word of 16 digits a line; no file unless -o is given");
  add("lenient",
      "accept blanks and tabs at either end and between words, comments before 'sl 1.0'");
  add("offset-base", po::value<std::string>()->default_value("next")->value_name("next|branch"),
      "what branch offsets count from: the next instruction or the branch itself");
  add("disassemble,d", "FILE is a .slc file: print it as source");
  add("manual", "print instructions and registers as Markdown and stop");
}

}  // namespace

int main(int argc, char** argv) {
  return tool::run({.name = "sl-as",
                    .summary = "assembler of SL 1.0 shaders",
                    .usage = "sl-as [options] FILE.sl\n",
                    .declare = declare,
                    .run = run,
                    .input = "input",
                    .writes = {"output", "listing"}},
                   argc, argv);
}
