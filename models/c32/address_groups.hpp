// Which instructions wait for address registers (c32.md 7.4): what the assembler's listing and the
// static cycle counts know of the pipeline.
#pragma once

#include <cstdint>

#include "models/c32/isa.hpp"

namespace rtvp::c32 {

/// Groups as bits: 1 = AR, IR, BK; 2 = DP; 4 = SP.
struct GroupUse {
  unsigned addresses = 0;  ///< needed in the decode stage
  unsigned reads = 0;      ///< read as data in the execute stage
  unsigned writes = 0;     ///< written in the execute stage
};

/// An address register is ready for address generation so many cycles after the start of the
/// instruction that writes it, or reads it as data, in its E stage.
inline constexpr unsigned kWriteLatency = 3, kReadLatency = 2;

GroupUse groupsOf(const Instruction& instruction, const OpInfo& row);

}  // namespace rtvp::c32
