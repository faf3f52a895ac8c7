// Runs every machine on one scene, each in a process of its own, and judges what it left.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/commands/machine_files.hpp"
#include "platform/machines/machine.hpp"
#include "platform/options/command_line.hpp"
#include "platform/report/comparison.hpp"

namespace rtvp::platform {

struct ComparisonRequest {
  std::vector<std::string> arguments;  ///< of `platform run`, as the user gave them, scene included
  std::vector<std::string> only;       ///< machines; empty: all
  std::filesystem::path settings;      ///< folder; empty: the built-in ones
  std::filesystem::path parts;         ///< file; empty: the built-in table
  int jobs = 1;
  double timeoutSeconds = 0;  ///< for each run, of wall time; 0 = never
  bool progress = true;
};

/// Compares the machines of `registry`. What each run leaves (stats.json, hits.csv, image.ppm,
/// cost.png) is in WORK/runs/MACHINE-SETTING, that of the reference in WORK/runs/reference. A
/// machine that refuses the scene or fails is in the result, with the reason. Throws InputError for
/// what the user did wrong, and RunError if the reference fails.
[[nodiscard]] report::Comparison compareMachines(const ComparisonRequest& request,
                                                 const OptionTable& table, const Registry& registry,
                                                 const std::filesystem::path& work);

}  // namespace rtvp::platform
