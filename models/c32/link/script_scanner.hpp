// Reading of command files by words: names, numbers, punctuation, and assignments with their
// expressions. Internal to models/c32/link.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/c32/link/script.hpp"

namespace rtvp::c32 {

/// In upper case: words of the language are not case-sensitive.
std::string upper(std::string text);

class ScriptScanner {
 protected:
  static constexpr std::size_t kMostEntries = 1000;  ///< regions, sections, patterns
  struct Token {
    enum class Kind : std::uint8_t { Name, Punctuation, End };
    Kind kind = Kind::End;
    std::string text;
    std::uint32_t line = 1, column = 1;
  };

  explicit ScriptScanner(const std::string& text) : text_(text) {}

  static bool isSymbolChar(char c);
  char raw(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }
  /// `symbol = expression;` with = or += and its like at this token; empty if it is something else.
  /// Names here have fewer characters than those of files, so the text is read anew.
  std::optional<ScriptAssignment> assignment();
  static void push(ScriptExpression& e, const std::string& symbol);
  /// Binary operators with at least this precedence; the lowest is 0: |, then ^, &, shifts, sums,
  /// products.
  void expression(ScriptExpression& e, int least);
  void operand(ScriptExpression& e);
  /// A number, a symbol, '.', or align(n).
  void word(ScriptExpression& e);
  void closing();
  [[noreturn]] void failHere(const std::string& expected);
  [[noreturn]] void fail(const std::string& expected) const { failAt(token_, expected); }
  [[noreturn]] static void failAt(const Token& token, const std::string& expected);
  void limit(std::size_t count) const;
  char at(std::size_t ahead = 0) const;
  void step();
  void skipBlanks();
  void advance();
  /// A name between quotes: any characters but quotes and line ends.
  void quotedName();
  bool accept(const std::string& text);
  void expect(const std::string& text);
  std::string name(const std::string& what);
  bool startsNumber() const;
  /// 87FE00h, 0x87FE00 or decimal: the token, which stays.
  std::uint32_t numberOf(std::uint64_t most, const std::string& what) const;
  std::uint32_t number(std::uint64_t most, const std::string& what);

  const std::string& text_;
  std::size_t position_ = 0;
  std::uint32_t line_ = 1, column_ = 1;
  std::size_t start_ = 0;  ///< of the token
  bool quoted_ = false;    ///< the token stood between quotes
  int depth_ = 0;          ///< of expressions and groups
  Token token_;
};

}  // namespace rtvp::c32
