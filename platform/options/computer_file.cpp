#include "platform/options/computer_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <span>
#include <string_view>

#include "models/common/core/nearest_word.hpp"
#include "models/common/core/shared_files.hpp"
#include "platform/options/json_tree.hpp"
#include "platform/options/option_table.hpp"

namespace rtvp::platform {
namespace {

using Kind = JsonNode::Kind;

constexpr int kMostMachines = 64;
constexpr std::size_t kMostLines = 128;  // of a computer's interrupt controller
constexpr std::uint64_t kPage = 4096;
constexpr unsigned kAddressBits = 40;

constexpr std::array<std::string_view, 4> kFileMembers = {"schema_version", "devices", "assign",
                                                          "set"};
constexpr std::array<std::string_view, 6> kDeviceMembers = {"machine", "name", "count",
                                                            "address", "irq",  "set"};

template <typename T>
std::optional<T> parseWhole(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool isName(std::string_view text) {
  return !text.empty() && isLetter(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return isLetter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

// Goes through the tree and keeps what the messages need.
class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  [[nodiscard]] ComputerFile read(const JsonNode& root);

 private:
  [[noreturn]] void refuse(const JsonNode& at, const std::string& expected) const {
    const std::string place = at.key.empty() ? "" : " as '" + at.key + "'";
    refuseAt(file_, at.line, at.describe() + place, expected);
  }
  void checkMembers(const JsonNode& object, std::span<const std::string_view> known) const;
  void checkVersion(const JsonNode& root) const;
  [[nodiscard]] std::string name(const JsonNode& node) const;
  [[nodiscard]] std::optional<std::uint64_t> address(const JsonNode& node) const;
  [[nodiscard]] std::optional<std::size_t> irq(const JsonNode& node) const;
  [[nodiscard]] int count(const JsonNode& node) const;
  [[nodiscard]] ComputerDevice device(const JsonNode& node) const;
  [[nodiscard]] std::vector<ConfigEntry> set(const JsonNode& node,
                                             const std::string& machine) const;
  void flatten(const JsonNode& object, const std::string& prefix, const std::string& machine,
               std::vector<ConfigEntry>& entries, std::map<std::string, int>& lines) const;
  void takeNames(const ComputerDevice& device);

  const std::string& file_;
  std::map<std::string, int> names_;  // of the instances so far, and the lines of their devices
  int machines_ = 0;
};

void Reader::checkMembers(const JsonNode& object, std::span<const std::string_view> known) const {
  for (const JsonNode& member : object.children) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    std::string all;
    for (const std::string_view word : known) {
      all += (all.empty() ? "" : ", ") + std::string(word);
    }
    const std::string shown = member.key.substr(0, 60);
    refuseAt(file_, member.line, "an unknown member '" + shown + "'",
             "one of " + all + "; the nearest is '" +
                 std::string(common::nearestWord(shown, known)) + "'");
  }
}

void Reader::checkVersion(const JsonNode& root) const {
  const JsonNode* const version = root.find("schema_version");
  if (version == nullptr) {
    refuseAt(file_, root.line, "no member 'schema_version'", "\"schema_version\": 1");
  }
  if (version->kind != Kind::Number || version->text != "1") refuse(*version, "the number 1");
}

std::string Reader::name(const JsonNode& node) const {
  if (node.kind != Kind::String || !isName(node.text)) {
    refuse(node, "a name of letters, digits and _ that begins with a letter");
  }
  return node.text;
}

int Reader::count(const JsonNode& node) const {
  const auto value = parseWhole<int>(node.text);
  if (node.kind != Kind::Number || !value || *value < 1 || *value > kMostMachines) {
    refuse(node, "a whole number 1.." + std::to_string(kMostMachines));
  }
  return *value;
}

std::optional<std::uint64_t> Reader::address(const JsonNode& node) const {
  if (node.kind == Kind::String && node.text == "auto") return std::nullopt;
  std::optional<std::uint64_t> value;
  if (node.kind == Kind::String && node.text.starts_with("0x")) {
    value = parseWhole<std::uint64_t>(std::string_view(node.text).substr(2), 16);
  }
  if (!value) refuse(node, "\"auto\" or hexadecimal digits after 0x, such as \"0x20000000\"");
  if (*value % kPage != 0) refuse(node, "a multiple of " + std::to_string(kPage) + " (0x1000)");
  if (*value >> kAddressBits != 0) {
    refuse(node, "an address of at most " + std::to_string(kAddressBits) + " bits");
  }
  return value;
}

std::optional<std::size_t> Reader::irq(const JsonNode& node) const {
  if (node.kind == Kind::String && node.text == "auto") return std::nullopt;
  const auto value = parseWhole<std::size_t>(node.text);
  if (node.kind != Kind::Number || !value || *value >= kMostLines) {
    refuse(node, "\"auto\" or a whole number 0.." + std::to_string(kMostLines - 1));
  }
  return value;
}

void Reader::flatten(const JsonNode& object, const std::string& prefix, const std::string& machine,
                     std::vector<ConfigEntry>& entries, std::map<std::string, int>& lines) const {
  for (const JsonNode& member : object.children) {
    std::string key = prefix.empty() ? member.key : prefix + '.' + member.key;
    switch (member.kind) {
      case Kind::Object:
        flatten(member, key, machine, entries, lines);
        continue;
      case Kind::Array:
      case Kind::Null:
        refuse(member, "a number, a string, true, false or an object");
      default:
        break;
    }
    if (!machine.empty() && !key.starts_with(machine + '.')) key.insert(0, machine + '.');
    const auto [before, isNew] = lines.emplace(key, member.line);
    if (!isNew) {
      refuseAt(file_, member.line, "a second value for '" + key + "'",
               "one; the first is in line " + std::to_string(before->second));
    }
    entries.push_back({key, member.text, member.line});
  }
}

std::vector<ConfigEntry> Reader::set(const JsonNode& node, const std::string& machine) const {
  if (node.kind != Kind::Object) refuse(node, "an object of parameters");
  std::vector<ConfigEntry> entries;
  std::map<std::string, int> lines;
  flatten(node, {}, machine, entries, lines);
  return entries;
}

ComputerDevice Reader::device(const JsonNode& node) const {
  if (node.kind != Kind::Object) refuse(node, "a device, an object with the member 'machine'");
  checkMembers(node, kDeviceMembers);
  const JsonNode* const machine = node.find("machine");
  if (machine == nullptr) {
    refuseAt(file_, node.line, "a device without the member 'machine'", "a machine's name there");
  }
  ComputerDevice device;
  device.line = node.line;
  device.machine = device.name = name(*machine);
  if (const JsonNode* const m = node.find("name")) device.name = name(*m);
  if (const JsonNode* const m = node.find("count")) device.count = count(*m);
  if (const JsonNode* const m = node.find("address")) device.address = address(*m);
  if (const JsonNode* const m = node.find("irq")) device.irq = irq(*m);
  if (const JsonNode* const m = node.find("set")) device.set = set(*m, device.machine);
  for (const char* const place : {"address", "irq"}) {
    const bool given = place[0] == 'a' ? device.address.has_value() : device.irq.has_value();
    if (device.count > 1 && given) {
      refuse(*node.find(place),
             "\"auto\": " + std::to_string(device.count) + " machines cannot share one place");
    }
  }
  return device;
}

// An instance is called by the base name, or by it and its number; both are taken.
void Reader::takeNames(const ComputerDevice& device) {
  std::vector<std::string> own{device.name};
  for (int n = 0; n < device.count; ++n) own.push_back(device.name + std::to_string(n));
  for (const std::string& instance : own) {
    const auto [before, isNew] = names_.emplace(instance, device.line);
    if (!isNew) {
      refuseAt(file_, device.line, "a second device with an instance '" + instance + "'",
               "a \"name\" of its own or, for equal machines, one device with a \"count\"; the "
               "first is in line " +
                   std::to_string(before->second));
    }
  }
}

ComputerFile Reader::read(const JsonNode& root) {
  if (root.kind != Kind::Object) refuse(root, "a computer's description, an object");
  checkMembers(root, kFileMembers);
  checkVersion(root);
  ComputerFile computer;
  const JsonNode* const devices = root.find("devices");
  if (devices == nullptr) {
    refuseAt(file_, root.line, "no member 'devices'", "a list of at least one device");
  }
  if (devices->kind != Kind::Array) refuse(*devices, "a list of devices");
  if (devices->children.empty()) {
    refuseAt(file_, devices->line, "an empty list as 'devices'", "at least one device");
  }
  for (const JsonNode& node : devices->children) {
    computer.devices.push_back(device(node));
    machines_ += computer.devices.back().count;
    if (machines_ > kMostMachines) {
      refuseAt(file_, node.line, std::to_string(machines_) + " machines so far",
               "at most " + std::to_string(kMostMachines));
    }
    takeNames(computer.devices.back());
  }
  if (const JsonNode* const assign = root.find("assign")) {
    if (assign->kind != Kind::String || assign->text.empty()) {
      refuse(*assign, "a text as --assign takes it, such as \"share\"");
    }
    computer.assign = assign->text;
    computer.assignLine = assign->line;
  }
  if (const JsonNode* const common = root.find("set")) computer.set = set(*common, {});
  return computer;
}

}  // namespace

ComputerFile readComputerFile(const std::string& file, const std::string& text) {
  return Reader(file).read(readJsonTree(file, text, "a computer's description"));
}

ComputerFile loadComputerFile(const std::filesystem::path& name, InputFiles& inputs) {
  const std::filesystem::path file = common::inputFile(name, "computers");
  return readComputerFile(
      file.string(), readConfigText(file, "a computer's description", {&inputs, "computer.file"}));
}

}  // namespace rtvp::platform
