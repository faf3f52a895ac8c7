// Text for messages and listings: hexadecimal numbers and quoted input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rtvp::common {

/// `value` with as many hexadecimal digits as it needs and at least `digits`, lower case, no
/// prefix.
[[nodiscard]] std::string hex(std::uint64_t value, unsigned digits = 1);
/// The same in upper case.
[[nodiscard]] std::string hexUpper(std::uint64_t value, unsigned digits = 1);

/// As the assemblers of Texas Instruments write them: upper case and h behind.
[[nodiscard]] std::string hexH(std::uint64_t value, unsigned digits = 1);
/// As this program's reports show words and addresses: lower case and h behind.
[[nodiscard]] std::string hexLowerH(std::uint64_t value, unsigned digits = 1);
/// As C writes them: 0x in front, lower case.
[[nodiscard]] std::string hex0x(std::uint64_t value, unsigned digits = 1);

/// The low `digits` hexadecimal digits of a value, lower case: what lies above is cut off.
[[nodiscard]] std::string hexDigits(std::uint64_t value, unsigned digits);

/// Text as it may stand in HTML and SVG, also inside double quotes.
[[nodiscard]] std::string markup(std::string_view text);

/// Characters of input that a message repeats.
inline constexpr std::size_t kQuotedCharacters = 40;

/// The first kQuotedCharacters of it, ? for what is no printable ASCII character.
[[nodiscard]] std::string printable(std::string_view text);

/// Input as a message may repeat it: in quotes, printable, "..." if that is not all.
[[nodiscard]] std::string quoted(std::string_view text);
/// The same, but as it is and cut without a mark: for replies in JSON, which escapes what it must.
[[nodiscard]] std::string quotedAsIs(std::string_view text);

}  // namespace rtvp::common
