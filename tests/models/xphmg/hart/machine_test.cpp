// The machine around the hart: decoding, compressed instructions, counters, timer, traps that end a
// run, self-modifying code, console, tohost, and ELF files good and bad.
#include "models/xphmg/hart/machine.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "models/xphmg/hart/compressed.hpp"
#include "tests/models/xphmg/hart/program.hpp"

namespace rtvp::rv64 {
namespace {

using test::encode;
using U = std::uint64_t;

class Recorder : public Console {
 public:
  void write(std::span<const std::uint8_t> bytes, bool error_stream) override {
    (error_stream ? error : output).append(bytes.begin(), bytes.end());
  }
  int read() override {
    return next < input.size() ? static_cast<unsigned char>(input[next++]) : -1;
  }
  std::string output, error, input;
  std::size_t next = 0;
};

/// A program of words at the start of RAM.
class Fixture {
 public:
  explicit Fixture(std::initializer_list<std::uint32_t> words)
      : machine(MachineOptions{}, memory_.memory(), console) {
    std::vector<std::uint8_t> bytes(words.size() * 4);
    std::memcpy(bytes.data(), std::data(words), bytes.size());
    const auto file = test::elfAround(kRamBase, bytes, kRamBase);
    machine.load(readElf(file));
  }
  Recorder console;

 private:
  OwnedMemory memory_{std::uint64_t{1} << 20U};

