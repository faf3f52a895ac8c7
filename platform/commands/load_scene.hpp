// What the commands share: scenes read as the settings say, messages to standard error.
#pragma once

#include <string>

#include "platform/inputs/input_files.hpp"
#include "platform/options/settings.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::platform {

/// Reads a scene as the settings say (scene.*, render.size), warnings to standard error;
/// `tessellateAll`: a machine knows triangles only; `inputs`: remembers what is read. Throws
/// InputError and scene errors.
[[nodiscard]] scene::Scene loadScene(const Settings& settings, const std::string& file,
                                     bool tessellateAll, InputFiles& inputs);

/// Reports of the models: warnings to standard error, errors become exceptions.
void installReportHandler(bool verbose);

/// A line on standard error.
void warn(const std::string& text);
[[nodiscard]] bool quiet(const Settings& settings);

}  // namespace rtvp::platform
