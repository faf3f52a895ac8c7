// Exit statuses of `platform` (design.md section 7) and which condition leads to which. Scripts
// depend on them.
#pragma once

#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rtvp::platform {

enum class ExitStatus : int {
  Done = 0,
  Different = 1,   ///< `compare` found more than the bound allows
  BadInput = 2,    ///< the input or the options are wrong
  Fault = 3,       ///< firmware or model fault: lockstep violation, bus error, trap
  Unfinished = 4,  ///< deadlock, or a run limit was reached
  Internal = 70,   ///< our own mistake
};

constexpr int toInt(ExitStatus s) {
  return static_cast<int>(s);
}

/// The user's command, configuration or files are wrong; what() says what was found and what is
/// accepted.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A run ended by a condition with a status of its own.
class RunError : public std::runtime_error {
 public:
  RunError(ExitStatus status, const std::string& what)
      : std::runtime_error(what), status_(status) {}
  [[nodiscard]] ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

/// Status of a run that a report with this id ended (ids: models/common/report_ids.hpp); `faults`:
/// those that mean a fault of a machine.
[[nodiscard]] ExitStatus exitStatusOf(std::string_view reportId,
                                      std::span<const std::string_view> faults);

/// Status and one-line text of any exception that ended a run. Knows InputError, scene errors,
/// sc_report; everything else is internal.
struct Failure {
  ExitStatus status = ExitStatus::Internal;
  std::string message;
};
[[nodiscard]] Failure describe(const std::exception_ptr& error,
                               std::span<const std::string_view> faults = {});

/// One line on standard error.
void print(const Failure& failure);

}  // namespace rtvp::platform
