// From the modules' figures (models/common/statistics.hpp) to what a user reads: stats.json, the
// one-screen summary and the list of all figures.
#pragma once

#include <boost/json/object.hpp>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/statistics.hpp"
#include "platform/report/figures.hpp"

namespace rtvp::report {

inline constexpr int kStatsSchemaVersion = 1;

/// One JSON object a group: its figures by name, `units` (name -> unit) for those that have one,
/// and its sub-groups by name. A sub-group named "host_side" is left out: by convention it holds
/// what may differ between two equal runs or between speed settings (design.md section 7).
[[nodiscard]] boost::json::object statisticsJson(const common::StatGroup& group);

/// Only the sub-groups named "host_side", in the place where they were found; empty if there are
/// none.
[[nodiscard]] boost::json::object hostStatisticsJson(const common::StatGroup& group);

/// Closed sums (style.md S30): wherever a group has a figure "cycles" and figures "cycles_...", the
/// latter must add up to the former. One line for each violation.
[[nodiscard]] std::vector<std::string> checkClosedSums(const common::StatGroup& group);

/// One line a figure: path, unit, description; the text of `platform --stats-help`.
void printStatisticsHelp(std::ostream& out, const common::StatGroup& group);

/// Sum of `figure` over all groups called `group`, at any depth: all boards of all hosts.
[[nodiscard]] double sumOf(const boost::json::object& modules, std::string_view group,
                           std::string_view figure);

/// What the ray tree's surface programs did; nothing where there are none.
[[nodiscard]] std::vector<SummaryLine> shaderSummary(const RunFigures& run);

/// The one-screen summary of a run, from the complete stats.json object and what its machines say.
void printSummary(std::ostream& out, const boost::json::object& statistics,
                  const std::vector<SummaryLine>& machines);

/// Indented JSON text, keys in insertion order, one figure a line.
[[nodiscard]] std::string prettyJson(const boost::json::value& value);

}  // namespace rtvp::report
