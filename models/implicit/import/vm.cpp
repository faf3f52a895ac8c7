// See vm.hpp: the parser.
#include "models/implicit/import/vm.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

#include "models/implicit/text.hpp"

namespace rtvp::implicit::import {
namespace {

using text::LineError;
using text::shown;
using text::Word;

constexpr std::size_t kMaxErrors = 20;

/// An operation of the format: the opcode that does it, and how.
enum class Form : std::uint8_t {
  Plain,
  Negate,      ///< times -1
  Reciprocal,  ///< 1 over it
  Modulo,      ///< floored remainder by the second's absolute value: never negative
};
struct Operation {
  std::string_view name;
  std::string_view opcode;
  unsigned arguments;
  Form form = Form::Plain;
};
constexpr Operation kOperations[] = {
    {"neg", "OPMulFloatFloat", 1, Form::Negate},
    {"recip", "OPDivFloatFloat", 1, Form::Reciprocal},
    {"abs", "OPAbsFloat", 1},
    {"square", "OPSquareFloat", 1},
    {"sqrt", "OPSqrtFloat", 1},
    {"floor", "OPFloorFloat", 1},
    {"ceil", "OPCeilFloat", 1},
    {"round", "OPRoundFloat", 1},
    {"sin", "OPSinFloat", 1},
    {"cos", "OPCosFloat", 1},
    {"tan", "OPTanFloat", 1},
    {"asin", "OPAsinFloat", 1},
    {"acos", "OPAcosFloat", 1},
    {"atan", "OPAtanFloat", 1},
    {"exp", "OPExpFloat", 1},
    {"ln", "OPLogFloat", 1},
    {"not", "OPNotFloat", 1},
    {"add", "OPAddFloatFloat", 2},
    {"sub", "OPSubFloatFloat", 2},
    {"mul", "OPMulFloatFloat", 2},
    {"div", "OPDivFloatFloat", 2},
    {"min", "OPMinFloat", 2},
    {"max", "OPMaxFloat", 2},
    {"compare", "OPCompareFloatFloat", 2},
    {"mod", "OPModFloatFloat", 2, Form::Modulo},
    {"and", "OPAndFloatFloat", 2},
    {"or", "OPOrFloatFloat", 2},
    {"atan2", "OPAtan2FloatFloat", 2},
};

class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  VmResult run(std::string_view source) {
    std::uint32_t number = 0;
    for (std::size_t at = 0; at <= source.size() && result_.diagnostics.size() < kMaxErrors;) {
      const std::size_t end = std::min(source.find('\n', at), source.size());
      ++number;
      try {
        line(text::wordsOf(source.substr(at, end - at), '#'));
      } catch (const LineError& e) {
        report(number, e.column, e.message);
      }
      at = end + 1;
    }
    if (result_.diagnostics.empty() && names_.empty())
      report(number, 1, "found the end of the file, expected a clause");
    if (result_.diagnostics.empty()) result_.expression = std::move(expression_);
    return std::move(result_);
  }

 private:
  void report(std::uint32_t line, std::uint32_t column, std::string message) {
    result_.diagnostics.push_back(
        {std::string(file_), line, column, Diagnostic::Severity::Error, std::move(message)});
  }

  void line(const std::vector<Word>& words) {
    if (words.empty()) return;
    if (words.size() == 1)
      throw LineError{words[0].column, "found " + shown(words[0].text) +
                                           " alone, expected a name, an operation and arguments"};
    if (names_.contains(words[0].text))
      throw LineError{words[0].column,
                      "found " + shown(words[0].text) + " again, expected a new name"};
    try {
      expression_.root = names_[words[0].text] = clause(words);
    } catch (const LineError&) {
      // It still has its name, so that its users are not reported too.
      names_[words[0].text] = kWrong;
      throw;
    }
  }

