// Which points a sweep has: from every combination of its values to a front that is refined.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/options/option_table.hpp"
#include "platform/sweep/spec.hpp"

namespace rtvp::sweep {

/// A point's values, parallel to SweepSpec::axes.
using Row = std::vector<std::string>;

/// Axes that go together (one axis, or linked ones): they have the same number of values.
struct Dimension {
  std::vector<std::size_t> axes;  ///< indices in SweepSpec::axes
  std::size_t values = 0;
};
/// In the order of their first axes. Throws InputError for links of unknown or unequal axes.
[[nodiscard]] std::vector<Dimension> dimensionsOf(const SweepSpec& spec);

/// "grid", "random", "lhs", "one_at_a_time", "refine"; throws InputError for anything else.
[[nodiscard]] SpaceKind spaceKind(std::string_view word);

/// The points that a sweep begins with; all of them unless its space is refined. Throws InputError:
/// conditions, more than kMaxPoints points, no point at all.
[[nodiscard]] std::vector<Row> firstRows(const SweepSpec& spec, const platform::OptionTable& table);

/// Refinement: what to run next, given what came out; nothing when the front has no unknown
/// neighbour or the number of points is reached. `goals[i]`: the goals' figures at rows[i], smaller
/// is better; nothing for a point that failed or lacks one.
[[nodiscard]] std::vector<Row> nextRows(
    const SweepSpec& spec, const platform::OptionTable& table, const std::vector<Row>& rows,
    const std::vector<std::optional<std::vector<double>>>& goals);

/// Positions of the points that no other is at least as good as in every goal and better in one.
[[nodiscard]] std::vector<std::size_t> frontOf(
    const std::vector<std::optional<std::vector<double>>>& goals);

}  // namespace rtvp::sweep
