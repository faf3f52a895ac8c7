// `platform run`: from a scene file to image, hits, statistics and summary.
#pragma once

#include "platform/exit_status.hpp"
#include "platform/options/command_line.hpp"

namespace rtvp::platform {

/// Throws what describe() knows; a simulation that fails ends the process with its status. Writes
/// no file unless the whole run succeeded.
ExitStatus runCommand(const CommandLine& command);

/// `platform scene-info`.
ExitStatus sceneInfoCommand(const CommandLine& command);

/// `platform --stats-help`.
ExitStatus statsHelpCommand(const CommandLine& command);

/// Reports of the models: warnings to standard error, errors become exceptions.
void installReportHandler(bool verbose);

}  // namespace rtvp::platform
