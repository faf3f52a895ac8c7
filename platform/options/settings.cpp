#include "platform/options/settings.hpp"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <charconv>
#include <cmath>
#include <optional>

#include "models/common/core/utf8.hpp"
#include "platform/exit_status.hpp"
#include "platform/options/json_config.hpp"

namespace rtvp::platform {
namespace {

template <typename T>
std::optional<T> parseWhole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Whole numbers separated by `separator`; nothing if one is not or the count differs.
template <std::size_t N>
std::optional<std::array<int, N>> parseList(std::string_view text, char separator) {
  std::array<int, N> values{};
  for (std::size_t i = 0; i < N; ++i) {
    const std::size_t end = i + 1 < N ? text.find(separator) : text.size();
    if (end == std::string_view::npos) return std::nullopt;
    const auto value = parseWhole<int>(text.substr(0, end));
    if (!value) return std::nullopt;
    values[i] = *value;
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return values;
}

std::optional<bool> parseFlag(std::string_view text) {
  if (text == "on" || text == "true" || text == "1" || text == "yes") return true;
  if (text == "off" || text == "false" || text == "0" || text == "no") return false;
  return std::nullopt;
}

bool isChoice(std::string_view choices, std::string_view word) {
  if (word.empty()) return false;
  while (!choices.empty()) {
    const std::size_t end = std::min(choices.find('|'), choices.size());
    if (choices.substr(0, end) == word) return true;
    choices.remove_prefix(std::min(choices.size(), end + 1));
  }
  return false;
}

/// Names are there, and no comma too many.
bool isNameList(std::string_view text) {
  return !text.empty() && text.front() != ',' && text.back() != ',' &&
         text.find(",,") == std::string_view::npos && text.find(' ') == std::string_view::npos;
}

bool inside(const OptionSpec& o, double v) {
  return v >= o.lo && v <= o.hi;
}

}  // namespace

Settings::Settings(const OptionTable& table) : table_(&table) {
  for (const OptionSpec& option : table.all()) {
    values_.push_back(parse(option, option.fallback, "default"));
    origins_.emplace_back();
  }
}

Settings::Value Settings::parse(const OptionSpec& option, std::string_view text,
                                const std::string& origin) {
  switch (option.type) {
    case OptionType::Integer:
      if (const auto v = parseWhole<std::int64_t>(text);
          v && inside(option, static_cast<double>(*v))) {
        return *v;
      }
      break;
    case OptionType::Number:
      if (const auto v = parseWhole<double>(text); v && std::isfinite(*v) && inside(option, *v)) {
        return *v;
      }
      break;
    case OptionType::Flag:
      if (const auto v = parseFlag(text)) return *v;
      break;
    case OptionType::Choice:
      if (isChoice(option.choices, text)) return std::string(text);
      break;
    case OptionType::Path:
    case OptionType::Text:
      return std::string(text);
    case OptionType::Names:
      if (isNameList(text)) return std::string(text);
      break;
    case OptionType::Size:
      if (text == "scene") return PictureSize{};
      if (const auto v = parseList<2>(text, 'x');
          v && inside(option, (*v)[0]) && inside(option, (*v)[1])) {
        return PictureSize{(*v)[0], (*v)[1]};
      }
      break;
    case OptionType::Crop:
      if (text == "all") return CropBox{};
      if (const auto v = parseList<4>(text, ',');
          v && inside(option, (*v)[0]) && inside(option, (*v)[1]) && (*v)[2] >= 1 && (*v)[3] >= 1 &&
          inside(option, (*v)[2]) && inside(option, (*v)[3])) {
        return CropBox{(*v)[0], (*v)[1], (*v)[2], (*v)[3]};
      }
      break;
  }
  std::string hint;
  if (!option.oldWord.empty() && text == option.oldWord) {
    hint = "; what was '" + std::string(text) + "' is '" + std::string(option.newWord) + "' now";
  }
  throw InputError(origin + ": " + std::string(option.key) + ": found '" + std::string(text) +
                   "', expected " + acceptedValues(option) + hint);
}

std::size_t Settings::indexOf(const OptionSpec& option) const {
  return static_cast<std::size_t>(&option - table_->all().data());
}

void Settings::set(std::string_view key, std::string_view text, const std::string& origin) {
  const OptionSpec* const option = table_->find(key);
  if (option == nullptr) {
    if (setOwn(key, text, origin)) return;
    throw InputError(origin + ": unknown key '" + std::string(key) + "', the nearest is '" +
                     std::string(table_->nearest(key)) + "' (`platform params` lists all)");
  }
  values_[indexOf(*option)] = parse(*option, text, origin);
  origins_[indexOf(*option)] = origin;
}

void Settings::setUnlessSaid(std::string_view key, std::string_view text,
                             const std::string& origin) {
  Settings given = *this;
  given.set(key, text, origin);
  const OptionSpec* const option = table_->find(key);
  if (option == nullptr || said(key)) return;
  given.origins_[indexOf(*option)].clear();
  *this = std::move(given);
}

/// "KIND<number>.rest" where "KIND.rest" is an option.
bool Settings::setOwn(std::string_view key, std::string_view text, const std::string& origin) {
  const std::size_t dot = std::min(key.find('.'), key.size());
  const std::size_t digits = key.substr(0, dot).find_last_not_of("0123456789") + 1;
  if (digits == 0 || digits == dot || dot == key.size()) return false;
  std::string general(key.substr(0, digits));
  general += key.substr(dot);
  const OptionSpec* const option = table_->find(general);
  if (option == nullptr || option->host) return false;
  (void)parse(*option, text, origin);
  own_.push_back({std::string(key.substr(0, dot)), std::move(general), std::string(text), origin});
  return true;
}

Settings Settings::of(std::string_view instance) const {
  Settings settings = *this;
  settings.own_.clear();
  for (const Own& own : own_) {
    if (own.instance == instance) settings.set(own.key, own.text, own.origin);
  }
  return settings;
}

std::vector<std::pair<std::string, std::string>> Settings::instances() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Own& own : own_) all.emplace_back(own.instance, own.origin);
  return all;
}

