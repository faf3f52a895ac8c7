#include "platform/options/json_config.hpp"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <cstdint>

#include "platform/exit_status.hpp"

namespace rtvp::platform {
namespace {

namespace json = boost::json;

// Receives the parser's events. The parser is fed line by line, so `line` is the line of the event;
// a plain boost::json::parse would know no positions.
class Flattener {
 public:
  static constexpr std::size_t max_object_size = 100000;
  static constexpr std::size_t max_array_size = 0;
  static constexpr std::size_t max_key_size = 1000;
  static constexpr std::size_t max_string_size = 100000;

  int line = 1;
  std::vector<ConfigEntry> entries;
  std::string problem;

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) {
    prefixes_.push_back(key_);
    started_ = true;
    return true;
  }
  bool on_object_end(std::size_t, json::error_code&) {
    prefixes_.pop_back();
    return true;
  }
  bool on_array_begin(json::error_code& ec) { return refuse("an array", ec); }
  bool on_array_end(std::size_t, json::error_code&) { return true; }
  bool on_key_part(json::string_view s, std::size_t, json::error_code&) {
    text_ += std::string_view(s.data(), s.size());
    return true;
  }
  bool on_key(json::string_view s, std::size_t, json::error_code&) {
    text_ += std::string_view(s.data(), s.size());
    key_ = prefixes_.back().empty() ? text_ : prefixes_.back() + '.' + text_;
    text_.clear();
    return true;
  }
  bool on_string_part(json::string_view s, std::size_t, json::error_code&) {
    text_ += std::string_view(s.data(), s.size());
    return true;
  }
  bool on_string(json::string_view s, std::size_t, json::error_code& ec) {
    text_ += std::string_view(s.data(), s.size());
    std::string value;
    value.swap(text_);
    return add(std::move(value), ec);
  }
  // Numbers keep the text the user wrote: whoever needs a number reads it exactly once.
  bool on_number_part(json::string_view s, json::error_code&) {
    text_ += std::string_view(s.data(), s.size());
    return true;
  }
  bool on_int64(std::int64_t, json::string_view s, json::error_code& ec) {
    return addNumber(s, ec);
  }
  bool on_uint64(std::uint64_t, json::string_view s, json::error_code& ec) {
    return addNumber(s, ec);
  }
  bool on_double(double, json::string_view s, json::error_code& ec) { return addNumber(s, ec); }
  bool on_bool(bool v, json::error_code& ec) { return add(v ? "on" : "off", ec); }
  bool on_null(json::error_code& ec) { return refuse("null", ec); }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  bool add(std::string value, json::error_code& ec) {
    if (!started_) return refuse("a single value", ec);
    entries.push_back({key_, std::move(value), line});
    return true;
  }
  bool addNumber(json::string_view s, json::error_code& ec) {
    text_ += std::string_view(s.data(), s.size());
    std::string value;
    value.swap(text_);
    return add(std::move(value), ec);
  }
  bool refuse(const char* what, json::error_code& ec) {
    problem = std::string("found ") + what +
              (started_ ? " as the value of '" + key_ + "', expected a number, a string, true, " +
                              "false or an object"
                        : ", expected an object");
    ec = json::error::syntax;
    return false;
  }

  bool started_ = false;
  std::string key_;
  std::string text_;
  std::vector<std::string> prefixes_;
};

[[noreturn]] void fail(const std::string& name, int line, const std::string& what) {
  throw InputError(name + ":" + std::to_string(line) + ": " + what);
}

}  // namespace

std::vector<ConfigEntry> readJsonConfig(const std::string& name, std::string_view text) {
  json::parse_options options;
  options.allow_comments = true;
  json::basic_parser<Flattener> parser(options);
  Flattener& events = parser.handler();
  json::error_code ec;
  while (!text.empty()) {
    const std::size_t end = std::min(
        text.size(), text.find('\n') == std::string_view::npos ? text.size() : text.find('\n') + 1);
    const std::string_view lineText = text.substr(0, end);
    const std::size_t used = parser.write_some(true, lineText.data(), lineText.size(), ec);
    if (ec)
      fail(name, events.line, events.problem.empty() ? "JSON: " + ec.message() : events.problem);
    if (used < lineText.size() &&
        lineText.find_first_not_of(" \t\r\n", used) != std::string_view::npos) {
      fail(name, events.line, "JSON: text after the end of the object");
    }
    text.remove_prefix(end);
    if (!text.empty()) ++events.line;
  }
  parser.write_some(false, "", 0, ec);
  if (ec)
    fail(name, events.line, events.problem.empty() ? "JSON: " + ec.message() : events.problem);
  return std::move(events.entries);
}

}  // namespace rtvp::platform
