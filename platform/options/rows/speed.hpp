// Rows of the option table: speed settings: another wall time, the same bytes.
#pragma once

#include <array>

#include "platform/options/option_table.hpp"

namespace rtvp::platform::rows {

using enum OptionType;

inline constexpr std::array kSpeedOptions = {
    OptionSpec{.key = "array.engine",
               .type = Choice,
               .fallback = "auto",
               .choices = "auto|simt|scalar",
               .help = "who simulates the DSPs: scalar = one after the other, simt = all at once "
                       "on the host's vector unit; same result",
               .host = true},
    OptionSpec{.key = "array.isa",
               .type = Choice,
               .fallback = "auto",
               .choices = "auto|avx512|avx2|sse42|scalar",
               .help = "instruction set of the host for array.engine = simt; same result",
               .host = true},
    OptionSpec{.key = "array.timing",
               .type = Choice,
               .fallback = "loose",
               .choices = "loose|strict",
               .help =
                   "strict = the simulation kernel takes part in every shared-bus word; slower, "
                   "same result",
               .flag = "timing",
               .host = true},
    OptionSpec{.key = "array.dmi",
               .type = Flag,
               .fallback = "on",
               .help = "the array reads the shared memory through a pointer (TLM direct memory "
                       "interface) instead of a transaction a word; same result",
               .host = true},
    OptionSpec{.key = "array.burst",
               .type = Integer,
               .unit = "words",
               .fallback = "16",
               .lo = 1,
               .hi = 1024,
               .help = "words in a row fetched by one transaction where array.dmi is off; same "
                       "result",
               .host = true},
    OptionSpec{.key = "array.quantum",
               .type = Integer,
               .unit = "cycles",
               .fallback = "1000000",
               .lo = 100,
               .hi = 1e9,
               .help = "how far the DSPs run without a barrier before the simulation kernel gets a "
                       "say; same result",
               .host = true},
    OptionSpec{.key = "implicit.dmi",
               .type = Flag,
               .fallback = "on",
               .help = "the implicit-surface unit reads its memory through a pointer (TLM direct "
                       "memory interface); same result",
               .host = true},
    OptionSpec{
        .key = "implicit.quantum_us",
        .type = Number,
        .unit = "us",
        .fallback = "10",
        .lo = 0,
        .hi = 1e6,
        .help = "how far the implicit-surface unit runs ahead of simulated time; same result",
        .host = true},
    OptionSpec{.key = "xphmg.dmi",
               .type = Flag,
               .fallback = "on",
               .help = "units take bytes by direct memory access; off = one b_transport an access; "
                       "same result",
               .host = true},
    OptionSpec{
        .key = "xphmg.quantum_us",
        .type = Number,
        .unit = "us",
        .fallback = "10",
        .lo = 0,
        .hi = 1e6,
        .help = "how far a unit runs ahead of time; same result, unless a program polls rings",
        .host = true},
    OptionSpec{.key = "xphmg.datapath",
               .type = Choice,
               .fallback = "vector",
               .choices = "vector|plain",
               .help = "vector = slab tests on the host's vector unit; same result",
               .host = true},
};

}  // namespace rtvp::platform::rows
