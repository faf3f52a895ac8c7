// Whole files in and out. Writing replaces a file in one step: readers see the old contents or the
// complete new ones, never a part.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rtvp::common {

/// Writes `bytes` to a temporary file beside `file`, flushes it to the disk and renames it over
/// `file`. A symbolic link is followed, an existing file's permissions are kept, and a target that
/// is not a regular file (a pipe, a terminal) is written in place. Throws std::system_error that
/// names the file; the old contents then stay.
void replaceFile(const std::filesystem::path& file, std::span<const std::uint8_t> bytes);
void replaceFile(const std::filesystem::path& file, std::string_view text);

/// The same for contents that come piece by piece: the file is replaced by commit(), and is left as
/// it was without. Every member throws std::system_error that names the file.
class FileReplacement {
 public:
  explicit FileReplacement(const std::filesystem::path& file);
  ~FileReplacement();
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  void write(std::span<const std::uint8_t> bytes);
  void write(std::string_view text);
  void commit();

 private:
  std::filesystem::path file_;    ///< as asked for, for messages
  std::filesystem::path target_;  ///< behind symbolic links
  std::filesystem::path part_;    ///< to be removed; empty: written in place
  int descriptor_ = -1;
  unsigned mode_ = 0;
  bool exists_ = false;
};

/// An open file without a name, for reading and writing, where `target` will be or, if there is no
/// place beside it, in the system's folder for temporary files. Throws std::system_error.
[[nodiscard]] int openNameless(const std::filesystem::path& target);

/// All bytes of a file. Throws std::system_error if it cannot be read or holds more than `limit`
/// bytes.
[[nodiscard]] std::vector<std::uint8_t> readBytes(const std::filesystem::path& file,
                                                  std::uint64_t limit);

/// The same as text for callers that need no reason: nothing if the file cannot be read or holds
/// more than 1 GiB.
[[nodiscard]] std::optional<std::string> readFile(const std::filesystem::path& file);

}  // namespace rtvp::common
