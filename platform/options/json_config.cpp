#include "platform/options/json_config.hpp"

#include <cstdint>
#include <system_error>

#include "models/common/core/unreadable.hpp"
#include "platform/exit_status.hpp"
#include "platform/options/json_events.hpp"

namespace rtvp::platform {
namespace {

class Flattener : public JsonReader {
 public:
  std::vector<ConfigEntry> entries;

  Fault beginObject(int /*line*/) override {
    prefixes_.push_back(key_);
    started_ = true;
    return {};
  }
  void endObject() override { prefixes_.pop_back(); }
  Fault beginArray(int /*line*/) override { return refuse("an array"); }
  void endArray() override {}
  Fault key(std::string name, int /*line*/) override {
    key_ = prefixes_.back().empty() ? std::move(name) : prefixes_.back() + '.' + name;
    return {};
  }
  Fault scalar(Scalar kind, std::string text, int line) override {
    if (kind == Scalar::Null) return refuse("null");
    if (!started_) return refuse("a single value");
    entries.push_back({key_, std::move(text), line});
    return {};
  }

 private:
  [[nodiscard]] std::string refuse(const char* what) const {
    return std::string("found ") + what +
           (started_ ? " as the value of '" + key_ + "', expected a number, a string, true, " +
                           "false or an object"
                     : ", expected an object");
  }

  bool started_ = false;
  std::string key_;
  std::vector<std::string> prefixes_;
};

std::string wording(const JsonProblem& problem) {
  switch (problem.kind) {
    case JsonProblem::Kind::Refused:
      return problem.text;
    case JsonProblem::Kind::Syntax:
      return "JSON: " + problem.text;
    case JsonProblem::Kind::Trailing:
      break;
  }
  return "JSON: text after the end of the object";
}

}  // namespace

std::vector<ConfigEntry> readJsonConfig(const std::string& name, std::string_view text) {
  Flattener events;
  if (const auto problem = readJson(text, events)) {
    throw InputError(name + ":" + std::to_string(problem->line) + ": " + wording(*problem));
  }
  return std::move(events.entries);
}

std::string readConfigText(const std::filesystem::path& file, std::string_view expected,
                           const InputReader& reader) {
  constexpr std::uintmax_t kLargest = 1U << 20U;  // a configuration is a page, not a data set
  std::error_code ec;
  const auto size = std::filesystem::file_size(file, ec);
  if (!ec && size > kLargest) {
    throw InputError(file.string() + ": found " + std::to_string(size) +
                     " bytes, expected a configuration of at most " + std::to_string(kLargest));
  }
  try {
    const std::vector<std::uint8_t> bytes = reader.read(file, kLargest);
    return {bytes.begin(), bytes.end()};
  } catch (const std::system_error&) {
    throw InputError(file.string() + ": " + common::unreadable(file, expected));
  }
}

}  // namespace rtvp::platform
