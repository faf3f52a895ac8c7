// What TI's linker does beyond joining objects: members of libraries on demand, tables and sections
// of the C runtime, symbols of its own. Facts: TI, Assembly Language Tools User's Guide (SPRU035),
// linker description, "Linking C code".
#include <algorithm>
#include <array>
#include <string_view>

#include "models/c32/link/link_job.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::uint32_t kDefaultWords = 0x400;  ///< of .stack and .sysmem

}  // namespace

void LinkJob::takeMember(const std::string& library, const LinkInput& member) {
  for (const ObjectSymbol& s : member.object.symbols) {
    if (!s.external) continue;
    (s.section == ObjectSymbol::kUndefined ? needed_ : defined_).insert(s.name);
  }
  if (library.empty()) return;
  result_.members.push_back(library + "(" + member.name + ")");
  inputs_.push_back({library + "(" + member.name + ")", member.object});
}

/// Members that define what somebody needs and nobody has, until there are none more: the order of
/// libraries decides only which of two that define the same is taken.
void LinkJob::takeMembers() {
  const std::vector<LinkInput> given = inputs_;
  for (const LinkInput& input : given) takeMember("", input);
  const LinkCommands& commands = options_.script.commands;
  needed_.insert(commands.wanted.begin(), commands.wanted.end());
  for (const std::string& entry : {options_.entry, options_.script.entry}) {
    if (!entry.empty()) needed_.insert(entry);
  }
  if (commands.initialisation != Initialisation::None) needed_.insert("_c_int00");
  std::set<std::pair<std::size_t, std::size_t>> taken;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t l = 0; l < options_.libraries.size(); ++l) {
      const LinkLibrary& library = options_.libraries[l];
      for (std::size_t m = 0; m < library.members.size(); ++m) {
        const auto& symbols = library.members[m].object.symbols;
        const bool wanted = std::any_of(symbols.begin(), symbols.end(), [&](const ObjectSymbol& s) {
          return s.external && s.section != ObjectSymbol::kUndefined && wants(s.name);
        });
        if (!wanted || !taken.emplace(l, m).second) continue;
        takeMember(library.name, library.members[m]);
        more = true;
      }
    }
  }
}

/// Somebody refers to the symbol and nobody defines it yet.
bool LinkJob::wants(const std::string& symbol) const {
  return needed_.contains(symbol) && !defined_.contains(symbol);
}

/// The tables of .cinit end with a 0 word; in the RAM model they are for the loader.
void LinkJob::prepareInitialisation() {
  if (options_.script.commands.initialisation == Initialisation::None) return;
  LinkInput end{"the end of .cinit", {}};
  ObjectSection zero;
  zero.name = ".cinit";
  zero.kind = Section::Kind::Data;
  zero.size = 1;
  zero.words = {0};
  end.object.sections.push_back(zero);
  inputs_.push_back(std::move(end));
}

void LinkJob::sizeRuntimeSections() {
  const LinkCommands& c = options_.script.commands;
  if (c.initialisation == Initialisation::Ram) {
    for (OutputSection& out : outputs_) {
      if (out.name == ".cinit") out.type = OutputType::Copy;
    }
  }
  const bool runtime = c.initialisation != Initialisation::None;
  const auto reserve = [&](const char* name, const std::optional<std::uint32_t>& words) {
    if (!words && !runtime) return;
    for (OutputSection& out : outputs_) {
      if (out.name == name) out.least = std::max(out.least, words.value_or(kDefaultWords));
    }
  };
  reserve(".stack", c.stack);
  reserve(".sysmem", c.heap);
  reserve(".sysm8", c.heap8);
  reserve(".sysm16", c.heap16);
}

