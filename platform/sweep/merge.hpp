// Results that workers left in files, read for the one collector that writes the database.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "platform/sweep/point_line.hpp"

namespace rtvp::sweep {

/// Everything readable in result files. Workers die, so files may end in the middle of a line.
struct CollectedResults {
  std::map<std::string, PointResult> found;  ///< by identity; a success wins over a failure
  std::vector<std::string> problems;         ///< "file:3: why this line gives no result"
  std::size_t more = 0;                      ///< problems beyond those
};

/// Files, folders (their *.json and *.jsonl, in order of their names) and "-" for standard input.
/// Throws InputError for a name that stands for nothing readable; a bad line is a problem.
[[nodiscard]] CollectedResults readResults(const std::vector<std::string>& names);

/// The next line, of which no more than kLongestLine + 1 bytes are kept; `ended`: with a line feed.
/// False at the end.
[[nodiscard]] bool readLine(std::istream& in, std::string& line, bool& ended);

}  // namespace rtvp::sweep
