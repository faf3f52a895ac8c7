// See process.hpp.
#include "models/common/core/process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <system_error>

namespace rtvp::common {

void prepareStreams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // The wrong way round: reading and writing remain the errors that they are on a closed stream.
    (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

std::optional<std::string> flushStandardOutput() {
  errno = 0;
  const bool streamed = static_cast<bool>(std::cout.flush());
  const bool printed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (streamed && printed) return std::nullopt;
  const int error = errno;
  return "standard output cannot be written" +
         (error != 0 ? ": " + std::generic_category().message(error) : std::string());
}

void dieWithParent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It may have died before that.
  if (::getppid() != parent) (void)std::raise(SIGKILL);
}

std::string signalName(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  const char* const text = ::sigdescr_np(signal);
  if (name == nullptr || text == nullptr) return "signal " + std::to_string(signal);
  return std::string("SIG") + name + " (" + text + ")";
}

}  // namespace rtvp::common
