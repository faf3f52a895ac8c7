// The commands of the `platform` program (design.md section 7).
#pragma once

#include <string>
#include <vector>

namespace rtvp::platform {

/// Runs one command line (without the program's name). Results go to standard output, everything
/// else to standard error. Returns the exit status; throws nothing.
int runApplication(const std::vector<std::string>& arguments);

}  // namespace rtvp::platform
