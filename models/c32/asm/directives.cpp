// Directives of sections, symbols and space (c32.md 10.2; extensions: README.md).
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "models/c32/asm/directive_table.hpp"
#include "models/c32/asm/program.hpp"
#include "models/c32/isa.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::uint32_t kNop = 0x0C800000;
constexpr std::int32_t kLastAddress = 0xFFFFFF;

}  // namespace

const DirectiveRow* findDirective(std::string_view upperName) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const DirectiveRow*> rows;
    for (const DirectiveRow& row : kDirectives) rows.emplace(row.name, &row);
    return rows;
  }();
  const auto it = table.find(upperName);
  return it == table.end() ? nullptr : it->second;
}

bool isDirective(const std::string& upperName) {
  if (upperName.empty() || (upperName[0] != '.' && upperName != "EQU")) return false;
  return upperName[0] != '.' || findDirective(upperName) != nullptr;
}

std::int32_t Program::absolute(Scanner& s, std::int32_t least, std::int32_t most,
                               const std::string& what) {
  s.skipBlanks();
  const std::size_t at = s.position();
  const Value v = parseExpression(s, symbols());
  if (v.isFloat || v.section >= 0 || v.integer < least || v.integer > most) {
    throw SourceError(
        at, foundExpected(s.line(), at,
                          what + " of " + std::to_string(least) + " to " + std::to_string(most)));
  }
  return v.integer;
}

int Program::sectionIndex(const std::string& name, Section::Kind kind, std::size_t position) {
  constexpr std::size_t kMostSections = 1000;
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    if (sections_[i].name != name) continue;
    if (sections_[i].initialised() != (kind != Section::Kind::Bss)) {
      throw SourceError(position, "found section \"" + name +
                                      "\" both initialised and uninitialised, expected one kind");
    }
    return static_cast<int>(i);
  }
  if (sections_.size() >= kMostSections) {
    throw SourceError(position,
                      "found too many sections, expected at most " + std::to_string(kMostSections));
  }
  if (name.empty() || name.size() > 200)
    throw SourceError(position, "found a bad section name, expected 1 to 200 characters");
  Building b;
  b.name = name;
  b.kind = kind;
  sections_.push_back(std::move(b));
  return static_cast<int>(sections_.size() - 1);
}

void Program::selectSection(const std::string& name, Section::Kind kind, std::size_t position) {
  section_ = sectionIndex(name, kind, position);
  ++scope_;
}

/// Operands `, run[, load]` of .sect and .place: run is an address or the name of the section to
/// follow.
void Program::placeSection(Scanner& s, Building& section, const Line& line) {
  if (!s.accept(',')) return;
  section.placedBy = line;
  s.skipBlanks();
  if (s.peek() == '"') {
    section.runAfter = s.quoted();
  } else {
    section.run = static_cast<std::uint32_t>(absolute(s, 0, kLastAddress, "a run address"));
  }
  if (!s.accept(',')) return;
  if (!section.initialised()) s.fail("no load address for an uninitialised section");
  section.load = static_cast<std::uint32_t>(absolute(s, 0, kLastAddress, "a load address"));
}

