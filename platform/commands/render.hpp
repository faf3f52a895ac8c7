// A host computer's part of the picture: machines prepared, computer built, program run, figures
// collected. The one way for all machines.
#pragma once

#include "platform/commands/part.hpp"
#include "platform/commands/profile_output.hpp"
#include "platform/commands/trace_output.hpp"
#include "platform/debug/session.hpp"
#include "platform/machines/crew.hpp"
#include "platform/raytree/ray_tree.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::platform {

/// At most once a process (SystemC elaborates once). Throws what describe() knows for what is found
/// before the simulation; how that ended is in the result. `faults`: Registry::faults().
/// `debugger`: or null. `dump`: what is to be recorded, or null.
[[nodiscard]] PartResult render(const LineUp& lineUp, const scene::Scene& scene,
                                const host::RenderOptions& options,
                                const host::ProgressFn& progress, PartTrace& trace,
                                PartProfile& profile, std::span<const std::string_view> faults,
                                DebugSession* debugger, const NodeOrder* dump = nullptr);

}  // namespace rtvp::platform
