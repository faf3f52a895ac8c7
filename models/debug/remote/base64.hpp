// Bytes as text (RFC 4648, section 4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rtvp::debug {

[[nodiscard]] std::string base64(const std::vector<std::uint8_t>& bytes);
/// Empty if it is none; padding is needed.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> fromBase64(std::string_view text);

}  // namespace rtvp::debug
