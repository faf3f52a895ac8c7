// See scanner.hpp. Constant forms: c32.md 10.1.
#include "models/c32/asm/scanner.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace rtvp::c32 {
namespace {

bool allDigits(std::string_view text, int base) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    const int value = isDigit(c)                               ? c - '0'
                      : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                               : 99;
    return value < base;
  });
}

}  // namespace

std::string toUpper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

bool Scanner::accept(char c) {
  skipBlanks();
  if (peek() != c) return false;
  ++position_;
  return true;
}

bool Scanner::atEnd() {
  skipBlanks();
  return position_ >= line_->size() || peek() == ';' || (peek() == '|' && peek(1) == '|');
}

std::string Scanner::name() {
  const std::size_t start = position_;
  if (!isNameStart(peek())) return {};
  while (isNameChar(peek())) ++position_;
  if (peek() == '?') ++position_;
  return line_->substr(start, position_ - start);
}

std::string Scanner::qualifiedName() {
  const std::size_t start = position_;
  if (peek() == '.' && isNameStart(peek(1))) ++position_;
  if (name().empty()) return {};
  while (peek() == '.' && isNameStart(peek(1))) {
    ++position_;
    name();
  }
  return line_->substr(start, position_ - start);
}

std::string Scanner::operation() {
  const std::size_t start = position_;
  if (peek() == '.') ++position_;
  while (isNameChar(peek())) ++position_;
  return line_->substr(start, position_ - start);
}

Number Scanner::number(bool octal) {
  const std::size_t start = position_;
  std::size_t end = start;
  while (end < line_->size() && isNameChar((*line_)[end])) ++end;
  std::string_view run(line_->data() + start, end - start);
  const bool point = end < line_->size() && (*line_)[end] == '.';
  int base = 0;
  std::string_view digits = run;
  if (!point && run.size() > 1) {
    const char last = static_cast<char>(run.back() | 0x20);
    const std::string_view body = run.substr(0, run.size() - 1);
    if (run[0] == '0' && (run[1] | 0x20) == 'x') {
      base = 16, digits = run.substr(2);
    } else if (last == 'h') {
      base = 16, digits = body;
    } else if (last == 'q' || last == 'o') {
      base = 8, digits = body;
    } else if (last == 'b' && allDigits(body, 2)) {
      base = 2, digits = body;
    } else if (octal && run[0] == '0' && allDigits(run, 10)) {
      base = 8;
    }
  }
  if (base == 0 && !point && allDigits(run, 10)) base = 10;
  if (base != 0) {
    std::uint64_t value = 0;
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (digits.empty() || stop != digits.data() + digits.size() || error != std::errc{} ||
        value > 0xFFFFFFFFu) {
      failAt(start, "an integer constant of at most 32 bits");
    }
    position_ = end;
    return {.isFloat = false, .integer = static_cast<std::int64_t>(value), .real = 0};
  }
  // 0f1.5 and 0e1.5 are spellings of another assembler; what follows the prefix is a plain float.
  std::size_t from = start;
  if (run.size() > 1 && run[0] == '0' && ((run[1] | 0x20) == 'f' || (run[1] | 0x20) == 'e'))
    from += 2;
  std::size_t first = from;
  if (first > start && (first < line_->size() && (*line_)[first] == '+')) ++first;
  const char lead = first < line_->size() ? (*line_)[first] : '\0';
  const char afterSign = lead == '-' && first + 1 < line_->size() ? (*line_)[first + 1] : lead;
  double value = 0;
  const char* const text = line_->data();
  if (!isDigit(afterSign) && afterSign != '.') failAt(start, "a number");
  const auto [stop, error] = std::from_chars(text + first, text + line_->size(), value);
  position_ = static_cast<std::size_t>(stop - text);
  if (error != std::errc{} || isNameChar(peek()) || peek() == '.') failAt(start, "a number");
  return {.isFloat = true, .integer = 0, .real = value};
}

char Scanner::escape() {
  const char c = next();
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case '0':
      return '\0';
    case '\\':
    case '"':
    case '\'':
      return c;
    default:
      --position_;
      fail("an escape n, t, r, 0, \\, \" or '");
  }
}

std::string Scanner::quoted() {
  const std::size_t start = position_;
  if (next() != '"') failAt(start, "a quoted string");
  std::string text;
  while (position_ < line_->size()) {
    const char c = next();
    if (c == '"') {
      if (peek() != '"') return text;
      ++position_;
    }
    text += c == '\\' ? escape() : c;
  }
  throw SourceError(start, "found a string without end, expected a closing \"");
}

std::uint32_t Scanner::characterConstant() {
  const std::size_t start = position_++;
  std::uint32_t value = 0;
  for (int count = 0; count <= 4 && position_ < line_->size(); ++count) {
    char c = next();
    if (c == '\'') {
      if (peek() != '\'') {
        if (count == 0) break;
        return value;
      }
      ++position_;
    }
    if (c == '\\') c = escape();
    value |=
        count < 4 ? static_cast<std::uint32_t>(static_cast<unsigned char>(c)) << (8 * count) : 0;
  }
  throw SourceError(
      start, "found a bad character constant, expected one to four characters between ' and '");
}

}  // namespace rtvp::c32
