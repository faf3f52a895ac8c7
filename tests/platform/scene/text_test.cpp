// The reader of words, and what load() says about files that are no scenes.
#include "platform/scene/text.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/platform/scene/support.hpp"

namespace rtvp::scene::test {
namespace {

TEST(SceneText, WordsHavePositions) {
  const TextFile file("f", "ab  cd\n\t# ef\n 7 # x\n");
  Words words(file, file.text(), {1, 1}, true);
  EXPECT_EQ(words.word("x"), "ab");
  EXPECT_EQ(words.place().column, 5U);
  EXPECT_EQ(words.word("x"), "cd");
  EXPECT_EQ(words.place().line, 3U);
  EXPECT_EQ(words.place().column, 2U);
  EXPECT_TRUE(words.numberFollows());
  EXPECT_EQ(words.number("x"), 7);
  EXPECT_TRUE(words.atEnd());
  EXPECT_THROW(words.word("more"), SceneError);
}

TEST(SceneText, RestIsTrimmed) {
  const TextFile file("f", "name   a b\t c \r");
  Words words(file, file.text(), {1, 1}, false);
  words.word("x");
  EXPECT_EQ(words.rest(), "a b\t c");
  EXPECT_TRUE(words.atEnd());
}

TEST(SceneText, QuotesAreShortAndPrintable) {
  EXPECT_EQ(inQuotes("abc"), "'abc'");
  EXPECT_EQ(inQuotes("\x01\xfe"), "'\\x01\\xfe'");
  EXPECT_EQ(inQuotes(std::string(100, 'x')), "'" + std::string(32, 'x') + "...'");
}

TEST(SceneText, EveryLineIsSeenOnce) {
  const TextFile file("f", "a\n\nb");
  std::string seen;
  forEachLine(file, [&](std::string_view line, std::uint32_t number) {
    seen += std::to_string(number) + '[' + std::string(line) + ']';
  });
  EXPECT_EQ(seen, "1[a]2[]3[b]");
}

TEST(SceneFile, ExtensionsAreCheckedWithoutCase) {
  EXPECT_EQ(errorOf("A.SHK", kTriangle), "");
  EXPECT_EQ(errorOf("a.abc", kTriangle),
            "a.abc: found the extension '.abc', expected .shk, .glb, .gltf, .nff, .obj, .off, "
            ".pbrt, .ply, .stl, .sdf, .sdft or .vm");
  EXPECT_EQ(errorOf("a", kTriangle),
            "a: found the extension '', expected .shk, .glb, .gltf, .nff, .obj, .off, .pbrt, .ply, "
            ".stl, .sdf, .sdft or .vm");
}

TEST(SceneFile, MissingAndSpecialFiles) {
  const Folder folder;
  EXPECT_THROW(static_cast<void>(load(folder.path() / "no.shk")), SceneError);
  std::filesystem::create_directory(folder.path() / "dir.nff");
  EXPECT_THROW(static_cast<void>(load(folder.path() / "dir.nff")), SceneError);
  std::filesystem::create_symlink("/dev/zero", folder.path() / "zero.shk");
  EXPECT_THROW(static_cast<void>(load(folder.path() / "zero.shk")), SceneError);
}

TEST(SceneFile, BinaryDataIsLocated) {
  for (const std::string name : {"a.shk", "a.nff", "a.obj"}) {
    EXPECT_EQ(errorOf(name, std::string("# x\n#\0y\n", 8)),
              name + ":2:2: found the byte 00h, expected text");
    EXPECT_EQ(errorOf(name, "\x1b[0m"), name + ":1:1: found the byte 1bh, expected text");
    EXPECT_EQ(errorOf(name, "# \x7f"), name + ":1:3: found the byte 7fh, expected text");
  }
}

// Bytes are looked at in groups; whichever they stand in, at its begin, end or behind the last.
TEST(SceneFile, EveryByteIsTextOrNotWhereverItStands) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool blank = byte == ' ' || (byte >= 9 && byte <= 13);
    for (std::size_t at = 0; at < 19; ++at) {
      std::string text(19, at % 2 == 0 ? '~' : '\xfe');
      text[at] = static_cast<char>(byte);
      const TextFile file("a", text);
      if (!blank && (byte < 0x20 || byte == 0x7f)) {
        EXPECT_THROW(file.refuseBinary(), SceneError) << byte << " at " << at;
      } else {
        EXPECT_NO_THROW(file.refuseBinary()) << byte << " at " << at;
      }
    }
  }
}

