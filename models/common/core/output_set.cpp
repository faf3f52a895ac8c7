// See output_set.hpp.
#include "models/common/core/output_set.hpp"

#include <string>
#include <system_error>

namespace rtvp::common {

FileReplacement& OutputSet::open(const std::filesystem::path& file) {
  return *files_.emplace_back(std::make_unique<FileReplacement>(file));
}

// What can fail for want of room or rights fails before the first file is in place; a rename rarely
// does, and then the others are taken back.
void OutputSet::commit() {
  for (const auto& file : files_) file->prepare();
  if (files_.size() > 1) {
    for (const auto& file : files_) file->keepOld();
  }
  try {
    for (const auto& file : files_) file->replace();
  } catch (const std::system_error& error) {
    std::string stand;
    for (const auto& file : files_) {
      if (file->takeBack()) continue;
      stand += (stand.empty() ? "" : ", ") + file->file().string();
    }
    if (stand.empty()) throw;
    throw std::system_error(error.code(), std::string(error.what()) +
                                              "; already new and not to be taken back: " + stand);
  }
  files_.clear();
}

}  // namespace rtvp::common
