// Which points a sweep has: conditions, links, samples, refinement.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "platform/exit_status.hpp"
#include "platform/options/built_in_options.hpp"
#include "platform/sweep/condition.hpp"
#include "platform/sweep/space.hpp"

namespace rtvp::sweep {
namespace {

class SweepSpace : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> rows(const SweepSpec& spec) const {
    std::vector<std::string> list;
    for (const Row& row : firstRows(spec, table_)) {
      std::string text;
      for (const std::string& v : row) text += (text.empty() ? "" : " ") + v;
      list.push_back(text);
    }
    return list;
  }
  [[nodiscard]] bool holds(const std::string& text,
                           std::map<std::string, std::string> values) const {
    std::vector<std::string> keys;
    for (const auto& [key, value] : values) keys.push_back(key);
    return Condition(text, table_, keys, "where").holds([&](const std::string& key) {
      const auto at = values.find(key);
      return at == values.end() ? std::string(table_.find(key)->fallback) : at->second;
    });
  }
  /// kValues values of each of two parameters.
  [[nodiscard]] static SweepSpec wide(std::size_t values) {
    SweepSpec spec;
    for (const char* key : {"tigershark.dsps", "tigershark.boards", "render.depth"}) {
      std::vector<std::string> list;
      for (std::size_t i = 1; i <= values; ++i) list.push_back(std::to_string(i));
      spec.set(key, list);
    }
    return spec;
  }
  const platform::OptionTable table_ = platform::builtInOptions();
};

TEST_F(SweepSpace, AGridIsEveryCombinationThatConditionsLeave) {
  SweepSpec spec;
  spec.set("tigershark.dsps", {"64", "128", "256"});
  spec.set("tigershark.boards", {"1", "2", "4"});
  EXPECT_EQ(rows(spec).size(), 9U);
  spec.where = {"dsps*boards <= 256"};
  EXPECT_EQ(rows(spec),
            (std::vector<std::string>{"64 1", "64 2", "64 4", "128 1", "128 2", "256 1"}));
  spec.where.push_back("boards != 2");
  EXPECT_EQ(rows(spec), (std::vector<std::string>{"64 1", "64 4", "128 1", "256 1"}));
  spec.where.push_back("dsps > 1000");
  EXPECT_THROW((void)rows(spec), platform::InputError);
}

TEST_F(SweepSpace, ConditionsCompareNumbersAndWords) {
  const std::map<std::string, std::string> at{{"tigershark.dsps", "8"},
                                              {"tigershark.vote", "off"},
                                              {"engine", "theia"},
                                              {"scene", "a/b.shk"}};
  for (const char* text :
       {"dsps == 8", "tigershark.dsps >= 8", "dsps*2 < 17", "1 + 1 != dsps / 2 - 1", "vote == 0",
        "vote < 1", "engine == theia", "engine != xphmg", "min(dsps, 4) == 4", "scene != x.shk"}) {
    EXPECT_TRUE(holds(text, at)) << text;
  }
  for (const char* text :
       {"dsps > 8", "dsps != 8", "engine == xphmg", "engine != theia", "vote == 1"}) {
    EXPECT_FALSE(holds(text, at)) << text;
  }
  // What is not varied has its default.
  EXPECT_EQ(table_.find("tigershark.boards")->fallback, "1");
  EXPECT_TRUE(holds("boards == 1", at));
}

TEST_F(SweepSpace, ConditionsThatMeanNothingAreRefused) {
  const std::map<std::string, std::string> at{{"engine", "theia"}, {"tigershark.dsps", "8"}};
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "a comparison"},
      {"dsps", "a comparison"},
      {"dsps <", "where"},
      {"<= 3", "where"},
      {"wheels < 3", "ends no parameter's name"},
      {"engine < 3", "engine = 'theia'"},
      {"clock_hz < 3", "expected more of one of"},
      {"dsps < (3", "where"},
      {"dsps < 3 < 4", "where"},
      {"dsps/0 < 1", "no value"}};
  for (const auto& [text, expected] : cases) {
    try {
      (void)holds(text, at);
      ADD_FAILURE() << text << " was accepted";
    } catch (const platform::InputError& e) {
      EXPECT_NE(std::string(e.what()).find(expected), std::string::npos)
          << text << ": " << e.what();
    }
  }
}

TEST_F(SweepSpace, LinkedAxesGoTogether) {
  SweepSpec spec;
  spec.set("tigershark.dsps", {"64", "32", "16"});
  spec.set("render.order", {"hilbert", "tiles"});
  spec.set("tigershark.boards", {"1", "2", "4"});
  spec.links = {{"tigershark.dsps", "tigershark.boards"}};
  EXPECT_EQ(rows(spec), (std::vector<std::string>{"64 hilbert 1", "64 tiles 1", "32 hilbert 2",
                                                  "32 tiles 2", "16 hilbert 4", "16 tiles 4"}));
  spec.links = {{"tigershark.dsps", "render.order"}};
  EXPECT_THROW((void)rows(spec), platform::InputError) << "3 and 2 values";
  spec.links = {{"tigershark.dsps", "theia.cores"}};
  EXPECT_THROW((void)rows(spec), platform::InputError) << "not set";
  spec.links = {{"tigershark.dsps", "tigershark.boards"}, {"tigershark.boards", "render.order"}};
  EXPECT_THROW((void)rows(spec), platform::InputError) << "linked twice";
}

