// Files that belong together: a run's picture, hits and statistics.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "models/common/core/file_io.hpp"

namespace rtvp::common {

/// Opened before the work begins, in place together at its end or not at all.
class OutputSet {
 public:
  /// Stays valid as long as the set does. Throws std::system_error that names the file.
  FileReplacement& open(const std::filesystem::path& file);

  /// Puts all in place. Throws std::system_error that names the file which could not be; all others
  /// are then as they were, or what() says which are not.
  void commit();

  /// Leaves nothing of what was written.
  void discard() { files_.clear(); }

 private:
  std::vector<std::unique_ptr<FileReplacement>> files_;
};

}  // namespace rtvp::common
