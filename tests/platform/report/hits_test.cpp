// Hit dumps: exact round trip, located errors, harmless on any bytes.
#include "platform/report/hits.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/platform/report/scratch_folder.hpp"

namespace rtvp::report {
namespace {

std::string errorOf(const std::string& text) {
  try {
    (void)parseHits(text, "f.csv");
  } catch (const HitError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Hits, WritesTheDocumentedText) {
  const HitDump hits = {{0, 0, 3, 1.5, 0.25, 0.1}, {1, 0, kMiss, 0, 0, 0}, {0, 1, 0, 2, 0, 0}};
  EXPECT_EQ(formatHits(hits), "x,y,prim,t,u,v\n0,0,3,1.5,0.25,0.1\n1,0,-1,,,\n0,1,0,2,0,0\n");
}

TEST(Hits, RoundTripsEveryBit) {
  std::mt19937_64 random(77);
  SCOPED_TRACE("seed 77");
  HitDump hits;
  std::uniform_real_distribution<double> distance(0, 1000);
  std::uniform_real_distribution<double> weight(-0.001, 1.001);
  for (int i = 0; i < 2000; ++i) {
    if (random() % 5 == 0) {
      hits.push_back({i % 50, i / 50, kMiss, 0, 0, 0});
    } else {
      hits.push_back({i % 50, i / 50, static_cast<std::int64_t>(random() & 0xFFFFFFFF),
                      distance(random), weight(random), weight(random)});
    }
  }
  EXPECT_EQ(parseHits(formatHits(hits), "x"), hits);
  const test::ScratchFolder folder;
  writeHits(folder / "h.csv", hits);
  EXPECT_EQ(readHits(folder / "h.csv"), hits);
}

TEST(Hits, AnEmptyDumpHasItsHeader) {
  EXPECT_EQ(parseHits("x,y,prim,t,u,v\n", "x"), HitDump{});
  EXPECT_EQ(parseHits("x,y,prim,t,u,v\r\n0,0,-1,,,\r\n", "x").size(), 1U);
}

TEST(Hits, ErrorsSayWhere) {
  const std::string head = "x,y,prim,t,u,v\n";
  EXPECT_EQ(errorOf("x,y\n"), "f.csv:1:1: found 'x,y', expected the header x,y,prim,t,u,v");
  EXPECT_EQ(errorOf(head + "0,zero,1,1,0,0\n"), "f.csv:2:3: found 'zero', expected a row");
  EXPECT_EQ(errorOf(head + "0,0,-2,1,0,0\n"),
            "f.csv:2:5: found '-2', expected a primitive number or -1");
  EXPECT_EQ(errorOf(head + "0,0,1,nan,0,0\n"), "f.csv:2:7: found 'nan', expected a distance");
  EXPECT_EQ(errorOf(head + "0,0,1,1,0\n"),
            "f.csv:2:10: found 'end of line', expected a finite number");
  EXPECT_EQ(errorOf(head + "0,0,1,1,0,0,0\n"), "f.csv:2:13: found '0', expected six fields");
  EXPECT_EQ(errorOf(head + "0,0,-1,1,,\n"),
            "f.csv:2:8: found '1', expected an empty field after a miss");
  EXPECT_NE(errorOf(head + "1,0,-1,,,\n0,0,-1,,,\n").find("f.csv:3:"), std::string::npos);
  EXPECT_NE(errorOf(head + "0,0,-1,,,\n0,0,-1,,,\n").find("each once"), std::string::npos);
  EXPECT_NE(errorOf(head + "0,0,-1,,,").find("expected a line end"), std::string::npos);
  EXPECT_NE(errorOf(""), "no error");
  EXPECT_NE(errorOf(head + "\n"), "no error");
}

TEST(Hits, EveryTruncationIsRefusedOrEndsAtARow) {
  const std::string whole = formatHits({{0, 0, 3, 1.5, 0.25, 0.1}, {1, 0, 4, 12.75, 0.5, 0.5}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    const bool atRow = !cut.empty() && cut.back() == '\n';
    EXPECT_EQ(errorOf(cut) == "no error", atRow) << size;
  }
}

TEST(Hits, DamagedTextDoesNoHarm) {
  std::mt19937 random(4711);
  SCOPED_TRACE("seed 4711");
  const std::string whole = formatHits({{0, 0, 3, 1.5, 0.25, 0.1}, {1, 0, kMiss, 0, 0, 0}});
  for (int round = 0; round < 5000; ++round) {
    std::string text = whole;
    for (auto n = 1 + random() % 3; n > 0; --n) {
      text[random() % text.size()] = static_cast<char>(random() & 0xFF);
    }
    (void)errorOf(text);
  }
  for (int round = 0; round < 2000; ++round) {
    std::string text = round % 2 == 0 ? "" : "x,y,prim,t,u,v\n";
    for (auto n = random() % 60; n > 0; --n) {
      text +=
          round % 3 == 0 ? static_cast<char>(random() & 0xFF) : "0123456789.,-e\n"[random() % 15];
    }
    (void)errorOf(text);
  }
}

}  // namespace
}  // namespace rtvp::report
