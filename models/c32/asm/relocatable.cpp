// Relocatable output: what the assembler leaves to the linker (c32.md 10.3, 10.6). A field's
// constant part stands in the word; where a field cannot hold all of it the relocation gets a
// symbol of its own.
#include <algorithm>

#include "models/c32/asm/program.hpp"
#include "models/c32/isa.hpp"

namespace rtvp::c32 {

/// Sections keep the addresses the source demands for them; there is no other placement.
void Program::startRelocatable() {
  for (Building& b : sections_) {
    b.loadBase = b.runBase = 0;
    if (b.runAfter.empty()) continue;
    report(Severity::Error, b.placedBy, order_ + 1, 0,
           "found section \"" + b.name + "\" behind \"" + b.runAfter +
               "\" in relocatable output, expected an address or a linker script that places it");
  }
}

void Program::relocateWord(const Statement& s, std::uint32_t index, const FieldRelocation& field) {
  const Value& v = field.value;
  const bool half = field.type == RelocationType::PartMs8 || field.type == RelocationType::PartLs16;
  if (v.part != Part::Whole && !half)
    throw SourceError(field.at,
                      "found a part of an address, expected all of it or a 16-bit operand");
  const std::int32_t own = field.type == RelocationType::PcrWord ? 4 : 0;
  const bool word = field.type == RelocationType::RelWord || field.type == RelocationType::PcrWord;
  if (v.symbol >= 0 && word && (v.integer < -0x8000 + own || v.integer > 0x7FFF)) {
    throw SourceError(
        field.at,
        "found a constant beyond 16 bits added to an external symbol, expected -32768 "
        "to 32767 (the field holds the addend)");
  }
  if (field.type == RelocationType::Rel24 && v.section == s.section)
    ownTargets_[{s.section, s.offset}] = static_cast<std::uint32_t>(v.integer);
  relocations_.push_back({s.section, s.offset + index, field});
}

void Program::makeObjectSymbols(Object& object, const std::vector<int>& index) const {
  for (std::size_t i = 0; i < object.sections.size(); ++i) {
    object.symbols.push_back(
        {.name = object.sections[i].name, .section = static_cast<int>(i), .sectionSymbol = true});
  }
  for (const auto& [name, known] : symbols_) {
    const Value& v = known.value;
    if (!known.defined || v.isFloat || v.symbol >= 0 || v.reg >= 0 ||
        name.find('#') != std::string::npos)
      continue;
    object.symbols.push_back({.name = name,
                              .value = static_cast<std::uint32_t>(v.integer),
                              .section = v.section < 0 ? ObjectSymbol::kAbsolute
                                                       : index[static_cast<std::size_t>(v.section)],
                              .external = known.external,
                              .load = v.load});
  }
  for (const std::string& name : externals_)
    object.symbols.push_back({.name = name, .external = true});
}

void Program::makeObjectRelocations(Object& object, const std::vector<int>& index) {
  // makeObjectSymbols has put the external ones last, in their own order.
  const auto firstExternal = static_cast<int>(object.symbols.size() - externals_.size());
  std::map<std::tuple<int, std::int32_t, bool>, int> exact;
  const auto symbolAt = [&](const Value& v) {
    const auto [it, added] =
        exact.try_emplace({v.section, v.integer, v.load}, static_cast<int>(object.symbols.size()));
    if (added) {
      const std::string& section = sections_[static_cast<std::size_t>(v.section)].name;
      object.symbols.push_back({.name = section + (v.load ? "@" : "+") + std::to_string(v.integer),
                                .value = static_cast<std::uint32_t>(v.integer),
                                .section = index[static_cast<std::size_t>(v.section)],
                                .load = v.load});
    }
    return it->second;
  };
  for (const PendingRelocation& p : relocations_) {
    const Value& v = p.field.value;
    const RelocationType type = p.field.type;
    const bool narrow = type == RelocationType::RelWord || type == RelocationType::PcrWord;
    const bool fits = !narrow || (v.integer >= -0x8000 && v.integer <= 0x7FFF);
    int symbol = 0;
    std::uint32_t displacement = 0;
    auto addend = static_cast<std::uint32_t>(v.integer);
    if (v.symbol >= 0) {
      symbol = firstExternal + v.symbol;
      if (type == RelocationType::PartMs8) {
        // The field holds the upper half of the addend, the entry the lower one.
        displacement = addend & 0xFFFFu;
        addend >>= 16;
      }
    } else if (!v.load && fits && type != RelocationType::PartMs8) {
      symbol = index[static_cast<std::size_t>(v.section)];  // section symbols come first
    } else {
      symbol = symbolAt(v);
      addend = 0;
    }
    const std::uint32_t mask = type == RelocationType::RelLong ? ~0u
                               : type == RelocationType::Rel24 ? kAddressMask
                                                               : 0xFFFFu;
    ObjectSection& section =
        object.sections[static_cast<std::size_t>(index[static_cast<std::size_t>(p.section)])];
    section.words[p.offset] |= addend & mask;
    section.relocations.push_back({p.offset, type, symbol, displacement});
  }
  for (ObjectSection& section : object.sections) {
    std::stable_sort(section.relocations.begin(), section.relocations.end(),
                     [](const Relocation& a, const Relocation& b) { return a.offset < b.offset; });
  }
}

Object Program::makeObject() {
  Object object;
  object.files = preprocessor_.files();
  std::vector<bool> wanted(sections_.size());
  for (std::size_t i = 0; i < sections_.size(); ++i) wanted[i] = sections_[i].size != 0;
  for (const auto& [name, known] : symbols_) {
    if (known.defined && known.value.section >= 0)
      wanted[static_cast<std::size_t>(known.value.section)] = true;
  }
  if (entryGiven_ && symbols_.count("_start") == 0) {
    Known start;
    if (!entrySymbol_.empty()) {
      start.value = symbols_[keyOf(entrySymbol_)].value;
    } else {
      start.value = Value::of(static_cast<std::int32_t>(entry_));
    }
    start.defined = start.external = true;
    symbols_["_start"] = start;
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    if (wanted[i]) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sections_[a].firstUse < sections_[b].firstUse;
  });
  std::vector<int> index(sections_.size(), -1);
  for (const std::size_t i : order) {
    const Building& b = sections_[i];
    index[i] = static_cast<int>(object.sections.size());
    object.sections.push_back({b.name, b.kind, b.size, b.alignment, b.run, b.load, b.words, {}});
    object.sections.back().copy = b.copy;
  }
  makeObjectSymbols(object, index);
  makeObjectRelocations(object, index);
  for (const Statement& s : statements_) {
    const std::uint32_t count = s.kind == Statement::Kind::Fill ? std::min(s.size, 1u) : s.size;
    for (std::uint32_t i = 0; i < count; ++i) {
      object.lines.push_back(
          {static_cast<std::uint32_t>(index[static_cast<std::size_t>(s.section)]), s.offset + i,
           s.where.file, s.where.line});
    }
  }
  object.debug = takeDebug(index, std::vector<std::uint32_t>(sections_.size(), 0));
  std::stable_sort(object.lines.begin(), object.lines.end(),
                   [](const ObjectLine& a, const ObjectLine& b) {
                     return std::tuple(a.section, a.offset) < std::tuple(b.section, b.offset);
                   });
  return object;
}

}  // namespace rtvp::c32
