// `--trace`: what the user asked for, a recorder for each host computer, one file for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/common/core/file_io.hpp"
#include "models/common/trace.hpp"
#include "platform/options/run_params.hpp"
#include "platform/report/trace_file.hpp"
#include "platform/report/trace_recorder.hpp"

namespace rtvp::platform {

/// The trace of one host computer; nothing unless asked for.
class PartTrace {
 public:
  PartTrace() = default;
  /// Host computer `number` records into the open file `file`.
  PartTrace(const OutputOptions& output, std::size_t number, int file);

  [[nodiscard]] explicit operator bool() const { return recorder_.has_value(); }
  /// Where the modules of this computer declare their signals.
  [[nodiscard]] common::TraceScope scope();
  /// All signals are declared. Throws InputError for a name in trace.modules that fits no module.
  void declared() const;
  /// The simulation is over, at `end` picoseconds if that is when its machine stood still for all
  /// that models had run ahead.
  void finish(std::optional<std::uint64_t> end);
  /// Why its events could not be kept; empty if they are.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  std::string name_, problem_;
  std::optional<report::TraceRecorder> recorder_;
};

class TraceOutput {
 public:
  /// Throws InputError for options that no trace can have.
  static void check(const OutputOptions& output);

  /// For `parts` host computers; opens the file. Throws InputError if that or a place for their
  /// events is not to be had.
  TraceOutput(const OutputOptions& output, std::size_t parts);
  ~TraceOutput();
  TraceOutput(const TraceOutput&) = delete;
  TraceOutput& operator=(const TraceOutput&) = delete;

  /// In the process of that computer.
  [[nodiscard]] PartTrace part(std::size_t number) const;
  /// Replaces the file. Throws std::system_error or std::runtime_error.
  void write();
  /// Gives the events' room on the disk back; false if they had none. There is no trace then.
  bool drop();
  /// Leaves nothing behind; for a process that ends here.
  void discard() { target_.reset(); }

 private:
  OutputOptions output_;
  std::unique_ptr<common::FileReplacement> target_;
  std::vector<int> files_;  ///< one a host computer, written by it and read by write()
};

}  // namespace rtvp::platform
