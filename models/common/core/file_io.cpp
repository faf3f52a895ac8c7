// File replacement over POSIX calls: the standard streams can neither flush to disk nor create
// exclusively.
#include "models/common/core/file_io.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

}  // namespace

FileReplacement::FileReplacement(const std::filesystem::path& file) : file_(file) {
  std::error_code ignored;
  target_ = std::filesystem::canonical(file, ignored);
  if (ignored) target_ = file;

  struct stat status {};
  exists_ = ::stat(target_.c_str(), &status) == 0;
  mode_ = status.st_mode & 07777;
  if (exists_ && S_ISDIR(status.st_mode)) fail(file, EISDIR, "cannot open for writing");
  if (exists_ && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(file, errno, "cannot open for writing");
    return;
  }
  std::tie(descriptor_, part_) = createBeside(target_);
}

FileReplacement::~FileReplacement() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!part_.empty()) ::unlink(part_.c_str());
}

void FileReplacement::write(std::span<const std::uint8_t> bytes) {
  writeAll(descriptor_, bytes, file_);
}

void FileReplacement::write(std::string_view text) {
  write(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

void FileReplacement::commit() {
  if (!part_.empty()) {
    if (exists_ && ::fchmod(descriptor_, mode_) != 0) {
      fail(file_, errno, "cannot keep its permissions");
    }
    if (::fsync(descriptor_) != 0) fail(file_, errno, "cannot write");
  }
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(file_, errno, "cannot write");
  if (part_.empty()) return;
  if (::rename(part_.c_str(), target_.c_str()) != 0) fail(file_, errno, "cannot replace");
  part_.clear();
}

void replaceFile(const std::filesystem::path& file, std::span<const std::uint8_t> bytes) {
  FileReplacement replacement(file);
  replacement.write(bytes);
  replacement.commit();
}

void replaceFile(const std::filesystem::path& file, std::string_view text) {
  replaceFile(file, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

int openNameless(const std::filesystem::path& target) {
  std::error_code ignored;
  const std::filesystem::path folders[] = {std::filesystem::absolute(target, ignored).parent_path(),
                                           std::filesystem::temp_directory_path()};
  for (const std::filesystem::path& folder : folders) {
    std::string name = (folder / ".rtvp-XXXXXX").string();
    const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0) continue;
    ::unlink(name.c_str());
    return descriptor;
  }
  fail(target, errno, "cannot create a temporary file for it");
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

std::optional<std::string> readFile(const std::filesystem::path& file) {
  try {
    const std::vector<std::uint8_t> bytes = readBytes(file, std::uint64_t{1} << 30U);
    return std::string(bytes.begin(), bytes.end());
  } catch (const std::system_error&) {
    return std::nullopt;
  }
}

}  // namespace rtvp::common
