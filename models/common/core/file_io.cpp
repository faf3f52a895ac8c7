// File replacement over POSIX calls: the standard streams can neither flush to disk nor create
// exclusively.
#include "models/common/core/file_io.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

namespace rtvp::common {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, int error, const char* what) {
  throw std::system_error(error, std::generic_category(), file.string() + ": " + what);
}

void writeAll(int descriptor, std::span<const std::uint8_t> bytes,
              const std::filesystem::path& file) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(file, errno, "cannot write");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

/// Calls `make` with names of our own beside `target` until one is not taken; the process number
/// keeps two writers apart, the counter steps over leftovers. `make` returns -1 and sets errno.
template <class Make>
std::pair<int, std::filesystem::path> makeBeside(const std::filesystem::path& target,
                                                 const char* suffix, const Make& make) {
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::filesystem::path name = target;
    name += "." + std::to_string(::getpid()) + "-" + std::to_string(attempt) + suffix;
    const int made = make(name);
    if (made >= 0) return {made, name};
    if (errno != EEXIST) return {-1, {}};
  }
  return {-1, {}};
}

/// A file without a name in the folder of `target`, or one with a name if the file system knows no
/// others or could not give it a name later.
std::pair<int, std::filesystem::path> openBeside(const std::filesystem::path& target) {
  const std::filesystem::path folder = target.parent_path();
  if (::access("/proc/self/fd", X_OK) == 0) {
    const int descriptor =
        ::open(folder.empty() ? "." : folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (descriptor >= 0) return {descriptor, {}};
  }
  auto made = makeBeside(target, ".part", [](const std::filesystem::path& name) {
    return ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  });
  if (made.first < 0) fail(target, errno, "cannot create a file beside it");
  return made;
}

/// The file that a name stands for: behind symbolic links, also one that points nowhere yet. A
/// name that no path can be found for (/dev/stdout as a pipe) stands for itself.
std::filesystem::path behindLinks(std::filesystem::path file) {
  std::error_code error;
  std::filesystem::path found = std::filesystem::canonical(file, error);
  if (!error) return found;
  if (std::filesystem::exists(file, error)) return file;
  constexpr int kMostLinks = 40;  // as the kernel's
  for (int i = 0; i < kMostLinks; ++i) {
    const std::filesystem::path link = std::filesystem::read_symlink(file, error);
    if (error) break;
    file = file.parent_path() / link;
  }
  const std::filesystem::path folder =
      std::filesystem::canonical(file.has_parent_path() ? file.parent_path() : ".", error);
  return error ? file : folder / file.filename();
}

}  // namespace

FileReplacement::FileReplacement(const std::filesystem::path& file)
    : file_(file), target_(behindLinks(file)) {
  if (file == "-") {
    inPlace_ = true;
    descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) fail("standard output", errno, "cannot open for writing");
    return;
  }
  struct stat status {};
  exists_ = ::stat(target_.c_str(), &status) == 0;
  mode_ = status.st_mode & 07777;
  if (exists_ && S_ISDIR(status.st_mode)) fail(file, EISDIR, "cannot open for writing");
  if (exists_ && !S_ISREG(status.st_mode)) {
    inPlace_ = true;
    // A pipe with a name makes its writer wait for a reader, who may read another one first.
    if (!S_ISFIFO(status.st_mode)) openInPlace();
    return;
  }
  std::tie(descriptor_, part_) = openBeside(target_);
}

FileReplacement::~FileReplacement() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!part_.empty()) ::unlink(part_.c_str());
  if (!old_.empty()) ::unlink(old_.c_str());
}

void FileReplacement::openInPlace() {
  descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail(file_, errno, "cannot open for writing");
}

void FileReplacement::write(std::span<const std::uint8_t> bytes) {
  if (descriptor_ < 0) openInPlace();
  writeAll(descriptor_, bytes, file_);
}

