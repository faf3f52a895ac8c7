// `platform run`: from a scene file to image, hits, statistics and summary.
#pragma once

#include "platform/exit_status.hpp"
#include "platform/machines/machine.hpp"
#include "platform/options/command_line.hpp"

namespace rtvp::platform {

/// Throws what describe() knows; a simulation that fails ends the process with its status. Writes
/// no file unless the whole run succeeded.
ExitStatus runCommand(const CommandLine& command, const Registry& registry);

}  // namespace rtvp::platform
