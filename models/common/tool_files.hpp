// A file's bytes for callers that take no exception. The tools' own reader: tool/files.hpp.
#pragma once

#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "models/common/core/file_io.hpp"

namespace rtvp::common {

/// The bytes of a file; nothing if it cannot be read or holds more than 1 GiB.
[[nodiscard]] inline std::optional<std::string> readFile(const std::string& path) {
  try {
    const std::vector<std::uint8_t> bytes = readBytes(path, std::uint64_t{1} << 30U);
    return std::string(bytes.begin(), bytes.end());
  } catch (const std::system_error&) {
    return std::nullopt;
  }
}

}  // namespace rtvp::common
