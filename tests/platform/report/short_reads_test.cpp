// Recordings of a trace come back whole from a file system that gives a few bytes at a time: the
// program's own pread stands in front of the library's.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "models/common/core/file_io.hpp"
#include "platform/report/trace_file.hpp"

namespace {
constexpr std::size_t kMostBytes = 5;
std::size_t shortReads = 0;
}  // namespace

extern "C" ssize_t pread(int file, void* data, std::size_t bytes, off_t offset) {
  if (bytes > kMostBytes) ++shortReads;
  return ::syscall(SYS_pread64, file, data, std::min(bytes, kMostBytes), offset);
}

namespace rtvp::report {
namespace {

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
