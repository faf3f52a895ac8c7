// See object_coff.hpp.
#include "models/c32/link/object_coff.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>

#include "models/c32/asm/coff_debug.hpp"
#include "models/c32/asm/coff_format.hpp"

namespace rtvp::c32 {

using namespace coff;  // NOLINT(google-build-using-namespace): the format's own names

namespace {

constexpr std::uint32_t kAlignmentMask = 0xF00;
constexpr std::size_t kRelocationSize = 12, kRelocation0Size = 10;

constexpr unsigned kLineColumns = 4;  // section, offset, file, line

std::vector<std::uint32_t> packLines(const Object& object) {
  std::vector<std::uint32_t> entries;
  for (const ObjectLine& l : object.lines)
    entries.insert(entries.end(), {l.section, l.offset, l.file, l.line});
  return packLineMap(object.files, kLineColumns, entries);
}

void unpackLines(const std::vector<std::uint32_t>& words, Object& object) {
  const std::vector<std::uint32_t> entries = unpackLineMap(words, kLineColumns, object.files);
  for (std::size_t i = 0; i < entries.size(); i += kLineColumns)
    object.lines.push_back({entries[i], entries[i + 1], entries[i + 2], entries[i + 3]});
  std::sort(object.lines.begin(), object.lines.end(), [](const ObjectLine& a, const ObjectLine& b) {
    return std::tuple(a.section, a.offset, a.file, a.line) <
           std::tuple(b.section, b.offset, b.file, b.line);
  });
}

std::uint32_t baseOf(const ObjectSection& s) {
  return s.run.value_or(0);
}

struct Layout {
  std::vector<std::uint32_t> symbolIndex;  ///< file index of each symbol, auxiliary entries counted
  std::uint32_t symbols = 0;
};

/// A section's own symbol has an auxiliary entry: size and relocations.
bool hasAuxiliary(const ObjectSymbol& s) {
  return s.sectionSymbol && s.section >= 0;
}

/// The debug entry that is this symbol: its index among those, or -1.
int debugIndex(const ObjectSymbol& s, const DebugTable& debug) {
  const bool other = s.load || s.sectionSymbol || s.section == ObjectSymbol::kUndefined;
  return other ? -1 : debug.indexOf(s.name, s.section, s.value);
}

/// Symbols first, then the debug entries; `debug` counts from 0.
Layout numberSymbols(const Object& object, const DebugTable& debug) {
  Layout layout;
  for (const ObjectSymbol& s : object.symbols) {
    if (debugIndex(s, debug) < 0) layout.symbols += hasAuxiliary(s) ? 2U : 1U;
  }
  std::uint32_t next = 0;
  for (const ObjectSymbol& s : object.symbols) {
    const int inDebug = debugIndex(s, debug);
    layout.symbolIndex.push_back(
        inDebug < 0 ? next : layout.symbols + static_cast<std::uint32_t>(inDebug));
    if (inDebug < 0) next += hasAuxiliary(s) ? 2U : 1U;
  }
  return layout;
}

void writeSymbols(const Object& object, const DebugTable& debug, Writer& w) {
  for (const ObjectSymbol& s : object.symbols) {
    if (debugIndex(s, debug) >= 0) continue;
    const bool placed = s.section >= 0;
    const ObjectSection* section =
        placed ? &object.sections[static_cast<std::size_t>(s.section)] : nullptr;
    const std::uint32_t base = !placed ? 0 : s.load ? section->load.value_or(0) : baseOf(*section);
    w.name(s.name);
    w.u32(s.value + base);
    w.u16(placed                                  ? static_cast<std::uint32_t>(s.section + 1)
          : s.section == ObjectSymbol::kUndefined ? 0
                                                  : 0xFFFF);
    w.u16(0);
    w.u8(s.load ? kLabel : s.external ? kExternal : kStatic);
    w.u8(hasAuxiliary(s) ? 1 : 0);
    if (section == nullptr || !hasAuxiliary(s)) continue;
    w.u32(section->size);
    w.u16(static_cast<std::uint32_t>(std::min<std::size_t>(section->relocations.size(), 0xFFFF)));
    w.u16(0);
    for (int i = 0; i < 5; ++i) w.u16(0);
  }
}

}  // namespace

std::vector<std::uint8_t> writeObject(const Object& object) {
  std::vector<ObjectSection> sections = object.sections;
  const bool withLines = !object.lines.empty();
  if (withLines) {
    ObjectSection lines;
    lines.name = kObjectLinesSection;
    lines.kind = Section::Kind::Data;
    lines.words = packLines(object);
    lines.size = static_cast<std::uint32_t>(lines.words.size());
    sections.push_back(std::move(lines));
  }
  if (sections.size() > std::numeric_limits<std::int16_t>::max())
    throw CoffError("COFF: found more than 32767 sections");
  std::vector<std::uint32_t> bases;
  for (const ObjectSection& s : object.sections) bases.push_back(baseOf(s));
  const DebugTable counted(object.debug, 0, bases);
  const Layout layout = numberSymbols(object, counted);
  DebugTable debug(object.debug, layout.symbols, bases);
  Writer w;
  w.u16(kVersion2);
  w.u16(static_cast<std::uint32_t>(sections.size()));
  w.u32(0);  // no time stamp: the same source gives the same bytes
  w.u32(0);  // symbol table, patched
  w.u32(layout.symbols + debug.slots());
  w.u16(0);
  w.u16((object.debug.lines.empty() ? kLinesStripped : 0) | kLittle);
  w.u16(kTarget);
  std::vector<std::size_t> pointers;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const ObjectSection& s = sections[i];
    const bool lines = withLines && i + 1 == sections.size();
    w.name(s.name);
    w.u32(s.load ? *s.load : baseOf(s));
    w.u32(baseOf(s));
    w.u32(s.size);
    pointers.push_back(w.bytes.size());
    w.u32(0);
    w.u32(0);
    w.u32(0);
    w.u32(static_cast<std::uint32_t>(s.relocations.size()));
    w.u32(debug.lineCount(static_cast<int>(i)));
    const auto exponent = static_cast<std::uint32_t>(std::countr_zero(std::max(s.alignment, 1u)));
    w.u32(lines ? kCopy
                : (s.copy ? kCopy : 0) | sectionFlags(s.kind) | (exponent << 8 & kAlignmentMask) |
                      (s.run ? kRunFixed : 0) | (s.load ? kLoadFixed : 0));
    w.u16(exponent > 15 ? exponent : 0);  // beyond what the flags hold
    w.u16(0);
  }
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (!sections[i].words.empty()) w.set32(pointers[i], w.bytes.size());
    for (const std::uint32_t word : sections[i].words) w.u32(word);
  }
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].relocations.empty()) continue;
    w.set32(pointers[i] + 4, w.bytes.size());
    for (const Relocation& r : sections[i].relocations) {
      w.u32(r.offset + baseOf(sections[i]));
      w.u32(r.symbol < 0 ? ~0u : layout.symbolIndex[static_cast<std::size_t>(r.symbol)]);
      w.u16(r.displacement);
      w.u16(static_cast<std::uint32_t>(r.type));
    }
  }
  for (std::size_t i = 0; i < object.sections.size(); ++i) {
    if (debug.lineCount(static_cast<int>(i)) == 0) continue;
    w.set32(pointers[i] + 8, w.bytes.size());
    debug.writeLines(w, static_cast<int>(i));
  }
  w.set32(8, w.bytes.size());
  writeSymbols(object, counted, w);
  debug.writeEntries(w);
  w.u32(static_cast<std::uint32_t>(w.strings.size() + 4));
  w.bytes.insert(w.bytes.end(), w.strings.begin(), w.strings.end());
  return w.bytes;
}

