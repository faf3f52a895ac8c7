// One or more directed cases for every instruction of the hart's table, with expected values worked
// out by hand; a test checks that none is left out.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <set>
#include <vector>

#include "models/xphmg/hart/machine.hpp"
#include "tests/models/xphmg/hart/program.hpp"

namespace rtvp::rv64 {
namespace {

using test::encode;
using U = std::uint64_t;
constexpr U kNeg = ~U{0};                 // -1
constexpr U kMin = U{1} << 63U;           // most negative double word
constexpr U kMinW = 0xFFFFFFFF80000000U;  // most negative word, sign-extended
constexpr U kBox = 0xFFFFFFFF00000000U;   // upper half of a boxed single

constexpr U m(std::int64_t value) {
  return static_cast<U>(value);
}
U d(double value) {
  return std::bit_cast<U>(value);
}
U s(float value) {
  return kBox | std::bit_cast<std::uint32_t>(value);
}

class Quiet : public Console {
 public:
  void write(std::span<const std::uint8_t>, bool) override {}
  int read() override { return -1; }
};

/// A machine with the floating-point unit on, that executes words given to it one at a time.
class Bench {
 public:
  Bench() : machine_(MachineOptions{}, memory_.memory(), console_) {
    hart().reset(kRamBase);
    hart().writeCsr(0x300, 0x6000);
  }
  Hart& hart() { return machine_.hart(); }
  Stop step(std::uint32_t word, U pc = kRamBase) {
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &word, 4);
    EXPECT_TRUE(hart().poke(pc, bytes));
    hart().setPc(pc);
    return hart().run(1);
  }
  U peek(U address, unsigned size = 8) {
    std::array<std::uint8_t, 8> bytes{};
    EXPECT_TRUE(hart().peek(address, std::span(bytes).first(size)));
    U value = 0;
    std::memcpy(&value, bytes.data(), 8);
    return value;
  }
  void poke(U address, U value) {
    std::array<std::uint8_t, 8> bytes{};
    std::memcpy(bytes.data(), &value, 8);
    EXPECT_TRUE(hart().poke(address, bytes));
  }

