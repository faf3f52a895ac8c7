#include "platform/machines/record_layout.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "models/common/core/nearest_word.hpp"
#include "platform/options/json_tree.hpp"
#include "platform/options/option_table.hpp"

namespace rtvp::platform {
namespace {

using host::DeclaredRecord;
using host::RecordWord;
using host::ResultUse;
using host::ResultWord;
using host::WordFormat;
using Kind = JsonNode::Kind;

constexpr double kLargestNumber = 1e12;
constexpr double kMostCycles = 100'000;
constexpr std::size_t kLongestText = 200;
constexpr std::size_t kLongestName = 40;

constexpr std::array<std::string_view, 4> kFileMembers{"schema_version", "records", "result",
                                                       "normal_space"};
constexpr std::array<std::string_view, 7> kRecordMembers{"name",   "code",   "surface", "cycles",
                                                         "margin", "values", "words"};
constexpr std::array<std::string_view, 3> kWordMembers{"name", "format", "value"};
constexpr std::array<std::string_view, 3> kResultMembers{"name", "format", "use"};

template <typename T>
struct Choice {
  std::string_view word;
  T value;
};
constexpr std::array kFormats{Choice<WordFormat>{"single", WordFormat::Single},
                              Choice<WordFormat>{"integer", WordFormat::Integer},
                              Choice<WordFormat>{"address", WordFormat::Address}};
constexpr std::array kUses{Choice<ResultUse>{"log", ResultUse::Log},
                           Choice<ResultUse>{"normal.x", ResultUse::NormalX},
                           Choice<ResultUse>{"normal.y", ResultUse::NormalY},
                           Choice<ResultUse>{"normal.z", ResultUse::NormalZ}};
constexpr std::array kSpaces{Choice<bool>{"world", false}, Choice<bool>{"object", true}};

// Goes through the tree and keeps what the messages need.
class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  [[nodiscard]] host::RecordLayout read(const JsonNode& root) const;

 private:
  [[noreturn]] void refuse(const JsonNode& at, const std::string& expected) const {
    const std::string place = at.key.empty() ? "" : " as '" + at.key + "'";
    refuseAt(file_, at.line, at.describe() + place, expected);
  }
  void checkMembers(const JsonNode& object, std::span<const std::string_view> known) const;
  [[nodiscard]] const JsonNode& need(const JsonNode& object, std::string_view key) const;
  [[nodiscard]] std::string text(const JsonNode& node, const std::string& expected) const;
  [[nodiscard]] std::string name(const JsonNode& object) const;
  [[nodiscard]] double number(const JsonNode& node, double lowest, double highest) const;
  template <typename T, std::size_t N>
  [[nodiscard]] T choice(const JsonNode& node, const std::array<Choice<T>, N>& choices) const;
  [[nodiscard]] std::span<const JsonNode> list(const JsonNode& node, std::size_t most) const;
  /// Names, codes and the like may not come twice.
  template <typename T>
  void once(std::map<T, int>& seen, const T& value, const JsonNode& at) const;

  [[nodiscard]] DeclaredRecord record(const JsonNode& node) const;
  [[nodiscard]] std::map<std::string, double> values(const JsonNode& node) const;
  [[nodiscard]] RecordWord word(const JsonNode& node,
                                const std::map<std::string, double>& values) const;
  [[nodiscard]] ResultWord resultWord(const JsonNode& node) const;
  void checkNormal(const JsonNode& node, const host::RecordLayout& layout) const;

  const std::string& file_;
};

void Reader::checkMembers(const JsonNode& object, std::span<const std::string_view> known) const {
  if (object.kind != Kind::Object) refuse(object, "an object");
  for (const JsonNode& member : object.children) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    std::string all;
    for (const std::string_view word : known) {
      all += (all.empty() ? "" : ", ") + std::string(word);
    }
    const std::string shown = member.key.substr(0, kLongestName);
    refuseAt(file_, member.line, "an unknown member '" + shown + "'",
             "one of " + all + "; the nearest is '" +
                 std::string(common::nearestWord(shown, known)) + "'");
  }
}

