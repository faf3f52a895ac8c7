// Where a worker's points have their files.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace rtvp::sweep {

/// A new folder below the folder for temporary files. It goes with the worker, however that ends: a
/// process of its own waits for the end of the worker and of the points that the worker forked, and
/// removes it. Only what kills both at once leaves it.
class WorkerFolder {
 public:
  /// Throws InputError if no folder can be made.
  WorkerFolder();
  ~WorkerFolder();
  WorkerFolder(const WorkerFolder&) = delete;
  WorkerFolder& operator=(const WorkerFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  void release();               ///< lets the keeper remove the folder, and waits for it
  std::filesystem::path path_;  ///< absolute
  int alive_ = -1;              ///< closes when worker and points have ended
  pid_t keeper_ = -1;
};

}  // namespace rtvp::sweep
