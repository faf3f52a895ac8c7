// Formulas over a run's figures.
#include <gtest/gtest.h>

#include <random>

#include "platform/exit_status.hpp"
#include "platform/sweep/formula.hpp"

namespace rtvp::sweep {
namespace {

std::optional<double> here(std::string_view name) {
  if (name == "a") return 6;
  if (name == "b.c_2") return 4;
  if (name == "zero") return 0;
  return std::nullopt;
}
std::optional<double> first(std::string_view name) {
  return name == "a" ? std::optional<double>(60) : std::nullopt;
}

std::optional<double> value(const std::string& text) {
  return Formula(text, "test").evaluate(here, first);
}

TEST(SweepFormula, Arithmetic) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1+2)*3"), 9);
  EXPECT_EQ(value("8 - 2 - 1"), 5);
  EXPECT_EQ(value("8/2/2"), 2);
  EXPECT_EQ(value("-a + 10"), 4);
  EXPECT_EQ(value("a / b.c_2 * 1e2"), 150);
  EXPECT_EQ(value("2 - -3"), 5);
  EXPECT_EQ(value("min(a, 2) + max(a, b.c_2) + log2(8)"), 11);
  EXPECT_EQ(value("first(a) / a"), 10);
  EXPECT_EQ(value(".5*4"), 2);
}

TEST(SweepFormula, WhatHasNoValueHasNone) {
  EXPECT_EQ(value("unknown"), std::nullopt);
  EXPECT_EQ(value("1 + unknown"), std::nullopt);
  EXPECT_EQ(value("a / zero"), std::nullopt);
  EXPECT_EQ(value("log2(zero - 1)"), std::nullopt);
  EXPECT_EQ(value("first(b.c_2)"), std::nullopt);
}

TEST(SweepFormula, Names) {
  EXPECT_EQ(Formula("a + first(b.c / 2) * max(d, a)", "test").names(),
            (std::vector<std::string>{"a", "b.c", "d", "a"}));
}

TEST(SweepFormula, ErrorsNameTheColumn) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "column 1 "},
      {"1 +", "column 4 "},
      {"(1", "column 3 "},
      {"1 2", "column 3 "},
      {"sin(1)", "column 1 "},
      {"min(1)", "column 6 "},
      {"max(1,2,3)", "column 8 "},
      {"a $ b", "column 3 "},
      {"1)", "column 2 "},
      {std::string(200, '('), "nested"},
      {std::string(200, '-') + "1", "nested"},
      {std::string(5000, '1'), "2000 characters"}};
  for (const auto& [text, expected] : cases) {
    try {
      (void)Formula(text, "test");
      ADD_FAILURE() << text;
    } catch (const platform::InputError& e) {
      EXPECT_NE(std::string(e.what()).find(expected), std::string::npos) << e.what();
    }
  }
}

TEST(SweepFormula, AnyTextIsReadOrRefused) {
  constexpr unsigned kSeed = 20262;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const std::string letters = "ab.c_2()+-*/, 19efirstmin";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (auto n = random() % 20; n > 0; --n) text += letters[random() % letters.size()];
    try {
      (void)value(text);
    } catch (const platform::InputError&) {
    }
  }
}

}  // namespace
}  // namespace rtvp::sweep
