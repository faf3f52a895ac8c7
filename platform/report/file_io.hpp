// Whole files in and out. Writing replaces a file in one step: readers see the old contents or the
// complete new ones, never a part.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace rtvp::report {

/// Writes `bytes` to a temporary file beside `file`, flushes it to the disk and renames it over
/// `file`. A symbolic link is followed, an existing file's permissions are kept, and a target that
/// is not a regular file (a pipe, a terminal) is written in place. Throws std::system_error that
/// names the file; the old contents then stay.
void replaceFile(const std::filesystem::path& file, std::span<const std::uint8_t> bytes);
void replaceFile(const std::filesystem::path& file, std::string_view text);

/// All bytes of a file. Throws std::system_error if it cannot be read or holds more than `limit`
/// bytes.
[[nodiscard]] std::vector<std::uint8_t> readBytes(const std::filesystem::path& file,
                                                  std::uint64_t limit);

}  // namespace rtvp::report