const JsonNode& Reader::need(const JsonNode& object, std::string_view key) const {
  if (const JsonNode* const node = object.find(key)) return *node;
  refuseAt(file_, object.line, "an object without '" + std::string(key) + "'", "it to have one");
}

std::string Reader::text(const JsonNode& node, const std::string& expected) const {
  if (node.kind != Kind::String || node.text.empty() || node.text.size() > kLongestText) {
    refuse(node, expected);
  }
  return node.text;
}

std::string Reader::name(const JsonNode& object) const {
  const JsonNode& node = need(object, "name");
  const std::string expected =
      "a name of at most 40 small letters, digits and _ that begins with a letter";
  std::string value = text(node, expected);
  const auto small = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto inName = [&](char c) { return small(c) || (c >= '0' && c <= '9') || c == '_'; };
  if (value.size() > kLongestName || !small(value.front()) ||
      !std::all_of(value.begin(), value.end(), inName)) {
    refuse(node, expected);
  }
  return value;
}

double Reader::number(const JsonNode& node, double lowest, double highest) const {
  double value = 0;
  const char* const end = node.text.data() + node.text.size();
  const auto parsed = std::from_chars(node.text.data(), end, value);
  if (node.kind != Kind::Number || parsed.ec != std::errc{} || parsed.ptr != end ||
      !(value >= lowest && value <= highest)) {
    std::array<char, 80> range{};
    std::snprintf(range.data(), range.size(), "a number from %g to %g", lowest, highest);
    refuse(node, range.data());
  }
  return value;
}

template <typename T, std::size_t N>
T Reader::choice(const JsonNode& node, const std::array<Choice<T>, N>& choices) const {
  std::string all;
  for (const Choice<T>& c : choices) {
    if (node.kind == Kind::String && node.text == c.word) return c.value;
    all += (all.empty() ? "" : ", ") + ("\"" + std::string(c.word) + "\"");
  }
  refuse(node, "one of " + all);
}

std::span<const JsonNode> Reader::list(const JsonNode& node, std::size_t most) const {
  if (node.kind != Kind::Array) refuse(node, "an array");
  if (node.children.size() > most) {
    refuseAt(file_, node.line,
             std::to_string(node.children.size()) + " elements in '" + node.key + "'",
             "at most " + std::to_string(most));
  }
  return node.children;
}

template <typename T>
void Reader::once(std::map<T, int>& seen, const T& value, const JsonNode& at) const {
  const auto [it, fresh] = seen.emplace(value, at.line);
  if (fresh) return;
  refuseAt(file_, at.line, at.describe() + " as '" + at.key + "' again",
           "another one than that of line " + std::to_string(it->second));
}

std::map<std::string, double> Reader::values(const JsonNode& node) const {
  if (node.kind != Kind::Object) refuse(node, "an object of names and numbers");
  std::map<std::string, double> found;
  for (const JsonNode& member : node.children) {
    const bool plain = member.key.find_first_of("*. -") == std::string::npos && !member.key.empty();
    if (!plain || (member.key[0] >= '0' && member.key[0] <= '9')) {
      refuseAt(file_, member.line, "a value called '" + member.key.substr(0, kLongestName) + "'",
               "a name without *, ., - and blanks that does not begin with a digit");
    }
    found[member.key] = number(member, -kLargestNumber, kLargestNumber);
  }
  return found;
}

RecordWord Reader::word(const JsonNode& node, const std::map<std::string, double>& values) const {
  checkMembers(node, kWordMembers);
  RecordWord word;
  word.name = name(node);
  word.format = choice(need(node, "format"), kFormats);
  const JsonNode& value = need(node, "value");
  if (value.kind != Kind::Number) {
    (void)text(value, "a number, or a text of fields, values and numbers with * between");
  }
  std::string wrong;
  const auto parsed = host::WordValue::parse(value.text, values, wrong);
  if (!parsed) {
    refuseAt(file_, value.line, "'" + wrong.substr(0, kLongestName) + "' in a word's value",
             "at most eight factors, each a number up to 1e12, one of \"values\", or one of the "
             "fields " +
                 host::WordValue::known() + " (x and y stand for x, y or z)");
  }
  word.value = *parsed;
  if ((word.format == WordFormat::Address) != word.value.isAddress()) {
    refuse(value, word.format == WordFormat::Address
                      ? "\"here\" or \"next\", the addresses that there are"
                      : "format \"address\" for it");
  }
  return word;
}

