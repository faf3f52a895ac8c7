// What the pipeline and the repeat hardware forbid, seen at one instruction and what stands near
// it. Conflicts that the processor resolves by waiting (c32.md 7.4, 7.5) are none: they cost cycles
// and change no result.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/c32/isa.hpp"

namespace rtvp::c32::analysis {

struct Hazard {
  std::uint32_t address = 0;  ///< of the instruction that must not stand there
  std::string text;
};

/// The instruction at an address; empty where there is none.
using ReadInstruction = std::function<std::optional<Instruction>(std::uint32_t address)>;
/// An address as a report has it.
using PlaceText = std::function<std::string(std::uint32_t address)>;

/// Of `i` at `pc`, which is executed: blocks that it repeats (c32.md 4.6), parallel loads (4.5),
/// interlocked stores (9.2).
[[nodiscard]] std::vector<Hazard> hazardsAt(std::uint32_t pc, const Instruction& i,
                                            const ReadInstruction& at, const PlaceText& place);

}  // namespace rtvp::c32::analysis
