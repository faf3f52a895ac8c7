// See coff_debug.hpp. Layout of auxiliary entries: TI, TMS320C54x User's Guide, tables A-19 to
// Two fields are ours where the table has none: the upper half of a size stands in bytes 4
// and 5 (line of the declaration, which the directives do not give), the mask of saved registers
// and the frame's words in bytes 0 to 3 and 8 to 11 of a function's begin.
#include "models/c32/asm/coff_debug.hpp"

#include <algorithm>

namespace rtvp::c32::coff {
namespace {

constexpr std::size_t kFileName = 14, kLineSize = 6;
constexpr std::uint16_t kDebugSection = 0xFFFE, kAbsoluteSection = 0xFFFF;

bool isMarker(const DebugEntry& e) {
  return e.storage == storage::kFunction || e.storage == storage::kBlock;
}

/// Which entries have an auxiliary entry.
bool hasAuxiliary(const DebugEntry& e) {
  return e.storage == storage::kFile || isMarker(e) || e.isTag() ||
         e.storage == storage::kEndOfStructure || e.isFunction() || e.tag >= 0 ||
         ctype::derivation(e.type, 0) == ctype::kArray || e.dimensions[0] != 0 ||
         (e.size != 0 && e.size != 32);
}

}  // namespace

DebugTable::DebugTable(const DebugInfo& info, std::uint32_t first, std::vector<std::uint32_t> bases)
    : info_(info), bases_(std::move(bases)) {
  int lastFile = -1;
  nextFile_.assign(info.entries.size(), -1);
  for (std::size_t n = 0; n < info.entries.size(); ++n) {
    const DebugEntry& e = info.entries[n];
    index_.push_back(first + slots_);
    slots_ += hasAuxiliary(e) ? 2u : 1u;
    if (e.isSymbol()) symbols_.try_emplace(e.name, static_cast<int>(n));
    if (e.storage != storage::kFile) continue;
    if (lastFile >= 0) nextFile_[static_cast<std::size_t>(lastFile)] = static_cast<int>(n);
    lastFile = static_cast<int>(n);
  }
  index_.push_back(first + slots_);
}

std::uint32_t DebugTable::indexOf(int entry) const {
  if (entry < 0 || static_cast<std::size_t>(entry) >= index_.size()) return 0;
  return index_[static_cast<std::size_t>(entry)];
}

int DebugTable::indexOf(const std::string& name, int section, std::uint32_t value) const {
  const auto it = symbols_.find(name);
  if (it == symbols_.end()) return -1;
  const DebugEntry& e = info_.entries[static_cast<std::size_t>(it->second)];
  if (e.section != section || e.value != value) return -1;
  return static_cast<int>(indexOf(it->second));
}

std::uint32_t DebugTable::placeOf(int section, std::uint32_t value) const {
  const auto n = static_cast<std::size_t>(section);
  return section >= 0 && n < bases_.size() ? value + bases_[n] : value;
}

std::uint32_t DebugTable::lineCount(int section) const {
  std::uint32_t count = 0;
  int function = -1;
  for (const DebugLine& line : info_.lines) {
    if (line.section != section) continue;
    count += line.function != function ? 2u : 1u;
    function = line.function;
  }
  return count;
}

/// A function's lines begin with an entry of its symbol and line 0.
void DebugTable::writeLines(Writer& w, int section) {
  int function = -1;
  for (const DebugLine& line : info_.lines) {
    if (line.section != section) continue;
    if (line.function != function) {
      linesAt_.try_emplace(line.function, static_cast<std::uint32_t>(w.bytes.size()));
      w.u32(indexOf(line.function));
      w.u16(0);
    }
    function = line.function;
    w.u32(placeOf(section, line.place));
    w.u16(std::min(line.line, 0xFFFFu));
  }
}

void DebugTable::writeEntries(Writer& w) const {
  for (std::size_t n = 0; n < info_.entries.size(); ++n) {
    const DebugEntry& e = info_.entries[n];
    const bool file = e.storage == storage::kFile;
    w.name(file ? ".file" : e.name);
    w.u32(file ? indexOf(nextFile_[n]) : placeOf(e.section, e.value));
    w.u16(e.section >= 0                       ? static_cast<std::uint32_t>(e.section) + 1
          : e.section == DebugEntry::kAbsolute ? kAbsoluteSection
                                               : kDebugSection);
    w.u16(e.type);
    w.u8(e.storage);
    w.u8(hasAuxiliary(e) ? 1 : 0);
    if (hasAuxiliary(e)) writeAuxiliary(w, n);
  }
}

void DebugTable::writeAuxiliary(Writer& w, std::size_t n) const {
  const DebugEntry& e = info_.entries[n];
  const std::size_t end = w.bytes.size() + kSymbolSize;
  if (e.storage == storage::kFile) {
    if (e.name.size() <= kFileName) {
      for (const char c : e.name) w.u8(static_cast<unsigned char>(c));
    } else {
      w.u32(0);
      w.u32(static_cast<std::uint32_t>(w.strings.size() + 4));
      w.strings += e.name + '\0';
    }
  } else if (isMarker(e)) {
    w.u32(e.saved);
    w.u16(std::min(e.line, 0xFFFFu));
    w.u16(0);
    w.u32(e.frame);
    w.u32(indexOf(e.next));
  } else if (e.isFunction() && e.isSymbol()) {
    const auto lines = linesAt_.find(static_cast<int>(n));
    w.u32(indexOf(e.tag));
    w.u32(e.size);
    w.u32(lines == linesAt_.end() ? 0 : lines->second);
    w.u32(indexOf(e.next));
  } else {
    w.u32(indexOf(e.tag));
    w.u16(e.size >> 16);
    w.u16(e.size & 0xFFFFu);
    if (e.isTag()) {
      w.u32(0);
      w.u32(indexOf(e.next));
    } else {
      for (const std::uint16_t d : e.dimensions) w.u16(d);
    }
  }
  w.bytes.resize(end);
}

// --- reading -------------------------------------------------------------------------------------

std::string DebugReader::fileName(std::size_t at) const {
  if (r_.u32(at) == 0 && r_.u32(at + 4) != 0) return r_.name(at, strings_);
  std::string text;
  for (std::size_t i = 0; i < kFileName; ++i) {
    const std::uint32_t c = r_.u8(at + i);
    if (c == 0) break;
    text += static_cast<char>(c);
  }
  return text;
}

DebugEntry DebugReader::entryAt(std::size_t at, const std::vector<int>& mapped,
                                const std::vector<std::uint32_t>& bases) const {
  DebugEntry e;
  e.name = r_.name(at, strings_);
  e.value = r_.u32(at + 8);
  e.type = static_cast<std::uint16_t>(r_.u16(at + 14));
  e.storage = static_cast<std::uint8_t>(r_.u8(at + 16));
  const std::uint32_t number = r_.u16(at + 12);
  if (number == kAbsoluteSection) e.section = DebugEntry::kAbsolute;
  if (number == 0 || number > mapped.size()) return e;
  e.section = mapped[number - 1] < 0 ? DebugEntry::kNowhere : mapped[number - 1];
  e.value -= bases[number - 1];
  return e;
}

void DebugReader::readAuxiliary(std::size_t at, DebugEntry& e) const {
  if (e.storage == storage::kFile) {
    e.name = fileName(at);
    e.value = 0;
  } else if (isMarker(e)) {
    e.saved = r_.u32(at);
    e.line = r_.u16(at + 4);
    e.frame = r_.u32(at + 8);
    e.next = static_cast<int>(r_.u32(at + 12));
  } else if (e.isFunction() && e.isSymbol()) {
    e.tag = static_cast<int>(r_.u32(at));
    e.size = r_.u32(at + 4);
    e.next = static_cast<int>(r_.u32(at + 12));
  } else {
    e.tag = static_cast<int>(r_.u32(at));
    e.size = r_.u16(at + 6) | r_.u16(at + 4) << 16;
    if (e.isTag()) {
      e.next = static_cast<int>(r_.u32(at + 12));
    } else {
      for (std::size_t d = 0; d < e.dimensions.size(); ++d)
        e.dimensions[d] = static_cast<std::uint16_t>(r_.u16(at + 8 + 2 * d));
    }
  }
}

void DebugReader::readEntries(const std::vector<int>& mapped,
                              const std::vector<std::uint32_t>& bases) {
  for (std::uint32_t i = 0; i < h_.symbols; ++i) {
    const std::size_t at = h_.symbolsAt + std::size_t{i} * kSymbolSize;
    const std::uint32_t type = r_.u16(at + 14), storage = r_.u8(at + 16);
    const std::uint32_t auxiliary = r_.u8(at + 17);
    const bool symbol = (storage == kExternal || storage == kStatic) && type != 0;
    number_.emplace(i, static_cast<int>(info_.entries.size()));
    if (isDebugClass(storage) || symbol) {
      DebugEntry e = entryAt(at, mapped, bases);
      if (auxiliary != 0 && i + 1 < h_.symbols) readAuxiliary(at + kSymbolSize, e);
      info_.entries.push_back(std::move(e));
    }
    i += auxiliary;
  }
  number_.emplace(static_cast<std::uint32_t>(h_.symbols), static_cast<int>(info_.entries.size()));
}

void DebugReader::readLines(std::size_t at, int section, std::uint32_t base, std::uint32_t size) {
  const bool wide = h_.version == 2;
  const std::uint32_t count = wide ? r_.u32(at + 36) : r_.u16(at + 34);
  const std::size_t from = r_.u32(at + 28);
  if (count == 0 || section < 0) return;
  r_.need(from, std::uint64_t{count} * kLineSize, "line entries of a section");
  // Sections may share a table in a crafted file: bound what is allocated.
  lines_ += count;
  if (lines_ * kLineSize > r_.size()) bad("more line entries than the file holds", from);
  int function = -1;
  for (std::uint32_t n = 0; n < count; ++n) {
    const std::uint32_t value = r_.u32(from + n * kLineSize),
                        line = r_.u16(from + n * kLineSize + 4);
    if (line == 0) {
      const auto it = number_.find(value);
      function = it == number_.end() || static_cast<std::size_t>(it->second) >= info_.entries.size()
                     ? -1
                     : it->second;
    } else if (function >= 0 && value - base < size) {
      info_.lines.push_back({function, section, value - base, line});
    }
  }
}

/// Indices of the file become numbers of entries; what points nowhere is dropped.
DebugInfo DebugReader::take() {
  const auto entries = static_cast<int>(info_.entries.size());
  for (DebugEntry& e : info_.entries) {
    const auto number = [&](int index, bool behind) {
      const auto it = number_.find(static_cast<std::uint32_t>(index));
      if (index <= 0 || it == number_.end()) return -1;
      return it->second < entries || (behind && it->second == entries) ? it->second : -1;
    };
    e.next = number(e.next, true);
    const int tag = number(e.tag, false);
    // Index 0 is the first entry of a table or no tag at all; a tag says what it is.
    const int zero = e.tag == 0 && entries != 0 ? number_[0] : -1;
    const auto isTag = [&](int n) {
      return n >= 0 && n < entries && info_.entries[static_cast<std::size_t>(n)].isTag();
    };
    e.tag = isTag(tag) ? tag
            : isTag(zero) && (e.type & 15u) >= ctype::kStruct && (e.type & 15u) <= ctype::kEnum
                ? zero
                : -1;
  }
  return std::move(info_);
}

}  // namespace rtvp::c32::coff
