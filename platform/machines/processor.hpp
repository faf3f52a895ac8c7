// What the host's processor needs for its own work: named profiles, and the costs that the settings
// ask for. docs/processor.md says where every number comes from.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "platform/drivers/host_process.hpp"
#include "platform/options/settings.hpp"
#include "platform/raytree/host_work.hpp"

namespace rtvp::platform {

/// Operations of the innermost loop of one piece of work.
struct Operations {
  double additions = 0;  ///< and subtractions, comparisons of floating-point numbers
  double products = 0;
  double divisions = 0;
  double roots = 0;
  double powers = 0;  ///< pow, or sine and cosine together
  double conversions = 0;
  double accesses = 0;  ///< loads and stores of a number
  double integers = 0;  ///< integer operations and branches
};

struct ProcessorProfile {
  std::string_view name;
  double clockHz;
  Operations cycles;                               ///< of one operation of each sort
  double copyByte = 0, submit = 0, interrupt = 0;  ///< cycles: what is no arithmetic
};

/// Operations of one piece of `kind`; all 0 for copies, batches and interrupts.
[[nodiscard]] const Operations& operationsOf(host::Work kind);

/// All profiles, `none` first.
[[nodiscard]] std::span<const ProcessorProfile> processorProfiles();

/// Cycles of one piece of work.
[[nodiscard]] double cyclesOf(const ProcessorProfile& profile, host::Work kind);

/// What the settings `processor.*` say; times are rounded to picoseconds.
[[nodiscard]] host::WorkCosts workCosts(const Settings& settings);

}  // namespace rtvp::platform
