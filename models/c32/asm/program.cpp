// The two passes: lines to statements with offsets, placement, statements to words, and the
// resulting Image.
#include "models/c32/asm/program.hpp"

#include <algorithm>
#include <filesystem>

#include "models/c32/decode.hpp"
#include "models/c32/isa.hpp"
#include "models/common/core/file_io.hpp"
#include "models/common/core/unreadable.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::size_t kMaxWarnings = 200;
constexpr std::uint32_t kMaxFailures = 16;  // of a line, however often a loop delivers it

/// $0 to $9: valid up to .newblock, a section change or the end of an include file.
bool isLocal(const std::string& name) {
  return (name.size() == 2 && name[0] == '$' && isDigit(name[1])) || name.back() == '?';
}

bool sameValue(const Value& a, const Value& b) {
  return a.isFloat == b.isFloat && a.integer == b.integer && a.real == b.real &&
         a.section == b.section && a.symbol == b.symbol && a.reg == b.reg && a.load == b.load;
}

}  // namespace

Program::Program(const AssemblerOptions& options, AssemblyResult& result)
    : options_(options),
      result_(result),
      preprocessor_(
          options, symbols(),
          [](const std::string& name) { return isMnemonic(name) || isDirective(name); },
          [this](const Line& line, const SourceError& error) {
            report(Severity::Error, line, order_ + 1, error.position(), error.what());
          }) {}

void Program::run(const std::string& fileName, const std::string& source) {
  try {
    passOne(fileName, source);
    relocatable_ = options_.relocatable;
    for (const auto& [name, known] : symbols_)
      relocatable_ = relocatable_ || (known.declared && !known.defined && !known.broken);
    const bool sound = errors_ == 0;  // sizes are right: only then can placement be judged
    const auto blame = [&](Severity severity, const Line& line, const std::string& text) {
      if (sound) report(severity, line, order_ + 1, 0, text);
    };
    if (relocatable_) {
      startRelocatable();
    } else {
      place(sections_, blame);
    }
    placed_ = true;
    resolveSets();
    passTwo();
    checkStatements();
  } catch (const TooManyErrors&) {
    // The list ends here; what was found so far is reported.
  }
  result_.sources = preprocessor_.files();
  finish();
}

/// Structures nobody closed.
void Program::reportOpenStructures() {
  for (const Structure& s : structures_)
    report(Severity::Error, s.opened, order_, 0,
           "found a structure without end, expected .endstruct or .endunion");
  structures_.clear();
}

void Program::passOne(const std::string& fileName, const std::string& source) {
  for (const auto& [name, value] : options_.defines) {
    symbols_[name] = {
        .value = Value::of(value), .defined = true, .external = false, .where = "the command line"};
  }
  preprocessor_.open(fileName, source);
  sectionIndex(".text", Section::Kind::Text, 0);
  while (std::optional<Line> line = preprocessor_.next()) {
    ++order_;
    if (line->where.file != includeFile_) {
      includeFile_ = line->where.file;
      if (!line->expanded) ++scope_;
    }
    const ListedLine listed{*line, section_, sections_[static_cast<std::size_t>(section_)].size,
                            statements_.size()};
    try {
      if (!hopeless(line->where)) processLine(*line);
    } catch (const SourceError& error) {
      report(Severity::Error, *line, order_, error.position(), error.what());
    }
    offset_ = sections_[static_cast<std::size_t>(section_)].size;  // for $ in a condition
    if (options_.listing) listed_.push_back(listed);
  }
  reportOpenStructures();
}

void Program::processLine(const Line& line) {
  const auto known = [this](const std::string& name) {
    return isMnemonic(name) || isDirective(name) || preprocessor_.isMacro(name);
  };
  const LineParts parts = splitLine(line.text, known);
  offset_ = sections_[static_cast<std::size_t>(section_)].size;
  if (parts.parallel) return addSecondHalf(line, parts);
  if (parts.label.empty() && parts.operation.empty()) return;
  mayPair_ = false;
  const std::string& op = parts.operation;
  if (!structures_.empty() && member(line, parts)) return;
  const bool labelIsOperand = op == ".SET" || op == ".EQU" || op == ".USECT" || op == ".MACRO" ||
                              op == ".STRUCT" || op == ".UNION" || op == ".ENDSTRUCT" ||
                              op == ".ENDUNION" || op == ".TAG" || op == ".FIELD" || op == ".BES";
  if (op.empty() || op[0] != '.') field_.used = 32;
  if (!parts.label.empty() && !labelIsOperand) define(parts.label, here(), line, parts.labelAt);
  if (op.empty() || directive(line, parts)) return;
  if (op[0] == '.') {
    throw SourceError(parts.operationAt, foundExpected(line.text, parts.operationAt,
                                                       "a directive the assembler knows"));
  }
  if (!isMnemonic(op)) {
    throw SourceError(parts.operationAt, foundExpected(line.text, parts.operationAt,
                                                       "an instruction, a directive or a macro"));
  }
  addInstruction(line, parts);
}

