// Loops that a compare bounds: `ADDI 1,R4 ; CMPI 10,R4 ; BLT loop`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/c32/analysis/routine.hpp"

namespace rtvp::c32::analysis {

struct LoopShape {
  const Routine& routine;
  const std::vector<int>& part;                 ///< the loop's nodes
  const std::vector<std::vector<int>>& before;  ///< predecessors of every node
  int head = 0;
  int last = 0;  ///< the only node from which a way leads back
  /// Registers that a called routine may change.
  const std::function<std::uint32_t(std::uint32_t start)>& changedBy;
  /// What is known of a register where the loop is entered.
  std::function<AbstractValue(unsigned number)> entered;
};

/// How often the loop runs; empty if its shape is another one. The shape: the way back is taken by
/// a conditional branch; on the straight way to it a register is compared with a constant, or
/// counted in a register whose result decides; that register is changed there by a constant,
/// nowhere else in the loop, and holds a constant where the loop is entered.
std::optional<std::uint64_t> comparedRuns(const LoopShape& shape);

}  // namespace rtvp::c32::analysis
