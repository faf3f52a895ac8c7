// sl-cc32: an SL program as assembly text for the TigerSHARK's shading firmware.
#include <boost/program_options.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "models/common/tool/files.hpp"
#include "models/common/tool/program.hpp"
#include "models/sl/assembler.hpp"
#include "models/sl/c32/translate.hpp"

namespace {

namespace po = boost::program_options;
using namespace rtvp::sl;  // NOLINT(google-build-using-namespace): a program about this namespace

namespace tool = rtvp::tool;
namespace status = tool::status;

int translateFile(const std::string& path, const std::string& folder) {
  const std::string name = tool::inputName(path);
  const AssemblyResult result =
      assemble(name, tool::readInput(path, "an SL source", status::kFailed));
  std::cerr << result.report();
  if (!result.program) return status::kFailed;
  try {
    const c32::Translation translation = c32::translate(*result.program);
    std::vector<tool::Output> outputs;
    for (const auto& [file, text] : translation.files) {
      if (folder.empty()) {
        std::cout << "; ---- " << file << '\n' << text;
        continue;
      }
      outputs.push_back({folder + "/" + file, text});
      tool::requireWritable(outputs.back().path, {path});
    }
    tool::writeOutputs(outputs);
    return status::kDone;
  } catch (const c32::Untranslatable& e) {
    throw tool::Failure::at(name + ":1:1", e.what(), status::kFailed);
  }
}

int run(const po::variables_map& given) {
  if (!tool::has(given, "input"))
    throw tool::Failure("found no source file, expected FILE.sl (--help)");
  return translateFile(tool::textOf(given, "input"), tool::textOf(given, "output"));
}

void declare(po::options_description& options) {
  options.add_options()("output,o", po::value<std::string>()->value_name("FOLDER"),
                        "write the files that the shading firmware includes into FOLDER");
}

}  // namespace

int main(int argc, char** argv) {
  return tool::run({.name = "sl-cc32",
                    .summary = "translates SL shaders to C32 assembly",
                    .usage = "sl-cc32 [-o FOLDER] FILE.sl\nTranslates an SL program without trace "
                             "and lookup to C32 assembly.\n",
                    .declare = declare,
                    .run = run,
                    .input = "input"},
                   argc, argv);
}
