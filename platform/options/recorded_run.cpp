// See recorded_run.hpp.
#include "platform/options/recorded_run.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <exception>
#include <stdexcept>
#include <system_error>

#include "models/common/core/file_io.hpp"
#include "models/common/core/utf8.hpp"
#include "platform/exit_status.hpp"
#include "platform/inputs/input_json.hpp"

namespace rtvp::platform {
namespace {

namespace json = boost::json;

std::string textOf(const json::value& value) {
  if (value.is_string()) {
    if (auto text = common::unescapedUtf8(value.get_string())) return *std::move(text);
    throw std::runtime_error("a name has a wrong escape");
  }
  if (value.is_bool()) return value.get_bool() ? "on" : "off";
  return json::serialize(value);
}

bool hasRole(const std::vector<InputFile>& files, std::string_view role) {
  return std::any_of(files.begin(), files.end(),
                     [&](const InputFile& f) { return f.role == role; });
}

/// An option, or "KIND<number>.rest" of one: what a user can say.
bool isSetting(std::string_view key, const OptionTable& table) {
  if (table.find(key) != nullptr) return true;
  const std::size_t dot = std::min(key.find('.'), key.size());
  const std::size_t kind = key.substr(0, dot).find_last_not_of("0123456789") + 1;
  return table.find(std::string(key.substr(0, kind)) + std::string(key.substr(dot))) != nullptr;
}

void apply(const json::object& stats, const RecordedRun& run, Settings& settings) {
  const OptionTable& table = settings.table();
  const bool described = hasRole(run.inputs, "computer.file");
  for (const auto& [key, value] : stats.at("configuration").as_object()) {
    const std::string_view name(key);
    if (name == "inputs") continue;
    // A computer's description is read again, and says again where its devices are and what is
    // theirs.
    if (described && (name == "computer.machines" || !isSetting(name, table))) continue;
    settings.set(name, textOf(value), run.file);
  }
  // Paths of files that the machines read are no part of the configuration.
  for (const auto& [key, value] : stats.at("host").at("settings").as_object()) {
    const OptionSpec* const option = table.find(std::string_view(key));
    const bool output = option != nullptr && option->host && !hasRole(run.inputs, key);
    if (output || (option != nullptr && option->type != OptionType::Path)) continue;
    if (!textOf(value).empty()) settings.set(std::string_view(key), textOf(value), run.file);
  }
}

}  // namespace

void RecordedRun::checkInputs(std::span<const InputFile> now) const {
  std::string text;
  for (const std::string& difference : differences(inputs, now)) {
    text += (text.empty() ? "" : "; ") + difference;
  }
  if (!text.empty()) throw InputError(file + ": this would be another run: " + text);
}

std::optional<RecordedRun> loadRecordedRun(const std::filesystem::path& file, Settings& settings) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 28U;
  json::value root;
  try {
    const auto bytes = common::readBytes(file, kLargest);
    root = json::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  } catch (const std::exception&) {
    return std::nullopt;  // whoever reads it as a configuration says what is wrong
  }
  const json::object* const stats = root.if_object();
  if (stats == nullptr || !stats->contains("schema_version") || !stats->contains("host") ||
      !stats->contains("configuration")) {
    return std::nullopt;
  }
  RecordedRun run;
  run.file = file.string();
  try {
    const json::object& host = stats->at("host").as_object();
    run.scene = textOf(host.at("scene_file"));
    run.revision = host.at("build").at("revision").as_string();
    run.inputs = inputsFrom(stats->at("configuration").at("inputs").as_array(),
                            host.at("input_files").as_array());
    apply(*stats, run, settings);
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& e) {
    throw InputError(run.file + ": found statistics that do not say what was run (" +
                     std::string(e.what()) + "), expected those of this version");
  }
  return run;
}

}  // namespace rtvp::platform
