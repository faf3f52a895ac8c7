// Rows of the option table: output and host settings: not part of the configuration's hash.
#pragma once

#include <array>

#include "platform/options/option_table.hpp"

namespace rtvp::platform::rows {

using enum OptionType;

inline constexpr std::array kOutputOptions = {
    OptionSpec{.key = "output.image",
               .type = Path,
               .help = "image, .png or .ppm (default: the scene's name, .png, current folder)",
               .flag = "output",
               .letter = 'o',
               .host = true},
    OptionSpec{.key = "output.stats",
               .type = Path,
               .help = "statistics, JSON",
               .flag = "stats",
               .host = true},
    OptionSpec{.key = "output.hits",
               .type = Path,
               .help = "primary hits, CSV: x,y,prim,t,u,v",
               .flag = "hits",
               .host = true},
    OptionSpec{
        .key = "output.cost_map",
        .type = Path,
        .help = "eye rays of each pixel, engine xphmg: node visits, triangle tests, cycles; image",
        .flag = "cost-map",
        .host = true},
    OptionSpec{
        .key = "output.disagreements",
        .type = Path,
        .help = "pixels whose hits the machines of a race disagree about, with the cause, CSV",
        .flag = "disagreements",
        .host = true},
    OptionSpec{.key = "output.trace",
               .type = Path,
               .help = "signals of the machines over time: .vcd for GTKWave, .json for Perfetto",
               .flag = "trace",
               .host = true},
    OptionSpec{.key = "trace.from_us",
               .type = Number,
               .unit = "us",
               .fallback = "0",
               .lo = 0,
               .hi = 1e12,
               .help = "the trace begins at this simulated time",
               .host = true},
    OptionSpec{.key = "trace.to_us",
               .type = Number,
               .unit = "us",
               .fallback = "0",
               .lo = 0,
               .hi = 1e12,
               .help = "the trace ends at this simulated time; 0 = with the run",
               .host = true},
    OptionSpec{.key = "trace.modules",
               .type = Names,
               .fallback = "all",
               .help = "modules to trace, each with what is in it: board0.pld,board0.dsp1*",
               .host = true},
    OptionSpec{.key = "host.progress",
               .type = Flag,
               .fallback = "on",
               .help = "the progress line that a terminal gets",
               .flag = "no-progress",
               .flagValue = "off",
               .host = true},
    OptionSpec{.key = "host.output",
               .type = Choice,
               .fallback = "normal",
               .choices = "quiet|normal|verbose",
               .help = "quiet = errors only; verbose = every device step",
               .flag = "quiet",
               .letter = 'q',
               .flagValue = "quiet",
               .host = true,
               .flag2 = "verbose",
               .flag2Value = "verbose"},
};

}  // namespace rtvp::platform::rows
