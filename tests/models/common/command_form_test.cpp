// What is made of a command line's form: manual page and completion.
#include "models/common/core/command_form.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace rtvp::common {
namespace {

CommandForm form() {
  return {.program = "a-tool",
          .summary = "does it's work",
          .synopsis = "a-tool [options] FILE\n.not a request\n",
          .notes = "back\\slash\n",
          .verbs = {},
          .options = {{.name = "mode",
                       .letter = 'm',
                       .parameter = "M",
                       .values = {"fast", "slow"},
                       .help = "how: [either]"},
                      {.name = "x", .help = "short only"}},
          .keys = {}};
}

std::string made(std::string_view what) {
  std::ostringstream out;
  EXPECT_TRUE(writeForm(out, form(), what));
  return out.str();
}

TEST(CommandForm, ManualPageKeepsTroffFromReadingTheText) {
  const std::string page = made("man");
  EXPECT_NE(page.find("\n\\&.not a request\n"), std::string::npos) << page;
  EXPECT_NE(page.find("back\\eslash"), std::string::npos) << page;
  EXPECT_NE(page.find("\\fB\\-m, \\-\\-mode\\fR M\nhow: [either]\n"), std::string::npos) << page;
  EXPECT_NE(page.find("a\\-tool \\- does it's work"), std::string::npos) << page;
}

TEST(CommandForm, BashOffersTheValuesOfAnOptionBehindEitherName) {
  const std::string text = made("bash");
  EXPECT_NE(text.find("    -m|--mode) COMPREPLY=($(compgen -W 'fast slow' -- \"$cur\")); return"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("compgen -W '-m --mode -x'"), std::string::npos) << text;
  EXPECT_NE(text.find("complete -o filenames -F _rtvp_a_tool a-tool\n"), std::string::npos) << text;
}

TEST(CommandForm, ZshEscapesWhatItsDescriptionsGiveAMeaning) {
  const std::string text = made("zsh");
  EXPECT_EQ(text.rfind("#compdef a-tool\n", 0), 0U);
  EXPECT_NE(text.find("'*--mode[how\\: \\[either\\]]:mode:(fast slow)'"), std::string::npos)
      << text;
  EXPECT_NE(text.find("'*-x[short only]'"), std::string::npos) << text;
}

TEST(CommandForm, KnowsNoOtherKind) {
  std::ostringstream out;
  EXPECT_FALSE(writeForm(out, form(), "csh"));
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace rtvp::common
