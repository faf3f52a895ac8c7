#include "platform/machines/simulation.hpp"

#include <exception>
#include <systemc>
#include <utility>

#include "models/common/report_ids.hpp"

namespace rtvp::platform {
namespace {

std::exception_ptr start(double limit_ms) {
  try {
    if (limit_ms > 0) {
      sc_core::sc_start(sc_core::sc_time(limit_ms, sc_core::SC_MS), sc_core::SC_EXIT_ON_STARVATION);
    } else {
      sc_core::sc_start();
    }
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

std::optional<Failure> judge(const host::HostProcess& host, double limit_ms,
                             std::span<const std::string_view> faults, const RunDetails& details,
                             std::optional<std::uint64_t>& end) {
  const auto states = [&] { return details.states ? details.states() : std::string(); };
  std::exception_ptr error = start(limit_ms);
  if (!error) error = host.error();
  if (error) {
    Failure failure = describe(error, faults);
    if (failure.status == ExitStatus::Unfinished) failure.message += states();
    return failure;
  }
  if (host.finished()) {
    end = sc_core::sc_time_stamp().value();
    return std::nullopt;
  }
  if (details.failure) {
    if (std::optional<Failure> failure = details.failure()) return failure;
  }
  const bool limit = limit_ms > 0 && sc_core::sc_pending_activity();
  if (limit) end = sc_core::sc_time(limit_ms, sc_core::SC_MS).value();
  return Failure{ExitStatus::Unfinished,
                 std::string(limit ? report_ids::kLimit : report_ids::kDeadlock) +
                     (limit ? ": run.limit_ms at " : ": nothing can happen any more at ") +
                     host.timeText(sc_core::sc_time_stamp()) + "; " + host.waitingFor() + states()};
}

}  // namespace

std::optional<Failure> simulate(const host::HostProcess& host, double limit_ms,
                                std::span<const std::string_view> faults,
                                const RunDetails& details) {
  // A run that ends of itself or at the limit ends everywhere at that time, however far a model has
  // run ahead. One that fails has no such time: what led to the failure may lie ahead.
  std::optional<std::uint64_t> end;  // of the trace, picoseconds
  std::optional<Failure> failure = judge(host, limit_ms, faults, details, end);
  if (details.trace != nullptr) details.trace->finish(end);
  return failure;
}

}  // namespace rtvp::platform
