// `platform sweep`: its command line.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "platform/exit_status.hpp"
#include "platform/sweep/spec.hpp"

namespace rtvp::sweep {

/// `arguments` are those behind the word `sweep`. The status is that of the first failed point, if
/// one failed. `run` is RunnerOptions::inside. Throws InputError.
[[nodiscard]] platform::ExitStatus sweepCommand(
    const std::vector<std::string>& arguments, const Subject& subject,
    const std::function<int(const std::vector<std::string>&)>& run);

}  // namespace rtvp::sweep
