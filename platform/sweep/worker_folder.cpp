// See worker_folder.hpp.
#include "platform/sweep/worker_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <random>
#include <string>
#include <system_error>

#include "platform/exit_status.hpp"

namespace rtvp::sweep {
namespace {

void removeAll(const std::filesystem::path& folder) {
  std::error_code ec;
  std::filesystem::remove_all(folder, ec);
}

// Removes the folder when nobody has the pipe's other end any more.
[[noreturn]] void keep(int pipe, const std::filesystem::path& folder) {
  // What ends the worker's whole group is no reason to leave its files, and nobody should wait for
  // its streams to close because this process has them too.
  setsid();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
  dup2(pipe, STDIN_FILENO);
  close_range(STDOUT_FILENO, ~0U, 0);
  char byte = 0;
  ssize_t got = 0;
  do {
    got = read(STDIN_FILENO, &byte, 1);
  } while (got > 0 || (got < 0 && errno == EINTR));
  removeAll(folder);
  _exit(0);
}

}  // namespace

WorkerFolder::WorkerFolder() {
  // A name that nobody else has, known before the folder is there: then there is no moment in which
  // it is there and nobody waits to remove it.
  std::random_device random;
  path_ = std::filesystem::absolute(std::filesystem::temp_directory_path()) /
          ("rtvp-worker-" + std::to_string(getpid()) + "-" + std::to_string(random()) +
           std::to_string(random()));
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) == 0) {  // else the destructor alone does it
    keeper_ = fork();
    if (keeper_ == 0) keep(ends[0], path_);
    close(ends[0]);
    alive_ = ends[1];
  }
  if (mkdir(path_.c_str(), S_IRWXU) != 0) {
    const int error = errno;
    const std::string name = path_.string();
    release();
    throw platform::InputError(name +
                               ": cannot be made: " + std::generic_category().message(error));
  }
}

void WorkerFolder::release() {
  if (alive_ >= 0) close(alive_);
  if (keeper_ > 0) {
    while (waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

WorkerFolder::~WorkerFolder() {
  release();
  removeAll(path_);
}

}  // namespace rtvp::sweep
