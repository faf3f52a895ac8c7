// What an interval run may decide (sdf.md 6.1): the input that an instruction passes on unchanged
// all over a box.
#pragma once

#include <array>

#include "models/implicit/interval.hpp"
#include "models/implicit/opcode.hpp"

namespace rtvp::implicit {

struct PruneOptions {
  bool smooth = true;  ///< off: smooth selections stay, as in the report (6.1)
};

/// Whether the opcode may ever be decided.
bool selects(const OpcodeInfo& op);

/// The input that wins a selection (SEL, SMO, CLP) all over the box; -1 if undecided. Only strict
/// separation of operands that are defined all over the box decides.
int winnerOf(const OpcodeInfo& op, const std::array<const Interval*, 4>& in,
             const PruneOptions& options = {});

}  // namespace rtvp::implicit
