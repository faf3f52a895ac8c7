// A program among others: what it may find at its ends, and the processes that it starts.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace rtvp::common {

/// For the beginning of main(). A closed pipe and a limit on the size of files are then errors of
/// whoever writes, not signals that end the process; a standard stream that the parent closed is
/// taken, so that no file of ours gets its number.
void prepareStreams();

/// For the end of main(): nothing if all that went to standard output arrived, else why not.
[[nodiscard]] std::optional<std::string> flushStandardOutput();

/// In a new process, `parent` being the one that forked it: it dies when the parent does, however
/// that happens.
void dieWithParent(pid_t parent);

/// "SIGKILL (Killed)".
[[nodiscard]] std::string signalName(int signal);

}  // namespace rtvp::common
