// stats.json of a run, from what its host computers measured.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "platform/commands/part.hpp"
#include "platform/options/command_line.hpp"
#include "platform/raytree/ray_tree.hpp"
#include "platform/report/figures.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::platform {

/// The whole of stats.json. `configuration`: LineUp::configuration(); `image`: the picture's file
/// name.
[[nodiscard]] boost::json::object runStatistics(const CommandLine& command,
                                                boost::json::object configuration,
                                                const scene::Scene& scene,
                                                const host::RenderOptions& options,
                                                const std::string& image, double wallSeconds,
                                                const std::vector<PartResult>& parts);

/// What `machine` wrote into it; `grouped`: each machine has a group of its own there.
[[nodiscard]] report::RunFigures figuresOf(const std::string& machine, bool grouped,
                                           const boost::json::object& statistics);

}  // namespace rtvp::platform
