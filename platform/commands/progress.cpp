#include "platform/commands/progress.hpp"

#include <algorithm>
#include <cmath>

namespace rtvp::platform {

void Progress::update(std::uint64_t done, std::uint64_t total) {
  if (!line_.due()) return;
  const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
  share_ = std::clamp(share, share_, 1.0);
  line_.show(progressLine(done, share_, line_.seconds()));
}

std::string progressLine(std::uint64_t done, double share, double seconds) {
  std::string text =
      std::to_string(static_cast<int>(100 * share)) + " %  " + std::to_string(done) + " rays";
  if (done == 0 || seconds <= 0 || share <= 0) return text;
  return text + "  " + std::to_string(std::llround(static_cast<double>(done) / seconds)) +
         " rays/s  " + report::timeText(seconds * (1 - share) / share) + " left";
}

}  // namespace rtvp::platform