Statement& Program::add(Statement::Kind kind, const Line& line, const LineParts& parts,
                        std::uint32_t size) {
  constexpr std::uint64_t kMostWords = 1u << 24;
  Building& section = sections_[static_cast<std::size_t>(section_)];
  if (size != 0 && !section.initialised()) {
    throw SourceError(parts.operationAt, "found words in the uninitialised section \"" +
                                             section.name + "\", expected an initialised one");
  }
  totalWords_ += size;
  if (totalWords_ > kMostWords) {
    totalWords_ -= size;
    throw SourceError(parts.operationAt,
                      "found more words than the address space has, expected at most 16777216");
  }
  if (section.placedBy.where.line == 0) section.placedBy = line;
  Statement s;
  s.kind = kind;
  s.first = {.line = line.text,
             .mnemonic = parts.operation,
             .mnemonicAt = parts.operationAt,
             .operandsAt = parts.operandsAt};
  s.where = line.where;
  s.context = line.context;
  s.order = order_;
  s.section = section_;
  s.offset = section.size;
  s.size = size;
  s.scope = scope_;
  if (size != 0) section.firstUse = std::min(section.firstUse, order_);
  section.size += size;
  statements_.push_back(std::move(s));
  return statements_.back();
}

void Program::addInstruction(const Line& line, const LineParts& parts) {
  Statement& s = add(Statement::Kind::Instruction, line, parts, 1);
  mayPair_ = true;
  const std::size_t bars = InstructionAssembler::findBars(line.text, parts.operandsAt);
  if (bars == std::string::npos) return;
  Scanner scanner(line.text, bars + 2);
  scanner.skipBlanks();
  const std::size_t at = scanner.position();
  const std::string mnemonic = toUpper(scanner.operation());
  if (mnemonic.empty()) scanner.fail("an instruction behind ||");
  s.second = {
      .line = line.text, .mnemonic = mnemonic, .mnemonicAt = at, .operandsAt = scanner.position()};
  s.where2 = line.where;
  s.context2 = line.context;
  mayPair_ = false;
}

void Program::addSecondHalf(const Line& line, const LineParts& parts) {
  if (!mayPair_) {
    throw SourceError(0, "found || without a single instruction on the line before, expected one");
  }
  mayPair_ = false;
  Statement& s = statements_.back();
  s.second = {.line = line.text,
              .mnemonic = parts.operation,
              .mnemonicAt = parts.operationAt,
              .operandsAt = parts.operandsAt};
  s.where2 = line.where;
  s.context2 = line.context;
}

// --- symbols -------------------------------------------------------------------------------------

std::string Program::keyOf(const std::string& name) const {
  return isLocal(name) ? name + "#" + std::to_string(scope_) : name;
}

Value Program::here() const {
  Value v{.integer = static_cast<std::int32_t>(offset_), .section = section_, .address = true};
  if (placed_ && !relocatable_) {
    v.integer += static_cast<std::int32_t>(sections_[static_cast<std::size_t>(section_)].runBase);
    v.section = -1;
  }
  return v;
}

SymbolLookup Program::symbols() {
  SymbolLookup lookUp([this](const std::string& name, std::size_t at) { return lookup(name, at); },
                      options_.dialect == Dialect::Gnu);
  lookUp.alias = [this](const std::string& name) { return registerNamed(name); };
  return lookUp;
}

/// The value of a symbol of another file.
Value Program::external(const std::string& name, const Known& known) {
  if (known.externalIndex < 0) {
    known.externalIndex = static_cast<int>(externals_.size());
    externals_.push_back(name);
  }
  return {.symbol = known.externalIndex, .address = true};
}

