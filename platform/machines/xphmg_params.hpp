// What a user may set of the XPHMG_RT units' computer beside what models/xphmg/params.hpp has.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/common/param_time.hpp"
#include "models/xphmg/format.hpp"
#include "platform/drivers/xphmg/bvh.hpp"
#include "platform/drivers/xphmg/driver.hpp"

namespace rtvp::platform {

struct XphmgOptions {
  unsigned units = 1;
  xphmg::Format format = xphmg::Format::Fp32;
  sc_core::sc_time busLatency;            ///< of each transaction, beside the tiers
  bool hart = false;                      ///< an RV64 hart works the offload queue
  std::string hartElf;                    ///< its program; empty = the platform's own
  std::uint64_t hartLimit = 100'000'000;  ///< instructions without a report to the host
};

inline constexpr std::array kFormatNames{
    common::Named<xphmg::Format>{"fp32", xphmg::Format::Fp32},
    common::Named<xphmg::Format>{"fp16", xphmg::Format::Fp16},
    common::Named<xphmg::Format>{"bf16", xphmg::Format::Bf16},
};
inline constexpr std::array kQueueDriverNames{common::Named<bool>{"host", false},
                                              common::Named<bool>{"hart", true}};

/// Rows of XphmgOptions, host::XphmgDriverConfig and host::XphmgBvhOptions.
inline constexpr std::array kXphmgParams{
    common::param<&XphmgOptions::units>("xphmg.units", {}, {1, 16},
                                        "RT units; jobs are dealt out among them")
        .listedBefore("xphmg.clock_hz"),
    common::choice<kFormatNames, &XphmgOptions::format>(
        "xphmg.format", "number format of the units, set through CAP.PREC"),
    common::param<&host::XphmgDriverConfig::jobRays>("xphmg.job_rays", "rays", {1, 65535},
                                                     "rays of a job")
        .listedAfter("xphmg.queue_depth"),
    common::param<&host::XphmgDriverConfig::jobsInFlight>(
        "xphmg.jobs_in_flight", "jobs", {1, 256},
        "jobs the driver has with a unit, as far as its queue allows"),
    common::param<&host::XphmgBvhOptions::leafTriangles>(
        "xphmg.leaf_triangles", "triangles", {1, 256},
        "most triangles of a leaf that the driver builds"),
    common::param<&host::XphmgDriverConfig::prefetchDepth>(
        "xphmg.prefetch", "entries", {0, 255},
        "prefetch depth of the streaming profile that rays come by"),
    common::param<&host::XphmgDriverConfig::memoryClass>(
        "xphmg.memory_class", {}, {0, 3}, "XMEM class of the jobs; 0 = the default class"),
    common::param<&host::XphmgDriverConfig::packHint>(
        "xphmg.pack_hint", "t, u, v of FP32 hits rounded to FP16 (PACK_HINT)"),
    common::paramAs<common::MebibyteCodec, &host::XphmgDriverConfig::memorySize>(
        "xphmg.memory_mib", "MiB", {1, 4096}, "the memory that scene and rings lie in"),
    common::nanoseconds<&XphmgOptions::busLatency>(
        "xphmg.bus_ns", {0, 1e6}, "interconnect, for each transaction, beside the tiers")
        .listedAfter("xphmg.memory_tier"),
    common::choice<kQueueDriverNames, &XphmgOptions::hart>(
        "xphmg.driver",
        "who works the offload queue: the host itself, or a driver program on the RV64 hart that "
        "the host hands jobs to through a mailbox (one unit)")
        .listedAfter("xphmg.doorbell_cycles"),
    common::param<&XphmgOptions::hartElf>(
        "xphmg.hart_elf",
        "driver program for the hart, an ELF file (default: the platform's own, "
        "firmware/xphmg/queue_driver.c)"),
    common::param<&XphmgOptions::hartLimit>(
        "xphmg.hart_limit", "instructions", {1000, 1e12},
        "of the driver program without a report to the host: then the run ends"),
};

}  // namespace rtvp::platform
