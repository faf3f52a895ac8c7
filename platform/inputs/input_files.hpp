// The door through which a run reads its files: it remembers what was read, by content, so that a
// run can be told from another and repeated.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rtvp::platform {

/// A file that a run read.
struct InputFile {
  /// What for: "scene", "include", "obj", "mtl", "texture", "shader", "implicit", or the parameter
  /// that named it ("tigershark.firmware").
  std::string role;
  std::filesystem::path path;  ///< as it was named; no part of a run's identity
  std::string sha256;          ///< 64 lower-case hexadecimal digits
  std::uint64_t bytes = 0;

  /// Same role, same bytes, wherever they lie.
  [[nodiscard]] bool sameContent(const InputFile& other) const {
    return role == other.role && sha256 == other.sha256 && bytes == other.bytes;
  }
};

/// SHA-256 as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256(std::span<const std::uint8_t> bytes);
[[nodiscard]] std::string sha256(std::string_view text);

class InputFiles {
 public:
  /// All bytes of a file, which is remembered; again for the same role only once. Throws
  /// std::system_error that names the file if it cannot be read or holds more than `limit` bytes.
  [[nodiscard]] std::vector<std::uint8_t> read(std::string_view role,
                                               const std::filesystem::path& file,
                                               std::uint64_t limit);

  /// In the order in which they were first read.
  [[nodiscard]] const std::vector<InputFile>& all() const { return files_; }
  void add(const InputFile& file);

 private:
  std::vector<InputFile> files_;
};

/// The door for files of one role. Without a door: past it, for programs that make no run.
class InputReader {
 public:
  InputReader(InputFiles* door, std::string_view role) : door_(door), role_(role) {}
  [[nodiscard]] std::vector<std::uint8_t> read(const std::filesystem::path& file,
                                               std::uint64_t limit) const;

 private:
  InputFiles* door_;
  std::string_view role_;
};

/// What differs between two runs' files, for people: "the scene 'a.shk'", "the texture 'x.png'";
/// one entry a difference, in the order of `now`, then what is no longer read. Paths are those of
/// `now` where it has the file.
[[nodiscard]] std::vector<std::string> differences(std::span<const InputFile> before,
                                                   std::span<const InputFile> now);

}  // namespace rtvp::platform
