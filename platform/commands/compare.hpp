// `platform compare`: how far apart two pictures, or two hit dumps of one scene, are.
#pragma once

#include "platform/exit_status.hpp"
#include "platform/machines/machine.hpp"
#include "platform/options/command_line.hpp"

namespace rtvp::platform {

/// Prints one line of counts. Different beyond the bound (pictures: --max-diff, --min-psnr, or
/// equality; hit dumps: the rule of platform/reference/compare_hits.hpp). Throws InputError and the
/// readers' errors.
[[nodiscard]] ExitStatus compareCommand(const CommandLine& command, const Registry& registry);

}  // namespace rtvp::platform
