// See autopsy.hpp.
#include "platform/debug/autopsy.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <string_view>
#include <vector>

#include "models/common/core/file_io.hpp"

extern char** environ;

namespace rtvp::platform {
namespace {

/// The words of this process's command; empty where the system does not say.
std::vector<std::string> ownCommand() {
  const auto text = common::readFile("/proc/self/cmdline");
  std::vector<std::string> words;
  if (!text) return words;
  for (std::string_view left = *text; !left.empty();) {
    const std::size_t end = std::min(left.find('\0'), left.size());
    words.emplace_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return words;
}

/// A command whose runs are of another process, or of several.
bool runsItself(const std::vector<std::string>& command) {
  if (command.size() < 2) return false;
  for (const char* const other : {"sweep", "machines", "--worker"}) {
    if (command[1] == other) return false;
  }
  return true;
}

/// A child whose standard output is read; ended with this object.
class Child {
 public:
  explicit Child(const std::vector<std::string>& command) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
    out_ = ends[0];
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, ends[1], 1);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&pid_, "/proc/self/exe", &files, nullptr, words.data(), environ) != 0)
      pid_ = -1;
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
  }
  ~Child() {
    if (out_ >= 0) close(out_);
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// All that it says; false if it does not come to an end in time.
  bool read(std::string& text, std::chrono::milliseconds patience) const {
    if (pid_ <= 0) return false;
    const auto until = Clock::now() + kWaiting * patience;
    while (used() < patience && Clock::now() < until) {
      pollfd wanted{out_, POLLIN, 0};
      const int ready = poll(&wanted, 1, kLookMs);
      if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
      if (ready < 0) return false;
      std::array<char, 4096> piece{};
      const ssize_t n = ::read(out_, piece.data(), piece.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return n == 0;
      text.append(piece.data(), static_cast<std::size_t>(n));
    }
    return false;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kLookMs = 100;  ///< how often its processor time is looked at
  static constexpr int kWaiting =
      10;  ///< it may wait for a processor so much longer than it has one

  /// Its processor time. Snapshots are processes of their own; they run while it waits.
  [[nodiscard]] std::chrono::nanoseconds used() const {
    clockid_t clock{};
    timespec time{};
    if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &time) != 0) return {};
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }

  pid_t pid_ = -1;
  int out_ = -1;
};

}  // namespace

std::string autopsy(std::chrono::milliseconds patience) {
  std::vector<std::string> command = ownCommand();
  if (!runsItself(command)) return {};
  for (const char* const more : {"--debug", "-x", "run", "-x", "autopsy", "--no-progress"})
    command.emplace_back(more);
  // What the first run leaves stays its own.
  for (const char* const output : {"trace", "profile", "coverage", "instructions"})
    command.insert(command.end(), {"--set", std::string("output.") + output + "="});
  for (const char* const key : {"tigershark.result_log", "tigershark.sram_dump"})
    command.insert(command.end(), {"--set", std::string(key) + "="});
  std::string text;
  if (!Child(command).read(text, patience)) return {};
  // The first line says again what the report says, and so does the end of the way there.
  const std::size_t first = text.find('\n');
  if (first == std::string::npos) return {};
  return text.substr(first + 1, text.find("\nthe run has failed", first) - first);
}

}  // namespace rtvp::platform
