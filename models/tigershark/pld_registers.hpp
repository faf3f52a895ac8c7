// Register map of the PLD, host side (base 2 of the S5933; board.md 4.5). One table drives reset,
// access and docs; host driver and firmware take offsets and bits from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "models/common/register_table.hpp"

namespace rtvp::tigershark::pld {

using common::Access;
using common::FieldDescriptor;
using common::RegisterDescriptor;

inline constexpr std::string_view kSource = "board.md 4.5";

inline constexpr auto kCtrlFields = std::to_array<FieldDescriptor>({
    {"DSP_RESET", 0, 0, Access::Rw, "holds all DSPs in reset; 1 after power-on"},
    {"HOLD_REQUEST", 1, 1, Access::Rw, "asks the DSPs to yield the SRAM bus to the host"},
    {"CHAIN_ENABLE", 2, 2, Access::Rw, "lets FIFO words out to node 0"},
    {"CHAIN_FLUSH", 3, 3, Access::Wo, "empties the input FIFO; clears itself"},
    {"PAGE_SELECT", 4, 4, Access::Rw, "bank the DSPs see, on a double-buffered board"},
});
inline constexpr auto kStatusFields = std::to_array<FieldDescriptor>({
    {"HOLD_GRANTED", 0, 0, Access::Ro,
     "the host owns the SRAM bus; also while the DSPs are in reset"},
    {"CHAIN_IDLE", 1, 1, Access::Ro, "no word waits for or travels to node 0"},
    {"ALL_ARRIVED", 2, 2, Access::Ro, "every node shows XF1 low"},
    {"VOTE_LINE", 3, 3, Access::Ro, "level of the wire-OR line"},
    {"OVERRUN", 8, 8, Access::W1c, "a result found the output FIFO full and was lost"},
    {"LOCKSTEP", 9, 9, Access::W1c, "a violation is latched in ERR_*"},
});
inline constexpr auto kCountFields =
    std::to_array<FieldDescriptor>({{"COUNT", 31, 0, Access::Ro, "since the DSPs left reset"}});
inline constexpr auto kValueFields =
    std::to_array<FieldDescriptor>({{"VALUE", 31, 0, Access::Ro, "first violation"}});
inline constexpr auto kNodesFields =
    std::to_array<FieldDescriptor>({{"NODES", 15, 0, Access::Ro, "fitted"}});

inline constexpr std::uint32_t CTRL_DSP_RESET = common::bitsOf(kCtrlFields, "DSP_RESET"),
                               CTRL_HOLD_REQUEST = common::bitsOf(kCtrlFields, "HOLD_REQUEST"),
                               CTRL_CHAIN_ENABLE = common::bitsOf(kCtrlFields, "CHAIN_ENABLE"),
                               CTRL_CHAIN_FLUSH = common::bitsOf(kCtrlFields, "CHAIN_FLUSH"),
                               CTRL_PAGE_SELECT = common::bitsOf(kCtrlFields, "PAGE_SELECT");
inline constexpr std::uint32_t STATUS_HOLD_GRANTED = common::bitsOf(kStatusFields, "HOLD_GRANTED"),
                               STATUS_CHAIN_IDLE = common::bitsOf(kStatusFields, "CHAIN_IDLE"),
                               STATUS_ALL_ARRIVED = common::bitsOf(kStatusFields, "ALL_ARRIVED"),
                               STATUS_VOTE_LINE = common::bitsOf(kStatusFields, "VOTE_LINE"),
                               STATUS_OVERRUN = common::bitsOf(kStatusFields, "OVERRUN"),
                               STATUS_LOCKSTEP = common::bitsOf(kStatusFields, "LOCKSTEP");

/// Events the PLD posts in the add-on's outgoing mailbox 1 (the host's incoming mailbox 1), raising
/// INTA#.
inline constexpr std::uint32_t EVENT_HOLD_GRANTED = 1;
inline constexpr std::uint32_t EVENT_LOCKSTEP = 2;
inline constexpr std::uint32_t EVENT_OVERRUN = 3;

// clang-format off
inline constexpr auto kRegisterTable = std::to_array<RegisterDescriptor>({
    {"CTRL", 0x00, 4, CTRL_DSP_RESET, true, "bits", kSource, kCtrlFields},
    {"STATUS", 0x04, 4, 0, true, "bits", kSource, kStatusFields},
    {"BARRIERS", 0x08, 4, 0, false, "barriers", kSource, kCountFields},
    {"VOTES", 0x0C, 4, 0, false, "votes", kSource, kCountFields},
    {"ERR_LANE", 0x10, 4, 0, false, "lane", kSource, kValueFields},
    {"ERR_ADDR", 0x14, 4, 0, false, "word address", kSource, kValueFields},
    {"ERR_CAUSE", 0x18, 4, 0, false, "cause, 1 + ArrayError::Kind", kSource, kValueFields},
    {"HELD", 0x1C, 4, 0, false, "H1 cycles", "board.md 4.5, TS-063", kCountFields},
    {"NODES", 0x20, 4, 0, false, "DSPs", kSource, kNodesFields},
});
// clang-format on
static_assert(common::isWellFormed(kRegisterTable) && common::namesAreUnique(kRegisterTable));

/// A register by name, resolved by the compiler.
using Reg = common::RegisterName<kRegisterTable>;
constexpr std::size_t row(Reg reg) {
  return reg.row();
}
constexpr std::uint32_t offsetOf(Reg reg) {
  return reg.offset();
}

// Byte offsets in base 2, as the manual writes them.
inline constexpr std::uint32_t CTRL = offsetOf("CTRL"), STATUS = offsetOf("STATUS"),
                               BARRIERS = offsetOf("BARRIERS"), VOTES = offsetOf("VOTES"),
                               ERR_LANE = offsetOf("ERR_LANE"), ERR_ADDR = offsetOf("ERR_ADDR"),
                               ERR_CAUSE = offsetOf("ERR_CAUSE"), HELD = offsetOf("HELD"),
                               NODES = offsetOf("NODES");
inline constexpr std::uint64_t kRegisterBlockEnd = kRegisterTable.back().offset + 4;

}  // namespace rtvp::tigershark::pld
