// See shared_files.hpp.
#include "models/common/core/shared_files.hpp"

#include <system_error>

namespace rtvp::common {

std::filesystem::path sharedFolder() {
  std::error_code ec;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ec);
  if (ec) return {};
  std::filesystem::path folder = program.parent_path().parent_path() / RTVP_SHARED_FOLDER;
  return std::filesystem::is_directory(folder, ec) ? folder : std::filesystem::path();
}

std::filesystem::path inputFile(const std::filesystem::path& name, std::string_view kind,
                                const std::filesystem::path& shared) {
  std::error_code ec;
  if (name.empty() || name.is_absolute() || shared.empty() || std::filesystem::exists(name, ec)) {
    return name;
  }
  for (const std::filesystem::path& folder : {shared, shared / kind}) {
    if (std::filesystem::is_regular_file(folder / name, ec)) return folder / name;
  }
  return name;
}

}  // namespace rtvp::common
