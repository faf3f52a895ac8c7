// See coff.hpp. Field layouts: c32.md 10.6.
#include "models/c32/asm/coff.hpp"

#include <algorithm>
#include <limits>

#include "models/c32/asm/coff_debug.hpp"
#include "models/c32/asm/coff_format.hpp"

namespace rtvp::c32 {
namespace coff {

[[noreturn]] void bad(const std::string& what, std::size_t offset) {
  throw CoffError("COFF: found " + what + " at byte " + std::to_string(offset));
}

Header readHeader(const Reader& r) {
  Header h;
  const std::uint32_t magic = r.u16(0);
  if (magic == kTarget) {
    h.version = 0;
    h.size = 20;
  } else if (magic == kVersion1 || magic == kVersion2) {
    h.version = magic == kVersion1 ? 1 : 2;
    if (r.u16(20) != kTarget)
      bad("target id " + std::to_string(r.u16(20)) + ", expected 0093h", 20);
  } else {
    bad("magic " + std::to_string(magic) + ", expected 00C1h, 00C2h or 0093h", 0);
  }
  h.sections = r.u16(2);
  h.symbolsAt = r.u32(8);
  h.symbols = r.u32(12);
  h.optionalSize = r.u16(16);
  h.flags = r.u16(18);
  const std::size_t sectionSize = h.version == 2 ? kSection2Size : kSection1Size;
  if (h.optionalSize != 0 && h.optionalSize != kOptionalSize)
    bad("an optional header of unknown size", 16);
  r.need(h.size + h.optionalSize, std::uint64_t{h.sections} * sectionSize, "section headers");
  if (h.symbols != 0)
    r.need(h.symbolsAt, std::uint64_t{h.symbols} * kSymbolSize, "the symbol table");
  return h;
}

std::vector<std::uint32_t> packLineMap(const std::vector<std::string>& files, unsigned columns,
                                       const std::vector<std::uint32_t>& entries) {
  std::vector<std::uint32_t> words{static_cast<std::uint32_t>(files.size())};
  for (const std::string& file : files) {
    words.push_back(static_cast<std::uint32_t>(file.size()));
    for (std::size_t i = 0; i < file.size(); ++i) {
      if (i % 4 == 0) words.push_back(0);
      words.back() |= std::uint32_t{static_cast<unsigned char>(file[i])} << (8 * (i % 4));
    }
  }
  words.push_back(static_cast<std::uint32_t>(entries.size() / columns));
  words.insert(words.end(), entries.begin(), entries.end());
  return words;
}

std::vector<std::uint32_t> unpackLineMap(const std::vector<std::uint32_t>& words, unsigned columns,
                                         std::vector<std::string>& files) {
  std::size_t at = 0;
  const auto next = [&] {
    if (at >= words.size()) bad("a cut source line map, expected more words", at);
    return words[at++];
  };
  const std::uint32_t names = next();
  for (std::uint32_t f = 0; f < names; ++f) {
    const std::uint32_t length = next();
    if (length / 4 > words.size() - at) bad("a file name longer than its section", at);
    std::string name;
    for (std::uint32_t i = 0, word = 0; i < length; ++i) {
      if (i % 4 == 0) word = next();
      name += static_cast<char>(word >> (8 * (i % 4)) & 0xFF);
    }
    files.push_back(std::move(name));
  }
  const std::uint32_t count = next();
  if (count > (words.size() - at) / columns) bad("more source lines than their section holds", at);
  const auto first = words.begin() + static_cast<std::ptrdiff_t>(at);
  std::vector<std::uint32_t> entries(
      first, first + static_cast<std::ptrdiff_t>(std::size_t{count} * columns));
  for (std::size_t i = columns - 2; i < entries.size(); i += columns) {
    if (entries[i] >= files.size()) bad("a source line of an unknown file", at + i);
  }
  return entries;
}

}  // namespace coff

using namespace coff;  // NOLINT(google-build-using-namespace): the format's own names

namespace {

constexpr unsigned kLineColumns = 3;  // address, file, line

std::vector<std::uint32_t> packLines(const Image& image) {
  std::vector<std::uint32_t> entries;
  for (const LineEntry& e : image.lines) entries.insert(entries.end(), {e.address, e.file, e.line});
  return packLineMap(image.files, kLineColumns, entries);
}

void unpackLines(const std::vector<std::uint32_t>& words, Image& image) {
  const std::vector<std::uint32_t> entries = unpackLineMap(words, kLineColumns, image.files);
  for (std::size_t i = 0; i < entries.size(); i += kLineColumns)
    image.lines.push_back({entries[i], entries[i + 1], entries[i + 2]});
  std::sort(image.lines.begin(), image.lines.end(),
            [](const LineEntry& a, const LineEntry& b) { return a.address < b.address; });
}

/// An empty section is what its flags say, not uninitialised for want of data.
Section::Kind kindOf(std::uint32_t flags, std::uint32_t size, bool empty) {
  if (empty && (size != 0 || (flags & (kText | kData)) == 0)) return Section::Kind::Bss;
  return (flags & kText) != 0 ? Section::Kind::Text : Section::Kind::Data;
}

/// Reads one section header and its data; `mapped` receives its index in the image or -1.
void readSection(const Reader& r, const Header& h, std::size_t at, std::size_t strings,
                 std::uint64_t& total, Image& image, int& mapped) {
  const bool wide = h.version == 2;
  Section s;
  s.name = r.name(at, strings);
  s.loadAddress = r.u32(at + 8);
  s.runAddress = r.u32(at + 12);
  s.size = r.u32(at + 16);
  const std::size_t data = r.u32(at + 20);
  const std::uint32_t relocations = wide ? r.u32(at + 32) : r.u16(at + 32);
  const std::uint32_t flags = wide ? r.u32(at + 40) : r.u16(at + 36);
  const bool lines = s.name == kLinesSection && (flags & kCopy) != 0;
  mapped = -1;
  const bool copy = (flags & kCopy) != 0 && !lines;
  if ((flags & (kDummy | kNoLoad)) != 0 && !lines) return;
  if (relocations != 0) bad("relocations in section " + s.name + ", expected a linked file", at);
  const bool empty = (flags & kBss) != 0 || data == 0;
  s.kind = kindOf(flags, s.size, empty);
  if (!lines && (std::uint64_t{s.loadAddress} + s.size > kAddressSpace ||
                 std::uint64_t{s.runAddress} + s.size > kAddressSpace)) {
    bad("section " + s.name + " beyond the 24-bit address space", at);
  }
  if (!empty) {
    // Sections may share raw data in a crafted file: bound what is allocated, not only what is
    // read.
    total += s.size;
    if (total > kAddressSpace) bad("more words than the address space holds", at);
    r.need(data, std::uint64_t{s.size} * 4, "raw data of a section");
    s.words.resize(s.size);
    for (std::size_t i = 0; i < s.words.size(); ++i) s.words[i] = r.u32(data + 4 * i);
  }
  if (lines) return unpackLines(s.words, image);
  if (copy) return image.copies.push_back(std::move(s));
  mapped = static_cast<int>(image.sections.size());
  image.sections.push_back(std::move(s));
}

void readSymbols(const Reader& r, const Header& h, std::size_t strings,
                 const std::vector<int>& mapped, Image& image) {
  for (std::size_t i = 0; i < h.symbols; ++i) {
    const std::size_t at = h.symbolsAt + i * kSymbolSize;
    const std::string name = r.name(at, strings);
    const std::uint32_t value = r.u32(at + 8), number = r.u16(at + 12), storage = r.u8(at + 16);
    const std::uint32_t auxiliary = r.u8(at + 17);
    i += auxiliary;
    const bool absolute = number == 0xFFFF;
    // A static symbol without a type that has an entry more stands for its section; functions,
    // arrays and structures of a compiler have a type.
    const bool section = auxiliary != 0 && storage == kStatic && r.u16(at + 14) == 0;
    if (section || name.empty() || !isSymbolClass(storage)) continue;
    if (!absolute && (number == 0 || number > mapped.size()))
      continue;  // undefined or for debuggers
    image.symbols[name] = {value, absolute ? -1 : mapped[number - 1], storage == kExternal};
  }
}

void writeHeaders(const Image& image, std::size_t sections, std::size_t symbols, Writer& w) {
  const auto sizeOf = [&](Section::Kind kind) {
    std::uint32_t size = 0;
    for (const Section& s : image.sections) size += s.kind == kind ? s.size : 0;
    return size;
  };
  const auto startOf = [&](Section::Kind kind) {
    for (const Section& s : image.sections) {
      if (s.kind == kind) return s.runAddress;
    }
    return 0u;
  };
  w.u16(kVersion2);
  w.u16(static_cast<std::uint32_t>(sections));
  w.u32(0);  // no time stamp: the same source gives the same bytes
  w.u32(0);  // symbol table, patched
  w.u32(static_cast<std::uint32_t>(symbols));
  w.u16(kOptionalSize);
  w.u16(kRelocStripped | kExecutable | (image.debug.lines.empty() ? kLinesStripped : 0) | kLittle);
  w.u16(kTarget);
  w.u16(kOptionalMagic);
  w.u16(0);
  w.u32(sizeOf(Section::Kind::Text));
  w.u32(sizeOf(Section::Kind::Data));
  w.u32(sizeOf(Section::Kind::Bss));
  w.u32(image.entry);
  w.u32(startOf(Section::Kind::Text));
  w.u32(startOf(Section::Kind::Data));
}

/// Symbols that no debug entry stands for.
std::vector<const std::pair<const std::string, Symbol>*> plainSymbols(const Image& image,
                                                                      const DebugTable& debug) {
  std::vector<const std::pair<const std::string, Symbol>*> plain;
  for (const auto& named : image.symbols) {
    const Symbol& s = named.second;
    if (debug.indexOf(named.first, s.section, s.value) < 0) plain.push_back(&named);
  }
  return plain;
}

void writeSymbols(const std::vector<const std::pair<const std::string, Symbol>*>& symbols,
                  Writer& w) {
  for (const auto* const named : symbols) {
    const auto& [name, symbol] = *named;
    w.name(name);
    w.u32(symbol.value);
    w.u16(symbol.section < 0 ? 0xFFFF : static_cast<std::uint32_t>(symbol.section + 1));
    w.u16(0);
    w.u8(symbol.external ? kExternal : kStatic);
    w.u8(0);
  }
}

}  // namespace

std::vector<std::uint8_t> writeCoff(const Image& image) {
  std::vector<Section> sections = image.sections;
  std::vector<std::uint32_t> flags;
  for (const Section& s : sections) flags.push_back(sectionFlags(s.kind));
  for (const Section& s : image.copies) {
    sections.push_back(s);
    flags.push_back(kCopy);
  }
  if (!image.lines.empty()) {
    Section lines{
        .name = std::string(kLinesSection), .kind = Section::Kind::Data, .words = packLines(image)};
    lines.size = static_cast<std::uint32_t>(lines.words.size());
    sections.push_back(std::move(lines));
    flags.push_back(kCopy);
  }
  if (sections.size() > std::numeric_limits<std::int16_t>::max()) {
    throw CoffError("COFF: found " + std::to_string(sections.size()) +
                    " sections, expected at most 32767");
  }
  Writer w;
  DebugTable debug(image.debug, 0, std::vector<std::uint32_t>(image.sections.size(), 0));
  const auto symbols = plainSymbols(image, debug);
  writeHeaders(image, sections.size(), symbols.size() + debug.slots(), w);
  std::vector<std::size_t> pointers;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Section& s = sections[i];
    w.name(s.name);
    w.u32(s.loadAddress);
    w.u32(s.runAddress);
    w.u32(s.size);
    pointers.push_back(w.bytes.size());
    for (int field = 0; field < 4; ++field)
      w.u32(0);  // raw data, relocations, lines, number of relocations
    w.u32(debug.lineCount(static_cast<int>(i)));
    w.u32(flags[i]);
    w.u16(0);
    w.u16(0);
  }
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].words.empty()) continue;
    w.set32(pointers[i], w.bytes.size());
    for (const std::uint32_t word : sections[i].words) w.u32(word);
  }
  for (std::size_t i = 0; i < image.sections.size(); ++i) {
    if (debug.lineCount(static_cast<int>(i)) == 0) continue;
    w.set32(pointers[i] + 8, w.bytes.size());
    debug.writeLines(w, static_cast<int>(i));
  }
  w.set32(8, w.bytes.size());
  debug.writeEntries(w);
  writeSymbols(symbols, w);
  w.u32(static_cast<std::uint32_t>(w.strings.size() + 4));
  w.bytes.insert(w.bytes.end(), w.strings.begin(), w.strings.end());
  return w.bytes;
}