void FileReplacement::write(std::string_view text) {
  write(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

bool FileReplacement::restart() {
  if (inPlace_) return false;
  if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) {
    fail(file_, errno, "cannot write");
  }
  return true;
}

void FileReplacement::prepare() {
  if (inPlace_ && descriptor_ < 0) openInPlace();
  if (!inPlace_) {
    if (exists_ && ::fchmod(descriptor_, mode_) != 0) {
      fail(file_, errno, "cannot keep its permissions");
    }
    if (::fsync(descriptor_) != 0) fail(file_, errno, "cannot write");
    if (part_.empty()) {
      const std::string from = "/proc/self/fd/" + std::to_string(descriptor_);
      auto [made, name] = makeBeside(target_, ".part", [&from](const std::filesystem::path& named) {
        return ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, named.c_str(), AT_SYMLINK_FOLLOW);
      });
      if (made < 0) fail(file_, errno, "cannot create a file beside it");
      part_ = std::move(name);
    }
  }
}

void FileReplacement::replace() {
  if (inPlace_) {
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(file_, errno, "cannot write");
    return;
  }
  if (::rename(part_.c_str(), target_.c_str()) != 0) fail(file_, errno, "cannot replace");
  part_.clear();
  replaced_ = true;
}

void FileReplacement::keepOld() {
  if (inPlace_) return;
  old_ = makeBeside(target_, ".old", [this](const std::filesystem::path& name) {
           return ::link(target_.c_str(), name.c_str());
         }).second;
}

bool FileReplacement::takeBack() {
  if (!replaced_) return true;
  const bool done = old_.empty() ? !exists_ && ::unlink(target_.c_str()) == 0
                                 : ::rename(old_.c_str(), target_.c_str()) == 0;
  old_.clear();  // what could not be brought back is not thrown away
  return done;
}

void FileReplacement::commit() {
  prepare();
  replace();
}

void replaceFile(const std::filesystem::path& file, std::span<const std::uint8_t> bytes) {
  FileReplacement replacement(file);
  replacement.write(bytes);
  replacement.commit();
}

void replaceFile(const std::filesystem::path& file, std::string_view text) {
  replaceFile(file, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

bool sameFile(const std::filesystem::path& a, const std::filesystem::path& b) {
  struct stat first {
  }, second{};
  const bool hasFirst = ::stat(a.c_str(), &first) == 0;
  const bool hasSecond = ::stat(b.c_str(), &second) == 0;
  if (hasFirst && hasSecond) {
    return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
  }
  return !hasFirst && !hasSecond && behindLinks(a) == behindLinks(b);
}

namespace {

/// -1 and errno if that folder takes no file.
int openIn(const std::filesystem::path& folder) {
  std::string name = (folder / ".rtvp-XXXXXX").string();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor >= 0) ::unlink(name.c_str());
  return descriptor;
}

}  // namespace

int openNameless(const std::filesystem::path& target) {
  std::error_code ignored;
  const int beside = openIn(std::filesystem::absolute(target, ignored).parent_path());
  return beside >= 0 ? beside : openTemporary();
}

int openTemporary() {
  const char* const named = std::getenv("TMPDIR");
  const std::filesystem::path folder = named != nullptr && *named != '\0' ? named : "/tmp";
  const int descriptor = openIn(folder);
  if (descriptor < 0) fail(folder, errno, "cannot create a temporary file there");
  return descriptor;
}

std::vector<std::uint8_t> readBytes(const std::filesystem::path& file, std::uint64_t limit) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) fail(file, EISDIR, "cannot read");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(file, errno, "cannot open");
  std::vector<std::uint8_t> bytes;
  const std::uintmax_t size = std::filesystem::file_size(file, ignored);
  constexpr std::uintmax_t kMostReserved = std::uintmax_t{1}
                                           << 26U;  // files may say what they like
  if (!ignored) bytes.reserve(static_cast<std::size_t>(std::min({size, limit, kMostReserved})));
  std::array<char, 65536> block{};
  while (in.read(block.data(), block.size()) || in.gcount() > 0) {
    const auto count = static_cast<std::size_t>(in.gcount());
    if (count > limit - bytes.size()) fail(file, EFBIG, "cannot read");
    const auto* const read = reinterpret_cast<const std::uint8_t*>(block.data());
    bytes.insert(bytes.end(), read, read + count);
  }
  if (in.bad()) fail(file, EIO, "cannot read");
  return bytes;
}

std::optional<std::string> readFile(const std::filesystem::path& file) {
  try {
    const std::vector<std::uint8_t> bytes = readBytes(file, std::uint64_t{1} << 30U);
    return std::string(bytes.begin(), bytes.end());
  } catch (const std::system_error&) {
    return std::nullopt;
  }
}

}  // namespace rtvp::common
