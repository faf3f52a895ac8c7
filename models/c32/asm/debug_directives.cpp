// A compiler's debug directives (TI, Assembly Language Tools User's Guide (SPRU035), appendix
// "Symbolic debugging directives") become debug entries of the output. What of them cannot be
// understood is a warning: the program's words do not depend on it.
#include <algorithm>

#include "models/c32/asm/program.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::int32_t kLastLine = 0xFFFF;

/// Up to a comma or the end; names here may hold anything (`.fake4`, `C$1`).
std::string rawName(Scanner& s) {
  s.skipBlanks();
  const std::size_t from = s.position();
  std::size_t end = from;
  while (!s.atEnd() && s.peek() != ',') {
    if (!isBlank(s.peek())) end = s.position() + 1;
    s.next();
  }
  return s.line().substr(from, end - from);
}

std::uint8_t tagClass(const std::string& op) {
  return op == ".STAG"   ? storage::kStructure
         : op == ".UTAG" ? storage::kUnion
                         : storage::kEnumeration;
}

}  // namespace

int Program::addDebugEntry(const std::string& name, std::uint8_t storage) {
  DebugEntry e;
  e.name = name;
  e.storage = storage;
  debug_.info.entries.push_back(std::move(e));
  return static_cast<int>(debug_.info.entries.size()) - 1;
}

/// An entry whose place is this one.
int Program::addDebugMarker(const char* name, std::uint8_t storage, std::uint32_t line) {
  const int n = addDebugEntry(name, storage);
  DebugEntry& e = debug_.info.entries.back();
  e.section = section_;
  e.value = offset_;
  e.line = line;
  return n;
}

std::uint32_t Program::debugNumber(Scanner& s, std::uint32_t without) {
  s.accept(',');
  s.skipBlanks();
  if (s.atEnd() || s.peek() == ',') return without;
  return static_cast<std::uint32_t>(absolute(s, INT32_MIN, INT32_MAX, "a number"));
}

/// `name,value[,type,class,size,tag,dimensions...]` of .sym and .member.
void Program::debugSymbol(Scanner& s, const Line& line) {
  const std::string name = rawName(s);
  if (name.empty()) s.fail("a name");
  s.accept(',');
  s.skipBlanks();
  const std::size_t value = s.position();
  rawName(s);
  const int n = addDebugEntry(name, 0);
  DebugEntry e = debug_.info.entries.back();
  e.type = static_cast<std::uint16_t>(debugNumber(s, 0));
  e.storage = static_cast<std::uint8_t>(debugNumber(s, 0));
  e.size = debugNumber(s, 0);
  s.accept(',');
  const auto tag = debug_.tags.find(rawName(s));
  if (tag != debug_.tags.end()) e.tag = tag->second;
  for (std::size_t d = 0; s.accept(','); ++d) {
    const std::uint32_t n0 = debugNumber(s, 0);
    if (d < e.dimensions.size())
      e.dimensions[d] = static_cast<std::uint16_t>(std::min<std::uint32_t>(n0, 0xFFFF));
  }
  debug_.info.entries.back() = e;
  debug_.values.push_back({n, line.text, value, section_, offset_, scope_});
  if (e.isFunction() && e.isSymbol()) debug_.function = n;
}

void Program::debugFunction(Scanner& s, bool begins) {
  auto& entries = debug_.info.entries;
  s.skipBlanks();
  const std::uint32_t line =
      s.atEnd() ? 1 : static_cast<std::uint32_t>(absolute(s, 0, kLastLine, "a line number"));
  if (begins) {
    debug_.begin = addDebugMarker(".bf", storage::kFunction, line);
    if (debug_.function < 0) debug_.function = debug_.begin;
    return;
  }
  const int end = addDebugMarker(".ef", storage::kFunction, line);
  if (debug_.begin < 0) return;
  DebugEntry& begin = entries[static_cast<std::size_t>(debug_.begin)];
  begin.saved = debugNumber(s, 0);
  begin.frame = debugNumber(s, 0);
  begin.next = end + 1;
  DebugEntry& function = entries[static_cast<std::size_t>(debug_.function)];
  function.next = end + 1;
  if (debug_.function != debug_.begin && begin.section == section_)
    function.size = offset_ - begin.value;
  debug_.function = debug_.begin = -1;
  debug_.blocks.clear();
}

void Program::debugBlock(Scanner& s, bool begins) {
  s.skipBlanks();
  const std::uint32_t line =
      s.atEnd() ? 1 : static_cast<std::uint32_t>(absolute(s, 0, kLastLine, "a line number"));
  const int n = addDebugMarker(begins ? ".bb" : ".eb", storage::kBlock, line);
  if (begins) return debug_.blocks.push_back(n);
  if (debug_.blocks.empty()) return;
  debug_.info.entries[static_cast<std::size_t>(debug_.blocks.back())].next = n + 1;
  debug_.blocks.pop_back();
}

