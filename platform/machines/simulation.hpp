// Running a machine: the one way from sc_start() to what ended the run.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "platform/commands/trace_output.hpp"
#include "platform/drivers/host_process.hpp"
#include "platform/exit_status.hpp"

namespace rtvp::platform {

/// What a machine can add to the story of a run that did not end well.
struct RunDetails {
  /// Who waits for what, for the report of a deadlock or a limit; appended as it is.
  std::function<std::string()> states = {};
  /// A failure that the machine knows better than "nothing can happen any more".
  std::function<std::optional<Failure>()> failure = {};
  /// Told when the run is over.
  PartTrace* trace = nullptr;
};

/// Simulates until the host's program ends, nothing can happen any more, or `limit_ms` (0: none) of
/// simulated time have passed. Empty when the program ended. `faults`: message ids of faults.
[[nodiscard]] std::optional<Failure> simulate(const host::HostProcess& host, double limit_ms,
                                              std::span<const std::string_view> faults,
                                              const RunDetails& details = {});

}  // namespace rtvp::platform
