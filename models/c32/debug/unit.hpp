// The C32 of a session as the debugger sees it, and the program in the debugger's form.
#pragma once

#include <string>
#include <vector>

#include "models/c32/debug/session.hpp"
#include "models/debug/program.hpp"
#include "models/debug/unit.hpp"

namespace rtvp::c32 {

/// Symbols, labels and lines of an image.
debug::Program debugProgram(const Image& image);

/// A processor and what it sees of memory.
class DebugTarget {
 public:
  virtual ~DebugTarget() = default;
  [[nodiscard]] virtual Cpu& cpu() const = 0;
  /// Empty: nothing answers.
  [[nodiscard]] virtual std::optional<std::uint32_t> peek(std::uint32_t address) const = 0;
  /// False if the word cannot be changed.
  virtual bool poke(std::uint32_t address, std::uint32_t word) = 0;
  /// Words may be taken for a stack or code there: no device.
  [[nodiscard]] virtual bool isMemory(std::uint32_t address) const = 0;
};

/// A Machine's first DSP.
class MachineTarget final : public DebugTarget {
 public:
  explicit MachineTarget(Machine& machine) : machine_(machine) {}
  [[nodiscard]] Cpu& cpu() const override { return machine_.cpu(); }
  [[nodiscard]] std::optional<std::uint32_t> peek(std::uint32_t address) const override {
    return machine_.peek(address);
  }
  bool poke(std::uint32_t address, std::uint32_t word) override {
    machine_.poke(address, word);
    return true;
  }
  [[nodiscard]] bool isMemory(std::uint32_t address) const override {
    return machine_.isPlainMemory(address);
  }

 private:
  Machine& machine_;
};

class DebugUnit : public debug::Unit {
 public:
  DebugUnit(std::string name, DebugTarget& target);

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::span<const debug::Register> registers() const override { return registers_; }
  [[nodiscard]] std::uint64_t value(unsigned reg) const override;
  void setValue(unsigned reg, std::uint64_t raw) override;
  [[nodiscard]] std::string registerText() const override;
  [[nodiscard]] std::uint64_t addressMask() const override { return kAddressMask; }
  [[nodiscard]] unsigned addressDigits() const override { return 6; }
  [[nodiscard]] unsigned wordBits() const override { return 32; }
  [[nodiscard]] std::optional<std::uint64_t> peek(std::uint64_t address) const override;
  bool poke(std::uint64_t address, std::uint64_t word) override;
  [[nodiscard]] double real(std::uint64_t raw, unsigned bits) const override;
  [[nodiscard]] std::uint64_t rawOf(double value, unsigned bits) const override;
  [[nodiscard]] std::uint64_t pc() const override { return target_.cpu().pc(); }
  void setPc(std::uint64_t pc) override;
  [[nodiscard]] std::uint64_t cycle() const override { return target_.cpu().cycle(); }
  [[nodiscard]] std::uint64_t instructions() const override;
  [[nodiscard]] std::uint64_t stackPointer() const override;
  [[nodiscard]] bool outside(std::uint64_t now, std::uint64_t then) const override;
  [[nodiscard]] std::vector<std::uint64_t> callers() const override;
  [[nodiscard]] debug::Effects next() const override;
  [[nodiscard]] std::optional<debug::Flows> flows() const override;
  [[nodiscard]] std::string disassemble(std::uint64_t address) const override;

 protected:
  /// Behind the processor's own; value() and setValue() of it are the derived class's.
  void addRegister(const debug::Register& more) { registers_.push_back(more); }

 private:
  std::string name_;
  DebugTarget& target_;
  std::vector<debug::Register> registers_;
};

}  // namespace rtvp::c32