bool Program::sectionDirective(const Line& line, const LineParts& parts) {
  const std::string& op = parts.operation;
  Scanner s(line.text, parts.operandsAt);
  if (op == ".TEXT" || op == ".DATA" || op == ".CONST") {
    selectSection(op == ".TEXT"   ? ".text"
                  : op == ".DATA" ? ".data"
                                  : ".const",
                  op == ".TEXT" ? Section::Kind::Text : Section::Kind::Data, parts.operationAt);
    return true;  // TI's assembler does not look at what follows
  } else if (op == ".ASECT") {
    absoluteSection(s, line);
  } else if (op == ".COPYSECT") {
    const std::size_t at = s.position();
    selectSection(sectionName(s), Section::Kind::Data, at);
    sections_[static_cast<std::size_t>(section_)].copy = true;
  } else if (op == ".SECT" || op == ".SECTION" || op == ".PLACE") {
    const std::size_t at = s.position();
    const std::string name = sectionName(s);
    if (op == ".PLACE") {
      const auto it = std::find_if(sections_.begin(), sections_.end(),
                                   [&](const Building& b) { return b.name == name; });
      if (it == sections_.end()) s.failAt(at, "a section mentioned before");
      placeSection(s, *it, line);
    } else {
      selectSection(name, name == ".data" ? Section::Kind::Data : Section::Kind::Text, at);
      placeSection(s, sections_[static_cast<std::size_t>(section_)], line);
    }
  } else if (op == ".BSS" && s.atEnd()) {
    selectSection(".bss", Section::Kind::Bss, parts.operationAt);
    return true;
  } else if (op == ".BSS" || op == ".USECT") {
    try {
      reserveUninitialised(s, line, parts, op == ".BSS");
    } catch (const SourceError&) {
      Scanner name(line.text, parts.operandsAt);
      name.skipBlanks();
      breakSymbol(op == ".BSS" ? name.name() : parts.label);
      throw;
    }
  } else if (op == ".ORG") {
    origin(s, line);
  } else if (op == ".ALIGN") {
    align(s, line, parts);
    return true;
  } else if (op == ".EVEN") {
    alignTo(2, line, parts);
  } else if (op == ".BLOCK" && inFunction_ && options_.dialect == Dialect::Ti) {
    debugDirective(line, parts);
    return true;
  } else if (op == ".SPACE" || op == ".BLOCK" || op == ".BES" || op == ".FILL") {
    reserve(s, line, parts);
  } else {
    return false;
  }
  if (!s.atEnd()) s.fail("end of line");
  return true;
}

/// In quotes or, as old sources have it, without.
std::string Program::sectionName(Scanner& s) {
  s.skipBlanks();
  std::string name;
  if (s.peek() == '"') {
    name = s.quoted();
  } else {
    name = s.operation();
  }
  if (name.empty()) s.fail("a section name in quotes");
  return name;
}

/// .asect "name",address: a section that runs and loads where the source says.
void Program::absoluteSection(Scanner& s, const Line& line) {
  const std::size_t at = s.position();
  const std::string name = sectionName(s);
  selectSection(name, Section::Kind::Text, at);
  if (!s.accept(',')) return;
  Building& b = sections_[static_cast<std::size_t>(section_)];
  b.run = b.load = static_cast<std::uint32_t>(absolute(s, 0, kLastAddress, "an address"));
  b.placedBy = line;
}

/// Words of 0, or of one value. The label of .bes names the last of them.
void Program::reserve(Scanner& s, const Line& line, const LineParts& parts) {
  const std::string& op = parts.operation;
  auto size = static_cast<std::uint32_t>(absolute(s, 0, kLastAddress, "a number of words"));
  std::uint32_t fill = 0;
  if (op == ".FILL" && s.accept(',')) {
    size *= static_cast<std::uint32_t>(absolute(s, 0, 16, "a number of words"));
    if (s.accept(','))
      fill = static_cast<std::uint32_t>(absolute(s, INT32_MIN, INT32_MAX, "a word"));
  }
  Building& section = sections_[static_cast<std::size_t>(section_)];
  if (op == ".BES" && !parts.label.empty()) {
    offset_ = section.size + size - (size == 0 ? 0 : 1);
    define(parts.label, here(), line, parts.labelAt);
  }
  if (section.initialised()) {
    add(Statement::Kind::Fill, line, parts, size).fill = fill;
  } else if (section.size + size > (1u << 24)) {
    s.failAt(parts.operandsAt, "space that fits the address space");
  } else {
    section.size += size;
  }
}

