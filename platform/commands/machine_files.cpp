// See machine_files.hpp.
#include "platform/commands/machine_files.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <system_error>

#include "models/common/core/unreadable.hpp"
#include "platform/exit_status.hpp"
#include "platform/options/json_tree.hpp"
#include "platform/options/option_table.hpp"

namespace rtvp::platform {
namespace {

using Kind = JsonNode::Kind;
using Words = std::initializer_list<std::string_view>;

constexpr std::string_view kPartsFile = "parts.json";
constexpr std::string_view kOriginal = "original";

void refuse(const std::string& file, const JsonNode& at, const std::string& expected) {
  refuseAt(file, at.line, at.describe() + (at.key.empty() ? "" : " as '" + at.key + "'"), expected);
}

void checkMembers(const std::string& file, const JsonNode& object, Words known) {
  if (object.kind != Kind::Object) refuse(file, object, "an object");
  for (const JsonNode& member : object.children) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    std::string all;
    for (const std::string_view word : known) all += (all.empty() ? "" : ", ") + std::string(word);
    refuseAt(file, member.line, "an unknown member '" + member.key + "'", "one of " + all);
  }
}

const JsonNode& need(const std::string& file, const JsonNode& object, std::string_view name) {
  const JsonNode* const member = object.find(name);
  if (member == nullptr) {
    refuseAt(file, object.line, "no member '" + std::string(name) + "'", "one");
  }
  return *member;
}

std::string text(const std::string& file, const JsonNode& object, std::string_view name) {
  const JsonNode& member = need(file, object, name);
  if (member.kind != Kind::String) refuse(file, member, "a text");
  return member.text;
}

std::string readText(const std::filesystem::path& file) {
  return readConfigText(file, "settings or parts as JSON", {nullptr, ""});
}

MachineSetting readSetting(const std::string& file, const std::string& stem,
                           const std::string& contents) {
  const JsonNode root = readJsonTree(file, contents, "a machine's setting");
  checkMembers(file, root, {"machine", "title", "note", "set"});
  const std::size_t dot = stem.find('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == stem.size()) {
    throw InputError(file + ": expected a name MACHINE.SETTING.json");
  }
  MachineSetting setting;
  setting.file = file;
  setting.setting = stem.substr(dot + 1);
  setting.machine = text(file, root, "machine");
  if (setting.machine != stem.substr(0, dot)) {
    refuse(file, need(file, root, "machine"),
           "the machine of the file's name, '" + stem.substr(0, dot) + "'");
  }
  setting.title = text(file, root, "title");
  setting.note = text(file, root, "note");
  const JsonNode& set = need(file, root, "set");
  if (set.kind != Kind::Object) refuse(file, set, "an object of parameters");
  for (const JsonNode& member : set.children) {
    if (member.kind != Kind::String && member.kind != Kind::Number && member.kind != Kind::Flag) {
      refuse(file, member, "a number, a text, true or false");
    }
    setting.set.push_back({member.key, member.text, member.line});
  }
  return setting;
}

/// Name without folder, and contents.
std::map<std::string, std::string> filesOf(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ec)) {
    if (entry.path().extension() != ".json") continue;
    files[entry.path().filename().string()] = readText(entry.path());
  }
  if (ec) {
    throw InputError("--settings: " + folder.string() + ": " +
                     (std::filesystem::is_directory(folder, ec)
                          ? "found a folder that you may not read, expected settings of machines"
                          : common::unreadable(folder, "a folder with settings of machines")));
  }
  return files;
}

}  // namespace

std::vector<MachineSetting> machineSettings(const std::filesystem::path& folder) {
  const auto files = folder.empty() ? builtInMachineFiles() : filesOf(folder);
  std::vector<MachineSetting> all;
  for (const auto& [name, contents] : files) {
    if (name == kPartsFile) continue;
    const std::string shown = folder.empty() ? "built-in " + name : (folder / name).string();
    all.push_back(readSetting(shown, std::filesystem::path(name).stem().string(), contents));
  }
  std::stable_partition(all.begin(), all.end(),
                        [](const MachineSetting& s) { return s.setting == kOriginal; });
  return all;
}

