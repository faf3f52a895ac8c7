// A host computer's part of the picture: machines prepared, computer built, program run, figures
// collected. The one way for all machines.
#pragma once

#include "platform/commands/checkpoints.hpp"
#include "platform/commands/instruction_output.hpp"
#include "platform/commands/part.hpp"
#include "platform/commands/profile_output.hpp"
#include "platform/commands/trace_output.hpp"
#include "platform/debug/session.hpp"
#include "platform/machines/crew.hpp"
#include "platform/raytree/ray_tree.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::platform {

/// Who watches a part's run, and what they leave.
struct PartWatch {
  PartTrace& trace;
  PartProfile& profile;
  InstructionOutput& instructions;
  DebugSession* debugger;    ///< or null
  const NodeOrder* dump;     ///< what is to be recorded, or null
  Checkpoints* checkpoints;  ///< to be written and resumed, or null
};

/// At most once a process (SystemC elaborates once). Throws what describe() knows for what is found
/// before the simulation; how that ended is in the result. `faults`: Registry::faults().
[[nodiscard]] PartResult render(const LineUp& lineUp, const scene::Scene& scene,
                                const host::RenderOptions& options,
                                const host::ProgressFn& progress, const PartWatch& watch,
                                std::span<const std::string_view> faults);

}  // namespace rtvp::platform
