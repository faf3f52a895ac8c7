// What a user may set of the implicit-surface unit.
#pragma once

#include <array>

#include "models/common/param_time.hpp"
#include "models/implicit/unit/implicit_unit.hpp"

namespace rtvp::implicit::unit {

inline constexpr std::array kUnitParams{
    common::clockParam<&ImplicitUnitConfig::period>("implicit.clock_hz", {1e6, 1e10},
                                                    "clock of the unit"),
    common::param<&ImplicitUnitConfig::timing, &Timing::cores>("implicit.cores", "cores", {1, 64},
                                                               "cores, each runs one warp"),
    common::param<&ImplicitUnitConfig::timing, &Timing::lanes>("implicit.lanes", "lanes", {1, 32},
                                                               "cells, pixels or rays of a warp"),
    common::param<&ImplicitUnitConfig::timing, &Timing::opcodes, &CacheConfig::lines>(
        "implicit.opcode_lines", "lines of 16 bytes", {0, 65536},
        "a core's cache of opcode lines: 0 or a power of two of at least 4"),
    common::param<&ImplicitUnitConfig::timing, &Timing::constants, &CacheConfig::lines>(
        "implicit.constant_lines", "lines of 16 bytes", {0, 65536},
        "a core's cache of constants and dependency entries: 0 or a power of two"),
    common::param<&ImplicitUnitConfig::timing, &Timing::leaves, &CacheConfig::lines>(
        "implicit.leaf_lines", "lines of 64 bytes", {0, 65536},
        "a core's cache of masks and leaf programs: 0 or a power of two"),
    common::param<&ImplicitUnitConfig::timing, &Timing::cycles, common::Element<0>{}>(
        "implicit.cycles.simple", "clocks", {0, 1000},
        "a warp's add, min, max, compare, abs, round, copy"),
    common::param<&ImplicitUnitConfig::timing, &Timing::cycles, common::Element<1>{}>(
        "implicit.cycles.mul", "clocks", {0, 1000}, "multiply"),
    common::param<&ImplicitUnitConfig::timing, &Timing::cycles, common::Element<2>{}>(
        "implicit.cycles.fma", "clocks", {0, 1000}, "multiply and add"),
    common::param<&ImplicitUnitConfig::timing, &Timing::cycles, common::Element<3>{}>(
        "implicit.cycles.div", "clocks", {0, 1000}, "divide"),
    common::param<&ImplicitUnitConfig::timing, &Timing::cycles, common::Element<4>{}>(
        "implicit.cycles.root", "clocks", {0, 1000}, "square root"),
    common::param<&ImplicitUnitConfig::timing, &Timing::cycles, common::Element<5>{}>(
        "implicit.cycles.transcendental", "clocks", {0, 1000},
        "exp2, log2, sin, atan and the like"),
    common::param<&ImplicitUnitConfig::timing, &Timing::interval, common::Element<0>{}>(
        "implicit.interval.simple", "times", {1, 100},
        "an interval run's cost over implicit.cycles.simple; the others alike"),
    common::param<&ImplicitUnitConfig::timing, &Timing::interval, common::Element<1>{}>(
        "implicit.interval.mul", "times", {1, 100}, "four products"),
    common::param<&ImplicitUnitConfig::timing, &Timing::interval, common::Element<2>{}>(
        "implicit.interval.fma", "times", {1, 100}, "four products"),
    common::param<&ImplicitUnitConfig::timing, &Timing::interval, common::Element<3>{}>(
        "implicit.interval.div", "times", {1, 100}, "four quotients"),
    common::param<&ImplicitUnitConfig::timing, &Timing::interval, common::Element<4>{}>(
        "implicit.interval.root", "times", {1, 100}, "both ends"),
    common::param<&ImplicitUnitConfig::timing, &Timing::interval, common::Element<5>{}>(
        "implicit.interval.transcendental", "times", {1, 100}, "both ends"),
    common::param<&ImplicitUnitConfig::timing, &Timing::gradient, common::Element<0>{}>(
        "implicit.gradient.simple", "times", {1, 100},
        "a run with derivatives: its cost over implicit.cycles.simple; the others alike"),
    common::param<&ImplicitUnitConfig::timing, &Timing::gradient, common::Element<1>{}>(
        "implicit.gradient.mul", "times", {1, 100},
        "four products by a constant, seven of two variables"),
    common::param<&ImplicitUnitConfig::timing, &Timing::gradient, common::Element<2>{}>(
        "implicit.gradient.fma", "times", {1, 100}, "the same"),
    common::param<&ImplicitUnitConfig::timing, &Timing::gradient, common::Element<3>{}>(
        "implicit.gradient.div", "times", {1, 100}, "one quotient, products and sums"),
    common::param<&ImplicitUnitConfig::timing, &Timing::gradient, common::Element<4>{}>(
        "implicit.gradient.root", "times", {1, 100}, "the root, a quotient, three products"),
    common::param<&ImplicitUnitConfig::timing, &Timing::gradient, common::Element<5>{}>(
        "implicit.gradient.transcendental", "times", {1, 100},
        "the function, its derivative, three products"),
    common::param<&ImplicitUnitConfig::timing, &Timing::slope_passes>(
        "implicit.slope_passes", "times", {1, 100},
        "a run of the slope stage, ranges of f and of three derivatives: its cost over an interval "
        "run's"),
    common::param<&ImplicitUnitConfig::timing, &Timing::decode>(
        "implicit.decode_cycles", "clocks", {0, 1000},
        "decoding an executed instruction or clause"),
    common::param<&ImplicitUnitConfig::timing, &Timing::skipped>(
        "implicit.skip_cycles", "clocks", {0, 1000},
        "a skipped instruction: its mask bit is tested"),
    common::param<&ImplicitUnitConfig::timing, &Timing::constant_advance>(
        "implicit.constant_cycles", "clocks", {0, 1000},
        "each constant that a skipped instruction passes by"),
    common::param<&ImplicitUnitConfig::timing, &Timing::prune>(
        "implicit.prune_cycles", "clocks", {0, 1000},
        "an instruction in the backward pass of pruning"),
    common::param<&ImplicitUnitConfig::timing, &Timing::warp_start>(
        "implicit.warp_cycles", "clocks", {0, 1000}, "a warp begins"),
    common::param<&ImplicitUnitConfig::timing, &Timing::step>(
        "implicit.step_cycles", "clocks", {0, 1000},
        "a trace step besides f: compare, advance, next point"),
    common::param<&ImplicitUnitConfig::timing, &Timing::resolve>(
        "implicit.resolve_cycles", "clocks", {0, 10'000},
        "a hit's material: 16 words of up to four materials"),
    common::param<&ImplicitUnitConfig::timing, &Timing::face_setup>(
        "implicit.face_cycles", "clocks", {0, 1000}, "the rasteriser sets up a face of a cuboid"),
    common::param<&ImplicitUnitConfig::timing, &Timing::raster_rate>(
        "implicit.raster_rate", "fragments/clock", {0, 100'000},
        "of the rasteriser; 0: it takes no time"),
    common::param<&ImplicitUnitConfig::timing, &Timing::job_start>("implicit.job_cycles", "clocks",
                                                                   {0, 100'000}, "a job begins"),
    common::param<&ImplicitUnitConfig::timing, &Timing::port_bytes>(
        "implicit.port_bytes", "bytes/clock", {0, 4096},
        "memory port; 0: a transfer takes the memory's latency only"),
};

/// Speed settings: another wall time, the same bytes.
inline constexpr std::array kUnitSpeedParams{
    common::param<&ImplicitUnitConfig::dmi>("implicit.dmi",
                                            "the implicit-surface unit reads its memory through a "
                                            "pointer (TLM direct memory interface); same result")
        .ofHost(),
    common::microseconds<&ImplicitUnitConfig::quantum>(
        "implicit.quantum_us", {0, 1e6},
        "how far the implicit-surface unit runs ahead of simulated time; same result")
        .ofHost(),
};

}  // namespace rtvp::implicit::unit
