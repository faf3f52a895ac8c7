// Who calls whom in a program, with the words of stack and the cycles that each routine takes at
// most: from the machine code alone, for every way through it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/c32/analysis/routine.hpp"
#include "models/c32/analysis/worst_path.hpp"
#include "models/c32/asm/image.hpp"

namespace rtvp::c32::analysis {

struct RoutineReport {
  std::uint32_t start = 0;
  std::string name;
  std::uint32_t words = 0;                                    ///< of its instructions
  std::map<std::uint32_t, std::vector<std::uint32_t>> calls;  ///< routine -> where it is called
  std::map<std::uint32_t, std::vector<std::uint32_t>>
      jumps;  ///< routine -> where this goes on there
  /// Words above SP at its begin, with everything it calls; empty: not bounded.
  std::optional<std::uint32_t> stack;
  bool ownStack = false;  ///< it loads SP: the words count from there
  std::optional<Cycles> cycles;
  std::vector<Problem> problems;       ///< why there are no cycles
  std::vector<Problem> stackProblems;  ///< why there is no stack depth
  std::string circle;                  ///< `a -> b -> a` if it can come to itself again
};

struct CallGraph {
  std::vector<RoutineReport> routines;  ///< by address
  std::map<std::uint32_t, std::string> names;
};

struct CallGraphOptions {
  /// How often loops run, by the address of their first instruction, or of their RPTB or RPTS.
  std::map<std::uint32_t, std::uint64_t> bounds;
};

/// Routines are the entry, what is called, external symbols of code, and functions of debug
/// entries. Cycles are the fixed costs of c32.md 7.2 with every conditional branch at its dearest
/// and the waits of 7.4: no wait states, no conflicts of memory accesses, no interrupts.
CallGraph makeCallGraph(const Image& image, const CallGraphOptions& options);

std::string callGraphText(const CallGraph& graph, const Image& image);
/// For Graphviz.
std::string callGraphDot(const CallGraph& graph);

}  // namespace rtvp::c32::analysis
