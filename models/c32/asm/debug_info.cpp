// See debug_info.hpp.
#include "models/c32/asm/debug_info.hpp"

#include <algorithm>

#include "models/c32/isa.hpp"
#include "models/common/core/text.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::array<const char*, 16> kBasicTypes{
    "void",          "signed char",    "char",         "short",        "int",  "long",
    "float",         "double",         "struct",       "union",        "enum", "long double",
    "unsigned char", "unsigned short", "unsigned int", "unsigned long"};

constexpr unsigned kLevels = 6;

std::string plainName(const std::string& name) {
  return name.size() > 1 && name[0] == '_' ? name.substr(1) : name;
}

/// `struct point`, or a basic type's name.
std::string basicType(const DebugInfo& info, const DebugEntry& entry) {
  const unsigned basic = entry.type & ctype::kBasicMask;
  std::string text = kBasicTypes[basic];
  if (basic < ctype::kStruct || basic > ctype::kEnum) return text;
  if (entry.tag >= 0 && static_cast<std::size_t>(entry.tag) < info.entries.size())
    text += " " + plainName(info.entries[static_cast<std::size_t>(entry.tag)].name);
  return text;
}

const char* className(const DebugEntry& entry) {
  switch (entry.storage) {
    case storage::kAutomatic:
      return "local";
    case storage::kRegister:
      return "register";
    case storage::kArgument:
      return "argument";
    case storage::kRegisterArgument:
      return "argument in a register";
    case storage::kStatic:
      return "static";
    case storage::kExternal:
      return "global";
    case storage::kTypedef:
      return "typedef";
    default:
      return "";
  }
}

/// Where a variable lives: register, place in the frame (AR3), address.
std::string home(const DebugEntry& entry) {
  if (entry.storage == storage::kRegister || entry.storage == storage::kRegisterArgument)
    return entry.value < reg::kCount
               ? std::string(registerName(static_cast<std::uint8_t>(entry.value)))
               : "register " + std::to_string(entry.value);
  const auto offset = static_cast<std::int32_t>(entry.value);
  if (entry.storage == storage::kAutomatic || entry.storage == storage::kArgument)
    return "*" + std::string(offset < 0 ? "-" : "+") + "AR3(" +
           std::to_string(offset < 0 ? -static_cast<std::int64_t>(offset) : offset) + ")";
  return common::hexH(entry.value, 6);
}

/// Fields narrower than a word say their bits.
std::string memberText(const DebugInfo& info, const DebugEntry& m) {
  if (m.storage == storage::kEnumerator)
    return "    " + plainName(m.name) + " = " + std::to_string(static_cast<std::int32_t>(m.value)) +
           ",\n";
  std::string text = "    " + declaration(info, m);
  if (m.storage == storage::kField) text += " : " + std::to_string(m.size);
  text += ";";
  return text + "  // word " + std::to_string(m.value / 32) +
         (m.value % 32 != 0 ? " bit " + std::to_string(m.value % 32) : "") + "\n";
}

/// The text of structure `n`; `n` is left at its last entry.
std::string structureText(const DebugInfo& info, std::size_t& n) {
  const DebugEntry& tag = info.entries[n];
  const char* const kind = tag.storage == storage::kStructure ? "struct"
                           : tag.storage == storage::kUnion   ? "union"
                                                              : "enum";
  std::string text = "  " + std::string(kind) + " " + plainName(tag.name) + " {";
  if (tag.size != 0) text += "  // " + std::to_string((tag.size + 31) / 32) + " words";
  text += "\n";
  while (n + 1 < info.entries.size() && info.entries[n + 1].isMember())
    text += memberText(info, info.entries[++n]);
  if (n + 1 < info.entries.size() && info.entries[n + 1].storage == storage::kEndOfStructure) ++n;
  return text + "  };\n";
}

std::string functionText(const DebugInfo& info, int function) {
  const DebugEntry& f = info.entries[static_cast<std::size_t>(function)];
  std::string text =
      "  " + declaration(info, f) + "  // " + home(f) + ", " + std::to_string(f.size) + " words";
  const int begin = debugBegin(info, function);
  if (begin >= 0) {
    const DebugEntry& b = info.entries[static_cast<std::size_t>(begin)];
    text += ", line " + std::to_string(b.line) + ", frame of " + std::to_string(b.frame) + " words";
  }
  text += "\n";
  for (const DebugLine& line : info.lines) {
    if (line.function == function)
      text += "    line " + std::to_string(debugLineNumber(info, line)) + " at " +
              common::hexH(line.place, 6) + "\n";
  }
  return text;
}

}  // namespace

