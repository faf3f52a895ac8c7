// What the debugger knows of a core: values, places, effects; halts and accounts of both executors.
#include <gtest/gtest.h>

#include <cmath>

#include "firmware/theia/firmware.hpp"
#include "models/common/core/text.hpp"
#include "models/theia/debug/profile.hpp"
#include "models/theia/debug/program.hpp"
#include "models/theia/debug/unit.hpp"
#include "tests/models/theia/frame_support.hpp"

namespace rtvp::theia {
namespace {

using namespace test;

unsigned registerOf(const DebugUnit& unit, std::string_view name) {
  const auto all = unit.registers();
  for (unsigned n = 0; n < all.size(); ++n) {
    if (all[n].name == name) return n;
  }
  ADD_FAILURE() << name;
  return 0;
}

struct OneCore {
  Rom rom = microcodeRom();
  Core core{CoreConfig{}, rom, 0};
  std::vector<Word> texture = std::vector<Word>(16, 7);
  DebugUnit unit{"theia.core0", core, texture};
};

TEST(TheiaDebugUnit, LanesAreRegistersInFixedPoint) {
  OneCore one;
  const unsigned y = registerOf(one.unit, "CREG_t.y");
  EXPECT_NE(y, registerOf(one.unit, "CREG_T.y"));
  one.unit.setValue(y, one.unit.rawOf(-2.5, 32));
  EXPECT_EQ(one.core.readRegister(reg("CREG_t")), (Vec{0, 0xFFFB0000U, 0}));
  EXPECT_EQ(one.unit.real(one.unit.value(y), 32), -2.5);
  EXPECT_EQ(one.unit.rawOf(1e9, 32), 0x7FFFFFFFU);
  EXPECT_EQ(one.unit.rawOf(-1e9, 32), 0x80000000U);
  EXPECT_EQ(one.unit.rawOf(std::nan(""), 32), 0U);
  // The bank of what the host fills next can be seen and not changed.
  const unsigned next = registerOf(one.unit, "NEXT_CREG_V0.x");
  one.unit.setValue(next, 5);
  EXPECT_EQ(one.unit.value(next), 0U);
}

TEST(TheiaDebugUnit, MemoriesHaveTheirPlaces) {
  OneCore one;
  one.core.hostWriteInstruction(12, Instruction::typeOne(Op::OMWRITE, 0, reg("CREG_012"), 0));
  one.core.startAt(0x800C);
  one.unit.begins(0);
  one.core.pokeRegister(reg("CREG_012"), {3, 4, 5});
  const debug::Effects effects = one.unit.next();
  ASSERT_EQ(effects.count, 3U);
  EXPECT_TRUE(effects.accesses[1].write);
  EXPECT_EQ(effects.accesses[1].address, DebugUnit::kOutput + 4);
  EXPECT_EQ(one.unit.peek(DebugUnit::kTexture + 15), 7U);
  EXPECT_FALSE(one.unit.peek(DebugUnit::kTexture + 16));
  EXPECT_TRUE(one.unit.poke(DebugUnit::kOutput + 4, 9));
  EXPECT_EQ(one.core.output()[4], 9U);
  EXPECT_FALSE(one.unit.poke(0, 0)) << "the ROM";
  EXPECT_FALSE(one.unit.poke(0x8FFF, 0)) << "beyond the instruction RAM";
  EXPECT_FALSE(one.unit.peek(0x3FFFFFFF));
  EXPECT_EQ(one.unit.disassemble(0x9000), "(nothing is loaded there)");
}

TEST(TheiaDebugProgram, EntryPointsAreThoseOfTheTable) {
  const Microcode& flat = *findMicrocode("flat");
  const debug::Program program = debugProgram(microcodeCode(), flat.table);
  const auto main = static_cast<std::size_t>(Entry::Main);
  EXPECT_EQ(program.find("MAIN"), flat.table[main]);
  EXPECT_EQ(program.find("default_MAIN"), 37U);
  EXPECT_EQ(program.symbolic(flat.table[main]), "improved_MAIN");
  EXPECT_EQ(program.symbolic(38), "default_MAIN+1");
  // Each row of the ROM has a line, of a source that exists.
  const Rom rom = microcodeRom();
  for (unsigned row = 0; row < rom.size(); ++row)
    EXPECT_EQ(rom.present[row], program.lineAt(row) != nullptr) << row;
  // Behind the last one nothing has a name.
  auto behind = static_cast<unsigned>(rom.size());
  while (behind > 0 && !rom.present[behind - 1]) --behind;
  EXPECT_EQ(program.symbolic(behind), common::hex(behind, 4));
}

/// Halts at each row of a routine in turn: nothing of the result or of the counts may change.
TEST(TheiaDebugHalts, LeaveWordsClocksAndCountsAlone) {
  const Frame frame = loadFrame("frame_tiny_4c");
  struct Halting : CoreControl {
    Stop run(Core& core, Clock /*began*/) override {
      Stop stop = core.run();
      while (stop == Stop::Place) {
        ++halts;
        row = static_cast<std::uint16_t>((row + 7) % 316);
        core.setHalts({37, row});
        stop = core.step();
        if (stop == Stop::None) stop = core.run();
      }
      return stop;
    }
    std::uint16_t row = 37;
    std::uint64_t halts = 0;
  };
  Gpu plain = makeGpu(frame, microcodeRom());
  GpuPort undisturbed(plain);
  const Clock done = playFrame(undisturbed, frame, 0);
  for (const bool fast : {true, false}) {
    GpuConfig config;
    config.core.fast = fast;
    Gpu gpu = makeGpu(frame, microcodeRom(), config);
    Halting halting;
    for (unsigned core = 0; core < gpu.cores(); ++core) gpu.core(core).setHalts({37});
    gpu.control(&halting);
    GpuPort port(gpu);
    EXPECT_EQ(playFrame(port, frame, 0), done);
    EXPECT_GT(halting.halts, 100U);
    EXPECT_EQ(storedText(gpu, frame), storedText(plain, frame));
    for (unsigned core = 0; core < gpu.cores(); ++core) {
      EXPECT_EQ(gpu.core(core).statistics().opcodes, plain.core(core).statistics().opcodes);
      EXPECT_EQ(gpu.core(core).instructions(), plain.core(core).instructions());
    }
  }
}

TEST(TheiaAccount, AddsUpToTheControlUnitsClocks) {
  for (const bool exact : {false, true}) {
    for (const bool fast : {true, false}) {
      const Frame frame = loadFrame("frame_tiny_4c");
      GpuConfig config;
      config.core.fast = fast;
      config.core.hostCodeAfter = 4;
      config.core.alu.exactMath = exact;
      Gpu gpu = makeGpu(frame, microcodeRom(), config);
      gpu.keepAccount();
      GpuPort port(gpu);
      gpu.finish(playFrame(port, frame, 0) + 1000);
      for (unsigned core = 0; core < gpu.cores(); ++core) {
        Clock sum = 0, divider = 0;
        std::uint64_t executions = 0;
        for (const auto& [address, row] : gpu.core(core).account()) {
          for (const Clock clocks : row.clocks) sum += clocks;
          divider += row.clocks[static_cast<std::size_t>(Spent::Divider)];
          executions += row.executions;
        }
        EXPECT_EQ(sum, gpu.controlClocks(core).sum());
        EXPECT_EQ(sum, gpu.portFree());
        EXPECT_EQ(divider, gpu.core(core).dividerClocks());
        EXPECT_EQ(executions, gpu.core(core).instructions());
      }
    }
  }
}

}  // namespace
}  // namespace rtvp::theia
