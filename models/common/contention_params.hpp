// Parameters of what the interconnect and main memory can carry. Without limits, the default,
// everybody uses them as if alone.
#pragma once

#include <array>

#include "models/common/contention.hpp"
#include "models/common/param.hpp"

namespace rtvp::common {

/// A clock's period in picoseconds, set as its frequency.
template <class Member>
struct PicosecondClockCodec {
  static constexpr ParamType kType = ParamType::Number;
  static ParamValue get(const Member& ps) { return 1e12 / static_cast<double>(ps); }
  static void set(Member& ps, const ParamValue& hertz) {
    ps = sc_core::sc_time(1 / std::get<double>(hertz), sc_core::SC_SEC).value();
  }
};

inline constexpr std::array kArbitrationNames{
    Named<Arbitration>{"fifo", Arbitration::Fifo},
    Named<Arbitration>{"priority", Arbitration::Priority},
    Named<Arbitration>{"round_robin", Arbitration::RoundRobin},
};

inline constexpr std::array kContentionParams{
    param<&ContentionConfig::bus, &LinkConfig::widthBytes>(
        "bus.width", "bytes", {0, 4096},
        "interconnect: bytes that a clock carries; masters wait for one another; 0 = any number, "
        "nobody waits"),
    paramAs<PicosecondClockCodec, &ContentionConfig::bus, &LinkConfig::periodPs>(
        "bus.clock_hz", "Hz", {1e3, 1e12}, "its clock, for bus.width and bus.latency"),
    param<&ContentionConfig::bus, &LinkConfig::latencyClocks>(
        "bus.latency", "clocks", {0, 1e6},
        "clocks after its transfer for which an access keeps its place in bus.outstanding; adds "
        "waiting only"),
    param<&ContentionConfig::bus, &LinkConfig::outstanding>(
        "bus.outstanding", {}, {0, 65536}, "accesses under way at once; 0 = any number"),
    choice<kArbitrationNames, &ContentionConfig::arbitration>(
        "bus.arbiter",
        "who goes first: fifo = who asked first, of several at one time the lower master; priority "
        "= the lower master; round_robin = in turn"),
    param<&ContentionConfig::memory, &LinkConfig::widthBytes>(
        "dram.width", "bytes", {0, 4096},
        "main memory: bytes that a clock carries; 0 = any number, nobody waits"),
    paramAs<PicosecondClockCodec, &ContentionConfig::memory, &LinkConfig::periodPs>(
        "dram.clock_hz", "Hz", {1e3, 1e12}, "its clock, for dram.width and dram.latency"),
    param<&ContentionConfig::memory, &LinkConfig::latencyClocks>(
        "dram.latency", "clocks", {0, 1e6},
        "clocks after its transfer for which an access keeps its place in dram.outstanding; adds "
        "waiting only"),
    param<&ContentionConfig::memory, &LinkConfig::outstanding>(
        "dram.outstanding", {}, {0, 65536}, "accesses under way at once; 0 = any number"),
};

}  // namespace rtvp::common
