// JSON of scene files, see json_place.hpp.
#include "platform/scene/json_place.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>
#include <cmath>

#include "platform/scene/load.hpp"

namespace rtvp::scene {

std::string JsonPlace::found() const {
  if (!there()) return "nothing";
  if (value_->is_object()) return "an object";
  if (value_->is_array()) return "an array of " + std::to_string(value_->as_array().size());
  return inQuotes(boost::json::serialize(*value_));
}

void JsonPlace::fail(std::string_view found, std::string_view expected) const {
  file().fail({}, found, expected);
}

JsonPlace JsonPlace::at(std::string_view key) const {
  std::string path = path_.empty() ? std::string(key) : path_ + '.' + std::string(key);
  if (!there()) return {*file_, nullptr, std::move(path)};
  if (!value_->is_object()) fail(found(), "an object");
  return {*file_, value_->as_object().if_contains(key), std::move(path)};
}

std::size_t JsonPlace::size() const {
  if (!there()) return 0;
  if (!value_->is_array()) fail(found(), "an array");
  return value_->as_array().size();
}

JsonPlace JsonPlace::at(std::size_t index) const {
  if (index >= size()) fail(found(), "an element " + std::to_string(index));
  return {*file_, &value_->as_array()[index], path_ + '[' + std::to_string(index) + ']'};
}

double JsonPlace::number() const {
  if (!there() || !value_->is_number()) fail(found(), "a number");
  const double value = value_->to_number<double>();
  if (!(std::abs(value) <= kMaxNumber)) fail(found(), "a finite number of at most 1e+12");
  return value;
}

std::size_t JsonPlace::index(std::size_t limit, std::string_view what) const {
  const double value = there() && value_->is_number() ? value_->to_number<double>() : -1;
  if (!(value >= 0 && value < static_cast<double>(limit)) || value != std::floor(value)) {
    fail(found(), std::string(what) + ", a whole number below " + std::to_string(limit));
  }
  return static_cast<std::size_t>(value);
}

std::string JsonPlace::text() const {
  if (!there() || !value_->is_string()) fail(found(), "a text");
  return std::string(value_->as_string());
}

bool JsonPlace::flag(bool fallback) const {
  if (!there()) return fallback;
  if (!value_->is_bool()) fail(found(), "true or false");
  return value_->as_bool();
}

std::vector<double> JsonPlace::numbers(std::size_t count) const {
  if (size() != count) fail(found(), std::to_string(count) + " numbers");
  std::vector<double> result;
  for (std::size_t k = 0; k < count; ++k) result.push_back(at(k).number());
  return result;
}

boost::json::value readSceneJson(const std::string& name, std::string_view text, std::size_t offset,
                                 bool binary) {
  boost::json::parse_options options;
  options.max_depth = 64;
  boost::json::stream_parser parser({}, options);
  boost::json::error_code error;
  const std::size_t used = parser.write_some(text.data(), text.size(), error);
  if (!error && used < text.size()) {
    if (text.find_first_not_of(" \t\r\n", used) != std::string_view::npos) {
      error = boost::json::error::extra_data;
    }
  }
  if (!error) parser.finish(error);
  if (!error) return parser.release();
  const TextFile file(name, {});
  Place place = Place::atByte(offset + used);
  if (!binary) {
    const std::string_view before = text.substr(0, used);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::size_t last = before.rfind('\n');
    place.line = static_cast<std::uint32_t>(lines) + 1;
    place.column =
        static_cast<std::uint32_t>(used - (last == std::string_view::npos ? 0 : last + 1)) + 1;
  }
  file.fail(place, "text that is no JSON (" + error.message() + ")", "one JSON value");
}

}  // namespace rtvp::scene
