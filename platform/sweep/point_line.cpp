// See point_line.hpp.
#include "platform/sweep/point_line.hpp"

#include <algorithm>
#include <boost/json/parser.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <cmath>
#include <initializer_list>

#include "models/common/core/text.hpp"
#include "models/common/core/utf8.hpp"
#include "platform/exit_status.hpp"
#include "platform/inputs/input_json.hpp"
#include "platform/sweep/values.hpp"

namespace rtvp::sweep {
namespace {

namespace json = boost::json;
using platform::InputError;

// A JSON number may not come back as the same double from every reader; this text does.
std::string statText(const Stat& stat) {
  return numberText(stat.value) + (stat.unit.empty() ? "" : " " + stat.unit);
}

Stat statOf(std::string_view text, const std::string& where) {
  Stat stat;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, stat.value);
  if (error != std::errc{} || !std::isfinite(stat.value) || (end != last && *end != ' ')) {
    throw InputError(where + ": found " + common::quoted(text) + ", expected a number and a unit");
  }
  if (end != last) stat.unit = std::string(end + 1, last);
  return stat;
}

void checkMembers(const json::object& line, std::initializer_list<std::string_view> known) {
  for (const auto& member : line) {
    const std::string_view key(member.key());
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string names;
    for (const std::string_view k : known) names += (names.empty() ? "" : ", ") + std::string(k);
    throw InputError("unknown member " + common::quoted(key) + ", expected " + names);
  }
}

std::string textOf(const json::object& line, const char* name, bool wanted) {
  const json::value* const value = line.if_contains(name);
  if (value == nullptr && !wanted) return {};
  if (value == nullptr || !value->is_string()) {
    throw InputError(std::string(name) + ": expected a text");
  }
  return std::string(value->get_string());
}

// Names of files are bytes.
std::string pathOf(std::string_view text, const std::string& what) {
  auto path = common::unescapedUtf8(text);
  if (!path || path->find('\0') != std::string::npos) {
    throw InputError(what + ": " + common::quoted(text) + " is no name of a file");
  }
  return *std::move(path);
}

std::optional<std::int64_t> numberOf(const json::object& line) {
  const json::value* const value = line.if_contains("point");
  if (value == nullptr) return std::nullopt;
  json::error_code ec;
  const auto number = value->to_number<std::int64_t>(ec);
  if (ec || number < 0) throw InputError("point: expected a whole number from 0 on");
  return number;
}

std::string wordOf(const json::value& value, const std::string& where) {
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_bool()) return value.get_bool() ? "on" : "off";
  if (value.is_number()) return numberText(value.to_number<double>());
  throw InputError(where + ": expected a text, a number, true or false");
}

// Both members, or neither.
std::optional<std::vector<platform::InputFile>> inputsOf(const json::object& line) {
  const json::value* const contents = line.if_contains("inputs");
  const json::value* const paths = line.if_contains("paths");
  if (contents == nullptr && paths == nullptr) return std::nullopt;
  if (contents == nullptr || paths == nullptr || !contents->is_array() || !paths->is_array()) {
    throw InputError("inputs, paths: expected two arrays, contents and names of files");
  }
  try {
    return platform::inputsFrom(contents->get_array(), paths->get_array());
  } catch (const std::exception& e) {
    throw InputError(std::string("inputs, paths: ") + e.what());
  }
}

bool isPath(const platform::OptionTable& table, const std::string& key) {
  const platform::OptionSpec* const option = table.find(key);
  return option != nullptr && option->type == platform::OptionType::Path && !option->host;
}

// A line may not make a run write where it wants.
void checkKey(const platform::OptionTable& table, const std::string& key) {
  const platform::OptionSpec* const option = table.find(key);
  if (option != nullptr && option->type == platform::OptionType::Path && option->host) {
    throw InputError("set." + key + ": names a file to write, expected another parameter");
  }
}

