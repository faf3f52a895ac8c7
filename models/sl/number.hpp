// Decimal text to binary32 and back, rounded once.
#pragma once

#include <string>
#include <string_view>

namespace rtvp::sl {

/// Whether the text is a decimal floating constant as C writes it, without suffix: 1, "5.", ".5",
/// "+2", 1E3, "-.5e-3".
bool isDecimalFloat(std::string_view text);
/// Its value, rounded once to binary32: subnormals and 0 for small ones, an infinity beyond the
/// largest. `text` must be a decimal constant.
float toBinary32(std::string_view text);
/// The shortest decimal that reads back to the same value; "nan", "inf", "-inf".
std::string shortest(float value);

}  // namespace rtvp::sl
