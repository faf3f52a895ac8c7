// A whole sweep: runs what is not yet known, computes the figures, writes the results.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/sweep/chart.hpp"
#include "platform/sweep/spec.hpp"
#include "platform/sweep/store.hpp"

namespace rtvp::sweep {

struct SweepOptions {
  std::filesystem::path folder;   ///< made if it is not there
  std::filesystem::path program;  ///< the platform executable
  int jobs = 1;
  double timeoutSeconds = 0;  ///< of wall time, for each point; 0 = never
  bool fresh = false;         ///< forget earlier results
  bool progress = false;      ///< a line on standard error
  bool write = true;          ///< table, plots and page beside the store
};

struct SweepResult {
  SweepSpec spec;  ///< as completed
  std::vector<Point> points;
  std::vector<PointResult> results;                         ///< parallel to points
  std::vector<std::vector<std::optional<double>>> figures;  ///< [point][figure]
  std::size_t ran = 0;  ///< points run now; the others were known
  /// Why points were run again whose question had an answer: reason and how many.
  std::map<std::string, std::size_t> again;
  std::size_t failed = 0;  ///< of all
  /// "figures.NAME: ..." for names in formulas that no successful point knows.
  std::vector<std::string> warnings;

  /// Value of a figure at the points where axis `key` has `value` for each pair; nothing unless
  /// exactly one point matches and has it.
  [[nodiscard]] std::optional<double> at(
      const std::vector<std::pair<std::string, std::string>>& where,
      const std::string& figure) const;
};

/// Runs a sweep. Failed points are run again. The subject's table must outlive the result. Throws
/// InputError for what the user did wrong, a name in a formula that means several statistics among
/// it.
[[nodiscard]] SweepResult runSweep(SweepSpec spec, const SweepOptions& options,
                                   const Subject& subject);

/// A plot's chart. Failed points leave gaps.
[[nodiscard]] Chart chartOf(const SweepResult& result, const Plot& plot);

/// One row a point: parameters that vary, status, figures, message.
[[nodiscard]] std::string csvOf(const SweepResult& result);

/// A page with table and plots that needs no other file.
[[nodiscard]] std::string htmlOf(const SweepResult& result);

}  // namespace rtvp::sweep
