// See json_document.hpp.
#include "models/sl/tools/json_document.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "models/sl/number.hpp"

namespace rtvp::sl {
namespace {

namespace json = boost::json;
using Kind = JsonValue::Kind;

std::optional<float> special(std::string_view text) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (text == "nan") return std::numeric_limits<float>::quiet_NaN();
  if (text == "inf") return kInfinity;
  if (text == "-inf") return -kInfinity;
  return std::nullopt;
}

float finite(std::string_view text) {
  const float value = toBinary32(text);
  if (!std::isfinite(value))
    throw BadRequest(common::quotedAsIs(text) + " is beyond the largest number of 32 bits");
  return value;
}

}  // namespace

/// Builds a document's nodes, in the order of the text. The names of its functions are the
/// parser's.
struct JsonHandler {
  using Error = json::error_code;
  static constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_object_size = kAny, max_array_size = kAny, max_key_size = kAny,
                               max_string_size = kAny;

  explicit JsonHandler(JsonDocument& d) : document(d) {}

  bool on_document_begin(Error& /*e*/) { return true; }
  bool on_document_end(Error& /*e*/) { return true; }
  bool on_object_begin(Error& /*e*/) { return open(Kind::Object); }
  bool on_object_end(std::size_t /*n*/, Error& /*e*/) { return close(); }
  bool on_array_begin(Error& /*e*/) { return open(Kind::Array); }
  bool on_array_end(std::size_t n, Error& /*e*/) {
    const std::size_t at = opened.back();
    return close() && (n != 3 || pack(at));
  }
  bool on_key_part(json::string_view s, std::size_t /*n*/, Error& /*e*/) { return part(s); }
  bool on_key(json::string_view s, std::size_t /*n*/, Error& /*e*/) {
    return leaf(Kind::String, s, false);
  }
  bool on_string_part(json::string_view s, std::size_t /*n*/, Error& /*e*/) { return part(s); }
  bool on_string(json::string_view s, std::size_t /*n*/, Error& /*e*/) {
    return leaf(Kind::String, s, false);
  }
  bool on_number_part(json::string_view s, Error& /*e*/) { return part(s); }
  bool on_int64(std::int64_t /*i*/, json::string_view s, Error& /*e*/) {
    return leaf(Kind::Number, s, true);
  }
  bool on_uint64(std::uint64_t /*u*/, json::string_view s, Error& /*e*/) {
    return leaf(Kind::Number, s, true);
  }
  bool on_double(double /*d*/, json::string_view s, Error& /*e*/) {
    return leaf(Kind::Number, s, false);
  }
  bool on_bool(bool /*b*/, Error& /*e*/) { return leaf(Kind::Bool, {}, false); }
  bool on_null(Error& /*e*/) { return leaf(Kind::Null, {}, false); }
  bool on_comment_part(json::string_view /*s*/, Error& /*e*/) { return true; }
  bool on_comment(json::string_view /*s*/, Error& /*e*/) { return true; }

  bool part(json::string_view s) {
    document.text_.append(s.data(), s.size());
    return true;
  }
  [[nodiscard]] std::uint32_t textEnd() const {
    return static_cast<std::uint32_t>(document.text_.size());
  }
  bool leaf(Kind kind, json::string_view s, bool whole) {
    part(s);
    JsonDocument::Node node;
    node.kind = kind;
    node.whole = whole;
    node.text = pending;
    node.size = textEnd() - pending;
    pending = textEnd();
    document.nodes_.push_back(node);
    document.nodes_.back().end = static_cast<std::uint32_t>(document.nodes_.size());
    return true;
  }
  bool open(Kind kind) {
    opened.push_back(document.nodes_.size());
    document.nodes_.emplace_back().kind = kind;
    return true;
  }
  bool close() {
    document.nodes_[opened.back()].end = static_cast<std::uint32_t>(document.nodes_.size());
    opened.pop_back();
    return true;
  }
  /// Three numbers in a row become one node, their text is given back.
  bool pack(std::size_t at) {
    auto& nodes = document.nodes_;
    if (nodes.size() != at + 4) return true;
    Vec3 v;
    for (unsigned n = 0; n < 3; ++n) {
      const JsonDocument::Node& node = nodes[at + 1 + n];
      const std::string_view text = std::string_view(document.text_).substr(node.text, node.size);
      const std::optional<float> name = node.kind == Kind::String ? special(text) : std::nullopt;
      if (node.kind != Kind::Number && !name) return true;
      v[n] = name ? *name : finite(text);
    }
    pending = nodes[at + 1].text;
    document.text_.resize(pending);
    nodes.resize(at + 1);
    nodes[at].kind = Kind::Vector;
    nodes[at].vector = v;
    nodes[at].end = static_cast<std::uint32_t>(nodes.size());
    return true;
  }

  JsonDocument& document;
  std::vector<std::size_t> opened;
  std::uint32_t pending = 0;  ///< where the text of the value being read begins
};

JsonDocument::JsonDocument(std::string_view text) {
  json::parse_options options;
  options.max_depth = 8;
  json::basic_parser<JsonHandler> parser(options, *this);
  json::error_code error;
  const std::size_t used = parser.write_some(false, text.data(), text.size(), error);
  if (!error && used < text.size()) error = json::error::extra_data;
  if (error)
    throw BadRequest("column " + std::to_string(used + 1) + ": not JSON: " + error.message());
}

JsonValue::Kind JsonValue::kind() const {
  return document_->nodes_[at_].kind;
}
bool JsonValue::whole() const {
  return document_->nodes_[at_].whole;
}
std::string_view JsonValue::text() const {
  const JsonDocument::Node& node = document_->nodes_[at_];
  return std::string_view(document_->text_).substr(node.text, node.size);
}
const Vec3& JsonValue::vector() const {
  return document_->nodes_[at_].vector;
}

float numberOf(const JsonValue& value, std::string_view what) {
  try {
    if (value.kind() == Kind::Number) return finite(value.text());
  } catch (const BadRequest& e) {
    throw BadRequest(std::string(what) + ": " + e.what());
  }
  const std::optional<float> name =
      value.kind() == Kind::String ? special(value.text()) : std::nullopt;
  if (!name) throw BadRequest(std::string(what) + ": expected a number");
  return *name;
}

}  // namespace rtvp::sl
