// Implementation of the text reader, see text.hpp.
#include "platform/scene/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include "platform/scene/load.hpp"

namespace rtvp::scene {

namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

/// Bytes that no text has.
constexpr std::array<bool, 256> kBinary = [] {
  std::array<bool, 256> binary{};
  for (unsigned byte = 0; byte < 0x20; ++byte) binary[byte] = !isBlank(static_cast<char>(byte));
  binary[0x7f] = true;
  return binary;
}();

/// True if none of eight bytes is a control character; white space is one, too.
bool allPrintable(const char* bytes) {
  constexpr std::uint64_t kEach = 0x0101010101010101, kTop = 0x80 * kEach;
  // Not 0 if a byte is below `n`, which is at most 128.
  const auto below = [](std::uint64_t word, std::uint64_t n) {
    return (word - n * kEach) & ~word & kTop;
  };
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return (below(word, 0x20) | below(word ^ 0x7f * kEach, 1)) == 0;
}

/// Where the first byte lies that no text has.
std::string::const_iterator firstBinary(const std::string& text) {
  constexpr std::ptrdiff_t kStep = sizeof(std::uint64_t);
  const auto isBinary = [](char c) { return kBinary[static_cast<unsigned char>(c)]; };
  auto at = text.begin();
  for (; text.end() - at >= kStep; at += kStep) {
    if (!allPrintable(&*at) && std::any_of(at, at + kStep, isBinary)) break;
  }
  return std::find_if(at, text.end(), isBinary);
}

[[noreturn]] void failWhole(const std::string& name, std::string_view found,
                            std::string_view expected) {
  throw SceneError(name + ": found " + std::string(found) + ", expected " + std::string(expected));
}

std::string format(double x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

// from_chars reports an underflow like an overflow; the C parser of 1996 read an underflow as zero.
bool underflows(std::string_view digits) {
  return std::abs(std::strtod(std::string(digits).c_str(), nullptr)) < 1;
}

}  // namespace

TextFile::TextFile(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {}

// Control characters never occur in a scene; finding one early turns a binary file into one clear
// message.
void TextFile::refuseBinary() const {
  const auto found = firstBinary(text_);
  if (found == text_.end()) return;
  const auto line = static_cast<std::uint32_t>(std::count(text_.begin(), found, '\n'));
  const auto start = std::find(std::make_reverse_iterator(found), text_.rend(), '\n').base();
  const auto byte = static_cast<unsigned char>(*found);
  const std::string hex{kHexDigits[byte >> 4U], kHexDigits[byte & 15U]};
  fail({line + 1, static_cast<std::uint32_t>(found - start) + 1}, "the byte " + hex + "h", "text");
}

TextFile TextFile::read(const std::filesystem::path& file, const platform::InputReader& reader) {
  TextFile result = readBinary(file, reader);
  result.refuseBinary();
  return result;
}

TextFile TextFile::readBinary(const std::filesystem::path& file,
                              const platform::InputReader& reader) {
  const std::string name = file.string();
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) failWhole(name, "no such file", "a scene file");
  if (!std::filesystem::is_regular_file(status)) {
    failWhole(name, "something that is no regular file", "a scene file");
  }
  try {
    const std::vector<std::uint8_t> bytes = reader.read(file, kMaxFileBytes);
    return {name, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())};
  } catch (const std::system_error& e) {
    if (e.code() == std::errc::file_too_large) {
      failWhole(name, "more than " + std::to_string(kMaxFileBytes) + " bytes", "a smaller file");
    }
    failWhole(name, "a file that cannot be read", "a readable scene file");
  }
}

void TextFile::fail(Place place, std::string_view found, std::string_view expected) const {
  if (place.line == 0) failWhole(name_, found, expected);
  throw SceneError(Where{this, place}.prefix() + "found " + std::string(found) + ", expected " +
                   std::string(expected));
}

std::string Where::prefix() const {
  if (place.line == 0) return file->name() + ": ";
  if (place.line == Place::kByte) {
    return file->name() + ": byte " + std::to_string(place.column) + ": ";
  }
  return file->name() + ':' + std::to_string(place.line) + ':' + std::to_string(place.column) +
         ": ";
}

