// See assembler.hpp.
#include "models/implicit/assembler.hpp"

#include <algorithm>
#include <charconv>

#include "models/implicit/text.hpp"

namespace rtvp::implicit {
namespace {

using text::LineError;
using text::numberOf;
using text::shown;
using text::Word;
using text::wordsOf;

constexpr std::size_t kMaxErrors = 20;
constexpr unsigned kMaterialWords = 16;

std::string shortest(float value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// `f`, `v2`, ... as constants are written.
std::string prefixOf(Type type) {
  std::string text(nameOf(type));
  text[0] = lower(text[0]);
  return text;
}

std::string exampleOf(Type type) {
  return prefixOf(type) + "(" + (widthOf(type) == 1 ? "x" : "x,y,...") + ") of " +
         std::to_string(widthOf(type)) + (widthOf(type) == 1 ? " number" : " numbers");
}

std::array<float, 16> constantOf(const Word& word, Type type) {
  const std::size_t open = word.text.find('(');
  const std::string expected = ", expected " + exampleOf(type);
  if (open == std::string_view::npos || !word.text.ends_with(')'))
    throw LineError{word.column,
                    "found " + shown(word.text) + ", expected var or " + exampleOf(type)};
  if (word.text.substr(0, open) != prefixOf(type))
    throw LineError{word.column, "type error: found " + shown(word.text) + expected};
  std::array<float, 16> numbers{};
  const std::string_view list = word.text.substr(0, word.text.size() - 1);
  unsigned count = 0;
  for (std::size_t at = open + 1;;) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const auto column = static_cast<std::uint32_t>(word.column + at);
    if (count == widthOf(type)) throw LineError{column, "found more numbers" + expected};
    numbers[count++] = numberOf(list.substr(at, end - at), column);
    if (end == list.size()) break;
    at = end + 1;
  }
  if (count != widthOf(type))
    throw LineError{word.column, "found " + std::to_string(count) + " numbers" + expected};
  return numbers;
}

class Assembler {
 public:
  Assembler(std::string_view file, Limits limits) : file_(file), limits_(limits) {}

  AssemblyResult run(std::string_view source) {
    std::uint32_t number = 0;
    for (std::size_t at = 0; at <= source.size() && result_.diagnostics.size() < kMaxErrors;) {
      const std::size_t end = std::min(source.find('\n', at), source.size());
      ++number;
      try {
        line(wordsOf(source.substr(at, end - at), ';'), number);
      } catch (const LineError& e) {
        report(number, e.column, e.message);
      }
      at = end + 1;
    }
    if (result_.diagnostics.empty()) finish(number);
    return std::move(result_);
  }

 private:
  struct Place {
    std::uint32_t line, column;
  };

  void report(std::uint32_t line, std::uint32_t column, std::string message) {
    result_.diagnostics.push_back(
        {std::string(file_), line, column, Diagnostic::Severity::Error, std::move(message)});
  }

  void line(const std::vector<Word>& words, std::uint32_t number) {
    if (words.empty()) return;
    if (words[0].text.starts_with('.')) return directive(words);
    const OpcodeInfo* const op = findOpcode(words[0].text);
    if (op == nullptr)
      throw LineError{words[0].column, "unknown opcode: found " + shown(words[0].text) +
                                           ", expected a name like "
                                           "OPAddFloatFloat"};
    if (words.size() != op->in.size() + 1) {
      const Word& last = words.size() > op->in.size() + 1 ? words[op->in.size() + 1] : words.back();
      throw LineError{last.column, "found " + std::to_string(words.size() - 1) + " arguments, " +
                                       std::string(op->name) + " expects " +
                                       std::to_string(op->in.size())};
    }
    if (code_.size() == limits_.instructions)
      throw LineError{words[0].column, "over-long: found more than " +
                                           std::to_string(limits_.instructions) +
                                           " instructions, expected the end of the tape"};
    Instruction in;
    in.op = op;
    for (unsigned n = 0; n < op->in.size(); ++n) {
      const Word& word = words[n + 1];
      if (word.text != "var") in.constant[n] = constantOf(word, op->in[n]);
    }
    code_.push_back(in);
    places_.push_back({number, words[0].column});
  }