/// Symbols that programs may use without anybody defining them. A program's own definition wins.
void LinkJob::defineLinkerSymbols() {
  const LinkCommands& c = options_.script.commands;
  const auto give = [&](const std::string& name, std::uint32_t value, int output) {
    if (needed_.contains(name)) globals_.try_emplace(name, Global{value, output, "the linker"});
  };
  struct Ends {
    const char *section, *start, *end;
  };
  for (const Ends& e : {Ends{".text", ".text", "etext"}, Ends{".data", ".data", "edata"},
                        Ends{".bss", ".bss", "end"}}) {
    const auto it = std::find_if(outputs_.begin(), outputs_.end(),
                                 [&](const OutputSection& o) { return o.name == e.section; });
    const int index = it == outputs_.end() ? -1 : static_cast<int>(it - outputs_.begin());
    const std::uint32_t base = index < 0 ? 0 : it->runBase, size = index < 0 ? 0 : it->size;
    give(e.start, base, index);
    give(e.end, base + size, index);
    give(std::string("_") + e.end, base + size, index);
  }
  give("__STACK_SIZE", c.stack.value_or(kDefaultWords), -1);
  give("__SYSMEM_SIZE", c.heap.value_or(kDefaultWords), -1);
  give("__SYSMEM8_SIZE", c.heap8.value_or(kDefaultWords), -1);
  give("__SYSMEM16_SIZE", c.heap16.value_or(kDefaultWords), -1);
  if (c.initialisation == Initialisation::None) return;
  std::uint32_t cinit = ~0u;  // -1: nothing to copy
  int index = -1;
  for (std::size_t n = 0; n < outputs_.size(); ++n) {
    if (outputs_[n].name != ".cinit" || outputs_[n].outside()) continue;
    cinit = outputs_[n].runBase;
    index = static_cast<int>(n);
  }
  give("cinit", cinit, index);
}

/// Where each symbol of several files is defined, and who uses it.
std::string LinkJob::crossReference() const {
  std::map<std::string, std::set<std::string>> users;
  for (const LinkInput& input : inputs_) {
    for (const ObjectSymbol& s : input.object.symbols) {
      if (s.external && s.section == ObjectSymbol::kUndefined) users[s.name].insert(input.name);
    }
  }
  std::string out = "\nCROSS REFERENCE\n";
  for (const auto& [name, global] : globals_) {
    out += "  " + name + ": " + global.where + "\n";
    for (const std::string& user : users[name]) out += "      " + user + "\n";
  }
  return out;
}

/// Input sections that no relocation of another section needs and that do not hold the entry.
std::string LinkJob::unreferenced() const {
  std::map<std::string, std::pair<std::size_t, std::size_t>> owners;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    for (const ObjectSymbol& s : inputs_[i].object.symbols) {
      if (s.external && s.section >= 0)
        owners.emplace(s.name, std::pair(i, static_cast<std::size_t>(s.section)));
    }
  }
  std::set<std::pair<std::size_t, std::size_t>> used;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Object& object = inputs_[i].object;
    for (std::size_t k = 0; k < object.sections.size(); ++k) {
      for (const Relocation& r : object.sections[k].relocations) {
        if (r.symbol < 0) continue;
        const ObjectSymbol& s = object.symbols[static_cast<std::size_t>(r.symbol)];
        std::pair<std::size_t, std::size_t> target{i, static_cast<std::size_t>(s.section)};
        if (s.section < 0) {
          const auto owner = owners.find(s.name);
          if (owner == owners.end()) continue;
          target = owner->second;
        }
        if (target != std::pair(i, k)) used.insert(target);
      }
    }
  }
  std::string out;
  for (std::size_t i = 0; i < inputs_.size() && i < homes_.size(); ++i) {
    for (std::size_t k = 0; k < inputs_[i].object.sections.size(); ++k) {
      const ObjectSection& s = inputs_[i].object.sections[k];
      const Home& home = homes_[i][k];
      if (s.size == 0 || used.contains({i, k}) || s.name == ".cinit" || home.output < 0) continue;
      const std::uint32_t base =
          outputs_[static_cast<std::size_t>(home.output)].runBase + home.offset;
      if (entry_ >= base && entry_ < base + s.size) continue;
      out += "  " + inputs_[i].name + "(" + s.name + ")  " + std::to_string(s.size) + " words\n";
    }
  }
  return out.empty() ? out : "\nSECTIONS that no other section refers to\n" + out;
}

}  // namespace rtvp::c32
