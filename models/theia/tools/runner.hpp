// The parts of theia-run: batch mode and frame replay.
#pragma once

#include <iosfwd>
#include <string>

#include "models/theia/gpu.hpp"
#include "models/theia/tools/debugged_run.hpp"
#include "models/theia/tools/seeing.hpp"

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
  rtvp::debug::ToolWishes debug = {};
  SeeingWishes seeing = {};
  bool fixedBilinear = false;  ///< as the ROM was made
  std::string source;          ///< the program that the frame's instructions were assembled from
};

struct ProgramOptions {
  std::string file;
  std::string entry;  ///< label or entry point; empty: MAIN, or the first row
  CoreConfig core;
  rtvp::debug::ToolWishes debug = {};
  SeeingWishes seeing = {};
  bool fixedBilinear = false;  ///< as the ROM was made
};

/// Runs a routine of a source on one core and prints what it left. Returns the exit status: 0, 3
/// for a fault. Throws tool::Failure.
int runProgram(const ProgramOptions& options, const Rom& rom);

/// Replays a frame through the SystemC unit. Returns the exit status: 0, 2 for bad input, 3 for a
/// fault.
int replayFrame(const ReplayOptions& options, const Rom& rom);

}  // namespace rtvp::theia
