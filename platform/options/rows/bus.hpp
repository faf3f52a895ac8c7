// Rows of the option table: what the interconnect and main memory can carry. Without limits, the
// default, everybody uses them as if alone.
#pragma once

#include <array>

#include "platform/options/option_table.hpp"

namespace rtvp::platform::rows {

using enum OptionType;

inline constexpr std::array kBusOptions = {
    OptionSpec{.key = "bus.width",
               .type = Integer,
               .unit = "bytes",
               .fallback = "0",
               .lo = 0,
               .hi = 4096,
               .help =
                   "interconnect: bytes that a clock carries; masters wait for one another; 0 = "
                   "any number, nobody waits"},
    OptionSpec{.key = "bus.clock_hz",
               .type = Number,
               .unit = "Hz",
               .fallback = "1e9",
               .lo = 1e3,
               .hi = 1e12,
               .help = "its clock, for bus.width and bus.latency"},
    OptionSpec{.key = "bus.latency",
               .type = Integer,
               .unit = "clocks",
               .fallback = "0",
               .lo = 0,
               .hi = 1e6,
               .help = "clocks after its transfer for which an access keeps its place in "
                       "bus.outstanding; adds waiting only"},
    OptionSpec{.key = "bus.outstanding",
               .type = Integer,
               .fallback = "0",
               .lo = 0,
               .hi = 65536,
               .help = "accesses under way at once; 0 = any number"},
    OptionSpec{.key = "bus.arbiter",
               .type = Choice,
               .fallback = "fifo",
               .choices = "fifo|priority|round_robin",
               .help = "who goes first: fifo = who asked first, of several at one time the lower "
                       "master; priority = the lower master; round_robin = in turn"},
    OptionSpec{.key = "dram.width",
               .type = Integer,
               .unit = "bytes",
               .fallback = "0",
               .lo = 0,
               .hi = 4096,
               .help = "main memory: bytes that a clock carries; 0 = any number, nobody waits"},
    OptionSpec{.key = "dram.clock_hz",
               .type = Number,
               .unit = "Hz",
               .fallback = "1e9",
               .lo = 1e3,
               .hi = 1e12,
               .help = "its clock, for dram.width and dram.latency"},
    OptionSpec{.key = "dram.latency",
               .type = Integer,
               .unit = "clocks",
               .fallback = "0",
               .lo = 0,
               .hi = 1e6,
               .help = "clocks after its transfer for which an access keeps its place in "
                       "dram.outstanding; adds waiting only"},
    OptionSpec{.key = "dram.outstanding",
               .type = Integer,
               .fallback = "0",
               .lo = 0,
               .hi = 65536,
               .help = "accesses under way at once; 0 = any number"},
};

}  // namespace rtvp::platform::rows
