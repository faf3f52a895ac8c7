// What came out of a sweep as a table for people.
#pragma once

#include <cstddef>
#include <string>

#include "platform/sweep/sweep.hpp"

namespace rtvp::sweep {

/// Columns in line: what varies, figures with four digits and their units, what went wrong. At most
/// `rows` points, the first and the last ones; a line says how many are left out.
[[nodiscard]] std::string textTableOf(const SweepResult& sweep, std::size_t rows = 40);

/// "7/24 points (3 known), 1 failed, 12 s left: tigershark.dsps=64".
struct SweepState {
  std::size_t done = 0;    ///< known before or ended now
  std::size_t total = 0;   ///< points
  std::size_t known = 0;   ///< of the done ones, those that were not run now
  std::size_t failed = 0;  ///< of those that ended now
  std::size_t jobs = 1;    ///< that run at a time
  double seconds = 0;      ///< since the first began
  /// Wall time that the points that ended now took, each for itself.
  double spent = 0;
};
[[nodiscard]] std::string stateLine(const SweepState& state, const std::string& what);

}  // namespace rtvp::sweep
