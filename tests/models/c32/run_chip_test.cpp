// c32-run's machine as a C30 or C31, the flat machine, and variables that the loader initialises
// (the RAM model of TI's linker). Addresses: TMS320C3x User's Guide, memory maps.
#include <gtest/gtest.h>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/asm/coff.hpp"
#include "models/c32/debug/boot_image.hpp"
#include "models/c32/debug/session.hpp"

namespace rtvp::c32 {
namespace {

Image program(const std::string& source) {
  const AssemblyResult r = assemble("t.asm", source, {});
  EXPECT_TRUE(r.image) << r.report();
  return r.image.value_or(Image{});
}

CpuConfig chip(Chip which, Timing timing = Timing::Pipeline) {
  CpuConfig config;
  config.chip = which;
  config.timing = timing;
  return config;
}

struct OnChip {
  OnChip(const std::string& source, const CpuConfig& config, MachineOptions options = {})
      : image(program(source)), machine(config, options) {
    machine.load(image);
  }
  StopReport go(bool observed = false) {
    SessionOptions limits;
    limits.maxInstructions = 100'000;
    Session session(machine, image, limits);
    session.counting = observed;
    return session.run();
  }
  [[nodiscard]] std::uint32_t at(std::uint32_t address) const { return machine.peek(address); }
  Image image;
  Machine machine;
};

/// Runs in the on-chip RAM of a C31, from its first word; stores across the border of the blocks.
constexpr const char* kInsideC31 =
    "        .sect \"in\",809800h,809800h\n"
    "start:  LDI   809h,AR0\n        LSH 12,AR0\n        OR 0BFEh,AR0\n"
    "        LDI   7,R0\n        LDI 5,R1\n"
    "        STI   R0,*AR0++\n"
    "        RPTS  3\n        STI R1,*AR0++\n"
    "        LDI   -1,R3\n        IDLE\n        .end start\n";

TEST(C32Chip, InternalRamOfTheC31AndC30) {
  for (const Chip which : {Chip::C31, Chip::C30}) {
    OnChip m(kInsideC31, chip(which));
    const StopReport stop = m.go();
    EXPECT_EQ(stop.why, Stopped::Idle) << stop.text;
    EXPECT_EQ(m.at(0x809BFE), 7u);
    EXPECT_EQ(m.at(0x809BFF), 5u);
    EXPECT_EQ(m.at(0x809C02), 5u);
    EXPECT_EQ(m.at(0x809C03), 0u);
  }
  // On a C32 nothing answers there.
  EXPECT_EQ(OnChip(kInsideC31, chip(Chip::C32)).go().why, Stopped::Fault);
}

TEST(C32Chip, ObservingChangesNoCycle) {
  for (const Timing timing : {Timing::Static, Timing::Interlock, Timing::Pipeline}) {
    OnChip plain(kInsideC31, chip(Chip::C31, timing)), watched(kInsideC31, chip(Chip::C31, timing));
    plain.go();
    watched.go(true);
    EXPECT_EQ(plain.machine.cpu().cycle(), watched.machine.cpu().cycle());
  }
}

TEST(C32Chip, AddressesByChip) {
  // What a store and a load answer: C31 has no expansion bus, C30 two ranges of it.
  const auto works = [](Chip which, std::uint32_t address) {
    OnChip m(
        "        .sect \"x\",100h,100h\ns:      LDI @a,AR0\n        LDI 3,R0\n        STI R0,*AR0\n"
        "        LDI *AR0,R1\n        IDLE\na:      .word 0" +
            std::to_string(address) + "\n        .end s\n",
        chip(which));
    return m.go().why == Stopped::Idle && m.machine.cpu().registerValue(1) == 3;
  };
  EXPECT_TRUE(works(Chip::C30, 0x800000));
  EXPECT_TRUE(works(Chip::C30, 0x804000));
  EXPECT_FALSE(works(Chip::C30, 0x802000));
  EXPECT_FALSE(works(Chip::C31, 0x800000));
  EXPECT_FALSE(works(Chip::C31, 0x804000));
  EXPECT_TRUE(works(Chip::C31, 0x80A000));
  EXPECT_TRUE(works(Chip::C31, 0x87FE00));
  EXPECT_TRUE(works(Chip::C31, 0x809FFF));
  EXPECT_FALSE(works(Chip::C32, 0x80A000));
  EXPECT_TRUE(works(Chip::C32, 0x87FE00));
}

TEST(C32Chip, BusControlHasThirteenBitsAndKeeps32BitWords) {
  // Zeros in the upper bits mean nothing on a C31; on a C32 they would make it 8 bits wide.
  OnChip m(
      "        .sect \"x\",100h,100h\ns:      LDI 808h,AR0\n        LSH 12,AR0\n        LDI "
      "18h,R0\n"
      "        STI R0,*+AR0(64h)\n        LDI *+AR0(64h),R1\n        LDI *+AR0(68h),R2\n"
      "        LDI @v,R3\n        IDLE\nv:      .word 12345678h\n        .end s\n",
      chip(Chip::C31));
  EXPECT_EQ(m.go().why, Stopped::Idle);
  EXPECT_EQ(m.machine.cpu().registerValue(1), 0x18u);
  EXPECT_EQ(m.machine.cpu().registerValue(2), 0u);
  EXPECT_EQ(m.machine.cpu().registerValue(3), 0x12345678u);
}

TEST(C32Chip, FlatMachineFetchesEverywhere) {
  CpuConfig flat;
  flat.flatMemory = true;
  for (const std::uint32_t at : {0x87FE00u, 0x800048u, 0x808100u, 0x809800u, 0x830000u, 0x10u}) {
    OnChip m("        .sect \"x\",0" + std::to_string(at) + ",0" + std::to_string(at) +
                 "\ns:      LDI 5,R0\n        STI R0,*AR1\n        IDLE\n        .end s\n",
             flat);
    m.machine.cpu().setRegister(9, at + 0x40);
    EXPECT_EQ(m.go().why, Stopped::Idle) << std::hex << at;
    EXPECT_EQ(m.machine.cpu().registerValue(0), 5u);
    EXPECT_EQ(m.at(at + 0x40), 5u);
  }
}

TEST(C32Chip, BootTableOfTheC31) {
  const Image image = program(
      "        .sect \"main\",809800h,809800h\nstart:  LDI @v,R0\n        LDI 1,R1\n        IDLE\n"
      "        .sect \"more\",0A00000h,0A00000h\nv:      .word 0CAFEh\n        .end start\n");
  const std::vector<std::uint32_t> table = bootTable(image, 32, 0x000F0008, Chip::C31);
  ASSERT_EQ(table.size(), 2u + 2 + 3 + 2 + 1 + 1);
  EXPECT_EQ(table[0], 32u);
  EXPECT_EQ(table[1], 8u);
  EXPECT_EQ(table[2], 3u);
  EXPECT_EQ(table[3], 0x809800u);
  EXPECT_EQ(table.back(), 0u);
  for (const unsigned width : {8u, 16u, 32u}) {
    for (const char* const name : {"boot1", "boot2", "boot3"}) {
      const BootSource* source = bootSource(name, Chip::C31);
      ASSERT_NE(source, nullptr);
      CpuConfig config = chip(Chip::C31);
      config.microprocessorMode = false;
      MachineOptions options;
      options.bootPins = source->pins;
      Machine machine(config, options);
      machine.load(image);
      std::uint32_t address = source->address;
      for (const std::uint32_t w :
           bootLocations(bootTable(image, width, 0x000F0008, Chip::C31), width))
        machine.poke(address++, w);
      SessionOptions limits;
      limits.maxInstructions = 100'000;
      Session session(machine, image, limits);
      EXPECT_EQ(session.run().why, Stopped::Idle) << name << " " << width;
      EXPECT_EQ(machine.cpu().registerValue(1), 1u);
      EXPECT_EQ(machine.peek(0xA00000), 0xCAFEu);
    }
  }
  EXPECT_EQ(bootSource("boot1", Chip::C30), nullptr);
  EXPECT_EQ(bootSource("boot2", Chip::C31)->address, 0x400000u);
}

TEST(C32Chip, RamModelTablesAreLoaded) {
  Image image = program("        .sect \"x\",100h,100h\ns:      IDLE\n        .end s\n");
  Section cinit;
  cinit.name = ".cinit";
  cinit.words = {2, 0x300, 11, 12, 1, 0x400, 13, 0, 99};
  cinit.size = static_cast<std::uint32_t>(cinit.words.size());
  image.copies.push_back(cinit);
  const Image again = loadCoff(writeCoff(image));
  ASSERT_EQ(again.copies.size(), 1u);
  Machine machine({}, {});
  machine.load(again);
  EXPECT_EQ(machine.peek(0x300), 11u);
  EXPECT_EQ(machine.peek(0x301), 12u);
  EXPECT_EQ(machine.peek(0x400), 13u);
  EXPECT_EQ(machine.peek(0x302), 0u);
  // A table that is cut off initialises what is whole.
  image.copies[0].words = {1, 0x500, 5, 9, 0x600, 1};
  EXPECT_EQ(image.initialised().size(), 1u);
}

// c32.md 8.4: the size and width fields, bits 16 to 19, are the C32's alone. A reset value without
// them leaves a C31's words whole, and reads back as 13 bits.
TEST(C32Chip, ResetOfBusControlKeeps32BitWordsOnAC31) {
  CpuConfig config = chip(Chip::C31);
  config.strbReset = 0x000010F8;
  OnChip m(
      "        .sect \"x\",100h,100h\ns:      LDI 808h,AR0\n        LSH 12,AR0\n"
      "        LDI *+AR0(64h),R1\n        LDI @v,R3\n        IDLE\n"
      "v:      .word 12345678h\n        .end s\n",
      config);
  EXPECT_EQ(m.go().why, Stopped::Idle);
  EXPECT_EQ(m.machine.cpu().registerValue(1), 0x10F8u);
  EXPECT_EQ(m.machine.cpu().registerValue(3), 0x12345678u);
}

}  // namespace
}  // namespace rtvp::c32
