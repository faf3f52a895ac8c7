// Which sources this program was built from.
#pragma once

namespace rtvp::platform {

/// The commit, of a tree that differed from it + and a hash of the difference; "sources-" and a
/// hash of the sources if the build had no repository. Never empty.
[[nodiscard]] const char* sourceRevision();

}  // namespace rtvp::platform
