// Parser of expressions; internal to the debug core. The language: expression.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/debug/expression.hpp"

namespace rtvp::debug {

enum class Operator : std::uint8_t {
  OrElse,
  AndAlso,
  Or,
  Xor,
  And,
  Equal,
  Unequal,
  Less,
  AtMost,
  Greater,
  AtLeast,
  ShiftLeft,
  ShiftRight,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
};

/// Index of a register by its name in either case.
std::optional<unsigned> registerNamed(const Unit& unit, std::string_view name);

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, std::size_t at, const Scope& scope, std::size_t focus)
      : text_(text), at_(at), scope_(scope), focus_(focus) {}
  Expression whole();
  /// A register or [address] alone: what follows is not its right operand.
  Expression target();
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  Expression named(std::size_t first);
  int choice();
  int binary(int lowest);
  int unary();
  int postfix();
  int primary();
  int number();
  int name(int unit);
  int unitPrefix();
  int add(Expression::Node node);
  void skip();
  bool accept(char c);
  void expect(char c);
  [[noreturn]] void fail(const std::string& expected) const;
  [[nodiscard]] std::string hint(const Unit& unit, std::string_view word) const;

  std::string_view text_;
  std::size_t at_;
  const Scope& scope_;
  std::size_t focus_;
  unsigned depth_ = 0;
  Expression result_;
};

}  // namespace rtvp::debug
