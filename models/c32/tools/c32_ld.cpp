// c32-ld: the linker's command line. Script language and placement: ../link/README.md.
#include <boost/program_options.hpp>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "models/c32/asm/coff.hpp"
#include "models/c32/link/archive.hpp"
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
  std::string bytes =
      tool::readInput(path, "an object file, an archive or a script", status::kFailed);
  if (bytes.empty())
    throw tool::Failure::at(tool::inputName(path),
                            "found nothing in it, expected an object file, an archive or a script",
                            status::kFailed);
  return bytes;
}

/// What the command line and command files name, sorted by kind.
struct Inputs {
  std::vector<rtvp::c32::LinkInput> objects;
  std::vector<rtvp::c32::LinkLibrary> libraries;
  bool good = true;
};

/// C40 code in a C3x program cannot be meant, but the flag is not certain (link/README.md).
void warnOfOtherChip(const std::string& name, const std::string& bytes) {
  if (rtvp::c32::isC4x(tool::bytesOf(bytes)))
    std::cerr << name << ": warning: the file says that it holds C4x code\n";
}

void readInput(const std::string& name, const std::string& bytes, Inputs& inputs) {
  using namespace rtvp::c32;
  try {
    if (!isArchive(tool::bytesOf(bytes))) {
      inputs.objects.push_back({name, readObject(tool::bytesOf(bytes))});
      warnOfOtherChip(name, bytes);
      return;
    }
    LinkLibrary library{name, {}};
    for (const ArchiveMember& m : readArchive(tool::bytesOf(bytes)))
      library.members.push_back({m.name, readObject(m.bytes)});
    inputs.libraries.push_back(std::move(library));
  } catch (const std::runtime_error& error) {
    std::cerr << name << ": error: " << error.what() << "\n";
    inputs.good = false;
  }
}

/// `-l name` and files of a command file: here, then in the folders of -i.
std::string findInput(const std::string& word, const std::vector<std::string>& folders) {
  std::string name = word.starts_with("-l ") ? word.substr(3) : word;
  std::error_code error;
  if (tool::isStandard(name) || std::filesystem::exists(name, error)) return name;
  for (const std::string& folder : folders) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    if (std::filesystem::exists(path, error)) return path.string();
  }
  return name;
}

