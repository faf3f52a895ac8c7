// Substitution symbols: replacing them in a line, their subscripts, and the functions on strings
// that TI's macro language has ($symlen ... $isreg). Facts: TI, Assembly Language Tools User's
// Guide (SPRU035), chapter on the macro language.
#include <algorithm>
#include <charconv>

#include "models/c32/asm/preprocessor.hpp"
#include "models/c32/isa.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::string_view kStringFunctions[] = {"symlen",  "symcmp",   "firstch",  "lastch",
                                                 "isdefed", "ismember", "iscons",   "isname",
                                                 "isreg",   "strlen",   "structsz", "structacc"};

/// Which function `$name(` at `at` calls; empty for none. One $ or, as newer tools write it, two.
std::string_view functionAt(const std::string& text, std::size_t at, std::size_t& open) {
  std::size_t start = at + 1;
  if (start < text.size() && text[start] == '$') ++start;
  std::size_t end = start;
  while (end < text.size() && isNameChar(text[end]) && text[end] != '$') ++end;
  open = end;
  while (open < text.size() && isBlank(text[open])) ++open;
  if (open >= text.size() || text[open] != '(') return {};
  std::string name = text.substr(start, end - start);
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const auto it = std::find(std::begin(kStringFunctions), std::end(kStringFunctions), name);
  return it == std::end(kStringFunctions) ? std::string_view{} : *it;
}

std::string trimmed(std::string text) {
  while (!text.empty() && isBlank(text.back())) text.pop_back();
  text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

bool isQuoted(const std::string& text) {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"';
}

std::string unquoted(const std::string& text) {
  return isQuoted(text) ? text.substr(1, text.size() - 2) : text;
}

bool isName(const std::string& text) {
  return !text.empty() && isNameStart(text[0]) && std::all_of(text.begin(), text.end(), isNameChar);
}

/// 1 binary, 2 octal, 3 hexadecimal, 4 character, 5 decimal, 0 no constant.
int constantKind(const std::string& text) {
  if (text.size() >= 3 && text.front() == '\'' && text.back() == '\'') return 4;
  if (text.empty() || !isDigit(text[0])) return 0;
  const auto all = [](std::string_view digits, int base) {
    return !digits.empty() && std::all_of(digits.begin(), digits.end(), [base](char c) {
      const int v = isDigit(c)                               ? c - '0'
                    : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                             : 99;
      return v < base;
    });
  };
  const std::string_view body(text.data(), text.size() - 1);
  const char last = static_cast<char>(text.back() | 0x20);
  if (last == 'h' && all(body, 16)) return 3;
  if (text.size() > 2 && (text[1] | 0x20) == 'x' && all(std::string_view(text).substr(2), 16))
    return 3;
  if ((last == 'q' || last == 'o') && all(body, 8)) return 2;
  if (last == 'b' && all(body, 2)) return 1;
  return all(text, 10) ? 5 : 0;
}

/// 1-based position of a character constant's character, 0 if it is not there.
std::size_t indexOf(const std::string& text, std::string ch, bool last) {
  if (ch.size() >= 3 && (ch.front() == '\'' || ch.front() == '"')) ch = ch.substr(1, 1);
  if (ch.empty()) return 0;
  const std::size_t at = last ? text.rfind(ch[0]) : text.find(ch[0]);
  return at == std::string::npos ? 0 : at + 1;
}

}  // namespace

std::string* Preprocessor::substitution(std::string_view name) {
  if (Frame* const macro = macroFrame()) {
    const auto it = macro->arguments.find(name);
    if (it != macro->arguments.end()) return &it->second;
  }
  const auto it = substitutions_.find(name);
  return it == substitutions_.end() ? nullptr : &it->second;
}

std::string Preprocessor::substitute(const std::string& text) {
  if (substitutions_.empty() && macroFrame() == nullptr && text.find('?') == std::string::npos &&
      text.find('$') == std::string::npos)
    return text;
  std::string out;
  append(out, text, 0, true);
  if (out.size() > kMaxLineLength) {
    throw SourceError(0, "found a line longer than " + std::to_string(kMaxLineLength) +
                             " characters after substitution, expected a shorter one");
  }
  return out;
}

/// What an argument of a string function says: a symbol's text, a quoted string, or itself.
std::string Preprocessor::stringArgument(const std::string& text) {
  if (isQuoted(text)) return unquoted(text);
  if (const std::string* symbol = substitution(text)) return *symbol;
  return text;
}

