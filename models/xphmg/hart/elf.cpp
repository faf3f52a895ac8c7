#include "models/xphmg/hart/elf.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "models/xphmg/hart/elf_reader.hpp"

namespace rtvp::rv64 {
namespace {

constexpr std::uint16_t kMachineRiscv = 243;
constexpr std::uint32_t kLoad = 1;
constexpr std::uint32_t kSymbolTable = 2;
constexpr std::uint64_t kCompressed = 0x800;  // SHF_COMPRESSED
constexpr std::size_t kMaxSymbols = 1U << 20U;

void checkHeader(std::span<const std::uint8_t> file, const ElfReader& in) {
  constexpr std::array<std::uint8_t, 4> kMagic{0x7F, 'E', 'L', 'F'};
  if (file.size() < 64 || !std::equal(kMagic.begin(), kMagic.end(), file.begin())) {
    throw ElfError("not an ELF file: it does not begin with an ELF header");
  }
  if (file[4] != 2) throw ElfError("a 32-bit ELF file; expected 64-bit (compile with -mabi=lp64d)");
  if (file[5] != 1) throw ElfError("a big-endian ELF file; expected little-endian");
  if (in.u16(18) != kMachineRiscv) {
    throw ElfError("machine " + std::to_string(in.u16(18)) + "; expected 243 (RISC-V)");
  }
  if (in.u16(16) != 2) {
    throw ElfError("ELF type " + std::to_string(in.u16(16)) +
                   "; expected 2, a static executable (link with -nostdlib -static, not -shared or "
                   "-pie)");
  }
}

std::vector<ElfSegment> readSegments(const ElfReader& in) {
  const std::uint64_t table = in.u64(32);
  const std::uint16_t entry_size = in.u16(54);
  const std::uint16_t count = in.u16(56);
  std::vector<ElfSegment> segments;
  if (count != 0 && entry_size < 56) {
    throw ElfError("program headers of " + std::to_string(entry_size) + " bytes; expected 56");
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    in.check(table, (i + 1) * entry_size, "the program header table");
    const std::uint64_t at = table + i * entry_size;
    if (in.u32(at) != kLoad) continue;
    ElfSegment segment;
    segment.address = in.u64(at + 24);  // physical: where a loader without translation puts it
    segment.size = in.u64(at + 40);
    const std::uint64_t in_file = in.u64(at + 32);
    if (in_file > segment.size) {
      throw ElfError("segment " + std::to_string(i) + " has more bytes in the file than in memory");
    }
    if (segment.address + segment.size < segment.address) {
      throw ElfError("segment " + std::to_string(i) + " wraps around the address space");
    }
    segment.bytes = in.bytes(in.u64(at + 8), in_file, "segment " + std::to_string(i));
    if (segment.size != 0) segments.push_back(segment);
  }
  if (segments.empty()) throw ElfError("nothing to load: no PT_LOAD segment with a size");
  return segments;
}

std::string nameAt(std::span<const std::uint8_t> strings, std::uint32_t offset) {
  if (offset >= strings.size()) return {};
  const auto begin = strings.begin() + offset;
  const auto end = std::find(begin, strings.end(), std::uint8_t{0});
  return {begin, end};
}

void readSymbolTable(const ElfReader& in, std::uint64_t section, std::uint64_t strings_section,
                     std::vector<ElfSymbol>& out) {
  const auto table = in.bytes(in.u64(section + 24), in.u64(section + 32), "the symbol table");
  const auto strings =
      in.bytes(in.u64(strings_section + 24), in.u64(strings_section + 32), "the string table");
  const ElfReader symbols(table);
  const std::size_t count = table.size() / 24;
  if (count > kMaxSymbols) {
    throw ElfError(std::to_string(count) + " symbols; at most " + std::to_string(kMaxSymbols) +
                   " are read");
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = i * 24;
    const unsigned type = table[static_cast<std::size_t>(at + 4)] & 15U;
    const bool defined = symbols.u16(at + 6) != 0;
    if (!defined || type > 2) continue;  // sections, files and the like
    ElfSymbol symbol{nameAt(strings, symbols.u32(at)), symbols.u64(at + 8), symbols.u64(at + 16),
                     type == 2};
    // $x and $d mark code and data for disassemblers; they name nothing.
    if (!symbol.name.empty() && symbol.name.front() != '$') out.push_back(std::move(symbol));
  }
}

/// The section header table; empty: there is none.
struct Sections {
  explicit Sections(const ElfReader& in) : table(in.u64(40)), count(in.u16(60)) {
    if (table == 0) count = 0;
    if (count == 0) return;
    if (in.u16(58) < 64) {
      throw ElfError("section headers of " + std::to_string(in.u16(58)) + " bytes; expected 64");
    }
    size = in.u16(58);
    in.check(table, count * size, "the section header table");
  }
  /// Where the header of section `n` is.
  [[nodiscard]] std::uint64_t at(std::uint64_t n) const { return table + n * size; }

