// See archive.hpp. Format: ar(5); GNU's "/" directory and "//" table of long names.
#include "models/c32/link/archive.hpp"

#include <algorithm>
#include <string_view>

#include "models/c32/asm/coff.hpp"
#include "models/c32/link/object_coff.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::string_view kMagic = "!<arch>\n";
constexpr std::size_t kHeaderSize = 60, kNameSize = 16, kSizeAt = 48, kSizeDigits = 10;
constexpr std::size_t kLongestName = 200;
constexpr std::string_view kDirectory = "/", kLongNames = "//";

[[noreturn]] void bad(const std::string& what, std::size_t at) {
  throw ArchiveError("archive: found " + what + " at byte " + std::to_string(at));
}

std::string trimmed(std::string_view field) {
  while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
  return std::string(field);
}

/// A decimal field of a header.
std::size_t decimal(std::string_view field, std::size_t at) {
  const std::string digits = trimmed(field);
  std::size_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') bad("a size that is no number", at);
    value = value * 10 + static_cast<std::size_t>(c - '0');
  }
  if (digits.empty()) bad("no size", at);
  return value;
}

/// A name as the header has it: with GNU's closing slash, or an offset in the table of long names.
std::string nameOf(const std::string& field, const std::string& longNames, std::size_t at) {
  if (field.size() > 1 && field[0] == '/' && field[1] >= '0' && field[1] <= '9') {
    const std::size_t offset = decimal(std::string_view(field).substr(1), at);
    if (offset >= longNames.size()) bad("a long name outside its table", at);
    std::size_t end = longNames.find('\n', offset);
    if (end == std::string::npos) end = longNames.size();
    std::string name = longNames.substr(offset, end - offset);
    if (!name.empty() && name.back() == '/') name.pop_back();
    return name;
  }
  std::string name = field;
  if (!name.empty() && name.back() == '/') name.pop_back();
  return name;
}

void header(std::vector<std::uint8_t>& out, const std::string& name, std::size_t size) {
  std::string text = name;
  text.resize(kNameSize, ' ');
  text += "0           0     0     644     ";  // date, owner, group, mode
  std::string digits = std::to_string(size);
  digits.resize(kSizeDigits, ' ');
  text += digits + "`\n";
  out.insert(out.end(), text.begin(), text.end());
}

void big32(std::vector<std::uint8_t>& out, std::size_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out.push_back(static_cast<std::uint8_t>(value >> shift & 0xFF));
}

/// Names that an object file defines for others; none for other contents.
std::vector<std::string> definedBy(const ArchiveMember& member) {
  std::vector<std::string> names;
  try {
    for (const ObjectSymbol& s : readObject(member.bytes).symbols) {
      if (s.external && s.section != ObjectSymbol::kUndefined) names.push_back(s.name);
    }
  } catch (const CoffError&) {
    // Macro libraries hold sources.
  }
  return names;
}

}  // namespace

bool isArchive(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

std::vector<ArchiveMember> readArchive(std::span<const std::uint8_t> bytes) {
  if (!isArchive(bytes)) bad("no archive, expected !<arch>", 0);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<ArchiveMember> members;
  std::string longNames;
  for (std::size_t at = kMagic.size(); at + 1 < bytes.size();) {
    if (bytes.size() - at < kHeaderSize) bad("a cut header", at);
    if (text[at + 58] != '`' || text[at + 59] != '\n')
      bad("a bad header, expected its end mark", at);
    const std::size_t size = decimal(text.substr(at + kSizeAt, kSizeDigits), at + kSizeAt);
    const std::size_t first = at + kHeaderSize;
    if (size > bytes.size() - first) bad("a member beyond the end of the file", at);
    const std::string field = trimmed(text.substr(at, kNameSize));
    if (field == kLongNames) {
      longNames = text.substr(first, size);
    } else if (field != kDirectory && field != "__.SYMDEF" && field != "/SYM64/") {
      const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(first);
      members.push_back(
          {nameOf(field, longNames, at), {begin, begin + static_cast<std::ptrdiff_t>(size)}});
    }
    at = first + size + size % 2;
  }
  return members;
}

std::vector<std::uint8_t> writeArchive(const std::vector<ArchiveMember>& members) {
  std::string longNames;
  std::vector<std::string> fields;
  for (const ArchiveMember& m : members) {
    if (m.name.empty() || m.name.size() > kLongestName || m.name.find('/') != std::string::npos ||
        m.name.find('\n') != std::string::npos)
      throw ArchiveError("archive: found member name '" + m.name + "', expected a file name");
    if (m.name.size() < kNameSize) {
      fields.push_back(m.name + "/");
      continue;
    }
    fields.push_back("/" + std::to_string(longNames.size()));
    longNames += m.name + "/\n";
  }
  std::vector<std::pair<std::string, std::size_t>> directory;
  std::size_t names = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (const std::string& name : definedBy(members[i])) {
      directory.emplace_back(name, i);
      names += name.size() + 1;
    }
  }
  const auto padded = [](std::size_t size) { return size + size % 2; };
  const std::size_t directorySize = 4 + 4 * directory.size() + names;
  std::size_t at = kMagic.size() + kHeaderSize + padded(directorySize);
  if (!longNames.empty()) at += kHeaderSize + padded(longNames.size());
  std::vector<std::size_t> starts;
  for (const ArchiveMember& m : members) {
    starts.push_back(at);
    at += kHeaderSize + padded(m.bytes.size());
  }
  std::vector<std::uint8_t> out(kMagic.begin(), kMagic.end());
  const auto pad = [&out] {
    if (out.size() % 2 != 0) out.push_back('\n');
  };
  header(out, std::string(kDirectory), directorySize);
  big32(out, directory.size());
  for (const auto& [name, member] : directory) big32(out, starts[member]);
  for (const auto& [name, member] : directory) {
    out.insert(out.end(), name.begin(), name.end());
    out.push_back(0);
  }
  pad();
  if (!longNames.empty()) {
    header(out, std::string(kLongNames), longNames.size());
    out.insert(out.end(), longNames.begin(), longNames.end());
    pad();
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    header(out, fields[i], members[i].bytes.size());
    out.insert(out.end(), members[i].bytes.begin(), members[i].bytes.end());
    pad();
  }
  return out;
}

}  // namespace rtvp::c32
