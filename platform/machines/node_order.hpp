// `--dump-node UNIT[@WHAT=N[,N][,run=K]] -o DIR`: what one unit of a run saw for a while, as a
// folder for the unit's own tool.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace rtvp::platform {

/// What is wanted.
struct NodeOrder {
  std::string unit;  ///< "board0.dsp3"
  std::string what;  ///< "batch"; empty: not said
  std::uint64_t number = 0;
  std::optional<std::uint64_t> second;  ///< of WHAT=N,M
  std::optional<std::uint64_t> run;     ///< of run=K
  std::filesystem::path folder;
  /// The folder is complete; `text` says what is in it and how to use it, in lines. Leaves the run,
  /// does not return.
  std::function<void(const std::string& text)> done;
  /// It cannot be recorded, which comes out while the simulation runs: `why` says what was found
  /// and what was expected. Leaves the run with ExitStatus::BadInput, does not return.
  std::function<void(const std::string& why)> refuse;
};

/// `UNIT[@WHAT=N[,N][,run=K]]` as typed, without folder. Throws InputError.
[[nodiscard]] NodeOrder nodeOrder(const std::string& typed);

}  // namespace rtvp::platform
