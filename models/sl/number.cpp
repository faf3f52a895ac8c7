// See number.hpp.
#include "models/sl/number.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace rtvp::sl {

bool isDecimalFloat(std::string_view t) {
  const auto digits = [&t] {
    std::size_t n = 0;
    while (n < t.size() && t[n] >= '0' && t[n] <= '9') ++n;
    t.remove_prefix(n);
    return n;
  };
  const auto sign = [&t] {
    if (!t.empty() && (t[0] == '+' || t[0] == '-')) t.remove_prefix(1);
  };
  sign();
  std::size_t mantissa = digits();
  if (t.starts_with('.')) {
    t.remove_prefix(1);
    mantissa += digits();
  }
  if (mantissa == 0) return false;
  if (t.empty()) return true;
  if (t[0] != 'e' && t[0] != 'E') return false;
  t.remove_prefix(1);
  sign();
  return digits() > 0 && t.empty();
}

float toBinary32(std::string_view text) {
  float value = 0;
  const std::string_view unsigned_text = text.substr(text.starts_with('+') ? 1 : 0);
  const auto [end, error] =
      std::from_chars(unsigned_text.data(), unsigned_text.data() + unsigned_text.size(), value);
  if (error == std::errc() && std::isnormal(value)) return value;
  // from_chars leaves open what it does at the ends of the range.
  return std::strtof(std::string(text).c_str(), nullptr);
}

std::string shortest(float value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace rtvp::sl
