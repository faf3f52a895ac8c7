// See script_scanner.hpp.
#include "models/c32/link/script_scanner.hpp"

#include <array>
#include <cctype>

namespace rtvp::c32 {
namespace {

bool isWordChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$' ||
         c == '/' || c == '-' || c == '?' || c == '*' || c == '\\' || c == '+' || c == '@';
}

}  // namespace

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

bool ScriptScanner::isSymbolChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.';
}

/// `symbol = expression;` with = or += and its like at this token; empty if it is something else.
/// Names here have fewer characters than those of files, so the text is read anew.
std::optional<ScriptAssignment> ScriptScanner::assignment() {
  if (token_.kind != Token::Kind::Name || quoted_) return std::nullopt;
  std::size_t end = start_;
  while (isSymbolChar(raw(end))) ++end;
  std::size_t equals = end;
  while (std::isspace(static_cast<unsigned char>(raw(equals))) != 0) ++equals;
  const char op = raw(equals);
  const bool compound = op != '\0' && std::string("+-*/&|").find(op) != std::string::npos;
  if (compound) ++equals;
  const bool digit = std::isdigit(static_cast<unsigned char>(raw(start_))) != 0;
  if (end == start_ || digit || raw(equals) != '=') return std::nullopt;
  ScriptAssignment a;
  a.symbol = text_.substr(start_, end - start_);
  a.line = token_.line;
  position_ = start_;
  line_ = token_.line;
  column_ = token_.column;
  while (position_ <= equals) step();
  if (compound) push(a.value, a.symbol);
  expression(a.value, 0);
  if (compound) a.value.steps.push_back({ScriptExpression::Kind::Operator, 0, {}, op});
  advance();
  accept(";");
  return a;
}

void ScriptScanner::push(ScriptExpression& e, const std::string& symbol) {
  const bool here = symbol == ".";
  e.steps.push_back({here ? ScriptExpression::Kind::Here : ScriptExpression::Kind::Symbol, 0,
                     here ? std::string() : symbol, 0});
}

/// Binary operators with at least this precedence; the lowest is 0: |, then ^, &, shifts, sums,
/// products.
void ScriptScanner::expression(ScriptExpression& e, int least) {
  if (++depth_ > 100 || e.steps.size() > kMostEntries) failHere("a shorter expression");
  operand(e);
  for (;;) {
    skipBlanks();
    const std::string ops = "|^&<>+-*/%";
    const std::size_t which = at() == '\0' ? std::string::npos : ops.find(at());
    static constexpr std::array kPrecedence{0, 1, 2, 3, 3, 4, 4, 5, 5, 5};
    if (which == std::string::npos || kPrecedence[which] < least) break;
    const char op = at();
    step();
    if (op == '<' || op == '>') {
      if (at() != op) failHere("<< or >>");
      step();
    }
    expression(e, kPrecedence[which] + 1);
    e.steps.push_back({ScriptExpression::Kind::Operator, 0, {}, op});
  }
  --depth_;
}

void ScriptScanner::operand(ScriptExpression& e) {
  skipBlanks();
  const char c = at();
  if (c == '-' || c == '~') {
    step();
    if (++depth_ > 100) failHere("a shorter expression");
    operand(e);
    --depth_;
    e.steps.push_back({ScriptExpression::Kind::Operator, 0, {}, c == '-' ? 'n' : '~'});
  } else if (c == '(') {
    step();
    expression(e, 0);
    closing();
  } else {
    word(e);
  }
}

/// A number, a symbol, '.', or align(n).
void ScriptScanner::word(ScriptExpression& e) {
  token_ = {Token::Kind::Name, "", line_, column_};
  while (isSymbolChar(at())) {
    token_.text += at();
    step();
  }
  if (token_.text.empty()) failHere("a number, a symbol or '.'");
  if (startsNumber()) {
    e.steps.push_back({ScriptExpression::Kind::Number, numberOf(0xFFFFFFFFu, "a number"), {}, 0});
    return;
  }
  const std::string text = token_.text;
  skipBlanks();
  if (upper(text) != "ALIGN" || at() != '(') return push(e, text);
  step();
  expression(e, 0);
  closing();
  e.steps.push_back({ScriptExpression::Kind::Operator, 0, {}, 'A'});
}

void ScriptScanner::closing() {
  skipBlanks();
  if (at() != ')') failHere("')'");
  step();
}

