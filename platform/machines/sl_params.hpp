// What a user may set of the shading unit's surroundings beside what models/sl/params.hpp has.
#pragma once

#include <array>
#include <string>

#include "models/common/param_time.hpp"

namespace rtvp::platform {

struct SlOptions {
  sc_core::sc_time memoryLatency = sc_core::sc_time(60, sc_core::SC_NS);
  std::string shaderPath;  ///< folder; empty = none
};

inline constexpr std::array kSlParams{
    common::nanoseconds<&SlOptions::memoryLatency>(
        "sl.memory_ns", {0, 1e6}, "latency of a transfer from or to the shading unit's memory")
        .listedAfter("sl.cache_lines"),
    common::param<&SlOptions::shaderPath>(
        "sl.shader_path", "folder of surface shaders, after the scene's own and its shaders folder")
        .listedAfter("sl.word_clocks"),
};

}  // namespace rtvp::platform
