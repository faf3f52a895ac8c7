// From the modules' figures to JSON, help and summary.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <limits>
#include <sstream>

#include "platform/report/statistics.hpp"

namespace rtvp::report {
namespace {

common::StatGroup sample() {
  common::StatGroup top("pc", "a computer");
  common::StatGroup& board = top.group("board0", "a board");
  board.count("cycles", "cycles", "all cycles", 10);
  board.count("cycles_busy", "cycles", "of these busy", 7);
  board.count("cycles_idle", "cycles", "of these idle", 3);
  board.ratio("share", "1", "busy share", 0.7);
  board.ratio("undefined", "1", "0/0", std::numeric_limits<double>::quiet_NaN());
  board.text("mode", "how", "lockstep");
  board.group("host_side", "not compared").count("calls", "calls", "of a function", 42);
  top.group("board1", "another board").count("words", "words", "moved", 5);
  return top;
}

TEST(Statistics, JsonHasFiguresUnitsAndGroups) {
  const boost::json::object json = statisticsJson(sample());
  const boost::json::object& board = json.at("board0").as_object();
  EXPECT_EQ(board.at("cycles"), 10);
  EXPECT_EQ(board.at("units").at("cycles"), "cycles");
  EXPECT_EQ(board.at("mode"), "lockstep");
  EXPECT_FALSE(board.at("units").as_object().contains("mode"));
  EXPECT_TRUE(board.at("undefined").is_null());
  EXPECT_FALSE(board.contains("host_side"));
  EXPECT_EQ(sumOf(json, "board1", "words"), 5);
}

TEST(Statistics, HostSideIsKeptApart) {
  const boost::json::object json = hostStatisticsJson(sample());
  EXPECT_EQ(json.at("board0").at("calls"), 42);
  EXPECT_FALSE(json.contains("board1"));
}

TEST(Statistics, SumsMustClose) {
  EXPECT_TRUE(checkClosedSums(sample()).empty());
  common::StatGroup top = sample();
  top.group("board2", "a leaking board").count("cycles", "cycles", "all", 10);
  EXPECT_TRUE(checkClosedSums(top).empty()) << "no parts are declared";
  common::StatGroup leaking("board3", "");
  leaking.count("cycles", "cycles", "all", 10);
  leaking.count("cycles_busy", "cycles", "busy", 9);
  const auto problems = checkClosedSums(leaking);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].find("board3"), std::string::npos);
}

TEST(Statistics, HelpExplainsEachKindOfModuleOnce) {
  std::ostringstream out;
  printStatisticsHelp(out, sample());
  EXPECT_NE(out.str().find("pc.board*"), std::string::npos);
  EXPECT_EQ(out.str().find("another board"), std::string::npos);
  EXPECT_NE(out.str().find("of these busy"), std::string::npos);
}

TEST(Statistics, PrettyJsonReadsBackAndKeepsNumbers) {
  const boost::json::value value = {{"a", 30000000.0}, {"b", 0.1},
                                    {"c", 1e-12},      {"d", {{"e", -3}}},
                                    {"f", "x\"y"},     {"g", boost::json::object{}}};
  const std::string text = prettyJson(value);
  EXPECT_NE(text.find("\"a\": 30000000"), std::string::npos) << text;
  EXPECT_NE(text.find("\"c\": 1e-12"), std::string::npos) << text;
  const boost::json::value back = boost::json::parse(text);
  EXPECT_EQ(back.at("b").to_number<double>(), 0.1);
  EXPECT_EQ(back.at("d").at("e"), -3);
  EXPECT_EQ(back.at("f"), "x\"y");
}

}  // namespace
}  // namespace rtvp::report
