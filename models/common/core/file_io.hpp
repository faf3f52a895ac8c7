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

/// The same for contents that come piece by piece ("-" is standard output, which is written in
/// place): the file is replaced by commit(), and is left as
/// it was without. Until then the new contents have no name where the file system can do that, so
/// that nothing is left of a process that dies. Every member throws std::system_error that names
/// the file.
class FileReplacement {
 public:
  explicit FileReplacement(const std::filesystem::path& file);
  ~FileReplacement();
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  void write(std::span<const std::uint8_t> bytes);
  void write(std::string_view text);
  /// Forgets what was written; false if a pipe or a terminal has got it.
  bool restart();
  void commit();

  // The steps of commit(), for several files that belong together (output_set.hpp).
  void prepare();   ///< all is on the disk, with its permissions
  void replace();   ///< the new contents are in place
  void keepOld();   ///< before replace(): what is in place now can be had back
  bool takeBack();  ///< after replace(): as it was before; false if it cannot be
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  void openInPlace();

  std::filesystem::path file_;    ///< as asked for, for messages
  std::filesystem::path target_;  ///< behind symbolic links
  std::filesystem::path part_;    ///< name of the new contents, to be removed; empty: none yet
  std::filesystem::path old_;     ///< name of the old contents, to be removed; empty: none
  int descriptor_ = -1;
  unsigned mode_ = 0;
  bool exists_ = false;
  bool inPlace_ = false;  ///< a pipe, a terminal
  bool replaced_ = false;
};

/// Whether two names stand for one file, through links of both kinds, there or not yet. Devices
/// and pipes are never the same: what is written to them overwrites nothing.
[[nodiscard]] bool sameFile(const std::filesystem::path& a, const std::filesystem::path& b);

/// An open file without a name, for reading and writing, where `target` will be or, if there is no
/// place beside it, in the folder for temporary files. Throws std::system_error.
[[nodiscard]] int openNameless(const std::filesystem::path& target);
/// The same in the folder for temporary files ($TMPDIR, else /tmp).
[[nodiscard]] int openTemporary();

/// All bytes of a file. Throws std::system_error if it cannot be read or holds more than `limit`
/// bytes.
[[nodiscard]] std::vector<std::uint8_t> readBytes(const std::filesystem::path& file,
                                                  std::uint64_t limit);

/// The same as text for callers that need no reason: nothing if the file cannot be read or holds
/// more than 1 GiB.
[[nodiscard]] std::optional<std::string> readFile(const std::filesystem::path& file);

}  // namespace rtvp::common
