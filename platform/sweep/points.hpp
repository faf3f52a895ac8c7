// From a specification to its points: what is checked before anything runs, and what a point is
// known by.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platform/sweep/spec.hpp"

namespace rtvp::sweep {

/// Axes that are given twice, are empty, or are the sweep's own. Throws InputError.
void checkAxes(const SweepSpec& spec);

/// Formulas, and names in plots. Throws InputError.
void checkFigures(const SweepSpec& spec);

/// Everything that expand() checks beside the points themselves. Throws InputError.
void checkSpec(const SweepSpec& spec, const Subject& subject);

/// The points of these rows (space.hpp) of a checked spec, ready to be run or refused.
[[nodiscard]] std::vector<Point> pointsOf(const SweepSpec& spec,
                                          std::vector<std::vector<std::string>> rows,
                                          const Subject& subject);

/// A point with these values of the spec's axes, its settings set. Throws InputError for a value
/// that its parameter does not accept.
[[nodiscard]] Point pointOf(const SweepSpec& spec, std::vector<std::string> values,
                            const Subject& subject);

/// A crop of a point, as a point: known by itself.
[[nodiscard]] Point cropOf(const Point& point, const SweepSpec& spec, const Subject& subject,
                           const std::string& crop);

/// What a point is known by when it reads these files; `problem`: why it could not, if so.
[[nodiscard]] std::string identityOf(const SweepSpec& spec, const Point& point,
                                     const Subject& subject,
                                     std::span<const platform::InputFile> inputs,
                                     const std::string& problem);

/// "tigershark.dsps=64 render.order=tiles": what tells a point from the others of its sweep.
[[nodiscard]] std::string describe(const SweepSpec& spec, const Point& point);

}  // namespace rtvp::sweep
