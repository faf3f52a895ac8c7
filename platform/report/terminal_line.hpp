// A line on the terminal that says how far something is; nothing where standard error is none.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace rtvp::report {

class TerminalLine {
 public:
  /// `wanted`: false where the user wants no such line.
  explicit TerminalLine(bool wanted);
  /// Leaves no trace of the line.
  ~TerminalLine();
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;

  [[nodiscard]] bool shown() const { return shown_; }
  /// Whether the line is due: not more often than five times a second.
  [[nodiscard]] bool due() const;
  /// Replaces the line, cut to the width that the terminal has now.
  void show(const std::string& text);
  /// Since the line was made.
  [[nodiscard]] double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  bool shown_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

/// `text` (UTF-8) if it has at most `columns` characters, else its beginning and "...".
[[nodiscard]] std::string fitted(const std::string& text, std::size_t columns);

/// "12 s", "3 min 05 s", "2 h 10 min".
[[nodiscard]] std::string timeText(double seconds);

}  // namespace rtvp::report
