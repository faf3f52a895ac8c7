// A part of the picture by one host computer with XPHMG_RT units on its bus: builds the machine,
// runs the simulation and collects what was measured.
#pragma once

#include <string>

#include "models/common/statistics.hpp"
#include "platform/host/ray_tree.hpp"
#include "platform/options/settings.hpp"
#include "platform/part.hpp"
#include "platform/scene/scene.hpp"
#include "platform/trace_output.hpp"

namespace rtvp::platform {

/// Refuses (InputError) settings that do not go together and a scene that does not fit.
void checkXphmg(const scene::Scene& scene, const Settings& settings);

/// At most once a process (SystemC elaborates once). The scene must be of triangles only. Throws
/// what describe() knows.
[[nodiscard]] PartResult renderXphmg(const scene::Scene& scene, const host::RenderOptions& options,
                                     const Settings& settings, const host::ProgressFn& progress,
                                     PartTrace& trace);

/// The statistics of a machine that has not run: names, units and descriptions for `--stats-help`.
/// Elaborates.
void describeXphmg(common::StatGroup& stats, const Settings& settings);

/// `platform scene-info --engine xphmg`: tiles, leaves and bytes of the scene's database.
[[nodiscard]] std::string describeXphmgNeed(const scene::Scene& scene, const Settings& settings);

}  // namespace rtvp::platform
