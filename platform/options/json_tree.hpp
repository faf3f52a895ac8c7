// A JSON text as a tree that knows its lines, for files with a schema of their own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rtvp::platform {

struct JsonNode {
  enum class Kind : std::uint8_t { Object, Array, String, Number, Flag, Null };

  Kind kind = Kind::Null;
  int line = 1;                    ///< 1-based, where the value begins
  std::string key;                 ///< name of the member; empty in an array and at the top
  std::string text;                ///< as JsonReader::scalar has it
  std::vector<JsonNode> children;  ///< in the order of the text

  /// The member of this name, or null.
  [[nodiscard]] const JsonNode* find(std::string_view name) const;
  /// What messages call this value: "an object", "the number 3", "the text 'x'".
  [[nodiscard]] std::string describe() const;
};

/// Throws InputError "name:line: found ..., expected ..." for anything but one JSON value without
/// two members of one name in an object, nested at most 8 deep. `what`: what the value is, for
/// messages.
[[nodiscard]] JsonNode readJsonTree(const std::string& name, std::string_view text,
                                    const std::string& what);

/// Throws InputError "name:line: found `found`, expected `expected`".
[[noreturn]] void refuseAt(const std::string& name, int line, const std::string& found,
                           const std::string& expected);

}  // namespace rtvp::platform