  void directive(const std::vector<Word>& words) {
    if (!code_.empty())
      throw LineError{words[0].column, "found " + shown(words[0].text) +
                                           " behind an instruction, expected it before the first"};
    if (words[0].text == ".bounds") return bounds(words);
    if (words[0].text == ".material") return material(words);
    throw LineError{words[0].column,
                    "found " + shown(words[0].text) + ", expected .bounds or .material"};
  }

  void bounds(const std::vector<Word>& words) {
    if (words.size() != 7)
      throw LineError{words[0].column, "found " + std::to_string(words.size() - 1) +
                                           " numbers, .bounds expects 6: the least x y z, then "
                                           "the greatest"};
    if (bounds_) throw LineError{words[0].column, "found a second .bounds, expected one"};
    Bounds b;
    for (unsigned n = 0; n < 3; ++n) {
      b.min[n] = numberOf(words[n + 1].text, words[n + 1].column);
      b.max[n] = numberOf(words[n + 4].text, words[n + 4].column);
      if (b.max[n] < b.min[n])
        throw LineError{words[n + 4].column,
                        "found a greatest value below the least, expected "
                        "min <= max"};
    }
    bounds_ = b;
  }

  void material(const std::vector<Word>& words) {
    if (words.size() < 2 || words.size() > 2 + kMaterialWords)
      throw LineError{words[0].column, "found " + std::to_string(words.size() - 1) +
                                           " values, .material expects a number and up to 16 "
                                           "words"};
    const Word& name = words[1];
    std::size_t number = 0;
    const char* const last = name.text.data() + name.text.size();
    const auto [end, error] = std::from_chars(name.text.data(), last, number);
    if (error != std::errc{} || end != last || number >= limits_.instructions)
      throw LineError{name.column, "found " + shown(name.text) +
                                       ", expected the number of an OPSDF instruction"};
    if (materials_.size() <= number) materials_.resize(number + 1);
    for (std::size_t n = 2; n < words.size(); ++n)
      materials_[number][n - 2] = numberOf(words[n].text, words[n].column);
  }

  void finish(std::uint32_t last_line) {
    try {
      Tape tape(code_, limits_);
      tape.bounds = bounds_;
      tape.materials = std::move(materials_);
      tape.checkMaterials();
      result_.tape = std::move(tape);
      for (const Place& place : places_) result_.lines.push_back(place.line);
    } catch (const TapeError& e) {
      const Place place = e.position < places_.size() ? places_[e.position] : Place{last_line, 1};
      report(place.line, place.column,
             "instruction " + std::to_string(e.position) + ": " + e.what());
    }
  }

  std::string_view file_;
  Limits limits_;
  AssemblyResult result_;
  std::vector<Instruction> code_;
  std::vector<Place> places_;
  std::optional<Bounds> bounds_;
  std::vector<Material> materials_;
};

}  // namespace

AssemblyResult assemble(std::string_view file, std::string_view source, Limits limits) {
  return Assembler(file, limits).run(source);
}

std::string disassemble(const Instruction& instruction) {
  std::string text(instruction.op->name);
  for (unsigned n = 0; n < instruction.op->in.size(); ++n) {
    const Type type = instruction.op->in[n];
    if (!instruction.constant[n]) {
      text += " var";
      continue;
    }
    text += " " + prefixOf(type) + "(";
    for (unsigned k = 0; k < widthOf(type); ++k)
      text += (k > 0 ? "," : "") + shortest((*instruction.constant[n])[k]);
    text += ")";
  }
  return text;
}

std::string disassemble(const Tape& tape) {
  std::string text;
  if (tape.bounds) {
    text += ".bounds";
    for (const float x : tape.bounds->min) text += " " + shortest(x);
    for (const float x : tape.bounds->max) text += " " + shortest(x);
    text += "\n";
  }
  for (std::size_t n = 0; n < tape.materials.size(); ++n) {
    text += ".material " + std::to_string(n);
    for (const float x : tape.materials[n]) text += " " + shortest(x);
    text += "\n";
  }
  for (const Instruction& in : tape.code()) text += disassemble(in) + "\n";
  return text;
}

}  // namespace rtvp::implicit
