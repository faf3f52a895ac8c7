// The longest way through a routine whose loops are bounded.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/c32/analysis/routine.hpp"

namespace rtvp::c32::analysis {

using Cycles = std::uint64_t;

struct WorstPath {
  std::optional<Cycles> cycles;   ///< from the begin to the end of the last instruction
  std::vector<Problem> problems;  ///< why there are none
};

struct PathCosts {
  /// Of a routine that a node calls or goes on to; empty: not known (that is the caller's problem).
  std::function<std::optional<Cycles>(std::uint32_t start)> routine;
  /// How often the loop whose first instruction (or RPTB, RPTS) lies there runs, by the user.
  std::function<std::optional<std::uint64_t>(std::uint32_t address)> bound;
  /// Registers that a called routine may change.
  std::function<std::uint32_t(std::uint32_t start)> changedBy;
  ReadWord constant;  ///< words that the program does not change
};

WorstPath worstPath(const Routine& routine, const PathCosts& costs);

}  // namespace rtvp::c32::analysis