  std::uint32_t clause(const std::vector<Word>& words) {
    const std::string_view op = words[1].text;
    if (op == "const") {
      expectArguments(words, 1);
      Node node;
      node.number = text::numberOf(words[2].text, words[2].column);
      return add(node);
    }
    if (op == "var-x" || op == "var-y" || op == "var-z") {
      expectArguments(words, 0);
      Node node;
      node.axis = op.back() - 'x';
      return add(node);
    }
    const auto* const row = std::ranges::find(kOperations, op, &Operation::name);
    if (row == std::end(kOperations))
      throw LineError{words[1].column,
                      "found operation " + shown(op) + ", expected one like const, var-x or add"};
    expectArguments(words, row->arguments);
    const std::uint32_t a = argument(words[2]);
    const std::uint32_t b = row->arguments > 1 ? argument(words[3]) : 0;
    if (a == kWrong || b == kWrong) return kWrong;
    return apply(*row, a, b);
  }

  std::uint32_t apply(const Operation& row, std::uint32_t a, std::uint32_t b) {
    const OpcodeInfo& op = *findOpcode(row.opcode);
    switch (row.form) {
      case Form::Negate:
        return add(op, a, constant(-1));
      case Form::Reciprocal:
        return add(op, constant(1), a);
      case Form::Modulo:
        return add(op, a, add(*findOpcode("OPAbsFloat"), b, 0));
      case Form::Plain:
        break;
    }
    return add(op, a, b);
  }

  static void expectArguments(const std::vector<Word>& words, std::size_t count) {
    if (words.size() == count + 2) return;
    const Word& last = words.size() > count + 2 ? words[count + 2] : words.back();
    throw LineError{last.column, "found " + std::to_string(words.size() - 2) + " arguments, " +
                                     shown(words[1].text) + " expects " + std::to_string(count)};
  }

  std::uint32_t argument(const Word& word) const {
    const auto at = names_.find(word.text);
    if (at == names_.end())
      throw LineError{word.column,
                      "found " + shown(word.text) + ", expected the name of a clause above"};
    return at->second;
  }

  std::uint32_t constant(float number) {
    Node node;
    node.number = number;
    return add(node);
  }
  std::uint32_t add(const OpcodeInfo& op, std::uint32_t a, std::uint32_t b) {
    Node node;
    node.op = &op;
    node.in = {a, b};
    return add(node);
  }
  std::uint32_t add(const Node& node) {
    const auto key = std::make_tuple(node.op == nullptr ? -1 : static_cast<int>(node.op->number),
                                     node.in, std::bit_cast<std::uint32_t>(node.number), node.axis);
    const auto [at, fresh] =
        known_.try_emplace(key, static_cast<std::uint32_t>(expression_.nodes.size()));
    if (fresh) expression_.nodes.push_back(node);
    return at->second;
  }

  static constexpr std::uint32_t kWrong = 0xFFFFFFFF;
  std::string_view file_;
  VmResult result_;
  Expression expression_;
  std::map<std::string_view, std::uint32_t> names_;
  std::map<std::tuple<int, std::array<std::uint32_t, 2>, std::uint32_t, int>, std::uint32_t> known_;
};

}  // namespace

VmResult readVm(std::string_view file, std::string_view source) {
  return Reader(file).run(source);
}

std::array<float, 9> View::matrix() const {
  constexpr double kDegree = std::numbers::pi / 180;
  const double cp = std::cos(pitch * kDegree), sp = std::sin(pitch * kDegree);
  const double cr = std::cos(roll * kDegree), sr = std::sin(roll * kDegree);
  // Columns of Rz(roll) Rx(pitch).
  const std::array<double, 9> m{cr, sr, 0, -sr * cp, cr * cp, sp, sr * sp, -cr * sp, cp};
  std::array<float, 9> result{};
  for (unsigned n = 0; n < 9; ++n) result[n] = static_cast<float>(m[n] / scale);
  return result;
}

}  // namespace rtvp::implicit::import
