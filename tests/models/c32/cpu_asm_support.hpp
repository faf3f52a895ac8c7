// Machines that run assembly text, for tests of peripherals: they read like the programs they test.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "models/c32/asm/assembler.hpp"
#include "tests/models/c32/cpu_test_support.hpp"

namespace rtvp::c32::testing {

/// Puts an assembled source into internal RAM and external memory; returns its image.
inline Image loadProgram(Machine& m, const std::string& source) {
  AssemblerOptions options;
  options.warnings.dataPage = false;
  const AssemblyResult result = assemble("test.asm", source, options);
  if (!result.image) {
    ADD_FAILURE() << result.report();
    return {};
  }
  for (const Section& section : result.image->sections) {
    for (std::uint32_t i = 0; i < section.words.size(); ++i) {
      m.load(section.loadAddress + i, {section.words[i]});
    }
  }
  return *result.image;
}

/// A processor with `source` assembled at the start of RAM block 0, unless it says .org, SP in
/// block 1 and AR7 = 808000h, the peripherals.
struct AsmMachine : Machine {
  explicit AsmMachine(const std::string& source, const CpuConfig& config = {})
      : Machine({}, config) {
    image = loadProgram(*this, "        .text\n        .org 87FE00h\n" + source);
    cpu.setPc(kRamBase);
    cpu.setRegister(reg::SP, 0x87FFF0);
    cpu.setRegister(reg::AR7, kPeripheralBase);
    cpu.setRegister(reg::IF, 0x87FE0000);  // vectors at the start of the RAM
  }
  [[nodiscard]] std::uint32_t at(const std::string& label) const {
    return image.find(label).value_or(0);
  }
  /// Runs until the PC stands at `label`.
  void runTo(const std::string& label, int most = 100'000) {
    for (int i = 0; i < most && cpu.pc() != at(label); ++i) {
      if (steps(1) != StopReason::Steps) {
        ADD_FAILURE() << "stopped at " << cpu.pc() << " " << cpu.fault().text;
        return;
      }
    }
    EXPECT_EQ(cpu.pc(), at(label));
  }
  [[nodiscard]] std::uint32_t word(std::uint32_t address) const {
    const std::optional<std::uint32_t> inside = cpu.peek(address);
    if (inside) return *inside;
    const auto found = board.memory.find(address);
    return found == board.memory.end() ? board.fill : found->second;
  }
  Image image;
};

}  // namespace rtvp::c32::testing
