// The bytes of logs: numbers are seven bits a byte, the lowest first; texts have their length in
// front.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/debug/program.hpp"

namespace rtvp::debug {

class LogWriter {
 public:
  void number(std::uint64_t value) {
    while (value >= 0x80) {
      out.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    out.push_back(static_cast<char>(value));
  }
  void text(std::string_view value) {
    number(value.size());
    out += value;
  }
  std::string out;
};

/// Its functions throw std::runtime_error where the bytes end or make no sense.
class LogReader {
 public:
  explicit LogReader(std::string_view bytes) : left_(bytes) {}
  std::uint64_t number();
  std::uint32_t word() { return static_cast<std::uint32_t>(number()); }
  unsigned byte() { return static_cast<unsigned char>(take(1).front()); }
  std::string text() { return std::string(take(number())); }
  std::string_view take(std::uint64_t count);
  [[nodiscard]] bool empty() const { return left_.empty(); }
  [[nodiscard]] std::string_view left() const { return left_; }

 private:
  std::string_view left_;
};

/// Labels, files and lines.
void writeProgram(LogWriter& to, const Program& program);
[[nodiscard]] Program readProgram(LogReader& from);

}  // namespace rtvp::debug
