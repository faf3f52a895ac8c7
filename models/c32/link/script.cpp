// See script.hpp.
#include "models/c32/link/script.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace rtvp::c32 {
namespace {

constexpr std::uint32_t kAddressSpace = 1u << 24;
constexpr std::size_t kMostEntries = 1000;  ///< regions, sections, patterns
constexpr std::size_t kLongestScript = std::size_t{1} << 20;

struct Token {
  enum class Kind : std::uint8_t { Name, Punctuation, End };
  Kind kind = Kind::End;
  std::string text;
  std::uint32_t line = 1, column = 1;
};

bool isWordChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$' ||
         c == '/' || c == '-' || c == '?' || c == '*' || c == '\\' || c == '+' || c == '@';
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) { advance(); }

  LinkScript parse() {
    while (token_.kind != Token::Kind::End) {
      const std::string word = upper(token_.text);
      if (word == "MEMORY") {
        advance();
        memory();
      } else if (word == "SECTIONS") {
        advance();
        sections();
      } else if (word == "ENTRY") {
        advance();
        expect("(");
        script_.entry = name("a symbol");
        expect(")");
        accept(";");
      } else if (token_.kind == Token::Kind::Name && token_.text[0] == '-') {
        option();
      } else if (token_.kind == Token::Kind::Name) {
        constantOrFile();
      } else {
        fail("MEMORY, SECTIONS, ENTRY, NAME = number, an option or a file");
      }
    }
    return std::move(script_);
  }

 private:
  /// NAME = number; or the name of an input file.
  void constantOrFile() {
    const Token start = token_;
    const std::string word = name("a name");
    if (accept("=")) {
      script_.constants.emplace_back(word, sum());
      accept(";");
      limit(script_.constants.size());
      return;
    }
    if (token_.kind == Token::Kind::Punctuation && token_.text != "\"")
      fail("'=' behind a name, or a file name alone");
    if (word.find('.') == std::string::npos)
      failAt(start, "MEMORY, SECTIONS, ENTRY, NAME = number, an option or a file name with a dot");
    script_.commands.inputs.push_back(word);
    limit(script_.commands.inputs.size());
  }

  /// Numbers with + and - between them.
  std::uint32_t sum() {
    std::uint32_t value = number(0xFFFFFFFFu, "a number");
    for (;;) {
      if (accept("+")) {
        value += number(0xFFFFFFFFu, "a number");
      } else if (accept("-")) {
        value -= number(0xFFFFFFFFu, "a number");
      } else {
        return value;
      }
    }
  }

  /// An option of TI's linker; those that only change how it reports are accepted.
  void option() {
    const Token start = token_;
    const std::string word = name("an option").substr(1);
    LinkCommands& c = script_.commands;
    const auto text = [&](std::size_t letters) {
      return word.size() > letters ? word.substr(letters) : name("an operand of -" + word);
    };
    const auto words = [&](const char* what) {
      accept("=");
      return number(kAddressSpace, what);
    };
    if (word == "c" || word == "cr") {
      c.initialisation = word == "c" ? Initialisation::Rom : Initialisation::Ram;
    } else if (word == "stack") {
      c.stack = words("a number of words");
    } else if (word == "heap") {
      c.heap = words("a number of words");
    } else if (word == "f" || word == "fill") {
      words("a word");
    } else if (word[0] == 'l') {
      c.inputs.push_back("-l " + text(1));
    } else if (word[0] == 'i') {
      c.directories.push_back(text(1));
    } else if (word[0] == 'u') {
      c.wanted.push_back(text(1));
    } else if (word[0] == 'o') {
      c.output = text(1);
    } else if (word[0] == 'm') {
      c.map = text(1);
    } else if (word[0] == 'e') {
      script_.entry = text(1);
    } else if (word.empty() || std::string("abhnqrsvwx").find(word[0]) == std::string::npos) {
      failAt(start, "an option of the linker");
    }
  }

  [[noreturn]] void fail(const std::string& expected) const { failAt(token_, expected); }
  [[noreturn]] static void failAt(const Token& token, const std::string& expected) {
    const std::string found =
        token.kind == Token::Kind::End ? "end of file" : "'" + token.text.substr(0, 40) + "'";
    throw ScriptError(token.line, token.column, "found " + found + ", expected " + expected);
  }
  void limit(std::size_t count) const {
    if (count > kMostEntries) fail("at most " + std::to_string(kMostEntries) + " entries");
  }

  char at(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  void step() {
    if (at() == '\n') {
      ++line_;
      column_ = 1;
    } else {
      ++column_;
    }
    ++position_;
  }
  void skipBlanks() {
    while (position_ < text_.size()) {
      if (at() == '/' && at(1) == '*') {
        const Token open{Token::Kind::Name, "/*", line_, column_};
        while (position_ < text_.size() && !(at() == '*' && at(1) == '/')) step();
        if (position_ >= text_.size()) failAt(open, "*/ behind it");
        step();
        step();
      } else if (at() == '#') {
        while (position_ < text_.size() && at() != '\n') step();
      } else if (std::isspace(static_cast<unsigned char>(at())) != 0) {
        step();
      } else {
        return;
      }
    }
  }
  void advance() {
    skipBlanks();
    token_ = {Token::Kind::End, "", line_, column_};
    if (position_ >= text_.size()) return;
    if (at() == '"') return quotedName();
    if (!isWordChar(at())) {
      token_.kind = Token::Kind::Punctuation;
      const char c = at();
      token_.text = c >= 0x20 && c < 0x7F ? std::string(1, c) : "?";
      step();
      return;
    }
    token_.kind = Token::Kind::Name;
    while (position_ < text_.size() && isWordChar(at()) && !(at() == '/' && at(1) == '*')) {
      token_.text += at();
      step();
    }
  }
  /// A name between quotes: any characters but quotes and line ends.
  void quotedName() {
    const Token open{Token::Kind::Name, "\"", line_, column_};
    step();
    while (position_ < text_.size() && at() != '"' && at() != '\n') {
      token_.text += at();
      step();
    }
    if (at() != '"' || token_.text.empty()) failAt(open, "a name between quotes");
    step();
    token_.kind = Token::Kind::Name;
  }
  bool accept(const std::string& text) {
    if (token_.kind == Token::Kind::End || token_.text != text) return false;
    advance();
    return true;
  }
  void expect(const std::string& text) {
    if (!accept(text)) fail("'" + text + "'");
  }
  std::string name(const std::string& what) {
    if (token_.kind != Token::Kind::Name) fail(what);
    std::string text = token_.text;
    advance();
    return text;
  }

  bool startsNumber() const {
    return token_.kind == Token::Kind::Name &&
           std::isdigit(static_cast<unsigned char>(token_.text[0])) != 0;
  }
  /// 87FE00h, 0x87FE00 or decimal.
  std::uint32_t number(std::uint64_t most, const std::string& what) {
    if (!startsNumber()) fail(what);
    std::string digits = token_.text;
    int base = 10;
    if (digits.size() > 2 && (digits[1] == 'x' || digits[1] == 'X')) {
      base = 16;
      digits = digits.substr(2);
    } else if (digits.back() == 'h' || digits.back() == 'H') {
      base = 16;
      digits.pop_back();
    }
    std::uint64_t value = 0;
    for (const char c : digits) {
      const auto u = static_cast<unsigned char>(c);
      const int digit = std::isdigit(u) != 0    ? c - '0'
                        : std::isxdigit(u) != 0 ? std::toupper(u) - 'A' + 10
                                                : 99;
      if (digit >= base || value > most) fail(what);
      value = value * static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(digit);
    }
    if (value > most) fail(what);
    advance();
    return static_cast<std::uint32_t>(value);
  }

  void memory() {
    expect("{");
    while (!accept("}")) {
      const Token start = token_;
      if (page()) {
        expect(":");
        continue;
      }
      MemoryRegion region;
      region.name = name("a region name or '}'");
      if (script_.region(region.name) != nullptr) failAt(start, "a region name not used before");
      if (accept("(")) {  // attributes: what the region may hold
        name("R, W, X, I");
        expect(")");
      }
      expect(":");
      for (int field = 0; field < 2; ++field) {
        const std::string key = upper(name("origin or length"));
        const bool origin = key == "ORIGIN" || key == "ORG" || key == "O";
        if (origin != (field == 0) || (!origin && key != "LENGTH" && key != "LEN" && key != "L"))
          failAt(start, "origin = address, length = words");
        expect("=");
        (origin ? region.origin : region.length) =
            number(origin ? kAddressSpace - 1 : kAddressSpace, "an address or length in words");
        accept(",");
      }
      if (token_.kind == Token::Kind::Name && upper(token_.text) == "FILL") {
        advance();
        expect("=");
        number(0xFFFFFFFFu, "a word");
      }
      accept(";");
      checkRegion(region, start);
      script_.memory.push_back(region);
      limit(script_.memory.size());
    }
  }

  /// PAGE n: there is one address space, pages make no difference.
  bool page() {
    if (token_.kind != Token::Kind::Name || upper(token_.text) != "PAGE") return false;
    advance();
    accept("=");
    number(255, "a page number");
    return true;
  }

  void checkRegion(const MemoryRegion& region, const Token& start) const {
    if (std::uint64_t{region.origin} + region.length > kAddressSpace)
      failAt(start, "a region that ends at or below FFFFFFh");
    for (const MemoryRegion& other : script_.memory) {
      if (region.origin < std::uint64_t{other.origin} + other.length &&
          other.origin < std::uint64_t{region.origin} + region.length)
        failAt(start, "a region that does not overlap " + other.name);
    }
  }

  Placement placement() {
    Placement p;
    if (startsNumber()) {
      p.address = number(kAddressSpace - 1, "an address");
      return p;
    }
    const Token where = token_;
    p.region = name("a memory region or an address");
    if (script_.region(p.region) == nullptr) failAt(where, "a region of MEMORY");
    return p;
  }

  void sections() {
    expect("{");
    while (!accept("}")) {
      OutputSpec spec;
      spec.line = token_.line;
      const Token start = token_;
      spec.name = name("a section name or '}'");
      for (const OutputSpec& other : script_.sections) {
        if (other.name == spec.name) failAt(start, "a section not described before");
      }
      if (!accept(":") && token_.text != ">" && token_.text != "{") expect(":");
      bool more = true;
      while (more) more = attribute(spec);
      accept(";");
      script_.sections.push_back(std::move(spec));
      limit(script_.sections.size());
    }
  }

  /// One `key = value`, `> REGION`, `{ inputs }` or `SYMBOL_KIND(name)`; false if there is none.
  bool attribute(OutputSpec& spec) {
    if (accept(",") || page()) return true;
    if (accept(">")) {
      spec.load = placement();
      return true;
    }
    if (accept("{")) {
      inputs(spec);
      return true;
    }
    if (token_.kind != Token::Kind::Name) return false;
    const std::string key = upper(token_.text);
    std::vector<std::string>* const list = key == "LOAD_START"  ? &spec.loadStart
                                           : key == "RUN_START" ? &spec.runStart
                                           : key == "RUN_END"   ? &spec.runEnd
                                           : key == "SIZE"      ? &spec.sizeOf
                                                                : nullptr;
    const bool known = key == "LOAD" || key == "RUN" || key == "ALIGN" || key == "FILL" ||
                       key == "BLOCK" || key == "TYPE";
    if (list == nullptr && !known) return false;
    advance();
    if (list != nullptr && accept("(")) {
      list->push_back(name("a symbol to define"));
      expect(")");
      return true;
    }
    const bool parentheses = accept("(");  // align(16) is align = 16
    if (!parentheses) expect("=");
    value(spec, key);
    if (parentheses) expect(")");
    return true;
  }

  /// What stands behind `key =`.
  void value(OutputSpec& spec, const std::string& key) {
    if (key == "BLOCK") {
      spec.block = powerOfTwo();
    } else if (key == "TYPE") {
      spec.type = type();
    } else if (key == "LOAD") {
      spec.load = placement();
    } else if (key == "RUN") {
      spec.run = placement();
    } else if (key == "FILL") {
      spec.fill = number(0xFFFFFFFFu, "a word");
    } else if (key == "SIZE") {
      spec.minimum = number(kAddressSpace, "a number of words");
    } else if (key == "ALIGN") {
      spec.alignment = powerOfTwo();
    } else {
      fail("a symbol in parentheses");
    }
  }

  std::uint32_t powerOfTwo() {
    const Token where = token_;
    const std::uint32_t n = number(65536, "a power of two up to 65536");
    if (n == 0 || (n & (n - 1)) != 0) failAt(where, "a power of two up to 65536");
    return n;
  }

  OutputType type() {
    const Token where = token_;
    const std::string word = upper(name("COPY, DSECT or NOLOAD"));
    if (word != "COPY" && word != "DSECT" && word != "NOLOAD")
      failAt(where, "COPY, DSECT or NOLOAD");
    return word == "COPY"    ? OutputType::Copy
           : word == "DSECT" ? OutputType::Dummy
                             : OutputType::NoLoad;
  }

  void inputs(OutputSpec& spec) {
    while (!accept("}")) {
      InputPattern pattern;
      pattern.file = name("file(section ...) or '}'");
      expect("(");
      while (!accept(")")) {
        pattern.sections.push_back(name("a section name or ')'"));
        accept(",");
        limit(pattern.sections.size());
      }
      spec.inputs.push_back(std::move(pattern));
      limit(spec.inputs.size());
    }
  }

  const std::string& text_;
  std::size_t position_ = 0;
  std::uint32_t line_ = 1, column_ = 1;
  Token token_;
  LinkScript script_;
};

}  // namespace

const MemoryRegion* LinkScript::region(const std::string& name) const {
  const auto it = std::find_if(memory.begin(), memory.end(),
                               [&](const MemoryRegion& r) { return r.name == name; });
  return it == memory.end() ? nullptr : &*it;
}

bool matches(const std::string& pattern, const std::string& text) {
  // Greedy with one point of return: linear in practice, quadratic at worst.
  std::size_t p = 0, t = 0, star = std::string::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++p, ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

LinkScript parseScript(const std::string& text) {
  if (text.size() > kLongestScript)
    throw ScriptError(1, 1, "found a script of more than 1 MiB, expected a shorter one");
  return Parser(text).parse();
}

}  // namespace rtvp::c32
