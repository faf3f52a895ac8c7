// Rows of the option table: the SL shading unit.
#pragma once

#include <array>

#include "platform/options/option_table.hpp"

namespace rtvp::platform::rows {

using enum OptionType;

inline constexpr std::array kSlOptions = {
    OptionSpec{.key = "sl.pipelines",
               .type = Integer,
               .unit = "pipelines",
               .fallback = "4",
               .lo = 1,
               .hi = 64,
               .help = "programs that run at the same time in the shading unit"},
    OptionSpec{.key = "sl.clock_hz",
               .type = Number,
               .unit = "Hz",
               .fallback = "100e6",
               .lo = 1e3,
               .hi = 1e10,
               .help = "clock of the shading unit"},
    OptionSpec{.key = "sl.program_words",
               .type = Integer,
               .unit = "instructions",
               .fallback = "4096",
               .lo = 1,
               .hi = 8192,
               .help = "program store of the shading unit"},
    OptionSpec{.key = "sl.cache_lines",
               .type = Integer,
               .unit = "lines of 8 texels",
               .fallback = "256",
               .lo = 0,
               .hi = 65536,
               .help = "texture cache of the shading unit; 0 = every texel is a bus transfer"},
    OptionSpec{.key = "sl.memory_ns",
               .type = Number,
               .unit = "ns",
               .fallback = "60",
               .lo = 0,
               .hi = 1e6,
               .help = "latency of a transfer from or to the shading unit's memory"},
    OptionSpec{.key = "sl.word_clocks",
               .type = Integer,
               .unit = "clocks",
               .fallback = "1",
               .lo = 0,
               .hi = 1000,
               .help = "each word of such a transfer"},
    OptionSpec{.key = "sl.shader_path",
               .type = Path,
               .help = "folder of surface shaders, after the scene's own and its shaders folder"},
};

}  // namespace rtvp::platform::rows
