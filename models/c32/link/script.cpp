// See script.hpp.
#include "models/c32/link/script.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "models/c32/link/script_scanner.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::uint32_t kAddressSpace = 1u << 24;
constexpr std::size_t kLongestScript = std::size_t{1} << 20;

class Parser : ScriptScanner {
 public:
  explicit Parser(const std::string& text) : ScriptScanner(text) { advance(); }

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
  /// NAME = expression; or the name of an input file.
  void constantOrFile() {
    if (std::optional<ScriptAssignment> a = assignment()) return keep(std::move(*a));
    const Token start = token_;
    const std::string word = name("a name");
    if (token_.kind == Token::Kind::Punctuation && token_.text != "\"")
      fail("'=' behind a name, or a file name alone");
    if (word.find('.') == std::string::npos)
      failAt(start, "MEMORY, SECTIONS, ENTRY, NAME = number, an option or a file name with a dot");
    script_.commands.inputs.push_back(word);
    limit(script_.commands.inputs.size());
  }

  /// An assignment outside of sections: numbers are constants at once.
  void keep(ScriptAssignment a) {
    const Token here{Token::Kind::Name, a.symbol, a.line, 1};
    if (a.symbol == "." || a.value.usesHere())
      failAt(here, "'.' inside of a section's braces only");
    if (a.value.isConstant()) {
      const auto value = evaluate(a.value, 0, [](const std::string&) { return std::nullopt; });
      if (!value) failAt(here, "no division by 0");
      script_.constants.emplace_back(a.symbol, *value);
    } else {
      script_.assignments.push_back(std::move(a));
    }
    limit(script_.constants.size() + script_.assignments.size());
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
    } else if (word == "heap" || word == "heap8" || word == "heap16") {
      (word == "heap" ? c.heap : word == "heap8" ? c.heap8 : c.heap16) = words("a number of words");
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
      if (startsGroup()) {
        group();
      } else if (std::optional<ScriptAssignment> a = assignment()) {
        keep(std::move(*a));
      } else {
        section(false);
      }
    }
  }

  /// An output section; inside of a group its name alone will do. Its number.
  std::size_t section(bool grouped) {
    OutputSpec spec;
    spec.line = token_.line;
    const Token start = token_;
    spec.name = name("a section name or '}'");
    for (const OutputSpec& other : script_.sections) {
      if (other.name == spec.name) failAt(start, "a section not described before");
    }
    if (!accept(":") && !grouped && token_.text != ">" && token_.text != "{") expect(":");
    bool more = true;
    while (more) more = attribute(spec);
    accept(";");
    script_.sections.push_back(std::move(spec));
    limit(script_.sections.size());
    return script_.sections.size() - 1;
  }

  bool startsGroup() const {
    const std::string word = upper(token_.text);
    return token_.kind == Token::Kind::Name && !quoted_ && (word == "GROUP" || word == "UNION");
  }

  /// GROUP or UNION: attributes in front of the braces or behind them. Its number.
  std::size_t group() {
    const Token start = token_;
    if (++depth_ > 20) fail("groups less deep in each other");
    SectionGroup g;
    g.isUnion = upper(token_.text) == "UNION";
    g.nested = depth_ > 1;
    g.line = token_.line;
    advance();
    OutputSpec attributes;
    if (startsNumber()) attributes.load = placement();
    accept(":");
    bool body = false;
    for (;;) {
      if (!body && accept("{")) {
        body = true;
        while (!accept("}")) {
          accept(",");
          const bool inner = startsGroup();
          g.members.push_back({inner, inner ? group() : section(true)});
        }
      } else if (!attribute(attributes)) {
        break;
      }
    }
    accept(";");
    --depth_;
    const bool symbols = !attributes.loadStart.empty() || !attributes.runStart.empty() ||
                         !attributes.runEnd.empty() || !attributes.sizeOf.empty();
    if (!body || g.members.empty()) failAt(start, "sections in the braces of " + start.text);
    if (symbols || !attributes.inputs.empty() || attributes.minimum)
      failAt(start, "load, run and align of " + start.text + ", the rest with its sections");
    g.load = attributes.load;
    g.run = attributes.run;
    if (g.nested && (g.load.given() || g.run.given()))
      failAt(start, "addresses of the outermost group only");
    g.alignment = attributes.alignment;
    script_.groups.push_back(std::move(g));
    limit(script_.groups.size());
    return script_.groups.size() - 1;
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
    const bool parentheses = accept("(");  // align(16) is align = 16, and so is align 16
    const bool bare = (key == "BLOCK" || key == "ALIGN") && startsNumber();
    if (!parentheses && !bare) expect("=");
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
    std::vector<ScriptAssignment> assigned;
    while (!accept("}")) {
      if (std::optional<ScriptAssignment> a = assignment()) {
        assigned.push_back(std::move(*a));
        limit(assigned.size());
        continue;
      }
      InputPattern pattern;
      pattern.before = std::exchange(assigned, {});
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
    spec.after = std::move(assigned);
  }

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
