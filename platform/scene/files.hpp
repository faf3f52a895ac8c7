// Files that a scene file names.
#pragma once

#include <filesystem>
#include <string_view>

namespace rtvp::scene {

/// The regular file that `from` calls `name`: relative to the folder of `from`, with slashes for
/// backslashes if need be, or the last part of the name in that folder; empty if there is none.
[[nodiscard]] std::filesystem::path fileBeside(const std::filesystem::path& from,
                                               std::string_view name);

}  // namespace rtvp::scene
