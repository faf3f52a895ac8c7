// Registers of a run of an SL program as a debugger sees them. Lanes of vectors are registers of
// their own (N_x, N_y, N_z).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/debug/unit.hpp"
#include "models/sl/vm.hpp"

namespace rtvp::sl {

/// What one run and a pipeline of the shading unit have in common. There is no memory, no stack and
/// no call.
class RunUnit : public debug::Unit {
 public:
  [[nodiscard]] const std::string& name() const final { return name_; }
  [[nodiscard]] std::span<const debug::Register> registers() const final { return registers_; }
  [[nodiscard]] std::uint64_t value(unsigned reg) const override;
  void setValue(unsigned reg, std::uint64_t raw) override;
  [[nodiscard]] unsigned wordBits() const final { return 64; }
  /// The program's words cannot be changed: it was checked.
  bool poke(std::uint64_t /*address*/, std::uint64_t /*word*/) final { return false; }
  [[nodiscard]] double real(std::uint64_t raw, unsigned bits) const final;
  [[nodiscard]] std::uint64_t rawOf(double value, unsigned bits) const final;
  [[nodiscard]] std::uint64_t stackPointer() const final { return 0; }
  [[nodiscard]] bool outside(std::uint64_t /*now*/, std::uint64_t /*then*/) const final {
    return true;
  }
  [[nodiscard]] std::vector<std::uint64_t> callers() const final { return {}; }
  [[nodiscard]] debug::Effects next() const final { return {}; }

 protected:
  explicit RunUnit(std::string name);
  /// Null: there is none. Registers are then 0.
  [[nodiscard]] virtual Vm* run() const = 0;
  /// The run, to be changed. Throws debug::CommandError if there is none, or if its instruction is
  /// under way.
  [[nodiscard]] Vm& changeable() const;
  /// Registers of the language and `more`, which lie around the run.
  void addRegister(const debug::Register& more) { registers_.push_back(more); }
  [[nodiscard]] unsigned ownRegisters() const { return static_cast<unsigned>(lanes_.size()); }
  /// All registers of the language, a row each.
  [[nodiscard]] std::string rows() const;

 private:
  struct Lane {
    unsigned reg = 0;  ///< reg::Id
    unsigned lane = 0;
  };
  std::string name_;
  std::vector<std::string> names_;
  std::vector<Lane> lanes_;  ///< as the first of registers_
  std::vector<debug::Register> registers_;
};

}  // namespace rtvp::sl