TEST_F(SweepSpace, OneAtATimeStartsFromTheFirstValues) {
  SweepSpec spec = wide(3);
  spec.space.kind = SpaceKind::OneAtATime;
  EXPECT_EQ(rows(spec), (std::vector<std::string>{"1 1 1", "2 1 1", "3 1 1", "1 2 1", "1 3 1",
                                                  "1 1 2", "1 1 3"}));
}

TEST_F(SweepSpace, ALatinHypercubeUsesEveryValueAsOften) {
  SweepSpec spec = wide(5);
  spec.space = {SpaceKind::LatinHypercube, 20, 7, {}};
  const auto points = firstRows(spec, table_);
  // Of 20 draws from 125 some may coincide: those are drawn again until there are 20.
  ASSERT_EQ(points.size(), 20U);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::map<std::string, int> uses;
    for (const Row& row : points) ++uses[row[axis]];
    EXPECT_EQ(uses.size(), 5U);
    for (const auto& [value, count] : uses) EXPECT_EQ(count, 4) << value;
  }
}

TEST_F(SweepSpace, DrawsAreSeededDistinctAndMeetConditions) {
  for (const SpaceKind kind : {SpaceKind::Random, SpaceKind::LatinHypercube}) {
    for (const std::size_t values : {5U, 400U}) {  // listed, and too many to be listed
      SweepSpec spec = wide(values);
      spec.where = {"dsps + boards <= depth + 300"};
      spec.space = {kind, 30, 3, {}};
      const auto once = rows(spec);
      EXPECT_EQ(rows(spec), once);
      EXPECT_EQ(std::set<std::string>(once.begin(), once.end()).size(), once.size());
      if (kind == SpaceKind::Random) {
        EXPECT_EQ(once.size(), 30U);
      }
      spec.space.seed = 4;
      EXPECT_NE(rows(spec), once);
      for (const Row& r : firstRows(spec, table_)) {
        EXPECT_LE(std::stoi(r[0]) + std::stoi(r[1]), std::stoi(r[2]) + 300);
      }
    }
  }
  // No more than there are.
  SweepSpec few = wide(2);
  few.space = {SpaceKind::Random, 100, 1, {}};
  EXPECT_EQ(rows(few).size(), 8U);
}

TEST_F(SweepSpace, TheFrontIsWhatNobodyBeats) {
  using Goals = std::vector<std::optional<std::vector<double>>>;
  EXPECT_EQ(frontOf(Goals{{{1, 5}}, {{2, 4}}, {{2, 5}}, std::nullopt, {{5, 1}}, {{1, 5}}}),
            (std::vector<std::size_t>{0, 1, 4, 5}));
  EXPECT_TRUE(frontOf(Goals{std::nullopt}).empty());
}

// f = (x - 7)^2 + (y - 3)^2 + (z - 5)^2 on 10^3 points: single steps lead to its minimum.
TEST_F(SweepSpace, RefinementWalksToTheBestAndEnds) {
  SweepSpec spec = wide(10);
  spec.space = {SpaceKind::Refine, 120, 1, {"f"}};
  std::vector<Row> all;
  std::vector<std::optional<std::vector<double>>> goals;
  std::vector<Row> next = firstRows(spec, table_);
  EXPECT_EQ(next.size(), 30U);
  double best = 1e9;
  int rounds = 0;
  while (!next.empty()) {
    ASSERT_LT(++rounds, 100);
    for (const Row& row : next) {
      all.push_back(row);
      double f = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        f += std::pow(std::stod(row[i]) - std::vector<double>{7, 3, 5}[i], 2);
      }
      best = std::min(best, f);
      goals.push_back(std::vector<double>{f});
    }
    next = nextRows(spec, table_, all, goals);
  }
  EXPECT_EQ(best, 0);
  EXPECT_LE(all.size(), 120U);
  EXPECT_EQ(std::set<Row>(all.begin(), all.end()).size(), all.size());
}

TEST_F(SweepSpace, TooManyPointsAreRefused) {
  SweepSpec spec = wide(60);  // 216 000
  EXPECT_THROW((void)rows(spec), platform::InputError);
  spec.where = {"depth == 1"};
  EXPECT_EQ(rows(spec).size(), 3600U);
  EXPECT_THROW((void)rows(wide(400)), platform::InputError) << "64 million";
}

}  // namespace
}  // namespace rtvp::sweep
