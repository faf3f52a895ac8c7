// Whole-file output: complete or not at all.
#include "platform/report/file_io.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <string>
#include <system_error>

#include "tests/platform/report/scratch_folder.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::report {
namespace {

using test::ScratchFolder;

std::string textOf(const std::filesystem::path& file) {
  const std::vector<std::uint8_t> bytes = readBytes(file, 1 << 20);
  return {bytes.begin(), bytes.end()};
}

std::ptrdiff_t entries(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

TEST(FileIo, WritesAndReplaces) {
  const ScratchFolder folder;
  replaceFile(folder / "a", std::string_view("one"));
  EXPECT_EQ(textOf(folder / "a"), "one");
  replaceFile(folder / "a", std::string_view("two, longer"));
  EXPECT_EQ(textOf(folder / "a"), "two, longer");
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(FileIo, KeepsPermissionsAndFollowsLinks) {
  const ScratchFolder folder;
  replaceFile(folder / "a", std::string_view("one"));
  ASSERT_EQ(::chmod((folder / "a").c_str(), 0640), 0);
  std::filesystem::create_symlink("a", folder / "link");
  replaceFile(folder / "link", std::string_view("two"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(textOf(folder / "a"), "two");
  struct stat status {};
  ASSERT_EQ(::stat((folder / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
}

TEST(FileIo, ADeviceIsWrittenInPlace) {
  replaceFile("/dev/null", std::string_view("gone"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(FileIo, FailureNamesTheFile) {
  const ScratchFolder folder;
  try {
    replaceFile(folder / "missing" / "a", std::string_view("x"));
    FAIL() << "no exception";
  } catch (const std::system_error& error) {
    EXPECT_NE(std::string(error.what()).find("missing"), std::string::npos);
  }
  EXPECT_THROW(replaceFile(folder.path(), std::string_view("x")), std::system_error);
  EXPECT_THROW((void)readBytes(folder.path(), 10), std::system_error);
  EXPECT_THROW((void)readBytes(folder / "none", 10), std::system_error);
}

TEST(FileIo, ReadingIsBounded) {
  const ScratchFolder folder;
  replaceFile(folder / "a", std::string_view("0123456789"));
  EXPECT_EQ(readBytes(folder / "a", 10).size(), 10U);
  EXPECT_THROW((void)readBytes(folder / "a", 9), std::system_error);
}

// The disk fills up in the middle of the new contents (here: a limit on the file's size).
TEST(FileIo, TheOldContentsSurviveAFailedWrite) {
  const ScratchFolder folder;
  const std::filesystem::path file = folder / "a";
  replaceFile(file, std::string_view("old"));
  test::inChild([&file] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    EXPECT_THROW(replaceFile(file, std::string(5000, 'x')), std::system_error);
  });
  EXPECT_EQ(textOf(file), "old");
  EXPECT_EQ(entries(folder.path()), 1);
}

}  // namespace
}  // namespace rtvp::report