namespace {

/// One file on its way to an Object.
class ObjectReader {
 public:
  explicit ObjectReader(std::span<const std::uint8_t> bytes) : r_(bytes), h_(readHeader(r_)) {
    strings_ = h_.symbolsAt + h_.symbols * kSymbolSize;
  }

  Object read() {
    const std::size_t first = h_.size + h_.optionalSize;
    const std::size_t size = h_.version == 2 ? kSection2Size : kSection1Size;
    for (std::size_t i = 0; i < h_.sections; ++i) readSection(first + i * size);
    readSymbols();
    for (const Raw& raw : raws_) readRelocations(raw);
    readDebug();
    for (const ObjectLine& l : object_.lines) {
      if (l.section >= object_.sections.size() || l.offset >= object_.sections[l.section].size)
        bad("a source line outside its section", 0);
    }
    if ((h_.flags & kExecutable) != 0 && h_.optionalSize != 0) object_.entry = r_.u32(h_.size + 16);
    return std::move(object_);
  }

 private:
  struct Raw {
    std::size_t section = 0, at = 0;
    std::uint32_t count = 0;
    std::uint32_t base = 0;
  };

  void readSection(std::size_t at) {
    const bool wide = h_.version == 2;
    ObjectSection s;
    s.name = r_.name(at, strings_);
    const std::uint32_t load = r_.u32(at + 8), run = r_.u32(at + 12);
    s.size = r_.u32(at + 16);
    const std::size_t data = r_.u32(at + 20);
    const std::uint32_t count = wide ? r_.u32(at + 32) : r_.u16(at + 32);
    const std::uint32_t flags = wide ? r_.u32(at + 40) : r_.u16(at + 36);
    const std::uint32_t wideAlignment = wide ? r_.u16(at + 44) : 0;
    const bool lines = s.name == kObjectLinesSection && (flags & kCopy) != 0;
    mapped_.push_back(-1);
    base_.push_back(run);
    loadBase_.push_back(load);
    const bool copy = (flags & kCopy) != 0 && !lines;
    if ((flags & (kDummy | kNoLoad)) != 0 || (copy && s.name == kLinesSection)) return;
    s.copy = copy;
    const bool empty = (flags & kBss) != 0 || data == 0;
    s.kind = empty && (s.size != 0 || (flags & (kText | kData)) == 0) ? Section::Kind::Bss
             : (flags & kText) != 0                                   ? Section::Kind::Text
                                                                      : Section::Kind::Data;
    if (wideAlignment > 16) bad("an alignment beyond 65536 words", at);
    s.alignment = 1u << std::max((flags & kAlignmentMask) >> 8, wideAlignment);
    const bool executable = (h_.flags & kExecutable) != 0;
    if (!copy && (executable || (wide && (flags & kRunFixed) != 0))) s.run = run;
    if (!copy && (executable || (wide && (flags & kLoadFixed) != 0))) s.load = load;
    if (!lines && (s.size > kAddressSpace || std::uint64_t{run} + s.size > kAddressSpace ||
                   std::uint64_t{load} + s.size > kAddressSpace)) {
      bad("section " + s.name + " beyond the 24-bit address space", at);
    }
    if (!empty) {
      total_ += s.size;
      if (total_ > kAddressSpace) bad("more words than the address space holds", at);
      r_.need(data, std::uint64_t{s.size} * 4, "raw data of a section");
      s.words.resize(s.size);
      for (std::size_t i = 0; i < s.words.size(); ++i) s.words[i] = r_.u32(data + 4 * i);
    }
    if (lines) return unpackLines(s.words, object_);
    if (count != 0 && empty) bad("relocations in a section without words", at);
    if (count != 0) raws_.push_back({object_.sections.size(), r_.u32(at + 24), count, run});
    mapped_.back() = static_cast<int>(object_.sections.size());
    object_.sections.push_back(std::move(s));
  }