 public:
  Machine machine;
};

TEST(RV64Decode, GoldenWords) {
  const std::array<std::pair<std::uint32_t, const char*>, 12> cases{{
      {0x00A50533U, "add a0, a0, a0"},
      {0xFFF00513U, "addi a0, zero, -1"},
      {0x0005B503U, "ld a0, 0(a1)"},
      {0x00A5B423U, "sd a0, 8(a1)"},
      {0xFE051EE3U, "bne a0, zero, 0x7ffffffc"},
      {0x000012B7U, "lui t0, 0x1"},
      {0x340292F3U, "csrrw t0, 0x340, t0"},
      {0x02B57553U, "fadd.d fa0, fa0, fa1"},
      {0x02B50553U, "fadd.d fa0, fa0, fa1, rne"},
      {0x6AA5F5C3U, "fmadd.d fa1, fa1, fa0, fa3"},
      {0x100525AFU, "lr.w a1, (a0)"},
      {0x00000000U, "illegal"},
  }};
  for (const auto& [word, text] : cases) {
    EXPECT_EQ(disassemble(decode(word), kRamBase), text) << std::hex << word;
  }
}

TEST(RV64Decode, EveryRowSurvivesRandomOperands) {
  std::mt19937 random(7);
  for (const InstructionRow& r : instructions()) {
    for (int i = 0; i < 200; ++i) {
      const std::uint32_t word = (static_cast<std::uint32_t>(random()) & ~r.mask) | r.match;
      EXPECT_EQ(decode(word).op, r.op) << r.mnemonic << ' ' << std::hex << word;
    }
  }
}

/// Every 16-bit word is either reserved, or it stands for a legal instruction.
TEST(RV64Decode, EveryCompressedWordIsReservedOrLegal) {
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    if ((half & 3U) == 3) continue;
    const std::uint32_t word = expandCompressed(static_cast<std::uint16_t>(half));
    const Decoded d = decode(half);
    EXPECT_EQ(d.length, 2);
    EXPECT_EQ(d.op == Op::Illegal, word == 0) << std::hex << half;
  }
  EXPECT_EQ(expandCompressed(0), 0U);
}

TEST(RV64Decode, CompressedGoldenWords) {
  const std::array<std::pair<std::uint16_t, const char*>, 14> cases{{
      {0x0001, "addi zero, zero, 0"},
      {0x1141, "addi sp, sp, -16"},
      {0xE406, "sd ra, 8(sp)"},
      {0x60A2, "ld ra, 8(sp)"},
      {0x0800, "addi s0, sp, 16"},
      {0x6105, "addi sp, sp, 32"},
      {0x8082, "jalr zero, 0(ra)"},
      {0x852E, "add a0, zero, a1"},
      {0x952E, "add a0, a0, a1"},
      {0x8D0D, "sub a0, a0, a1"},
      {0x9D2D, "addw a0, a0, a1"},
      {0x2505, "addiw a0, a0, 1"},
      {0xA001, "jal zero, 0x80000000"},
      {0x2188, "fld fa0, 0(a1)"},
  }};
  for (const auto& [half, text] : cases) {
    EXPECT_EQ(disassemble(decode(half), kRamBase), text) << std::hex << half;
  }
}

TEST(RV64Machine, CountersAreExact) {
  Fixture f{encode(Op::CSRRS, {.rd = 1, .imm = 0xB00}),  // mcycle
            encode(Op::CSRRS, {.rd = 2, .imm = 0xB02}),  // minstret
            encode(Op::CSRRWI, {.rd = 0, .rs1 = 9, .imm = 0xB02}),
            encode(Op::CSRRS, {.rd = 3, .imm = 0xB02}),
            encode(Op::CSRRWI, {.rd = 0, .rs1 = 4, .imm = 0x320}),  // freeze minstret
            encode(Op::CSRRS, {.rd = 4, .imm = 0xC02}),
            encode(Op::CSRRS, {.rd = 5, .imm = 0xC02}),
            encode(Op::CSRRWI, {.rd = 0, .rs1 = 0, .imm = 0x320}),
            encode(Op::CSRRS, {.rd = 6, .imm = 0xC02}),
            encode(Op::CSRRS, {.rd = 7, .imm = 0xC00})};
  EXPECT_EQ(f.machine.run(10).kind, Outcome::Kind::Limit);
  const Hart& h = f.machine.hart();
  EXPECT_EQ(h.x(1), 0U);
  EXPECT_EQ(h.x(2), 1U);
  EXPECT_EQ(h.x(3), 9U);
  EXPECT_EQ(h.x(4), 11U);  // the freezing instruction itself still counts
  EXPECT_EQ(h.x(5), 11U);
  EXPECT_EQ(h.x(6), 11U);
  EXPECT_EQ(h.x(7), 9U);
  EXPECT_EQ(h.instructionsRetired(), 10U);
}

TEST(RV64Machine, BudgetStopsAtTheInstruction) {
  Fixture f{encode(Op::ADDI, {.rd = 1, .rs1 = 1, .imm = 1}), encode(Op::JAL, {.rd = 0, .imm = -4})};
  EXPECT_EQ(f.machine.run(1001).kind, Outcome::Kind::Limit);
  EXPECT_EQ(f.machine.hart().x(1), 501U);
  EXPECT_EQ(f.machine.hart().instructionsRetired(), 1001U);
}

TEST(RV64Machine, TimerInterruptComesAtItsCycleAndWfiJumpsToIt) {
  // mtimecmp = 5 (500 cycles); handler at +0x40 stores the cycle in x9 and exits.
  Fixture f{encode(Op::LUI, {.rd = 1, .imm = 0x02004000}),
            encode(Op::ADDI, {.rd = 2, .rs1 = 0, .imm = 5}),
            encode(Op::SD, {.rs1 = 1, .rs2 = 2}),
            encode(Op::AUIPC, {.rd = 3, .imm = 0}),  // +0x0c
            encode(Op::ADDI, {.rd = 3, .rs1 = 3, .imm = 0x34}),
            encode(Op::CSRRW, {.rd = 0, .rs1 = 3, .imm = 0x305}),
            encode(Op::ADDI, {.rd = 4, .rs1 = 0, .imm = 0x80}),
            encode(Op::CSRRW, {.rd = 0, .rs1 = 4, .imm = 0x304}),  // mie: timer
            encode(Op::CSRRSI, {.rd = 0, .rs1 = 8, .imm = 0x300}),
            encode(Op::WFI, {}),
            encode(Op::JAL, {.rd = 0, .imm = 0}),
            encode(Op::JAL, {.rd = 0, .imm = 0}),
            encode(Op::JAL, {.rd = 0, .imm = 0}),
            encode(Op::JAL, {.rd = 0, .imm = 0}),
            encode(Op::JAL, {.rd = 0, .imm = 0}),
            encode(Op::JAL, {.rd = 0, .imm = 0}),
            encode(Op::CSRRS, {.rd = 9, .imm = 0xC00}),  // +0x40
            encode(Op::CSRRS, {.rd = 10, .imm = 0x342}),
            encode(Op::JAL, {.rd = 0, .imm = 0})};
  EXPECT_EQ(f.machine.run(14).kind, Outcome::Kind::Limit);
  EXPECT_EQ(f.machine.hart().x(9), 500U);
  EXPECT_EQ(f.machine.hart().x(10), (U{1} << 63U) | 7U);
  EXPECT_EQ(f.machine.hart().mepc(), kRamBase + 0x28);
}

TEST(RV64Machine, VectoredInterruptsGoToTheirSlot) {
  Fixture f{encode(Op::JAL, {.rd = 0, .imm = 0})};
  Hart& h = f.machine.hart();
  h.writeCsr(0x305, kRamBase + 0x101);
  h.writeCsr(0x304, 0x808);
  h.writeCsr(0x300, 8);
  h.setInterrupt(Interrupt::Software, true);
  h.setInterrupt(Interrupt::External, true);
  EXPECT_EQ(f.machine.run(0).kind, Outcome::Kind::Limit);
  EXPECT_EQ(h.pc(), kRamBase + 0x100 + 4 * 11);  // external first
}

TEST(RV64Machine, WfiWithNothingToWaitForIsReported) {
  Fixture f{encode(Op::WFI, {})};
  EXPECT_EQ(f.machine.run(100).kind, Outcome::Kind::Waiting);
}

TEST(RV64Machine, TrapWithoutAHandlerEndsTheRun) {
  Fixture f{0};
  EXPECT_EQ(f.machine.run(100).kind, Outcome::Kind::NoHandler);
  EXPECT_EQ(f.machine.hart().mcause(), 2U);
  EXPECT_EQ(f.machine.hart().mepc(), kRamBase);
}

TEST(RV64Machine, TwoTrapsWithoutProgressEndTheRun) {
  Fixture f{encode(Op::AUIPC, {.rd = 1, .imm = 0}),
            encode(Op::ADDI, {.rd = 1, .rs1 = 1, .imm = 0x40}),
            encode(Op::CSRRW, {.rd = 0, .rs1 = 1, .imm = 0x305}), encode(Op::ECALL, {})};
  EXPECT_EQ(f.machine.run(100).kind, Outcome::Kind::DoubleTrap);  // the handler is zeros
}

TEST(RV64Machine, AccessFaultsNameTheAddress) {
  struct Case {
    std::uint32_t word;
    U cause;
  };
  for (const Case& c :
       {Case{encode(Op::LD, {.rd = 2, .rs1 = 1}), 5}, Case{encode(Op::SD, {.rs1 = 1, .rs2 = 2}), 7},
        Case{encode(Op::AMOADD_D, {.rd = 2, .rs1 = 1}), 7},
        Case{encode(Op::JALR, {.rd = 0, .rs1 = 1}), 1}}) {
    Fixture f{encode(Op::LUI, {.rd = 1, .imm = 0x40000000}), c.word};
    EXPECT_EQ(f.machine.run(100).kind, Outcome::Kind::NoHandler);
    EXPECT_EQ(f.machine.hart().mcause(), c.cause);
    EXPECT_EQ(f.machine.hart().mtval(), 0x40000000U);
  }
}

TEST(RV64Machine, StoresToCodeAreSeenByTheNextFetch) {
  // Overwrites the ADDI at +0x10 by one that adds 5, after having executed it once.
  const std::uint32_t patched = encode(Op::ADDI, {.rd = 5, .rs1 = 5, .imm = 5});
  Fixture f{encode(Op::AUIPC, {.rd = 1, .imm = 0}),
            encode(Op::LW, {.rd = 2, .rs1 = 1, .imm = 0x20}),
            encode(Op::ADDI, {.rd = 0}),
            encode(Op::ADDI, {.rd = 0}),
            encode(Op::ADDI, {.rd = 5, .rs1 = 5, .imm = 1}),  // +0x10
            encode(Op::SW, {.rs1 = 1, .rs2 = 2, .imm = 0x10}),
            encode(Op::JAL, {.rd = 0, .imm = -8}),
            encode(Op::ADDI, {.rd = 0}),
            patched};
  EXPECT_EQ(f.machine.run(8).kind, Outcome::Kind::Limit);
  EXPECT_EQ(f.machine.hart().x(5), 6U);
}

TEST(RV64Machine, StopsInFrontOfPlaces) {
  Fixture f{encode(Op::ADDI, {.rd = 1, .rs1 = 1, .imm = 1}), encode(Op::JAL, {.rd = 0, .imm = -4})};
  Hart& h = f.machine.hart();
  h.setPlaces({kRamBase});
  for (U round = 0; round < 5; ++round) {
    EXPECT_EQ(f.machine.run(100).kind, Outcome::Kind::Breakpoint);
    EXPECT_EQ(h.instructionsRetired(), 2 * round);
    EXPECT_EQ(h.cycle(), 2 * round);
    EXPECT_EQ(h.x(1), round);
    EXPECT_EQ(h.pc(), kRamBase);
  }
  h.askAgain();
  EXPECT_EQ(f.machine.run(100).kind, Outcome::Kind::Breakpoint);
  EXPECT_EQ(h.instructionsRetired(), 8U);
  h.passHere();
  EXPECT_EQ(f.machine.run(1).kind, Outcome::Kind::Limit);
  EXPECT_EQ(h.instructionsRetired(), 9U);
  h.setPlaces({});
  EXPECT_EQ(f.machine.run(11).kind, Outcome::Kind::Limit);
  EXPECT_EQ(h.instructionsRetired(), 20U);
  EXPECT_EQ(h.x(1), 10U);
}

TEST(RV64Machine, APlaceThatIsWrittenToStaysOne) {
  const std::uint32_t patched = encode(Op::ADDI, {.rd = 5, .rs1 = 5, .imm = 5});
  Fixture f{encode(Op::AUIPC, {.rd = 1, .imm = 0}),
            encode(Op::LW, {.rd = 2, .rs1 = 1, .imm = 0x14}),
            encode(Op::ADDI, {.rd = 5, .rs1 = 5, .imm = 1}),  // +8
            encode(Op::SW, {.rs1 = 1, .rs2 = 2, .imm = 8}),
            encode(Op::JAL, {.rd = 0, .imm = -8}),
            patched};
  Hart& h = f.machine.hart();
  h.setPlaces({kRamBase + 8});
  EXPECT_EQ(f.machine.run(100).kind, Outcome::Kind::Breakpoint);
  EXPECT_EQ(h.x(5), 0U);
  EXPECT_EQ(f.machine.run(100).kind, Outcome::Kind::Breakpoint);
  EXPECT_EQ(h.x(5), 1U);
  EXPECT_EQ(f.machine.run(100).kind, Outcome::Kind::Breakpoint);
  EXPECT_EQ(h.x(5), 6U);
}

TEST(RV64Machine, ConsolePrintsReadsAndExits) {
  Fixture f{encode(Op::LUI, {.rd = 1, .imm = 0x20100000}),
            encode(Op::LB, {.rd = 2, .rs1 = 1}),
            encode(Op::SB, {.rs1 = 1, .rs2 = 2}),
            encode(Op::LW, {.rd = 3, .rs1 = 1}),
            encode(Op::ADDI, {.rd = 4, .rs1 = 0, .imm = 7}),
            encode(Op::SD, {.rs1 = 1, .rs2 = 4, .imm = 8})};
  f.console.input = "x";
  const Outcome outcome = f.machine.run(100);
  EXPECT_EQ(outcome.kind, Outcome::Kind::Exit);
  EXPECT_EQ(outcome.code, 7U);
  EXPECT_EQ(f.console.output, "x");
  EXPECT_EQ(f.machine.hart().x(3), ~U{0});  // -1 at the end of the input
}

TEST(RV64Machine, ClintRegistersTakeWordsAndDoubleWords) {
  Fixture f{encode(Op::LUI, {.rd = 1, .imm = 0x02000000}),
            encode(Op::ADDI, {.rd = 2, .rs1 = 0, .imm = 1}),
            encode(Op::SW, {.rs1 = 1, .rs2 = 2}),
            encode(Op::LWU, {.rd = 3, .rs1 = 1}),
            encode(Op::CSRRS, {.rd = 4, .imm = 0x344}),
            encode(Op::LB, {.rd = 5, .rs1 = 1})};
  EXPECT_EQ(f.machine.run(100).kind, Outcome::Kind::NoHandler);  // the byte access faults
  EXPECT_EQ(f.machine.hart().x(3), 1U);
  EXPECT_EQ(f.machine.hart().x(4), 8U);
  EXPECT_EQ(f.machine.hart().mcause(), 5U);
}

// --- ELF

std::vector<std::uint8_t> goodElf() {
  const std::array<std::uint8_t, 8> code{0x73, 0, 0, 0, 0, 0, 0, 0};
  return test::elfAround(kRamBase, code, kRamBase);
}

TEST(RV64Elf, HeaderErrorsSayWhatWasExpected) {
  struct Case {
    std::size_t at;
    std::uint8_t value;
    const char* message;
  };
  for (const Case& c : {Case{0, 0, "not an ELF"}, Case{4, 1, "64-bit"}, Case{5, 2, "little-endian"},
                        Case{18, 62, "243"}, Case{16, 3, "static executable"},
                        Case{54, 8, "program headers"}, Case{33, 0xFF, "outside the file"},
                        Case{98, 0xFF, "more bytes in the file"}, Case{56, 0, "nothing to load"}}) {
    std::vector<std::uint8_t> file = goodElf();
    file[c.at] = c.value;
    try {
      (void)readElf(file);
      FAIL() << c.message;
    } catch (const ElfError& e) {
      EXPECT_NE(std::string(e.what()).find(c.message), std::string::npos) << e.what();
    }
  }
}

TEST(RV64Elf, SegmentsMustLieInRamOrLds) {
  const std::array<std::uint8_t, 4> code{};
  const auto file = test::elfAround(0x1000, code, 0x1000);
  OwnedMemory memory(4096);
  Recorder console;
  Machine machine(MachineOptions{}, memory.memory(), console);
  EXPECT_THROW(machine.load(readElf(file)), ElfError);
}

TEST(RV64Elf, DamagedFilesAreRefusedOrRunWithinBounds) {
  std::mt19937 random(99);
  const std::vector<std::uint8_t> good = goodElf();
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::uint8_t> file = good;
    file.resize(random() % (good.size() + 1));
    for (auto n = random() % 6; n > 0 && !file.empty(); --n) {
      file[random() % std::min<std::size_t>(file.size(), 128)] =
          static_cast<std::uint8_t>(random());
    }
    try {
      const ElfImage image = readElf(file);
      OwnedMemory memory(std::uint64_t{1} << 16U);
      Recorder console;
      Machine machine(MachineOptions{}, memory.memory(), console);
      machine.load(image);
      (void)machine.run(100);
    } catch (const ElfError&) {
      continue;
    }
  }
}

}  // namespace
}  // namespace rtvp::rv64