std::string inQuotes(std::string_view word, std::size_t most) {
  std::string result = "'";
  for (const char c : word.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      result += "\\x";
      result += kHexDigits[byte >> 4U];
      result += kHexDigits[byte & 15U];
    } else {
      result += c;
    }
  }
  if (word.size() > most) result += "...";
  return result + '\'';
}

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

Words::Words(const TextFile& file, std::string_view part, Place start, bool comments)
    : file_(&file), part_(part), comments_(comments), place_(start) {}

void Words::skip() {
  bool comment = false;
  while (at_ < part_.size()) {
    const char c = part_[at_];
    if (comment ? c == '\n' : isBlank(c)) {
      comment = false;
    } else if (!comment && comments_ && c == '#') {
      comment = true;
    } else if (!comment) {
      return;
    }
    ++at_;
    if (c == '\n') {
      ++place_.line;
      place_.column = 1;
    } else {
      ++place_.column;
    }
  }
}

std::string_view Words::peek() {
  if (!found_) {
    skip();
    std::size_t end = at_;
    while (end < part_.size() && !isBlank(part_[end])) ++end;
    length_ = end - at_;
    found_ = true;
  }
  return part_.substr(at_, length_);
}

Place Words::place() {
  static_cast<void>(peek());
  return place_;
}

std::string_view Words::word(std::string_view expected) {
  const std::string_view result = peek();
  if (result.empty()) fail(expected);
  take(length_);
  return result;
}

void Words::take(std::size_t length) {
  at_ += length;
  place_.column += static_cast<std::uint32_t>(length);
  last_ = place_;
  found_ = false;
}

bool Words::numberFollows() {
  const std::string_view next = peek();
  return !next.empty() &&
         (next[0] == '-' || next[0] == '+' || next[0] == '.' || (next[0] >= '0' && next[0] <= '9'));
}

/// Takes a number with nothing odd about it. Invariant: it takes what takeNumber(), the plain twin,
/// would take, which looks for the word's end first and knows all errors; else nothing has
/// happened.
bool Words::takePlainNumber(double& value) {
  if (!found_) skip();
  const char* const begin = part_.data() + at_;
  const char* const end = part_.data() + part_.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc{} || (stop != end && !isBlank(*stop))) return false;
  if (!(std::abs(value) <= kMaxNumber)) return false;  // or NaN
  take(static_cast<std::size_t>(stop - begin));
  return true;
}

double Words::number(std::string_view expected) {
  double value = 0;
  return takePlainNumber(value) ? value : takeNumber(expected);
}

double Words::takeNumber(std::string_view expected) {
  std::string_view digits = peek();
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  double value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || stop != end || error == std::errc::invalid_argument) fail(expected);
  if (error == std::errc::result_out_of_range) {
    if (!underflows(digits)) fail("a finite number for " + std::string(expected));
    value = 0;
  }
  if (!std::isfinite(value)) fail("a finite number for " + std::string(expected));
  if (std::abs(value) > kMaxNumber) {
    fail("a magnitude of at most " + format(kMaxNumber) + " for " + std::string(expected));
  }
  word(expected);
  return value;
}

Vec3 Words::vector(std::string_view expected) {
  Vec3 result;
  for (int axis = 0; axis < 3; ++axis) result[axis] = number(expected);
  return result;
}

int Words::integer(std::string_view expected, int low, int high) {
  std::string_view digits = peek();
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  int value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || stop != end || error != std::errc{} || value < low || value > high) {
    fail(std::string(expected) + ", a whole number from " + std::to_string(low) + " to " +
         std::to_string(high));
  }
  word(expected);
  return value;
}

std::string_view Words::rest() {
  skip();
  std::string_view result = part_.substr(at_);
  while (!result.empty() && isBlank(result.back())) result.remove_suffix(1);
  at_ = part_.size();
  place_.column += static_cast<std::uint32_t>(result.size());
  found_ = false;
  return result;
}

void Words::expectEnd() {
  if (!atEnd()) fail("the end of the line");
}

void Words::fail(std::string_view expected) {
  const std::string_view next = peek();
  const bool line = part_.size() < file_->text().size();
  const std::string found = !next.empty() ? inQuotes(next)
                            : line        ? "the end of the line"
                                          : "the end of the file";
  file_->fail(place_, found, expected);
}

}  // namespace rtvp::scene
