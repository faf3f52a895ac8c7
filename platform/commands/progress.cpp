#include "platform/commands/progress.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <sstream>

namespace rtvp::platform {

Progress::Progress(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::update(std::uint64_t done, std::uint64_t total) {
  if (!shown_) return;
  const auto now = Clock::now();
  if (drawn_ && now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::fprintf(stderr, "\r\033[K%s", progressLine(done, total, seconds).c_str());
  std::fflush(stderr);
}

std::string progressLine(std::uint64_t done, std::uint64_t total, double seconds) {
  std::ostringstream text;
  const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  text << done << "/" << total << " rays  " << static_cast<int>(100 * share) << " %";
  if (rate > 0) {
    text << "  " << std::llround(rate) << " rays/s  "
         << std::llround(static_cast<double>(total - done) / rate) << " s left";
  }
  return text.str();
}

}  // namespace rtvp::platform
