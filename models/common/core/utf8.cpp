// See utf8.hpp.
#include "models/common/core/utf8.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "models/common/core/text.hpp"

namespace rtvp::common {
namespace {

/// Bytes of the character that `text` begins with; 0 if it begins with none (RFC 3629 section 4).
std::size_t characterBytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (size == 0 || first > 0xF4 || text.size() < size) return 0;
  // Neither a longer form of a smaller number, nor half of a UTF-16 pair, nor beyond U+10FFFF.
  const std::uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const std::uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < size; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return size;
}

}  // namespace

std::string escapedUtf8(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t size = characterBytes(bytes);
    if (size != 0) {
      text += bytes.substr(0, size);
    } else {
      text += '\0' + hexDigits(static_cast<std::uint8_t>(bytes.front()), 2);
    }
    bytes.remove_prefix(size == 0 ? 1 : size);
  }
  return text;
}

std::optional<std::string> unescapedUtf8(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    bytes += text.substr(0, end);
    text.remove_prefix(end);
    if (text.empty()) break;
    if (text.size() < 3) return std::nullopt;
    std::uint8_t byte = 0;
    const char* const last = text.data() + 3;
    const auto [used, error] = std::from_chars(text.data() + 1, last, byte, 16);
    if (error != std::errc{} || used != last) return std::nullopt;
    bytes += static_cast<char>(byte);
    text.remove_prefix(3);
  }
  return bytes;
}

}  // namespace rtvp::common
