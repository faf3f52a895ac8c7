// A part of the picture by one host computer with the implicit-surface unit alone on its bus.
#pragma once

#include "models/common/statistics.hpp"
#include "platform/host/ray_tree.hpp"
#include "platform/options/settings.hpp"
#include "platform/part.hpp"
#include "platform/scene/scene.hpp"
#include "platform/trace_output.hpp"

namespace rtvp::platform {

/// At most once a process. The scene must be of implicit surfaces only. Throws what describe()
/// knows.
[[nodiscard]] PartResult renderImplicit(const scene::Scene& scene,
                                        const host::RenderOptions& options,
                                        const Settings& settings, const host::ProgressFn& progress,
                                        PartTrace& trace);

/// The statistics of a machine that has not run, for `--stats-help`. Elaborates.
void describeImplicit(common::StatGroup& stats, const Settings& settings);

}  // namespace rtvp::platform
