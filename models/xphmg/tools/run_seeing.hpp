// What xphmg-run writes about a program beside its statistics: where the cycles went, which lines
// were executed, what each instruction did.
#pragma once

#include <memory>
#include <string>

#include "models/common/tool/files.hpp"
#include "models/xphmg/debug/hart_log.hpp"
#include "models/xphmg/debug/hart_unit.hpp"
#include "models/xphmg/hart/account.hpp"
#include "models/xphmg/hart/observers.hpp"
#include "models/xphmg/hart_module.hpp"
#include "models/xphmg/tools/run_elf.hpp"

namespace rtvp::xphmg {

class RunSeeing {
 public:
  /// Opens the files. Throws tool::Failure if one is not to be had, has a name that says no form,
  /// or needs source lines that the program does not have.
  RunSeeing(const RunElfOptions& options, const rv64::ElfImage& image);

  /// Before the simulation starts. `trace`: another one who watches, or null. Gives who is to watch
  /// the hart, or null.
  [[nodiscard]] rv64::Observer* attach(HartModule& hart, rv64::Observer* trace);
  /// The program is over, however it ended. Throws tool::Failure.
  void write(const HartModule& hart);

 private:
  void writeLog(const HartModule& hart);

  const RunElfOptions& options_;
  const rv64::ElfImage& image_;
  rv64::Account account_;
  tool::OutputStream profile_, coverage_, instructions_;
  std::unique_ptr<rv64::DebugUnit> unit_;
  std::unique_ptr<rv64::HartLog> log_;
  std::string bytes_;  ///< of the log, if it is to be text
  rv64::Observers watchers_;
};

/// A file for what is said about a program; "-" is standard error, since the program has standard
/// output.
[[nodiscard]] tool::OutputStream openDiagnostics(const std::string& path);

}  // namespace rtvp::xphmg
