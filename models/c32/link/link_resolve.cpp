// Symbols of all files together, and the relocations that use them (c32.md 10.6).
#include <algorithm>

#include "models/c32/isa.hpp"
#include "models/c32/link/link_job.hpp"
#include "models/common/core/text.hpp"

namespace rtvp::c32 {
namespace {

std::int32_t signed16(std::uint32_t word) {
  return static_cast<std::int16_t>(word & 0xFFFF);
}

/// Difference of two 24-bit addresses as the address adder sees it.
std::int32_t signed24(std::uint32_t value) {
  return static_cast<std::int32_t>(value << 8) >> 8;
}

}  // namespace

/// `source.asm:12` if the object knows, else the file; with section and offset.
std::string LinkJob::place(std::size_t input, std::size_t section, std::uint32_t offset) const {
  const Object& object = inputs_[input].object;
  const std::string line = object.sourceLine(static_cast<std::uint32_t>(section), offset);
  const std::string at = inputs_[input].name + "(" + object.sections[section].name + "+" +
                         common::hexH(offset, 4) + ")";
  return line.empty() ? at : line + ": " + at;
}

void LinkJob::define(const std::string& name, const Global& global) {
  const auto [it, added] = globals_.try_emplace(name, global);
  if (added) return;
  error(global.where, "symbol '" + name + "' is defined again; first in " + it->second.where);
}

void LinkJob::defineSymbols() {
  for (const auto& [name, value] : options_.script.constants)
    define(name, {value, -1, "the script"});
  for (std::size_t n = 0; n < outputs_.size(); ++n) {
    const OutputSection& out = outputs_[n];
    if (out.spec == nullptr) continue;
    const auto all = [&](const std::vector<std::string>& names, std::uint32_t value, bool address) {
      for (const std::string& name : names)
        define(name, {value, address ? static_cast<int>(n) : -1, "the script"});
    };
    all(out.spec->loadStart, out.loadBase, false);
    all(out.spec->runStart, out.runBase, true);
    all(out.spec->runEnd, out.runBase + out.size, true);
    all(out.spec->sizeOf, out.size, false);
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    for (const ObjectSymbol& s : inputs_[i].object.symbols) {
      if (!s.external || s.section == ObjectSymbol::kUndefined) continue;
      Global g;
      g.value = valueOf(i, s).value_or(0);
      g.where = inputs_[i].name;
      if (s.section >= 0) {
        const auto section = static_cast<std::size_t>(s.section);
        g.output = homes_[i][section].output;
        g.where = place(i, section, s.value);
      }
      define(s.name, g);
    }
  }
  defineAssigned();
}

/// Symbols that the script gives the value of an expression: those inside sections first, which
/// others may use.
void LinkJob::defineAssigned() {
  const auto give = [&](const ScriptAssignment& a, std::uint32_t here, int output) {
    const std::string where = "line " + std::to_string(a.line) + " of the script";
    std::string missing;
    const auto value = evaluate(
        a.value, here,
        [&](const std::string& name) -> std::optional<std::uint32_t> {
          const auto it = globals_.find(name);
          return it == globals_.end() ? std::nullopt : std::optional(it->second.value);
        },
        &missing);
    if (value) return define(a.symbol, {*value, output, where});
    error(where, missing.empty()
                     ? "'" + a.symbol + "' is a number divided by 0"
                     : "'" + a.symbol + "' needs '" + missing + "', which is not defined");
  };
  for (std::size_t n = 0; n < outputs_.size(); ++n) {
    for (const OutputSection::Assigned& a : outputs_[n].assigned) {
      if (a.assignment->symbol == ".") continue;
      const bool address = a.assignment->value.usesHere();
      give(*a.assignment, outputs_[n].runBase + a.here, address ? static_cast<int>(n) : -1);
    }
  }
  for (const ScriptAssignment& a : options_.script.assignments) give(a, 0, -1);
}

/// Final value of a symbol; empty if no file defines it.
std::optional<std::uint32_t> LinkJob::valueOf(std::size_t input, const ObjectSymbol& s) {
  if (s.section == ObjectSymbol::kUndefined) {
    const auto it = globals_.find(s.name);
    if (it == globals_.end()) return std::nullopt;
    return it->second.value;
  }
  if (s.section < 0) return s.value;
  const Home& home = homes_[input][static_cast<std::size_t>(s.section)];
  const OutputSection& out = outputs_[static_cast<std::size_t>(home.output)];
  return (s.load ? out.loadBase : out.runBase) + home.offset + s.value;
}

void LinkJob::resolve() {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const auto& sections = inputs_[i].object.sections;
    for (std::size_t k = 0; k < sections.size(); ++k) {
      for (const Relocation& r : sections[k].relocations) relocate(i, k, r);
    }
  }
  reportUndefined();
}

