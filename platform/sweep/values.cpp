#include "platform/sweep/values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "platform/exit_status.hpp"

namespace rtvp::sweep {
namespace {

using platform::InputError;

std::optional<double> parseNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

[[noreturn]] void refuse(const std::string& origin, std::string_view found,
                         const std::string& expected) {
  throw InputError(origin + ": found '" + std::string(found) + "', expected " + expected);
}

void append(std::vector<std::string>& values, std::string value, const std::string& origin) {
  if (values.size() == kMaxPoints) {
    throw InputError(origin + ": more than " + std::to_string(kMaxPoints) + " values");
  }
  values.push_back(std::move(value));
}

bool isEllipsis(std::string_view item) {
  return item == "..." || item == "\u2026";
}

// Numbers A..B or A..B:STEP; false if the item is no range.
bool appendRange(std::vector<std::string>& values, std::string_view item,
                 const std::string& origin) {
  const std::size_t dots = item.find("..");
  if (dots == std::string_view::npos) return false;
  const std::size_t colon = item.find(':', dots);
  const auto from = parseNumber(item.substr(0, dots));
  const auto to = parseNumber(
      item.substr(dots + 2, colon == std::string_view::npos ? colon : colon - dots - 2));
  const auto step =
      colon == std::string_view::npos ? std::optional(1.0) : parseNumber(item.substr(colon + 1));
  if (!from || !to) return false;  // a file name may contain two dots
  if (!step || *step <= 0 || *to < *from) {
    refuse(origin, item, "A..B or A..B:STEP with A <= B and STEP > 0");
  }
  const double count = std::floor((*to - *from) / *step * (1 + 1e-12)) + 1;
  if (!(count <= static_cast<double>(kMaxPoints))) {
    throw InputError(origin + ": more than " + std::to_string(kMaxPoints) + " values");
  }
  const auto points = static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < points; ++i)
    append(values, numberText(*from + static_cast<double>(i) * *step), origin);
  return true;
}

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

// The values between the last of `head` and `last`, by one rule for all of them; nothing if none of
// the two rules fits.
std::optional<std::vector<double>> between(const std::vector<double>& head, double last) {
  const std::size_t n = head.size();
  const double difference = head[n - 1] - head[n - 2];
  const double factor = head[n - 2] == 0 ? 0 : head[n - 1] / head[n - 2];
  for (const bool multiply : {true, false}) {
    if (multiply ? !(factor > 0) || near(factor, 1) : difference == 0) continue;
    const auto next = [&](double v) { return multiply ? v * factor : v + difference; };
    bool consistent = true;
    for (std::size_t i = 0; i + 1 < n; ++i)
      consistent = consistent && near(next(head[i]), head[i + 1]);
    if (!consistent) continue;
    std::vector<double> middle;
    const bool up = next(head[n - 1]) > head[n - 1];
    double v = next(head[n - 1]);
    while (middle.size() < kMaxPoints && !near(v, last) && (up ? v < last : v > last)) {
      middle.push_back(v);
      v = next(v);
    }
    if (near(v, last)) return middle;
  }
  return std::nullopt;
}

void appendContinued(std::vector<std::string>& values, std::string_view lastItem,
                     const std::string& origin) {
  const std::string expected =
      "A,B,...,Z: at least two numbers, and one that their factor or difference leads to";
  std::vector<double> head;
  for (const std::string& v : values) {
    const auto number = parseNumber(v);
    if (!number) refuse(origin, v, expected);
    head.push_back(*number);
  }
  const auto last = parseNumber(lastItem);
  if (head.size() < 2 || !last) refuse(origin, lastItem, expected);
  const auto middle = between(head, *last);
  if (!middle) refuse(origin, lastItem, expected);
  for (const double v : *middle) append(values, numberText(v), origin);
  append(values, numberText(*last), origin);
}

}  // namespace

std::string numberText(double value) {
  std::array<char, 32> text{};
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  const auto end =
      whole
          ? std::to_chars(text.data(), text.data() + text.size(), static_cast<long long>(value)).ptr
          : std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::vector<std::string> expandValues(std::string_view text, const std::string& origin) {
  const char separator = text.find(';') == std::string_view::npos ? ',' : ';';
  std::vector<std::string_view> items;
  for (std::size_t at = 0;;) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    items.push_back(trimmed(text.substr(at, end - at)));
    if (end == text.size()) break;
    at = end + 1;
  }
  std::vector<std::string> values;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].empty()) {
      throw InputError(origin + ": found an empty value in '" + std::string(text) + "'");
    }
    if (isEllipsis(items[i])) {
      if (i + 1 == items.size()) refuse(origin, text, "a value behind the dots");
      appendContinued(values, items[++i], origin);
    } else if (!appendRange(values, items[i], origin)) {
      append(values, std::string(items[i]), origin);
    }
  }
  return values;
}

}  // namespace rtvp::sweep
