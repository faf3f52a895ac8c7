#include "models/theia/assembler.hpp"

#include <charconv>
#include <cstdio>

#include "models/common/core/text.hpp"

namespace rtvp::theia {
namespace {

using common::quoted;

constexpr std::string_view kEntryPrefix = "ENTRYPOINT_ADRR_";
constexpr std::string_view kBlanks = " \t\r\f\v";

struct Token {
  std::string_view text;
  std::uint32_t column = 1;
};
struct Statement {
  std::uint32_t line = 0;
  std::uint16_t row = 0;
  const OpInfo* info = nullptr;
  std::vector<Token> operands;
  std::uint32_t end = 1;  ///< column after the last token, for "missing operand"
};

std::vector<Token> split(std::string_view line) {
  line = line.substr(0, line.find("//"));
  std::vector<Token> tokens;
  for (std::size_t at = 0; (at = line.find_first_not_of(kBlanks, at)) != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    tokens.push_back({line.substr(at, end - at), static_cast<std::uint32_t>(at + 1)});
    at = end;
  }
  return tokens;
}

bool isName(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9') && c != '_') return false;
  }
  return true;
}

std::optional<std::uint32_t> number(std::string_view digits, int base) {
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<unsigned> findEntry(std::string_view name) {
  if (!name.starts_with(kEntryPrefix)) return std::nullopt;
  name.remove_prefix(kEntryPrefix.size());
  for (unsigned i = 0; i < kEntries; ++i) {
    if (kEntryTable[i].name == name) return i;
  }
  return std::nullopt;
}

class Assembler {
 public:
  Assembler(std::string_view file, const AssemblerOptions& options)
      : file_(file), options_(options) {
    for (unsigned i = 0; i < kEntries; ++i) program_.table[i] = kEntryTable[i].romRow;
  }

  AssemblyResult run(std::string_view source) {
    collect(source);
    for (const Statement& statement : statements_) {
      if (full()) break;
      encode(statement);
    }
    AssemblyResult result;
    if (errors_ == 0) {
      for (Diagnostic& hazard : findHazards(program_, file_))
        diagnostics_.push_back(std::move(hazard));
      result.listing = listing(source);
      result.program = std::move(program_);
    }
    result.diagnostics = std::move(diagnostics_);
    return result;
  }

 private:
  [[nodiscard]] bool full() const { return errors_ >= options_.maxErrors; }
  void error(std::uint32_t line, std::uint32_t column, std::string message) {
    if (++errors_ > options_.maxErrors) return;  // a statement may have several
    diagnostics_.push_back(
        {std::string(file_), line, column, Diagnostic::Severity::Error, std::move(message)});
  }
  [[nodiscard]] unsigned rowLimit() const {
    return program_.rom ? options_.romWords : options_.instructionWords;
  }

  // ---- pass 1: rows, labels, directives ----
  void collect(std::string_view source) {
    std::uint32_t line = 0;
    while (!source.empty() && !full()) {
      const std::size_t end = std::min(source.find('\n'), source.size());
      const std::vector<Token> tokens = split(source.substr(0, end));
      source.remove_prefix(std::min(end + 1, source.size()));
      ++line;
      if (tokens.empty()) continue;
      if (tokens[0].text.ends_with(':')) {
        label(line, tokens);
      } else if (tokens[0].text.starts_with('.')) {
        directive(line, tokens);
      } else {
        place(line, tokens);
      }
    }
  }

  void label(std::uint32_t line, const std::vector<Token>& tokens) {
    const std::string_view name = tokens[0].text.substr(0, tokens[0].text.size() - 1);
    if (tokens.size() > 1)
      return error(line, tokens[1].column,
                   "found " + quoted(tokens[1].text) + ", expected nothing after a label");
    if (!isName(name)) return error(line, tokens[0].column, quoted(name) + " is not a label name");
    if (findRegister(name) || name.starts_with("SWIZZLE_") || name.starts_with("RT_"))
      return error(line, tokens[0].column, quoted(name) + " is a reserved name");
    const std::uint16_t address =
        static_cast<std::uint16_t>(row_ | (program_.rom ? 0U : kUserCode));
    if (!program_.labels.emplace(name, address).second)
      return error(line, tokens[0].column, "label " + quoted(name) + " is defined twice");
    if (!name.starts_with(kEntryPrefix)) return;
    const auto slot = findEntry(name);
    if (!slot)
      return error(line, tokens[0].column, quoted(name) + " is not one of the entry points");
    program_.table[*slot] = address;
    program_.defined[*slot] = true;
  }

  void directive(std::uint32_t line, const std::vector<Token>& tokens) {
    if (tokens[0].text == ".rom" && tokens.size() == 1) {
      if (!statements_.empty() || !program_.labels.empty())
        return error(line, tokens[0].column, ".rom must come before code and labels");
      program_.rom = true;
      row_ = 0;
      return;
    }
    if (tokens[0].text != ".org" || tokens.size() != 2)
      return error(line, tokens[0].column,
                   "found " + quoted(tokens[0].text) + ", expected .rom or .org ROW");
    const auto row = number(tokens[1].text, 10);
    const unsigned first = program_.rom ? 0 : kUserFirstRow;
    if (!row || *row < first || *row >= rowLimit())
      return error(line, tokens[1].column,
                   "found " + quoted(tokens[1].text) + ", expected a row from " +
                       std::to_string(first) + " to " + std::to_string(rowLimit() - 1));
    row_ = *row;
  }

  void place(std::uint32_t line, const std::vector<Token>& tokens) {
    const OpInfo* const info = findMnemonic(tokens[0].text);
    if (info == nullptr)
      return error(line, tokens[0].column,
                   "found " + quoted(tokens[0].text) + ", expected an instruction or a label");
    if (row_ >= rowLimit())
      return error(line, tokens[0].column,
                   "the program does not fit: row " + std::to_string(row_) + " of " +
                       std::to_string(rowLimit()) + " (instruction memory)");
    Statement s;
    s.line = line;
    s.row = static_cast<std::uint16_t>(row_++);
    s.info = info;
    s.operands.assign(tokens.begin() + 1, tokens.end());
    s.end = tokens.back().column + static_cast<std::uint32_t>(tokens.back().text.size());
    if (!program_.lines.emplace(s.row, line).second)
      return error(line, tokens[0].column,
                   "row " + std::to_string(s.row) + " is used already by line " +
                       std::to_string(program_.lines[s.row]));
    statements_.push_back(std::move(s));
  }

  // ---- pass 2: operands ----
  bool expectCount(const Statement& s, std::size_t least, std::size_t most) {
    if (s.operands.size() > most) {
      error(s.line, s.operands[most].column,
            "found " + quoted(s.operands[most].text) + ", expected the end of the line");
      return false;
    }
    if (s.operands.size() < least) {
      error(s.line, s.end,
            std::string(s.info->mnemonic) + " needs " + std::to_string(least) + " operand" +
                (least == 1 ? "" : "s"));
      return false;
    }
    return true;
  }

  std::uint16_t registerOperand(const Statement& s, std::size_t index) {
    if (index >= s.operands.size()) return 0;
    const Token& token = s.operands[index];
    if (const auto address = findRegister(token.text)) return *address;
    if (token.text.starts_with('#')) {
      const auto value = number(token.text.substr(1), 10);
      if (value && *value <= 0xFFFF) return static_cast<std::uint16_t>(*value);
    }
    error(s.line, token.column, "unknown register " + quoted(token.text));
    return 0;
  }

  std::uint16_t targetOperand(const Statement& s) {
    const Token& token = s.operands[0];
    if (const auto found = program_.labels.find(token.text); found != program_.labels.end())
      return found->second;
    if (const auto slot = findEntry(token.text)) return program_.table[*slot];
    if (const auto found = options_.symbols.find(token.text); found != options_.symbols.end())
      return found->second;
    if (token.text.starts_with('@')) {
      const auto value = number(token.text.substr(1), 16);
      if (value && *value <= 0xFFFF) return static_cast<std::uint16_t>(*value);
    }
    error(s.line, token.column, "undefined label " + quoted(token.text));
    return 0;
  }

  std::optional<Word> literal(const Token& token) {
    const bool hex = token.text.starts_with("32'h");
    if (!hex && !token.text.starts_with("32'd")) return std::nullopt;
    return number(token.text.substr(4), hex ? 16 : 10);
  }

  Word immediateOperand(const Statement& s, std::size_t index) {
    const Token& token = s.operands[index];
    if (const auto value = literal(token)) return *value;
    const bool form = token.text.starts_with("32'h") || token.text.starts_with("32'd");
    error(s.line, token.column,
          form ? quoted(token.text) + " is not a number of 32 bits"
               : "found " + quoted(token.text) + ", expected 32'h<hexadecimal>");
    return 0;
  }

  Word swizzleOperand(const Statement& s) {
    const Token& token = s.operands[1];
    if (!token.text.starts_with("SWIZZLE_")) return immediateOperand(s, 1);
    for (Word i = 0; i < kSwizzles.size(); ++i) {
      if (token.text.substr(8) == kSwizzles[i]) return i;
    }
    error(s.line, token.column, "unknown swizzle " + quoted(token.text));
    return 0;
  }

  Word flagOperand(const Statement& s, std::size_t index) {
    const Token& token = s.operands[index];
    const bool retForm = s.info->op == Op::RET;
    if (token.text == "RT_TRUE" || (retForm && token.text == "TRUE")) return 1;
    if (token.text == "RT_FALSE" || (retForm && token.text == "FALSE")) return 0;
    if (retForm && token.text.starts_with("32'")) return immediateOperand(s, index);
    error(s.line, token.column, "found " + quoted(token.text) + ", expected RT_TRUE or RT_FALSE");
    return 0;
  }

  void encode(const Statement& s) {
    const Op op = s.info->op;
    Instruction& out = program_.rows[s.row];
    switch (s.info->operands) {
      case Operands::DstTwo:
      case Operands::DstOne:
      case Operands::DstOnly: {
        const std::size_t least = s.info->operands == Operands::DstTwo   ? 3
                                  : s.info->operands == Operands::DstOne ? 2
                                                                         : 1;
        if (expectCount(s, least, 3))
          out = Instruction::typeOne(op, registerOperand(s, 0), registerOperand(s, 1),
                                     registerOperand(s, 2));
        return;
      }
      case Operands::Target:
      case Operands::TargetTwo:
        if (expectCount(s, s.info->operands == Operands::Target ? 1 : 3, 3))
          out = Instruction::typeOne(op, targetOperand(s), registerOperand(s, 1),
                                     registerOperand(s, 2));
        return;
      case Operands::Flag:
        if (expectCount(s, 1, 1)) out = Instruction::typeTwoOf(op, 0, flagOperand(s, 0));
        return;
      case Operands::DstImmediate:
        if (expectCount(s, 2, 2))
          out = Instruction::typeTwoOf(op, registerOperand(s, 0), immediateOperand(s, 1));
        return;
      case Operands::DstSwizzle:
        if (expectCount(s, 2, 2))
          out = Instruction::typeTwoOf(op, registerOperand(s, 0), swizzleOperand(s));
        return;
      case Operands::DstFlag:
        if (expectCount(s, 2, 2))
          out = Instruction::typeTwoOf(op, registerOperand(s, 0), flagOperand(s, 1));
        return;
      case Operands::None:
        return;
    }
  }

  [[nodiscard]] std::string listing(std::string_view source) const {
    std::map<std::uint32_t, std::uint16_t> row_of_line;
    for (const auto& [row, line] : program_.lines) row_of_line[line] = row;
    std::string out;
    std::uint32_t line = 0;
    while (!source.empty()) {
      const std::size_t end = std::min(source.find('\n'), source.size());
      char head[64] = "                            ";
      if (const auto found = row_of_line.find(++line); found != row_of_line.end()) {
        const std::uint64_t word = program_.rows.at(found->second).word;
        std::snprintf(head, sizeof head, "%5u  %08X %08X   ", found->second,
                      static_cast<unsigned>(word >> 32), static_cast<unsigned>(word));
      }
      out += head;
      out += source.substr(0, end);
      out += '\n';
      source.remove_prefix(std::min(end + 1, source.size()));
    }
    return out;
  }

  std::string_view file_;
  AssemblerOptions options_;
  Program program_;
  std::vector<Statement> statements_;
  std::vector<Diagnostic> diagnostics_;
  std::size_t errors_ = 0;
  unsigned row_ = kUserFirstRow;
};

}  // namespace

AssemblyResult assemble(std::string_view file, std::string_view source,
                        const AssemblerOptions& options) {
  return Assembler(file, options).run(source);
}

std::vector<Instruction> Program::image() const {
  std::vector<Instruction> words(kUserFirstRow);
  for (unsigned i = 0; i < kEntries; ++i) words[i].word = table[i];
  for (const auto& [row, instruction] : rows) {
    if (row >= words.size()) words.resize(row + 1U);
    words[row] = instruction;
  }
  return words;
}

CodeSource sourceOf(std::string file, const Program& program) {
  CodeSource source;
  source.file = std::move(file);
  source.labels.assign(program.labels.begin(), program.labels.end());
  const unsigned memory = program.rom ? 0U : kUserCode;
  for (const auto& [row, line] : program.lines)
    source.lines.emplace_back(static_cast<std::uint16_t>(row | memory), line);
  return source;
}

std::vector<Diagnostic> findHazards(const Program& program, std::string_view file) {
  std::vector<Diagnostic> found;
  const auto at = [&program](unsigned row) -> const Instruction* {
    const auto it = program.rows.find(static_cast<std::uint16_t>(row));
    return it == program.rows.end() ? nullptr : &it->second;
  };
  const auto is = [&at](unsigned row, Op op) {
    return at(row) != nullptr && at(row)->opcode() == static_cast<unsigned>(op);
  };
  const auto warn = [&](unsigned row, std::string message) {
    const auto line = program.lines.find(static_cast<std::uint16_t>(row));
    found.push_back({std::string(file), line == program.lines.end() ? 0 : line->second, 1,
                     Diagnostic::Severity::Warning, std::move(message)});
  };
  const unsigned base = program.rom ? 0U : kUserCode;
  for (const auto& [row, instruction] : program.rows) {
    const OpInfo* const info = instruction.info();
    if (info == nullptr) continue;
    if (info->hangs()) warn(row, std::string(info->mnemonic) + " is not built and hangs the core");
    if (info->op == Op::CALL && (is(row + 1U, Op::RETURN) || is(row + 2U, Op::RETURN)))
      warn(row, "a RETURN this close after CALL may never complete: put two NOPs between");
    if (!info->jumps()) continue;
    const unsigned target = instruction.destination();
    if (info->conditional() && is(row + 1U, Op::CALL) && (target & kUserCode) == base &&
        is(target & 0x7FFFU, Op::CALL))
      warn(row, "jump to a CALL over a CALL: RET would use a stale address; put a NOP first");
    const Instruction* const next = (target & kUserCode) == base ? at(target & 0x7FFFU) : nullptr;
    for (const Instruction* after : {info->conditional() ? at(row + 1U) : nullptr, next}) {
      if (after == nullptr || after->info() == nullptr) continue;
      if ((after->info()->readsA() && after->source1() == target) ||
          (after->info()->readsB() && !after->typeTwo() && after->source2() == target))
        warn(row,
             "the jump's target number is a register that the next instruction reads: it "
             "will read 0");
    }
  }
  return found;
}

}  // namespace rtvp::theia
