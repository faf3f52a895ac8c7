// Results of a sweep in one SQLite file. A point is written in one transaction when it ends, so
// that a sweep that is interrupted loses only what was running.
//
// Tables, for people with SQL: `point` (one run: identity, status, message, wall time), `stat`
// (every figure of its stats.json but each single DSP's), `result` (the points of the latest sweep
// in order), `setting` and `figure` (their parameters and computed figures), `meta`.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/sweep/spec.hpp"
#include "platform/sweep/stats.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace rtvp::sweep {

/// Every number and flag of a stats.json object by its path; groups called `dsps` are left out.
[[nodiscard]] Stats flatten(const boost::json::object& statistics);

/// A path ends with the name, whole parts of it.
[[nodiscard]] bool endsWithPath(std::string_view path, std::string_view name);

/// What a name means.
struct Meaning {
  /// The statistic's value; of several instances of it (boards, hosts) their sum.
  std::optional<double> value;
  /// More than one: different statistics whose paths end with the name, numbers of instances as #.
  std::vector<std::string> candidates;
  [[nodiscard]] bool one() const { return candidates.size() == 1; }
};

/// Looks for figures whose path ends with `name`, whole parts. Paths that differ in the numbers at
/// the end of their parts only (pc0, pc1) are instances of one statistic.
[[nodiscard]] Meaning meaningOf(const Stats& stats, std::string_view name);

/// How one point ended.
struct PointResult {
  int status = 0;       ///< exit status; 128 + number for a signal
  std::string message;  ///< empty if it succeeded
  double wallSeconds = 0;
  Stats stats;                              ///< empty if it failed
  std::vector<platform::InputFile> inputs;  ///< files that it read; empty if it failed
  std::vector<std::string> warnings = {};   ///< what the run told its user beside the result
  [[nodiscard]] bool ok() const { return status == 0; }
};

class Store {
 public:
  /// Opens or creates the file, for this process alone. Throws InputError if it cannot be opened,
  /// is no store of this version, or another sweep or collector has it.
  explicit Store(const std::filesystem::path& file);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  [[nodiscard]] std::optional<PointResult> find(const std::string& identity);
  /// A run that was made for the same question, perhaps of other files or with another program.
  struct Earlier {
    std::string build;
    std::vector<platform::InputFile> inputs;
  };
  /// The latest that succeeded.
  [[nodiscard]] std::optional<Earlier> lastFor(const std::string& asked);
  /// Replaces an earlier result of the same identity.
  void save(const Point& point, const std::string& build, const PointResult& result);
  void clear();

  /// Rows of the latest sweep; `figures[i]` are the values of spec.figures at points[i].
  void saveTable(const SweepSpec& spec, const std::vector<Point>& points,
                 const std::vector<std::vector<std::optional<double>>>& figures);

 private:
  void execute(const char* sql);
  void checkVersion();
  void close();
  class Statement;

  sqlite3* database_ = nullptr;
  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;  ///< prepared, by their text
  std::string name_;
};

}  // namespace rtvp::sweep
