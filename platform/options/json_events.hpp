// The JSON parser of every file that a user writes, as events with the line that each was found in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rtvp::platform {

/// Receives what the text holds, in its order. Each function returns what is wrong with the event,
/// or nothing; a fault ends the reading.
class JsonReader {
 public:
  enum class Scalar : std::uint8_t { String, Number, Flag, Null };
  using Fault = std::optional<std::string>;

  JsonReader() = default;
  virtual ~JsonReader() = default;
  JsonReader(const JsonReader&) = delete;
  JsonReader& operator=(const JsonReader&) = delete;

  virtual Fault beginObject(int line) = 0;
  virtual void endObject() = 0;
  virtual Fault beginArray(int line) = 0;
  virtual void endArray() = 0;
  /// Name of the member whose value comes next.
  virtual Fault key(std::string name, int line) = 0;
  /// `text`: a string's characters, a number as it was written, "on" or "off", empty for null.
  virtual Fault scalar(Scalar kind, std::string text, int line) = 0;
};

struct JsonProblem {
  enum class Kind : std::uint8_t {
    Refused,   ///< by the reader; `text` is what it said
    Syntax,    ///< not JSON; `text` is the parser's reason
    Trailing,  ///< something follows the value
  };
  Kind kind = Kind::Syntax;
  int line = 1;  ///< 1-based
  std::string text;
};

/// Reads `text` as one JSON value; comments are allowed. Nothing if all was well.
[[nodiscard]] std::optional<JsonProblem> readJson(std::string_view text, JsonReader& reader);

}  // namespace rtvp::platform
