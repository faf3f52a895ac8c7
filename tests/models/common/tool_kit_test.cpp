// The plain parts of the tool kit: numbers and quotes in text, located messages, bounded reading,
// failures.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "models/common/core/diagnostics.hpp"
#include "models/common/core/text.hpp"
#include "models/common/core/version.hpp"
#include "models/common/tool/files.hpp"

namespace rtvp {
namespace {

using namespace std::string_literals;

TEST(Text, HexadecimalNumbers) {
  EXPECT_EQ(common::hex(0), "0");
  EXPECT_EQ(common::hex(0xABC, 2), "abc");
  EXPECT_EQ(common::hex(0xABC, 6), "000abc");
  EXPECT_EQ(common::hex(~std::uint64_t{0}), "ffffffffffffffff");
  EXPECT_EQ(common::hexUpper(0xABC, 4), "0ABC");
  EXPECT_EQ(common::hexH(0x1F, 4), "001Fh");
  EXPECT_EQ(common::hex0x(0x80000000), "0x80000000");
  EXPECT_EQ(common::hexDigits(0x12345678, 4), "5678");
  EXPECT_EQ(common::hexDigits(7, 2), "07");
}

// Escaped is what HTML wants escaped in a text and in a value in double quotes.
TEST(Text, MarkupKeepsWhatABrowserShows) {
  EXPECT_EQ(common::markup("a<b & \"c\" > 'd'"), "a&lt;b &amp; &quot;c&quot; &gt; 'd'");
  EXPECT_EQ(common::markup("&amp;"), "&amp;amp;");
  EXPECT_EQ(common::markup(""), "");
}

TEST(Text, QuotesArePrintableAndBounded) {
  EXPECT_EQ(common::quoted("abc"), "'abc'");
  EXPECT_EQ(common::quoted("a\tb\xFF"), "'a?b?'");
  EXPECT_EQ(common::quoted(std::string(40, 'x')), "'" + std::string(40, 'x') + "'");
  EXPECT_EQ(common::quoted(std::string(41, 'x')), "'" + std::string(40, 'x') + "...'");
  EXPECT_EQ(common::quotedAsIs("a\tb"), "'a\tb'");
  EXPECT_EQ(common::quotedAsIs(std::string(41, 'x')), "'" + std::string(40, 'x') + "'");
}

TEST(Diagnostics, AsCompilersPrintThem) {
  using common::Diagnostic;
  EXPECT_EQ(
      common::formatDiagnostics(
          {{"a.asm", 3, 7, Diagnostic::Severity::Error, "found x, expected y", {}},
           {"b.asm", 1, 1, Diagnostic::Severity::Warning, "w", "a.asm:1:1: note: from here"}}),
      "a.asm:3:7: error: found x, expected y\n"
      "b.asm:1:1: warning: w\na.asm:1:1: note: from here\n");
}

TEST(Version, IsTheProjects) {
  EXPECT_STREQ(common::version(), RTVP_PROJECT_VERSION);
}

TEST(Failure, Texts) {
  EXPECT_EQ(tool::Failure("m").text("sl-as"), "sl-as: error: m\n");
  EXPECT_EQ(tool::Failure("m").status(), 2);
  EXPECT_EQ(tool::Failure::at("f:1:2", "m", 1).text("sl-as"), "f:1:2: error: m\n");
  EXPECT_EQ(tool::Failure::report("a\nb\n", 3).text("sl-as"), "a\nb\n");
}

TEST(Files, AreReadUpToABound) {
  const std::string path = testing::TempDir() + "tool_kit_bound";
  std::ofstream(path, std::ios::binary) << "1234\0005678"s;
  const tool::Failure otherwise("cannot", 1);
  EXPECT_EQ(tool::readInput(path, otherwise, 9), "1234\0005678"s);
  try {
    (void)tool::readInput(path, otherwise, 8);
    FAIL() << "read more than 8 bytes";
  } catch (const tool::Failure& failure) {
    EXPECT_EQ(failure.text("t"), path + ": error: found more than 8 bytes, expected fewer\n");
    EXPECT_EQ(failure.status(), 1);
  }
  EXPECT_THROW((void)tool::readInput("/dev/zero", otherwise, 1000), tool::Failure);
  std::remove(path.c_str());
  EXPECT_THROW((void)tool::readInput(path, otherwise), tool::Failure);
}

TEST(Files, OneStandardStream) {
  EXPECT_NO_THROW(tool::requireOneStandard({"-", "a", ""}, "input"));
  EXPECT_THROW(tool::requireOneStandard({"-", "a", "-"}, "input"), tool::Failure);
}

}  // namespace
}  // namespace rtvp
