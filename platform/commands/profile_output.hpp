// `--profile` and `--coverage`: what the user asked for, what each host computer's processors did,
// the files for all of them. Diagnostics like the trace: there after a failure, too.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/common/core/file_io.hpp"
#include "platform/machines/machine.hpp"
#include "platform/options/run_params.hpp"

namespace rtvp::platform {

/// The profile of one host computer; nothing unless asked for.
class PartProfile {
 public:
  PartProfile() = default;
  /// Host computer `number` writes into the open file `file`.
  PartProfile(const OutputOptions& output, std::size_t number, int file);

  [[nodiscard]] explicit operator bool() const { return file_ >= 0; }
  /// After the machines are built, before the simulation. Throws InputError if none of them has
  /// processors of which a profile can be had, or none that trace.modules names.
  void begin(std::span<const std::unique_ptr<Machine>> machines) const;
  /// The simulation is over.
  void finish(std::span<const std::unique_ptr<Machine>> machines);
  /// Why it could not be kept; empty if it is.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  [[nodiscard]] std::vector<debug::Profile> chosen(
      std::span<const std::unique_ptr<Machine>> machines) const;

  OutputOptions output_;
  std::string name_, problem_;
  int file_ = -1;
};

class ProfileOutput {
 public:
  /// Throws InputError for options that no profile can have.
  static void check(const OutputOptions& output, const Settings& settings);

  /// For `parts` host computers; opens the files. Throws InputError if one of them is not to be
  /// had. `title`: whose run it is.
  ProfileOutput(const OutputOptions& output, std::size_t parts, std::string title);
  ~ProfileOutput();
  ProfileOutput(const ProfileOutput&) = delete;
  ProfileOutput& operator=(const ProfileOutput&) = delete;

  /// In the process of that computer.
  [[nodiscard]] PartProfile part(std::size_t number) const;
  [[nodiscard]] bool wanted() const { return !files_.empty(); }
  /// Replaces the files. Throws std::system_error or std::runtime_error.
  void write();
  /// Names of the files.
  [[nodiscard]] std::string names() const;
  /// Leaves nothing behind; for a process that ends here.
  void discard() {
    profile_.reset();
    coverage_.reset();
  }

 private:
  OutputOptions output_;
  std::string title_;
  std::unique_ptr<common::FileReplacement> profile_, coverage_;
  std::vector<int> files_;  ///< one a host computer, written by it and read by write()
};

}  // namespace rtvp::platform
