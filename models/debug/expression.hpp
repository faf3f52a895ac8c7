// Expressions of conditions and of `print`: C's operators over registers, memory, symbols and
// numbers. An expression is parsed once, with its errors at a column, and evaluated often.
//
//   primary: 12  0x1F  1Fh  101b  1.5  'c'  NAME  UNIT.NAME  [address]  UNIT.[address] (expression)
//            abs(x)  int(x)  real(x)  single(word)
//   NAME:    a register, PC, cycle, instructions, hits, old, new, or a symbol (its address)
//   view:    .i signed  .u unsigned  .f floating point  .e bits above the integer part
//   unary:   - + ! ~ *            binary and ?: as in C, same precedence
//
// Values are 64-bit integers or doubles. A register is its integer part, signed, unless a view says
// otherwise; a word of memory likewise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/debug/program.hpp"
#include "models/debug/unit.hpp"

namespace rtvp::debug {

/// Something in a command that cannot be done; `column` counts from 0 in the command's text.
class CommandError : public std::runtime_error {
 public:
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  explicit CommandError(const std::string& what, std::size_t column = kNowhere)
      : std::runtime_error(what), column_(column) {}
  [[nodiscard]] std::size_t column() const { return column_; }

 private:
  std::size_t column_;
};

struct Value {
  bool isReal = false;
  std::int64_t integer = 0;
  double real = 0;
  [[nodiscard]] static Value of(std::int64_t i) { return {false, i, 0}; }
  [[nodiscard]] static Value of(double d) { return {true, 0, d}; }
  [[nodiscard]] double asReal() const { return isReal ? real : static_cast<double>(integer); }
  /// Truncated and limited to 64 bits.
  [[nodiscard]] std::int64_t asInteger() const;
  [[nodiscard]] bool truth() const { return isReal ? real != 0 : integer != 0; }
  friend bool operator==(const Value&, const Value&) = default;
};

/// Where names come from.
struct Scope {
  std::vector<Unit*> units;
  const Program* program = nullptr;
};

/// A unit by its name or number: all of it, or what is behind the last dot ("dsp3" of
/// "board0.dsp3", of the group that unit `focus` belongs to if there are several). A number is that
/// of the unit in its group. Empty: there is none.
[[nodiscard]] std::optional<std::size_t> unitNamed(const Scope& scope, std::size_t focus,
                                                   std::string_view name);

/// What an evaluation works on.
struct Moment {
  const Scope* scope = nullptr;
  std::size_t unit = 0;  ///< that names without a unit mean
  std::int64_t hits = 0;
  Value before, after;  ///< `old`, `new`: of a watched word or register
};

class Expression {
 public:
  /// Parses `text` from `at` on as far as it goes and moves `at` behind it. Registers are those of
  /// unit `focus`. Throws CommandError.
  static Expression parse(std::string_view text, std::size_t& at, const Scope& scope,
                          std::size_t focus);
  /// A register or `[address]` alone, to be changed.
  static Expression parseTarget(std::string_view text, std::size_t& at, const Scope& scope,
                                std::size_t focus);
  /// Throws CommandError: division by zero, nothing at an address.
  [[nodiscard]] Value evaluate(const Moment& moment) const;
  [[nodiscard]] const std::string& text() const { return text_; }

  /// What can be assigned to, or watched for its value.
  enum class Form : std::uint8_t { Other, Register, Memory };
  [[nodiscard]] Form form() const;
  /// Writes a register or a word; a real goes in as the view or the register wants it.
  void assign(const Moment& moment, const Value& value) const;

  enum class Kind : std::uint8_t {
    Number,
    Register,
    Pc,
    Cycle,
    Instructions,
    Hits,
    Old,
    New,
    Memory,
    Unary,
    Binary,
    Choice,
    Function,
  };
  struct Node {
    Kind kind = Kind::Number;
    char view = 0;        ///< i, u, f, e; 0: as it is
    std::uint8_t op = 0;  ///< Unary: its character; Binary: Operator; Function: which
    int unit = -1;        ///< Register, Memory, Pc ...: named unit, -1: the moment's
    int a = -1, b = -1, c = -1;
    unsigned reg = 0;
    std::string_view name{};  ///< Register: its name, which tells kinds of units apart
    std::size_t column = 0;
    Value number;
  };

 private:
  friend class ExpressionParser;
  [[nodiscard]] Value node(int index, const Moment& moment) const;
  [[nodiscard]] Value memory(const Node& n, const Moment& moment) const;
  [[nodiscard]] Value binary(const Node& n, const Moment& moment) const;
  [[nodiscard]] static Unit& unitOf(const Node& n, const Moment& moment);
  /// Throws CommandError: the unit is of a kind that has no such register.
  [[nodiscard]] static const Register& registerOf(const Node& n, const Unit& unit);

  std::string text_;
  std::vector<Node> nodes_;
  int root_ = -1;
};

/// An integer in hexadecimal and decimal, or a real.
std::string valueText(const Value& value, unsigned wordBits);

}  // namespace rtvp::debug
