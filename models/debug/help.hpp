// Texts of `help`, and what a line may go on with; both from the table of commands.
#pragma once

#include <string>
#include <string_view>

#include "models/debug/dialogue.hpp"

namespace rtvp::debug {

/// All commands by section, a line each.
std::string helpOverview(const Dialogue& dialogue);
/// One command: operands, what it does, examples.
std::string helpOf(const Command& row);
/// "expressions", "stops", "places"; empty: no such topic.
std::string helpTopic(Dialogue& dialogue, std::string_view name);

}  // namespace rtvp::debug
