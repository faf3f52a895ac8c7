// Lines of reports and tables, formatted as by printf.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace rtvp::common {

/// Appends what printf would write of it, cut off behind 255 characters.
template <typename... Values>
void print(std::string& out, const char* format, Values... values) {
  char line[256];
  const int length = std::snprintf(line, sizeof line, format, values...);
  if (length > 0) out.append(line, std::min(sizeof line - 1, static_cast<std::size_t>(length)));
}

/// 0 of nothing.
inline double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace rtvp::common