  void readSymbols() {
    index_.assign(h_.symbols, -1);
    for (std::size_t i = 0; i < h_.symbols; ++i) {
      const std::size_t at = h_.symbolsAt + i * kSymbolSize;
      const std::uint32_t number = r_.u16(at + 12), storage = r_.u8(at + 16);
      const std::uint32_t auxiliary = r_.u8(at + 17);
      const std::size_t self = i;
      i += auxiliary;
      if (!isSymbolClass(storage)) continue;
      ObjectSymbol s{.name = r_.name(at, strings_), .value = r_.u32(at + 8)};
      s.external = storage == kExternal || storage == kExternalLabel;
      s.load = storage == kLabel || storage == kStaticLabel || storage == kExternalLabel;
      if (number == 0xFFFF) {
        s.section = ObjectSymbol::kAbsolute;
      } else if (number != 0) {
        if (number > mapped_.size()) continue;  // for debuggers
        s.section = mapped_[number - 1];
        if (s.section < 0) continue;
        const bool loadFixed =
            object_.sections[static_cast<std::size_t>(s.section)].load.has_value();
        s.value -= !s.load ? base_[number - 1] : loadFixed ? loadBase_[number - 1] : 0;
        // Functions, arrays and structures of a compiler have entries more, too, but a type.
        s.sectionSymbol =
            auxiliary != 0 && storage == kStatic && s.value == 0 && r_.u16(at + 14) == 0;
      } else if (!s.external || s.name.empty()) {
        continue;
      }
      index_[self] = static_cast<int>(object_.symbols.size());
      object_.symbols.push_back(std::move(s));
    }
  }

