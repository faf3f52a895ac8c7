// A part of the picture by one host computer with its TigerSHARK boards: builds the machine, runs
// the simulation and collects what was measured.
#pragma once

#include <string>

#include "models/common/statistics.hpp"
#include "platform/host/ray_tree.hpp"
#include "platform/options/settings.hpp"
#include "platform/part.hpp"
#include "platform/scene/scene.hpp"
#include "platform/trace_output.hpp"

namespace rtvp::platform {

/// At most once a process (SystemC elaborates once). Throws what describe() knows.
[[nodiscard]] PartResult renderTigershark(const scene::Scene& scene,
                                          const host::RenderOptions& options,
                                          const Settings& settings,
                                          const host::ProgressFn& progress, PartTrace& trace);

/// The statistics of a machine that has not run: names, units and descriptions for `--stats-help`.
/// Elaborates.
void describeTigershark(common::StatGroup& stats, const Settings& settings);

/// What a scene needs on the boards, one line of text, for `scene-info`.
[[nodiscard]] std::string describeNeed(const scene::Scene& scene, const Settings& settings);

}  // namespace rtvp::platform
