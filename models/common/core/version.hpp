// The version of the whole project, as its CMakeLists.txt gives it.
#pragma once

namespace rtvp::common {

/// "1.2.3"
[[nodiscard]] const char* version();

}  // namespace rtvp::common
