#include "platform/options/json_events.hpp"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>

#include "models/common/core/utf8.hpp"

namespace rtvp::platform {
namespace {

namespace json = boost::json;

// Puts the parser's pieces together. The parser is fed line by line, so `line` is the line of the
// event; a plain boost::json::parse would know no positions.
class Handler {
 public:
  static constexpr std::size_t max_object_size = 100000;
  static constexpr std::size_t max_array_size = 100000;
  static constexpr std::size_t max_key_size = 1000;
  static constexpr std::size_t max_string_size = 100000;

  explicit Handler(JsonReader& reader) : reader_(&reader) {}

  int line = 1;
  JsonReader::Fault fault;

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code& ec) { return check(reader_->beginObject(line), ec); }
  bool on_object_end(std::size_t, json::error_code&) {
    reader_->endObject();
    return true;
  }
  bool on_array_begin(json::error_code& ec) { return check(reader_->beginArray(line), ec); }
  bool on_array_end(std::size_t, json::error_code&) {
    reader_->endArray();
    return true;
  }
  bool on_key_part(json::string_view s, std::size_t, json::error_code&) { return append(s); }
  bool on_key(json::string_view s, std::size_t, json::error_code& ec) {
    return check(reader_->key(take(s), line), ec);
  }
  bool on_string_part(json::string_view s, std::size_t, json::error_code&) { return append(s); }
  bool on_string(json::string_view s, std::size_t, json::error_code& ec) {
    auto text = common::unescapedUtf8(take(s));
    if (!text) {
      return check(
          "found \\u0000 without two hexadecimal digits behind it, expected the byte of a "
          "name that is no UTF-8",
          ec);
    }
    return add(JsonReader::Scalar::String, *std::move(text), ec);
  }
  // Numbers keep the text the user wrote: whoever needs a number reads it exactly once.
  bool on_number_part(json::string_view s, json::error_code&) { return append(s); }
  bool on_int64(std::int64_t, json::string_view s, json::error_code& ec) {
    return add(JsonReader::Scalar::Number, take(s), ec);
  }
  bool on_uint64(std::uint64_t, json::string_view s, json::error_code& ec) {
    return add(JsonReader::Scalar::Number, take(s), ec);
  }
  bool on_double(double, json::string_view s, json::error_code& ec) {
    return add(JsonReader::Scalar::Number, take(s), ec);
  }
  bool on_bool(bool v, json::error_code& ec) {
    return add(JsonReader::Scalar::Flag, v ? "on" : "off", ec);
  }
  bool on_null(json::error_code& ec) { return add(JsonReader::Scalar::Null, {}, ec); }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  bool append(json::string_view s) {
    text_ += std::string_view(s.data(), s.size());
    return true;
  }
  std::string take(json::string_view last) {
    append(last);
    std::string whole;
    whole.swap(text_);
    return whole;
  }
  bool add(JsonReader::Scalar kind, std::string text, json::error_code& ec) {
    return check(reader_->scalar(kind, std::move(text), line), ec);
  }
  bool check(JsonReader::Fault found, json::error_code& ec) {
    if (!found) return true;
    fault = std::move(found);
    ec = json::error::syntax;
    return false;
  }

  JsonReader* reader_;
  std::string text_;
};

JsonProblem problemOf(const Handler& events, const json::error_code& ec) {
  if (events.fault) return {JsonProblem::Kind::Refused, events.line, *events.fault};
  return {JsonProblem::Kind::Syntax, events.line, ec.message()};
}

}  // namespace

std::optional<JsonProblem> readJson(std::string_view text, JsonReader& reader) {
  json::parse_options options;
  options.allow_comments = true;
  json::basic_parser<Handler> parser(options, reader);
  Handler& events = parser.handler();
  json::error_code ec;
  while (!text.empty()) {
    const std::size_t end = std::min(
        text.size(), text.find('\n') == std::string_view::npos ? text.size() : text.find('\n') + 1);
    const std::string_view lineText = text.substr(0, end);
    const std::size_t used = parser.write_some(true, lineText.data(), lineText.size(), ec);
    if (ec) return problemOf(events, ec);
    if (used < lineText.size() &&
        lineText.find_first_not_of(" \t\r\n", used) != std::string_view::npos) {
      return JsonProblem{JsonProblem::Kind::Trailing, events.line, {}};
    }
    text.remove_prefix(end);
    if (!text.empty()) ++events.line;
  }
  parser.write_some(false, "", 0, ec);
  if (ec) return problemOf(events, ec);
  return std::nullopt;
}

}  // namespace rtvp::platform
