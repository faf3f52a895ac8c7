// See assembler.hpp. A line is read left to right; the first thing that is wrong in it is reported
// and the next line begins.
#include "models/sl/assembler.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "models/common/core/text.hpp"
#include "models/sl/number.hpp"

namespace rtvp::sl {
namespace {

using common::quoted;

constexpr std::string_view kHeader = "sl 1.0";

struct SourceError {
  std::size_t at;  ///< offset in the line
  std::string message;
};

struct Token {
  std::size_t at;
  std::string_view text;
};

std::string nameOf(char c) {
  return c == ' '    ? "a blank"
         : c == '\t' ? "a tab"
         : c == '\r' ? "a carriage return"
                     : quoted({&c, 1});
}

bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

bool looksLikeNumber(std::string_view t) {
  return !t.empty() && ((t[0] >= '0' && t[0] <= '9') || t[0] == '.' || t[0] == '+' || t[0] == '-');
}

std::string formsText(const std::vector<const FormInfo*>& forms) {
  std::string out;
  for (const FormInfo* f : forms) out += (out.empty() ? "'" : " or '") + describe(*f) + "'";
  return out;
}

/// What the operand at `token` is, for a message.
std::string kindOf(const Token& token) {
  if (const RegisterInfo* r = findRegister(token.text))
    return quoted(token.text) + (isVector(r->id) ? " (a vector)" : " (a scalar)");
  if (looksLikeNumber(token.text)) return quoted(token.text) + " (a number)";
  return quoted(token.text);
}

/// Whether the operand may be of the kind, as far as choosing a form goes.
bool fits(Operand kind, std::string_view text) {
  const RegisterInfo* const r = findRegister(text);
  switch (kind) {
    case Operand::VectorDestination:
    case Operand::VectorSource:
      return r != nullptr && isVector(r->id);
    case Operand::ScalarDestination:
    case Operand::ScalarSource:
      return r != nullptr && isScalar(r->id);
    case Operand::Slot:
      return r != nullptr && isTextureSlot(r->id);
    case Operand::Literal:
    case Operand::Offset:
      return looksLikeNumber(text);
    case Operand::Lane:
      return true;
  }
  return false;
}

std::string_view plainName(Operand kind) {
  switch (kind) {
    case Operand::VectorDestination:
    case Operand::VectorSource:
      return "a vector register";
    case Operand::ScalarDestination:
    case Operand::ScalarSource:
      return "a scalar register";
    case Operand::Slot:
      return "a texture slot t0 to t7";
    case Operand::Literal:
      return "a decimal number";
    case Operand::Offset:
      return "an offset";
    case Operand::Lane:
      return "a lane letter";
  }
  return {};
}

class Line {
 public:
  Line(std::string_view text, bool lenient) : text_(text), lenient_(lenient) {}

  /// Splits the line. Throws SourceError where blanks and commas are not as the mode wants them.
  void split();
  /// Chooses the form and fills the fields.
  Instruction parse();
  [[nodiscard]] std::size_t offsetAt() const { return offset_at_; }

 private:
  [[nodiscard]] bool atEnd() const { return at_ >= end_; }
  [[noreturn]] static void fail(std::size_t at, std::string message) {
    throw SourceError{at, std::move(message)};
  }
  void expectGap(const char* after);
  std::string_view word(bool comma_ends);
  void checkStray() const;
  static std::uint8_t laneOf(const Token& token);
  void operand(Instruction& in, Operand kind, const Token& token, unsigned& source);
  static std::uint32_t literal(const Token& token);
  static std::uint32_t offset(const Token& token);

