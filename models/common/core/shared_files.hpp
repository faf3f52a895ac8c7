// Files that are installed beside the program: scenes, descriptions of computers, firmware.
#pragma once

#include <filesystem>
#include <string_view>

namespace rtvp::common {

/// The folder of data that belongs to the running program: share/rtvp beside the folder that the
/// executable lies in. Empty if there is none. A build folder has one, of links.
[[nodiscard]] std::filesystem::path sharedFolder();

/// The file that a user means by `name`: `name` itself if it is there or absolute, else a file of
/// this name in `shared` or in its folder `kind` ("scenes", "computers", "firmware"). `name` again
/// if there is no such file anywhere, so that reports show what was typed.
[[nodiscard]] std::filesystem::path inputFile(const std::filesystem::path& name,
                                              std::string_view kind,
                                              const std::filesystem::path& shared = sharedFolder());

}  // namespace rtvp::common
