// What c32-run puts around the processor: several DSPs on one memory, the XF arbiter, the serial
// port's device and loopback, boot images.
#include <gtest/gtest.h>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/boot_rom.hpp"
#include "models/c32/debug/boot_image.hpp"
#include "models/c32/debug/session.hpp"

namespace rtvp::c32 {
namespace {

Image program(const std::string& source) {
  const AssemblyResult r = assemble("t.asm", source, {});
  EXPECT_TRUE(r.image) << r.report();
  return r.image.value_or(Image{});
}

/// A program on a machine; external memory without wait states.
struct OnBoard {
  OnBoard(const std::string& source, MachineOptions options, const CpuConfig& config = {})
      : image(program(source)), machine(config, (options.wait = 0, options)) {
    machine.load(image);
  }
  StopReport go(bool observed = false) {
    SessionOptions limits;
    limits.maxInstructions = 200'000;
    limits.maxCycles = 2'000'000;
    Session session(machine, image, limits);
    session.counting = observed;
    return session.run();
  }
  [[nodiscard]] std::uint32_t at(const std::string& label) const {
    return machine.peek(image.find(label).value_or(0));
  }
  Image image;
  Machine machine;
};

MachineOptions several(unsigned dsps) {
  MachineOptions options;
  options.dsps = dsps;
  return options;
}

TEST(XfArbiter, OneAtATimeTheEarliestFirst) {
  XfArbiter a(3);
  a.request(2, true, 10);
  a.request(0, true, 12);
  a.request(1, true, 12);
  EXPECT_FALSE(a.granted(2, 9));
  EXPECT_TRUE(a.granted(2, 10));
  EXPECT_FALSE(a.granted(0, 20));
  a.request(2, false, 21);
  EXPECT_TRUE(a.granted(0, 21));  // the lower number of the two
  EXPECT_FALSE(a.granted(1, 30));
  a.request(0, false, 31);
  a.request(0, true, 32);
  EXPECT_FALSE(a.granted(0, 32));  // behind the one that has been waiting
  EXPECT_TRUE(a.granted(1, 33));
}

constexpr const char* kCounter =
    "        .text\n"
    "_start: LDI 6,IOF\n"
    "        LDP @p\n"
    "        LDI @p,AR0\n"
    "        LDI 49,AR1\n"
    "again:  LDII *AR0,R0\n"
    "        LDI *+AR0(1),R1\n"  // a counter with an interlock, one beside it without
    "        ADDI 1,R0\n"
    "        STII R0,*AR0\n"
    "        ADDI 1,R1\n"
    "        LDI *+AR0(2),R2\n"
    "        STI R1,*+AR0(1)\n"
    "        DBU AR1,again\n"
    "        LDII *+AR0(2),R0\n"
    "        ADDI 1,R0\n"
    "        STII R0,*+AR0(2)\n"
    "        LDI @d,AR2\n"
    "        LDI *+AR2(7),R7\n"
    "        BNZ out\n"
    "wait:   LDI *+AR0(2),R0\n"
    "        CMPI @n,R0\n"
    "        BLT wait\n"
    "out:    LDI 0,R0\n"
    "        STI R0,*+AR2(2)\n"
    "        .data\n"
    "p:      .word a\n"
    "d:      .word 82FFF0h\n"
    "n:      .word N\n"
    "a:      .word 0\n"
    "b:      .word 0\n"
    "c:      .word 0\n";

TEST(Neighbours, InterlockedCountIsExactAndThePlainOneIsNot) {
  for (unsigned dsps = 1; dsps <= 8; ++dsps) {
    const std::string source = "N       .set " + std::to_string(dsps) + "\n" + kCounter;
    OnBoard run(source, several(dsps));
    EXPECT_EQ(run.go().why, Stopped::Exit);
    EXPECT_EQ(run.at("a"), 50 * dsps);
    EXPECT_EQ(run.at("c"), dsps);
    if (dsps == 1) {
      EXPECT_EQ(run.at("b"), 50u);
    } else {
      EXPECT_LT(run.at("b"), 50 * dsps);
    }
    // Observing changes nothing, nor does a second run.
    OnBoard again(source, several(dsps));
    EXPECT_EQ(again.go(true).why, Stopped::Exit);
    EXPECT_EQ(again.machine.cpu().cycle(), run.machine.cpu().cycle()) << dsps;
    EXPECT_EQ(again.at("b"), run.at("b"));
    EXPECT_EQ(run.machine.cpu().statistics().totalCycles(), run.machine.cpu().cycle());
  }
}

TEST(Neighbours, TheMemoryIsSharedOutOneAccessAtATime) {
  // Both read without a pause: each gets every other cycle of the bus.
  const std::string source =
      "        .text\n"
      "        .org 87FE00h\n"
      "_start: LDI R4,AR0\n"
      "        LDI 99,RC\n"
      "        RPTB last\n"
      "last:   LDI *AR0,R0\n"
      "        IDLE\n";
  Cycle alone = 0;
  for (const unsigned dsps : {1u, 2u, 4u}) {
    OnBoard run(source, several(dsps));
    run.machine.cpu().setRegister(4, 0x2000);
    EXPECT_EQ(run.go().why, Stopped::Idle);
    const Cycle cycles = run.machine.cpu().cycle();
    if (dsps == 1) alone = cycles;
    EXPECT_GE(cycles, alone + 100 * (dsps - 1) - 2 * dsps) << dsps;
    EXPECT_LE(cycles, alone + 100 * (dsps - 1) + 2 * dsps) << dsps;
  }
}

TEST(Neighbours, FaultAndStatusEndTheRun) {
  const std::string head =
      "        .text\n"
      "_start: LDP @d\n"
      "        LDI @d,AR2\n"
      "        LDI *+AR2(7),R7\n"
      "        BZ first\n";
  const std::string tail =
      "first:  LDI *+AR2(3),R1\n"
      "        BU first\n"
      "        .data\n"
      "d:      .word 82FFF0h\n";
  OnBoard fault(head + "there: .word 0A0000000h\n" + tail, several(2));
  const StopReport stop = fault.go();
  EXPECT_EQ(stop.why, Stopped::Fault);
  EXPECT_NE(stop.text.find("DSP 1: undefined instruction"), std::string::npos) << stop.text;
  EXPECT_NE(stop.text.find("there"), std::string::npos) << stop.text;
  OnBoard status(head + "        LDI 5,R0\n        STI R0,*+AR2(2)\n" + tail, several(2));
  EXPECT_EQ(status.go().why, Stopped::Exit);
  EXPECT_EQ(status.machine.exitStatus(), 5u);
  OnBoard done(head + "        LDI 0,R0\n        STI R0,*+AR2(2)\n" + tail, several(2));
  EXPECT_EQ(done.go().why, Stopped::Limit);  // the first goes on
}

constexpr const char* kSerial =
    "        .text\n"
    "_start: LDP @port\n"
    "        LDI @port,AR0\n"
    "        LDI 111h,R0\n"
    "        STI R0,*+AR0(2)\n"
    "        STI R0,*+AR0(3)\n"
    "        LDI @mode,R0\n"
    "        STI R0,*AR0\n"
    "        LDI @word,R0\n"
    "        STI R0,*+AR0(8)\n"
    "wait:   LDI *AR0,R0\n"
    "        TSTB 1,R0\n"
    "        BZ wait\n"
    "        LDI *+AR0(0Ch),R1\n"
    "        IDLE\n"
    "        .data\n"
    "port:   .word 808040h\n"
    "word:   .word 89ABCDEFh\n"
    "mode:   .word ";

TEST(SerialLoopback, HearsItself) {
  MachineOptions options;
  options.serialLoopback = true;
  std::uint64_t sent = 0;
  OnBoard run(std::string(kSerial) + "0C3C0004h\n", options);  // 32 bits both ways
  run.machine.serialOutput = [&](const SerialFrame& f) {
    ++sent;
    EXPECT_EQ(f.word, 0x89ABCDEFu);
  };
  EXPECT_EQ(run.go().why, Stopped::Idle);
  EXPECT_EQ(run.machine.cpu().registerValue(1), 0x89ABCDEFu);
  EXPECT_EQ(sent, 1u);
  OnBoard narrow(std::string(kSerial) + "0C0C0004h\n", options);  // 32 bits out, 8 in
  EXPECT_EQ(narrow.go().why, Stopped::Idle);
  EXPECT_EQ(narrow.machine.cpu().registerValue(1), 0x89u);
}

TEST(SerialDevice, SpeaksAsTheReceiverListens) {
  for (const char* mode : {"8300000h\n", "8320A00h\n"}) {  // and variable, continuous, DR inverted
    MachineOptions options;
    options.serialWords = {{0x01234567}};
    OnBoard run(std::string(kSerial) + mode, options);
    EXPECT_EQ(run.go().why, Stopped::Idle) << mode;
    EXPECT_EQ(run.machine.cpu().registerValue(1), 0x01234567u);
  }
}

TEST(BootImage, FirstBlockBeginsAtTheEntry) {
  const Image image = program(
      "        .text\n"
      "        .org 880000h\n"
      "        .word 1,2,3\n"
      "_start: IDLE\n"
      "        .sect \"in\",87FE00h\n"
      "        .word 7\n");
  const std::vector<std::uint32_t> blocks = bootBlocks(image, 0x000F0008);
  EXPECT_EQ(blocks[0], 1u);
  EXPECT_EQ(blocks[1], 0x880003u);
  EXPECT_EQ(blocks[2], 0x0F000864u);
  EXPECT_EQ(blocks[3], 0x06000000u);
  EXPECT_EQ(blocks[4], 3u);
  EXPECT_EQ(blocks[5], 0x880000u);
  EXPECT_EQ(blocks.back(), 0u);
  const std::vector<std::uint32_t> table = bootTable(image, 8);
  EXPECT_EQ(table[0], 8u);
  EXPECT_EQ(bootLocations(table, 8).size(), 4 * table.size());
  EXPECT_EQ(bootLocations({0x12345678}, 16), (std::vector<std::uint32_t>{0x5678, 0x1234}));
}

TEST(BootImage, RefusesWhatTheRomCannotLoad) {
  EXPECT_THROW((void)bootBlocks(program("        .text\n_start: IDLE\n")), BootError);  // at 0
  Image none = program("        .text\n        .org 880000h\n_start: IDLE\n");
  none.entry = 0x1234;
  EXPECT_THROW((void)bootBlocks(none), BootError);
  EXPECT_EQ(bootSource("boot4"), nullptr);
}

}  // namespace
}  // namespace rtvp::c32
