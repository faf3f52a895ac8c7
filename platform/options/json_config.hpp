// Flattens a JSON configuration into dotted keys with the line each was found in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rtvp::platform {

struct ConfigEntry {
  std::string key;
  std::string value;  ///< as --set would take it
  int line = 0;       ///< 1-based
};

/// Throws InputError "name:line: ..." for anything but an object of (nested) scalars.
[[nodiscard]] std::vector<ConfigEntry> readJsonConfig(const std::string& name,
                                                      std::string_view text);

}  // namespace rtvp::platform
