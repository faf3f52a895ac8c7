// After a run that failed on DSPs: the same run once more, under the debugger, which then says of
// the processors that the report names what the report cannot: registers, the last instructions,
// who wrote a word that is no instruction.
#pragma once

#include <chrono>
#include <string>

namespace rtvp::platform {

/// What the debugger says, in lines; empty: this process was not started by a command that can be
/// given again, or it took more processor time than `patience`, which a loaded computer does not
/// use up, or ten times that on the clock. The command is this process's own.
[[nodiscard]] std::string autopsy(std::chrono::milliseconds patience);

}  // namespace rtvp::platform
