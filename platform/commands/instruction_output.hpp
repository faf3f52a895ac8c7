// `--instructions`: what processors execute in a window of simulated time, as a file; and
// `platform instructions`, which turns such a file into text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/common/core/file_io.hpp"
#include "platform/commands/profile_output.hpp"
#include "platform/machines/instruction_source.hpp"
#include "platform/options/instruction_params.hpp"

namespace rtvp::platform {

class InstructionOutput {
 public:
  /// Throws InputError for options that no log can have.
  static void check(const OutputOptions& output, const InstructionOptions& wanted, int hosts);

  /// Opens the file. Throws InputError if it is not to be had.
  InstructionOutput(const OutputOptions& output, std::string file);
  ~InstructionOutput();
  InstructionOutput(const InstructionOutput&) = delete;
  InstructionOutput& operator=(const InstructionOutput&) = delete;

  /// After the machines are built, before the simulation. Throws InputError if none of them has
  /// processors that can be watched, or none that trace.modules names.
  void begin(std::span<const std::unique_ptr<Machine>> machines);
  /// The simulation is over.
  void finish(std::span<const std::unique_ptr<Machine>> machines);
  [[nodiscard]] bool wanted() const { return target_ != nullptr; }
  /// Replaces the file. Throws std::system_error or std::runtime_error.
  void write();
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Leaves nothing behind; for a process that ends here.
  void discard() { target_.reset(); }

 private:
  [[nodiscard]] bool binary() const;
  void keep(std::string_view bytes);

  OutputOptions output_;
  std::string name_;
  std::unique_ptr<common::FileReplacement> target_;
  int file_ = -1;                            ///< nameless, of the log
  std::string problem_;                      ///< why it could not be kept
  std::vector<InstructionSource*> sources_;  ///< gone when the file is written
  bool text_ = false;                        ///< the log is text already
};

/// `platform instructions FILE`; arguments behind the word.
ExitStatus instructionsCommand(const std::vector<std::string>& arguments);

}  // namespace rtvp::platform
