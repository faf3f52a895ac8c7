// c32-as: the assembler's command line. Options and output: design of the machine tools; language:
// ../asm/README.md.
#include <boost/program_options.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/asm/coff.hpp"
#include "models/c32/isa_manual.hpp"
#include "models/c32/link/object_coff.hpp"

namespace {

namespace po = boost::program_options;

constexpr int kDone = 0, kFailed = 1, kUsage = 2, kInternal = 70;

bool writeFile(const std::string& path, const char* bytes, std::size_t size) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes, static_cast<std::streamsize>(size));
  file.close();
  if (!file)
    std::cerr << path
              << ":1:1: error: found a file that cannot be written, expected a writable one\n";
  return static_cast<bool>(file);
}

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

int run(const po::variables_map& given, const po::options_description& visible) {
  using namespace rtvp::c32;
  if (given.count("help") != 0) {
    std::cout << "c32-as [options] FILE.asm\n" << visible;
    return kDone;
  }
  if (given.count("manual") != 0) {
    std::cout << instructionManual();
    return kDone;
  }
  if (given.count("input") != 1) {
    std::cerr
        << "c32-as: error: found no source file, expected FILE.asm (--help lists the options)\n";
    return kUsage;
  }
  AssemblerOptions options;
  options.enhanced = given.count("enhanced") != 0;
  options.relocatable = given.count("relocatable") != 0;
  options.listing = given.count("listing") != 0;
  if (given.count("include") != 0)
    options.includeDirectories = given["include"].as<std::vector<std::string>>();
  if (given.count("define") != 0) {
    for (const std::string& text : given["define"].as<std::vector<std::string>>()) {
      if (parseDefine(text, options.defines)) continue;
      std::cerr << "c32-as: error: found -D " << text << ", expected SYMBOL or SYMBOL=NUMBER\n";
      return kUsage;
    }
  }
  if (given.count("warning") != 0) {
    for (const std::string& name : given["warning"].as<std::vector<std::string>>()) {
      const bool off = name.starts_with("no-");
      if (options.warnings.set(off ? name.substr(3) : name, !off)) continue;
      std::cerr << "c32-as: error: found -W " << name
                << ", expected all, none, or dp, interlock, carry, repeat, pipeline, unused, each "
                   "also with no-\n";
      return kUsage;
    }
  }
  const std::string input = given["input"].as<std::string>();
  const AssemblyResult result = assembleFile(input, options);
  std::cerr << result.report();
  if (options.listing && !writeFile(given["listing"].as<std::string>(), result.listing.data(),
                                    result.listing.size())) {
    return kFailed;
  }
  if (!result.image && !result.object) return kFailed;
  std::string output = given.count("output") != 0 ? given["output"].as<std::string>()
                                                  : std::filesystem::path(input).stem().string() +
                                                        (result.image ? ".out" : ".obj");
  const std::vector<std::uint8_t> coff =
      result.image ? writeCoff(*result.image) : writeObject(*result.object);
  return writeFile(output, reinterpret_cast<const char*>(coff.data()), coff.size()) ? kDone
                                                                                    : kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  po::options_description visible("options");
  auto add = visible.add_options();
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
      "unused "
      "(off), all, none");
  add("enhanced", "accept registers in the short fields of parallel pairs (silicon revision 2)");
  add("manual", "print the instruction manual as Markdown and stop");
  add("help,h", "print this and stop");
  po::options_description all;
  all.add(visible).add_options()("input", po::value<std::string>());
  po::positional_options_description positional;
  positional.add("input", 1);
  try {
    po::variables_map given;
    po::store(po::command_line_parser(argc, argv).options(all).positional(positional).run(), given);
    po::notify(given);
    return run(given, visible);
  } catch (const po::error& error) {
    std::cerr << "c32-as: error: " << error.what() << "\n";
    return kUsage;
  } catch (const std::exception& error) {
    std::cerr << "c32-as: internal error: " << error.what() << "\n";
    return kInternal;
  }
}