Image loadCoff(std::span<const std::uint8_t> bytes) {
  const Reader r(bytes);
  const Header h = readHeader(r);
  const std::size_t sectionSize = h.version == 2 ? kSection2Size : kSection1Size;
  const std::size_t strings = h.symbolsAt + h.symbols * kSymbolSize;
  Image image;
  if (h.optionalSize != 0) image.entry = r.u32(h.size + 16);
  std::vector<int> mapped(h.sections, -1);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < h.sections; ++i) {
    readSection(r, h, h.size + h.optionalSize + i * sectionSize, strings, total, image, mapped[i]);
  }
  readSymbols(r, h, strings, mapped, image);
  DebugReader debug(r, h, strings);
  debug.readEntries(mapped, std::vector<std::uint32_t>(h.sections, 0));
  for (std::size_t i = 0; i < h.sections; ++i) {
    if (mapped[i] < 0) continue;
    const Section& s = image.sections[static_cast<std::size_t>(mapped[i])];
    debug.readLines(h.size + h.optionalSize + i * sectionSize, mapped[i], s.runAddress, s.size);
  }
  image.debug = debug.take();
  for (DebugLine& line : image.debug.lines)
    line.place += image.sections[static_cast<std::size_t>(line.section)].runAddress;
  return image;
}

}  // namespace rtvp::c32
