// A file system that gives and takes a few bytes at a time: recordings of a trace come back whole,
// and files are written whole. The program's own pread and write stand in front of the library's.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>

#include "models/common/core/file_io.hpp"
#include "platform/report/trace_file.hpp"

namespace {
constexpr std::size_t kMostBytes = 5;
std::size_t shortReads = 0;
std::size_t shortWrites = 0;
}  // namespace

extern "C" ssize_t pread(int file, void* data, std::size_t bytes, off_t offset) {
  if (bytes > kMostBytes) ++shortReads;
  return ::syscall(SYS_pread64, file, data, std::min(bytes, kMostBytes), offset);
}

/// Every third call takes nothing, which is no error.
extern "C" ssize_t write(int file, const void* data, std::size_t bytes) {
  if (file <= 2) return ::syscall(SYS_write, file, data, bytes);
  errno = 0;
  if (++shortWrites % 3 == 0) return 0;
  return ::syscall(SYS_write, file, data, std::min(bytes, kMostBytes));
}

namespace rtvp::report {
namespace {

TEST(FileWrites, AFewBytesAtATime) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "few_bytes";
  const std::string text(1000, 'x');
  common::replaceFile(file, "begin " + text + " end");
  EXPECT_GT(shortWrites, 200U) << "files are written with another call now";
  EXPECT_EQ(common::readFile(file), "begin " + text + " end");
  std::filesystem::remove(file);
}

TEST(TraceMergeReads, AFewBytesAtATime) {
  const int file = common::openNameless(std::filesystem::temp_directory_path() / "trace");
  TraceRecorder recorder(file, TraceSelection("all"), {});
  const common::TraceSignal words = common::TraceScope(recorder, "pc0").count("words", "so far");
  constexpr std::uint64_t kEvents = 100;
  for (std::uint64_t i = 1; i <= kEvents; ++i) words.set(1'000'000'007 * i, 3 * i);
  recorder.finish(std::nullopt);

  TraceMerge merge({file});
  std::uint64_t seen = 0;
  while (const auto event = merge.next()) {
    ++seen;
    EXPECT_EQ(event->ps, 1'000'000'007 * seen);
    EXPECT_EQ(event->value, 3 * seen);
  }
  EXPECT_EQ(seen, kEvents);
  EXPECT_GT(shortReads, 0U) << "the merge reads with another call now";
  ::close(file);
}

}  // namespace
}  // namespace rtvp::report
