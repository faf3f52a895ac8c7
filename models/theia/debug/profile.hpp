// What cores' accounts say (Core::account()), with their program's symbols and lines.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/debug/profile.hpp"
#include "models/debug/program.hpp"
#include "models/theia/core.hpp"

namespace rtvp::theia {

/// Cores by name. What control can come to of their memories as they are now counts as code.
[[nodiscard]] debug::Profile profileOf(
    std::string machine, debug::Program program,
    const std::vector<std::pair<std::string, const Core*>>& cores);

}  // namespace rtvp::theia