  void readDebug() {
    DebugReader debug(r_, h_, strings_);
    debug.readEntries(mapped_, base_);
    const std::size_t size = h_.version == 2 ? kSection2Size : kSection1Size;
    for (std::size_t i = 0; i < h_.sections; ++i) {
      if (mapped_[i] < 0) continue;
      debug.readLines(h_.size + h_.optionalSize + i * size, mapped_[i], base_[i],
                      object_.sections[static_cast<std::size_t>(mapped_[i])].size);
    }
    object_.debug = debug.take();
  }

  void readRelocations(const Raw& raw) {
    ObjectSection& section = object_.sections[raw.section];
    const std::size_t size = h_.version == 0 ? kRelocation0Size : kRelocationSize;
    r_.need(raw.at, std::uint64_t{raw.count} * size, "relocations of a section");
    // Sections may share a table in a crafted file: bound what is allocated.
    relocations_ += raw.count;
    if (relocations_ * size > r_.size()) bad("more relocations than the file holds", raw.at);
    for (std::uint32_t n = 0; n < raw.count; ++n) {
      const std::size_t at = raw.at + n * size;
      const std::uint32_t address = r_.u32(at) - raw.base;
      const std::uint32_t symbol = h_.version == 0 ? r_.u16(at + 4) : r_.u32(at + 4);
      const std::uint32_t type = h_.version == 0 ? r_.u16(at + 8) : r_.u16(at + 10);
      const bool internal = symbol == ~0u || (h_.version == 0 && symbol == 0xFFFF);
      if (address >= section.size) bad("a relocation outside section " + section.name, at);
      if (relocationName(static_cast<RelocationType>(type)).empty())
        bad("relocation type " + std::to_string(type) + ", expected one of c32.md 10.6", at);
      if (!internal && (symbol >= index_.size() || index_[symbol] < 0))
        bad("a relocation against a symbol that is none", at);
      section.relocations.push_back(
          {address, static_cast<RelocationType>(type), internal ? -1 : index_[symbol],
           h_.version != 0 && type == static_cast<std::uint32_t>(RelocationType::PartMs8)
               ? r_.u16(at + 8)
               : 0});
    }
  }

  Reader r_;
  Header h_;
  std::size_t strings_ = 0;
  Object object_;
  std::vector<int> mapped_;
  std::vector<std::uint32_t> base_, loadBase_;
  std::vector<Raw> raws_;
  std::vector<int> index_;
  std::uint64_t total_ = 0;
  std::uint64_t relocations_ = 0;
};

}  // namespace

Object readObject(std::span<const std::uint8_t> bytes) {
  return ObjectReader(bytes).read();
}

bool isC4x(std::span<const std::uint8_t> bytes) {
  return (readHeader(Reader(bytes)).flags & kC4x) != 0;
}

bool isExecutable(std::span<const std::uint8_t> bytes) {
  const Reader r(bytes);
  const Header h = readHeader(r);
  return (h.flags & kExecutable) != 0;
}

}  // namespace rtvp::c32
