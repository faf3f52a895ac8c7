// What the program tells about its own command line: help, parameters, and the form that manual
// page and completion are made of.
#pragma once

#include <iosfwd>

#include "models/common/core/command_form.hpp"
#include "platform/options/option_table.hpp"

namespace rtvp::platform {

void printHelp(std::ostream& out, const OptionTable& table);
/// Every option: key, type, unit, default, accepted values, help.
void printParams(std::ostream& out, bool json, const OptionTable& table);
/// All words, options and parameters.
[[nodiscard]] common::CommandForm commandForm(const OptionTable& table);

}  // namespace rtvp::platform
