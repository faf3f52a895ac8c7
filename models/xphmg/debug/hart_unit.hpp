// The RV64 hart as the debugger sees it, and its program in the debugger's form. Addresses are
// bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/debug/program.hpp"
#include "models/debug/unit.hpp"
#include "models/xphmg/hart/elf.hpp"
#include "models/xphmg/hart/hart.hpp"

namespace rtvp::rv64 {

/// Symbols of an executable (marks of the assembler, $x and $d, are none), and the source line of
/// each instruction where it has line tables. Throws ElfError for tables that are wrong.
debug::Program debugProgram(const ElfImage& image);
/// Its symbols alone.
void addSymbols(const ElfImage& image, debug::Program& program);

class DebugUnit final : public debug::Unit {
 public:
  /// `vendor` names a custom instruction, or gives nothing.
  DebugUnit(std::string name, Hart& hart, std::function<std::string(std::uint32_t)> vendor);

  /// Numbers in registers(): x0 to x31, f0 to f31, then these.
  static constexpr unsigned kFloats = 32, kCsrs = 64;
  struct NamedCsr {
    std::string_view name;
    unsigned number;
  };
  [[nodiscard]] static std::span<const NamedCsr> csrs();

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::span<const debug::Register> registers() const override { return registers_; }
  [[nodiscard]] std::uint64_t value(unsigned reg) const override;
  void setValue(unsigned reg, std::uint64_t raw) override;
  [[nodiscard]] std::string registerText() const override;
  [[nodiscard]] std::uint64_t addressMask() const override { return ~std::uint64_t{0}; }
  [[nodiscard]] unsigned addressDigits() const override { return 8; }
  [[nodiscard]] unsigned wordBits() const override { return 8; }
  [[nodiscard]] std::optional<std::uint64_t> peek(std::uint64_t address) const override;
  bool poke(std::uint64_t address, std::uint64_t word) override;
  [[nodiscard]] double real(std::uint64_t raw, unsigned bits) const override;
  [[nodiscard]] std::uint64_t rawOf(double value, unsigned bits) const override;
  [[nodiscard]] std::uint64_t pc() const override { return hart_.pc(); }
  void setPc(std::uint64_t pc) override { hart_.setPc(pc); }
  [[nodiscard]] std::uint64_t cycle() const override { return hart_.cycle(); }
  [[nodiscard]] std::uint64_t instructions() const override { return hart_.instructionsRetired(); }
  [[nodiscard]] std::uint64_t stackPointer() const override { return hart_.x(2); }
  [[nodiscard]] bool outside(std::uint64_t now, std::uint64_t then) const override {
    return now >= then;  // the stack grows downwards
  }
  [[nodiscard]] std::vector<std::uint64_t> callers() const override;
  [[nodiscard]] debug::Effects next() const override;
  [[nodiscard]] unsigned length(std::uint64_t address) const override;
  [[nodiscard]] unsigned shortest() const override { return 2; }
  [[nodiscard]] std::string disassemble(std::uint64_t address) const override;

 private:
  [[nodiscard]] Decoded at(std::uint64_t address) const;
  [[nodiscard]] bool behindCall(std::uint64_t address) const;
  std::string name_;
  Hart& hart_;
  std::function<std::string(std::uint32_t)> vendor_;
  std::vector<debug::Register> registers_;
};

}  // namespace rtvp::rv64
