// A line on the terminal that says how far a run is: eye rays done, rate, time left. Nothing where
// stderr is no terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace rtvp::platform {

class Progress {
 public:
  explicit Progress(bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done, std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;
  bool shown_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

/// The line itself, without control characters: "1234/5678 rays  21 %  345 rays/s  13 s left".
[[nodiscard]] std::string progressLine(std::uint64_t done, std::uint64_t total, double seconds);

}  // namespace rtvp::platform
