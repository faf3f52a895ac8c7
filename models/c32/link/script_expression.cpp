// See script_expression.hpp.
#include "models/c32/link/script_expression.hpp"

#include <algorithm>

namespace rtvp::c32 {
namespace {

using Kind = ScriptExpression::Kind;

std::optional<std::uint32_t> binary(char op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return b == 0 ? std::nullopt : std::optional(a / b);
    case '%':
      return b == 0 ? std::nullopt : std::optional(a % b);
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '<':
      return b > 31 ? 0 : a << b;
    case '>':
      return b > 31 ? 0 : a >> b;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool ScriptExpression::usesHere() const {
  return std::any_of(steps.begin(), steps.end(), [](const Step& s) {
    return s.kind == Kind::Here || (s.kind == Kind::Operator && s.op == 'A');
  });
}

bool ScriptExpression::isConstant() const {
  return !usesHere() && std::none_of(steps.begin(), steps.end(),
                                     [](const Step& s) { return s.kind == Kind::Symbol; });
}

std::optional<std::uint32_t> evaluate(
    const ScriptExpression& expression, std::uint32_t here,
    const std::function<std::optional<std::uint32_t>(const std::string& symbol)>& symbols,
    std::string* missing) {
  std::vector<std::uint32_t> stack;
  const auto pop = [&] {
    const std::uint32_t top = stack.empty() ? 0 : stack.back();
    if (!stack.empty()) stack.pop_back();
    return top;
  };
  for (const ScriptExpression::Step& s : expression.steps) {
    std::optional<std::uint32_t> value = s.number;
    if (s.kind == Kind::Here) value = here;
    if (s.kind == Kind::Symbol) {
      value = symbols(s.symbol);
      if (!value && missing != nullptr) *missing = s.symbol;
    } else if (s.kind == Kind::Operator) {
      const std::uint32_t b = pop();
      if (s.op == 'n') {
        value = 0u - b;
      } else if (s.op == '~') {
        value = ~b;
      } else if (s.op == 'A') {
        value = b == 0 ? std::nullopt : std::optional((here + b - 1) / b * b);
      } else {
        const std::uint32_t a = pop();
        value = binary(s.op, a, b);
      }
    }
    if (!value) return std::nullopt;
    stack.push_back(*value);
  }
  return stack.size() == 1 ? std::optional(stack.back()) : std::nullopt;
}

}  // namespace rtvp::c32
