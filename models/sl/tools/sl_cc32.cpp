// sl-cc32: an SL program as assembly text for the TigerSHARK's shading firmware.
#include <boost/program_options.hpp>
#include <iostream>
#include <string>

#include "models/common/tool_files.hpp"
#include "models/sl/assembler.hpp"
#include "models/sl/c32/translate.hpp"

namespace {

namespace po = boost::program_options;
using namespace rtvp::sl;  // NOLINT(google-build-using-namespace): a program about this namespace

constexpr int kDone = 0, kFailed = 1, kUsage = 2, kInternal = 70;

int translateFile(const std::string& path, const std::string& source, const std::string& folder) {
  const AssemblyResult result = assemble(path, source);
  std::cerr << result.report();
  if (!result.program) return kFailed;
  try {
    const c32::Translation translation = c32::translate(*result.program);
    for (const auto& [name, text] : translation.files) {
      if (folder.empty()) {
        std::cout << "; ---- " << name << '\n' << text;
      } else if (!rtvp::common::writeFile(folder + "/" + name, text)) {
        std::cerr << "sl-cc32: error: cannot write " << folder << '/' << name << '\n';
        return kFailed;
      }
    }
    return kDone;
  } catch (const c32::Untranslatable& e) {
    std::cerr << path << ":1:1: error: " << e.what() << '\n';
    return kFailed;
  }
}

int run(int argc, char** argv) {
  po::options_description visible("options"), all;
  visible.add_options()("output,o", po::value<std::string>()->value_name("FOLDER"),
                        "write the files that the shading firmware includes into FOLDER")(
      "help,h", "print this and stop");
  all.add(visible).add_options()("input", po::value<std::string>(), "");
  po::positional_options_description positional;
  positional.add("input", 1);
  po::variables_map given;
  po::store(po::command_line_parser(argc, argv).options(all).positional(positional).run(), given);
  po::notify(given);
  if (given.count("help") != 0) {
    std::cout
        << "sl-cc32 [-o FOLDER] FILE.sl\nTranslates an SL program without trace and lookup to "
           "C32 assembly.\n"
        << visible;
    return kDone;
  }
  if (given.count("input") == 0) {
    std::cerr << "sl-cc32: error: found no source file, expected FILE.sl (--help)\n";
    return kUsage;
  }
  const std::string path = given["input"].as<std::string>();
  const std::optional<std::string> source = rtvp::common::readFile(path);
  if (!source) {
    std::cerr << path << ":1:1: error: found no readable file, expected one\n";
    return kFailed;
  }
  return translateFile(path, *source,
                       given.count("output") != 0 ? given["output"].as<std::string>() : "");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const po::error& e) {
    std::cerr << "sl-cc32: error: " << e.what() << '\n';
    return kUsage;
  } catch (const std::exception& e) {
    std::cerr << "sl-cc32: internal error: " << e.what() << '\n';
    return kInternal;
  }
}
