// See terminal_line.hpp.
#include "platform/report/terminal_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace rtvp::report {
namespace {

constexpr std::size_t kUsualColumns = 80;

std::size_t columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualColumns;
  return size.ws_col;
}

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

}  // namespace

TerminalLine::TerminalLine(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) == 1) {}

TerminalLine::~TerminalLine() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

bool TerminalLine::due() const {
  return shown_ && (!drawn_ || Clock::now() - last_ >= std::chrono::milliseconds(200));
}

void TerminalLine::show(const std::string& text) {
  if (!shown_) return;
  drawn_ = true;
  last_ = Clock::now();
  // The last column stays free: some terminals go to the next line when it is written.
  std::fprintf(stderr, "\r\033[K%s", fitted(text, columns() - 1).c_str());
  std::fflush(stderr);
}

double TerminalLine::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

std::string fitted(const std::string& text, std::size_t columns) {
  const auto length = static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
  if (length <= columns) return text;
  constexpr std::size_t kDots = 3;
  const std::size_t kept = columns > kDots ? columns - kDots : 0;
  std::size_t at = 0;
  for (std::size_t n = 0; at < text.size(); ++at) {
    if (!continues(text[at]) && n++ == kept) break;
  }
  return text.substr(0, at) + std::string(std::min(columns, kDots), '.');
}

std::string timeText(double seconds) {
  const auto whole = std::llround(std::max(0.0, seconds));
  std::array<char, 48> text{};
  if (whole < 100) {
    std::snprintf(text.data(), text.size(), "%lld s", whole);
  } else if (whole < 6000) {
    std::snprintf(text.data(), text.size(), "%lld min %02lld s", whole / 60, whole % 60);
  } else {
    std::snprintf(text.data(), text.size(), "%lld h %02lld min", whole / 3600, whole / 60 % 60);
  }
  return text.data();
}

}  // namespace rtvp::report