std::vector<Figure> figuresOf(const json::object& line) {
  std::vector<Figure> figures;
  const json::value* const value = line.if_contains("figures");
  if (value == nullptr) return figures;
  if (!value->is_object()) throw InputError("figures: expected an object: name and formula");
  for (const auto& member : value->get_object()) {
    const std::string name(member.key());
    if (!member.value().is_string()) throw InputError("figures." + name + ": expected a text");
    figures.push_back({name, "", std::string(member.value().get_string())});
  }
  return figures;
}

}  // namespace

std::string belowRoot(const std::filesystem::path& file, const std::filesystem::path& root) {
  const std::filesystem::path relative =
      std::filesystem::absolute(file).lexically_normal().lexically_relative(
          std::filesystem::absolute(root).lexically_normal());
  if (relative.empty() || *relative.begin() == "..") {
    throw InputError(file.string() + ": lies outside of '" + root.string() +
                     "', expected a --root that has all files of the sweep");
  }
  return relative.string();
}

void checkBelow(const std::string& name, const std::string& what) {
  const std::filesystem::path path(name);
  const bool leads = std::find(path.begin(), path.end(), "..") != path.end();
  if (name.empty() || path.is_absolute() || leads) {
    throw InputError(what + ": found " + common::quoted(name) +
                     ", expected a name below the folder that --root names");
  }
}

std::string lineOf(const SweepSpec& spec, const Point& point, std::size_t position,
                   const Subject& subject, const std::filesystem::path& root, bool quality) {
  json::object set;
  for (std::size_t i = 0; i < spec.axes.size(); ++i) {
    const std::string& key = spec.axes[i].key;
    if (key == kSceneKey) continue;
    const std::string& value = point.values[i];
    const bool file = isPath(subject.table, key) && !value.empty();
    set[key] = file ? common::escapedUtf8(belowRoot(value, root)) : value;
  }
  json::object line{{"point", position},
                    {"identity", point.identity},
                    {"build", subject.build},
                    {"scene", common::escapedUtf8(belowRoot(point.scene, root))},
                    {"set", std::move(set)}};
  if (quality) line["quality"] = true;
  if (!point.problem.empty()) {
    line["problem"] = common::escapedUtf8(point.problem);
    return json::serialize(line);
  }
  std::vector<platform::InputFile> inputs = point.inputs;
  for (platform::InputFile& f : inputs) f.path = belowRoot(f.path, root);
  line["inputs"] = platform::contentsOf(inputs);
  line["paths"] = platform::pathsOf(inputs);
  return json::serialize(line);
}

PointLine readPointLine(const json::object& object, const platform::OptionTable& table) {
  checkMembers(object, {"point", "identity", "build", "scene", "set", "inputs", "paths", "problem",
                        "figures", "quality"});
  PointLine line;
  line.point = numberOf(object);
  line.identity = textOf(object, "identity", false);
  line.build = textOf(object, "build", false);
  line.scene = pathOf(textOf(object, "scene", true), "scene");
  checkBelow(line.scene, "scene");
  line.problem = pathOf(textOf(object, "problem", false), "problem");
  if (const json::value* set = object.if_contains("set")) {
    if (!set->is_object()) throw InputError("set: expected an object: parameter and value");
    for (const auto& member : set->get_object()) {
      const std::string key(member.key());
      checkKey(table, key);
      std::string value = wordOf(member.value(), "set." + key);
      if (isPath(table, key) && !value.empty()) {
        value = pathOf(value, "set." + key);
        checkBelow(value, "set." + key);
      }
      line.set.emplace_back(key, std::move(value));
    }
  }
  line.inputs = inputsOf(object);
  if (line.inputs) {
    for (const platform::InputFile& f : *line.inputs) checkBelow(f.path.string(), "paths");
  }
  line.figures = figuresOf(object);
  if (const json::value* quality = object.if_contains("quality")) {
    if (!quality->is_bool()) throw InputError("quality: expected true or false");
    line.quality = quality->get_bool();
  }
  return line;
}

