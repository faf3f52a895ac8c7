// What a user may set of a TigerSHARK board.
#pragma once

#include <array>
#include <optional>

#include "models/common/param.hpp"
#include "models/tigershark/board.hpp"

namespace rtvp::tigershark {

inline constexpr std::array kBoardParams{
    common::param<&BoardConfig::dsps>("tigershark.dsps", {}, {1, 512},
                                      "TMS320C32 processors on a board (the prototype has 4)")
        .onCommandLine("dsps"),
    common::param<&BoardConfig::sramWords>("tigershark.sram_words", "words", {1024, 4194304},
                                           "shared memory of a board; what does not fit is paged"),
    common::param<&BoardConfig::waitStates>("tigershark.wait_states", "H1 cycles", {0, 7},
                                            "wait states of the shared memory"),
    common::paramAs<common::NumberCodec, &BoardConfig::clockHz>(
        "tigershark.clock_hz", "Hz", {1e6, 1e8},
        "H1, the DSPs' cycle clock (60 MFLOPS part: 30 MHz)"),
    common::paramAs<common::NumberCodec, &BoardConfig::bitClockHz>(
        "tigershark.bit_clock_hz", "Hz", {1e5, 15e6},
        "serial chain; above H1/2.6 it breaks the receive limit of the part"),
    common::param<&BoardConfig::fifoDepth>(
        "tigershark.fifo_depth", "words", {4, 1024},
        "FIFO of the PCI controller, each way: 8 = the chip, 32 = the 1996 text"),
    common::param<&BoardConfig::doubleBuffer>(
        "tigershark.double_buffer", "two page buffers: one loads while the other is traversed"),
    common::param<&BoardConfig::riseCycles>("tigershark.rise_cycles", "H1 cycles", {0, 1000},
                                            "rise time of the released vote line"),
    common::param<&BoardConfig::syncCycles>(
        "tigershark.sync_cycles", "H1 cycles", {0, 6},
        "delay of the XF input synchroniser; the firmware reads the vote 6 cycles on"),
    common::param<&BoardConfig::releaseCycles>("tigershark.release_cycles", "H1 cycles", {1, 1000},
                                               "last arrival at the barrier to release of the bus"),
    common::param<&BoardConfig::holdCycles>("tigershark.hold_cycles", "H1 cycles", {0, 1000},
                                            "HOLD to the floating bus"),
};

/// Faults of the PCI controller, for drivers and firmware that must find them.
inline constexpr std::array kFaultParams{
    common::param<&BoardConfig::s5933, &S5933Config::core, &s5933::CoreConfig::faults,
                  &s5933::Faults::fifo_strobe_broken>(
        "tigershark.s5933.fifo_strobe_broken",
        "fault F1: direct FIFO strobes do nothing; the shipped firmware loses results, with a "
        "report"),
    common::param<&BoardConfig::s5933, &S5933Config::core, &s5933::CoreConfig::faults,
                  &s5933::Faults::hang_on_disable>(
        "tigershark.s5933.hang_on_disable",
        "fault F2: clearing an enable in mid transfer stops mastering until a reset"),
    common::param<&BoardConfig::s5933, &S5933Config::core, &s5933::CoreConfig::faults,
                  &s5933::Faults::stale_words>(
        "tigershark.s5933.stale_words",
        "fault F3: FIFO flag resets leave the words in the data path"),
    common::param<&BoardConfig::s5933, &S5933Config::core, &s5933::CoreConfig::faults,
                  &s5933::Faults::residue>(
        "tigershark.s5933.residue",
        "fault F4: with the 4+ scheme the last words, fewer than 4, stay in the FIFO"),
    common::param<&BoardConfig::s5933, &S5933Config::core, &s5933::CoreConfig::faults,
                  &s5933::Faults::target_read_hang>(
        "tigershark.s5933.target_read_hang", "reads", {0, 4294967295},
        "fault F5: register reads complete only this often, then retry for ever: the driver "
        "reports it; 0 = off"),
    common::param<&BoardConfig::s5933, &S5933Config::core, &s5933::CoreConfig::faults,
                  &s5933::Faults::master_read_hang>(
        "tigershark.s5933.master_read_hang", "words", {0, 4294967295},
        "fault F6: read mastering stalls after this many words until a reset: a deadlock report; 0 "
        "= off"),
    common::param<&BoardConfig::s5933, &S5933Config::core, &s5933::CoreConfig::faults,
                  &s5933::Faults::nv_fail>("tigershark.s5933.nv_fail",
                                           "fault F7: accesses to the boot memory fail"),
    common::param<&BoardConfig::s5933, &S5933Config::core, &s5933::CoreConfig::faults,
                  &s5933::Faults::mailbox_interrupt_stuck>(
        "tigershark.s5933.mailbox_interrupt_stuck",
        "fault F8: clearing the incoming-mailbox interrupt with the byte unread raises it again"),
};

inline constexpr std::array kEngineNames{
    common::Named<EngineChoice::Kind>{"auto", EngineChoice::Kind::Auto},
    common::Named<EngineChoice::Kind>{"simt", EngineChoice::Kind::Simt},
    common::Named<EngineChoice::Kind>{"scalar", EngineChoice::Kind::Scalar},
};
inline constexpr std::array kIsaNames{
    common::Named<std::optional<c32::simt::Isa>>{"auto", std::nullopt},
    common::Named<std::optional<c32::simt::Isa>>{"avx512", c32::simt::Isa::Avx512},
    common::Named<std::optional<c32::simt::Isa>>{"avx2", c32::simt::Isa::Avx2},
    common::Named<std::optional<c32::simt::Isa>>{"sse42", c32::simt::Isa::Sse42},
    common::Named<std::optional<c32::simt::Isa>>{"scalar", c32::simt::Isa::Scalar},
};
inline constexpr std::array kChainNames{
    common::Named<EngineChoice::Chain>{"wave", EngineChoice::Chain::Wave},
    common::Named<EngineChoice::Chain>{"summaries", EngineChoice::Chain::Summaries},
    common::Named<EngineChoice::Chain>{"blocks", EngineChoice::Chain::Blocks},
    common::Named<EngineChoice::Chain>{"scalar", EngineChoice::Chain::Steps},
};
inline constexpr std::array kTimingNames{common::Named<bool>{"loose", false},
                                         common::Named<bool>{"strict", true}};

/// Speed settings: another wall time, the same bytes.
inline constexpr std::array kBoardSpeedParams{
    common::choice<kEngineNames, &BoardConfig::engine, &EngineChoice::kind>(
        "array.engine",
        "who simulates the DSPs: scalar = one after the other, simt = all at once on the host's "
        "vector unit; same result")
        .ofHost(),
    common::choice<kIsaNames, &BoardConfig::engine, &EngineChoice::isa>(
        "array.isa", "instruction set of the host for array.engine = simt; same result")
        .ofHost(),
    common::choice<kChainNames, &BoardConfig::engine, &EngineChoice::chain>(
        "array.chain",
        "what serves the serial chain for array.engine = simt: wave = what a DSP does with a word "
        "is "
        "worked out once and runs as host code, summaries = without host code, blocks = a few "
        "instructions at a time, scalar = one after the other; same result")
        .ofHost(),
    common::choice<kTimingNames, &BoardConfig::strictTiming>(
        "array.timing",
        "strict = the simulation kernel takes part in every shared-bus word; slower, same result")
        .ofHost()
        .onCommandLine("timing"),
    common::param<&BoardConfig::dmi>(
        "array.dmi",
        "the array reads the shared memory through a pointer (TLM direct memory interface) instead "
        "of a transaction a word; same result")
        .ofHost(),
    common::param<&BoardConfig::burst>(
        "array.burst", "words", {1, 1024},
        "words in a row fetched by one transaction where array.dmi is off; same result")
        .ofHost(),
    common::param<&BoardConfig::quantum>(
        "array.quantum", "cycles", {100, 1e9},
        "how far the DSPs run without a barrier before the simulation kernel gets a say; same "
        "result")
        .ofHost(),
};

}  // namespace rtvp::tigershark
