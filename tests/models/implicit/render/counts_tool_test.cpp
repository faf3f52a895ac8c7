// implicit-counts as a user starts it: the page beside the renderer shows what it prints.
#include <iterator>
#include <set>

#include "tests/support/tool_folder.hpp"

namespace {

class ImplicitCounts : public rtvp::test::ToolFolder {
 protected:
  /// Rows of tables and counts, without the words between.
  static std::set<std::string> rows(std::istream& text) {
    std::set<std::string> found;
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with("|") || line.starts_with("Hull, ") || line.starts_with("Covered "))
        found.insert(line);
    }
    return found;
  }
};

TEST_F(ImplicitCounts, ThePageHasItsRows) {
  ASSERT_EQ(run("implicit-counts", ""), 0) << read("err");
  std::istringstream printed(read("out"));
  std::ifstream page(RTVP_SOURCE_DIR "/models/implicit/render/README.md");
  const std::set<std::string> shown = rows(page);
  const std::set<std::string> made = rows(printed);
  EXPECT_GT(made.size(), 30U);
  for (const std::string& row : made) EXPECT_EQ(shown.count(row), 1U) << row;
}

}  // namespace
