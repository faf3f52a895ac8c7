// c32-ld: the linker's command line. Script language and placement: ../link/README.md.
#include <boost/program_options.hpp>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "models/c32/asm/coff.hpp"
#include "models/c32/link/linker.hpp"
#include "models/c32/link/object_coff.hpp"
#include "models/common/tool/files.hpp"
#include "models/common/tool/program.hpp"

namespace {

namespace po = boost::program_options;
namespace tool = rtvp::tool;
namespace status = tool::status;

/// All of a file, which must not be empty.
std::string contents(const std::string& path) {
  const tool::Failure failure = tool::Failure::at(
      tool::inputName(path), "found no readable file with contents", status::kFailed);
  std::string bytes = tool::readInput(path, failure);
  if (bytes.empty()) throw tool::Failure(failure);
  return bytes;
}

/// Reads every input, and reports every bad one. Empty if one is.
std::optional<std::vector<rtvp::c32::LinkInput>> readInputs(const std::vector<std::string>& paths) {
  std::vector<rtvp::c32::LinkInput> inputs;
  bool good = true;
  for (const std::string& path : paths) {
    const std::string name = tool::inputName(path);
    try {
      inputs.push_back({name, rtvp::c32::readObject(tool::bytesOf(contents(path)))});
    } catch (const tool::Failure& failure) {
      std::cerr << failure.text("c32-ld");
      good = false;
    } catch (const rtvp::c32::CoffError& error) {
      std::cerr << name << ": error: " << error.what() << "\n";
      good = false;
    }
  }
  if (!good) return std::nullopt;
  return inputs;
}

rtvp::c32::LinkScript readScript(const std::string& path) {
  try {
    return rtvp::c32::parseScript(contents(path));
  } catch (const rtvp::c32::ScriptError& error) {
    throw tool::Failure::at(tool::inputName(path) + ":" + std::to_string(error.line()) + ":" +
                                std::to_string(error.column()),
                            error.what(), status::kFailed);
  }
}

void write(const std::string& path, std::string_view bytes) {
  tool::writeOutput(
      path, bytes, tool::Failure::at(path, "found a file that cannot be written", status::kFailed));
}

int run(const po::variables_map& given) {
  using namespace rtvp::c32;
  const std::vector<std::string> paths = tool::listOf(given, "input");
  if (paths.empty())
    throw tool::Failure("found no object file, expected at least one (--help lists the options)");
  const std::string script = tool::textOf(given, "script"), map = tool::textOf(given, "map"),
                    output = tool::textOf(given, "output");
  std::vector<std::string> readers = paths;
  readers.push_back(script);
  tool::requireOneStandard(readers, "input");
  tool::requireOneStandard({output, map}, "output");

  LinkOptions options;
  if (tool::has(given, "entry")) options.entry = tool::textOf(given, "entry");
  if (tool::has(given, "script")) options.script = readScript(script);
  const auto inputs = readInputs(paths);
  if (!inputs) return status::kFailed;
  const LinkResult result = link(*inputs, options);
  std::cerr << result.report();
  if (tool::has(given, "map")) write(map, result.map);
  if (!result.image) return status::kFailed;
  write(output, tool::textOf(writeCoff(*result.image)));
  return status::kDone;
}

void declare(po::options_description& options) {
  auto add = options.add_options();
  add("output,o", po::value<std::string>()->value_name("FILE")->default_value("a.out"),
      "executable COFF file");
  add("script,T", po::value<std::string>()->value_name("FILE"), "memory map and section placement");
  add("map,m", po::value<std::string>()->value_name("FILE"), "write a map of memory and symbols");
  add("entry,e", po::value<std::string>()->value_name("SYMBOL"),
      "entry point (default: ENTRY of the script, _c_int00, _start, the first section)");
}

}  // namespace

int main(int argc, char** argv) {
  return tool::run({.name = "c32-ld",
                    .usage = "c32-ld [-T SCRIPT] -o FILE OBJECT...\n",
                    .declare = declare,
                    .run = run,
                    .input = "input",
                    .inputs = tool::Program::kAnyNumber},
                   argc, argv);
}
