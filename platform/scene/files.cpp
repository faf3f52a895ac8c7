// Names in scene files, see files.hpp.
#include "platform/scene/files.hpp"

#include <algorithm>
#include <string>
#include <system_error>

namespace rtvp::scene {

std::filesystem::path fileBeside(const std::filesystem::path& from, std::string_view name) {
  const std::filesystem::path folder = from.parent_path();
  std::string slashes(name);
  std::replace(slashes.begin(), slashes.end(), '\\', '/');
  const std::filesystem::path parts(slashes);
  for (const std::filesystem::path& candidate :
       {folder / std::string(name), folder / parts, folder / parts.filename()}) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored)) return candidate;
  }
  return {};
}

}  // namespace rtvp::scene