  std::string_view text_;
  bool lenient_;
  std::size_t at_ = 0, end_ = 0;
  Token mnemonic_{};
  std::optional<Token> lane_;
  std::vector<Token> operands_;
  std::size_t offset_at_ = 0;
  std::optional<SourceError> stray_;  ///< where a comma is missing
};

/// One blank, or in lenient mode one or more; the cursor stands behind.
void Line::expectGap(const char* after) {
  if (atEnd()) return;
  if (!isBlank(text_[at_]))
    fail(at_, "found " + nameOf(text_[at_]) + ", expected one blank " + after);
  if (lenient_) {
    while (!atEnd() && isBlank(text_[at_])) ++at_;
    return;
  }
  if (text_[at_] != ' ') fail(at_, "found " + nameOf(text_[at_]) + ", expected one blank " + after);
  ++at_;
  if (!atEnd() && isBlank(text_[at_]))
    fail(at_, "found " + nameOf(text_[at_]) + ", expected exactly one blank " + after);
}

std::string_view Line::word(bool comma_ends) {
  const std::size_t from = at_;
  while (!atEnd() && !isBlank(text_[at_]) && !(comma_ends && text_[at_] == ',')) ++at_;
  return text_.substr(from, at_ - from);
}

/// In strict mode: no blank at the ends, no tab or carriage return.
void Line::checkStray() const {
  if (lenient_ || text_.empty()) return;
  if (isBlank(text_[0]))
    fail(0, "found " + nameOf(text_[0]) + ", expected an instruction at the start of the line");
}

void Line::split() {
  end_ = text_.size();
  checkStray();
  if (lenient_) {
    while (end_ > 0 && isBlank(text_[end_ - 1])) --end_;
    while (!atEnd() && isBlank(text_[at_])) ++at_;
  }
  mnemonic_.at = at_;
  mnemonic_.text = word(false);
  if (!isMnemonic(mnemonic_.text))
    fail(mnemonic_.at, "found " + quoted(mnemonic_.text) + ", expected an instruction");
  // A trailing blank is one whatever stands before it.
  const auto trailing = [this] {
    if (!lenient_ && !atEnd() && isBlank(text_[end_ - 1]) &&
        text_.find_first_not_of(" \t\r", at_) == std::string_view::npos)
      fail(at_, "found " + nameOf(text_[at_]) + ", expected the end of the line");
  };
  trailing();
  expectGap("after the mnemonic");
  const bool with_lane = std::ranges::any_of(kInstructions, [this](const FormInfo& f) {
    return f.mnemonic == mnemonic_.text && f.has(Operand::Lane);
  });
  if (with_lane && !atEnd()) {
    lane_ = Token{at_, word(true)};
    laneOf(*lane_);
    trailing();
    expectGap("after the lane letter");
  }
  while (!atEnd()) {
    const std::size_t from = at_;
    const std::string_view text = word(true);
    if (text.empty()) fail(from, "found " + nameOf(text_[from]) + ", expected an operand");
    operands_.push_back({from, text});
    trailing();
    if (atEnd()) return;
    if (lenient_) {
      while (!atEnd() && isBlank(text_[at_])) ++at_;
    }
    if (text_[at_] != ',') {
      // What stands before may be wrong, too, and comes first: parse() says which it is.
      stray_ = SourceError{
          at_, "found " + nameOf(text_[at_]) + ", expected ', ' or the end of the line"};
      return;
    }
    const std::size_t comma = at_++;
    if (atEnd()) fail(comma, "found ',' at the end of the line, expected an operand after it");
    trailing();
    expectGap("after the comma");
  }
}

std::uint8_t Line::laneOf(const Token& token) {
  constexpr std::string_view kLetters = "xyzrgb";
  const std::size_t letter =
      token.text.size() == 1 ? kLetters.find(token.text[0]) : std::string_view::npos;
  if (letter == std::string_view::npos)
    fail(token.at, "found " + quoted(token.text) + ", expected a lane: x, y, z or r, g, b");
  return static_cast<std::uint8_t>(letter % 3);
}

std::uint32_t Line::literal(const Token& token) {
  if (!isDecimalFloat(token.text))
    fail(token.at, "found " + quoted(token.text) + ", expected a decimal number");
  const float value = toBinary32(token.text);
  if (!std::isfinite(value))
    fail(token.at, quoted(token.text) + " is beyond the largest number of 32 bits, 3.4028235e38");
  return std::bit_cast<std::uint32_t>(value);
}

std::uint32_t Line::offset(const Token& token) {
  std::string_view digits = token.text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool signs = digits.size() < token.text.size() && digits.starts_with('-');
  if (signs || error == std::errc::invalid_argument || end != digits.data() + digits.size())
    fail(token.at, "found " + quoted(token.text) + ", expected an offset: a whole number");
  if (error != std::errc() || value < -32768 || value > 32767)
    fail(token.at, "offset " + quoted(token.text) + " lies outside -32768..32767");
  return static_cast<std::uint32_t>(value);
}

void Line::operand(Instruction& in, Operand kind, const Token& token, unsigned& source) {
  const RegisterInfo* const r = findRegister(token.text);
  switch (kind) {
    case Operand::VectorDestination:
    case Operand::ScalarDestination:
      if (!r->writable)
        fail(token.at, quoted(token.text) + " is read-only, expected " +
                           (isVector(r->id) ? "r0 to r3 or v0" : "s0 to s3 or v1"));
      in.destination = r->id;
      return;
    case Operand::VectorSource:
    case Operand::ScalarSource:
    case Operand::Slot:
      (source++ == 0 ? in.a : in.b) = r->id;
      return;
    case Operand::Literal:
      in.immediate = literal(token);
      return;
    case Operand::Offset:
      in.immediate = offset(token);
      offset_at_ = token.at;
      return;
    case Operand::Lane:
      return;
  }
}

Instruction Line::parse() {
  std::vector<const FormInfo*> forms;
  for (const FormInfo& f : kInstructions) {
    if (f.mnemonic == mnemonic_.text) forms.push_back(&f);
  }
  Instruction in;
  if (forms[0]->has(Operand::Lane)) {
    if (!lane_) fail(end_, "found the end of the line, expected " + formsText(forms));
    in.lane = laneOf(*lane_);
  }
  const auto kindAt = [](const FormInfo* f, std::size_t n) -> std::optional<Operand> {
    n += f->has(Operand::Lane) ? 1U : 0U;
    if (n >= f->operands.size()) return std::nullopt;
    return static_cast<Operand>(f->operands[n]);
  };
  for (std::size_t n = 0; n < operands_.size(); ++n) {
    const Token& token = operands_[n];
    std::vector<const FormInfo*> left;
    std::copy_if(forms.begin(), forms.end(), std::back_inserter(left), [&](const FormInfo* f) {
      const auto kind = kindAt(f, n);
      return kind && fits(*kind, token.text);
    });
    if (left.empty()) {
      const auto kind = kindAt(forms[0], n);
      const std::string_view wanted = !kind               ? "the end of the line"
                                      : forms.size() == 1 ? plainName(*kind)
                                                          : "an operand of one of its forms";
      fail(token.at, "found " + kindOf(token) + ", expected " + std::string(wanted) + ": " +
                         formsText(forms));
    }
    forms = std::move(left);
  }
  const auto complete = std::find_if(
      forms.begin(), forms.end(), [&](const FormInfo* f) { return !kindAt(f, operands_.size()); });
  if (stray_) throw *stray_;
  if (complete == forms.end())
    fail(end_, "found the end of the line, expected " + formsText(forms));
  in.form = (*complete)->form;
  unsigned source = 0;
  for (std::size_t n = 0; n < operands_.size(); ++n)
    operand(in, *kindAt(*complete, n), operands_[n], source);
  return in;
}

class Assembler {
 public:
  Assembler(std::string_view file, const AssemblerOptions& options)
      : file_(file), options_(options) {}

