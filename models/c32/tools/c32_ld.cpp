// c32-ld: the linker's command line. Script language and placement: ../link/README.md.
#include <boost/program_options.hpp>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "models/c32/asm/coff.hpp"
#include "models/c32/link/linker.hpp"
#include "models/c32/link/object_coff.hpp"

namespace {

namespace po = boost::program_options;

constexpr int kDone = 0, kFailed = 1, kUsage = 2, kInternal = 70;

std::optional<std::vector<char>> readFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || file.peek() == std::ifstream::traits_type::eof()) {
    std::cerr << path << ": error: found no readable file with contents\n";
    return std::nullopt;
  }
  return std::vector<char>{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool writeFile(const std::string& path, const char* bytes, std::size_t size) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes, static_cast<std::streamsize>(size));
  file.close();
  if (!file) std::cerr << path << ": error: found a file that cannot be written\n";
  return static_cast<bool>(file);
}

/// Reads every input, and reports every bad one. Empty if one is.
std::optional<std::vector<rtvp::c32::LinkInput>> readInputs(const std::vector<std::string>& paths) {
  std::vector<rtvp::c32::LinkInput> inputs;
  bool good = true;
  for (const std::string& path : paths) {
    const auto bytes = readFile(path);
    good = good && bytes.has_value();
    if (!bytes) continue;
    try {
      inputs.push_back(
          {path, rtvp::c32::readObject(
                     {reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size()})});
    } catch (const rtvp::c32::CoffError& error) {
      std::cerr << path << ": error: " << error.what() << "\n";
      good = false;
    }
  }
  if (!good) return std::nullopt;
  return inputs;
}

int run(const po::variables_map& given, const po::options_description& visible) {
  using namespace rtvp::c32;
  if (given.count("help") != 0) {
    std::cout << "c32-ld [-T SCRIPT] -o FILE OBJECT...\n" << visible;
    return kDone;
  }
  if (given.count("input") == 0) {
    std::cerr << "c32-ld: error: found no object file, expected at least one (--help lists the "
                 "options)\n";
    return kUsage;
  }
  LinkOptions options;
  if (given.count("entry") != 0) options.entry = given["entry"].as<std::string>();
  if (given.count("script") != 0) {
    const std::string path = given["script"].as<std::string>();
    const auto text = readFile(path);
    if (!text) return kFailed;
    try {
      options.script = parseScript(std::string(text->begin(), text->end()));
    } catch (const ScriptError& error) {
      std::cerr << path << ":" << error.line() << ":" << error.column()
                << ": error: " << error.what() << "\n";
      return kFailed;
    }
  }
  const auto inputs = readInputs(given["input"].as<std::vector<std::string>>());
  if (!inputs) return kFailed;
  const LinkResult result = link(*inputs, options);
  std::cerr << result.report();
  if (given.count("map") != 0 &&
      !writeFile(given["map"].as<std::string>(), result.map.data(), result.map.size()))
    return kFailed;
  if (!result.image) return kFailed;
  const std::vector<std::uint8_t> coff = writeCoff(*result.image);
  const std::string output = given["output"].as<std::string>();
  return writeFile(output, reinterpret_cast<const char*>(coff.data()), coff.size()) ? kDone
                                                                                    : kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  po::options_description visible("options");
  auto add = visible.add_options();
  add("output,o", po::value<std::string>()->value_name("FILE")->default_value("a.out"),
      "executable COFF file");
  add("script,T", po::value<std::string>()->value_name("FILE"), "memory map and section placement");
  add("map,m", po::value<std::string>()->value_name("FILE"), "write a map of memory and symbols");
  add("entry,e", po::value<std::string>()->value_name("SYMBOL"),
      "entry point (default: ENTRY of the script, _c_int00, _start, the first section)");
  add("help,h", "print this and stop");
  po::options_description all;
  all.add(visible).add_options()("input", po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add("input", -1);
  try {
    po::variables_map given;
    po::store(po::command_line_parser(argc, argv).options(all).positional(positional).run(), given);
    po::notify(given);
    return run(given, visible);
  } catch (const po::error& error) {
    std::cerr << "c32-ld: error: " << error.what() << "\n";
    return kUsage;
  } catch (const std::exception& error) {
    std::cerr << "c32-ld: internal error: " << error.what() << "\n";
    return kInternal;
  }
}