Value Program::lookup(const std::string& name, std::size_t position) {
  if (name == "$") return here();
  const auto it = symbols_.find(keyOf(name));
  if (it != symbols_.end()) it->second.used = true;
  if (it != symbols_.end() && it->second.broken) throw UndefinedSymbol(position, "");
  const bool defined = it != symbols_.end() && it->second.defined;
  if (placed_ && relocatable_ && it != symbols_.end() && it->second.declared && !defined)
    return external(name, it->second);
  if (!defined) {
    const bool dotted = name.find('.') != std::string::npos;
    if (dotted && name[0] == '.') {
      if (const auto v = dotName(name)) return *v;
    } else if (dotted) {
      if (const auto v = taggedMember(name, position)) return *v;
    } else if (name[0] == '$') {
      if (const auto v = structureQuestion(name)) return *v;
    }
    throw UndefinedSymbol(position,
                          "found undefined symbol '" + name + "', expected a defined one");
  }
  if (it->second.value.reg >= 0)
    throw SourceError(position,
                      "found '" + name + "', another name of a register, expected a number");
  Value v = it->second.value;
  if (placed_ && !relocatable_ && v.section >= 0) {
    const Building& section = sections_[static_cast<std::size_t>(v.section)];
    const std::uint32_t base = v.load ? section.loadBase : section.runBase;
    v.integer = static_cast<std::int32_t>(static_cast<std::uint32_t>(v.integer) + base);
    v.section = -1;
  }
  return v;
}

Value Program::evaluate(const std::string& text, std::size_t position) {
  Scanner s(text, position);
  const Value v = parseExpression(s, symbols());
  if (!s.atEnd()) s.fail("end of line");
  return v;
}

void Program::define(const std::string& name, const Value& value, const Line& line,
                     std::size_t position, bool constant) {
  if (name == "$") throw SourceError(position, "found the label '$', expected a name");
  if (registerNumber(name) >= 0) {
    throw SourceError(position, "found the register name '" + name + "', expected a symbol name");
  }
  Known& known = symbols_[keyOf(name)];
  if (known.defined && constant && known.constant && sameValue(known.value, value)) return;
  if (known.defined) {
    throw SourceError(
        position,
        "found symbol '" + name + "' again, expected one definition (first: " + known.where + ")");
  }
  known.value = value;
  known.defined = true;
  known.constant = constant;
  known.broken = false;
  known.line = line;
  known.position = position;
  known.order = order_;
  known.where = preprocessor_.files()[line.where.file] + ":" + std::to_string(line.where.line);
}

/// The definition of `name` is wrong and reported; its uses shall not be.
void Program::breakSymbol(const std::string& name) {
  if (name.empty() || name == "$" || registerNumber(name) >= 0) return;
  Known& known = symbols_[keyOf(name)];
  known.broken = !known.defined;
}

/// Sets that name later symbols, also each other: a few rounds, as long as one more becomes known.
void Program::resolveSets() {
  constexpr int kRounds = 16;
  bool progress = true;
  for (int round = 0; round < kRounds && progress && !pendingSets_.empty(); ++round) {
    std::vector<PendingSet> left;
    for (PendingSet& p : pendingSets_) {
      try {
        defineSet(p);
      } catch (const UndefinedSymbol&) {
        left.push_back(std::move(p));
      } catch (const SourceError& error) {
        report(Severity::Error, p.line, p.order, error.position(), error.what());
        breakSymbol(p.name);
      }
    }
    progress = left.size() < pendingSets_.size();
    pendingSets_ = std::move(left);
  }
  reportOpenSets();
}

void Program::defineSet(const PendingSet& p) {
  section_ = p.section;
  offset_ = p.offset;
  scope_ = p.scope;
  define(p.name, evaluate(p.text, p.operandsAt), p.line, 0, true);
}

/// The names that are nowhere are the mistakes, not the sets that wait for other sets; among sets
/// that wait for each other it is the first.
void Program::reportOpenSets() {
  if (pendingSets_.empty()) return;
  std::size_t first = 0;
  std::string text;
  const std::size_t before = errors_;
  try {
    defineSet(pendingSets_.front());
  } catch (const SourceError& error) {
    first = error.position();
    text = error.what();
  }
  for (const PendingSet& p : pendingSets_) breakSymbol(p.name);
  for (const PendingSet& p : pendingSets_) {
    try {
      defineSet(p);
    } catch (const SourceError& error) {
      report(Severity::Error, p.line, p.order, error.position(), error.what());
      breakSymbol(p.name);
    }
  }
  const PendingSet& p = pendingSets_.front();
  if (errors_ == before) report(Severity::Error, p.line, p.order, first, text);
}

