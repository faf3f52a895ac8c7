// Cursor over one source line: names, numbers, strings. Every failure is a SourceError with a
// position.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/c32/asm/diagnostics.hpp"

namespace rtvp::c32 {

constexpr bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
constexpr bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool isNameChar(char c) {
  return isNameStart(c) || isDigit(c);
}
constexpr bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

std::string toUpper(std::string_view text);

/// A numeric literal: an integer (32 bits, as unsigned) or a floating constant.
struct Number {
  bool isFloat = false;
  std::int64_t integer = 0;
  double real = 0;
};

class Scanner {
 public:
  /// The line must outlive the scanner.
  Scanner(const std::string& line, std::size_t position) : line_(&line), position_(position) {}

  std::size_t position() const { return position_; }
  void seek(std::size_t position) { position_ = position; }
  const std::string& line() const { return *line_; }
  void skipBlanks() {
    while (position_ < line_->size() && isBlank((*line_)[position_])) ++position_;
  }
  /// Character `ahead` of the cursor; NUL past the end.
  char peek(std::size_t ahead = 0) const {
    return position_ + ahead < line_->size() ? (*line_)[position_ + ahead] : '\0';
  }
  char next() { return position_ < line_->size() ? (*line_)[position_++] : '\0'; }
  /// Skips blanks, then consumes `c` if it is there.
  bool accept(char c);
  /// At the end of the statement: nothing, a comment, or the `||` of a parallel pair?
  bool atEnd();
  /// A name (letters, digits, _, $, optional final ?); empty if there is none here.
  std::string name();
  /// Names joined by dots, with a leading dot admitted: a member of a structure, a section, a
  /// symbol that the assembler predefines.
  std::string qualifiedName();
  /// Name of a directive or mnemonic: as name(), with a leading dot admitted.
  std::string operation();
  /// `octal`: a leading zero means base 8.
  Number number(bool octal = false);
  /// Text of a "string" with "" and backslash escapes resolved.
  std::string quoted();
  /// A 'c' constant: up to four characters, first in the low byte.
  std::uint32_t characterConstant();

  [[noreturn]] void fail(const std::string& expected) { failAt(position_, expected); }
  [[noreturn]] void failAt(std::size_t position, const std::string& expected) const {
    throw SourceError(position, foundExpected(*line_, position, expected));
  }

 private:
  char escape();
  const std::string* line_;
  std::size_t position_;
};

}  // namespace rtvp::c32
