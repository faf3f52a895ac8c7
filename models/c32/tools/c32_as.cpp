// c32-as: the assembler's command line. Options and output: design of the machine tools; language:
// ../asm/README.md.
#include <boost/program_options.hpp>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/asm/coff.hpp"
#include "models/c32/isa_manual.hpp"
#include "models/c32/isa_syntax.hpp"
#include "models/c32/link/object_coff.hpp"
#include "models/common/tool/files.hpp"
#include "models/common/tool/program.hpp"

namespace {

namespace po = boost::program_options;
namespace tool = rtvp::tool;
namespace status = tool::status;

/// `S` or `S=V`; V in decimal, 0x hexadecimal or 0 octal. False on anything else.
bool parseDefine(const std::string& text, std::map<std::string, std::int32_t>& defines) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (name.empty()) return false;
  std::int64_t value = 1;
  if (equals != std::string::npos) {
    try {
      std::size_t used = 0;
      const std::string digits = text.substr(equals + 1);
      value = std::stoll(digits, &used, 0);
      if (used != digits.size()) return false;
    } catch (const std::exception&) {
      return false;
    }
  }
  if (value < INT32_MIN || value > UINT32_MAX) return false;
  defines[name] = static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  return true;
}

rtvp::c32::AssemblerOptions optionsOf(const po::variables_map& given) {
  rtvp::c32::AssemblerOptions options;
  options.enhanced = tool::has(given, "enhanced");
  options.relocatable = tool::has(given, "relocatable");
  options.listing = tool::has(given, "listing");
  if (given["gnu"].as<bool>() && given["ti"].as<bool>())
    throw tool::Failure("found --ti and --gnu, expected one of them");
  const std::string chip = given["chip"].as<std::string>();
  if (chip != "c30" && chip != "c31" && chip != "c32")
    throw tool::Failure("found --chip " + chip + ", expected c30, c31 or c32");
  options.chip = std::stoi(chip.substr(1));
  if (given["gnu"].as<bool>()) options.dialect = rtvp::c32::Dialect::Gnu;
  options.includeDirectories = tool::listOf(given, "include");
  for (const std::string& text : tool::listOf(given, "define")) {
    if (!parseDefine(text, options.defines))
      throw tool::Failure("found -D " + text + ", expected SYMBOL or SYMBOL=NUMBER");
  }
  for (const std::string& name : tool::listOf(given, "warning")) {
    const bool off = name.starts_with("no-");
    if (!options.warnings.set(off ? name.substr(3) : name, !off))
      throw tool::Failure(
          "found -W " + name +
          ", expected all, none, or dp, interlock, carry, repeat, pipeline, unused, "
          "each also with no-");
  }
  return options;
}

/// The source's name in the current folder with the suffix of its kind.
std::string defaultOutput(const std::string& input, bool executable) {
  return std::filesystem::path(input).stem().string() + (executable ? ".out" : ".obj");
}

rtvp::c32::AssemblyResult assembleInput(const std::string& input,
                                        const rtvp::c32::AssemblerOptions& options) {
  if (!tool::isStandard(input)) return rtvp::c32::assembleFile(input, options);
  return rtvp::c32::assemble(tool::inputName(input),
                             tool::readInput(input, "a C3x source", status::kFailed), options);
}

int run(const po::variables_map& given) {
  using namespace rtvp::c32;
  if (tool::has(given, "manual")) {
    std::cout << instructionManual();
    return status::kDone;
  }
  if (tool::has(given, "syntax")) {
    const std::string text = syntaxFile(tool::textOf(given, "syntax"));
    if (text.empty())
      throw tool::Failure("found --syntax " + tool::textOf(given, "syntax") +
                          ", expected vim, vscode, ctags or man");
    std::cout << text;
    return status::kDone;
  }
  if (!tool::has(given, "input"))
    throw tool::Failure("found no source file, expected FILE.asm (--help lists the options)");
  const std::string input = tool::textOf(given, "input");
  const AssemblerOptions options = optionsOf(given);
  const std::string listing = tool::textOf(given, "listing");
  std::string output = tool::textOf(given, "output");
  const bool named = tool::has(given, "output");
  if (!named && tool::isStandard(input))
    throw tool::Failure("found a source on standard input without -o, expected -o FILE");
  tool::requireOneStandard({output, listing}, "output");
  if (!named) {
    for (const bool executable : {false, true})
      tool::requireWritable(defaultOutput(input, executable), {input, listing});
  }

  const AssemblyResult result = assembleInput(input, options);
  std::cerr << result.report();
  if (!result.image && !result.object) return status::kFailed;
  if (!named) output = defaultOutput(input, result.image.has_value());
  for (const std::string& file : {output, listing}) tool::requireWritable(file, result.sources);
  const std::vector<std::uint8_t> object =
      result.image ? writeCoff(*result.image) : writeObject(*result.object);
  const tool::Output outputs[] = {{listing, result.listing}, {output, tool::textOf(object)}};
  tool::writeOutputs(outputs);
  return status::kDone;
}

void declare(po::options_description& options) {
  auto add = options.add_options();
  add("output,o", po::value<std::string>()->value_name("FILE"),
      "object file (default: the source's name with .out, or .obj if relocatable)");
  add("listing,l", po::value<std::string>()->value_name("FILE"),
      "write a listing: address, word, cycles, source line");
  add("include,I", po::value<std::vector<std::string>>()->value_name("DIR"),
      "folder searched by .include and .copy");
  add("define,D", po::value<std::vector<std::string>>()->value_name("S=V"),
      "define a constant (value 1 if none)");
  add("relocatable,c", "leave addresses to the linker, also if no symbol of another file is used");
  add("warning,W", po::value<std::vector<std::string>>()->value_name("NAME"),
      "switch a warning on, or off with no-NAME: dp, interlock, carry, repeat (on), pipeline, "
      "unused (off), all, none");
  add("enhanced", "accept registers in the short fields of parallel pairs (silicon revision 2)");
  add("chip", po::value<std::string>()->default_value("c32")->value_name("NAME"),
      "c30, c31 or c32: which of the predefined symbols .C30, .tms320C31 ... is 1");
  add("ti", po::bool_switch(), "habits of TI's assembler where GNU as differs (default)");
  add("gnu", po::bool_switch(),
      "habits of GNU as: 017 is octal, .block always reserves words, LDP is LDIU (5070xxxx) and "
      "not "
      "LDI (0870xxxx)");
  add("syntax", po::value<std::string>()->value_name("KIND"),
      "print a file made from the tables and stop: vim, vscode, ctags, man");
  add("manual", "print the instruction manual as Markdown and stop");
}

}  // namespace

int main(int argc, char** argv) {
  return tool::run({.name = "c32-as",
                    .summary = "assembler of the TMS320C3x",
                    .usage = "c32-as [options] FILE.asm\n",
                    .declare = declare,
                    .run = run,
                    .input = "input",
                    .writes = {"output", "listing"}},
                   argc, argv);
}
