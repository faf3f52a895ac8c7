// A run of an SL program as the debugger sees it. Addresses are instructions; lanes of vectors are
// registers of their own (N_x, N_y, N_z).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/debug/unit.hpp"
#include "models/sl/vm.hpp"

namespace rtvp::sl {

/// A run between two instructions.
struct VmState {
  Vm vm;
  std::uint64_t cycles = 0;  ///< the instructions' own (FormInfo::cycles), without memory
};

class VmUnit final : public debug::Unit {
 public:
  /// `state` outlives the unit.
  explicit VmUnit(VmState& state);

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::span<const debug::Register> registers() const override { return registers_; }
  [[nodiscard]] std::uint64_t value(unsigned reg) const override;
  void setValue(unsigned reg, std::uint64_t raw) override;
  [[nodiscard]] std::string registerText() const override;
  [[nodiscard]] std::uint64_t addressMask() const override { return 0xFFFF'FFFF; }
  [[nodiscard]] unsigned addressDigits() const override { return 4; }
  [[nodiscard]] unsigned wordBits() const override { return 64; }
  /// The program's words, which cannot be changed: it was checked.
  [[nodiscard]] std::optional<std::uint64_t> peek(std::uint64_t address) const override;
  bool poke(std::uint64_t /*address*/, std::uint64_t /*word*/) override { return false; }
  [[nodiscard]] double real(std::uint64_t raw, unsigned bits) const override;
  [[nodiscard]] std::uint64_t rawOf(double value, unsigned bits) const override;
  [[nodiscard]] std::uint64_t pc() const override { return state_.vm.pc(); }
  /// A place that is none of the program's changes nothing.
  void setPc(std::uint64_t pc) override;
  [[nodiscard]] std::uint64_t cycle() const override { return state_.cycles; }
  [[nodiscard]] std::uint64_t instructions() const override { return state_.vm.instructions(); }
  [[nodiscard]] std::uint64_t stackPointer() const override { return 0; }  // there is no stack
  [[nodiscard]] bool outside(std::uint64_t /*now*/, std::uint64_t /*then*/) const override {
    return true;
  }
  [[nodiscard]] std::vector<std::uint64_t> callers() const override { return {}; }
  [[nodiscard]] debug::Effects next() const override { return {}; }  // no memory, no calls
  [[nodiscard]] std::string disassemble(std::uint64_t address) const override;

 private:
  struct Lane {
    unsigned reg = 0;  ///< reg::Id
    unsigned lane = 0;
  };
  VmState& state_;
  std::string name_ = "sl";
  std::vector<std::string> names_;
  std::vector<Lane> lanes_;  ///< as registers_
  std::vector<debug::Register> registers_;
};

}  // namespace rtvp::sl
