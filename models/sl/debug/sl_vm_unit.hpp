// A run of an SL program as the debugger sees it. Addresses are instructions.
#pragma once

#include <cstdint>
#include <string>

#include "models/sl/debug/sl_run_unit.hpp"

namespace rtvp::sl {

/// A run between two instructions.
struct VmState {
  Vm vm;
  std::uint64_t cycles = 0;  ///< the instructions' own (FormInfo::cycles), without memory
};

class VmUnit final : public RunUnit {
 public:
  /// `state` outlives the unit.
  explicit VmUnit(VmState& state) : RunUnit("sl"), state_(state) {}

  [[nodiscard]] std::string registerText() const override;
  [[nodiscard]] std::uint64_t addressMask() const override { return 0xFFFF'FFFF; }
  [[nodiscard]] unsigned addressDigits() const override { return 4; }
  [[nodiscard]] std::optional<std::uint64_t> peek(std::uint64_t address) const override;
  [[nodiscard]] std::uint64_t pc() const override { return state_.vm.pc(); }
  /// A place that is none of the program's changes nothing.
  void setPc(std::uint64_t pc) override;
  [[nodiscard]] std::uint64_t cycle() const override { return state_.cycles; }
  [[nodiscard]] std::uint64_t instructions() const override { return state_.vm.instructions(); }
  [[nodiscard]] std::string disassemble(std::uint64_t address) const override;

 private:
  [[nodiscard]] Vm* run() const override { return &state_.vm; }
  VmState& state_;
};

}  // namespace rtvp::sl
