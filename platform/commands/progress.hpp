// A line on the terminal that says how far a run is: share, rays, rate, time left. Nothing where
// stderr is no terminal.
#pragma once

#include <cstdint>
#include <string>

#include "platform/report/terminal_line.hpp"

namespace rtvp::platform {

class Progress {
 public:
  explicit Progress(bool wanted) : line_(wanted) {}

  /// Rays answered, and all there will be as far as is known; the share shown never falls.
  void update(std::uint64_t done, std::uint64_t total);

 private:
  report::TerminalLine line_;
  double share_ = 0;
};

/// The line itself, without control characters: "21 %  1234 rays  345 rays/s  13 s left".
[[nodiscard]] std::string progressLine(std::uint64_t done, double share, double seconds);

}  // namespace rtvp::platform
