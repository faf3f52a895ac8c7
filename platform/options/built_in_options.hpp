// The options of the platform and of the machines that come with it.
#pragma once

#include "platform/options/option_table.hpp"

namespace rtvp::platform {

/// A new table of them. A machine of one's own adds its group, and its name to the choices of
/// `engine`, before there are Settings.
[[nodiscard]] OptionTable builtInOptions();

}  // namespace rtvp::platform
