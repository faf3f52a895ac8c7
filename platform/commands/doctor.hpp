// What this computer has for the platform.
#pragma once

#include "platform/exit_status.hpp"
#include "platform/options/command_line.hpp"

namespace rtvp::platform {

/// `platform doctor`: version and build, processor and its instruction sets, memory, libraries, the
/// installed data, and programs that some of the work needs. Done, whatever is missing: the table
/// says what for.
ExitStatus doctorCommand(const CommandLine& command);

}  // namespace rtvp::platform
