// How a tool ends: its exit status, and the report of what went wrong.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace rtvp::tool {

/// Exit statuses of every program of the project.
namespace status {
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;  ///< the work itself failed: a source with errors, a comparison
inline constexpr int kUsage = 2;   ///< the options or the input are wrong
inline constexpr int kFault = 3;   ///< fault of the program or the machine that ran
inline constexpr int kLimit = 4;   ///< a limit was reached, or nothing can happen any more
inline constexpr int kInternal = 70;  ///< a fault of our own, or an output that cannot be written
}  // namespace status

/// Ends the tool: tool::run() prints the report on standard error and returns the status.
class Failure : public std::runtime_error {
 public:
  /// "TOOL: error: MESSAGE".
  explicit Failure(const std::string& message, int status = status::kUsage)
      : Failure(Form::Named, message, status) {}
  /// "PLACE: error: MESSAGE"; a place is FILE or FILE:LINE:COLUMN.
  [[nodiscard]] static Failure at(const std::string& place, const std::string& message,
                                  int status) {
    return {Form::Complete, place + ": error: " + message + "\n", status};
  }
  /// `text` as it is: complete lines.
  [[nodiscard]] static Failure report(const std::string& text, int status) {
    return {Form::Complete, text, status};
  }

  [[nodiscard]] int status() const { return status_; }
  /// What the user reads; `tool` is the name of the program.
  [[nodiscard]] std::string text(std::string_view tool) const {
    return form_ == Form::Complete ? what() : std::string(tool) + ": error: " + what() + "\n";
  }

 private:
  enum class Form : unsigned char { Named, Complete };
  Failure(Form form, const std::string& text, int status)
      : std::runtime_error(text), form_(form), status_(status) {}
  Form form_;
  int status_;
};

}  // namespace rtvp::tool
