// Lists and ranges of values, as a user writes them for `platform sweep`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rtvp::sweep {

/// Most values of one list and most points of one sweep.
inline constexpr std::size_t kMaxPoints = 100'000;

/// Expands a list. Values are separated by commas (by semicolons if the text has one, so that
/// values may contain commas); each is taken as it stands but for
///   A..B, A..B:STEP   numbers from A to at most B
///   A,B,...,Z         continued by the factor that leads to Z exactly, or else by the difference
/// Throws InputError that begins with `origin`.
[[nodiscard]] std::vector<std::string> expandValues(std::string_view text,
                                                    const std::string& origin);

/// The shortest text that reads back as the same number; whole numbers without a point.
[[nodiscard]] std::string numberText(double value);

}  // namespace rtvp::sweep