DeclaredRecord Reader::record(const JsonNode& node) const {
  checkMembers(node, kRecordMembers);
  DeclaredRecord type;
  type.name = name(node);
  const JsonNode& code = need(node, "code");
  const double number = this->number(code, 1, host::kMostRecordCodes);
  if (number != std::floor(number)) refuse(code, "a whole number");
  type.code = static_cast<std::uint32_t>(number);
  const JsonNode& surface = need(node, "surface");
  const std::string expected = "the name of a tape's file, without folder, such as \"ball.sdf\"";
  type.surface = text(surface, expected);
  if (type.surface.find('/') != std::string::npos) refuse(surface, expected);
  if (const JsonNode* const cycles = node.find("cycles")) {
    type.cycles = this->number(*cycles, 1, kMostCycles);
  }
  if (const JsonNode* const margin = node.find("margin")) {
    type.margin = this->number(*margin, 0, kLargestNumber);
  }
  const JsonNode* const given = node.find("values");
  const auto named = given != nullptr ? values(*given) : std::map<std::string, double>();
  std::map<std::string, int> names;
  for (const JsonNode& child : list(need(node, "words"), host::kMostRecordWords - 1)) {
    type.words.push_back(word(child, named));
    once(names, type.words.back().name, *child.find("name"));
  }
  return type;
}

ResultWord Reader::resultWord(const JsonNode& node) const {
  checkMembers(node, kResultMembers);
  ResultWord word;
  word.name = name(node);
  word.format = choice(need(node, "format"), kFormats);
  if (const JsonNode* const use = node.find("use")) {
    word.use = choice(*use, kUses);
    if (word.use != ResultUse::Log && word.format != WordFormat::Single) {
      refuse(*node.find("format"), "\"single\" for a part of a normal");
    }
  }
  return word;
}

/// All three of its words, or none.
void Reader::checkNormal(const JsonNode& node, const host::RecordLayout& layout) const {
  std::map<ResultUse, int> uses;
  for (std::size_t i = 0; i < layout.result.size(); ++i) {
    if (layout.result[i].use == ResultUse::Log) continue;
    once(uses, layout.result[i].use, *node.children[i].find("use"));
  }
  if (!uses.empty() && uses.size() != 3) {
    refuseAt(file_, node.line, std::to_string(uses.size()) + " words of a normal",
             "all of \"normal.x\", \"normal.y\" and \"normal.z\"");
  }
}

host::RecordLayout Reader::read(const JsonNode& root) const {
  checkMembers(root, kFileMembers);
  const JsonNode& version = need(root, "schema_version");
  if (version.kind != Kind::Number || version.text != "1") refuse(version, "the number 1");
  host::RecordLayout layout;
  std::map<std::string, int> names, surfaces, resultNames;
  std::map<std::uint32_t, int> codes;
  if (const JsonNode* const records = root.find("records")) {
    for (const JsonNode& node : list(*records, host::kMostRecordCodes)) {
      const DeclaredRecord& type = layout.types.emplace_back(record(node));
      once(names, type.name, *node.find("name"));
      once(codes, type.code, *node.find("code"));
      once(surfaces, type.surface, *node.find("surface"));
    }
  }
  if (const JsonNode* const result = root.find("result")) {
    for (const JsonNode& node : list(*result, host::kMostResultWords)) {
      layout.result.push_back(resultWord(node));
      once(resultNames, layout.result.back().name, *node.find("name"));
    }
    checkNormal(*result, layout);
  }
  if (const JsonNode* const space = root.find("normal_space")) {
    layout.objectNormal = choice(*space, kSpaces);
  }
  return layout;
}

}  // namespace

host::RecordLayout readRecordLayout(const std::string& file, const std::string& text) {
  return Reader(file).read(readJsonTree(file, text, "a record layout"));
}

}  // namespace rtvp::platform
