// `--dump-node UNIT[@WHAT=N] -o DIR`: what one unit of a run saw for a while, as a folder for the
// unit's own tool.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace rtvp::platform {

/// What is wanted.
struct NodeOrder {
  std::string unit;  ///< "board0.dsp3"
  std::string what;  ///< "batch"; empty: not said
  std::uint64_t number = 0;
  std::filesystem::path folder;
  /// The folder is complete; `text` says what is in it and how to use it, in lines. Leaves the run,
  /// does not return.
  std::function<void(const std::string& text)> done;
};

/// `UNIT[@WHAT=N]` as typed, without folder. Throws InputError.
[[nodiscard]] NodeOrder nodeOrder(const std::string& typed);

}  // namespace rtvp::platform
