// See text.hpp.
#include "models/common/core/text.hpp"

#include <algorithm>
#include <bit>

namespace rtvp::common {
namespace {

std::string digitsOf(std::uint64_t value, unsigned digits, const char* alphabet) {
  std::string text(digits, '0');
  for (auto it = text.rbegin(); it != text.rend(); ++it, value >>= 4U) *it = alphabet[value & 15U];
  return text;
}

unsigned needed(std::uint64_t value, unsigned digits) {
  return std::max(digits, (static_cast<unsigned>(std::bit_width(value)) + 3) / 4);
}

constexpr const char* kLower = "0123456789abcdef";
constexpr const char* kUpper = "0123456789ABCDEF";

}  // namespace

std::string hex(std::uint64_t value, unsigned digits) {
  return digitsOf(value, needed(value, digits), kLower);
}

std::string hexUpper(std::uint64_t value, unsigned digits) {
  return digitsOf(value, needed(value, digits), kUpper);
}

std::string hexH(std::uint64_t value, unsigned digits) {
  return hexUpper(value, digits) + 'h';
}

std::string hexLowerH(std::uint64_t value, unsigned digits) {
  return hex(value, digits) + 'h';
}

std::string hex0x(std::uint64_t value, unsigned digits) {
  return "0x" + hex(value, digits);
}

std::string hexDigits(std::uint64_t value, unsigned digits) {
  return digitsOf(value, digits, kLower);
}

std::string printable(std::string_view text) {
  std::string out(text.substr(0, kQuotedCharacters));
  std::ranges::replace_if(
      out, [](char c) { return c < ' ' || c > '~'; }, '?');
  return out;
}

std::string quoted(std::string_view text) {
  return "'" + printable(text) + (text.size() > kQuotedCharacters ? "...'" : "'");
}

std::string quotedAsIs(std::string_view text) {
  return "'" + std::string(text.substr(0, kQuotedCharacters)) + "'";
}

std::string markup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace rtvp::common