// --- pass 2 --------------------------------------------------------------------------------------

void Program::passTwo() {
  for (Building& section : sections_) {
    if (section.initialised()) section.words.assign(section.size, 0);
  }
  for (Statement& s : statements_) {
    section_ = s.section;
    offset_ = s.offset;
    scope_ = s.scope;
    if (!hopeless(s.where)) emit(s);
  }
}

void Program::emit(Statement& s) {
  InstructionAssembler assembler(symbols(), options_.enhanced, options_.dialect == Dialect::Ti,
                                 [&](std::size_t at, const std::string& text) {
                                   reportFor(s, assembler.half(), Severity::Warning, at, text);
                                 });
  try {
    const Building& section = sections_[static_cast<std::size_t>(s.section)];
    switch (s.kind) {
      case Statement::Kind::Instruction:
        s.word = assembler.assemble(s.first, s.second, section.runBase + s.offset,
                                    relocatable_ ? s.section : -1);
        store(s, 0, s.word);
        if (assembler.relocation()) relocateWord(s, 0, *assembler.relocation());
        break;
      case Statement::Kind::Data:
        emitData(s);
        break;
      case Statement::Kind::Fill:
        for (std::uint32_t i = 0; i < s.size; ++i) store(s, i, s.fill);
        break;
      case Statement::Kind::Assert: {
        Scanner scan(s.first.line, s.first.operandsAt);
        const Value v = parseExpression(scan, symbols());
        std::string text = "found a false .assert, expected it to hold";
        if (scan.accept(',')) {
          scan.skipBlanks();
          text = scan.quoted();
        }
        if (!scan.atEnd()) scan.fail("end of line");
        if (v.relative())
          scan.failAt(s.first.operandsAt, "a condition that does not depend on the linker");
        if (v.asReal() == 0) throw SourceError(s.first.mnemonicAt, text);
        break;
      }
      case Statement::Kind::Entry: {
        const Value v = evaluate(s.first.line, s.first.operandsAt);
        if (v.isFloat)
          throw SourceError(s.first.operandsAt, "found a float, expected the entry address");
        if (v.relative()) {
          Scanner scan(s.first.line, s.first.operandsAt);
          scan.skipBlanks();
          entrySymbol_ = scan.name();
          if (!scan.atEnd() || entrySymbol_ == "$")
            scan.failAt(s.first.operandsAt, "one symbol as entry of a relocatable file");
          entryGiven_ = true;
          break;
        }
        entry_ = static_cast<std::uint32_t>(v.integer) & kAddressMask;
        entryGiven_ = true;
        break;
      }
    }
    s.valid = true;
  } catch (const SourceError& error) {
    reportFor(s, assembler.half(), Severity::Error, error.position(), error.what());
  }
}

void Program::store(const Statement& s, std::uint32_t index, std::uint32_t word) {
  if (index >= s.size) throw SourceError(s.first.operandsAt, "found more values than counted");
  sections_[static_cast<std::size_t>(s.section)].words[s.offset + index] = word;
}

// --- messages and results ------------------------------------------------------------------------

void Program::report(Severity severity, const Line& line, std::size_t order, std::size_t position,
                     const std::string& text) {
  if (severity == Severity::Error) ++failures_[{line.where.file, line.where.line}];
  if (text.empty()) return;  // follows from an error already reported
  Diagnostic d;
  const auto& files = preprocessor_.files();
  d.file = line.where.file < files.size() ? files[line.where.file] : std::string{};
  d.line = std::max(line.where.line, 1u);
  d.column = static_cast<std::uint32_t>(position + 1);
  d.severity = severity;
  d.message = text;
  if (line.context) d.context = *line.context;
  if (repeated(d)) return;
  if (severity == Severity::Warning && ++warnings_ > kMaxWarnings) return;
  diagnostics_.push_back({std::move(d), order});
  if (severity != Severity::Error || ++errors_ < options_.maxErrors) return;
  diagnostics_.push_back(diagnostics_.back());
  diagnostics_.back().diagnostic.message =
      "found " + std::to_string(errors_) + " errors, expected fewer: the rest is not reported";
  diagnostics_.back().order = static_cast<std::size_t>(-1);
  throw TooManyErrors();
}