  std::uint64_t table = 0, count = 0, size = 0;
};

std::vector<ElfSymbol> readSymbols(const ElfReader& in) {
  std::vector<ElfSymbol> symbols;
  const Sections sections(in);
  for (std::uint64_t i = 0; i < sections.count; ++i) {
    const std::uint64_t section = sections.at(i);
    if (in.u32(section + 4) != kSymbolTable) continue;
    const std::uint32_t link = in.u32(section + 40);
    if (link >= sections.count)
      throw ElfError("the symbol table names a string table that does not exist");
    readSymbolTable(in, section, sections.at(link), symbols);
    break;  // there is one
  }
  std::stable_sort(symbols.begin(), symbols.end(),
                   [](const ElfSymbol& a, const ElfSymbol& b) { return a.value < b.value; });
  return symbols;
}

std::vector<ElfSection> readSections(const ElfReader& in) {
  constexpr std::uint64_t kAllocated = 2;
  std::vector<ElfSection> found;
  const Sections sections(in);
  for (std::uint64_t i = 0; i < sections.count; ++i) {
    const std::uint64_t at = sections.at(i);
    const ElfSection section{in.u64(at + 16), in.u64(at + 32)};
    if ((in.u64(at + 8) & kAllocated) != 0 && section.size != 0) found.push_back(section);
  }
  return found;
}

}  // namespace

const ElfSymbol* ElfImage::find(std::string_view name) const {
  const auto found = std::find_if(symbols.begin(), symbols.end(),
                                  [&](const ElfSymbol& symbol) { return symbol.name == name; });
  return found == symbols.end() ? nullptr : &*found;
}

const ElfSymbol* ElfImage::covering(std::uint64_t address) const {
  const auto after =
      std::upper_bound(symbols.begin(), symbols.end(), address,
                       [](std::uint64_t a, const ElfSymbol& symbol) { return a < symbol.value; });
  if (after == symbols.begin()) return nullptr;
  const std::uint64_t nearest = std::prev(after)->value;
  const bool same = nearest == address || sections.empty() ||
                    std::any_of(sections.begin(), sections.end(), [&](const ElfSection& s) {
                      return s.holds(address) && nearest >= s.address;
                    });
  if (!same) return nullptr;
  // Of several at one address the function's is the program's name for it.
  const auto last = after - 1;
  for (auto at = last;; --at) {
    if (at->value != last->value) break;
    if (at->function) return &*at;
    if (at == symbols.begin()) break;
  }
  return &*last;
}

std::optional<std::span<const std::uint8_t>> ElfImage::section(std::string_view name) const {
  const ElfReader in(file);
  const Sections headers(in);
  const std::uint64_t names = in.u16(62);
  if (names >= headers.count) return std::nullopt;
  const std::uint64_t table = headers.at(names);
  const auto strings = in.bytes(in.u64(table + 24), in.u64(table + 32), "the sections' names");
  for (std::uint64_t i = 0; i < headers.count; ++i) {
    const std::uint64_t at = headers.at(i);
    if (nameAt(strings, in.u32(at)) != name) continue;
    if ((in.u64(at + 8) & kCompressed) != 0) {
      throw ElfError("section " + std::string(name) +
                     " is compressed; expected a plain one (link with "
                     "-Wl,--compress-debug-sections=none)");
    }
    return in.bytes(in.u64(at + 24), in.u64(at + 32), "section " + std::string(name));
  }
  return std::nullopt;
}

ElfImage readElf(std::span<const std::uint8_t> file) {
  const ElfReader in(file);
  checkHeader(file, in);
  ElfImage image;
  image.file = file;
  image.entry = in.u64(24);
  image.segments = readSegments(in);
  image.symbols = readSymbols(in);
  image.sections = readSections(in);
  return image;
}

}  // namespace rtvp::rv64
