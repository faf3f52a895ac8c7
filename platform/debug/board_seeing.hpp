// What is seen of boards' DSPs without stopping them: where their cycles went, and what they
// executed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/c32/asm/image.hpp"
#include "models/debug/profile.hpp"
#include "models/tigershark/board.hpp"
#include "models/tigershark/instruction_log.hpp"

namespace rtvp::platform {

using Boards = std::vector<std::unique_ptr<tigershark::Board>>;

/// `prefix`: of the machine's instance, with its point, or empty. board0.dsp3
[[nodiscard]] std::string dspName(const std::string& prefix, std::size_t board, int lane);

/// What the DSPs of boards that ran `firmware` have kept account of.
[[nodiscard]] debug::Profile boardProfile(const Boards& boards, const c32::Image& firmware,
                                          const std::string& machine, const std::string& prefix);

/// Before the simulation: what the DSPs that `wants` names execute from one time to another is
/// logged. Null: it names none.
[[nodiscard]] std::unique_ptr<tigershark::InstructionLog> watchBoards(
    const Boards& boards, const c32::Image& firmware, const std::string& prefix,
    const std::function<bool(const std::string&)>& wants, const sc_core::sc_time& from,
    const sc_core::sc_time& to, const tigershark::InstructionLog::Sink& sink);

}  // namespace rtvp::platform