/// Reads every input, and reports every bad one.
Inputs readInputs(const std::vector<std::string>& words, const std::vector<std::string>& folders) {
  Inputs inputs;
  for (const std::string& word : words) {
    const std::string path = findInput(word, folders);
    try {
      readInput(tool::inputName(path), contents(path), inputs);
    } catch (const tool::Failure& failure) {
      std::cerr << failure.text("c32-ld");
      inputs.good = false;
    }
  }
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

std::uint32_t wordsOf(const std::string& text) {
  try {
    std::size_t used = 0;
    const unsigned long value = std::stoul(text, &used, 0);
    if (used == text.size() && value <= 1u << 24) return static_cast<std::uint32_t>(value);
  } catch (const std::exception&) {
    // Said below.
  }
  throw tool::Failure("found '" + text + "', expected a number of words");
}

/// Options of the command line win over those of command files.
void mergeOptions(const po::variables_map& given, rtvp::c32::LinkCommands& commands) {
  using rtvp::c32::Initialisation;
  if (given["rom"].as<bool>()) commands.initialisation = Initialisation::Rom;
  if (given["ram"].as<bool>()) commands.initialisation = Initialisation::Ram;
  if (tool::has(given, "stack")) commands.stack = wordsOf(tool::textOf(given, "stack"));
  if (tool::has(given, "heap")) commands.heap = wordsOf(tool::textOf(given, "heap"));
  if (tool::has(given, "heap8")) commands.heap8 = wordsOf(tool::textOf(given, "heap8"));
  if (tool::has(given, "heap16")) commands.heap16 = wordsOf(tool::textOf(given, "heap16"));
  for (const std::string& symbol : tool::listOf(given, "undefined"))
    commands.wanted.push_back(symbol);
  for (const std::string& folder : tool::listOf(given, "directory"))
    commands.directories.push_back(folder);
  for (const std::string& library : tool::listOf(given, "library"))
    commands.inputs.push_back("-l " + library);
}

bool isCommandFile(const std::string& path) {
  const std::string suffix = std::filesystem::path(path).extension().string();
  return suffix == ".cmd" || suffix == ".CMD";
}

int run(const po::variables_map& given) {
  using namespace rtvp::c32;
  std::vector<std::string> paths = tool::listOf(given, "input");
  std::string script = tool::textOf(given, "script");
  for (auto it = paths.begin(); script.empty() && it != paths.end(); ++it) {
    if (!isCommandFile(*it)) continue;
    script = *it;
    paths.erase(it);
    break;
  }
  std::vector<std::string> readers = paths;
  readers.push_back(script);
  tool::requireOneStandard(readers, "input");

  LinkOptions options;
  if (!script.empty()) options.script = readScript(script);
  if (tool::has(given, "entry")) options.entry = tool::textOf(given, "entry");
  options.crossReference = given["cross-reference"].as<bool>();
  LinkCommands& commands = options.script.commands;
  mergeOptions(given, commands);
  paths.insert(paths.end(), commands.inputs.begin(), commands.inputs.end());
  if (paths.empty())
    throw tool::Failure("found no object file, expected at least one (--help lists the options)");
  std::string output = tool::textOf(given, "output"), map = tool::textOf(given, "map");
  if (given["output"].defaulted() && !commands.output.empty()) output = commands.output;
  if (map.empty()) map = commands.map;
  tool::requireOneStandard({output, map}, "output");

  // A command file may have named them: the command line's own were looked at before.
  std::vector<std::string> taken{script};
  for (const std::string& path : paths) taken.push_back(findInput(path, commands.directories));
  tool::requireWritable(output, taken);
  taken.push_back(output);
  tool::requireWritable(map, taken);

  Inputs inputs = readInputs(paths, commands.directories);
  if (!inputs.good) return status::kFailed;
  options.libraries = std::move(inputs.libraries);
  const LinkResult result = link(inputs.objects, options);
  std::cerr << result.report();
  if (!result.image) return status::kFailed;
  const std::vector<std::uint8_t> program = writeCoff(*result.image);
  const tool::Output outputs[] = {{map, result.map}, {output, tool::textOf(program)}};
  tool::writeOutputs(outputs);
  return status::kDone;
}

void declare(po::options_description& options) {
  auto add = options.add_options();
  add("output,o", po::value<std::string>()->value_name("FILE")->default_value("a.out"),
      "executable COFF file");
  add("script,T", po::value<std::string>()->value_name("FILE"),
      "memory map, section placement, options and files (an argument FILE.cmd is one, too)");
  add("map,m", po::value<std::string>()->value_name("FILE"), "write a map of memory and symbols");
  add("entry,e", po::value<std::string>()->value_name("SYMBOL"),
      "entry point (default: ENTRY of the script, _c_int00, _start, the first section)");
  add("library,l", po::value<std::vector<std::string>>()->value_name("FILE"),
      "archive: members that define what is missing take part");
  add("directory,i", po::value<std::vector<std::string>>()->value_name("DIR"),
      "folder searched for libraries and files");
  add("undefined,u", po::value<std::vector<std::string>>()->value_name("SYMBOL"),
      "look for this symbol in the libraries");
  add("rom,c", po::bool_switch(), "C variables are initialised by the program, from .cinit");
  add("ram,r", po::bool_switch(), "C variables are initialised by the loader (TI: -cr)");
  add("stack", po::value<std::string>()->value_name("WORDS"), "size of .stack (1024)");
  add("heap", po::value<std::string>()->value_name("WORDS"), "size of .sysmem (1024)");
  add("heap8", po::value<std::string>()->value_name("WORDS"),
      "size of .sysm8, the heap in the C32's memory of 8 bits (1024)");
  add("heap16", po::value<std::string>()->value_name("WORDS"),
      "size of .sysm16, the heap in the C32's memory of 16 bits (1024)");
  add("cross-reference,x", po::bool_switch(), "the map tells who uses each symbol");
}

}  // namespace

int main(int argc, char** argv) {
  return tool::run({.name = "c32-ld",
                    .summary = "linker of C3x object files",
                    .usage = "c32-ld [-T SCRIPT] -o FILE OBJECT...\n",
                    .declare = declare,
                    .run = run,
                    .input = "input",
                    .inputs = tool::Program::kAnyNumber,
                    .writes = {"output", "map"},
                    .reads = {"script"}},
                   argc, argv);
}