void ScriptScanner::failHere(const std::string& expected) {
  advance();
  fail(expected);
}

void ScriptScanner::failAt(const Token& token, const std::string& expected) {
  const std::string found =
      token.kind == Token::Kind::End ? "end of file" : "'" + token.text.substr(0, 40) + "'";
  throw ScriptError(token.line, token.column, "found " + found + ", expected " + expected);
}

void ScriptScanner::limit(std::size_t count) const {
  if (count > kMostEntries) fail("at most " + std::to_string(kMostEntries) + " entries");
}

char ScriptScanner::at(std::size_t ahead) const {
  return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
}

void ScriptScanner::step() {
  if (at() == '\n') {
    ++line_;
    column_ = 1;
  } else {
    ++column_;
  }
  ++position_;
}

void ScriptScanner::skipBlanks() {
  while (position_ < text_.size()) {
    if (at() == '/' && at(1) == '*') {
      const Token open{Token::Kind::Name, "/*", line_, column_};
      while (position_ < text_.size() && !(at() == '*' && at(1) == '/')) step();
      if (position_ >= text_.size()) failAt(open, "*/ behind it");
      step();
      step();
    } else if (at() == '#') {
      while (position_ < text_.size() && at() != '\n') step();
    } else if (std::isspace(static_cast<unsigned char>(at())) != 0) {
      step();
    } else {
      return;
    }
  }
}

void ScriptScanner::advance() {
  skipBlanks();
  quoted_ = at() == '"';
  start_ = position_;
  token_ = {Token::Kind::End, "", line_, column_};
  if (position_ >= text_.size()) return;
  if (at() == '"') return quotedName();
  if (!isWordChar(at())) {
    token_.kind = Token::Kind::Punctuation;
    const char c = at();
    token_.text = c >= 0x20 && c < 0x7F ? std::string(1, c) : "?";
    step();
    return;
  }
  token_.kind = Token::Kind::Name;
  while (position_ < text_.size() && isWordChar(at()) && !(at() == '/' && at(1) == '*')) {
    token_.text += at();
    step();
  }
}

/// A name between quotes: any characters but quotes and line ends.
void ScriptScanner::quotedName() {
  const Token open{Token::Kind::Name, "\"", line_, column_};
  step();
  while (position_ < text_.size() && at() != '"' && at() != '\n') {
    token_.text += at();
    step();
  }
  if (at() != '"' || token_.text.empty()) failAt(open, "a name between quotes");
  step();
  token_.kind = Token::Kind::Name;
}

bool ScriptScanner::accept(const std::string& text) {
  if (token_.kind == Token::Kind::End || token_.text != text) return false;
  advance();
  return true;
}

void ScriptScanner::expect(const std::string& text) {
  if (!accept(text)) fail("'" + text + "'");
}

std::string ScriptScanner::name(const std::string& what) {
  if (token_.kind != Token::Kind::Name) fail(what);
  std::string text = token_.text;
  advance();
  return text;
}

bool ScriptScanner::startsNumber() const {
  return token_.kind == Token::Kind::Name &&
         std::isdigit(static_cast<unsigned char>(token_.text[0])) != 0;
}

/// 87FE00h, 0x87FE00 or decimal: the token, which stays.
std::uint32_t ScriptScanner::numberOf(std::uint64_t most, const std::string& what) const {
  if (!startsNumber()) fail(what);
  std::string digits = token_.text;
  int base = 10;
  if (digits.size() > 2 && (digits[1] == 'x' || digits[1] == 'X')) {
    base = 16;
    digits = digits.substr(2);
  } else if (digits.back() == 'h' || digits.back() == 'H') {
    base = 16;
    digits.pop_back();
  }
  std::uint64_t value = 0;
  for (const char c : digits) {
    const auto u = static_cast<unsigned char>(c);
    const int digit = std::isdigit(u) != 0    ? c - '0'
                      : std::isxdigit(u) != 0 ? std::toupper(u) - 'A' + 10
                                              : 99;
    if (digit >= base || value > most) fail(what);
    value = value * static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(digit);
  }
  if (value > most) fail(what);
  return static_cast<std::uint32_t>(value);
}

std::uint32_t ScriptScanner::number(std::uint64_t most, const std::string& what) {
  const std::uint32_t value = numberOf(most, what);
  advance();
  return value;
}

}  // namespace rtvp::c32
