// See text.hpp.
#include "models/implicit/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "models/common/core/text.hpp"

namespace rtvp::implicit::text {

std::string shown(std::string_view text) {
  return "'" + common::printable(text) + "'";
}

std::vector<Word> wordsOf(std::string_view line, char comment) {
  std::vector<Word> words;
  line = line.substr(0, line.find(comment));
  constexpr std::string_view kBlank = " \t\r";
  for (std::size_t at = 0; (at = line.find_first_not_of(kBlank, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
    words.push_back({line.substr(at, end - at), static_cast<std::uint32_t>(at + 1)});
    at = end;
  }
  return words;
}

/// A decimal number rounded once to binary32; what vanishes becomes 0.
float numberOf(std::string_view text, std::uint32_t column) {
  const std::string found = "found " + shown(text) + ", expected a ";
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const bool plain = digits.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
  float value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, value);
  if (!plain || end != last || (error != std::errc{} && error != std::errc::result_out_of_range) ||
      (text.starts_with('+') && digits.starts_with('-')))
    throw LineError{column, found + "decimal number"};
  if (error == std::errc::result_out_of_range) {
    double wide = 0;
    const auto [ignored, wide_error] = std::from_chars(digits.data(), last, wide);
    const std::size_t e = digits.find_first_of("eE");
    const bool tiny = wide_error == std::errc{}
                          ? std::abs(wide) < 1
                          : e != std::string_view::npos && digits.substr(e + 1).starts_with('-');
    if (!tiny) throw LineError{column, found + "number within binary32"};
    return digits.starts_with('-') ? -0.0F : 0.0F;
  }
  return value;
}

}  // namespace rtvp::implicit::text
