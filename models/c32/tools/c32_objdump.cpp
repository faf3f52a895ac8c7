// c32-objdump: what a COFF file holds, executable or relocatable. Options as design.md section 7
// names them, and --asm: a source text that assembles to the same words.
#include <boost/program_options.hpp>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/c32/analysis/call_graph.hpp"
#include "models/c32/analysis/lint.hpp"
#include "models/c32/asm/coff.hpp"
#include "models/c32/decode.hpp"
#include "models/c32/disasm.hpp"
#include "models/c32/link/object_coff.hpp"
#include "models/c32/link/reassemble.hpp"
#include "models/c32/tools/c32_objdump_source.hpp"
#include "models/common/tool/files.hpp"
#include "models/common/tool/program.hpp"

namespace {

namespace po = boost::program_options;
using rtvp::c32::Image;
using rtvp::c32::Object;
using rtvp::c32::ObjectSection;
using rtvp::c32::ObjectSymbol;
using rtvp::c32::Relocation;
using rtvp::c32::Section;

namespace tool = rtvp::tool;
namespace status = tool::status;

/// Either kind of file, as an object: an executable's sections are fixed and it has no relocations.
struct Contents {
  Object object;
  std::optional<Image> image;
};

const char* kindName(Section::Kind kind) {
  return kind == Section::Kind::Text ? "text" : kind == Section::Kind::Data ? "data" : "bss";
}

void printSections(const Contents& c) {
  std::printf("%s\n", c.image ? "executable" : "relocatable");
  if (c.image) std::printf("entry %06x\n", c.image->entry);
  std::printf("%-24s %6s %6s %6s %5s %6s %s\n", "section", "load", "run", "words", "align",
              "relocs", "kind");
  for (const ObjectSection& s : c.object.sections) {
    const std::uint32_t run = s.run.value_or(0), load = s.load.value_or(run);
    std::printf("%-24s %06x %06x %6u %5u %6zu %s%s\n", s.name.c_str(), load, run, s.size,
                s.alignment, s.relocations.size(), kindName(s.kind),
                s.copy              ? " copy"
                : !c.image && s.run ? " fixed"
                                    : "");
  }
}

void printSymbols(const Contents& c) {
  std::multimap<std::string, const ObjectSymbol*> order;
  for (const ObjectSymbol& s : c.object.symbols) order.emplace(s.name, &s);
  for (const auto& [name, s] : order) {
    const auto& sections = c.object.sections;
    std::uint32_t value = s->value;
    std::string where = s->section == ObjectSymbol::kUndefined ? "*UND*" : "*ABS*";
    if (s->section >= 0) {
      const ObjectSection& section = sections[static_cast<std::size_t>(s->section)];
      where = section.name;
      value += s->load ? section.load.value_or(0) : section.run.value_or(0);
    }
    std::printf("%08x %c%c %-16s %s\n", value, s->external ? 'g' : 'l',
                s->sectionSymbol ? 'S'
                : s->load        ? 'L'
                                 : ' ',
                where.c_str(), name.c_str());
  }
}

std::string symbolName(const Object& object, const Relocation& r) {
  return r.symbol < 0 ? std::string("(section)")
                      : object.symbols[static_cast<std::size_t>(r.symbol)].name;
}

void printRelocations(const Contents& c) {
  bool any = false;
  for (const ObjectSection& s : c.object.sections) {
    if (s.relocations.empty()) continue;
    any = true;
    std::printf("section %s:\n%-8s %-12s %-10s %s\n", s.name.c_str(), "offset", "type", "word",
                "symbol");
    for (const Relocation& r : s.relocations) {
      std::printf("%06x   %-12s %08x   %s\n", r.offset, rtvp::c32::relocationName(r.type).c_str(),
                  s.words[r.offset], symbolName(c.object, r).c_str());
    }
  }
  if (!any) std::printf("no relocations\n");
}

void disassembleSections(const Contents& c, SectionSource* source) {
  std::map<std::uint32_t, std::string> names;
  if (c.image) names = rtvp::c32::labelsOf(*c.image);
  for (std::size_t n = 0; n < c.object.sections.size(); ++n) {
    const ObjectSection& s = c.object.sections[n];
    if (s.kind != Section::Kind::Text) continue;
    std::multimap<std::uint32_t, std::string> labels;
    for (const ObjectSymbol& symbol : c.object.symbols) {
      if (symbol.section == static_cast<int>(n) && !symbol.sectionSymbol && !symbol.load)
        labels.emplace(symbol.value, symbol.name);
    }
    std::multimap<std::uint32_t, const Relocation*> open;
    for (const Relocation& r : s.relocations) open.emplace(r.offset, &r);
    std::printf("\nsection %s:\n", s.name.c_str());
    const std::uint32_t base = s.run.value_or(0);
    if (source != nullptr)
      source->choose(c.object, c.image ? &*c.image : nullptr, static_cast<int>(n));
    for (std::uint32_t k = 0; k < s.words.size(); ++k) {
      const auto here = labels.equal_range(k);
      for (auto it = here.first; it != here.second; ++it) std::printf("%s:\n", it->second.c_str());
      if (source != nullptr) std::fputs(source->before(k).c_str(), stdout);
      const std::uint32_t word = s.words[k];
      std::string note;
      const auto relocations = open.equal_range(k);
      for (auto it = relocations.first; it != relocations.second; ++it)
        note += "  ; " + rtvp::c32::relocationName(it->second->type) + " " +
                symbolName(c.object, *it->second);
      if (note.empty() && c.image) note = rtvp::c32::targetNote(*c.image, names, word, base + k);
      std::printf("%06x  %08x  %s%s\n", base + k, word,
                  rtvp::c32::disassemble(word, base + k).c_str(), note.c_str());
    }
  }
}

/// False if there is no such section.
bool printWords(const Contents& c, const std::string& name) {
  bool found = false;
  for (const ObjectSection& s : c.object.sections) {
    if (s.name != name) continue;
    found = true;
    for (const std::uint32_t word : s.words) std::printf("%08x\n", word);
  }
  return found;
}

Contents readContents(const std::string& path) {
  const std::string content = tool::readInput(path, "a COFF file", status::kFailed);
  return tool::refusing<rtvp::c32::CoffError>(status::kFailed, [&content] {
    const auto bytes = tool::bytesOf(content);
    Contents c;
    c.object = rtvp::c32::readObject(bytes);
    if (rtvp::c32::isExecutable(bytes)) c.image = rtvp::c32::loadCoff(bytes);
    return c;
  });
}

/// `PLACE=N` with an address or a symbol.
void addBound(const std::string& text, const Image& image,
              std::map<std::uint32_t, std::uint64_t>& bounds) {
  const auto bad = [&] {
    return tool::Failure("found --bound " + text + ", expected SYMBOL=N or ADDRESS=N");
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw bad();
  const std::string place = text.substr(0, equals), count = text.substr(equals + 1);
  try {
    std::size_t used = 0, usedCount = 0;
    const std::uint64_t n = std::stoull(count, &usedCount, 0);
    if (usedCount != count.size() || n == 0) throw bad();
    const std::optional<std::uint32_t> symbol = image.find(place);
    const std::uint64_t address = symbol ? *symbol : std::stoull(place, &used, 16);
    if (!symbol && used != place.size() && place.substr(used) != "h") throw bad();
    bounds[static_cast<std::uint32_t>(address)] = n;
  } catch (const std::logic_error&) {
    throw bad();
  }
}

/// --calls and --dot, of executables.
void printCalls(const po::variables_map& given, const Contents& c, const std::string& path) {
  namespace analysis = rtvp::c32::analysis;
  if (!c.image)
    throw tool::Failure::at(tool::inputName(path),
                            "found a relocatable file, expected an executable one for --calls",
                            status::kFailed);
  analysis::CallGraphOptions options;
  for (const std::string& bound : tool::listOf(given, "bound"))
    addBound(bound, *c.image, options.bounds);
  const analysis::CallGraph graph = analysis::makeCallGraph(*c.image, options);
  if (tool::has(given, "calls")) std::cout << analysis::callGraphText(graph, *c.image);
  if (tool::has(given, "dot")) std::cout << analysis::callGraphDot(graph);
}

/// Findings as a compiler prints them; true if there are none.
bool printLint(const Contents& c, const std::string& path) {
  if (!c.image)
    throw tool::Failure::at(tool::inputName(path),
                            "found a relocatable file, expected an executable one for --lint",
                            status::kFailed);
  const auto findings = rtvp::c32::analysis::lint(*c.image);
  for (const auto& f : findings) {
    const std::string line = c.image->sourceLine(f.address);
    std::printf("%s: warning: %06x: %s\n",
                line.empty() ? tool::inputName(path).c_str() : line.c_str(), f.address,
                f.text.c_str());
  }
  return findings.empty();
}

int run(const po::variables_map& given) {
  if (!tool::has(given, "input"))
    throw tool::Failure("found no file, expected one (--help lists the options)");
  const std::string path = tool::textOf(given, "input");
  const Contents c = readContents(path);
  if (tool::has(given, "section-headers")) printSections(c);
  if (tool::has(given, "syms")) printSymbols(c);
  if (tool::has(given, "reloc")) printRelocations(c);
  const std::vector<std::string> folders = tool::listOf(given, "include");
  SectionSource source(folders);
  const bool interleaved = tool::has(given, "source");
  if (tool::has(given, "disassemble") || interleaved)
    disassembleSections(c, interleaved ? &source : nullptr);
  std::fflush(stdout);
  if (tool::has(given, "debug"))
    std::cout << rtvp::c32::debugText(c.image ? c.image->debug : c.object.debug);
  if (tool::has(given, "calls") || tool::has(given, "dot")) printCalls(given, c, path);
  if (tool::has(given, "lint") && !printLint(c, path)) return status::kFailed;
  if (tool::has(given, "asm")) {
    if (!c.image)
      throw tool::Failure::at(tool::inputName(path),
                              "found a relocatable file, expected an executable one for --asm",
                              status::kFailed);
    std::cout << rtvp::c32::reassemblable(*c.image);
  }
  const std::string section = tool::textOf(given, "words");
  if (tool::has(given, "words") && !printWords(c, section))
    throw tool::Failure::at(tool::inputName(path),
                            "found no section " + section + ", expected one the file has",
                            status::kFailed);
  return status::kDone;
}

void declare(po::options_description& options) {
  auto add = options.add_options();
  add("disassemble,d", "disassemble text sections, with labels and relocations");
  add("source,S",
      "disassemble with the source lines between: C where the file has C lines, else "
      "the assembler's");
  add("include,I", po::value<std::vector<std::string>>()->value_name("DIR"),
      "folder searched for sources");
  add("debug,g", "what compilers tell debuggers: files, types, functions, variables, lines");
  add("calls", "routines with their calls, stack depth and cycles at most (executables)");
  add("dot", "the same as a graph for Graphviz");
  add("bound", po::value<std::vector<std::string>>()->value_name("PLACE=N"),
      "--calls: the loop that begins there (symbol or hexadecimal address) runs at most N times");
  add("lint",
      "of a board's firmware: ways on which nodes leave the lockstep, forbidden words in delay "
      "slots, "
      "code beyond the internal RAM (executables); exit status 1 if there are any");
  add("section-headers,h", "list sections: load and run address, size, alignment, kind");
  add("syms,t", "list symbols: g external, l local, S section, L load address");
  add("reloc,r", "list relocations");
  add("asm", "write a source file that c32-as turns into the same words (executables)");
  add("words", po::value<std::string>()->value_name("SECTION"),
      "print a section's words, one hexadecimal word a line");
}

}  // namespace

int main(int argc, char** argv) {
  return tool::run({.name = "c32-objdump",
                    .summary = "shows C3x object, executable and archive files",
                    .usage = "c32-objdump [options] FILE\n",
                    .declare = declare,
                    .run = run,
                    .input = "input"},
                   argc, argv);
}
