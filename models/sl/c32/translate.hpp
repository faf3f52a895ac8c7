// From SL to TMS320C32 assembly: one program for all nodes of a lockstep array (board.md 2),
// without texture and trace. Nodes never branch apart: each keeps the number of the SL instruction
// it waits for, blocks change only the registers of nodes that are at them, and a jump back is
// taken while any node votes for it. The result is text for the shading firmware
// (firmware/tigershark/shading), whose routines and labels it uses.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/sl/program.hpp"

namespace rtvp::sl::c32 {

/// The program is outside the subset; what() names instruction and reason.
class Untranslatable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A word that a shading point brings.
struct Input {
  std::uint8_t id = 0;    ///< register; kRandomState: the state of rnd, an integer
  std::uint8_t lane = 0;  ///< of a vector
};
inline constexpr std::uint8_t kRandomState = 63;

struct Translation {
  std::vector<Input> inputs;  ///< in the order of a point's words, behind the message header
  /// Files that the firmware includes, by name.
  std::map<std::string, std::string> files;
};

/// Instructions a program may have: their numbers must fit an immediate operand.
inline constexpr std::uint32_t kMostInstructions = 32'000;

/// Throws Untranslatable on trace, lookup, a read of t0..t7, or too many instructions.
Translation translate(const Program& program);

}  // namespace rtvp::sl::c32
