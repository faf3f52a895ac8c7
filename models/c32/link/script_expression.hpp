// Expressions of command files: `. = . + 10h`, `top = base + (size << 2)`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rtvp::c32 {

/// Steps in the order in which a stack machine takes them.
struct ScriptExpression {
  enum class Kind : std::uint8_t { Number, Symbol, Here, Operator };
  struct Step {
    Kind kind = Kind::Number;
    std::uint32_t number = 0;
    std::string symbol;
    char op = 0;  ///< + - * / % & | ^ < (<<) > (>>) n (negation) ~ A (align)
  };
  std::vector<Step> steps;

  /// True if '.' takes part.
  bool usesHere() const;
  /// True if only numbers take part.
  bool isConstant() const;
};

/// `symbol = expression`, the symbol "." being the place.
struct ScriptAssignment {
  std::string symbol;
  ScriptExpression value;
  std::uint32_t line = 0;
};

/// 32 bits, wrapping. Empty if a symbol has no value or something is divided by 0; `missing`, if
/// given, receives that symbol's name.
std::optional<std::uint32_t> evaluate(
    const ScriptExpression& expression, std::uint32_t here,
    const std::function<std::optional<std::uint32_t>(const std::string& symbol)>& symbols,
    std::string* missing = nullptr);

}  // namespace rtvp::c32
