// See snapshots.hpp. The processes: one that waits for the end (the guard), the one that runs, and
// the snapshots, which wait for a message. A snapshot that is woken stays and forks the one that
// goes on, by way of a process in between, so that it becomes a child of the guard.
#include "models/debug/snapshots.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <new>
#include <system_error>

namespace rtvp::debug {
namespace {

bool silent = false;  // this process's standard streams

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void flushAll() {
  std::cout << std::flush;
  std::cerr << std::flush;
  std::fflush(nullptr);
}

/// A file that this process has open, as it was.
struct OpenFile {
  int descriptor;
  off_t at, size;
  bool written;
};

/// Regular files but the standard streams.
std::vector<OpenFile> openFiles() {
  std::vector<OpenFile> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", none)) {
    const int descriptor = std::atoi(entry.path().filename().c_str());
    struct stat status = {};
    if (descriptor <= STDERR_FILENO || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
      continue;
    const int mode = fcntl(descriptor, F_GETFL);
    files.push_back({descriptor, lseek(descriptor, 0, SEEK_CUR), status.st_size,
                     mode >= 0 && (mode & O_ACCMODE) != O_RDONLY});
  }
  return files;
}

void rewind(const std::vector<OpenFile>& files) {
  for (const OpenFile& f : files) {
    if (f.at >= 0) lseek(f.descriptor, f.at, SEEK_SET);
    if (f.written && ftruncate(f.descriptor, f.size) != 0) continue;  // a device: as it is
  }
}

void writeAll(int descriptor, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(descriptor, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) fail("cannot wake an earlier state");
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

/// `size` bytes, or fewer at the end.
std::string readAll(int descriptor, std::size_t size) {
  std::string text(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = read(descriptor, text.data() + done, size - done);
    if (n == 0 || (n < 0 && errno != EINTR)) break;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  text.resize(done);
  return text;
}

/// Until there is something to read. False: the guard is gone, nobody will ever write.
bool waitFor(int descriptor, pid_t guard) {
  constexpr int kLookMs = 1000;
  for (;;) {
    pollfd look = {descriptor, POLLIN, 0};
    if (poll(&look, 1, kLookMs) > 0) return true;
    if (kill(guard, 0) != 0 && errno == ESRCH) return false;
  }
}

pid_t forked() {
  const pid_t process = fork();
  if (process < 0) fail("cannot keep a state of the program");
  return process;
}

}  // namespace

/// What all of the processes see.
struct Snapshots::Shared {
  volatile pid_t running = 0;
  static constexpr std::size_t kPlaces = 64;
  volatile pid_t kept[kPlaces] = {};  ///< 0: a free place
};

/// The guard's life: ends as the process that runs does.
Snapshots::Snapshots(std::size_t most) : most_(std::clamp<std::size_t>(most, 2, Shared::kPlaces)) {
  void* const room =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) fail("cannot keep states of the program");
  shared_ = new (room) Shared;
  guard_ = getpid();
  flushAll();
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) fail("cannot keep states of the program");
  const pid_t first = forked();
  if (first == 0) {
    shared_->running = getpid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != guard_) _exit(EXIT_FAILURE);
    return;
  }
  std::signal(SIGINT, SIG_IGN);
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended < 0 && errno == EINTR) continue;
    if (ended >= 0 && ended != shared_->running) continue;
    for (const volatile pid_t& process : shared_->kept) {
      if (process != 0) kill(process, SIGKILL);
    }
    if (ended < 0) _exit(EXIT_FAILURE);
    if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
    std::signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    _exit(EXIT_FAILURE);
  }
}

Snapshots::~Snapshots() {
  while (!kept_.empty()) forget(kept_.size() - 1);
}

std::vector<std::uint64_t> Snapshots::positions() const {
  std::vector<std::uint64_t> all;
  for (const Kept& k : kept_) all.push_back(k.position);
  return all;
}

std::optional<std::uint64_t> Snapshots::before(std::uint64_t position) const {
  std::optional<std::uint64_t> found;
  for (const Kept& k : kept_) {
    if (k.position <= position) found = k.position;
  }
  return found;
}

/// For the guard, which ends all that are there.
void Snapshots::note(const Kept& kept, bool there) {
  for (volatile pid_t& place : shared_->kept) {
    if (place != (there ? 0 : kept.process)) continue;
    place = there ? kept.process : 0;
    return;
  }
}