const std::string& Settings::origin(std::string_view key) const {
  const OptionSpec* const option = table_->find(key);
  if (option == nullptr) throw std::logic_error("no option " + std::string(key));
  return origins_[indexOf(*option)];
}

void Settings::assign(std::string_view assignment, const std::string& origin) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw InputError(origin + ": found '" + std::string(assignment) + "', expected key=value");
  }
  set(assignment.substr(0, equals), assignment.substr(equals + 1), origin);
}

void Settings::load(const std::filesystem::path& name) {
  const std::filesystem::path file = name == "-" ? "/dev/stdin" : name;
  for (const ConfigEntry& entry :
       readJsonConfig(file.string(), readConfigText(file, "a configuration", {nullptr, ""}))) {
    set(entry.key, entry.value, file.string() + ":" + std::to_string(entry.line));
  }
}

const Settings::Value& Settings::valueOf(std::string_view key) const {
  const OptionSpec* const option = table_->find(key);
  if (option == nullptr) throw std::logic_error("no option '" + std::string(key) + "'");
  return values_[indexOf(*option)];
}

void Settings::fill(std::span<const common::Param> table, const void* root, void* config) const {
  bool any = false;
  for (const common::Param& param : table) {
    if (param.root != root) continue;
    param.assign(config, valueOf(param.key));
    any = true;
  }
  if (!any) throw std::logic_error("a table of parameters without one of the struct to fill");
}

template <typename T>
const T& Settings::get(std::string_view key) const {
  const T* const typed = std::get_if<T>(&valueOf(key));
  if (typed == nullptr)
    throw std::logic_error("option '" + std::string(key) + "' has another type");
  return *typed;
}

std::int64_t Settings::integer(std::string_view key) const {
  return get<std::int64_t>(key);
}
double Settings::number(std::string_view key) const {
  return get<double>(key);
}
bool Settings::flag(std::string_view key) const {
  return get<bool>(key);
}
const std::string& Settings::text(std::string_view key) const {
  return get<std::string>(key);
}
PictureSize Settings::size(std::string_view key) const {
  return get<PictureSize>(key);
}
CropBox Settings::crop(std::string_view key) const {
  return get<CropBox>(key);
}

boost::json::object Settings::effective(bool host) const {
  struct ToJson {
    boost::json::value operator()(std::int64_t v) const { return v; }
    boost::json::value operator()(double v) const { return v; }
    boost::json::value operator()(bool v) const { return v; }
    boost::json::value operator()(const std::string& v) const {
      return boost::json::string(common::escapedUtf8(v));
    }
    boost::json::value operator()(const PictureSize& v) const {
      return boost::json::string(sizeText(v));
    }
    boost::json::value operator()(const CropBox& v) const {
      return boost::json::string(cropText(v));
    }
  };
  const std::span<const OptionSpec> table = table_->all();
  boost::json::object object(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    // A path says where a file lies, not what stands in it: that is among a run's inputs.
    const bool place = table[i].host || table[i].type == OptionType::Path;
    if (place != host) continue;
    object.emplace(std::string(table[i].key), std::visit(ToJson{}, values_[i]));
  }
  for (const Own& own : own_) {
    const OptionSpec& option = *table_->find(own.key);
    if ((option.type == OptionType::Path) != host) continue;
    object[own.instance + own.key.substr(own.key.find('.'))] =
        std::visit(ToJson{}, parse(option, own.text, own.origin));
  }
  return object;
}

std::string Settings::hash(const boost::json::object& configuration) {
  const std::string text = boost::json::serialize(configuration);
  const boost::uuids::name_generator_sha1 generator(boost::uuids::ns::oid());
  return boost::uuids::to_string(generator(text));
}

}  // namespace rtvp::platform
