// A whole sweep: runs what is not yet known, computes the figures, writes the results.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/sweep/chart.hpp"
#include "platform/sweep/sampled.hpp"
#include "platform/sweep/spec.hpp"
#include "platform/sweep/store.hpp"

namespace rtvp::sweep {

/// Message of a point that nothing is known of.
inline constexpr const char* kNoResult = "no result yet";

struct SweepOptions {
  std::filesystem::path folder;   ///< made if it is not there
  std::filesystem::path program;  ///< the platform executable
  int jobs = 1;
  double timeoutSeconds = 0;  ///< of wall time, for each point; 0 = never
  bool fresh = false;         ///< forget earlier results
  bool progress = false;      ///< a line on standard error
  bool write = true;          ///< table, plots and page beside the store
  bool quality = false;       ///< compare every picture with the reference's
  bool keep = false;          ///< keep pictures, in the folder `pictures`
  SampleChoice sample = {};   ///< estimate every point from crops of its picture
  std::string parts;          ///< table of parts; "" = the built-in one
  /// Runs a point in this process, RunnerOptions::inside. If set, crops are forks of the sweep:
  /// short runs of which starting the program would be the larger part.
  std::function<int(const std::vector<std::string>& arguments)> inside = {};
};

struct SweepResult {
  SweepSpec spec;  ///< as completed
  std::vector<Point> points;
  std::vector<PointResult> results;                         ///< parallel to points
  std::vector<std::vector<std::optional<double>>> figures;  ///< [point][figure]
  /// [point][crop] what the names in figures mean without that crop, where pictures are sampled.
  std::vector<std::vector<Names>> without;
  /// [point] what limits the machine, "tigershark.chain_in", where several machines are compared by
  /// the sweep's own figures; else empty.
  std::vector<std::string> limits;
  std::size_t ran = 0;        ///< points run (or merged) now; the others were known
  std::size_t missing = 0;    ///< points without a result yet: interrupted, or not merged
  int interrupted = 0;        ///< the signal that ended the sweep early, or 0
  bool running = false;       ///< this is what there is while it goes on
  std::size_t strangers = 0;  ///< merged: results that are no point's of this sweep
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

/// The same from what workers left in files and folders instead of runs (merge.hpp): a point that
/// they have nothing of fails with status 4. Throws InputError.
[[nodiscard]] SweepResult mergeSweep(SweepSpec spec, const std::vector<std::string>& files,
                                     const SweepOptions& options, const Subject& subject);

/// Points that have no successful result in the folder's store, each once.
struct SweepPart {
  SweepSpec spec;
  std::vector<Point> points;           ///< all
  std::vector<std::size_t> positions;  ///< of the unfinished ones
};
/// Reads the store if there is one and changes nothing. Throws InputError.
[[nodiscard]] SweepPart unfinishedPoints(SweepSpec spec, const SweepOptions& options,
                                         const Subject& subject);

/// A plot's chart. Failed points leave gaps.
[[nodiscard]] Chart chartOf(const SweepResult& result, const Plot& plot);

/// One row a point: parameters that vary, status, figures, message.
[[nodiscard]] std::string csvOf(const SweepResult& result);

/// A page with table and plots that needs no other file.
[[nodiscard]] std::string htmlOf(const SweepResult& result);

}  // namespace rtvp::sweep
