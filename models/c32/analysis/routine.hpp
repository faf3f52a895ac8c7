// The control flow of one routine: from its begin along branches, delay slots and hardware repeats
// to its returns, with what is known of registers and stack at each instruction.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/c32/analysis/values.hpp"
#include "models/c32/isa.hpp"

namespace rtvp::c32::analysis {

/// An instruction in its context: the words behind a delayed branch are followed by its target, the
/// word behind RPTS by itself.
struct NodeKey {
  std::uint32_t address = 0;
  std::uint32_t owner = 0;  ///< address of the delayed branch or RPTS; 0 without
  std::uint8_t slot = 0;    ///< 1 to 3: delay slot; kRepeated: behind RPTS
  static constexpr std::uint8_t kRepeated = 4;
  // clang-tidy 14 takes the 0 of a rewritten comparison for a null pointer.
  friend auto operator<=>(const NodeKey&,
                          const NodeKey&) = default;  // NOLINT(modernize-use-nullptr)
};

struct Edge {
  int to = -1;
  int by = -1;  ///< the RPTB, RPTS or DBcond that counts how often it is taken; -1: none
  friend bool operator==(const Edge&, const Edge&) = default;
};

struct Node {
  NodeKey key;
  Instruction instruction;
  State in;
  std::vector<Edge> next;
  bool returns = false, stops = false;
  std::set<std::uint32_t> tails;        ///< other routines that go on from here
  std::optional<std::uint32_t> called;  ///< routine
};

/// What callers need to know of a routine.
struct Summary {
  std::uint32_t kept = 0;  ///< registers that hold at its end what they held at its begin
};

/// Why no number can be given, and where.
struct Problem {
  std::uint32_t address = 0;
  std::string text;
  // clang-tidy 14 takes the 0 of a rewritten comparison for a null pointer.
  friend auto operator<=>(const Problem&,
                          const Problem&) = default;  // NOLINT(modernize-use-nullptr)
};

struct Routine {
  std::uint32_t start = 0;
  std::string name;
  std::vector<Node> nodes;        ///< the first is the begin
  std::vector<Problem> problems;  ///< of its cycles
  std::vector<Problem> stackProblems;
  Summary summary;
  std::int32_t ownStack = 0;  ///< words above SP at its begin, calls not counted
  bool ownBase = false;       ///< loads SP: the words count from there
};

/// How routines are traced.
struct Tracer {
  /// A word of the program; empty where there is none.
  ReadWord word;
  /// The same for words that the program does not change.
  ReadWord constant;
  /// Address where another routine begins.
  std::function<bool(std::uint32_t address)> isStart;
  std::function<Summary(std::uint32_t start)> summaryOf;
};

/// Follows the code from `start`. Problems say what could not be followed.
Routine traceRoutine(std::uint32_t start, const Tracer& tracer);

}  // namespace rtvp::c32::analysis
