// The commands of the `platform` program (design.md section 7), for the machines of a registry:
// those that ship, or with machines of one's own beside them (examples/machine).
#pragma once

#include <string>
#include <vector>

#include "platform/machines/machine.hpp"

namespace rtvp::platform {

/// Runs one command line (without the program's name). Results go to standard output, everything
/// else to standard error. Returns the exit status; throws nothing.
int runApplication(const std::vector<std::string>& arguments, const Registry& registry);

/// What the main() of a program with the machines of `registry` calls.
int main(int argc, char** argv, const Registry& registry);

}  // namespace rtvp::platform