/// .bss sym,size[,align] and sym .usect "name",size[,align]: no change of the current section.
void Program::reserveUninitialised(Scanner& s, const Line& line, const LineParts& parts, bool bss) {
  std::string symbol = parts.label, section = ".bss";
  std::size_t at = parts.labelAt;
  s.skipBlanks();
  if (bss) {
    at = s.position();
    symbol = s.name();
    if (symbol.empty()) s.fail("a symbol");
  } else {
    section = sectionName(s);
  }
  if (!s.accept(',')) s.fail("',' and a size");
  s.skipBlanks();
  const std::size_t sizeAt = s.position();
  std::uint32_t size = 0;
  if (const int number = registerNamed(s.name()); number >= 0) {
    size = static_cast<std::uint32_t>(number);  // to TI's assembler a register is its number here
    report(Severity::Warning, line, order_, sizeAt, "a register's number is taken as size");
  } else {
    s.seek(sizeAt);
    size = static_cast<std::uint32_t>(absolute(s, 0, kLastAddress, "a size"));
  }
  std::uint32_t alignment = 1;
  if (s.accept(',')) {
    const auto value = static_cast<std::uint32_t>(absolute(s, 0, 65536, "an alignment"));
    alignment = std::max(value, 1u);
    if ((alignment & (alignment - 1)) != 0) s.failAt(s.position(), "a power of two as alignment");
  }
  const int index = sectionIndex(section, Section::Kind::Bss, parts.operandsAt);
  Building& b = sections_[static_cast<std::size_t>(index)];
  const std::uint32_t start = (b.size + alignment - 1) & ~(alignment - 1);
  if (start + size > (1u << 24)) s.failAt(parts.operandsAt, "sections that fit the address space");
  if (b.placedBy.where.line == 0) b.placedBy = line;
  if (!symbol.empty())
    define(symbol, {.integer = static_cast<std::int32_t>(start), .section = index, .address = true},
           line, at);
  b.size = start + size;
  b.alignment = std::max(b.alignment, alignment);
}

/// .org: in an empty section its load and run address, later a forward move inside it.
void Program::origin(Scanner& s, const Line& line) {
  const std::size_t at = s.position();
  const auto address = static_cast<std::uint32_t>(absolute(s, 0, kLastAddress, "an address"));
  Building& b = sections_[static_cast<std::size_t>(section_)];
  if (b.size == 0) {
    b.run = address;
    if (b.initialised()) b.load = address;
    b.placedBy = line;
    return;
  }
  if (!b.run || address < *b.run + b.size) {
    s.failAt(at,
             "an address behind the section's last word, in a section whose start an .org or a run "
             "address set");
  }
  LineParts parts;
  parts.operationAt = at;
  if (b.initialised()) {
    add(Statement::Kind::Fill, line, parts, address - *b.run - b.size);
  } else {
    b.size = address - *b.run;
  }
}

void Program::align(Scanner& s, const Line& line, const LineParts& parts) {
  constexpr std::uint32_t kDefault = 32;
  const std::size_t at = s.position();
  const std::uint32_t n =
      s.atEnd() ? kDefault : static_cast<std::uint32_t>(absolute(s, 1, 65536, "an alignment"));
  if (!s.atEnd()) s.fail("end of line");
  if ((n & (n - 1)) != 0) s.failAt(at, "a power of two");
  alignTo(n, line, parts);
}

void Program::alignTo(std::uint32_t n, const Line& line, const LineParts& parts) {
  Building& b = sections_[static_cast<std::size_t>(section_)];
  const std::uint32_t padding = (n - b.size % n) % n;
  b.alignment = std::max(b.alignment, n);
  if (!b.initialised()) {
    b.size += padding;
    return;
  }
  add(Statement::Kind::Fill, line, parts, padding).fill = b.kind == Section::Kind::Text ? kNop : 0;
}

