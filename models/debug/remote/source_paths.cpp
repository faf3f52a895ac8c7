// See source_paths.hpp.
#include "models/debug/remote/source_paths.hpp"

#include <algorithm>
#include <filesystem>

#include "models/common/core/shared_files.hpp"

namespace rtvp::debug {
namespace {

namespace fs = std::filesystem;

/// The last part of a path, which is cut off.
std::string_view lastPart(std::string_view& path) {
  while (!path.empty() && (path.back() == '/' || path.back() == '\\')) path.remove_suffix(1);
  const std::size_t slash = path.find_last_of("/\\");
  const std::size_t from = slash == std::string_view::npos ? 0 : slash + 1;
  const std::string_view part = path.substr(from);
  path = path.substr(0, from);
  return part;
}

std::optional<std::string> existing(const fs::path& path) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return std::nullopt;
  return fs::absolute(path, none).lexically_normal().string();
}

}  // namespace

std::size_t commonTail(std::string_view a, std::string_view b) {
  for (std::size_t parts = 0;; ++parts) {
    const std::string_view x = lastPart(a), y = lastPart(b);
    if (x.empty() || x != y) return parts;
  }
}

std::optional<std::uint32_t> fileByTail(const std::vector<std::string>& files,
                                        std::string_view path) {
  std::optional<std::uint32_t> best;
  std::size_t most = 0;
  for (std::uint32_t n = 0; n < files.size(); ++n) {
    const std::size_t parts = commonTail(files[n], path);
    if (parts <= most) continue;
    most = parts;
    best = n;
  }
  return best;
}

std::string SourcePaths::pathOf(const std::string& file) const {
  if (const auto it = known_.find(file); it != known_.end()) return it->second;
  if (const auto here = existing(file)) return *here;
  for (const std::string& folder : folders_) {
    if (const auto there = existing(fs::path(folder) / file)) return *there;
    if (const auto there = existing(fs::path(folder) / fs::path(file).filename())) return *there;
  }
  if (const auto shared = existing(common::inputFile(file, "firmware/tigershark"))) return *shared;
  return file;
}

}  // namespace rtvp::debug
