// What one host computer produces: its part of the picture and what it measured. With several hosts
// each part comes from a process of its own and travels to the parent as bytes.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/exit_status.hpp"
#include "platform/inputs/input_files.hpp"
#include "platform/machines/costs.hpp"
#include "platform/machines/dispatcher.hpp"
#include "platform/machines/machine.hpp"
#include "platform/raytree/ray_tree.hpp"
#include "platform/report/hits.hpp"

namespace rtvp::platform {

struct PartResult {
  /// Set if the run failed; nothing else is then. Not an exception: once processes have run on
  /// stacks of their own, the address sanitizer cannot follow exceptions through this program's
  /// stack.
  std::optional<Failure> failure;
  host::Crop crop;                 ///< where in the picture
  std::vector<std::int64_t> sums;  ///< Framebuffer::sums()
  report::HitDump hits;            ///< empty unless asked for
  std::vector<CostSums> costs;     ///< of each machine that counts; empty unless asked for
  RaceResult race;                 ///< if machines raced
  std::uint64_t eyeHits = 0;       ///< eye rays that met something
  std::uint64_t raysTraced = 0;
  std::uint64_t simulatedPs = 0;  ///< 0 for engines without simulated time
  boost::json::object modules;    ///< statistics, one member a module
  /// With output.setup: simulated time and `modules` before the first ray.
  std::uint64_t setupPs = 0;
  boost::json::object setupModules;
  boost::json::object hostModules;          ///< of these, what may differ between equal runs
  std::string traceProblem;                 ///< why there is no trace of it, though asked for
  std::string profileProblem;               ///< likewise, of the profile
  std::vector<DiagnosticFile> diagnostics;  ///< files that machines were asked for
  std::vector<std::string> problems;        ///< sums that do not close
  std::vector<InputFile> inputs;            ///< every file that was read for it
};

/// Renders one part; called in the process of that part's host, at most once a process. `number`:
/// of the host, from 0 on.
using PartRenderer = std::function<PartResult(const host::Crop& crop, std::size_t number)>;

/// Divides `whole` into at most `hosts` bands of rows, renders each in a process of its own (in
/// this one if there is only one) and returns the parts from top to bottom. The failure of the
/// first failing host becomes a RunError; if a process is killed, at once. None outlives this one.
[[nodiscard]] std::vector<PartResult> renderParts(const host::Crop& whole, int hosts,
                                                  const PartRenderer& render);

/// A part as bytes, for another process of the same program. Throws std::runtime_error; what cannot
/// be read may also throw what the containers do.
void storePart(std::FILE* file, const PartResult& part);
[[nodiscard]] PartResult restorePart(std::FILE* file);

/// Bands of rows, as equal as they get.
[[nodiscard]] std::vector<host::Crop> divide(const host::Crop& whole, int hosts);

}  // namespace rtvp::platform
