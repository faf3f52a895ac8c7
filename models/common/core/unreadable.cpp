// See unreadable.hpp.
#include "models/common/core/unreadable.hpp"

#include <unistd.h>

#include <system_error>

namespace rtvp::common {

std::string unreadable(const std::filesystem::path& file, std::string_view expected) {
  std::error_code unknown;
  const auto status = std::filesystem::status(file, unknown);
  std::string found = "a file that cannot be read";
  if (status.type() == std::filesystem::file_type::not_found) {
    found = "no such file";
  } else if (std::filesystem::is_directory(status)) {
    found = "a folder";
  } else if (::access(file.c_str(), R_OK) != 0) {
    found = "a file that you may not read";
  }
  return "found " + found + ", expected " + std::string(expected);
}

}  // namespace rtvp::common
