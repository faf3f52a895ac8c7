// Simulated time in messages: microseconds, whatever its size, so that times can be compared.
#pragma once

#include <cstdio>
#include <string>
#include <systemc>

namespace rtvp::host {

[[nodiscard]] inline std::string timeText(const sc_core::sc_time& time) {
  char text[48];
  std::snprintf(text, sizeof text, "%.6f us", time.to_seconds() * 1e6);
  return text;
}

}  // namespace rtvp::host
