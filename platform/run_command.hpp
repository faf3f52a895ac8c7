// `platform run`: from a scene file to image, hits, statistics and summary.
#pragma once

#include <string>

#include "platform/exit_status.hpp"
#include "platform/options/command_line.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::platform {

/// Throws what describe() knows; a simulation that fails ends the process with its status. Writes
/// no file unless the whole run succeeded.
ExitStatus runCommand(const CommandLine& command);

/// Reads a scene as the settings say (scene.*, render.size), warnings to standard error. Throws
/// InputError and scene errors.
[[nodiscard]] scene::Scene loadScene(const Settings& settings, const std::string& file);

/// `platform scene-info`.
ExitStatus sceneInfoCommand(const CommandLine& command);

/// `platform --stats-help`.
ExitStatus statsHelpCommand(const CommandLine& command);

/// Reports of the models: warnings to standard error, errors become exceptions.
void installReportHandler(bool verbose);

}  // namespace rtvp::platform