  AssemblyResult run(std::string_view source) {
    const std::string_view all = source;
    while (!source.empty() && !full()) {
      const std::size_t end = std::min(source.find('\n'), source.size());
      ++line_;
      take(source.substr(0, end));
      source.remove_prefix(std::min(end + 1, source.size()));
    }
    finish();
    if (result_.diagnostics.empty()) {
      result_.program.emplace(words_, options_.base);
      list(all);
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool full() const { return result_.diagnostics.size() >= options_.maxErrors; }
  void error(std::uint32_t line, std::size_t at, std::string message) {
    result_.diagnostics.push_back({file_, line, static_cast<std::uint32_t>(at + 1),
                                   Diagnostic::Severity::Error, std::move(message)});
  }
  void take(std::string_view text);
  bool skip(std::string_view text);
  bool header(std::string_view text);
  void finish();
  void list(std::string_view source);

  std::string file_;
  AssemblerOptions options_;
  AssemblyResult result_;
  std::uint32_t line_ = 0;
  enum class Header : std::uint8_t { Wanted, Reported, Seen };
  Header header_ = Header::Wanted;
  std::vector<std::uint64_t> words_;
  struct Branch {
    std::size_t pc;
    std::size_t at;
    std::int32_t offset;
  };
  std::vector<Branch> branches_;
};

/// Blank lines and comments; true if the line is done.
bool Assembler::skip(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (text.empty() || (options_.lenient && first == std::string_view::npos)) return true;
  if (first == std::string_view::npos) {
    error(line_, 0, "found " + nameOf(text[0]) + ", expected nothing on a blank line");
    return true;
  }
  if (text[options_.lenient ? first : 0] != '#') return false;
  if (header_ == Header::Wanted && !options_.lenient) {
    error(line_, 0,
          "found a comment, expected 'sl 1.0' before any comment (lenient mode allows it)");
    header_ = Header::Reported;
  }
  return true;
}

/// True if the line was the header, or meant to be.
bool Assembler::header(std::string_view text) {
  std::string words(text);
  if (options_.lenient) {
    words.clear();
    for (const char c : text) {
      if (!isBlank(c)) {
        words += c;
      } else if (!words.empty() && words.back() != ' ') {
        words += ' ';
      }
    }
    if (words.ends_with(' ')) words.pop_back();
  }
  if (words == kHeader) {
    header_ = Header::Seen;
    return true;
  }
  if (header_ == Header::Reported) return false;
  header_ = Header::Reported;
  // The column of the word that is wrong: sl, the version, or what follows.
  const bool begun = text == "sl" || text.starts_with("sl ");
  const std::size_t at = !begun                      ? 0
                         : text.starts_with(kHeader) ? kHeader.size()
                         : text.size() > 3           ? 3
                                                     : 2;
  error(line_, at, "found " + quoted(text) + ", expected 'sl 1.0' and nothing else on this line");
  return begun;
}

void Assembler::take(std::string_view text) {
  if (skip(text) || (header_ != Header::Seen && header(text))) return;
  result_.lines.push_back(line_);
  words_.push_back(0);
  try {
    Line line(text, options_.lenient);
    line.split();
    const Instruction in = line.parse();
    words_.back() = encode(in);
    if (in.info().branches())
      branches_.push_back({words_.size() - 1, line.offsetAt(), in.offset()});
  } catch (const SourceError& e) {
    error(line_, e.at, e.message);
  }
}

void Assembler::finish() {
  if (full()) return;
  if (header_ == Header::Wanted) {
    error(line_ == 0 ? 1 : line_, 0, "found the end of the file, expected 'sl 1.0'");
  } else if (words_.empty() && result_.diagnostics.empty()) {
    error(line_, 0, "found the end of the file, expected at least one instruction");
  }
  const auto count = static_cast<std::int64_t>(words_.size());
  for (const Branch& b : branches_) {
    if (full()) break;
    const std::int64_t to =
        static_cast<std::int64_t>(b.pc) + b.offset + (options_.base == OffsetBase::Next ? 1 : 0);
    if (to >= 0 && to <= count) continue;
    error(result_.lines[b.pc], b.at,
          "offset " + std::to_string(b.offset) + " leads to instruction " + std::to_string(to) +
              ", expected a target in 0.." + std::to_string(count));
  }
  std::ranges::stable_sort(result_.diagnostics, {}, &Diagnostic::line);
}

void Assembler::list(std::string_view source) {
  std::size_t pc = 0;
  for (std::uint32_t line = 1; !source.empty(); ++line) {
    const std::size_t end = std::min(source.find('\n'), source.size());
    char head[64];
    if (pc < result_.lines.size() && result_.lines[pc] == line) {
      char target[16] = "";
      if ((*result_.program)[pc].info().branches())
        std::snprintf(target, sizeof target, "-> %u", result_.program->target(pc));
      std::snprintf(head, sizeof head, "%5zu  %016llx  %-9s  ", pc,
                    static_cast<unsigned long long>(words_[pc]), target);
      ++pc;
    } else {
      std::snprintf(head, sizeof head, "%36s", "");
    }
    result_.listing += head;
    result_.listing += source.substr(0, end);
    result_.listing += '\n';
    source.remove_prefix(std::min(end + 1, source.size()));
  }
}

}  // namespace

AssemblyResult assemble(std::string_view file, std::string_view source,
                        const AssemblerOptions& options) {
  return Assembler(file, options).run(source);
}

}  // namespace rtvp::sl
