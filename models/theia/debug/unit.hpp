// A THEIA core for the debug core: registers by lane, instruction memories, texture and output
// memory, and what the next instruction touches.
//
// Addresses: code as the core has it, a row each (8000h: the user's instruction RAM), a word of 64
// bits; texture memory from kTexture and the core's output memory from kOutput on, words of 32.
// A lane is a register of its own, R1.x; its view as a number is Q15.17.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/debug/unit.hpp"
#include "models/theia/core.hpp"

namespace rtvp::theia {

class DebugUnit final : public debug::Unit {
 public:
  static constexpr std::uint64_t kTexture = 0x1000'0000, kOutput = 0x2000'0000;
  /// PC of a core that has not begun anything: the hardware has none then.
  static constexpr std::uint64_t kNowhere = 0xFFFF;

  /// Core and texture memory outlive it. `texture`: may be empty.
  DebugUnit(std::string name, Core& core, std::span<Word> texture);

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::span<const debug::Register> registers() const override;
  [[nodiscard]] std::uint64_t value(unsigned reg) const override;
  void setValue(unsigned reg, std::uint64_t raw) override;
  [[nodiscard]] std::string registerText() const override;
  [[nodiscard]] std::uint64_t addressMask() const override { return 0x3FFF'FFFF; }
  [[nodiscard]] unsigned addressDigits() const override { return 4; }
  [[nodiscard]] unsigned wordBits() const override { return 32; }
  [[nodiscard]] std::optional<std::uint64_t> peek(std::uint64_t address) const override;
  bool poke(std::uint64_t address, std::uint64_t word) override;
  [[nodiscard]] double real(std::uint64_t raw, unsigned bits) const override;
  /// Rounded, and limited to what Q15.17 holds.
  [[nodiscard]] std::uint64_t rawOf(double value, unsigned bits) const override;
  [[nodiscard]] std::uint64_t pc() const override { return begun_ ? core_.pc() : kNowhere; }
  void setPc(std::uint64_t pc) override { core_.setPc(static_cast<std::uint16_t>(pc)); }
  /// Clock of the GPU that the core has come to.
  [[nodiscard]] std::uint64_t cycle() const override { return began_ + core_.clocks(); }
  [[nodiscard]] std::uint64_t instructions() const override { return core_.instructions(); }
  /// The hardware has no stack: a call inside a call forgets where the outer one came from.
  [[nodiscard]] std::uint64_t stackPointer() const override { return 0; }
  [[nodiscard]] bool outside(std::uint64_t /*now*/, std::uint64_t /*then*/) const override {
    return true;
  }
  [[nodiscard]] std::vector<std::uint64_t> callers() const override;
  [[nodiscard]] debug::Effects next() const override;
  [[nodiscard]] std::string disassemble(std::uint64_t address) const override;

  [[nodiscard]] Core& core() { return core_; }
  /// Clock of the GPU at which the routine that runs began.
  void begins(Clock clock) {
    began_ = clock;
    begun_ = true;
  }

 private:
  std::string name_;
  Core& core_;
  std::span<Word> texture_;
  Clock began_ = 0;
  bool begun_ = false;
};

}  // namespace rtvp::theia
