// The program and the style of a sweep's page, as built in.
#pragma once

#include <map>
#include <string>

namespace rtvp::sweep {

/// page.js and page.css, by name.
[[nodiscard]] const std::map<std::string, std::string>& builtInPageFiles();

}  // namespace rtvp::sweep
