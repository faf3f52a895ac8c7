// One wording for an input that cannot be read, whatever program or option names it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace rtvp::common {

/// "found no such file, expected EXPECTED"; or "found a folder", "a file that you may not read", "a
/// file that cannot be read". To be asked for after reading has failed; callers put the file's name
/// before it.
[[nodiscard]] std::string unreadable(const std::filesystem::path& file, std::string_view expected);

}  // namespace rtvp::common