 private:
  OwnedMemory memory_{std::uint64_t{1} << 20U};
  Quiet console_;
  Machine machine_;
};

// --- integer: rd = f(rs1, rs2 or imm)

struct IntegerCase {
  Op op;
  U a, b;  ///< rs1, and rs2 or the immediate
  U expected;
};

const std::vector<IntegerCase>& integerCases() {
  static const std::vector<IntegerCase> kCases{
      {Op::ADDI, 5, m(-7), m(-2)},
      {Op::ADDI, kNeg, 1, 0},
      {Op::SLTI, m(-3), m(-2), 1},
      {Op::SLTI, 3, m(-2), 0},
      {Op::SLTIU, 3, m(-2), 1},
      {Op::SLTIU, kNeg, m(-1), 0},
      {Op::XORI, 0xF0, m(-1), ~U{0xF0}},
      {Op::ORI, 0xF0, 0x0F, 0xFF},
      {Op::ANDI, 0xFFF0, m(-256), 0xFF00},
      {Op::SLLI, 1, 63, kMin},
      {Op::SRLI, kMin, 63, 1},
      {Op::SRAI, kMin, 63, kNeg},
      {Op::ADD, kNeg, 2, 1},
      {Op::SUB, 1, 2, kNeg},
      {Op::SLL, 3, 64 + 4, 48},
      {Op::SLT, kMin, 0, 1},
      {Op::SLTU, kMin, 0, 0},
      {Op::XOR, 0xFF00FF, 0x0FF0F0, 0xF0F00F},
      {Op::SRL, kMin, 4, 0x0800000000000000U},
      {Op::SRA, kMin, 4, 0xF800000000000000U},
      {Op::OR, 0xA0, 0x05, 0xA5},
      {Op::AND, 0xFF, 0x3C, 0x3C},
      {Op::ADDIW, 0x7FFFFFFF, 1, kMinW},
      {Op::ADDIW, 0xFFFFFFFF00000001U, 1, 2},
      {Op::SLLIW, 1, 31, kMinW},
      {Op::SRLIW, 0xFFFFFFFF80000000U, 31, 1},
      {Op::SRAIW, 0x80000000U, 31, kNeg},
      {Op::ADDW, 0x7FFFFFFF, 1, kMinW},
      {Op::SUBW, 0, 1, kNeg},
      {Op::SLLW, 1, 32 + 31, kMinW},
      {Op::SRLW, 0x80000000U, 4, 0x08000000},
      {Op::SRAW, 0x80000000U, 4, 0xFFFFFFFFF8000000U},
      {Op::MUL, m(-3), 7, m(-21)},
      {Op::MUL, U{1} << 32U, U{1} << 32U, 0},
      {Op::MULH, m(-1), m(-1), 0},
      {Op::MULH, kMin, kMin, U{1} << 62U},
      {Op::MULHSU, m(-1), kNeg, kNeg},
      {Op::MULHU, kNeg, kNeg, m(-2)},
      {Op::DIV, m(-7), 2, m(-3)},
      {Op::DIV, 7, 0, kNeg},
      {Op::DIV, kMin, kNeg, kMin},
      {Op::DIVU, kNeg, 2, kNeg >> 1U},
      {Op::DIVU, 7, 0, kNeg},
      {Op::REM, m(-7), 2, kNeg},
      {Op::REM, 7, 0, 7},
      {Op::REM, kMin, kNeg, 0},
      {Op::REMU, 7, 4, 3},
      {Op::REMU, 7, 0, 7},
      {Op::MULW, 0x10000, 0x8000, kMinW},
      {Op::DIVW, 0xFFFFFFF9U, 2, m(-3)},
      {Op::DIVW, 1, U{1} << 32U, kNeg},
      {Op::DIVW, 0x80000000U, kNeg, kMinW},
      {Op::DIVUW, 0xFFFFFFFFU, 1, kNeg},
      {Op::DIVUW, 1, 0, kNeg},
      {Op::REMW, 0xFFFFFFF9U, 2, kNeg},
      {Op::REMW, 0x80000005U, 0, 0xFFFFFFFF80000005U},
      {Op::REMUW, 0xFFFFFFFFU, 16, 15},
      {Op::REMUW, 0x80000005U, 0, 0xFFFFFFFF80000005U},
  };
  return kCases;
}

TEST(RV64Instruction, Integer) {
  Bench bench;
  for (const IntegerCase& c : integerCases()) {
    const std::uint32_t word =
        encode(c.op, {.rd = 3, .rs1 = 1, .rs2 = 2, .imm = static_cast<std::int32_t>(c.b)});
    bench.hart().setX(1, c.a);
    bench.hart().setX(2, c.b);
    bench.hart().setX(3, 0x5555);
    EXPECT_EQ(bench.step(word), Stop::Budget);
    EXPECT_EQ(bench.hart().x(3), c.expected)
        << row(c.op).mnemonic << ' ' << std::hex << c.a << ' ' << c.b;
    EXPECT_EQ(bench.hart().pc(), kRamBase + 4);
  }
}

TEST(RV64Instruction, WritesToX0AreLost) {
  Bench bench;
  bench.hart().setX(1, 7);
  bench.step(encode(Op::ADDI, {.rd = 0, .rs1 = 1, .imm = 1}));
  EXPECT_EQ(bench.hart().x(0), 0U);
}

// --- upper immediates and jumps

const std::set<Op> kJumpOps{Op::LUI, Op::AUIPC, Op::JAL, Op::JALR, Op::BEQ,
                            Op::BNE, Op::BLT,   Op::BGE, Op::BLTU, Op::BGEU};

TEST(RV64Instruction, UpperImmediates) {
  Bench bench;
  bench.step(encode(Op::LUI, {.rd = 3, .imm = static_cast<std::int32_t>(0x80001000U)}));
  EXPECT_EQ(bench.hart().x(3), 0xFFFFFFFF80001000U);
  bench.step(encode(Op::AUIPC, {.rd = 3, .imm = 0x12345000}), kRamBase + 8);
  EXPECT_EQ(bench.hart().x(3), kRamBase + 8 + 0x12345000);
}

TEST(RV64Instruction, JumpsLinkAndGo) {
  Bench bench;
  bench.step(encode(Op::JAL, {.rd = 1, .imm = -1048576}), kRamBase + 0x10);
  EXPECT_EQ(bench.hart().pc(), kRamBase + 0x10 - 1048576);
  EXPECT_EQ(bench.hart().x(1), kRamBase + 0x14);
  bench.hart().setX(1, kRamBase + 0x101);
  bench.step(encode(Op::JALR, {.rd = 1, .rs1 = 1, .imm = -2}));  // rd = rs1, bit 0 cleared
  EXPECT_EQ(bench.hart().pc(), kRamBase + 0xFE);
  EXPECT_EQ(bench.hart().x(1), kRamBase + 4);
}

TEST(RV64Instruction, Branches) {
  struct Case {
    Op op;
    U a, b;
    bool taken;
  };
  const std::array cases{
      Case{Op::BEQ, 3, 3, true},      Case{Op::BEQ, 3, 4, false},    Case{Op::BNE, 3, 4, true},
      Case{Op::BNE, 3, 3, false},     Case{Op::BLT, kNeg, 0, true},  Case{Op::BLT, 0, kNeg, false},
      Case{Op::BGE, 0, 0, true},      Case{Op::BGE, kNeg, 0, false}, Case{Op::BLTU, 0, kNeg, true},
      Case{Op::BLTU, kNeg, 0, false}, Case{Op::BGEU, kNeg, 0, true}, Case{Op::BGEU, 0, 1, false}};
  Bench bench;
  for (const Case& c : cases) {
    for (const std::int32_t offset : {-4096, 4094}) {
      bench.hart().setX(1, c.a);
      bench.hart().setX(2, c.b);
      bench.step(encode(c.op, {.rs1 = 1, .rs2 = 2, .imm = offset}), kRamBase + 0x2000);
      const U target = kRamBase + 0x2000 + static_cast<U>(static_cast<std::int64_t>(offset));
      EXPECT_EQ(bench.hart().pc(), c.taken ? target : kRamBase + 0x2004) << row(c.op).mnemonic;
    }
  }
}

// --- memory

constexpr U kData = kRamBase + 0x8000;

const std::set<Op> kMemoryOps{Op::LB, Op::LH, Op::LW, Op::LD,  Op::LBU, Op::LHU, Op::LWU, Op::SB,
                              Op::SH, Op::SW, Op::SD, Op::FLW, Op::FLD, Op::FSW, Op::FSD};

TEST(RV64Instruction, Loads) {
  struct Case {
    Op op;
    std::int32_t offset;
    U expected;
  };
  const std::array cases{Case{Op::LB, 0, 0xFFFFFFFFFFFFFF88U},
                         Case{Op::LBU, 0, 0x88},
                         Case{Op::LH, 0, 0xFFFFFFFFFFFF9988U},
                         Case{Op::LHU, 0, 0x9988},
                         Case{Op::LW, 0, 0xFFFFFFFFBBAA9988U},
                         Case{Op::LWU, 0, 0xBBAA9988U},
                         Case{Op::LD, 0, 0xFFEEDDCCBBAA9988U},
                         Case{Op::LW, 1, 0xFFFFFFFFCCBBAA99U},  // misaligned is allowed
                         Case{Op::LB, 7, kNeg}};
  Bench bench;
  bench.poke(kData, 0xFFEEDDCCBBAA9988U);
  bench.hart().setX(1, kData + 16);
  for (const Case& c : cases) {
    bench.step(encode(c.op, {.rd = 3, .rs1 = 1, .imm = c.offset - 16}));
    EXPECT_EQ(bench.hart().x(3), c.expected) << row(c.op).mnemonic << ' ' << c.offset;
  }
}

TEST(RV64Instruction, Stores) {
  Bench bench;
  const std::array<std::pair<Op, U>, 4> cases{{{Op::SB, 0x11111111111111F0U},
                                               {Op::SH, 0x111111111111DEF0U},
                                               {Op::SW, 0x111111119ABCDEF0U},
                                               {Op::SD, 0x123456789ABCDEF0U}}};
  for (const auto& [op, expected] : cases) {
    bench.poke(kData, 0x1111111111111111U);
    bench.hart().setX(1, kData + 2047);
    bench.hart().setX(2, 0x123456789ABCDEF0U);
    bench.step(encode(op, {.rs1 = 1, .rs2 = 2, .imm = -2047}));
    EXPECT_EQ(bench.peek(kData), expected) << row(op).mnemonic;
  }
}

TEST(RV64Instruction, FloatLoadsBoxAndFloatStoresTakeTheLowBits) {
  Bench bench;
  bench.poke(kData, 0x400921FB54442D18U);
  bench.hart().setX(1, kData);
  bench.step(encode(Op::FLW, {.rd = 3, .rs1 = 1, .imm = 4}));
  EXPECT_EQ(bench.hart().f(3), kBox | 0x400921FBU);
  bench.step(encode(Op::FLD, {.rd = 3, .rs1 = 1, .imm = 0}));
  EXPECT_EQ(bench.hart().f(3), 0x400921FB54442D18U);
  bench.step(encode(Op::FSW, {.rs1 = 1, .rs2 = 3, .imm = 8}));
  EXPECT_EQ(bench.peek(kData + 8), 0x54442D18U);
  bench.step(encode(Op::FSD, {.rs1 = 1, .rs2 = 3, .imm = 16}));
  EXPECT_EQ(bench.peek(kData + 16), 0x400921FB54442D18U);
}

// --- atomics

struct AtomicCase {
  Op op;
  U old, operand, expected;  ///< in memory afterwards
};

const std::vector<AtomicCase>& atomicCases() {
  static const std::vector<AtomicCase> kCases{
      {Op::AMOSWAP_W, 0xAAAAAAAA80000000U, 5, 0xAAAAAAAA00000005U},
      {Op::AMOADD_W, 0xFFFFFFFFU, 1, 0},
      {Op::AMOXOR_W, 0xFF, 0x0F, 0xF0},
      {Op::AMOAND_W, 0xFF, 0x0F, 0x0F},
      {Op::AMOOR_W, 0xF0, 0x0F, 0xFF},
      {Op::AMOMIN_W, 0xFFFFFFFFU, 1, 0xFFFFFFFFU},
      {Op::AMOMAX_W, 0xFFFFFFFFU, 1, 1},
      {Op::AMOMINU_W, 0xFFFFFFFFU, 1, 1},
      {Op::AMOMAXU_W, 0xFFFFFFFFU, 1, 0xFFFFFFFFU},
      {Op::AMOSWAP_D, kMin, 5, 5},
      {Op::AMOADD_D, kNeg, 2, 1},
      {Op::AMOXOR_D, kNeg, kMin, kNeg >> 1U},
      {Op::AMOAND_D, kNeg, kMin, kMin},
      {Op::AMOOR_D, 1, kMin, kMin | 1},
      {Op::AMOMIN_D, kMin, 0, kMin},
      {Op::AMOMAX_D, kMin, 0, 0},
      {Op::AMOMINU_D, kMin, 0, 0},
      {Op::AMOMAXU_D, kMin, 0, kMin},
  };
  return kCases;
}

TEST(RV64Instruction, AtomicsReturnTheOldValueAndStoreTheNew) {
  Bench bench;
  for (const AtomicCase& c : atomicCases()) {
    const bool word = row(c.op).mnemonic.back() == 'w';
    bench.poke(kData, c.old);
    bench.hart().setX(1, kData);
    bench.hart().setX(2, c.operand);
    bench.step(encode(c.op, {.rd = 3, .rs1 = 1, .rs2 = 2}));
    const U old = word ? m(static_cast<std::int32_t>(static_cast<std::uint32_t>(c.old))) : c.old;
    EXPECT_EQ(bench.hart().x(3), old) << row(c.op).mnemonic;
    EXPECT_EQ(bench.peek(kData), c.expected) << row(c.op).mnemonic;
  }
}

TEST(RV64Instruction, ReservationsHoldOnce) {
  for (const auto& [lr, sc] : {std::pair{Op::LR_W, Op::SC_W}, std::pair{Op::LR_D, Op::SC_D}}) {
    Bench bench;
    bench.poke(kData, 41);
    bench.hart().setX(1, kData);
    bench.hart().setX(2, 42);
    bench.step(encode(sc, {.rd = 3, .rs1 = 1, .rs2 = 2}));
    EXPECT_EQ(bench.hart().x(3), 1U);  // nothing reserved
    EXPECT_EQ(bench.peek(kData), 41U);
    bench.step(encode(lr, {.rd = 4, .rs1 = 1}));
    EXPECT_EQ(bench.hart().x(4), 41U);
    bench.step(encode(sc, {.rd = 3, .rs1 = 1, .rs2 = 2}));
    EXPECT_EQ(bench.hart().x(3), 0U);
    EXPECT_EQ(bench.peek(kData), 42U);
    bench.step(encode(sc, {.rd = 3, .rs1 = 1, .rs2 = 2}));
    EXPECT_EQ(bench.hart().x(3), 1U);
  }
}

TEST(RV64Instruction, MisalignedAtomicsTrap) {
  Bench bench;
  bench.hart().setX(1, kData + 4);
  EXPECT_EQ(bench.step(encode(Op::LR_D, {.rd = 3, .rs1 = 1})), Stop::NoHandler);
  EXPECT_EQ(bench.hart().mcause(), 4U);
  EXPECT_EQ(bench.hart().mtval(), kData + 4);
  EXPECT_EQ(bench.step(encode(Op::AMOADD_D, {.rd = 3, .rs1 = 1})), Stop::NoHandler);
  EXPECT_EQ(bench.hart().mcause(), 6U);
}

// --- floating point: fd or rd = f(fs1, fs2, fs3)

struct FloatCase {
  Op op;
  U a, b, c;
  U expected;
  std::uint8_t flags;
  unsigned rm = 0;
};

constexpr U kQuietS = kBox | 0x7FC00000U;
constexpr U kQuietD = 0x7FF8000000000000U;

const std::vector<FloatCase>& floatCases() {
  static const std::vector<FloatCase> kCases{
      {Op::FMADD_S, s(2), s(3), s(1), s(7), 0},
      {Op::FMSUB_S, s(2), s(3), s(1), s(5), 0},
      {Op::FNMSUB_S, s(2), s(3), s(1), s(-5), 0},
      {Op::FNMADD_S, s(2), s(3), s(1), s(-7), 0},
      {Op::FADD_S, s(1), s(0x1p-24F), 0, s(1), 1},
      {Op::FADD_S, s(1), s(0x1p-24F), 0, s(1.00000012F), 1, 3},  // round up
      {Op::FADD_S, s(1), s(0x1p-24F), 0, s(1.00000012F), 1, 4},  // ties away
      {Op::FSUB_S, s(1), s(1), 0, s(0), 0},
      {Op::FSUB_S, s(1), s(1), 0, s(-0.0F), 0, 2},  // round down: -0
      {Op::FMUL_S, s(0x1p-100F), s(0x1p-100F), 0, s(0), 3},
      {Op::FDIV_S, s(1), s(0), 0, kBox | 0x7F800000U, 8},
      {Op::FDIV_S, s(0), s(0), 0, kQuietS, 16},
      {Op::FSQRT_S, s(2), 0, 0, s(1.41421354F), 1},
      {Op::FSGNJ_S, s(1), s(-2), 0, s(-1), 0},
      {Op::FSGNJN_S, s(1), s(-2), 0, s(1), 0},
      {Op::FSGNJX_S, s(-1), s(-2), 0, s(1), 0},
      {Op::FMIN_S, s(1), kQuietS, 0, s(1), 0},
      {Op::FMAX_S, s(-0.0F), s(0), 0, s(0), 0},
      {Op::FADD_S, d(1), s(1), 0, kQuietS, 0},  // not boxed: the canonical NaN
      {Op::FMADD_D, d(2), d(3), d(1), d(7), 0},
      {Op::FMSUB_D, d(2), d(3), d(1), d(5), 0},
      {Op::FNMSUB_D, d(2), d(3), d(1), d(-5), 0},
      {Op::FNMADD_D, d(2), d(3), d(1), d(-7), 0},
      {Op::FADD_D, d(0.1), d(0.2), 0, d(0.30000000000000004), 1},
      {Op::FSUB_D, d(0.3), d(0.1), 0, d(0.19999999999999998), 0},
      {Op::FMUL_D, d(0x1p1023), d(2), 0, 0x7FF0000000000000U, 5},
      {Op::FMUL_D, d(0x1p1023), d(2), 0, 0x7FEFFFFFFFFFFFFFU, 5, 1},  // toward zero
      {Op::FDIV_D, d(1), d(3), 0, d(1.0 / 3), 1},
      {Op::FSQRT_D, d(-1), 0, 0, kQuietD, 16},
      {Op::FSGNJ_D, d(1), d(-2), 0, d(-1), 0},
      {Op::FSGNJN_D, d(1), d(-2), 0, d(1), 0},
      {Op::FSGNJX_D, d(-1), d(2), 0, d(-1), 0},
      {Op::FMIN_D, d(-0.0), d(0), 0, d(-0.0), 0},
      {Op::FMAX_D, 0x7FF0000000000001U, d(3), 0, d(3), 16},
      {Op::FCVT_S_D, d(1 + 0x1p-30), 0, 0, s(1), 1},
      {Op::FCVT_S_D, d(1e300), 0, 0, kBox | 0x7F800000U, 5},
      {Op::FCVT_D_S, s(1.5F), 0, 0, d(1.5), 0},
  };
  return kCases;
}

TEST(RV64Instruction, FloatToFloat) {
  Bench bench;
  for (const FloatCase& c : floatCases()) {
    bench.hart().setF(1, c.a);
    bench.hart().setF(2, c.b);
    bench.hart().setF(4, c.c);
    bench.hart().writeCsr(1, 0);
    EXPECT_EQ(bench.step(encode(c.op, {.rd = 3, .rs1 = 1, .rs2 = 2, .rs3 = 4, .rm = c.rm})),
              Stop::Budget);
    EXPECT_EQ(bench.hart().f(3), c.expected) << row(c.op).mnemonic << " rm " << c.rm;
    EXPECT_EQ(bench.hart().readCsr(1), c.flags) << row(c.op).mnemonic << " rm " << c.rm;
  }
}

const std::vector<FloatCase>& floatToIntegerCases() {
  static const std::vector<FloatCase> kCases{
      {Op::FEQ_S, s(1), s(1), 0, 1, 0},
      {Op::FEQ_S, s(1), kQuietS, 0, 0, 0},
      {Op::FLT_S, s(-1), s(1), 0, 1, 0},
      {Op::FLT_S, s(-1), kQuietS, 0, 0, 16},
      {Op::FLE_S, s(1), s(1), 0, 1, 0},
      {Op::FCLASS_S, s(-0.0F), 0, 0, 8, 0},
      {Op::FCVT_W_S, s(-1.5F), 0, 0, m(-1), 1, 1},
      {Op::FCVT_WU_S, s(3e9F), 0, 0, m(static_cast<std::int32_t>(3000000000U)), 0},
      {Op::FCVT_L_S, s(-0x1p40F), 0, 0, m(-(std::int64_t{1} << 40)), 0},
      {Op::FCVT_LU_S, s(-1), 0, 0, 0, 16},
      {Op::FMV_X_W, kBox | 0x80000001U, 0, 0, 0xFFFFFFFF80000001U, 0},
      {Op::FEQ_D, d(0), d(-0.0), 0, 1, 0},
      {Op::FLT_D, d(1), d(2), 0, 1, 0},
      {Op::FLE_D, d(2), d(1), 0, 0, 0},
      {Op::FCLASS_D, 0x7FF0000000000001U, 0, 0, 256, 0},
      {Op::FCVT_W_D, d(1e10), 0, 0, 0x7FFFFFFF, 16},
      {Op::FCVT_WU_D, d(4294967295.0), 0, 0, kNeg, 0},
      {Op::FCVT_L_D, d(2.5), 0, 0, 3, 1, 4},
      {Op::FCVT_LU_D, d(0x1p63), 0, 0, kMin, 0},
      {Op::FMV_X_D, kQuietD, 0, 0, kQuietD, 0},
  };
  return kCases;
}

TEST(RV64Instruction, FloatToInteger) {
  Bench bench;
  for (const FloatCase& c : floatToIntegerCases()) {
    bench.hart().setF(1, c.a);
    bench.hart().setF(2, c.b);
    bench.hart().writeCsr(1, 0);
    bench.step(encode(c.op, {.rd = 3, .rs1 = 1, .rs2 = 2, .rm = c.rm}));
    EXPECT_EQ(bench.hart().x(3), c.expected) << row(c.op).mnemonic;
    EXPECT_EQ(bench.hart().readCsr(1), c.flags) << row(c.op).mnemonic;
  }
}

const std::vector<FloatCase>& integerToFloatCases() {
  static const std::vector<FloatCase> kCases{
      {Op::FCVT_S_W, m(-5), 0, 0, s(-5), 0},
      {Op::FCVT_S_WU, kNeg, 0, 0, s(4294967296.0F), 1},
      {Op::FCVT_S_L, m(-16777217), 0, 0, s(-16777216.0F), 1},
      {Op::FCVT_S_LU, kNeg, 0, 0, s(18446744073709551616.0F), 1},
      {Op::FMV_W_X, 0x123456783F800000U, 0, 0, s(1), 0},
      {Op::FCVT_D_W, 0xFFFFFFFF80000000U, 0, 0, d(-2147483648.0), 0},
      {Op::FCVT_D_WU, kNeg, 0, 0, d(4294967295.0), 0},
      {Op::FCVT_D_L, kMin, 0, 0, d(-0x1p63), 0},
      {Op::FCVT_D_LU, kMin + 1, 0, 0, d(0x1.0000000000001p63), 1, 3},
      {Op::FMV_D_X, kQuietD, 0, 0, kQuietD, 0},
  };
  return kCases;
}

TEST(RV64Instruction, IntegerToFloat) {
  Bench bench;
  for (const FloatCase& c : integerToFloatCases()) {
    bench.hart().setX(1, c.a);
    bench.hart().writeCsr(1, 0);
    bench.step(encode(c.op, {.rd = 3, .rs1 = 1, .rm = c.rm}));
    EXPECT_EQ(bench.hart().f(3), c.expected) << row(c.op).mnemonic;
    EXPECT_EQ(bench.hart().readCsr(1), c.flags) << row(c.op).mnemonic;
  }
}

TEST(RV64Instruction, DynamicRoundingModeIsFrmAndReservedModesTrap) {
  Bench bench;
  bench.hart().setF(1, s(1));
  bench.hart().setF(2, s(0x1p-24F));
  bench.hart().writeCsr(2, 3);
  bench.step(encode(Op::FADD_S, {.rd = 3, .rs1 = 1, .rs2 = 2, .rm = 7}));
  EXPECT_EQ(bench.hart().f(3), s(1.00000012F));
  bench.hart().writeCsr(2, 5);
  EXPECT_EQ(bench.step(encode(Op::FADD_S, {.rd = 3, .rs1 = 1, .rs2 = 2, .rm = 7})),
            Stop::NoHandler);
  EXPECT_EQ(bench.hart().mcause(), 2U);
  EXPECT_EQ(bench.step(encode(Op::FADD_S, {.rd = 3, .rs1 = 1, .rs2 = 2, .rm = 6})),
            Stop::NoHandler);
}

TEST(RV64Instruction, FloatTrapsWhileTheUnitIsOff) {
  Bench bench;
  bench.hart().writeCsr(0x300, 0);
  for (const Op op : {Op::FADD_S, Op::FLD, Op::FSW, Op::FMV_X_D, Op::FMV_W_X, Op::FEQ_D}) {
    EXPECT_EQ(bench.step(encode(op, {.rd = 3, .rs1 = 1, .rs2 = 2, .rm = 0})), Stop::NoHandler)
        << row(op).mnemonic;
    EXPECT_EQ(bench.hart().mcause(), 2U);
  }
  EXPECT_FALSE(bench.hart().readCsr(3).has_value());
}

// --- CSRs and system

const std::set<Op> kSystemOps{Op::FENCE,  Op::FENCE_I,  Op::ECALL,   Op::EBREAK, Op::MRET,
                              Op::WFI,    Op::CSRRW,    Op::CSRRS,   Op::CSRRC,  Op::CSRRWI,
                              Op::CSRRSI, Op::CSRRCI,   Op::LR_W,    Op::SC_W,   Op::LR_D,
                              Op::SC_D,   Op::CUSTOM_0, Op::CUSTOM_3};

TEST(RV64Instruction, CsrAccessesReadModifyAndWrite) {
  constexpr std::int32_t kMscratch = 0x340;
  struct Case {
    Op op;
    unsigned rs1;
    U expected;
  };
  const std::array cases{Case{Op::CSRRW, 1, 0x0F},  Case{Op::CSRRS, 1, 0xFF},
                         Case{Op::CSRRC, 1, 0xF0},  Case{Op::CSRRWI, 5, 5},
                         Case{Op::CSRRSI, 5, 0xF5}, Case{Op::CSRRCI, 0x10, 0xE0},
                         Case{Op::CSRRS, 0, 0xF0}};
  Bench bench;
  for (const Case& c : cases) {
    bench.hart().writeCsr(kMscratch, 0xF0);
    bench.hart().setX(1, 0x0F);
    bench.step(encode(c.op, {.rd = 3, .rs1 = c.rs1, .imm = kMscratch}));
    EXPECT_EQ(bench.hart().x(3), 0xF0U) << row(c.op).mnemonic;
    EXPECT_EQ(bench.hart().readCsr(kMscratch), c.expected) << row(c.op).mnemonic;
  }
}

TEST(RV64Instruction, ReadOnlyAndUnknownCsrsTrap) {
  Bench bench;
  const auto traps = [&](Op op, unsigned rs1, std::int32_t csr) {
    return bench.step(encode(op, {.rd = 3, .rs1 = rs1, .imm = csr})) == Stop::NoHandler;
  };
  EXPECT_FALSE(traps(Op::CSRRS, 0, 0xC00));  // reading cycle
  EXPECT_TRUE(traps(Op::CSRRS, 1, 0xC00));
  EXPECT_TRUE(traps(Op::CSRRW, 1, 0xF14));
  for (const std::int32_t csr : {0x180, 0x302, 0x303, 0x306, 0x3A0, 0x3B0, 0x7A0, 0x100}) {
    EXPECT_TRUE(traps(Op::CSRRS, 0, csr)) << std::hex << csr;  // satp, medeleg ... do not exist
    EXPECT_EQ(bench.hart().mcause(), 2U);
  }
}

TEST(RV64Instruction, TrapsEnterAndReturn) {
  Bench bench;
  bench.hart().writeCsr(0x305, kRamBase + 0x100);      // mtvec
  bench.poke(kRamBase + 0x100, encode(Op::ADDI, {}));  // what retires after the trap
  bench.hart().writeCsr(0x300, 0x6008);                // MIE
  bench.step(encode(Op::ECALL, {}), kRamBase + 0x40);
  EXPECT_EQ(bench.hart().mcause(), 11U);
  EXPECT_EQ(bench.hart().mepc(), kRamBase + 0x40);
  EXPECT_EQ(*bench.hart().readCsr(0x300) & 0x88, 0x80U);  // MPIE := MIE, MIE := 0
  bench.step(encode(Op::MRET, {}), kRamBase + 0x100);
  EXPECT_EQ(bench.hart().pc(), kRamBase + 0x40);
  EXPECT_EQ(*bench.hart().readCsr(0x300) & 0x88, 0x88U);
  bench.step(encode(Op::EBREAK, {}), kRamBase + 0x44);
  EXPECT_EQ(bench.hart().mcause(), 3U);
}

TEST(RV64Instruction, FencesDoNothingVisible) {
  Bench bench;
  EXPECT_EQ(bench.step(encode(Op::FENCE, {})), Stop::Budget);
  EXPECT_EQ(bench.step(encode(Op::FENCE_I, {})), Stop::Budget);
}

TEST(RV64Instruction, VendorOpcodesTrapWithoutAnExtension) {
  Bench bench;
  EXPECT_EQ(bench.step(0x0045658BU), Stop::NoHandler);
  EXPECT_EQ(bench.hart().mcause(), 2U);
  EXPECT_EQ(bench.hart().mtval(), 0x0045658BU);
  EXPECT_EQ(bench.step(encode(Op::CUSTOM_3, {})), Stop::NoHandler);
}

TEST(RV64Instruction, NoneIsWithoutATest) {
  std::set<Op> tested;
  for (const IntegerCase& c : integerCases()) tested.insert(c.op);
  for (const AtomicCase& c : atomicCases()) tested.insert(c.op);
  for (const auto* cases : {&floatCases(), &floatToIntegerCases(), &integerToFloatCases()}) {
    for (const FloatCase& c : *cases) tested.insert(c.op);
  }
  for (const auto* ops : {&kJumpOps, &kMemoryOps, &kSystemOps}) {
    tested.insert(ops->begin(), ops->end());
  }
  for (const InstructionRow& r : instructions()) {
    EXPECT_TRUE(tested.contains(r.op)) << r.mnemonic;
  }
}

}  // namespace
}  // namespace rtvp::rv64
