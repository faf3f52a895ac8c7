// Building blocks of reading and writing TI COFF (c32.md 10.6), shared by executables (coff.cpp)
// and relocatable objects (../link/object_coff.cpp). Internal to the tools.
#pragma once

#include <boost/endian/conversion.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/c32/asm/coff.hpp"

namespace rtvp::c32::coff {

inline constexpr std::uint16_t kVersion1 = 0x00C1, kVersion2 = 0x00C2, kTarget = 0x0093;
inline constexpr std::uint16_t kRelocStripped = 0x0001, kExecutable = 0x0002,
                               kLinesStripped = 0x0004, kC4x = 0x0010, kLittle = 0x0100;
inline constexpr std::uint16_t kOptionalMagic = 0x0108;
inline constexpr std::uint32_t kDummy = 0x1, kNoLoad = 0x2, kCopy = 0x10, kText = 0x20,
                               kData = 0x40, kBss = 0x80;
inline constexpr std::size_t kOptionalSize = 28, kSection2Size = 48, kSection1Size = 40,
                             kSymbolSize = 18;
inline constexpr std::uint8_t kExternal = 2, kStatic = 3, kLabel = 6;
inline constexpr std::uint8_t kStaticLabel = 20, kExternalLabel = 21;  ///< TI's .label symbols
/// Classes of symbols that name places or numbers; the others are for debuggers.
constexpr bool isSymbolClass(std::uint32_t storage) {
  return storage == kExternal || storage == kStatic || storage == kLabel ||
         storage == kStaticLabel || storage == kExternalLabel;
}
inline constexpr std::string_view kLinesSection = ".rtvp_lines";
inline constexpr std::uint32_t kAddressSpace = 1u << 24;
inline constexpr std::uint32_t kRunFixed = 0x10000,
                               kLoadFixed = 0x20000;  ///< this project's: address of an object's
                                                      ///< section is demanded by the source
inline constexpr std::string_view kObjectLinesSection = ".rtvp_olines";

[[noreturn]] void bad(const std::string& what, std::size_t offset);

class Writer {
 public:
  void u8(std::uint32_t v) { bytes.push_back(static_cast<std::uint8_t>(v)); }
  void u16(std::uint32_t v) { u8(v & 0xFF), u8(v >> 8 & 0xFF); }
  void u32(std::uint32_t v) { u16(v & 0xFFFF), u16(v >> 16); }
  void set32(std::size_t at, std::size_t v) {
    boost::endian::store_little_u32(bytes.data() + at, static_cast<std::uint32_t>(v));
  }
  /// An 8-character name field; a longer name goes to the string table.
  void name(std::string_view text) {
    if (text.size() <= 8) {
      for (std::size_t i = 0; i < 8; ++i)
        u8(i < text.size() ? static_cast<unsigned char>(text[i]) : 0);
      return;
    }
    u32(0);
    u32(static_cast<std::uint32_t>(strings.size() + 4));
    strings.append(text);
    strings += '\0';
  }
  std::vector<std::uint8_t> bytes;
  std::string strings;
};

inline std::uint32_t sectionFlags(Section::Kind kind) {
  return kind == Section::Kind::Text ? kText : kind == Section::Kind::Data ? kData : kBss;
}

class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  void need(std::size_t offset, std::uint64_t count, const char* what) const {
    if (offset > bytes_.size() || count > bytes_.size() - offset) {
      bad(std::string("end of file, expected ") + what, offset);
    }
  }
  std::size_t size() const { return bytes_.size(); }
  std::uint32_t u8(std::size_t at) const { return need(at, 1, "a byte"), bytes_[at]; }
  std::uint32_t u16(std::size_t at) const {
    return need(at, 2, "a 16-bit field"), boost::endian::load_little_u16(bytes_.data() + at);
  }
  std::uint32_t u32(std::size_t at) const {
    return need(at, 4, "a 32-bit field"), boost::endian::load_little_u32(bytes_.data() + at);
  }
  /// A name field. All names of a file together are bounded: many fields may point at one string.
  std::string name(std::size_t at, std::size_t strings) const {
    constexpr std::size_t kLongest = 4096, kAll = std::size_t{16} << 20;
    std::string text;
    if (u32(at) == 0 && u32(at + 4) != 0) {
      std::size_t from = strings + u32(at + 4);
      while (const std::uint32_t c = u8(from++)) {
        if (text.size() >= kLongest || ++named_ > kAll) bad("a name without end", at);
        text += static_cast<char>(c);
      }
      return text;
    }
    for (std::size_t i = 0; i < 8; ++i) {
      const std::uint32_t c = u8(at + i);
      if (c == 0) break;
      text += static_cast<char>(c);
    }
    return text;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  mutable std::size_t named_ = 0;
};

struct Header {
  int version = 2;
  std::uint32_t flags = 0;
  std::size_t sections = 0, symbolsAt = 0, symbols = 0, optionalSize = 0, size = 22;
};

/// Checks magic and target, and that headers and symbol table lie inside the file.
Header readHeader(const Reader& r);

/// The source line map as words: number of files, each name (length, characters four a word),
/// number of entries, entries of `columns` words, the last two of which are file and line.
std::vector<std::uint32_t> packLineMap(const std::vector<std::string>& files, unsigned columns,
                                       const std::vector<std::uint32_t>& entries);
/// The entries; `files` receives the names. Every count and file number is checked.
std::vector<std::uint32_t> unpackLineMap(const std::vector<std::uint32_t>& words, unsigned columns,
                                         std::vector<std::string>& files);

}  // namespace rtvp::c32::coff
