// Files of a program and those of a client: the same file has another path on each side, and they
// are matched by the longest common tail.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rtvp::debug {

/// Parts of the paths that are equal, counted from their ends; `/` and `\` separate them.
[[nodiscard]] std::size_t commonTail(std::string_view a, std::string_view b);

/// The file that shares the longest tail with `path`; of several the first. Empty: no file has its
/// name.
[[nodiscard]] std::optional<std::uint32_t> fileByTail(const std::vector<std::string>& files,
                                                      std::string_view path);

class SourcePaths {
 public:
  /// The client calls a file of the program by this path.
  void learn(const std::string& file, const std::string& path) { known_[file] = path; }
  /// Folders to look in, in this order.
  void setFolders(std::vector<std::string> folders) { folders_ = std::move(folders); }
  [[nodiscard]] const std::vector<std::string>& folders() const { return folders_; }
  [[nodiscard]] const std::map<std::string, std::string>& known() const { return known_; }
  /// The path that the client can open; `file` itself if nothing better is known.
  [[nodiscard]] std::string pathOf(const std::string& file) const;

 private:
  std::map<std::string, std::string> known_;
  std::vector<std::string> folders_;
};

}  // namespace rtvp::debug