void Program::set(const Line& line, const LineParts& parts) {
  if (parts.label.empty())
    throw SourceError(parts.operationAt,
                      "found " + parts.operation + " without a label, expected SYMBOL .set value");
  try {
    Scanner s(line.text, parts.operandsAt);
    const std::string name = s.name();
    if (const int number = s.atEnd() ? registerNamed(name) : -1; number >= 0)
      return define(parts.label, Value{.reg = number}, line, parts.labelAt, true);
    define(parts.label, evaluate(line.text, parts.operandsAt), line, parts.labelAt, true);
  } catch (const UndefinedSymbol&) {
    if (symbols_[keyOf(parts.label)].defined)
      return define(parts.label, Value{}, line, parts.labelAt);  // reports the second definition
    pendingSets_.push_back(
        {parts.label, line.text, parts.operandsAt, line, order_, section_, offset_, scope_});
  } catch (const SourceError&) {
    breakSymbol(parts.label);
    throw;
  }
}

/// A bad name in the list is reported; the others count all the same.
void Program::globals(Scanner& s, const Line& line, const LineParts& parts) {
  do {
    s.skipBlanks();
    const std::size_t at = s.position();
    const std::string name = s.qualifiedName();
    s.skipBlanks();
    if (name.empty() || (s.peek() != ',' && !s.atEnd())) {
      report(Severity::Error, line, order_, at, foundExpected(line.text, at, "a symbol"));
      while (s.peek() != ',' && !s.atEnd()) s.next();
      continue;
    }
    Known& known = symbols_[name];
    if (parts.operation != ".REF") known.external = true;
    if (parts.operation != ".DEF") known.declared = true;
  } while (s.accept(','));
}

bool Program::symbolDirective(const Line& line, const LineParts& parts) {
  const std::string& op = parts.operation;
  Scanner s(line.text, parts.operandsAt);
  if (op == ".SET" || op == ".EQU") {
    set(line, parts);
  } else if (op == ".GLOBAL" || op == ".GLOBL" || op == ".DEF" || op == ".REF") {
    globals(s, line, parts);
  } else if (op == ".LABEL") {
    const std::size_t at = s.position();
    const std::string name = s.name();
    if (name.empty() || !s.atEnd()) s.fail("one symbol");
    Value v = here();
    v.load = true;
    define(name, v, line, at);
  } else if (op == ".NEWBLOCK") {
    ++scope_;
  } else if (op == ".END") {
    if (!s.atEnd()) add(Statement::Kind::Entry, line, parts, 0);
    preprocessor_.stop();
  } else if (op == ".ASSERT") {
    add(Statement::Kind::Assert, line, parts, 0);
  } else if (op == ".EMSG" || op == ".WMSG" || op == ".MMSG") {
    std::string text;
    if (s.peek() == '"') {
      text = s.quoted();
    } else {
      text = line.text.substr(parts.operandsAt);
    }
    if (op == ".EMSG") throw SourceError(parts.operationAt, text);
    report(Severity::Warning, line, order_, parts.operationAt, text);
  } else {
    return false;
  }
  return true;
}

/// Everything that starts with a dot and is not the preprocessor's. False for an unknown name.
bool Program::directive(const Line& line, const LineParts& parts) {
  const std::string& op = parts.operation;
  if (op[0] != '.') return false;
  const DirectiveRow* const row = findDirective(op);
  if (row == nullptr) return false;
  if (row->kind != DirectiveKind::Data || op != ".FIELD") field_.used = 32;
  switch (row->kind) {
    case DirectiveKind::Ignored:
      return true;
    case DirectiveKind::Debug:
      debugDirective(line, parts);
      return true;
    case DirectiveKind::Structure:
      structureDirective(line, parts);
      return true;
    case DirectiveKind::Data:
      if (op == ".FIELD") {
        addField(line, parts);
      } else {
        add(Statement::Kind::Data, line, parts, dataSize(line.text, parts));
      }
      return true;
    default:
      return sectionDirective(line, parts) || symbolDirective(line, parts);
  }
}

}  // namespace rtvp::c32
