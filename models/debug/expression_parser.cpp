// Text to expression. See expression.hpp for the language.
#include "models/debug/expression_parser.hpp"

#include <array>
#include <cctype>
#include <charconv>

#include "models/common/core/nearest_word.hpp"
#include "models/common/core/text.hpp"

namespace rtvp::debug {
namespace {

constexpr unsigned kDeepest = 100;  // of brackets and operators inside each other

struct BinarySpelling {
  std::string_view text;
  Operator op;
  int precedence;
};

// Longer spellings first.
constexpr std::array<BinarySpelling, 18> kBinary = {{
    {"||", Operator::OrElse, 1},
    {"&&", Operator::AndAlso, 2},
    {"==", Operator::Equal, 6},
    {"!=", Operator::Unequal, 6},
    {"<<", Operator::ShiftLeft, 8},
    {">>", Operator::ShiftRight, 8},
    {"<=", Operator::AtMost, 7},
    {">=", Operator::AtLeast, 7},
    {"<", Operator::Less, 7},
    {">", Operator::Greater, 7},
    {"|", Operator::Or, 3},
    {"^", Operator::Xor, 4},
    {"&", Operator::And, 5},
    {"+", Operator::Add, 9},
    {"-", Operator::Subtract, 9},
    {"*", Operator::Multiply, 10},
    {"/", Operator::Divide, 10},
    {"%", Operator::Remainder, 10},
}};

bool starts(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}
bool continues(char c) {
  return starts(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool isDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool allOf(std::string_view text, std::string_view set) {
  return !text.empty() && text.find_first_not_of(set) == std::string_view::npos;
}

}  // namespace

std::optional<unsigned> registerNamed(const Unit& unit, std::string_view name) {
  const auto registers = unit.registers();
  // As it is written first: THEIA has a CREG_T and a CREG_t.
  for (unsigned n = 0; n < registers.size(); ++n) {
    if (registers[n].name == name) return n;
  }
  for (unsigned n = 0; n < registers.size(); ++n) {
    const std::string_view known = registers[n].name;
    bool same = known.size() == name.size();
    for (std::size_t k = 0; same && k < name.size(); ++k)
      same = std::toupper(static_cast<unsigned char>(name[k])) ==
             std::toupper(static_cast<unsigned char>(known[k]));
    if (same) return n;
  }
  return std::nullopt;
}

Expression ExpressionParser::whole() {
  skip();
  const std::size_t first = at_;
  result_.root_ = choice();
  return named(first);
}

Expression ExpressionParser::target() {
  skip();
  const std::size_t first = at_;
  result_.root_ = postfix();
  return named(first);
}

Expression ExpressionParser::named(std::size_t first) {
  result_.text_ = std::string(text_.substr(first, at_ - first));
  while (!result_.text_.empty() && result_.text_.back() == ' ') result_.text_.pop_back();
  return std::move(result_);
}

void ExpressionParser::skip() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
}

void ExpressionParser::fail(const std::string& expected) const {
  if (at_ >= text_.size()) throw CommandError("found the end, expected " + expected, at_);
  std::size_t end = at_ + 1;
  if (continues(text_[at_]))
    while (end < text_.size() && continues(text_[end])) ++end;
  throw CommandError(
      "found " + common::quoted(text_.substr(at_, end - at_)) + ", expected " + expected, at_);
}

bool ExpressionParser::accept(char c) {
  skip();
  if (at_ >= text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void ExpressionParser::expect(char c) {
  if (!accept(c)) fail(std::string("'") + c + "'");
}

int ExpressionParser::add(Expression::Node node) {
  result_.nodes_.push_back(node);
  return static_cast<int>(result_.nodes_.size()) - 1;
}

int ExpressionParser::choice() {
  if (++depth_ > kDeepest)
    throw CommandError("found too many parts inside each other, expected a shorter expression",
                       at_);
  int node = binary(1);
  if (accept('?')) {
    Expression::Node n;
    n.kind = Expression::Kind::Choice;
    n.a = node;
    n.b = choice();
    expect(':');
    n.c = choice();
    node = add(n);
  }
  --depth_;
  return node;
}

int ExpressionParser::binary(int lowest) {
  int left = unary();
  for (;;) {
    skip();
    const BinarySpelling* found = nullptr;
    for (const BinarySpelling& b : kBinary) {
      if (text_.substr(at_).starts_with(b.text)) {
        found = &b;
        break;
      }
    }
    if (found == nullptr || found->precedence < lowest) return left;
    Expression::Node n;
    n.kind = Expression::Kind::Binary;
    n.op = static_cast<std::uint8_t>(found->op);
    n.column = at_;
    at_ += found->text.size();
    n.a = left;
    n.b = binary(found->precedence + 1);
    left = add(n);
  }
}

int ExpressionParser::unary() {
  if (++depth_ > kDeepest)
    throw CommandError("found too many parts inside each other, expected a shorter expression",
                       at_);
  skip();
  int node = -1;
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  if (c != '\0' && std::string_view("-+!~*").find(c) != std::string_view::npos) {
    Expression::Node n;
    n.kind = c == '*' ? Expression::Kind::Memory : Expression::Kind::Unary;
    n.op = static_cast<std::uint8_t>(c);
    n.column = at_++;
    n.a = unary();
    node = add(n);
  } else {
    node = postfix();
  }
  --depth_;
  return node;
}

/// `.i`, `.u`, `.f`, `.e` behind a register or a word.
int ExpressionParser::postfix() {
  const int node = primary();
  const bool view = at_ + 1 < text_.size() && text_[at_] == '.' && starts(text_[at_ + 1]);
  if (!view) return node;
  const Expression::Kind kind = result_.nodes_[static_cast<std::size_t>(node)].kind;
  ++at_;
  const bool one = at_ + 1 >= text_.size() || !continues(text_[at_ + 1]);
  if (!one || std::string_view("iufe").find(text_[at_]) == std::string_view::npos)
    fail("a view: i, u, f or e");
  if (kind != Expression::Kind::Register && kind != Expression::Kind::Memory)
    throw CommandError("found a view of neither a register nor a word, expected one of them",
                       at_ - 1);
  result_.nodes_[static_cast<std::size_t>(node)].view = text_[at_++];
  return node;
}

int ExpressionParser::primary() {
  skip();
  if (at_ >= text_.size()) fail("a value");
  const char c = text_[at_];
  if (isDigit(c)) return number();
  if (c == '\'') {
    if (at_ + 2 >= text_.size() || text_[at_ + 2] != '\'') fail("a character in quotes");
    Expression::Node n;
    n.number = Value::of(std::int64_t{static_cast<unsigned char>(text_[at_ + 1])});
    at_ += 3;
    return add(n);
  }
  if (c == '(') {
    ++at_;
    const int node = choice();
    expect(')');
    return node;
  }
  const int unit = unitPrefix();
  if (at_ < text_.size() && text_[at_] == '[') {
    Expression::Node n;
    n.kind = Expression::Kind::Memory;
    n.unit = unit;
    n.column = at_++;
    n.a = choice();
    expect(']');
    return add(n);
  }
  if (at_ < text_.size() && starts(text_[at_])) return name(unit);
  fail("a value");
}

int ExpressionParser::unitPrefix() {
  const std::string_view rest = text_.substr(at_);
  std::size_t end = 0;
  while (end < rest.size() && (continues(rest[end]) || rest[end] == '.')) ++end;
  // The longest beginning that is a unit, up to a dot. A number alone is a number.
  for (std::size_t dot = rest.rfind('.', end); dot != std::string_view::npos && dot != 0;
       dot = rest.rfind('.', dot - 1)) {
    if (!starts(rest[0])) break;
    if (const auto unit = unitNamed(scope_, focus_, rest.substr(0, dot))) {
      at_ += dot + 1;
      return static_cast<int>(*unit);
    }
  }
  return -1;
}

int ExpressionParser::number() {
  std::size_t end = at_;
  while (end < text_.size() && continues(text_[end])) ++end;
  std::string_view digits = text_.substr(at_, end - at_);
  Expression::Node n;
  const auto integer = [&](std::string_view text, int base) {
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || stop != text.data() + text.size()) fail("a number of 64 bits");
    n.number = Value::of(static_cast<std::int64_t>(value));
  };
  constexpr std::string_view kHex = "0123456789abcdefABCDEF", kDecimal = "0123456789";
  const bool fraction = end + 1 < text_.size() && text_[end] == '.' && isDigit(text_[end + 1]);
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') &&
      allOf(digits.substr(2), kHex)) {
    integer(digits.substr(2), 16);
  } else if (digits.size() > 1 && (digits.back() == 'h' || digits.back() == 'H') &&
             allOf(digits.substr(0, digits.size() - 1), kHex)) {
    integer(digits.substr(0, digits.size() - 1), 16);
  } else if (allOf(digits, kDecimal) && !fraction) {
    integer(digits, 10);
  } else if (digits.size() > 1 && (digits.back() == 'b' || digits.back() == 'B') &&
             allOf(digits.substr(0, digits.size() - 1), "01")) {
    integer(digits.substr(0, digits.size() - 1), 2);
  } else {
    double value = 0;
    const auto [stop, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    const auto length = static_cast<std::size_t>(stop - (text_.data() + at_));
    const bool more = at_ + length < text_.size() && continues(text_[at_ + length]);
    if (error != std::errc() || more) fail("a number");
    n.number = Value::of(value);
    end = at_ + length;
  }
  at_ = end;
  return add(n);
}

int ExpressionParser::name(int unit) {
  const std::size_t column = at_;
  std::size_t end = at_;
  while (end < text_.size() && continues(text_[end])) ++end;
  const std::string_view text = text_.substr(at_, end - at_);
  Expression::Node n;
  n.unit = unit;
  n.column = column;
  constexpr std::array<std::string_view, 4> kFunctions = {"abs", "int", "real", "single"};
  for (std::size_t f = 0; f < kFunctions.size(); ++f) {
    std::size_t open = end;
    while (open < text_.size() && text_[open] == ' ') ++open;
    if (text != kFunctions[f] || open >= text_.size() || text_[open] != '(') continue;
    at_ = open + 1;
    n.kind = Expression::Kind::Function;
    n.op = static_cast<std::uint8_t>(f);
    n.a = choice();
    expect(')');
    return add(n);
  }
  const Unit& registers = *scope_.units.at(unit < 0 ? focus_ : static_cast<std::size_t>(unit));
  struct Special {
    std::string_view name;
    Expression::Kind kind;
  };
  constexpr std::array<Special, 9> kSpecial = {{{"PC", Expression::Kind::Pc},
                                                {"pc", Expression::Kind::Pc},
                                                {"$", Expression::Kind::Pc},
                                                {"$pc", Expression::Kind::Pc},
                                                {"cycle", Expression::Kind::Cycle},
                                                {"instructions", Expression::Kind::Instructions},
                                                {"hits", Expression::Kind::Hits},
                                                {"old", Expression::Kind::Old},
                                                {"new", Expression::Kind::New}}};
  // A lane of a register is one of its own: R1.x.
  std::size_t lane = end;
  if (lane + 1 < text_.size() && text_[lane] == '.' && starts(text_[lane + 1])) {
    for (++lane; lane < text_.size() && continues(text_[lane]);) ++lane;
  }
  for (const std::size_t stop : {lane, end}) {
    const auto reg = registerNamed(registers, text_.substr(column, stop - column));
    if (!reg) continue;
    n.kind = Expression::Kind::Register;
    n.reg = *reg;
    n.name = registers.registers()[*reg].name;
    at_ = stop;
    return add(n);
  }
  if (const auto value = scope_.program->find(text); value && unit < 0) {
    n.number = Value::of(static_cast<std::int64_t>(*value));
    at_ = end;
    return add(n);
  }
  for (const Special& s : kSpecial) {
    if (s.name != text) continue;
    n.kind = s.kind;
    at_ = end;
    return add(n);
  }
  if (registerNamed(registers, std::string(text) + ".x"))
    fail("a lane of it: " + std::string(text) + ".x, .y or .z");
  fail("a register or symbol" + hint(registers, text));
}

/// For a word that is neither: which one it may be.
std::string ExpressionParser::hint(const Unit& unit, std::string_view word) const {
  std::vector<std::string_view> names;
  for (const Register& r : unit.registers()) names.push_back(r.name);
  for (const auto& [name, value] : scope_.program->symbols) names.push_back(name);
  const std::string_view likely = common::likelyWord(word, names);
  return likely.empty() ? "" : "; the nearest is " + common::quoted(likely);
}

Expression Expression::parseTarget(std::string_view text, std::size_t& at, const Scope& scope,
                                   std::size_t focus) {
  ExpressionParser parser(text, at, scope, focus);
  Expression result = parser.target();
  at = parser.at();
  return result;
}

Expression Expression::parse(std::string_view text, std::size_t& at, const Scope& scope,
                             std::size_t focus) {
  ExpressionParser parser(text, at, scope, focus);
  Expression result = parser.whole();
  at = parser.at();
  return result;
}

}  // namespace rtvp::debug
