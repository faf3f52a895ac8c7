// Names of files are bytes, texts in JSON are UTF-8: how the ones become the others and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rtvp::common {

/// The same text if it is UTF-8 (RFC 3629). Of what is not, each byte becomes U+0000, which no name
/// holds, and two lower-case hexadecimal digits (in JSON, the escape of 0000 and e9).
[[nodiscard]] std::string escapedUtf8(std::string_view bytes);

/// The bytes back; nothing if something else follows U+0000.
[[nodiscard]] std::optional<std::string> unescapedUtf8(std::string_view text);

}  // namespace rtvp::common