std::string debugFile(const DebugInfo& info, int entry) {
  for (int n = std::min(entry, static_cast<int>(info.entries.size()) - 1); n >= 0; --n) {
    const DebugEntry& e = info.entries[static_cast<std::size_t>(n)];
    if (e.storage == storage::kFile) return e.name;
  }
  return {};
}

int debugBegin(const DebugInfo& info, int function) {
  if (function < 0 || static_cast<std::size_t>(function) >= info.entries.size()) return -1;
  const auto isBegin = [&](int n) {
    const DebugEntry& e = info.entries[static_cast<std::size_t>(n)];
    return e.storage == storage::kFunction && e.name == ".bf";
  };
  if (isBegin(function)) return function;
  const bool follows = static_cast<std::size_t>(function) + 1 < info.entries.size();
  return follows && isBegin(function + 1) ? function + 1 : -1;
}

std::uint32_t debugLineNumber(const DebugInfo& info, const DebugLine& line) {
  const int begin = debugBegin(info, line.function);
  const std::uint32_t first = begin < 0 ? 1 : info.entries[static_cast<std::size_t>(begin)].line;
  return first + line.line - 1;
}

std::vector<PlacedSource> debugSources(const DebugInfo& info, int section) {
  std::vector<PlacedSource> sources;
  for (const DebugLine& line : info.lines) {
    if (line.section != section || line.function < 0) continue;
    const std::string& name = info.entries[static_cast<std::size_t>(line.function)].name;
    sources.push_back({line.place,
                       {debugFile(info, line.function), debugLineNumber(info, line),
                        name == ".bf" ? std::string() : name}});
  }
  // The end of a function ends what its last line covers.
  for (const DebugEntry& e : info.entries) {
    if (e.storage == storage::kFunction && e.name == ".ef" && e.section == section)
      sources.push_back({e.value, {}});
  }
  std::stable_sort(
      sources.begin(), sources.end(), [](const PlacedSource& a, const PlacedSource& b) {
        // An end stands in front of what begins there.
        return a.place != b.place ? a.place < b.place : a.source.line == 0 && b.source.line != 0;
      });
  return sources;
}

std::string declaration(const DebugInfo& info, const DebugEntry& entry) {
  std::string name = plainName(entry.name);
  std::size_t dimension = 0;
  unsigned last = 0;
  for (unsigned level = 0; level < kLevels; ++level) {
    const unsigned d = ctype::derivation(entry.type, level);
    if (d == 0) break;
    if (d == ctype::kPointer) {
      name = "*" + name;
    } else {
      if (last == ctype::kPointer) name = "(" + name + ")";
      if (d == ctype::kFunction) {
        name += "()";
      } else {
        const unsigned n = dimension < 4 ? entry.dimensions[dimension++] : 0u;
        name += n == 0 ? "[]" : "[" + std::to_string(n) + "]";
      }
    }
    last = d;
  }
  return basicType(info, entry) + " " + name;
}

std::string debugText(const DebugInfo& info) {
  std::string text;
  int depth = 0;
  for (std::size_t n = 0; n < info.entries.size(); ++n) {
    const DebugEntry& e = info.entries[n];
    const std::string indent(static_cast<std::size_t>(std::clamp(2 * depth + 2, 2, 40)), ' ');
    if (e.storage == storage::kFile) {
      text += "file " + e.name + "\n";
    } else if (e.isTag()) {
      text += structureText(info, n);
    } else if (e.storage == storage::kFunction || e.storage == storage::kBlock) {
      depth += e.name == ".bf" || e.name == ".bb" ? 1 : -1;
      if (e.storage == storage::kBlock && e.name == ".bb")
        text += indent + "block, line " + std::to_string(e.line) + "\n";
    } else if (e.isFunction() && e.isSymbol()) {
      text += functionText(info, static_cast<int>(n));
    } else if (e.storage == storage::kTypedef) {
      text += indent + "typedef " + declaration(info, e) + ";\n";
    } else if (const char* const where = className(e); *where != '\0') {
      text += indent + declaration(info, e) + ";  // " + where + ", " + home(e) + "\n";
    }
  }
  return text;
}

}  // namespace rtvp::c32
