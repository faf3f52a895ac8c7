// Evaluation. See expression.hpp.
#include "models/debug/expression.hpp"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <limits>

#include "models/common/core/text.hpp"
#include "models/debug/expression_parser.hpp"

namespace rtvp::debug {
namespace {

/// The low `bits` as a signed number.
std::int64_t extend(std::uint64_t raw, unsigned bits) {
  if (bits >= 64) return static_cast<std::int64_t>(raw);
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  raw &= (sign << 1) - 1;
  return static_cast<std::int64_t>((raw ^ sign) - sign);
}

std::uint64_t low(std::uint64_t raw, unsigned bits) {
  return bits >= 64 ? raw : raw & ((std::uint64_t{1} << bits) - 1);
}

// Unsigned arithmetic: C++ leaves the overflow of signed numbers undefined.
std::int64_t wrap(std::uint64_t x) {
  return static_cast<std::int64_t>(x);
}

std::int64_t shifted(std::int64_t x, std::int64_t by, bool left, std::size_t column) {
  if (by < 0 || by > 63)
    throw CommandError("found a shift by " + std::to_string(by) + ", expected 0 to 63", column);
  return left ? wrap(static_cast<std::uint64_t>(x) << by) : x >> by;
}

Value compared(Operator op, bool less, bool equal) {
  switch (op) {
    case Operator::Less:
      return Value::of(std::int64_t{less});
    case Operator::AtMost:
      return Value::of(std::int64_t{less || equal});
    case Operator::Greater:
      return Value::of(std::int64_t{!less && !equal});
    case Operator::AtLeast:
      return Value::of(std::int64_t{!less});
    case Operator::Equal:
      return Value::of(std::int64_t{equal});
    default:
      return Value::of(std::int64_t{!equal});
  }
}

}  // namespace

std::optional<std::size_t> unitNamed(const Scope& scope, std::size_t focus, std::string_view name) {
  // "board0." of "board0.dsp3".
  const auto group = [&scope](std::size_t u) {
    const std::string_view all = scope.units[u]->name();
    const std::size_t dot = all.rfind('.');
    return all.substr(0, dot == std::string_view::npos ? 0 : dot + 1);
  };
  const std::string_view mine = group(focus);
  std::optional<std::size_t> elsewhere;
  std::size_t number = 0;
  for (std::size_t u = 0; u < scope.units.size(); ++u) {
    const std::string_view all = scope.units[u]->name();
    if (all == name) return u;
    const std::string_view its = group(u);
    if (its == mine && (all.substr(its.size()) == name || std::to_string(number++) == name))
      return u;
    if (!elsewhere && all.substr(its.size()) == name) elsewhere = u;
  }
  return elsewhere;
}

std::int64_t Value::asInteger() const {
  if (!isReal) return integer;
  if (std::isnan(real)) return 0;
  constexpr double kLimit = 9.2e18;
  if (real >= kLimit) return std::numeric_limits<std::int64_t>::max();
  if (real <= -kLimit) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(real);
}

Unit& Expression::unitOf(const Node& n, const Moment& moment) {
  return *moment.scope->units.at(n.unit < 0 ? moment.unit : static_cast<std::size_t>(n.unit));
}

const Register& Expression::registerOf(const Node& n, const Unit& unit) {
  const auto registers = unit.registers();
  if (n.reg >= registers.size() || registers[n.reg].name != n.name)
    throw CommandError(unit.name() + " has no register " + std::string(n.name), n.column);
  return registers[n.reg];
}

Expression::Form Expression::form() const {
  const Kind kind = nodes_[static_cast<std::size_t>(root_)].kind;
  if (kind == Kind::Register || kind == Kind::Pc) return Form::Register;
  return kind == Kind::Memory ? Form::Memory : Form::Other;
}

Value Expression::evaluate(const Moment& moment) const {
  return node(root_, moment);
}

Value Expression::memory(const Node& n, const Moment& moment) const {
  const Unit& unit = unitOf(n, moment);
  const auto address =
      static_cast<std::uint64_t>(node(n.a, moment).asInteger()) & unit.addressMask();
  const auto word = unit.peek(address);
  if (!word)
    throw CommandError("nothing answers at " + common::hex(address, unit.addressDigits()),
                       n.column);
  switch (n.view) {
    case 'f':
      return Value::of(unit.real(*word, unit.wordBits()));
    case 'u':
      return Value::of(wrap(low(*word, unit.wordBits())));
    case 'e':
      return Value::of(std::int64_t{0});
    default:
      return Value::of(extend(*word, unit.wordBits()));
  }
}

Value Expression::node(int index, const Moment& moment) const {
  const Node& n = nodes_[static_cast<std::size_t>(index)];
  switch (n.kind) {
    case Kind::Number:
      return n.number;
    case Kind::Register: {
      const Unit& unit = unitOf(n, moment);
      const Register& reg = registerOf(n, unit);
      const std::uint64_t raw = unit.value(n.reg);
      if (n.view == 'f' || (n.view == 0 && reg.number)) return Value::of(unit.real(raw, reg.bits));
      if (n.view == 'u') return Value::of(wrap(low(raw, reg.integerBits)));
      if (n.view == 'e')
        return Value::of(reg.bits > reg.integerBits
                             ? extend(raw >> reg.integerBits, reg.bits - reg.integerBits)
                             : std::int64_t{0});
      return Value::of(extend(raw, reg.integerBits));
    }
    case Kind::Pc:
      return Value::of(wrap(unitOf(n, moment).pc()));
    case Kind::Cycle:
      return Value::of(wrap(unitOf(n, moment).cycle()));
    case Kind::Instructions:
      return Value::of(wrap(unitOf(n, moment).instructions()));
    case Kind::Hits:
      return Value::of(moment.hits);
    case Kind::Old:
      return moment.before;
    case Kind::New:
      return moment.after;
    case Kind::Memory:
      return memory(n, moment);
    case Kind::Unary: {
      const Value x = node(n.a, moment);
      if (n.op == '!') return Value::of(std::int64_t{!x.truth()});
      if (n.op == '~') return Value::of(~x.asInteger());
      if (n.op == '+') return x;
      return x.isReal ? Value::of(-x.real)
                      : Value::of(wrap(0 - static_cast<std::uint64_t>(x.integer)));
    }
    case Kind::Binary:
      return binary(n, moment);
    case Kind::Choice:
      return node(node(n.a, moment).truth() ? n.b : n.c, moment);
    case Kind::Function: {
      const Value x = node(n.a, moment);
      if (n.op == 0 && x.isReal) return Value::of(std::fabs(x.real));
      if (n.op == 0)
        return Value::of(x.integer < 0 ? wrap(0 - static_cast<std::uint64_t>(x.integer))
                                       : x.integer);
      if (n.op == 1) return Value::of(x.asInteger());
      if (n.op == 2) return Value::of(x.asReal());
      const Unit& unit = unitOf(n, moment);
      return Value::of(unit.real(static_cast<std::uint64_t>(x.asInteger()), unit.wordBits()));
    }
  }
  return {};
}

Value Expression::binary(const Node& n, const Moment& moment) const {
  const auto op = static_cast<Operator>(n.op);
  const Value a = node(n.a, moment);
  if (op == Operator::AndAlso && !a.truth()) return Value::of(std::int64_t{0});
  if (op == Operator::OrElse && a.truth()) return Value::of(std::int64_t{1});
  const Value b = node(n.b, moment);
  const bool real = a.isReal || b.isReal;
  const double x = a.asReal(), y = b.asReal();
  const std::int64_t i = a.asInteger(), k = b.asInteger();
  const auto ui = static_cast<std::uint64_t>(i), uk = static_cast<std::uint64_t>(k);
  switch (op) {
    case Operator::AndAlso:
    case Operator::OrElse:
      return Value::of(std::int64_t{b.truth()});
    case Operator::Or:
      return Value::of(i | k);
    case Operator::Xor:
      return Value::of(i ^ k);
    case Operator::And:
      return Value::of(i & k);
    case Operator::ShiftLeft:
    case Operator::ShiftRight:
      return Value::of(shifted(i, k, op == Operator::ShiftLeft, n.column));
    case Operator::Add:
      return real ? Value::of(x + y) : Value::of(wrap(ui + uk));
    case Operator::Subtract:
      return real ? Value::of(x - y) : Value::of(wrap(ui - uk));
    case Operator::Multiply:
      return real ? Value::of(x * y) : Value::of(wrap(ui * uk));
    case Operator::Divide:
    case Operator::Remainder: {
      if (real && op == Operator::Divide) return Value::of(x / y);
      if (k == 0) throw CommandError("found a division by 0", n.column);
      if (k == -1) return Value::of(op == Operator::Divide ? wrap(0 - ui) : std::int64_t{0});
      return Value::of(op == Operator::Divide ? i / k : i % k);
    }
    default:
      return real ? compared(op, x < y, x == y) : compared(op, i < k, i == k);
  }
}

void Expression::assign(const Moment& moment, const Value& value) const {
  const Node& n = nodes_[static_cast<std::size_t>(root_)];
  Unit& unit = unitOf(n, moment);
  if (n.kind == Kind::Pc) {
    unit.setPc(static_cast<std::uint64_t>(value.asInteger()) & unit.addressMask());
    return;
  }
  if (n.kind == Kind::Register) {
    const Register& reg = registerOf(n, unit);
    if (value.isReal || n.view == 'f' || (n.view == 0 && reg.number)) {
      if (!reg.real)
        throw CommandError("found a real number, expected an integer for " + std::string(reg.name),
                           n.column);
      unit.setValue(n.reg, unit.rawOf(value.asReal(), reg.bits));
      return;
    }
    const std::uint64_t kept = unit.value(n.reg) & ~low(~std::uint64_t{0}, reg.integerBits);
    unit.setValue(n.reg, kept | low(static_cast<std::uint64_t>(value.integer), reg.integerBits));
    return;
  }
  if (n.kind != Kind::Memory)
    throw CommandError("found " + common::quoted(text_) + ", expected a register or [address]",
                       n.column);
  const auto address =
      static_cast<std::uint64_t>(node(n.a, moment).asInteger()) & unit.addressMask();
  const bool asReal = value.isReal || n.view == 'f';
  const std::uint64_t word = asReal
                                 ? unit.rawOf(value.asReal(), unit.wordBits())
                                 : low(static_cast<std::uint64_t>(value.integer), unit.wordBits());
  if (!unit.poke(address, word))
    throw CommandError(common::hex(address, unit.addressDigits()) + " cannot be written", n.column);
}

std::string valueText(const Value& value, unsigned wordBits) {
  char text[64];
  if (value.isReal) {
    std::snprintf(text, sizeof text, "%.10g", value.real);
  } else {
    const std::uint64_t raw = static_cast<std::uint64_t>(value.integer);
    const bool wide = extend(raw, wordBits) != value.integer && low(raw, wordBits) != raw;
    std::snprintf(text, sizeof text, "%0*" PRIx64 "  %" PRId64, static_cast<int>(wordBits / 4),
                  wide ? raw : low(raw, wordBits), value.integer);
  }
  return text;
}

}  // namespace rtvp::debug
