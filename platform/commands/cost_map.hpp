// `--cost-map`: what the eye rays of each pixel cost an XPHMG_RT unit, as a picture.
#pragma once

#include <vector>

#include "platform/commands/part.hpp"
#include "platform/report/image.hpp"

namespace rtvp::platform {

/// Three panels side by side: node visits, triangle tests, cycles. Each runs from black (0) over
/// blue, red and yellow to white (what one pixel in 500 exceeds).
[[nodiscard]] report::Image costMapImage(const std::vector<PartResult>& parts,
                                         const host::Crop& whole);

}  // namespace rtvp::platform