/// One mistake, one message: a name that is nowhere is reported once, a line of a macro or loop
/// body once, and behind a missing file unknown names say nothing new.
bool Program::repeated(const Diagnostic& d) {
  const bool undefined = d.message.starts_with("found undefined symbol");
  const bool unknown = undefined ||
                       d.message.ends_with("expected an instruction, a directive or a macro") ||
                       d.message.ends_with("expected a directive the assembler knows");
  if (fileMissing_ && unknown) return true;
  if (d.message.starts_with("found no file")) fileMissing_ = true;
  std::string key = d.message;
  if (!unknown)
    key += "\n" + d.file + "\n" + std::to_string(d.line) + ":" + std::to_string(d.column);
  return !reported_.insert(std::move(key)).second;
}

bool Program::hopeless(const Location& where) const {
  if (failures_.empty()) return false;
  const auto found = failures_.find({where.file, where.line});
  return found != failures_.end() && found->second >= kMaxFailures;
}

void Program::reportFor(const Statement& s, int half, Severity severity, std::size_t position,
                        const std::string& text) {
  Line line;
  line.where = half == 0 ? s.where : s.where2;
  line.context = half == 0 ? s.context : s.context2;
  report(severity, line, s.order, position, text);
}

void Program::finish() {
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                   [](const Tracked& a, const Tracked& b) { return a.order < b.order; });
  for (Tracked& t : diagnostics_) result_.diagnostics.push_back(std::move(t.diagnostic));
  if (options_.listing) makeListing();
  if (errors_ != 0) return;
  if (relocatable_) {
    result_.object = makeObject();
  } else {
    result_.image = makeImage();
  }
}

Image Program::makeImage() {
  Image image;
  std::vector<int> index(sections_.size(), -1);
  image.files = preprocessor_.files();
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    Building& b = sections_[i];
    if (b.size == 0) continue;
    if (b.copy) {
      image.copies.push_back({b.name, 0, 0, b.size, b.kind, b.words});
      continue;
    }
    index[i] = static_cast<int>(image.sections.size());
    image.sections.push_back({b.name, b.loadBase, b.runBase, b.size, b.kind, b.words});
  }
  for (const auto& [name, known] : symbols_) {
    if (!known.defined || known.value.isFloat || known.value.reg >= 0 ||
        name.find('#') != std::string::npos)
      continue;
    const int section = known.value.section;
    const Value v = lookup(name, 0);
    image.symbols[name] = {static_cast<std::uint32_t>(v.integer),
                           section < 0 ? -1 : index[static_cast<std::size_t>(section)],
                           known.external};
  }
  for (const Statement& s : statements_) {
    if (sections_[static_cast<std::size_t>(s.section)].copy) continue;
    const std::uint32_t base = sections_[static_cast<std::size_t>(s.section)].runBase + s.offset;
    const std::uint32_t count = s.kind == Statement::Kind::Fill ? std::min(s.size, 1u) : s.size;
    for (std::uint32_t i = 0; i < count; ++i)
      image.lines.push_back({base + i, s.where.file, s.where.line});
  }
  std::stable_sort(image.lines.begin(), image.lines.end(),
                   [](const LineEntry& a, const LineEntry& b) { return a.address < b.address; });
  std::vector<std::uint32_t> bases;
  for (const Building& b : sections_) bases.push_back(b.runBase);
  image.debug = takeDebug(index, bases);
  if (entryGiven_) {
    image.entry = entry_;
  } else if (const auto start =
                 image.find("_c_int00") ? image.find("_c_int00") : image.find("_start")) {
    image.entry = *start;
  } else if (!image.sections.empty()) {
    image.entry = image.sections.front().runAddress;
  }
  return image;
}

AssemblyResult assemble(const std::string& fileName, const std::string& source,
                        const AssemblerOptions& options) {
  AssemblyResult result;
  Program(options, result).run(fileName, source);
  return result;
}

AssemblyResult assembleFile(const std::string& path, const AssemblerOptions& options) {
  std::error_code error;
  const bool regular = std::filesystem::is_regular_file(path, error);
  const std::optional<std::string> source =
      regular ? common::readFile(path) : std::optional<std::string>();
  if (!source) {
    AssemblyResult result;
    result.diagnostics.push_back(
        {path, 0, 0, Diagnostic::Severity::Error, common::unreadable(path, "a C3x source"), {}});
    return result;
  }
  return assemble(path, *source, options);
}

}  // namespace rtvp::c32
