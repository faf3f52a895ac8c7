// What xphmg-run writes about a program beside its statistics: where the cycles went and which
// lines were executed.
#pragma once

#include <memory>

#include "models/common/tool/files.hpp"
#include "models/xphmg/hart/account.hpp"
#include "models/xphmg/hart_module.hpp"
#include "models/xphmg/tools/run_elf.hpp"

namespace rtvp::xphmg {

class RunSeeing {
 public:
  /// Opens the files. Throws tool::Failure if one is not to be had, has a name that says no form,
  /// or needs source lines that the program does not have.
  RunSeeing(const RunElfOptions& options, const rv64::ElfImage& image);

  /// Before the simulation starts.
  void attach(HartModule& hart);
  /// The program is over, however it ended. Throws tool::Failure.
  void write();

 private:
  const RunElfOptions& options_;
  const rv64::ElfImage& image_;
  rv64::Account account_;
  tool::OutputStream profile_, coverage_;
};

/// A file for what is said about a program; "-" is standard error, since the program has standard
/// output.
[[nodiscard]] tool::OutputStream openDiagnostics(const std::string& path);

}  // namespace rtvp::xphmg