json::object lineOf(const ResultLine& line,
                    const std::vector<std::pair<std::string, std::optional<double>>>& figures) {
  const PointResult& result = line.result;
  json::object object;
  if (line.point) object["point"] = *line.point;
  object["identity"] = line.identity;
  object["build"] = line.build;
  object["status"] = result.status;
  object["message"] = common::escapedUtf8(result.message);
  json::array& warnings = object["warnings"].emplace_array();
  for (const std::string& w : result.warnings) {
    warnings.push_back(json::string(common::escapedUtf8(w)));
  }
  object["wall_s"] = result.wallSeconds;
  if (!figures.empty()) {
    json::object& values = object["figures"].emplace_object();
    for (const auto& [name, value] : figures) {
      values[name] = value ? json::value(*value) : json::value(nullptr);
    }
  }
  if (!result.ok()) return object;
  json::object& statistics = object["statistics"].emplace_object();
  for (const auto& [path, stat] : result.stats) statistics[path] = statText(stat);
  object["inputs"] = platform::contentsOf(result.inputs);
  object["paths"] = platform::pathsOf(result.inputs);
  return object;
}

ResultLine readResultLine(const json::object& object) {
  if (const json::value* error = object.if_contains("error")) {
    throw InputError("the worker refused it: " +
                     (error->is_string() ? std::string(error->get_string()) : std::string("?")));
  }
  checkMembers(object, {"point", "identity", "build", "status", "message", "warnings", "wall_s",
                        "figures", "statistics", "inputs", "paths"});
  ResultLine line;
  line.point = numberOf(object);
  line.identity = textOf(object, "identity", true);
  line.build = textOf(object, "build", true);
  PointResult& result = line.result;
  json::error_code ec;
  const json::value* const status = object.if_contains("status");
  if (status != nullptr) result.status = status->to_number<int>(ec);
  if (status == nullptr || ec || result.status < 0 || result.status > 255) {
    throw InputError("status: expected a whole number 0..255");
  }
  const json::value* const wall = object.if_contains("wall_s");
  if (wall != nullptr) result.wallSeconds = wall->to_number<double>(ec);
  if (wall == nullptr || ec) throw InputError("wall_s: expected a number");
  result.message = pathOf(textOf(object, "message", true), "message");
  if (const json::value* warnings = object.if_contains("warnings")) {
    if (!warnings->is_array()) throw InputError("warnings: expected an array of texts");
    for (const json::value& w : warnings->get_array()) {
      if (!w.is_string()) throw InputError("warnings: expected an array of texts");
      result.warnings.push_back(pathOf(w.get_string(), "warnings"));
    }
  }
  if (!result.ok()) return line;
  const json::value* const statistics = object.if_contains("statistics");
  if (statistics == nullptr || !statistics->is_object()) {
    throw InputError("statistics: expected an object: path and value");
  }
  for (const auto& member : statistics->get_object()) {
    const std::string path(member.key());
    if (!member.value().is_string()) {
      throw InputError("statistics." + path + ": expected a number and a unit, as text");
    }
    result.stats[path] = statOf(member.value().get_string(), "statistics." + path);
  }
  result.inputs = inputsOf(object).value_or(std::vector<platform::InputFile>{});
  return line;
}

json::object parseLine(std::string_view line) {
  json::parse_options options;
  options.max_depth = 8;
  json::parser parser({}, options);
  json::error_code ec;
  const std::size_t used = parser.write_some(line.data(), line.size(), ec);
  if (!ec && line.find_first_not_of(" \t\r", used) != std::string_view::npos) {
    ec = json::error::extra_data;
  }
  json::value value;
  try {
    if (!ec) value = parser.release();
  } catch (const std::exception&) {
    ec = json::error::incomplete;
  }
  if (ec) {
    throw InputError("column " + std::to_string(used + 1) + ": not JSON: " + ec.message());
  }
  if (!value.is_object()) throw InputError("expected a JSON object");
  return std::move(value.get_object());
}

}  // namespace rtvp::sweep
