// Where a run's clocks went, which lines it executed, what each instruction did: files of
// theia-run.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/debug/program.hpp"
#include "models/theia/debug/instruction_log.hpp"

namespace rtvp::theia {

struct SeeingWishes {
  std::string profile, coverage, instructions;  ///< files; empty: none
  bool each = false;                            ///< profile: core by core
  [[nodiscard]] bool accounts() const { return !profile.empty() || !coverage.empty(); }
};

/// Throws tool::Failure for a profile whose name has no known end.
void checkSeeing(const SeeingWishes& wishes);

/// Keeps the lines of a log until the run is over.
class InstructionFile {
 public:
  InstructionFile(const debug::Program& program, unsigned cores);
  [[nodiscard]] CoreControl& control() { return log_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  InstructionLog log_;
};

/// Writes profile and coverage of cores that have kept account. `title`: whose run it was.
void writeAccounts(const SeeingWishes& wishes, const debug::Program& program,
                   const std::vector<std::pair<std::string, const Core*>>& cores,
                   const std::string& title);
void writeInstructions(const SeeingWishes& wishes, const InstructionFile& file);

}  // namespace rtvp::theia
