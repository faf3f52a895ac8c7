// What can be said of a board's firmware before it runs: where a node could leave the lockstep of
// the shared memory (board.md 2.1), and what the hardware forbids (hazards.hpp). From the machine
// code, for all ways through it; loops and calls are followed, interrupt routines are not.
//
// Taken for granted: XF1 low is the arrival at the barrier, words of text sections do not change,
// words read from the shared memory and the level of the vote line are the same for all nodes, all
// that comes from a node's own memory and peripherals may differ.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "models/c32/asm/image.hpp"

namespace rtvp::c32::analysis {

struct LintFinding {
  std::uint32_t address = 0;
  std::string text;
  // clang-tidy 14 takes the 0 of a rewritten comparison for a null pointer.
  friend auto operator<=>(const LintFinding&,
                          const LintFinding&) = default;  // NOLINT(modernize-use-nullptr)
};

struct LintOptions {
  /// H1 cycles between the end of an arrival and the access that the barrier holds: HOLD acts no
  /// sooner, and the release must find the access pending.
  unsigned heldAfter = 3;
};

/// Findings by address. One with the address of the entry says that the program is too large to be
/// followed.
[[nodiscard]] std::vector<LintFinding> lint(const Image& image, const LintOptions& options = {});

}  // namespace rtvp::c32::analysis
