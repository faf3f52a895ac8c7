// File replacement over POSIX calls: the standard streams can neither flush to disk nor create
// exclusively.
#include "platform/report/file_io.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

namespace rtvp::report {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, int error, const char* what) {
  throw std::system_error(error, std::generic_category(), file.string() + ": " + what);
}

/// Closes and, until told to keep it, removes the temporary file.
class OpenFile {
 public:
  OpenFile(int descriptor, std::filesystem::path remove)
      : descriptor_(descriptor), remove_(std::move(remove)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!remove_.empty()) ::unlink(remove_.c_str());
  }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  int close() { return ::close(std::exchange(descriptor_, -1)); }
  void keep() { remove_.clear(); }

 private:
  int descriptor_;
  std::filesystem::path remove_;
};

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

/// A name of our own beside `target`; the process number keeps two writers apart, the counter steps
/// over leftovers.
std::pair<int, std::filesystem::path> createBeside(const std::filesystem::path& target) {
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::filesystem::path name = target;
    name += "." + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".part";
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return {descriptor, name};
    if (errno != EEXIST) fail(target, errno, "cannot create a file beside it");
  }
  fail(target, EEXIST, "cannot create a file beside it");
}

void writeInPlace(const std::filesystem::path& file, std::span<const std::uint8_t> bytes) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail(file, errno, "cannot open for writing");
  OpenFile out(descriptor, {});
  writeAll(descriptor, bytes, file);
  if (out.close() != 0) fail(file, errno, "cannot write");
}

}  // namespace

void replaceFile(const std::filesystem::path& file, std::span<const std::uint8_t> bytes) {
  std::error_code ignored;
  std::filesystem::path target = std::filesystem::canonical(file, ignored);
  if (ignored) target = file;

  struct stat status {};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(file, EISDIR, "cannot open for writing");
  if (exists && !S_ISREG(status.st_mode)) return writeInPlace(file, bytes);

  const auto [descriptor, name] = createBeside(target);
  OpenFile out(descriptor, name);
  writeAll(descriptor, bytes, file);
  if (exists && ::fchmod(descriptor, status.st_mode & 07777) != 0) {
    fail(file, errno, "cannot keep its permissions");
  }
  if (::fsync(descriptor) != 0) fail(file, errno, "cannot write");
  if (out.close() != 0) fail(file, errno, "cannot write");
  if (::rename(name.c_str(), target.c_str()) != 0) fail(file, errno, "cannot replace");
  out.keep();
}

void replaceFile(const std::filesystem::path& file, std::string_view text) {
  replaceFile(file, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

std::vector<std::uint8_t> readBytes(const std::filesystem::path& file, std::uint64_t limit) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) fail(file, EISDIR, "cannot read");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(file, errno, "cannot open");
  std::vector<std::uint8_t> bytes;
  std::array<char, 65536> block{};
  while (in.read(block.data(), block.size()) || in.gcount() > 0) {
    const auto count = static_cast<std::size_t>(in.gcount());
    if (count > limit - bytes.size()) fail(file, EFBIG, "cannot read");
    bytes.insert(bytes.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count));
  }
  if (in.bad()) fail(file, EIO, "cannot read");
  return bytes;
}

}  // namespace rtvp::report
