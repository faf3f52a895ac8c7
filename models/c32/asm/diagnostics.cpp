// See diagnostics.hpp.
#include "models/c32/asm/diagnostics.hpp"

#include <cctype>

#include "models/common/core/text.hpp"

namespace rtvp::c32 {

std::string addressText(std::uint32_t address) {
  return common::hexH(address & 0xFFFFFFU, 6);
}

std::string foundExpected(const std::string& line, std::size_t position,
                          const std::string& expected) {
  constexpr std::size_t kQuoted = 24;
  while (position < line.size() && (line[position] == ' ' || line[position] == '\t')) ++position;
  std::string found = "end of line";
  if (position < line.size() && line[position] != ';') {
    found = "'";
    const auto word = [&](std::size_t i) {
      const auto c = static_cast<unsigned char>(line[i]);
      return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '$';
    };
    std::size_t end = position + 1;
    if (word(position)) {
      while (end < line.size() && word(end) && end - position < kQuoted) ++end;
    }
    for (std::size_t i = position; i < end; ++i) {
      const auto c = static_cast<unsigned char>(line[i]);
      found += c >= 0x20 && c < 0x7F ? line[i] : '?';
    }
    found += "'";
  }
  return "found " + found + ", expected " + expected;
}

}  // namespace rtvp::c32
