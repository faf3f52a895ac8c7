// Archives of object files (.lib) and of macros: the common `!<arch>` format that TI's archiver and
// GNU ar write.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace rtvp::c32 {

/// The file is no readable archive; what() names the byte.
class ArchiveError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ArchiveMember {
  std::string name;
  std::vector<std::uint8_t> bytes;

  friend bool operator==(const ArchiveMember&, const ArchiveMember&) = default;
};

/// True if the bytes begin as an archive does.
bool isArchive(std::span<const std::uint8_t> bytes);

/// Members in their order; the symbol directory and the table of long names are not members. Every
/// size is checked against the file.
std::vector<ArchiveMember> readArchive(std::span<const std::uint8_t> bytes);

/// With a symbol directory of the members that are object files. No dates, no owners: the same
/// members give the same bytes. Throws ArchiveError for a name that does not fit.
std::vector<std::uint8_t> writeArchive(const std::vector<ArchiveMember>& members);

}  // namespace rtvp::c32
