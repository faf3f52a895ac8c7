// Batch mode of c32-run.
#pragma once

#include "models/c32/timing.hpp"

namespace rtvp::c32 {

/// Answers the requests on standard input until its end; 0.
int runBatch(const CpuConfig& config);

}  // namespace rtvp::c32
