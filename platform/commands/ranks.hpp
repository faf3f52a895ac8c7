// Host computers as processes of a parallel launcher: `mpirun -n 4 platform SCENE --hosts 4`. The
// launcher starts the processes and says which is which, by environment; parts of the picture
// travel as files in a folder that all of them see. The program needs no MPI library for it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/part.hpp"

namespace rtvp::platform {

/// Which of the processes of a launcher this is.
struct Rank {
  int number = 0, count = 1;
  std::string job;  ///< a name for all of them together, fit for a file's
};

/// By Open MPI's variables; nothing for a process that was not started so, for one alone, and for a
/// run of one host computer. Throws InputError if there are not as many processes as `hosts`.
[[nodiscard]] std::optional<Rank> rankOfProcess(int hosts);

/// Where the parts of a run with this picture lie until they are put together.
[[nodiscard]] std::filesystem::path folderOfRanks(const std::string& image, const Rank& rank);

/// Renders this process's part. The first one waits for all and returns them from top to bottom, or
/// its own failed part; the others leave theirs in `folder` and return it. Throws RunError if a
/// file cannot be written or read. A rank that fails ends with its status: the launcher then ends
/// all.
[[nodiscard]] std::vector<PartResult> renderRank(const host::Crop& whole, const Rank& rank,
                                                 const PartRenderer& render,
                                                 const std::filesystem::path& folder);

}  // namespace rtvp::platform
