// SL programs as the debugger has them, and where their clocks went.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/debug/profile.hpp"
#include "models/debug/program.hpp"
#include "models/sl/program.hpp"

namespace rtvp::sl {

/// A program where it lies, with its source.
struct PlacedProgram {
  std::uint32_t start = 0;  ///< of its first instruction
  const Program* program = nullptr;
  std::string file;                  ///< its symbol is the file's name without folder and extension
  std::vector<std::uint32_t> lines;  ///< of each instruction; empty: not known (.slc)
};

/// Addresses are instructions.
[[nodiscard]] debug::Program debugProgram(std::span<const PlacedProgram> programs);

/// A profile of them without units: machine, causes, program, instructions.
[[nodiscard]] debug::Profile emptyProfile(std::string machine, std::vector<std::string> causes,
                                          std::span<const PlacedProgram> programs);

/// Why no source line can be said to be executed; empty: it can.
[[nodiscard]] std::string noCoverage(std::span<const PlacedProgram> programs);

}  // namespace rtvp::sl
