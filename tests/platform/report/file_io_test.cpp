// Whole-file output: complete or not at all.
#include "models/common/core/file_io.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "tests/platform/report/scratch_folder.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::report {
namespace {

using test::ScratchFolder;

std::string textOf(const std::filesystem::path& file) {
  const std::vector<std::uint8_t> bytes = common::readBytes(file, 1 << 20);
  return {bytes.begin(), bytes.end()};
}

std::ptrdiff_t entries(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

TEST(FileIo, WritesAndReplaces) {
  const ScratchFolder folder;
  common::replaceFile(folder / "a", std::string_view("one"));
  EXPECT_EQ(textOf(folder / "a"), "one");
  common::replaceFile(folder / "a", std::string_view("two, longer"));
  EXPECT_EQ(textOf(folder / "a"), "two, longer");
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(FileIo, KeepsPermissionsAndFollowsLinks) {
  const ScratchFolder folder;
  common::replaceFile(folder / "a", std::string_view("one"));
  ASSERT_EQ(::chmod((folder / "a").c_str(), 0640), 0);
  std::filesystem::create_symlink("a", folder / "link");
  common::replaceFile(folder / "link", std::string_view("two"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(textOf(folder / "a"), "two");
  struct stat status {};
  ASSERT_EQ(::stat((folder / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
}

TEST(FileIo, ADeviceIsWrittenInPlace) {
  common::replaceFile("/dev/null", std::string_view("gone"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(FileIo, FailureNamesTheFile) {
  const ScratchFolder folder;
  try {
    common::replaceFile(folder / "missing" / "a", std::string_view("x"));
    FAIL() << "no exception";
  } catch (const std::system_error& error) {
    EXPECT_NE(std::string(error.what()).find("missing"), std::string::npos);
  }
  EXPECT_THROW(common::replaceFile(folder.path(), std::string_view("x")), std::system_error);
  EXPECT_THROW((void)common::readBytes(folder.path(), 10), std::system_error);
  EXPECT_THROW((void)common::readBytes(folder / "none", 10), std::system_error);
}

TEST(FileIo, ReadingIsBounded) {
  const ScratchFolder folder;
  common::replaceFile(folder / "a", std::string_view("0123456789"));
  EXPECT_EQ(common::readBytes(folder / "a", 10).size(), 10U);
  EXPECT_THROW((void)common::readBytes(folder / "a", 9), std::system_error);
}

// The disk fills up in the middle of the new contents (here: a limit on the file's size).
TEST(FileIo, TheOldContentsSurviveAFailedWrite) {
  const ScratchFolder folder;
  const std::filesystem::path file = folder / "a";
  common::replaceFile(file, std::string_view("old"));
  test::inChild([&file] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    EXPECT_THROW(common::replaceFile(file, std::string(5000, 'x')), std::system_error);
  });
  EXPECT_EQ(textOf(file), "old");
  EXPECT_EQ(entries(folder.path()), 1);
}

// Names that another process has left are stepped over, a hundred at most.
TEST(FileIo, LeftoversAreSteppedOver) {
  const ScratchFolder folder;
  const std::filesystem::path file = folder / "a";
  const auto leave = [&](int number) {
    const std::string name = "a." + std::to_string(::getpid()) + "-" + std::to_string(number);
    std::ofstream(folder / (name + ".part")) << "left";
  };
  for (int number = 0; number < 99; ++number) leave(number);
  common::replaceFile(file, std::string_view("new"));
  EXPECT_EQ(textOf(file), "new");
  leave(99);
  EXPECT_THROW(common::replaceFile(file, std::string_view("newer")), std::system_error);
  EXPECT_EQ(textOf(file), "new");
  EXPECT_EQ(entries(folder.path()), 101);
}

}  // namespace
}  // namespace rtvp::report
