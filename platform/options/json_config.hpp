// Flattens a JSON configuration into dotted keys with the line each was found in.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "platform/inputs/input_files.hpp"

namespace rtvp::platform {

struct ConfigEntry {
  std::string key;
  std::string value;  ///< as --set would take it
  int line = 0;       ///< 1-based
};

/// Throws InputError "name:line: ..." for anything but an object of (nested) scalars.
[[nodiscard]] std::vector<ConfigEntry> readJsonConfig(const std::string& name,
                                                      std::string_view text);

/// The text of a configuration or of a computer's description (`expected`: what messages call it).
/// Throws InputError for a file that cannot be read or is larger than 1 MiB.
[[nodiscard]] std::string readConfigText(const std::filesystem::path& file,
                                         std::string_view expected, const InputReader& reader);

}  // namespace rtvp::platform
