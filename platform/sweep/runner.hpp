// Runs the points of a sweep as processes of the platform program, several at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <vector>

#include "platform/sweep/spec.hpp"
#include "platform/sweep/store.hpp"

namespace rtvp::sweep {

struct RunnerOptions {
  std::filesystem::path program;  ///< the platform executable
  std::filesystem::path scratch;  ///< folder for the points' files; removed when they are read
  int jobs = 1;                   ///< processes at a time
  double timeoutSeconds = 0;      ///< wall time after which a point is ended (status 4); 0 = never
};

/// One job: which point, and its command-line arguments but for the output files.
struct Job {
  std::size_t point = 0;
  std::vector<std::string> arguments;
  /// Folder, made if it is not there, in which stats.json, image.ppm and errors.txt stay; empty:
  /// they are removed when they are read.
  std::filesystem::path keep = {};
};

/// Arguments of a run of this point.
[[nodiscard]] std::vector<std::string> argumentsOf(const SweepSpec& spec, const Point& point);

/// Runs all jobs and reports each when it ends, in the order in which they end. Throws
/// std::runtime_error if no process can be started; the started ones are ended then.
void runJobs(const std::vector<Job>& jobs, const RunnerOptions& options,
             const std::function<void(std::size_t point, PointResult&& result)>& done);

}  // namespace rtvp::sweep
