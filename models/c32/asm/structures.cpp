// .struct, .union, .tag: members as symbols `structure.member` that hold offsets. Rules: TI,
// Assembly Language Tools User's Guide (SPRU035), directives .struct, .union, .tag.
#include <algorithm>

#include "models/c32/asm/program.hpp"

namespace rtvp::c32 {

/// .struct and .union open one, also inside another; .tag gives a label members; the ends close.
void Program::structureDirective(const Line& line, const LineParts& parts) {
  const std::string& op = parts.operation;
  Scanner s(line.text, parts.operandsAt);
  if (op == ".TAG") return tag(s, line, parts);
  if (op == ".ENDSTRUCT" || op == ".ENDUNION") return endStructure(line, parts);
  constexpr std::size_t kMostNested = 32;
  if (structures_.size() == kMostNested)
    throw SourceError(parts.operationAt, "found structures nested more than 32 deep");
  Structure one;
  one.isUnion = op == ".UNION";
  one.prefix = structures_.empty() ? std::string{} : structures_.back().prefix;
  one.named = !parts.label.empty();
  one.nested = parts.label;
  if (one.named) one.prefix += parts.label + ".";
  if (!s.atEnd()) one.start = static_cast<std::uint32_t>(absolute(s, 0, 0xFFFFFF, "an offset"));
  one.next = one.start;
  one.opened = line;
  structures_.push_back(std::move(one));
}

/// The label of the end is the size: by its own name and as a member of the structure.
void Program::endStructure(const Line& line, const LineParts& parts) {
  if (structures_.empty()) {
    throw SourceError(parts.operationAt,
                      "found " + parts.operation + ", expected its beginning before it");
  }
  const Structure done = structures_.back();
  structures_.pop_back();
  const std::uint32_t size = done.end() - done.start;
  const auto number = Value::of(static_cast<std::int32_t>(size));
  if (!parts.label.empty()) {
    define(parts.label, number, line, parts.labelAt, true);
    if (!done.prefix.empty()) define(done.prefix + parts.label, number, line, parts.labelAt, true);
  }
  if (done.named) {
    const std::string name = done.prefix.substr(0, done.prefix.size() - 1);
    structureSizes_[name] = size;
  }
  if (structures_.empty()) return;
  // A nested one is a member of the one around it.
  Structure& outer = structures_.back();
  const std::uint32_t at = outer.place(size);
  if (done.named) {
    defineMember(outer.prefix + done.nested, at, line, parts.operationAt);
    return;
  }
  // Without a name its members are those of the outer one, behind what was there before.
  for (const std::string& name : done.members) {
    Known& known = symbols_[name];
    known.value.integer += static_cast<std::int32_t>(at);
    outer.members.push_back(name);
  }
}

void Program::defineMember(const std::string& name, std::uint32_t offset, const Line& line,
                           std::size_t position) {
  define(name, Value::of(static_cast<std::int32_t>(offset)), line, position, true);
  structures_.back().members.push_back(name);
}

/// label .tag structure: elsewhere than in a structure it reserves nothing.
void Program::tag(Scanner& s, const Line& line, const LineParts& parts) {
  s.skipBlanks();
  const std::size_t at = s.position();
  const std::string type = s.qualifiedName();
  const auto known = structureSizes_.find(type);
  if (known == structureSizes_.end()) s.failAt(at, "the name of a structure defined before");
  std::uint32_t count = 1;
  if (s.accept(',')) count = static_cast<std::uint32_t>(absolute(s, 1, 0xFFFFFF, "a count"));
  if (!s.atEnd()) s.fail("end of line");
  if (structures_.empty()) {
    if (parts.label.empty())
      throw SourceError(parts.operationAt, "found .tag without a label, expected LABEL .tag NAME");
    tags_[parts.label] = type;
    return;
  }
  Structure& open = structures_.back();
  const std::uint32_t place = open.place(known->second * count);
  if (parts.label.empty()) return;
  defineMember(open.prefix + parts.label, place, line, parts.labelAt);
  tags_[open.prefix + parts.label] = type;
}

/// A line between .struct and its end: sizes a member, makes no words. False if it does neither.
bool Program::member(const Line& line, const LineParts& parts) {
  const std::string& op = parts.operation;
  Structure& open = structures_.back();
  Scanner s(line.text, parts.operandsAt);
  const DirectiveRow* const row = findDirective(op);
  const bool space = op == ".SPACE" || op == ".BLOCK" || op == ".BES" || op == ".USECT";
  const bool data = row != nullptr && row->kind == DirectiveKind::Data;
  if (op == ".ALIGN") {
    const std::uint32_t n =
        s.atEnd() ? 1u : static_cast<std::uint32_t>(absolute(s, 1, 65536, "an alignment"));
    open.next = (open.next + n - 1) / n * n;
    return true;
  }
  if (!op.empty() && !space && !data) return false;
  std::uint32_t count = op.empty() || (space && s.atEnd()) ? 0 : 1;
  if (!s.atEnd()) {
    s.skipBlanks();
    count = s.peek() == '"' ? static_cast<std::uint32_t>(s.quoted().size())
                            : static_cast<std::uint32_t>(absolute(s, 0, 0xFFFFFF, "a count"));
  }
  if (op == ".LDOUBLE") count *= 2;
  if (op == ".STRING" || op == ".CSTRING" || op == ".PSTRING") count = (count + 3) / 4;
  if (op == ".FIELD") count = (count + 31) / 32;
  if (!s.atEnd()) s.fail("end of line");
  const std::uint32_t at = open.place(count);
  if (!parts.label.empty()) defineMember(open.prefix + parts.label, at, line, parts.labelAt);
  return true;
}

/// `label.member` where .tag gave the label a structure; members of members too.
std::optional<Value> Program::taggedMember(const std::string& name, std::size_t position) {
  for (std::size_t dot = name.rfind('.'); dot != std::string::npos && dot != 0;
       dot = name.rfind('.', dot - 1)) {
    const auto tagged = tags_.find(name.substr(0, dot));
    if (tagged == tags_.end()) continue;
    Value v = lookup(tagged->first, position);
    const Value offset = lookup(tagged->second + name.substr(dot), position);
    v.integer = static_cast<std::int32_t>(static_cast<std::uint32_t>(v.integer) +
                                          static_cast<std::uint32_t>(offset.integer));
    return v;
  }
  return std::nullopt;
}

/// What $structsz and $structacc ask for: "$structsz:name".
std::optional<Value> Program::structureQuestion(const std::string& name) const {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos) return std::nullopt;
  if (name.substr(0, colon) != "$structsz") return Value::of(0);
  const auto it = structureSizes_.find(name.substr(colon + 1));
  return Value::of(it == structureSizes_.end() ? 0 : static_cast<std::int32_t>(it->second));
}

}  // namespace rtvp::c32
