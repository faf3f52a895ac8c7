// See reassemble.hpp.
#include "models/c32/link/reassemble.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "models/c32/asm/scanner.hpp"
#include "models/c32/decode.hpp"
#include "models/c32/disasm.hpp"
#include "models/common/core/text.hpp"

namespace rtvp::c32 {
namespace {

/// A name the assembler takes as a symbol wherever it stands, and that is not local to a place.
bool isSpellable(const std::string& name) {
  if (name.empty() || name.size() > 200 || name == "$" || !isNameStart(name[0])) return false;
  if (!std::all_of(name.begin(), name.end(), isNameChar)) return false;
  const bool local = name.size() == 2 && name[0] == '$' && isDigit(name[1]);
  return !local && registerNumber(name) < 0;
}

bool isQuotable(const std::string& name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; });
}

/// The instruction with its branch target by name, or counted from here where it lies in the same
/// section: so it assembles to the same word whether addresses are given or the linker's.
std::string withTarget(std::uint32_t word, std::uint32_t address, const Section& section,
                       const std::map<std::uint32_t, std::string>& names) {
  std::string text = disassemble(word, address);
  const std::optional<Instruction> i = decode(word);
  if (!i || text.starts_with(".word")) return text;
  const std::optional<std::uint32_t> target = branchTarget(*i, address);
  if (!target) return text;
  const auto it = names.find(*target);
  const std::string number = "0" + common::hexH(*target, 6);
  if (!text.ends_with(number)) return text;
  const std::string instruction = text.substr(0, text.size() - number.size());
  if (it != names.end()) return instruction + it->second;
  if (*target - section.runAddress < section.size)
    return instruction + (*target >= address ? "$+" + std::to_string(*target - address)
                                             : "$-" + std::to_string(address - *target));
  // Elsewhere: a displacement is only the assembler's where it places the section.
  return i->a.kind == Operand::Kind::Relative ? ".word 0" + common::hexH(word, 8) : text;
}

}  // namespace

std::map<std::uint32_t, std::string> labelsOf(const Image& image) {
  std::map<std::uint32_t, std::string> labels;
  for (const auto& [name, symbol] : image.symbols) {
    if (symbol.section >= 0) labels.try_emplace(symbol.value, name);
  }
  return labels;
}

std::string targetNote(const Image& image, const std::map<std::uint32_t, std::string>& labels,
                       std::uint32_t word, std::uint32_t address) {
  const std::optional<Instruction> i = decode(word);
  if (!i) return {};
  const std::optional<std::uint32_t> target = branchTarget(*i, address);
  if (!target) return {};
  auto it = labels.upper_bound(*target);
  if (it == labels.begin()) return {};
  --it;
  if (it->first == *target) return "  ; " + it->second;
  const bool held = std::any_of(image.sections.begin(), image.sections.end(),
                                [&, label = it->first](const Section& s) {
                                  return label >= s.runAddress && *target - s.runAddress < s.size;
                                });
  return held ? "  ; " + it->second + "+" + std::to_string(*target - it->first) : "";
}

std::string reassemblable(const Image& image) {
  std::string out;
  std::map<std::uint32_t, std::string> names;
  std::multimap<std::pair<int, std::uint32_t>, std::string> labels;
  std::set<std::string> taken;
  for (const auto& [name, symbol] : image.symbols) {
    if (!isSpellable(name)) continue;
    const bool placed = symbol.section >= 0;
    const Section* s = placed ? &image.sections[static_cast<std::size_t>(symbol.section)] : nullptr;
    const std::uint32_t offset = placed ? symbol.value - s->runAddress : 0;
    if (symbol.external) out += "        .global " + name + "\n";
    if (!placed || s->kind == Section::Kind::Bss || offset >= s->size) {
      out += name + "  .set 0" + common::hexH(symbol.value, 8) + "\n";
      continue;
    }
    labels.emplace(std::pair(symbol.section, offset), name);
    names.try_emplace(symbol.value, name);
  }
  for (std::size_t n = 0; n < image.sections.size(); ++n) {
    const Section& s = image.sections[n];
    // A name no source can spell gets another one: words and addresses are what counts.
    std::string name = isQuotable(s.name) && !s.name.empty() && s.name.size() <= 200
                           ? s.name
                           : "section" + std::to_string(n);
    while (!taken.insert(name).second) name += "_" + std::to_string(n);
    if (s.kind == Section::Kind::Bss) {
      out += "reserved__" + std::to_string(n) + "  .usect \"" + name + "\"," +
             std::to_string(s.size) + "\n        .place \"" + name + "\"," + "0" +
             common::hexH(s.runAddress, 6) + "\n";
      continue;
    }
    out += "        .sect \"" + name + "\",0" + common::hexH(s.runAddress, 6) + "," + "0" +
           common::hexH(s.loadAddress, 6) + "\n";
    for (std::uint32_t k = 0; k < s.words.size(); ++k) {
      const auto here = labels.equal_range({static_cast<int>(n), k});
      for (auto it = here.first; it != here.second; ++it) out += it->second + ":\n";
      const std::uint32_t address = s.runAddress + k;
      out += "        " +
             (s.kind == Section::Kind::Text ? withTarget(s.words[k], address, s, names)
                                            : ".word 0" + common::hexH(s.words[k], 8)) +
             "\n";
    }
  }
  for (std::size_t n = 0; n < image.copies.size(); ++n) {
    const Section& s = image.copies[n];
    std::string name = isQuotable(s.name) && !s.name.empty() && s.name.size() <= 200
                           ? s.name
                           : "copy" + std::to_string(n);
    while (!taken.insert(name).second) name += "_" + std::to_string(n);
    out += "        .copysect \"" + name + "\"\n";
    for (const std::uint32_t word : s.words)
      out += "        .word 0" + common::hexH(word, 8) + "\n";
  }
  return out + "        .end 0" + common::hexH(image.entry, 6) + "\n";
}

}  // namespace rtvp::c32