void LinkJob::relocate(std::size_t input, std::size_t section, const Relocation& r) {
  const Object& object = inputs_[input].object;
  const Home& home = homes_[input][section];
  OutputSection& out = outputs_[static_cast<std::size_t>(home.output)];
  const std::uint32_t at = home.offset + r.offset;
  const std::string where = place(input, section, r.offset);
  std::string name = object.sections[section].name;
  std::uint32_t s = out.runBase + home.offset;
  if (r.symbol >= 0) {
    const ObjectSymbol& symbol = object.symbols[static_cast<std::size_t>(r.symbol)];
    name = symbol.name;
    const std::optional<std::uint32_t> value = valueOf(input, symbol);
    if (!value) {
      undefined_[name].push_back(where);
      return;
    }
    s = *value;
  }
  std::uint32_t& word = out.words[at];
  const std::uint32_t p = out.runBase + at;
  const auto low16 = [&](std::uint32_t value) { word = (word & 0xFFFF0000u) | (value & 0xFFFFu); };
  const auto low24 = [&](std::uint32_t value) {
    word = (word & 0xFF000000u) | (value & kAddressMask);
  };
  switch (r.type) {
    case RelocationType::Absolute:
      break;
    case RelocationType::RelLong:
      word += s;
      break;
    case RelocationType::Rel24:
      low24(word + s);
      break;
    case RelocationType::Pcr24:
      low24(word + s - p);
      break;
    case RelocationType::PartLs16:
      low16(word + s);
      break;
    case RelocationType::PartMs8:
      low16(((s + r.displacement) >> 16) + (word & 0xFFFF));
      break;
    case RelocationType::RelWord: {
      const auto value = static_cast<std::int32_t>(s + static_cast<std::uint32_t>(signed16(word)));
      if (value < -0x8000 || value > 0x7FFF)
        return error(where, "'" + name + "' is " +
                                common::hexH(static_cast<std::uint32_t>(value), 8) +
                                ", which no signed 16-bit immediate holds (load it from a word)");
      low16(static_cast<std::uint32_t>(value));
      break;
    }
    case RelocationType::PcrWord: {
      const std::int32_t distance = signed24(s + static_cast<std::uint32_t>(signed16(word)) - p);
      if (distance < -0x8000 || distance > 0x7FFF)
        return error(where, "'" + name + "' is " + std::to_string(distance) +
                                " words away, which no 16-bit branch reaches (use BR or CALL)");
      low16(static_cast<std::uint32_t>(distance));
      break;
    }
  }
}

/// One message for each name, with where it is used.
void LinkJob::reportUndefined() {
  constexpr std::size_t kShown = 3;
  for (const auto& [name, places] : undefined_) {
    std::string text = "symbol '" + name + "' is defined in no file";
    for (std::size_t n = 1; n < std::min(places.size(), kShown); ++n)
      text += (n == 1 ? "; also used at " : ", ") + places[n];
    if (places.size() > kShown)
      text += " and " + std::to_string(places.size() - kShown) + " more places";
    error(places.front(), text);
  }
}

}  // namespace rtvp::c32
