// What a user may set of the shading unit's surroundings beside what models/sl/params.hpp has.
#pragma once

#include <array>

#include "models/common/param_time.hpp"

namespace rtvp::platform {

struct SlOptions {
  sc_core::sc_time memoryLatency = sc_core::sc_time(60, sc_core::SC_NS);
};

inline constexpr std::array kSlParams{
    common::nanoseconds<&SlOptions::memoryLatency>(
        "sl.memory_ns", {0, 1e6}, "latency of a transfer from or to the shading unit's memory")
        .listedAfter("sl.cache_lines"),
};

}  // namespace rtvp::platform
