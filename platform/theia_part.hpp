// A part of the picture by one host computer with a THEIA unit on its bus: builds the machine, runs
// the simulation and collects what was measured.
#pragma once

#include "models/common/statistics.hpp"
#include "platform/host/ray_tree.hpp"
#include "platform/options/settings.hpp"
#include "platform/part.hpp"
#include "platform/scene/scene.hpp"
#include "platform/trace_output.hpp"

namespace rtvp::platform {

/// Refuses (InputError) a picture or scene that the unit cannot do: a height that the cores do not
/// divide, more triangles than it counts to, microcode that cannot shade. `crop`: one host's part.
void checkTheia(const scene::Scene& scene, const host::Crop& crop, const Settings& settings);

/// At most once a process (SystemC elaborates once). The scene must be of triangles only. Throws
/// what describe() knows.
[[nodiscard]] PartResult renderTheia(const scene::Scene& scene, const host::RenderOptions& options,
                                     const Settings& settings, const host::ProgressFn& progress,
                                     PartTrace& trace);

/// The statistics of a machine that has not run: names, units and descriptions for `--stats-help`.
/// Elaborates.
void describeTheia(common::StatGroup& stats, const Settings& settings);

}  // namespace rtvp::platform
