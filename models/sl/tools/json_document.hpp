// JSON with numbers as they were written: a decimal must be rounded once, straight to binary32,
// which a parser that makes doubles first cannot do. Rows of three numbers are kept as vectors, so
// that large textures stay small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/tool/json_lines.hpp"
#include "models/sl/registers.hpp"

namespace rtvp::sl {

using tool::BadRequest;

class JsonDocument;

/// A value in a document; a view.
class JsonValue {
 public:
  enum class Kind : std::uint8_t { Null, Bool, Number, String, Vector, Array, Object };

  [[nodiscard]] Kind kind() const;
  /// Number: as written; String: decoded.
  [[nodiscard]] std::string_view text() const;
  /// Number: no fraction and no exponent.
  [[nodiscard]] bool whole() const;
  /// An array of exactly three numbers.
  [[nodiscard]] const Vec3& vector() const;
  /// Calls `f(value)` for each element of an array that is no vector.
  template <typename F>
  void elements(const F& f) const;
  /// Calls `f(key, value)` for each member of an object, in the order of the text.
  template <typename F>
  void members(const F& f) const;

 private:
  friend class JsonDocument;
  JsonValue(const JsonDocument& document, std::size_t at) : document_(&document), at_(at) {}
  const JsonDocument* document_;
  std::size_t at_;
};

class JsonDocument {
 public:
  /// Throws BadRequest. Numbers of a vector may be written "nan", "inf", "-inf"; one beyond
  /// binary32 is an error.
  explicit JsonDocument(std::string_view text);

  [[nodiscard]] JsonValue root() const { return {*this, 0}; }

 private:
  friend class JsonValue;
  friend struct JsonHandler;
  struct Node {
    JsonValue::Kind kind = JsonValue::Kind::Null;
    bool whole = false;
    std::uint32_t end = 0;   ///< node behind this one and all it holds
    std::uint32_t text = 0;  ///< String and Number: place and length in text_
    std::uint32_t size = 0;
    Vec3 vector{};
  };
  std::vector<Node> nodes_;
  std::string text_;
};

/// The number of a Number, or of the strings that stand for what JSON cannot say. Throws
/// BadRequest; `what` names the place.
float numberOf(const JsonValue& value, std::string_view what);

template <typename F>
void JsonValue::elements(const F& f) const {
  const auto& nodes = document_->nodes_;
  for (std::size_t n = at_ + 1; n < nodes[at_].end; n = nodes[n].end) f(JsonValue(*document_, n));
}
template <typename F>
void JsonValue::members(const F& f) const {
  const auto& nodes = document_->nodes_;
  for (std::size_t n = at_ + 1; n < nodes[at_].end;) {
    const JsonValue key(*document_, n), value(*document_, nodes[n].end);
    f(key.text(), value);
    n = nodes[value.at_].end;
  }
}

}  // namespace rtvp::sl
