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
  /// Asked and told about a hundred times a second; true: end what runs and start nothing more.
  std::function<bool()> tick = {};
  /// If set, a point is a fork of this process that calls it with the arguments, instead of a new
  /// program; it returns the exit status. For processes in which no SystemC object exists.
  std::function<int(const std::vector<std::string>& arguments)> inside = {};
};

/// One job: which point, and its command-line arguments but for the output files.
struct Job {
  std::size_t point = 0;
  std::vector<std::string> arguments;
  /// Folder, made if it is not there, in which stats.json, image.ppm and errors.txt stay; empty:
  /// they are removed when they are read.
  std::filesystem::path keep = {};
  bool quiet = true;  ///< without warnings
  bool hits = false;  ///< with hits.csv beside the others
  /// More figures of a run that succeeded, from its stats.json and the folder of its files.
  std::function<Stats(const boost::json::object& statistics, const std::filesystem::path& folder)>
      derive = {};
  /// What is to be said of it, beside what it says itself.
  std::function<std::vector<std::string>(const boost::json::object& statistics)> remark = {};
};

/// What is wanted of a point beside its statistics.
struct Extras {
  std::filesystem::path reference = {};  ///< folder of the reference's run: compare with it
  std::filesystem::path picture = {};    ///< keep the picture as this PNG file
};

/// The run of a point; all of them outlive it.
[[nodiscard]] Job jobOf(const SweepSpec& spec, const Point& point, std::size_t index,
                        const Subject& subject, const Extras& extras = {});

/// The run that the point's picture is compared with; its files stay in `folder`.
[[nodiscard]] Job referenceJobOf(const Point& point, std::size_t index, const Subject& subject,
                                 const std::filesystem::path& folder);
/// A name for that run: the same for points of the same picture.
[[nodiscard]] std::string referenceOf(const Point& point, const Subject& subject);

/// Arguments of a run of this point.
[[nodiscard]] std::vector<std::string> argumentsOf(const SweepSpec& spec, const Point& point);

/// What was read must be what the point is known by: otherwise the result becomes a failure.
void checkInputs(const std::vector<platform::InputFile>& known, PointResult& result);

/// Runs all jobs (unless `tick` ends it) and reports each when it ends, in the order in which they
/// end. Throws std::runtime_error if no process can be started; the started ones are ended then.
void runJobs(const std::vector<Job>& jobs, const RunnerOptions& options,
             const std::function<void(std::size_t point, PointResult&& result)>& done);

}  // namespace rtvp::sweep
