// Records of single units: memory in parts, lines with their places.
#include "models/common/core/record_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <vector>

namespace rtvp::common {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::string whatOf(const auto& work) {
  try {
    work();
  } catch (const RecordError& e) {
    return e.what();
  }
  return "nothing thrown";
}

TEST(ByteImage, KnowsWhatWasPutAcrossLines) {
  ByteImage image;
  image.put(60, Bytes{1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(image.bytes(), 8U);
  Bytes found(8);
  ASSERT_TRUE(image.get(60, found));
  EXPECT_EQ(found, (Bytes{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_FALSE(image.get(59, found));
  EXPECT_FALSE(image.get(61, found));
  EXPECT_TRUE(image.knows(64, 4));
  EXPECT_FALSE(image.knows(64, 5));
  EXPECT_EQ(image.text("m"), "m 0000003c 01020304\nm 00000040 05060708\n");
}

TEST(ByteImage, PutNewLeavesWhatIsThere) {
  ByteImage image;
  image.put(10, Bytes{7});
  image.putNew(9, Bytes{1, 2, 3});
  Bytes found(3);
  ASSERT_TRUE(image.get(9, found));
  EXPECT_EQ(found, (Bytes{1, 7, 3}));
  EXPECT_EQ(image.bytes(), 3U);
}

TEST(ByteImage, WholeLinesAndTheLastAddress) {
  ByteImage image;
  image.put(0, Bytes(64, 9));
  EXPECT_TRUE(image.knows(0, 64));
  image.put(~std::uint64_t{0}, Bytes{1});
  EXPECT_TRUE(image.knows(~std::uint64_t{0}, 1));
  RecordLine beyond("file:2", "ffffffffffffffff 0102");
  EXPECT_EQ(whatOf([&] { image.read(beyond, 1000); }),
            "file:2: found bytes beyond the last address");
  RecordLine more("file:3", "100 0102030405");
  EXPECT_EQ(whatOf([&] { image.read(more, 69); }),
            "file:3: found more than 69 bytes of memory altogether");
}

TEST(RecordLine, SaysWhereAndWhatIsWrong) {
  const auto line = [](const char* text) { return RecordLine("f:7", text); };
  EXPECT_EQ(whatOf([&] { (void)line("12x").number(); }),
            "f:7: found '12x', expected a number up to 18446744073709551615");
  EXPECT_EQ(whatOf([&] { (void)line("1ffffffff").hexWord(); }),
            "f:7: found '1ffffffff', expected a hexadecimal number up to ffffffff");
  EXPECT_EQ(whatOf([&] { (void)line("").word("a name"); }),
            "f:7: found the end of the line, expected a name");
  EXPECT_EQ(whatOf([&] { (void)line("0a0").bytes(4); }),
            "f:7: found something else than pairs of hexadecimal digits");
  EXPECT_EQ(whatOf([&] { (void)line("0a0b").bytes(1); }), "f:7: found 2 bytes, expected at most 1");
  EXPECT_EQ(line("0aff").bytes(2), (Bytes{0x0a, 0xff}));
  EXPECT_EQ(line("ffffffffffffffff").hexLong(), ~std::uint64_t{0});
}

struct Inner {
  unsigned n = 0;
};
struct Outer {
  Inner inner;
  bool flag = false;
};

TEST(RecordNumbers, AreWrittenAndReadByOneTable) {
  static constexpr std::array kTable{recordNumber<Outer, &Outer::inner, &Inner::n>("n", 99),
                                     recordNumber<Outer, &Outer::flag>("flag", 1)};
  Outer out;
  out.inner.n = 42;
  out.flag = true;
  EXPECT_EQ(numbersText<Outer>(kTable, out), "n 42\nflag 1\n");
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / "record_file_test.txt";
  std::ofstream(file) << "kind 1\nn 42 # comment\n\nflag 1\n";
  Outer in;
  RecordReaders readers;
  readNumbers<Outer>(kTable, in, readers);
  readRecord(file, "kind 1", readers);
  EXPECT_EQ(in.inner.n, 42U);
  EXPECT_TRUE(in.flag);
  std::ofstream(file) << "kind 1\nn 100\n";
  EXPECT_EQ(whatOf([&] { readRecord(file, "kind 1", readers); }),
            file.string() + ":2: found '100', expected a number up to 99");
  std::ofstream(file) << "kind 1\nflag 0 0\n";
  EXPECT_EQ(whatOf([&] { readRecord(file, "kind 1", readers); }),
            file.string() + ":2: found more than the line's values: 0");
  std::filesystem::remove(file);
  EXPECT_EQ(whatOf([&] { readRecord(file, "kind 1", readers); }),
            file.string() + ": found no such file, expected one of --dump-node");
}

TEST(RecordDifferences, AreBounded) {
  RecordDifferences d;
  d.compare("same", 1, 1);
  EXPECT_TRUE(d.none());
  for (int n = 0; n < 25; ++n) d.compare("n", n, -1);
  const std::string text = d.text();
  EXPECT_EQ(text.substr(0, 19), "n: 0, recorded -1\nn");
  EXPECT_EQ(text.substr(text.size() - 11), "and 5 more\n");
}

}  // namespace
}  // namespace rtvp::common
