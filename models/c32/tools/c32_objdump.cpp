// c32-objdump: what a COFF file holds. Options as design.md section 7 names them.
#include <boost/program_options.hpp>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "models/c32/asm/coff.hpp"
#include "models/c32/disasm.hpp"

namespace {

namespace po = boost::program_options;
using rtvp::c32::Image;
using rtvp::c32::Section;

constexpr int kDone = 0, kFailed = 1, kUsage = 2, kInternal = 70;

void printSections(const Image& image) {
  std::printf("%-24s %6s %6s %6s %s\n", "section", "load", "run", "words", "kind");
  for (const Section& s : image.sections) {
    const char* kind = s.kind == Section::Kind::Text   ? "text"
                       : s.kind == Section::Kind::Data ? "data"
                                                       : "bss";
    std::printf("%-24s %06x %06x %6u %s\n", s.name.c_str(), s.loadAddress, s.runAddress, s.size,
                kind);
  }
}

void printSymbols(const Image& image) {
  for (const auto& [name, symbol] : image.symbols) {
    const std::string where = symbol.section < 0
                                  ? "*ABS*"
                                  : image.sections[static_cast<std::size_t>(symbol.section)].name;
    std::printf("%08x %c %-16s %s\n", symbol.value, symbol.external ? 'g' : 'l', where.c_str(),
                name.c_str());
  }
}

void disassembleSections(const Image& image) {
  std::multimap<std::uint32_t, std::string> labels;
  for (const auto& [name, symbol] : image.symbols) {
    if (symbol.section >= 0) labels.emplace(symbol.value, name);
  }
  for (const Section& s : image.sections) {
    if (s.kind != Section::Kind::Text) continue;
    std::printf("\nsection %s:\n", s.name.c_str());
    for (std::uint32_t n = 0; n < s.words.size(); ++n) {
      const std::uint32_t address = s.runAddress + n;
      const auto range = labels.equal_range(address);
      for (auto it = range.first; it != range.second; ++it)
        std::printf("%s:\n", it->second.c_str());
      std::printf("%06x  %08x  %s\n", address, s.words[n],
                  rtvp::c32::disassemble(s.words[n], address).c_str());
    }
  }
}

/// False if there is no such section.
bool printWords(const Image& image, const std::string& name) {
  bool found = false;
  for (const Section& s : image.sections) {
    if (s.name != name) continue;
    found = true;
    for (const std::uint32_t word : s.words) std::printf("%08x\n", word);
  }
  return found;
}

int run(const po::variables_map& given, const po::options_description& visible) {
  if (given.count("help") != 0) {
    std::cout << "c32-objdump [options] FILE\n" << visible;
    return kDone;
  }
  if (given.count("input") != 1) {
    std::cerr << "c32-objdump: error: found no file, expected one (--help lists the options)\n";
    return kUsage;
  }
  const std::string path = given["input"].as<std::string>();
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::cerr << path << ": error: found no readable file, expected a COFF file\n";
    return kFailed;
  }
  const std::vector<char> content{std::istreambuf_iterator<char>(file),
                                  std::istreambuf_iterator<char>()};
  const Image image =
      rtvp::c32::loadCoff({reinterpret_cast<const std::uint8_t*>(content.data()), content.size()});
  if (given.count("section-headers") != 0) printSections(image);
  if (given.count("syms") != 0) printSymbols(image);
  // An executable has no relocations: loadCoff refuses a file that has some.
  if (given.count("reloc") != 0) std::printf("no relocations\n");
  if (given.count("disassemble") != 0) disassembleSections(image);
  if (given.count("words") != 0 && !printWords(image, given["words"].as<std::string>())) {
    std::cerr << path << ": error: found no section " << given["words"].as<std::string>()
              << ", expected one the file has\n";
    return kFailed;
  }
  return kDone;
}

}  // namespace

int main(int argc, char** argv) {
  po::options_description visible("options");
  auto add = visible.add_options();
  add("disassemble,d", "disassemble text sections at their run addresses");
  add("section-headers,h", "list sections: load and run address, size");
  add("syms,t", "list symbols");
  add("reloc,r", "list relocations");
  add("words", po::value<std::string>()->value_name("SECTION"),
      "print a section's words, one hexadecimal word a line");
  add("help", "print this and stop");
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
    std::cerr << "c32-objdump: error: " << error.what() << "\n";
    return kUsage;
  } catch (const rtvp::c32::CoffError& error) {
    std::cerr << "c32-objdump: error: " << error.what() << "\n";
    return kFailed;
  } catch (const std::exception& error) {
    std::cerr << "c32-objdump: internal error: " << error.what() << "\n";
    return kInternal;
  }
}