/// The number that `$name(a,b)` is.
std::int32_t Preprocessor::callString(std::string_view name, const std::vector<std::string>& a) {
  const std::string first = stringArgument(a[0]);
  const std::string second = a.size() > 1 ? stringArgument(a[1]) : std::string{};
  if (name == "symlen" || name == "strlen") return static_cast<std::int32_t>(first.size());
  if (name == "symcmp") return first.compare(second) < 0 ? -1 : first == second ? 0 : 1;
  if (name == "firstch") return static_cast<std::int32_t>(indexOf(first, second, false));
  if (name == "lastch") return static_cast<std::int32_t>(indexOf(first, second, true));
  if (name == "iscons") return constantKind(first);
  if (name == "isname") return isName(first) ? 1 : 0;
  if (name == "isreg") return registerNumber(first) >= 0 ? 1 : 0;
  if (name == "ismember") return takeMember(a);
  // The rest asks for symbols of the program.
  const std::string key = name == "isdefed" ? first : "$" + std::string(name) + ":" + first;
  try {
    const Value v = lookup_(key, 0);
    return name == "isdefed" ? 1 : v.integer;
  } catch (const SourceError&) {
    return 0;
  }
}

/// $ismember(a,list): the first member goes to a, the rest stays in list; 0 once it is empty.
std::int32_t Preprocessor::takeMember(const std::vector<std::string>& a) {
  if (a.size() < 2) return 0;
  std::string list = stringArgument(a[1]);
  if (trimmed(list).empty()) return 0;
  const std::size_t comma = list.find(',');
  const std::string member = trimmed(list.substr(0, comma));
  const std::string rest = comma == std::string::npos ? std::string{} : list.substr(comma + 1);
  if (std::string* const target = substitution(a[0])) {
    *target = member;
  } else {
    substitutions_[a[0]] = member;
  }
  if (std::string* const source = substitution(a[1])) *source = rest;
  return 1;
}

/// Appends the value of the call at `at`; the position behind it, or `at` if it is none.
std::size_t Preprocessor::appendCall(std::string& out, const std::string& text, std::size_t at) {
  std::size_t i = 0;
  const std::string_view name = functionAt(text, at, i);
  if (name.empty()) return at;
  std::vector<std::string> arguments(1);
  int depth = 0;
  char quote = '\0';
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' && depth++ == 0) {
      continue;
    } else if (c == ')' && --depth == 0) {
      break;
    } else if (c == ',' && depth == 1) {
      arguments.emplace_back();
      continue;
    }
    arguments.back() += c;
  }
  if (i >= text.size())
    throw SourceError(at, "found $" + std::string(name) + "( without ), expected ')'");
  for (std::string& argument : arguments) {
    argument = trimmed(argument);
    if (argument.find(':') == std::string::npos) continue;
    std::string replaced;
    append(replaced, argument, 0, true);
    argument = replaced;
  }
  out += std::to_string(callString(name, arguments));
  return i + 1;
}

/// The part of a symbol's text that `:sym(first,length):` means; `at` stands behind the name and is
/// moved behind the closing colon. Empty result: this is no subscript.
std::optional<std::string> Preprocessor::subscript(const std::string& value,
                                                   const std::string& text, std::size_t& at) {
  const std::size_t close = text.find("):", at);
  if (at >= text.size() || text[at] != '(' || close == std::string::npos) return std::nullopt;
  std::string inner;
  append(inner, text.substr(at + 1, close - at - 1), 0, true);
  Scanner s(inner, 0);
  const auto number = [&]() -> std::size_t {
    const Value v = parseExpression(s, lookup_);
    if (v.isFloat || v.relative() || v.integer < 0)
      throw SourceError(at, "found a bad subscript, expected a number from 1 on");
    return static_cast<std::size_t>(v.integer);
  };
  const std::size_t first = number();
  const std::size_t length = s.accept(',') ? number() : 1;
  at = close + 2;
  if (first == 0 || first > value.size()) return std::string{};
  return value.substr(first - 1, length);
}

void Preprocessor::append(std::string& out, const std::string& text, int depth, bool arguments) {
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
    } else if (c == '$' && (i == 0 || !isNameChar(text[i - 1]))) {
      const std::size_t behind = appendCall(out, text, i);
      if (behind != i) {
        i = behind;
        continue;
      }
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
    const bool indexed = forced && end < text.size() && text[end] == '(';
    std::size_t resume = forced && closed ? end + 1 : end;
    const auto argument =
        macro != nullptr ? macro->arguments.find(name) : decltype(macro->arguments.end()){};
    const auto symbol = substitutions_.find(name);
    const bool isArgument = macro != nullptr && argument != macro->arguments.end();
    const bool isSymbol = symbol != substitutions_.end() && depth < kMaxSubstitutions;
    if (indexed && (isArgument || isSymbol)) {
      // A copy: the subscript may itself change symbols.
      const std::string value = isArgument ? argument->second : symbol->second;
      if (const std::optional<std::string> part = subscript(value, text, resume)) {
        out += *part;
        i = resume;
        continue;
      }
    }
    if (forced && !closed) {
      out += c;
      ++i;
    } else if (isArgument) {
      append(out, argument->second, kMaxSubstitutions, false);
      i = resume;
    } else if (isSymbol) {
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