// The usual number is taken without looking for its word's end: whatever is odd about one must be
// found all the same.
TEST(SceneWords, NumbersEndWithTheirWords) {
  const TextFile file("a", "");
  const auto number = [&](std::string_view text, bool comments = true) {
    Words words(file, text, {1, 1}, comments);
    const double value = words.number("a number");
    EXPECT_EQ(words.lastPlace().column, 1 + text.find_last_not_of(" ") + 1) << text;
    return value;
  };
  EXPECT_EQ(number("1.5"), 1.5);
  EXPECT_EQ(number(" -2e3"), -2000);
  EXPECT_EQ(number("+7"), 7);
  EXPECT_EQ(number("1e-400"), 0);
  EXPECT_EQ(number("1e12"), 1e12);
  for (const std::string_view odd :
       {"", "1.5x", "1.5#", "1,5", "inf", "nan", "1e400", "1.1e12", "+-1", "--1", "0x10", "1e"}) {
    EXPECT_THROW(static_cast<void>(number(odd)), SceneError) << odd;
  }
  Words words(file, "1 2\n3#4", {1, 1}, true);
  EXPECT_EQ(words.number("a"), 1);
  EXPECT_EQ(words.peek(), "2");
  EXPECT_EQ(words.number("b"), 2);
  EXPECT_EQ(words.place().line, 2U);
  EXPECT_THROW(static_cast<void>(words.number("c")), SceneError);
}

TEST(SceneFile, SizeIsBounded) {
  const Folder folder;
  const auto file = folder.write("a.shk", "");
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40U);  // sparse
  try {
    static_cast<void>(load(file));
    FAIL() << "a terabyte loaded";
  } catch (const SceneError& e) {
    EXPECT_NE(std::string(e.what()).find("a smaller file"), std::string::npos) << e.what();
  }
}

TEST(SceneFile, SegmentsAreChecked) {
  EXPECT_NE(errorOf("a.shk", kTriangle, {.segments = 2}), "");
  EXPECT_NE(errorOf("a.shk", kTriangle, {.segments = 1025}), "");
  EXPECT_EQ(errorOf("a.shk", kTriangle, {.segments = 1024}), "");
}

TEST(SceneFile, ElementsAndPrimitivesAreBounded) {
  std::string text;
  for (int k = 0; k < 20; ++k) text += "sphere 0 0 0 1\n";
  EXPECT_EQ(errorOf("a.shk", text, {.maxElements = 20}), "");
  EXPECT_EQ(errorOf("a.shk", text, {.maxElements = 19}),
            "a.shk:20:1: found one primitive more, expected at most 19");
  EXPECT_EQ(errorOf("a.shk", text, {.segments = 24, .tessellateAll = true, .maxElements = 1000}),
            "a.shk:4:1: found one triangle, sphere or implicit surface more, expected at most 1000 "
            "(fewer segments make "
            "fewer)");
}

TEST(SceneFile, CamerasWithoutADirectionAreWarnedAbout) {
  EXPECT_EQ(loadText("a.shk", "e 0 0 0\n" + std::string(kTriangle)).warnings.size(), 1U);
  EXPECT_EQ(loadText("a.shk", "u 1 0 0\n" + std::string(kTriangle)).warnings.size(), 1U);
  EXPECT_TRUE(loadText("a.shk", kTriangle).warnings.empty());
}

}  // namespace
}  // namespace rtvp::scene::test
