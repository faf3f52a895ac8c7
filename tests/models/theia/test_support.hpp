// Readers for the data files of tests/data/theia, and what is shared by THEIA's tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "models/theia/core.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::theia::test {

inline const std::string kData = std::string(RTVP_SOURCE_DIR) + "/tests/data/theia/";

/// Random tests count their seeds from here; the environment moves them, for soak runs:
/// RTVP_SEED_BASE=1000000 test_theia_core --gtest_filter='*Random*'.
inline unsigned seedBase() {
  const char* const text = std::getenv("RTVP_SEED_BASE");
  return text == nullptr ? 0 : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Rows of a tab-separated text without its # lines.
inline std::vector<std::vector<std::string>> rows(const std::string& text) {
  std::vector<std::vector<std::string>> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells;
    std::istringstream cell(line);
    for (std::string c; std::getline(cell, c, '\t');) cells.push_back(c);
    out.push_back(cells);
  }
  return out;
}

inline Word word(const std::string& hex) {
  return static_cast<Word>(std::stoul(hex, nullptr, 16));
}
inline Vec vec(const std::string& hex24) {
  return {word(hex24.substr(0, 8)), word(hex24.substr(8, 8)), word(hex24.substr(16, 8))};
}
inline std::string show(const Vec& v) {
  char text[40];
  std::snprintf(text, sizeof text, "%08x%08x%08x", v.x, v.y, v.z);
  return text;
}

}  // namespace rtvp::theia::test

namespace rtvp::theia {
inline void PrintTo(const Vec& v, std::ostream* os) {
  *os << test::show(v);
}
}  // namespace rtvp::theia
