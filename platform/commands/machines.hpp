// `platform machines SCENE`: every machine on one scene, side by side.
#pragma once

#include <string>
#include <vector>

#include "platform/exit_status.hpp"
#include "platform/machines/machine.hpp"
#include "platform/options/option_table.hpp"

namespace rtvp::platform {

/// `arguments`: those after `machines`. Throws InputError.
[[nodiscard]] ExitStatus machinesCommand(const std::vector<std::string>& arguments,
                                         const OptionTable& table, const Registry& registry);

}  // namespace rtvp::platform
