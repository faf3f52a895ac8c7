// See expression.hpp.
#include "models/c32/asm/expression.hpp"

#include <array>
#include <string_view>
#include <vector>

#include "models/c32/asm/math_functions.hpp"

namespace rtvp::c32 {
namespace {

constexpr int kMaxNesting =
    64;  ///< parentheses and unary signs; keeps the recursion off the stack's end

struct Operator {
  std::string_view text;
  int level;  ///< higher binds tighter
};
// Longer spellings first.
constexpr std::array kOperators = {
    Operator{"<<", 7}, Operator{">>", 7}, Operator{"<=", 6}, Operator{">=", 6}, Operator{"==", 5},
    Operator{"!=", 5}, Operator{"<>", 5}, Operator{"&&", 1}, Operator{"||", 0}, Operator{"<", 6},
    Operator{">", 6},  Operator{"=", 5},  Operator{"*", 9},  Operator{"/", 9},  Operator{"%", 9},
    Operator{"+", 8},  Operator{"-", 8},  Operator{"&", 4},  Operator{"^", 3},  Operator{"|", 2}};

class Parser {
 public:
  Parser(Scanner& scanner, const SymbolLookup& lookup, bool condition)
      : s_(scanner), lookup_(lookup), condition_(condition) {}

  Value binary(int level, int depth) {
    Value left = unary(depth);
    while (const Operator* op = peekOperator(level)) {
      const std::size_t at = s_.position();
      s_.seek(at + op->text.size());
      const Value right = binary(op->level + 1, depth + 1);
      const bool address = left.address || right.address;
      left = apply(op->text, left, right, at);
      left.address = address;
    }
    return left;
  }

 private:
  const Operator* peekOperator(int level) {
    s_.skipBlanks();
    if (s_.peek() == '|' && s_.peek(1) == '|' && !condition_)
      return nullptr;  // second half of a parallel pair
    for (const Operator& op : kOperators) {
      if (s_.peek() == op.text[0] && (op.text.size() == 1 || s_.peek(1) == op.text[1])) {
        return op.level >= level ? &op : nullptr;
      }
    }
    return nullptr;
  }

  Value unary(int depth) {
    if (depth > kMaxNesting) s_.fail("an expression nested less deeply");
    s_.skipBlanks();
    const std::size_t at = s_.position();
    const char c = s_.peek();
    if (c != '+' && c != '-' && c != '~' && c != '!') return primary(depth);
    s_.next();
    Value v = unary(depth + 1);
    if (c == '+') return v;
    if (v.relative()) throw SourceError(at, "found an operator on an address, expected a constant");
    if (v.isFloat) {
      if (c != '-') throw SourceError(at, "found a floating constant, expected an integer");
      v.real = -v.real;
      return v;
    }
    const auto bits = static_cast<std::uint32_t>(v.integer);
    v.integer = c == '-'   ? static_cast<std::int32_t>(0u - bits)
                : c == '~' ? static_cast<std::int32_t>(~bits)
                           : static_cast<std::int32_t>(bits == 0);
    return v;
  }

  Value primary(int depth) {
    const char c = s_.peek();
    if (isDigit(c) || (c == '.' && isDigit(s_.peek(1)))) {
      const Number n = s_.number(lookup_.leadingZeroOctal);
      if (n.isFloat) return {.isFloat = true, .real = n.real};
      return Value::of(static_cast<std::int32_t>(static_cast<std::uint32_t>(n.integer)));
    }
    if (c == '\'') return Value::of(static_cast<std::int32_t>(s_.characterConstant()));
    if (c == '(') {
      s_.next();
      const Value v = binary(0, depth + 1);
      if (!s_.accept(')')) s_.fail("')'");
      return v;
    }
    const std::size_t at = s_.position();
    const std::string name = s_.qualifiedName();
    if (name.empty()) s_.fail("an expression");
    if (name[0] == '$' && s_.peek() == '(' && isMathFunction(name)) return call(name, at, depth);
    return lookup_(name, at);
  }

  Value call(const std::string& name, std::size_t at, int depth) {
    s_.next();
    std::vector<Value> arguments;
    do {
      arguments.push_back(binary(0, depth + 1));
    } while (s_.accept(','));
    if (!s_.accept(')')) s_.fail("')'");
    return callMath(name, arguments, at);
  }