void Snapshots::forget(std::size_t index) {
  const Kept gone = kept_.at(index);
  kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(index));
  note(gone, false);
  kill(gone.process, SIGKILL);
  close(gone.wake);
  while (waitpid(gone.process, nullptr, 0) < 0 && errno == EINTR) continue;
}

/// Whoever ran on while this state slept may have made room for others.
void Snapshots::dropForgotten() {
  std::erase_if(kept_, [this](const Kept& kept) {
    for (const volatile pid_t& process : shared_->kept) {
      if (process == kept.process) return false;
    }
    close(kept.wake);
    return true;
  });
}

/// The one that is missed least: its neighbours are close, for its age. Never the first, as long as
/// what lies behind it can be told from it.
void Snapshots::makeRoom(std::uint64_t position) {
  if (kept_.size() < most_) return;
  std::size_t least = 0;
  double cost = 0;
  for (std::size_t n = 1; n < kept_.size(); ++n) {
    if (kept_[n].pinned) continue;
    const std::uint64_t behind = n + 1 < kept_.size() ? kept_[n + 1].position : position;
    const double gap = static_cast<double>(behind - kept_[n - 1].position) /
                       (static_cast<double>(position - kept_[n].position) + 1);
    if (least == 0 || gap < cost) {
      cost = gap;
      least = n;
    }
  }
  forget(least);
}

std::optional<std::string> Snapshots::take(std::uint64_t position, bool pinned) {
  if (!kept_.empty() && kept_.back().position == position) forget(kept_.size() - 1);
  makeRoom(position);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("cannot keep a state of the program");
  flushAll();
  // Now: whoever goes on may write before the other process looks.
  const std::vector<OpenFile> files = openFiles();
  const pid_t process = forked();
  if (process != 0) {
    close(ends[0]);
    kept_.push_back({position, process, ends[1], pinned});
    note(kept_.back(), true);
    return std::nullopt;
  }
  std::optional<std::string> message = sleep(ends[0]);
  rewind(files);
  dropForgotten();
  // The one that goes on may come here again.
  kept_.push_back({position, snapshot_, ends[1], pinned});
  return message;
}

/// Returns in a new process each time the snapshot is woken.
std::optional<std::string> Snapshots::sleep(int wake) {
  struct sigaction ignored = {}, before = {};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignored, &before);
  const pid_t self = getpid();
  for (;;) {
    if (!waitFor(wake, guard_)) _exit(EXIT_SUCCESS);
    const std::string head = readAll(wake, sizeof(std::size_t));
    std::size_t size = 0;
    if (head.size() != sizeof size) _exit(EXIT_FAILURE);
    std::copy(head.begin(), head.end(), reinterpret_cast<char*>(&size));
    const std::string message = readAll(wake, size);
    const pid_t between = fork();
    if (between < 0) _exit(EXIT_FAILURE);
    if (between > 0) {
      while (waitpid(between, nullptr, 0) < 0 && errno == EINTR) continue;
      continue;
    }
    const pid_t heir = fork();
    if (heir != 0) _exit(heir < 0 ? EXIT_FAILURE : EXIT_SUCCESS);
    while (getppid() != guard_) usleep(100);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    shared_->running = getpid();
    close(wake);
    sigaction(SIGINT, &before, nullptr);
    snapshot_ = self;
    return message;
  }
}

void Snapshots::goBack(std::uint64_t position, const std::string& message) {
  while (!kept_.empty() && kept_.back().position > position) forget(kept_.size() - 1);
  const std::size_t size = message.size();
  std::string text(sizeof size, '\0');
  std::copy_n(reinterpret_cast<const char*>(&size), sizeof size, text.begin());
  flushAll();
  shared_->running = 0;
  writeAll(kept_.back().wake, text + message);
  _exit(EXIT_SUCCESS);
}

bool Silence::active() {
  return silent;
}

Silence::Silence() : out_(dup(STDOUT_FILENO)), err_(dup(STDERR_FILENO)) {
  flushAll();
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  close(nowhere);
  silent = true;
}

Silence::~Silence() {
  silent = false;
  flushAll();
  if (out_ >= 0) dup2(out_, STDOUT_FILENO), close(out_);
  if (err_ >= 0) dup2(err_, STDERR_FILENO), close(err_);
}

}  // namespace rtvp::debug
