// Files that appear together or not at all, and what counts as one file.
#include "models/common/core/output_set.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "models/common/core/utf8.hpp"
#include "tests/platform/report/scratch_folder.hpp"

namespace rtvp::common {
namespace {

using namespace std::string_literals;
using test::ScratchFolder;
namespace fs = std::filesystem;

void put(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::string textOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::ptrdiff_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), {});
}

TEST(OutputSet, AllAppearWithTheLast) {
  const ScratchFolder folder;
  put(folder / "b", "old");
  OutputSet set;
  set.open(folder / "a").write("one"s);
  set.open(folder / "b").write("two"s);
  EXPECT_FALSE(fs::exists(folder / "a"));
  EXPECT_EQ(textOf(folder / "b"), "old");
  set.commit();
  EXPECT_EQ(textOf(folder / "a"), "one");
  EXPECT_EQ(textOf(folder / "b"), "two");
  EXPECT_EQ(entries(folder.path()), 2);
}

TEST(OutputSet, NothingIsLeftOfOneThatIsNotCommitted) {
  const ScratchFolder folder;
  {
    OutputSet set;
    set.open(folder / "a").write("one"s);
    EXPECT_THROW(set.open(folder / "none" / "b"), std::system_error);
  }
  EXPECT_EQ(entries(folder.path()), 0);
}

// A folder takes the place of the last file while the work goes on: no rename can replace it.
TEST(OutputSet, ALateFailureTakesTheOthersBack) {
  const ScratchFolder folder;
  put(folder / "old", "old");
  OutputSet set;
  set.open(folder / "old").write("new"s);
  set.open(folder / "fresh").write("new"s);
  set.open(folder / "last").write("new"s);
  fs::create_directory(folder / "last");
  try {
    set.commit();
    FAIL() << "no exception";
  } catch (const std::system_error& error) {
    EXPECT_NE(std::string(error.what()).find("last: cannot replace"), std::string::npos)
        << error.what();
    EXPECT_EQ(std::string(error.what()).find("taken back"), std::string::npos) << error.what();
  }
  EXPECT_EQ(textOf(folder / "old"), "old");
  EXPECT_FALSE(fs::exists(folder / "fresh"));
  set.discard();
  EXPECT_EQ(entries(folder.path()), 2);
}

TEST(OutputSet, WhatAPipeGotIsNotWrittenTwice) {
  const ScratchFolder folder;
  OutputSet set;
  FileReplacement& file = set.open(folder / "a");
  FileReplacement& device = set.open("/dev/null");
  file.write("a long beginning"s);
  EXPECT_TRUE(file.restart());
  EXPECT_FALSE(device.restart());
  file.write("end"s);
  set.commit();
  EXPECT_EQ(textOf(folder / "a"), "end");
}

TEST(SameFile, ThroughLinksThereOrNotYet) {
  const ScratchFolder folder;
  put(folder / "a", "a");
  put(folder / "b", "a");
  fs::create_directory(folder / "sub");
  fs::create_hard_link(folder / "a", folder / "hard");
  fs::create_symlink("a", folder / "soft");
  fs::create_symlink("../new", folder / "sub" / "dangling");
  EXPECT_TRUE(sameFile(folder / "a", folder / "sub" / ".." / "a"));
  EXPECT_TRUE(sameFile(folder / "a", folder / "hard"));
  EXPECT_TRUE(sameFile(folder / "soft", folder / "hard"));
  EXPECT_FALSE(sameFile(folder / "a", folder / "b"));
  EXPECT_FALSE(sameFile(folder / "a", folder / "new"));
  EXPECT_TRUE(sameFile(folder / "new", folder / "sub" / "dangling"));
  EXPECT_FALSE(sameFile(folder / "new", folder / "newer"));
  EXPECT_FALSE(sameFile("/dev/null", "/dev/null"));
}

TEST(FileReplacement, FollowsALinkThatPointsNowhereYet) {
  const ScratchFolder folder;
  fs::create_symlink("new", folder / "link");
  replaceFile(folder / "link", std::string_view("text"));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(textOf(folder / "new"), "text");
}

// RFC 3629 section 4: well-formed sequences, and what they exclude.
TEST(Utf8, OtherBytesAreEscapedAndComeBack) {
  for (const std::string& text : {"plain"s, "caf\xC3\xA9"s, "\xE0\xA0\x80\xED\x9F\xBF\xEF\xBF\xBF"s,
                                  "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"s, ""s}) {
    EXPECT_EQ(escapedUtf8(text), text);
    EXPECT_EQ(unescapedUtf8(text), text);
  }
  EXPECT_EQ(escapedUtf8("n\xE9.shk"), "n\0e9.shk"s);
  EXPECT_EQ(escapedUtf8("\xC0\x80"), "\0c0\0"s + "80");          // a longer form
  EXPECT_EQ(escapedUtf8("\xED\xA0\x80"), "\0ed\0a0\0"s + "80");  // half of a UTF-16 pair
  EXPECT_EQ(escapedUtf8("\xF4\x90\x80\x80"), "\0f4\0"s + "90\0"s + "80\0"s + "80");
  EXPECT_EQ(escapedUtf8("\xE2\x82"), "\0e2\0"s + "82");  // ends too early
  for (int byte = 1; byte < 256; ++byte) {
    const std::string name = "a" + std::string(1, static_cast<char>(byte)) + "\xC3\xA9z";
    EXPECT_EQ(unescapedUtf8(escapedUtf8(name)), name) << byte;
  }
  for (const std::string& wrong : {"\0"s, "a\0e"s, "\0zz"s, "\0-1"s})
    EXPECT_FALSE(unescapedUtf8(wrong));
}

}  // namespace
}  // namespace rtvp::common
