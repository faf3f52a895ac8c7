// What a machine with an RV64 hart offers to GDB.
#pragma once

#include "models/xphmg/hart/elf.hpp"
#include "models/xphmg/hart_module.hpp"

namespace rtvp::platform {

class DebuggedHart {
 public:
  virtual ~DebuggedHart() = default;
  /// Null: this run has no hart. After Machine::build().
  [[nodiscard]] virtual xphmg::HartModule* hart() = 0;
  /// What it runs; only with a hart.
  [[nodiscard]] virtual const rv64::ElfImage& hartProgram() const = 0;
  /// Who watches it besides the debugger (a trace), or null; only with a hart.
  [[nodiscard]] virtual rv64::Observer* hartObserver() { return nullptr; }
};

}  // namespace rtvp::platform