  static Value applyReal(std::string_view op, double a, double b, std::size_t at) {
    Value v{.isFloat = true};
    if (op == "+")
      v.real = a + b;
    else if (op == "-")
      v.real = a - b;
    else if (op == "*")
      v.real = a * b;
    else if (op == "/" && b != 0)
      v.real = a / b;
    else if (op == "/")
      throw SourceError(at, "found a division by zero, expected a nonzero divisor");
    else if (op == "<")
      return Value::of(a < b);
    else if (op == ">")
      return Value::of(a > b);
    else if (op == "<=")
      return Value::of(a <= b);
    else if (op == ">=")
      return Value::of(a >= b);
    else if (op == "=" || op == "==")
      return Value::of(a == b);
    else if (op == "!=" || op == "<>")
      return Value::of(a != b);
    else if (op == "&&")
      return Value::of(a != 0 && b != 0);
    else if (op == "||")
      return Value::of(a != 0 || b != 0);
    else
      throw SourceError(at, "found a floating operand of an integer operator, expected integers");
    return v;
  }

  static Value applyAddress(std::string_view op, const Value& a, const Value& b, std::size_t at) {
    const auto sum = static_cast<std::uint32_t>(a.integer) + static_cast<std::uint32_t>(b.integer);
    const auto difference =
        static_cast<std::uint32_t>(a.integer) - static_cast<std::uint32_t>(b.integer);
    if (a.isFloat || b.isFloat)
      throw SourceError(at, "found an address and a float, expected integers");
    const bool same = a.section == b.section && a.symbol == b.symbol && a.load == b.load;
    if (op == "-" && same) return Value::of(static_cast<std::int32_t>(difference));
    Value v = a.relative() ? a : b;
    if (op == "+" && (!a.relative() || !b.relative())) {
      v.integer = static_cast<std::int32_t>(sum);
      return v;
    }
    if (op == "-" && !b.relative()) {
      v.integer = static_cast<std::int32_t>(difference);
      return v;
    }
    // Halves of an address that the linker will know.
    if (a.relative() && !b.relative() && a.part == Part::Whole) {
      if (op == ">>" && b.integer == 16) return v.part = Part::High8, v;
      if (op == "&" && b.integer == 0xFFFF) return v.part = Part::Low16, v;
    }
    if (a.part == Part::High8 && op == "&" && b.integer >= 0xFF && !b.relative()) return v;
    if (same) return applyInteger(op, a.integer, b.integer, at);
    throw UndefinedSymbol(at,
                          "found an address not placed yet, expected a constant, or an address "
                          "plus or minus a constant");
  }

  static Value applyInteger(std::string_view op, std::int32_t a, std::int32_t b, std::size_t at) {
    const auto ua = static_cast<std::uint32_t>(a), ub = static_cast<std::uint32_t>(b);
    const auto wrap = [](std::uint64_t v) {
      return Value::of(static_cast<std::int32_t>(static_cast<std::uint32_t>(v)));
    };
    if (op == "+") return wrap(ua + ub);
    if (op == "-") return wrap(ua - ub);
    if (op == "*") return wrap(std::uint64_t{ua} * ub);
    if (op == "/" || op == "%") {
      if (b == 0) throw SourceError(at, "found a division by zero, expected a nonzero divisor");
      const std::int64_t q = op == "/" ? std::int64_t{a} / b : std::int64_t{a} % b;
      return wrap(static_cast<std::uint64_t>(q));
    }
    if (op == "<<") return wrap(ub < 32 ? ua << ub : 0);
    if (op == ">>") return Value::of(a >> (ub < 31 ? ub : 31));
    if (op == "<") return Value::of(a < b);
    if (op == ">") return Value::of(a > b);
    if (op == "<=") return Value::of(a <= b);
    if (op == ">=") return Value::of(a >= b);
    if (op == "!=" || op == "<>") return Value::of(a != b);
    if (op == "&&") return Value::of(a != 0 && b != 0);
    if (op == "||") return Value::of(a != 0 || b != 0);
    if (op == "&") return wrap(ua & ub);
    if (op == "^") return wrap(ua ^ ub);
    if (op == "|") return wrap(ua | ub);
    return Value::of(a == b);
  }

  static Value apply(std::string_view op, const Value& a, const Value& b, std::size_t at) {
    if (a.relative() || b.relative()) return applyAddress(op, a, b, at);
    if (a.isFloat || b.isFloat) return applyReal(op, a.asReal(), b.asReal(), at);
    return applyInteger(op, a.integer, b.integer, at);
  }

  Scanner& s_;
  const SymbolLookup& lookup_;
  bool condition_;
};

}  // namespace

Value parseExpression(Scanner& scanner, const SymbolLookup& lookup, bool condition) {
  return Parser(scanner, lookup, condition).binary(0, 0);
}

}  // namespace rtvp::c32