PartsTable::PartsTable(const std::filesystem::path& given) {
  const std::string file = given.empty() ? "built-in " + std::string(kPartsFile) : given.string();
  const JsonNode root = readJsonTree(
      file, given.empty() ? builtInMachineFiles().at(std::string(kPartsFile)) : readText(given),
      "a table of parts");
  checkMembers(file, root, {"parts", "machines"});
  const auto term = [&](const JsonNode& node) -> Term {
    if (node.kind != Kind::String && node.kind != Kind::Number) {
      refuse(file, node, "a number or a formula");
    }
    const std::string origin = file + ":" + std::to_string(node.line);
    (void)sweep::Formula(node.text, origin);  // complains now, not when a machine has the part
    return {node.text, origin};
  };
  const JsonNode& parts = need(file, root, "parts");
  if (parts.kind != Kind::Object) refuse(file, parts, "an object: parts by name");
  for (const JsonNode& node : parts.children) {
    checkMembers(file, node,
                 {"name", "role", "each", "source", "guess", "multipliers", "memory_bytes",
                  "bytes_per_second", "dollars", "power"});
    PartKind kind;
    kind.part.name = text(file, node, "name");
    kind.part.role = text(file, node, "role");
    kind.part.each = text(file, node, "each");
    kind.part.source = text(file, node, "source");
    const JsonNode& guess = need(file, node, "guess");
    if (guess.kind != Kind::Flag) refuse(file, guess, "true or false");
    kind.part.guess = guess.text == "on" || guess.text == "true";
    for (const char* const amount :
         {"multipliers", "memory_bytes", "bytes_per_second", "dollars"}) {
      if (const JsonNode* const member = node.find(amount)) kind.amounts[amount] = term(*member);
    }
    if (const JsonNode* const power = node.find("power")) {
      checkMembers(file, *power, {"watts", "area_mm2", "source"});
      (void)text(file, *power, "source");  // a table says where it has its figures from
      for (const char* const amount : {"watts", "area_mm2"}) {
        kind.amounts[amount] = term(need(file, *power, amount));
      }
    }
    kinds_[node.key] = std::move(kind);
  }
  const JsonNode& machines = need(file, root, "machines");
  if (machines.kind != Kind::Object) {
    refuse(file, machines, "an object: lists of parts by machine");
  }
  for (const JsonNode& list : machines.children) {
    if (list.kind != Kind::Array) refuse(file, list, "a list of parts");
    for (const JsonNode& node : list.children) {
      checkMembers(file, node, {"part", "count"});
      const std::string part = text(file, node, "part");
      if (!kinds_.contains(part)) refuse(file, need(file, node, "part"), "a name among 'parts'");
      machines_[list.key].push_back({part, term(need(file, node, "count"))});
    }
  }
}

std::vector<report::ListedPart> PartsTable::of(std::string_view machine,
                                               const sweep::Lookup& lookup) const {
  std::vector<report::ListedPart> list;
  const auto found = machines_.find(machine);
  if (found == machines_.end()) return list;
  const auto value = [&](const Term& term) {
    const sweep::Formula formula(term.text, term.origin);
    if (const auto result = formula.evaluate(lookup, lookup)) return *result;
    std::string unknown;
    for (const std::string& name : formula.names()) {
      if (!lookup(name)) unknown += (unknown.empty() ? "'" : ", '") + name + "'";
    }
    throw InputError(term.origin + ": found " + (unknown.empty() ? "no finite value" : unknown) +
                     ", expected parameters or figures of a run of " + std::string(machine));
  };
  for (const Use& use : found->second) {
    const PartKind& kind = kinds_.find(use.part)->second;
    report::ListedPart part = kind.part;
    part.count = value(use.count);
    if (part.count == 0) continue;
    const auto amount = [&](const char* name, std::optional<double>& into) {
      if (const auto it = kind.amounts.find(name); it != kind.amounts.end()) {
        into = part.count * value(it->second);
      }
    };
    amount("multipliers", part.multipliers);
    amount("memory_bytes", part.memoryBytes);
    amount("bytes_per_second", part.bytesPerSecond);
    amount("dollars", part.dollars);
    amount("watts", part.watts);
    amount("area_mm2", part.areaMm2);
    list.push_back(std::move(part));
  }
  return list;
}

}  // namespace rtvp::platform
