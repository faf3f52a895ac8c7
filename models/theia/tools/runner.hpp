// The parts of theia-run: batch mode and frame replay.
#pragma once

#include <iosfwd>
#include <string>

#include "models/theia/gpu.hpp"

namespace rtvp::theia {

/// Answers one JSON object a line until the end of input; never stops at a bad line.
void runBatch(std::istream& in, std::ostream& out, const CoreConfig& config, const Rom& rom);

struct ReplayOptions {
  std::string folder;   ///< config.tsv, triangles.tsv, texture.tsv, instructions.tsv
  std::string output;   ///< file for the output words, empty: none
  std::string stats;    ///< file for the statistics as JSON, empty: none
  bool cycles = false;  ///< the last line of stdout is the number of clocks
  bool trace = false;   ///< every instruction on stderr
  GpuConfig gpu;        ///< cores come from the frame
};

/// Replays a frame through the SystemC unit. Returns the exit status: 0, 2 for bad input, 3 for a
/// fault.
int replayFrame(const ReplayOptions& options, const Rom& rom);

/// One line of a trace: clock, core, code address, instruction and what it left in its destination.
std::string traceLine(const Core& core, std::uint16_t pc, Clock clock);

}  // namespace rtvp::theia
