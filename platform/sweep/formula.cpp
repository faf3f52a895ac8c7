#include "platform/sweep/formula.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "platform/exit_status.hpp"

namespace rtvp::sweep {

struct Formula::Node {
  enum class Kind : std::uint8_t {
    Number,
    Name,
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Min,
    Max,
    Log2,
    First
  };
  Kind kind = Kind::Number;
  double number = 0;
  std::string name;
  std::vector<std::shared_ptr<const Node>> arguments;
};

namespace {

using Node = Formula::Node;
using NodePtr = std::shared_ptr<const Node>;

NodePtr make(Node::Kind kind, std::vector<NodePtr> arguments) {
  Node node;
  node.kind = kind;
  node.arguments = std::move(arguments);
  return std::make_shared<const Node>(std::move(node));
}

bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  NodePtr parse() {
    if (text_.size() > kLongest) {
      throw platform::InputError(origin_ + ": more than " + std::to_string(kLongest) +
                                 " characters");
    }
    NodePtr node = sum();
    blanks();
    if (at_ != text_.size()) refuse("an operator or the end");
    return node;
  }

 private:
  static constexpr int kDeepest = 100;
  static constexpr std::size_t kLongest = 2000;

  [[noreturn]] void refuse(const std::string& expected) const {
    throw platform::InputError(
        origin_ + ": column " + std::to_string(at_ + 1) + " of '" + std::string(text_) +
        "': found " +
        (at_ < text_.size() ? "'" + std::string(1, text_[at_]) + "'" : std::string("the end")) +
        ", expected " + expected);
  }
  void blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void require(char c) {
    if (!take(c)) refuse(std::string("'") + c + "'");
  }

  NodePtr sum() {
    NodePtr left = product();
    for (;;) {
      if (take('+')) {
        left = make(Node::Kind::Add, {left, product()});
      } else if (take('-')) {
        left = make(Node::Kind::Subtract, {left, product()});
      } else {
        return left;
      }
    }
  }
  NodePtr product() {
    NodePtr left = factor();
    for (;;) {
      if (take('*')) {
        left = make(Node::Kind::Multiply, {left, factor()});
      } else if (take('/')) {
        left = make(Node::Kind::Divide, {left, factor()});
      } else {
        return left;
      }
    }
  }
  NodePtr factor() {
    if (++depth_ > kDeepest) refuse("fewer nested parentheses");
    NodePtr node;
    if (take('-')) {
      node = make(Node::Kind::Negate, {factor()});
    } else if (take('(')) {
      node = sum();
      require(')');
    } else {
      blanks();
      const char c = at_ < text_.size() ? text_[at_] : '\0';
      if (isNameStart(c)) {
        node = nameOrCall();
      } else if (isDigit(c) || c == '.') {
        node = number();
      } else {
        refuse("a number, a figure's name or '('");
      }
    }
    --depth_;
    return node;
  }
  NodePtr number() {
    Node node;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), node.number);
    if (error != std::errc{}) refuse("a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return std::make_shared<const Node>(std::move(node));
  }
  NodePtr nameOrCall() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (isNameStart(text_[at_]) || isDigit(text_[at_]) || text_[at_] == '.'))
      ++at_;
    const std::string name(text_.substr(begin, at_ - begin));
    if (take('(')) return call(name, begin);
    Node node;
    node.kind = Node::Kind::Name;
    node.name = name;
    return std::make_shared<const Node>(std::move(node));
  }
  NodePtr call(const std::string& name, std::size_t begin) {
    struct Function {
      const char* name;
      Node::Kind kind;
      int arguments;
    };
    static constexpr Function kFunctions[] = {{"min", Node::Kind::Min, 2},
                                              {"max", Node::Kind::Max, 2},
                                              {"log2", Node::Kind::Log2, 1},
                                              {"first", Node::Kind::First, 1}};
    for (const Function& f : kFunctions) {
      if (name != f.name) continue;
      std::vector<NodePtr> arguments{sum()};
      for (int i = 1; i < f.arguments; ++i) {
        require(',');
        arguments.push_back(sum());
      }
      require(')');
      return make(f.kind, std::move(arguments));
    }
    at_ = begin;
    refuse("one of the functions min, max, log2, first");
  }

  std::string_view text_;
  const std::string& origin_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

double combine(const Node& node, const std::vector<double>& v) {
  using enum Node::Kind;
  switch (node.kind) {
    case Negate:
      return -v[0];
    case Add:
      return v[0] + v[1];
    case Subtract:
      return v[0] - v[1];
    case Multiply:
      return v[0] * v[1];
    case Divide:
      return v[0] / v[1];
    case Min:
      return std::min(v[0], v[1]);
    case Max:
      return std::max(v[0], v[1]);
    case Log2:
      return std::log2(v[0]);
    case Number:
    case Name:
    case First:
      break;
  }
  return node.number;
}

std::optional<double> valueOf(const Node& node, const Lookup& here, const Lookup& first) {
  if (node.kind == Node::Kind::Name) return here(node.name);
  if (node.kind == Node::Kind::First) return valueOf(*node.arguments[0], first, first);
  std::vector<double> values;
  for (const NodePtr& argument : node.arguments) {
    const auto value = valueOf(*argument, here, first);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return combine(node, values);
}

void collectNames(const Node& node, std::vector<std::string>& names) {
  if (node.kind == Node::Kind::Name) names.push_back(node.name);
  for (const NodePtr& argument : node.arguments) collectNames(*argument, names);
}

}  // namespace

Formula::Formula(std::string_view text, const std::string& origin)
    : root_(Parser(text, origin).parse()) {}

std::vector<std::string> Formula::names() const {
  std::vector<std::string> list;
  collectNames(*root_, list);
  return list;
}

std::optional<double> Formula::evaluate(const Lookup& here, const Lookup& first) const {
  const auto value = valueOf(*root_, here, first);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace rtvp::sweep
