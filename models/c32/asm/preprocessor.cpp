// Line delivery and conditionals. Substitution: substitution.cpp; macros, loops and includes:
// macros.cpp.
#include "models/c32/asm/preprocessor.hpp"

#include <algorithm>
#include <utility>

#include "models/c32/asm/mnemonics.hpp"
#include "models/c32/isa.hpp"
#include "models/c32/isa_table.hpp"

namespace rtvp::c32 {

namespace {

/// A macro's name, or a mnemonic that cannot stand alone: alone in column 1 it is a label.
bool isNoInstructionAlone(const std::string& word) {
  const std::vector<Mnemonic>& rows = findMnemonic(toUpper(word));
  return std::none_of(rows.begin(), rows.end(), [](const Mnemonic& m) {
    const Format f = info(m.op).format;
    return f == Format::Whole || f == Format::Return || f == Format::Nop;
  });
}

}  // namespace

LineParts splitLine(const std::string& line,
                    const std::function<bool(const std::string&)>& isOperation) {
  LineParts parts;
  Scanner s(line, 0);
  parts.operationAt = parts.operandsAt = line.size();
  const bool comment = s.peek() == '*' || s.peek() == '!';  // ! is a macro's comment
  if (comment || s.atEnd()) {
    if (s.peek() == '|') {
      s.seek(s.position() + 2);
      s.skipBlanks();
      parts.parallel = true;
    } else {
      return parts;
    }
  }
  std::size_t at = s.position();
  std::string word = s.operation();
  if (word.empty()) s.fail("a label, an instruction or a directive");
  if (s.peek() == '?') {
    s.next();
    word += '?';
  }
  const bool colon = s.peek() == ':' && word[0] != '.';
  // A mnemonic in column 1 is a label only where another operation follows ("buf .space 4": BUF is
  // B if UF).
  const auto followedByOperation = [&] {
    Scanner ahead = s;
    ahead.skipBlanks();
    return isOperation(toUpper(ahead.operation()));
  };
  const bool column1 = at == 0 && word[0] != '.' &&
                       (!isOperation(toUpper(word)) || followedByOperation() ||
                        (isNoInstructionAlone(word) && Scanner(s).atEnd()));
  if (!parts.parallel && (colon || column1)) {
    if (isDigit(word[0])) s.failAt(at, "a label that starts with a letter, _ or $");
    const bool namesRegister = registerNumber(word) >= 0;
    const std::size_t labelAt = at;
    parts.label = word;
    parts.labelAt = at;
    parts.labelColon = colon;
    if (colon) s.next();
    if (s.atEnd()) {
      if (s.peek() == '|') s.fail("an instruction before ||");
      if (namesRegister) s.failAt(labelAt, "a label that is not a register name");
      return parts;
    }
    at = s.position();
    word = s.operation();
    if (word.empty()) s.fail("an instruction or a directive");
    // A macro may be called like a register, a place may not.
    if (namesRegister && toUpper(word) != ".MACRO")
      s.failAt(labelAt, "a label that is not a register name");
  }
  parts.operationAt = at;
  parts.operation = toUpper(word);
  if (parts.operation == "EQU") parts.operation = ".EQU";
  if (const char c = s.peek();
      c != '\0' && !isBlank(c) && c != ';' && c != '*' && c != '|' && c != '"' && c != '@') {
    s.fail("a blank after " + parts.operation);
  }
  s.skipBlanks();
  parts.operandsAt = s.position();
  return parts;
}

Preprocessor::Preprocessor(const AssemblerOptions& options, SymbolLookup lookup,
                           std::function<bool(const std::string&)> isOperation,
                           std::function<void(const Line&, const SourceError&)> report)
    : options_(options),
      lookup_(std::move(lookup)),
      isOperation_([this, known = std::move(isOperation)](const std::string& name) {
        return known(name) || isMacro(name);
      }),
      report_(std::move(report)) {}

void Preprocessor::open(const std::string& fileName, const std::string& source) {
  Frame frame;
  frame.lines = load(fileName, source);
  frames_.push_back(std::move(frame));
}

void Preprocessor::stop() {
  stopped_ = true;
  frames_.clear();
  conditionals_.clear();
}

Preprocessor::Frame* Preprocessor::macroFrame() {
  for (auto it = frames_.rbegin(); it != frames_.rend(); ++it) {
    if (it->kind == Frame::Kind::Macro) return &*it;
    if (it->kind == Frame::Kind::File) return nullptr;
  }
  return nullptr;
}

void Preprocessor::popFrame() {
  const Frame& top = frames_.back();
  while (conditionals_.size() > top.conditionals) {
    Line at;
    at.where = conditionals_.back().where;
    at.context = top.context;
    conditionals_.pop_back();
    report_(at, SourceError(0, "found .if without .endif, expected .endif"));
  }
  frames_.pop_back();
}

/// The next raw line of the innermost frame, with loops repeated and finished frames left.
std::optional<Line> Preprocessor::fetch() {
  while (!frames_.empty()) {
    Frame& top = frames_.back();
    if (top.position < top.lines->size()) {
      const SourceText& source = (*top.lines)[top.position++];
      if (++delivered_ > kMaxLines || (bytes_ += source.text.size()) > 16 * kMaxFileSize) {
        Line at{.text = {}, .where = source.where, .context = top.context, .expanded = false};
        stop();
        report_(at, SourceError(0, "found too much source text after expansion, expected at most " +
                                       std::to_string(kMaxLines) + " lines"));
        return std::nullopt;
      }
      return Line{.text = source.text,
                  .where = source.where,
                  .context = top.context,
                  .expanded = top.kind != Frame::Kind::File};
    }
    if (top.kind == Frame::Kind::Loop && top.iterations > 0 && !top.lines->empty()) {
      --top.iterations;
      top.position = 0;
      continue;
    }
    popFrame();
  }
  return std::nullopt;
}

std::optional<Line> Preprocessor::next() {
  while (!stopped_) {
    if (pending_) return std::exchange(pending_, std::nullopt);
    std::optional<Line> line = fetch();
    if (!line) return std::nullopt;
    try {
      if (handle(*line)) return line;
    } catch (const SourceError& error) {
      report_(*line, error);
    }
  }
  return std::nullopt;
}

/// Operands of these name symbols that must not be replaced by their own text.
static bool namesSymbols(const std::string& operation) {
  return operation == ".ASG" || operation == ".EVAL" || operation == ".MACRO" ||
         operation == ".VAR" || operation == ".UNASG";
}

/// True if the line is for the assembler.
bool Preprocessor::handle(Line& line) {
  LineParts parts;
  if (active()) {
    if (line.text.find('\0') != std::string::npos) {
      throw SourceError(line.text.find('\0'), "found a NUL byte, expected text");
    }
    if (line.text.empty() || line.text[0] != '*') {
      // .asg, .eval and .macro name symbols that must not be replaced by their own text.
      std::string operation;
      try {
        operation = splitLine(line.text, isOperation_).operation;
      } catch (const SourceError&) {
        operation.clear();  // an argument may make the line readable
      }
      if (!namesSymbols(operation)) line.text = substitute(line.text);
    }
    parts = splitLine(line.text, isOperation_);
  } else {
    try {
      parts = splitLine(line.text, isOperation_);
    } catch (const SourceError&) {
      return false;  // skipped text need not be readable
    }
  }
  // A label in front of what ends here names the place all the same, even if that is wrong.
  if (active() && !parts.label.empty() && parts.operation != ".MACRO") {
    pending_ = line;
    pending_->text = line.text.substr(0, parts.labelAt) + parts.label + ":";
  }
  if (handleConditional(line, parts)) return false;
  const bool kept = active() && !handleBlock(line, parts);
  if (kept) pending_.reset();
  return kept;
}

bool Preprocessor::handleConditional(const Line& line, const LineParts& parts) {
  const std::string& op = parts.operation;
  if (op == ".IF") {
    Conditional c{.parent = active(), .where = line.where};
    conditionals_.push_back(c);  // before the expression is read: a bad one still has its .endif
    if (c.parent)
      conditionals_.back().taken = conditionals_.back().active =
          constant(line, parts.operandsAt, true) != 0;
    return true;
  }
  if (op != ".ELSEIF" && op != ".ELSE" && op != ".ENDIF") return false;
  const std::size_t base = frames_.empty() ? 0 : frames_.back().conditionals;
  if (conditionals_.size() <= base)
    throw SourceError(parts.operationAt, "found " + op + ", expected .if before it");
  Conditional& c = conditionals_.back();
  if (op == ".ENDIF") {
    conditionals_.pop_back();
    return true;
  }
  if (c.seenElse)
    throw SourceError(parts.operationAt, "found " + op + " after .else, expected .endif");
  c.seenElse = op == ".ELSE";
  c.active = false;
  if (c.parent && !c.taken) {
    // Substitution does not reach a skipped line; the condition of .elseif needs it.
    Line condition = line;
    condition.text = substitute(line.text);
    const LineParts again = splitLine(condition.text, isOperation_);
    c.taken = c.active = c.seenElse || constant(condition, again.operandsAt, true) != 0;
  }
  return true;
}

/// `condition`: || is an operator here, not the second half of a pair.
std::int32_t Preprocessor::constant(const Line& line, std::size_t position, bool condition) {
  Scanner s(line.text, position);
  const Value v = parseExpression(s, lookup_, condition);
  if (!s.atEnd()) s.fail("end of line");
  if (v.isFloat || v.section >= 0)
    throw SourceError(position, "found an address or a float, expected an integer");
  return v.integer;
}

}  // namespace rtvp::c32
