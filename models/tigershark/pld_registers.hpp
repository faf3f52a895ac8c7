// Register map of the PLD, host side (base 2 of the S5933; board.md 4.5). One table drives reset,
// access and docs.
#pragma once

#include <array>
#include <cstddef>

#include "models/common/register_table.hpp"
#include "models/tigershark/protocol.hpp"

namespace rtvp::tigershark::pld {

using common::Access;
using common::FieldDescriptor;
using common::RegisterDescriptor;

inline constexpr std::array kCtrlFields = {
    FieldDescriptor{"DSP_RESET", 0, 0, Access::Rw, "holds all DSPs in reset; 1 after power-on"},
    FieldDescriptor{"HOLD_REQUEST", 1, 1, Access::Rw,
                    "asks the DSPs to yield the SRAM bus to the host"},
    FieldDescriptor{"CHAIN_ENABLE", 2, 2, Access::Rw, "lets FIFO words out to node 0"},
    FieldDescriptor{"CHAIN_FLUSH", 3, 3, Access::Wo, "empties the input FIFO; clears itself"},
    FieldDescriptor{"PAGE_SELECT", 4, 4, Access::Rw,
                    "bank the DSPs see, on a double-buffered board"},
};
inline constexpr std::array kStatusFields = {
    FieldDescriptor{"HOLD_GRANTED", 0, 0, Access::Ro,
                    "the host owns the SRAM bus; also while the DSPs are in reset"},
    FieldDescriptor{"CHAIN_IDLE", 1, 1, Access::Ro, "no word waits for or travels to node 0"},
    FieldDescriptor{"ALL_ARRIVED", 2, 2, Access::Ro, "every node shows XF1 low"},
    FieldDescriptor{"VOTE_LINE", 3, 3, Access::Ro, "level of the wire-OR line"},
    FieldDescriptor{"OVERRUN", 8, 8, Access::W1c,
                    "a result found the output FIFO full and was lost"},
    FieldDescriptor{"LOCKSTEP", 9, 9, Access::W1c, "a violation is latched in ERR_*"},
};
inline constexpr std::array kCountField = {
    FieldDescriptor{"COUNT", 31, 0, Access::Ro, "since the DSPs left reset"}};
inline constexpr std::array kValueField = {
    FieldDescriptor{"VALUE", 31, 0, Access::Ro, "first violation"}};
inline constexpr std::array kNodesField = {FieldDescriptor{"NODES", 15, 0, Access::Ro, "fitted"}};

inline constexpr std::array kRegisters = {
    RegisterDescriptor{"CTRL", CTRL, 4, CTRL_DSP_RESET, true, "bits", "board.md 4.5", kCtrlFields},
    RegisterDescriptor{"STATUS", STATUS, 4, 0, true, "bits", "board.md 4.5", kStatusFields},
    RegisterDescriptor{"BARRIERS", BARRIERS, 4, 0, false, "barriers", "board.md 4.5", kCountField},
    RegisterDescriptor{"VOTES", VOTES, 4, 0, false, "votes", "board.md 4.5", kCountField},
    RegisterDescriptor{"ERR_LANE", ERR_LANE, 4, 0, false, "lane", "board.md 4.5", kValueField},
    RegisterDescriptor{"ERR_ADDR", ERR_ADDR, 4, 0, false, "word address", "board.md 4.5",
                       kValueField},
    RegisterDescriptor{"ERR_CAUSE", ERR_CAUSE, 4, 0, false, "cause, 1 + ArrayError::Kind",
                       "board.md 4.5", kValueField},
    RegisterDescriptor{"HELD", HELD, 4, 0, false, "H1 cycles", "board.md 4.5, TS-063", kCountField},
    RegisterDescriptor{"NODES", NODES, 4, 0, false, "DSPs", "board.md 4.5", kNodesField},
};
static_assert(common::isWellFormed(kRegisters));

/// Row numbers of kRegisters.
enum Row : std::size_t {
  kCtrl,
  kStatus,
  kBarriers,
  kVotes,
  kErrLane,
  kErrAddr,
  kErrCause,
  kHeld,
  kNodes
};
static_assert(common::indexOf(kRegisters, "NODES") == kNodes);

}  // namespace rtvp::tigershark::pld
