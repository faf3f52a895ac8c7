// `platform registers`: the register blocks of the machines, from the tables that they are made of
// (models/common/register_table.hpp), as text, SystemRDL, CMSIS-SVD or JSON.
#pragma once

#include <string>
#include <vector>

#include "platform/exit_status.hpp"
#include "platform/machines/machine.hpp"
#include "platform/options/option_table.hpp"

namespace rtvp::platform {

/// `arguments`: behind the word "registers". Throws InputError.
[[nodiscard]] ExitStatus registersCommand(const std::vector<std::string>& arguments,
                                          const OptionTable& table, const Registry& registry);

}  // namespace rtvp::platform
