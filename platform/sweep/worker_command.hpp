// `platform --worker`: points in, results out, a line of JSON each.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "platform/exit_status.hpp"
#include "platform/sweep/spec.hpp"

namespace rtvp::sweep {

/// Answers the lines of standard input until it ends; a bad line with {"error": ...}. `arguments`
/// are those behind --worker. `run` is the program itself: arguments in, exit status out; it is
/// called in a fork of this process for each point. Throws InputError for wrong arguments.
[[nodiscard]] platform::ExitStatus workerCommand(
    const std::vector<std::string>& arguments, const Subject& subject,
    const std::function<int(const std::vector<std::string>&)>& run);

}  // namespace rtvp::sweep
