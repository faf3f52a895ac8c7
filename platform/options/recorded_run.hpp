// A run that left a stats.json, to be made again: `--config stats.json`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/inputs/input_files.hpp"
#include "platform/options/settings.hpp"

namespace rtvp::platform {

struct RecordedRun {
  std::string file;      ///< the stats.json
  std::string scene;     ///< the scene's path then
  std::string revision;  ///< of the program that wrote it
  std::vector<InputFile> inputs;

  /// Throws InputError "FILE: found another run, ..." that names every input which differs.
  void checkInputs(std::span<const InputFile> now) const;
};

/// Sets every parameter as the run `file` had it; nothing happens, and nothing is returned, if the
/// file is no stats.json. Throws InputError for a stats.json that is damaged or that names
/// parameters which this program does not have.
[[nodiscard]] std::optional<RecordedRun> loadRecordedRun(const std::filesystem::path& file,
                                                         Settings& settings);

}  // namespace rtvp::platform