void Program::debugTag(Scanner& s, const std::string& op) {
  if (op == ".EOS") {
    if (debug_.openTag < 0) return;
    const int end = addDebugEntry(".eos", storage::kEndOfStructure);
    DebugEntry& tag = debug_.info.entries[static_cast<std::size_t>(debug_.openTag)];
    tag.next = end + 1;
    debug_.info.entries.back().tag = debug_.openTag;
    debug_.info.entries.back().size = tag.size;
    debug_.openTag = -1;
    return;
  }
  const std::string name = rawName(s);
  if (name.empty()) s.fail("a name");
  const std::uint32_t size = debugNumber(s, 0);
  debug_.openTag = addDebugEntry(name, tagClass(op));
  debug_.info.entries.back().type = static_cast<std::uint16_t>(op == ".STAG"   ? ctype::kStruct
                                                               : op == ".UTAG" ? ctype::kUnion
                                                                               : ctype::kEnum);
  debug_.info.entries.back().size = size;
  debug_.tags[name] = debug_.openTag;
}

/// Nothing of it becomes words; .func opens a stretch in which .block means a block of the source.
void Program::debugDirective(const Line& line, const LineParts& parts) {
  const std::string& op = parts.operation;
  if (op == ".FUNC") inFunction_ = true;
  if (op == ".ENDFUNC") inFunction_ = false;
  if (op == ".REGALIAS") floatAliases_ = true;
  Scanner s(line.text, parts.operandsAt);
  try {
    if (op == ".FILE") {
      s.skipBlanks();
      addDebugEntry(s.peek() == '"' ? s.quoted() : rawName(s), storage::kFile);
    } else if (op == ".FUNC" || op == ".ENDFUNC") {
      debugFunction(s, op == ".FUNC");
    } else if (op == ".BLOCK" || op == ".ENDBLOCK") {
      debugBlock(s, op == ".BLOCK");
    } else if (op == ".LINE") {
      const std::uint32_t n = debugNumber(s, 0);
      if (debug_.begin >= 0 && n != 0 && n <= static_cast<std::uint32_t>(kLastLine))
        debug_.info.lines.push_back({debug_.function, section_, offset_, n});
    } else if (op == ".SYM" || op == ".MEMBER") {
      debugSymbol(s, line);
    } else if (op != ".REGALIAS") {
      debugTag(s, op);
    }
  } catch (const SourceError& error) {
    report(Severity::Warning, line, order_, error.position(),
           std::string(error.what()) + " (nothing for debuggers is made of this line)");
  }
}

/// Values of .sym and .member: of labels they are known at the end only.
void Program::evaluateDebug(const DebugPending& p) {
  DebugEntry& e = debug_.info.entries[static_cast<std::size_t>(p.entry)];
  section_ = p.section;
  offset_ = p.offset;
  scope_ = p.scope;
  try {
    Scanner s(p.text, p.at);
    std::string name = s.qualifiedName();
    s.seek(p.at);
    const Value v = parseExpression(s, symbols());
    e.value = static_cast<std::uint32_t>(v.integer);
    e.section = v.section >= 0 ? v.section : DebugEntry::kAbsolute;
    const auto it = symbols_.find(name);
    const bool known = it != symbols_.end() && it->second.defined;
    // In a program whose places are final a label is a number: its section is still wanted.
    if (known && e.section < 0 && it->second.value.section >= 0)
      e.section = it->second.value.section;
    if (e.isSymbol() && known)
      e.storage = it->second.external ? storage::kExternal : storage::kStatic;
    if (v.symbol >= 0) e.storage = 0;  // of another file, which says more of it
  } catch (const SourceError&) {
    e.storage = 0;  // names nothing
  }
}

/// The debug information with sections of the output; `index` gives them, `bases` what their places
/// count from.
DebugInfo Program::takeDebug(const std::vector<int>& index,
                             const std::vector<std::uint32_t>& bases) {
  for (const DebugPending& p : debug_.values) evaluateDebug(p);
  DebugInfo info = std::move(debug_.info);
  const auto final = [&](int& section, std::uint32_t& place, bool relative) {
    if (section < 0) return;
    const auto from = static_cast<std::size_t>(section);
    if (relative) place += bases[from];
    section = index[from];
  };
  std::vector<bool> evaluated(info.entries.size());
  for (const DebugPending& p : debug_.values) evaluated[static_cast<std::size_t>(p.entry)] = true;
  for (std::size_t n = 0; n < info.entries.size(); ++n) {
    DebugEntry& e = info.entries[n];
    final(e.section, e.value, !evaluated[n]);
    if (e.section == DebugEntry::kAbsolute && !evaluated[n]) e.section = DebugEntry::kNowhere;
  }
  for (DebugLine& line : info.lines) final(line.section, line.place, true);
  std::erase_if(info.lines, [](const DebugLine& line) { return line.section < 0; });
  return info;
}

}  // namespace rtvp::c32
