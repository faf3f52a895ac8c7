// See words.hpp.
#include "models/debug/words.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "models/common/core/text.hpp"

namespace rtvp::debug {

void Words::skip() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
}

bool Words::end() {
  skip();
  return at_ >= text_.size();
}

std::size_t Words::column() {
  skip();
  return at_;
}

std::string_view Words::peek() {
  skip();
  std::size_t stop = at_;
  while (stop < text_.size() && text_[stop] != ' ' && text_[stop] != '\t') ++stop;
  return text_.substr(at_, stop - at_);
}

bool Words::number() {
  skip();
  return at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
}

void Words::fail(std::string_view expected) {
  const std::string_view next = peek();
  throw CommandError("found " + (next.empty() ? std::string("the end") : common::quoted(next)) +
                         ", expected " + std::string(expected),
                     at_);
}

std::string Words::word(std::string_view expected) {
  std::string found(peek());
  if (found.empty()) fail(expected);
  at_ += found.size();
  return found;
}

bool Words::accept(std::string_view keyword) {
  if (peek() != keyword) return false;
  at_ += keyword.size();
  return true;
}

std::optional<std::size_t> Words::oneOf(const std::vector<std::string_view>& keywords) {
  for (std::size_t n = 0; n < keywords.size(); ++n) {
    if (accept(keywords[n])) return n;
  }
  return std::nullopt;
}

Expression Words::expression() {
  return Expression::parse(text_, at_, scope_, focus_);
}

Expression Words::target() {
  return Expression::parseTarget(text_, at_, scope_, focus_);
}

std::int64_t Words::integer(std::int64_t least, std::int64_t most) {
  const std::size_t column = this->column();
  const Value value = expression().evaluate({&scope_, focus_, 0, {}, {}});
  if (value.isReal || value.integer < least || value.integer > most)
    throw CommandError("found " + common::quoted(text_.substr(column, at_ - column)) +
                           ", expected an integer of " + std::to_string(least) + " to " +
                           std::to_string(most),
                       column);
  return value.integer;
}

std::uint64_t Words::address() {
  const std::size_t column = this->column();
  const Value value = expression().evaluate({&scope_, focus_, 0, {}, {}});
  if (value.isReal) throw CommandError("found a real number, expected an address", column);
  const auto address = static_cast<std::uint64_t>(value.integer);
  // Code of units of another kind than the focus keeps its address.
  if (scope_.program->ownerOf(address) != nullptr) return address;
  return address & scope_.units.at(focus_)->addressMask();
}

std::optional<std::uint64_t> Words::fileAndLine() {
  const std::string_view next = peek();
  const std::size_t colon = next.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::uint32_t number = 0;
  const char* const last = next.data() + next.size();
  const auto [stop, error] = std::from_chars(next.data() + colon + 1, last, number);
  if (error != std::errc() || stop != last) return std::nullopt;
  const Program& program = *scope_.program;
  std::optional<std::uint32_t> file;
  if (colon == 0) {
    const Line* const here = program.lineAt(scope_.units.at(focus_)->pc());
    if (here != nullptr) file = here->file;
  } else {
    file = program.file(next.substr(0, colon));
  }
  if (!file) {
    if (colon == 0) fail("a file in front of the line: none is known here");
    fail("a file of the program");
  }
  const auto address = program.addressOf(*file, number);
  if (!address) fail("a line with code, or one in front of code");
  at_ += next.size();
  return address;
}

std::uint64_t Words::place() {
  if (const auto found = fileAndLine()) return *found;
  return address();
}

std::size_t Words::unit() {
  const std::string_view next = peek();
  if (const auto found = unitNamed(scope_, focus_, next)) {
    at_ += next.size();
    return *found;
  }
  fail("a unit (units lists them)");
}

std::string Words::block() {
  skip();
  if (at_ >= text_.size() || text_[at_] != '{') fail("'{'");
  const std::size_t first = ++at_;
  for (int depth = 1; at_ < text_.size(); ++at_) {
    if (text_[at_] == '{') ++depth;
    if (text_[at_] == '}' && --depth == 0) {
      std::string inside(text_.substr(first, at_++ - first));
      while (!inside.empty() && inside.back() == ' ') inside.pop_back();
      inside.erase(0, std::min(inside.find_first_not_of(' '), inside.size()));
      return inside;
    }
  }
  throw CommandError("found the end, expected '}' for this '{'", first - 1);
}

std::string Words::quotedText() {
  skip();
  if (at_ >= text_.size() || text_[at_] != '"') fail("'\"'");
  const std::size_t first = at_ + 1, last = text_.find('"', first);
  if (last == std::string_view::npos)
    throw CommandError("found the end, expected '\"' for this '\"'", first - 1);
  at_ = last + 1;
  return std::string(text_.substr(first, last - first));
}

std::string Words::rest() {
  skip();
  std::string text(text_.substr(at_));
  at_ = text_.size();
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.pop_back();
  return text;
}

void Words::finish() {
  if (!end()) fail("the end of the command");
}

std::string_view withoutRemark(std::string_view line) {
  for (std::size_t n = 0; n < line.size(); ++n) {
    const char c = line[n];
    if (c == '"') {
      if (const auto close = line.find('"', n + 1); close != line.npos) n = close;
    } else if (c == '\'' && n + 2 < line.size() && line[n + 2] == '\'') {  // a character
      n += 2;
    } else if (c == '#' && (n == 0 || std::string_view(" \t;{}").find(line[n - 1]) != line.npos)) {
      return line.substr(0, n);
    }
  }
  return line;
}

std::vector<std::string> splitCommands(std::string_view line) {
  line = withoutRemark(line);
  std::vector<std::string> commands(1);
  int depth = 0;
  bool quoted = false;
  for (std::size_t n = 0; n < line.size(); ++n) {
    const char c = line[n];
    if (c == '"') quoted = !quoted;
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (c == '\'' && n + 2 < line.size() && line[n + 2] == '\'') {  // a character
      commands.back() += line.substr(n, 3);
      n += 2;
    } else if (c == ';' && depth <= 0 && !(quoted && line.find('"', n) != line.npos)) {
      commands.emplace_back();
    } else {
      commands.back() += c == '\n' || c == '\r' ? ' ' : c;
    }
  }
  std::erase_if(commands, [](const std::string& c) {
    return c.find_first_not_of(" \t") == std::string::npos;
  });
  return commands;
}

bool unfinished(std::string_view text) {
  return std::count(text.begin(), text.end(), '{') > std::count(text.begin(), text.end(), '}');
}

}  // namespace rtvp::debug
