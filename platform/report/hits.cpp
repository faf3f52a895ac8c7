// Hit dump writer and reader.
#include "platform/report/hits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "models/common/core/file_io.hpp"

namespace rtvp::report {
namespace {

constexpr std::uint64_t kMaxHitFileBytes = std::uint64_t{1} << 33;
constexpr int kMaxCoordinate = (1 << 28) - 1;
constexpr std::int64_t kMaxPrimitive = 0xFFFFFFFF;

template <typename Number>
void append(std::string& text, Number value) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc{}) text.append(digits.data(), end);
}

/// Walks one line field by field and knows where it stands.
class Row {
 public:
  Row(std::string_view line, std::size_t number, const std::string& name)
      : line_(line), number_(number), name_(name) {}

  template <typename Number>
  Number number(const char* what, Number lowest, Number highest) {
    const std::string_view text = field(what);
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() ||
        !(value >= lowest && value <= highest)) {
      fail(text, what);
    }
    return value;
  }

  void empty() {
    const std::string_view text = field("an empty field");
    if (!text.empty()) fail(text, "an empty field after a miss");
  }

  void end() {
    if (next_ > line_.size()) return;
    start_ = next_;
    fail(line_.substr(start_), "six fields");
  }

  [[noreturn]] void fail(std::string_view found, const char* expected) const {
    constexpr std::size_t kShown = 40;
    std::string shown;
    for (const char c : found.substr(0, kShown)) {
      shown += static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~' ? '?' : c;
    }
    throw HitError(name_ + ":" + std::to_string(number_) + ":" + std::to_string(start_ + 1) +
                   ": found '" + shown + "', expected " + expected);
  }

 private:
  std::string_view field(const char* what) {
    if (next_ > line_.size()) {
      start_ = line_.size();
      fail("end of line", what);
    }
    start_ = next_;
    const std::size_t comma = std::min(line_.find(',', start_), line_.size());
    next_ = comma + 1;
    return line_.substr(start_, comma - start_);
  }

  std::string_view line_;
  std::size_t number_;
  const std::string& name_;
  std::size_t start_ = 0;
  std::size_t next_ = 0;
};

HitRow parseRow(Row& row) {
  constexpr double kLargest = 1e300;
  HitRow hit;
  hit.x = row.number("a column", 0, kMaxCoordinate);
  hit.y = row.number("a row", 0, kMaxCoordinate);
  hit.prim = row.number<std::int64_t>("a primitive number or -1", kMiss, kMaxPrimitive);
  if (hit.prim == kMiss) {
    for (int i = 0; i < 3; ++i) row.empty();
  } else {
    hit.t = row.number("a distance", 0.0, kLargest);
    hit.u = row.number("a finite number", -kLargest, kLargest);
    hit.v = row.number("a finite number", -kLargest, kLargest);
  }
  row.end();
  return hit;
}

}  // namespace

std::string formatHits(const HitDump& hits) {
  std::string text(kHitHeader);
  text += '\n';
  for (const HitRow& hit : hits) {
    append(text, hit.x);
    text += ',';
    append(text, hit.y);
    text += ',';
    append(text, hit.prim);
    for (const double value : {hit.t, hit.u, hit.v}) {
      text += ',';
      if (hit.prim != kMiss) append(text, value);
    }
    text += '\n';
  }
  return text;
}

HitDump parseHits(std::string_view text, const std::string& name) {
  HitDump hits;
  std::size_t line = 0;
  while (!text.empty() || line == 0) {
    ++line;
    const std::size_t end = text.find('\n');
    std::string_view content = text.substr(0, end);
    if (!content.empty() && content.back() == '\r') content.remove_suffix(1);
    Row row(content, line, name);
    // A number that was cut still looks like a number; the line's end proves that it is whole.
    if (end == std::string_view::npos) row.fail(content, "a line end");
    text.remove_prefix(end + 1);
    if (line == 1) {
      if (content != kHitHeader) row.fail(content, "the header x,y,prim,t,u,v");
      continue;
    }
    const HitRow hit = parseRow(row);
    if (!hits.empty() &&
        (hit.y < hits.back().y || (hit.y == hits.back().y && hit.x <= hits.back().x))) {
      row.fail(content, "pixels in the order of y, then x, each once");
    }
    hits.push_back(hit);
  }
  return hits;
}

void writeHits(const std::filesystem::path& file, const HitDump& hits) {
  common::replaceFile(file, formatHits(hits));
}

HitDump readHits(const std::filesystem::path& file) {
  const std::vector<std::uint8_t> bytes = common::readBytes(file, kMaxHitFileBytes);
  return parseHits({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file.string());
}

}  // namespace rtvp::report
