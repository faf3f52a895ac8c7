// The GPU's statistics tree; theia-run and the SystemC unit print the same one.
#pragma once

#include "models/common/statistics.hpp"
#include "models/theia/gpu.hpp"

namespace rtvp::theia {

/// Fills `group` with host port, texture banks and cores. Call Gpu::finish() first, so that each
/// core's clocks add up to the time of the run.
void reportGpu(const Gpu& gpu, common::StatGroup& group);

}  // namespace rtvp::theia
