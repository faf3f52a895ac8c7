// Line delivery, conditionals and substitution. Macros, loops and includes: macros.cpp.
#include "models/c32/asm/preprocessor.hpp"

#include <utility>

#include "models/c32/isa.hpp"

namespace rtvp::c32 {

LineParts splitLine(const std::string& line,
                    const std::function<bool(const std::string&)>& isOperation) {
  LineParts parts;
  Scanner s(line, 0);
  parts.operationAt = parts.operandsAt = line.size();
  if (s.peek() == '*' || s.atEnd()) {
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
  const bool column1 =
      at == 0 && word[0] != '.' && (!isOperation(toUpper(word)) || followedByOperation());
  if (!parts.parallel && (colon || column1)) {
    if (isDigit(word[0])) s.failAt(at, "a label that starts with a letter, _ or $");
    if (registerNumber(word) >= 0) s.failAt(at, "a label that is not a register name");
    parts.label = word;
    parts.labelAt = at;
    parts.labelColon = colon;
    if (colon) s.next();
    if (s.atEnd()) {
      if (s.peek() == '|') s.fail("an instruction before ||");
      return parts;
    }
    at = s.position();
    word = s.operation();
    if (word.empty()) s.fail("an instruction or a directive");
  }
  parts.operationAt = at;
  parts.operation = toUpper(word);
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

const Preprocessor::Frame* Preprocessor::macroFrame() const {
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
      if (operation != ".ASG" && operation != ".EVAL" && operation != ".MACRO")
        line.text = substitute(line.text);
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
          constant(line, parts.operandsAt) != 0;
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
    c.taken = c.active = c.seenElse || constant(condition, again.operandsAt) != 0;
  }
  return true;
}

std::int32_t Preprocessor::constant(const Line& line, std::size_t position) {
  Scanner s(line.text, position);
  const Value v = parseExpression(s, lookup_);
  if (!s.atEnd()) s.fail("end of line");
  if (v.isFloat || v.section >= 0)
    throw SourceError(position, "found an address or a float, expected an integer");
  return v.integer;
}

std::string Preprocessor::substitute(const std::string& text) const {
  if (substitutions_.empty() && macroFrame() == nullptr && text.find('?') == std::string::npos)
    return text;
  std::string out;
  append(out, text, 0, true);
  if (out.size() > kMaxLineLength) {
    throw SourceError(0, "found a line longer than " + std::to_string(kMaxLineLength) +
                             " characters after substitution, expected a shorter one");
  }
  return out;
}

void Preprocessor::append(std::string& out, const std::string& text, int depth,
                          bool arguments) const {
  constexpr int kMaxSubstitutions = 8;  // texts that name each other
  const Frame* macro = arguments ? macroFrame() : nullptr;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size() && out.size() <= kMaxLineLength;) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == ';') {
      out.append(text, i);
      return;
    }
    // :name: is replaced also inside quotes.
    const bool forced = c == ':' && i + 1 < text.size() && isNameStart(text[i + 1]);
    std::size_t start = forced ? i + 1 : i, end = start;
    const bool numberTail = i > 0 && (isNameChar(text[i - 1]) || text[i - 1] == '.');
    if ((quote != '\0' && !forced) || (!forced && (!isNameStart(c) || numberTail))) {
      out += c;
      ++i;
      continue;
    }
    while (end < text.size() && isNameChar(text[end])) ++end;
    const std::string_view name = std::string_view(text).substr(start, end - start);
    const bool closed = end < text.size() && text[end] == ':';
    const std::size_t resume = forced && closed ? end + 1 : end;
    const auto argument =
        macro != nullptr ? macro->arguments.find(name) : decltype(macro->arguments.end()){};
    const auto symbol = substitutions_.find(name);
    if (forced && !closed) {
      out += c;
      ++i;
    } else if (macro != nullptr && argument != macro->arguments.end()) {
      append(out, argument->second, kMaxSubstitutions, false);
      i = resume;
    } else if (symbol != substitutions_.end() && depth < kMaxSubstitutions) {
      append(out, symbol->second, depth + 1, false);
      i = resume;
    } else if (forced) {
      out += c;
      ++i;
    } else {
      out += name;
      i = end;
      if (i < text.size() && text[i] == '?' && macro != nullptr) {
        out += macro->instance;
        ++i;
      }
    }
  }
}

}  // namespace rtvp::c32
