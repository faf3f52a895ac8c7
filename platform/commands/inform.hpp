// Commands that tell without rendering.
#pragma once

#include "platform/exit_status.hpp"
#include "platform/machines/machine.hpp"
#include "platform/options/command_line.hpp"

namespace rtvp::platform {

/// `platform scene-info`: counts, bounds, and what the machine would need.
ExitStatus sceneInfoCommand(const CommandLine& command, const Registry& registry);

/// `platform --stats-help`: what every figure means.
ExitStatus statsHelpCommand(const CommandLine& command, const Registry& registry);

}  // namespace rtvp::platform
