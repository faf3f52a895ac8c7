// What the text formats of this folder share: words of a line with their columns, decimal numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rtvp::implicit::text {

struct Word {
  std::string_view text;
  std::uint32_t column;  ///< from 1, in bytes
};

/// Ends the line that is wrong.
struct LineError {
  std::uint32_t column;
  std::string message;
};

/// Text of a source as a message may quote it.
std::string shown(std::string_view text);
/// Words between blanks, up to the character that starts a comment.
std::vector<Word> wordsOf(std::string_view line, char comment);
/// A decimal number rounded once to binary32; what vanishes becomes 0. Throws LineError.
float numberOf(std::string_view text, std::uint32_t column);

}  // namespace rtvp::implicit::text
