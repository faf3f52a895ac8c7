// What a user may set of an XPHMG_RT unit.
#pragma once

#include <array>

#include "models/common/param_time.hpp"
#include "models/xphmg/unit.hpp"

namespace rtvp::xphmg {

inline constexpr std::array kTierNames{common::Named<bool>{"t2", true},
                                       common::Named<bool>{"t3", false}};
inline constexpr std::array kFaultNames{common::Named<bool>{"none", false},
                                        common::Named<bool>{"tri", true}};

inline constexpr std::array kUnitParams{
    common::clockParam<&UnitConfig::period>("xphmg.clock_hz", {1e6, 1e10}, "clock of the units"),
    common::param<&UnitConfig::lmemKib>("xphmg.lmem_kib", "KiB", {0, 4096},
                                        "LMEM, read buffer of a unit: 0 or a power of two"),
    common::param<&UnitConfig::queueDepth>("xphmg.queue_depth", "jobs", {1, 4096},
                                           "places of the offload queue"),
    common::choice<kTierNames, &UnitConfig::timing, &UnitTiming::memoryIsT2>(
        "xphmg.memory_tier", "tier that this memory answers as"),
    common::param<&UnitConfig::timing, &UnitTiming::bboxCycles>(
        "xphmg.bbox_cycles", "cycles", {1, 10000}, "a node in the box pipeline"),
    common::param<&UnitConfig::timing, &UnitTiming::triCycles>(
        "xphmg.tri_cycles", "cycles", {0, 10000}, "latency of the triangle pipeline"),
    common::param<&UnitConfig::timing, &UnitTiming::t0>("xphmg.t0_cycles", "cycles", {0, 10000},
                                                        "tier T0: a posted write"),
    common::param<&UnitConfig::timing, &UnitTiming::t1>("xphmg.t1_cycles", "cycles", {0, 10000},
                                                        "tier T1: LMEM or LDS"),
    common::param<&UnitConfig::timing, &UnitTiming::t2>("xphmg.t2_cycles", "cycles", {0, 10000},
                                                        "tier T2"),
    common::param<&UnitConfig::timing, &UnitTiming::t3>("xphmg.t3_cycles", "cycles", {0, 10000},
                                                        "tier T3"),
    common::param<&UnitConfig::timing, &UnitTiming::descriptor>("xphmg.descriptor_cycles", "cycles",
                                                                {0, 10000}, "descriptor fetch"),
    common::param<&UnitConfig::timing, &UnitTiming::doorbell>(
        "xphmg.doorbell_cycles", "cycles", {0, 10000}, "doorbell to the start of the job"),
    common::choice<kFaultNames, &UnitConfig::features, &UnitFeatures::triangleFault>(
        "xphmg.fault", "tri = RT.TRI always misses: shows that nobody else finds hits"),
};

inline constexpr std::array kDatapathNames{common::Named<bool>{"vector", false},
                                           common::Named<bool>{"plain", true}};

/// Speed settings: another wall time, the same bytes.
inline constexpr std::array kUnitSpeedParams{
    common::param<&UnitConfig::dmi>(
        "xphmg.dmi",
        "units take bytes by direct memory access; off = one b_transport an access; same result")
        .ofHost(),
    common::microseconds<&UnitConfig::quantum>(
        "xphmg.quantum_us", {0, 1e6},
        "how far a unit runs ahead of time; same result, unless a program polls rings")
        .ofHost(),
    common::choice<kDatapathNames, &UnitConfig::features, &UnitFeatures::plain>(
        "xphmg.datapath", "vector = slab tests on the host's vector unit; same result")
        .ofHost(),
};

}  // namespace rtvp::xphmg
