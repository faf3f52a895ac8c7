// Integer division and multiplication of the runtime library against C++.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "models/c32/isa.hpp"
#include "tests/firmware/runtime/runtime_machine.hpp"

namespace rtvp::c32::testing {
namespace {

struct Division {
  std::uint32_t quotient = 0xFFFFFFFF, remainder = 0;
};

Division divideUnsigned(std::uint32_t n, std::uint32_t d) {
  return d == 0 ? Division{0xFFFFFFFF, n} : Division{n / d, n % d};
}

/// Towards zero, in 64 bits: 80000000h / -1 wraps. By zero: the unsigned rule on the magnitudes.
Division divideSigned(std::uint32_t n, std::uint32_t d) {
  const std::int64_t sn = static_cast<std::int32_t>(n);
  const std::int64_t sd = static_cast<std::int32_t>(d);
  if (d == 0) return {sn < 0 ? 1u : 0xFFFFFFFFu, n};
  return {static_cast<std::uint32_t>(sn / sd), static_cast<std::uint32_t>(sn % sd)};
}

const std::vector<std::uint32_t>& edges() {
  static const std::vector<std::uint32_t> kEdges = {
      0,          1,          2,          3,          7,          10,
      0x7FFF,     0x8000,     0xFFFF,     0x10000,    0x7FFFFF,   0x800000,
      0xFFFFFF,   0x1000000,  0x3FFFFFFF, 0x40000000, 0x7FFFFFFE, 0x7FFFFFFF,
      0x80000000, 0x80000001, 0xBFFFFFFF, 0xC0000000, 0xFFFFFFFE, 0xFFFFFFFF};
  return kEdges;
}

/// All pairs of edges, and random ones of all lengths.
template <typename Check>
void forPairs(std::uint32_t seed, unsigned random, Check check) {
  for (const std::uint32_t a : edges())
    for (const std::uint32_t b : edges()) check(a, b);
  std::mt19937 engine(seed);
  for (unsigned i = 0; i < random; ++i) {
    const std::uint32_t a = static_cast<std::uint32_t>(engine()) >> engine() % 32;
    const std::uint32_t b = static_cast<std::uint32_t>(engine()) >> engine() % 32;
    check(engine() % 2 != 0 ? a : 0u - a, engine() % 2 != 0 ? b : 0u - b);
  }
}

/// Fixed costs of intdiv.asm: q quotient bits, one step a bit, on the path of most operands.
Cycle divmodCycles(std::uint32_t n, std::uint32_t d) {
  if (n < d) return 1 + 1 + 3 + 1 + 1 + 3;  // CMPI, BLOD and slots, POP, BUD and slots
  if (((d - 1) | n) >> 31 != 0) return 0;   // the rare path is not pinned
  const unsigned q = static_cast<unsigned>(std::countl_zero(d) - std::countl_zero(n)) + 1;
  // CMPI, BLOD, 3, BND, 3; PUSHF POP PUSHF POP ASH ASH SUBI LSH; RPTS and q SUBC; 5; POP, BUD, 3
  return 1 + 4 + 4 + 8 + 4 + q + 5 + 1 + 4;
}

TEST(RuntimeInteger, UnsignedDivision) {
  RuntimeMachine m(Model::Register, Memory::Flat, {"intdiv"});
  forPairs(1, 3000, [&](std::uint32_t n, std::uint32_t d) {
    const Division want = divideUnsigned(n, d);
    const Cycle cycles = m.call("_divu", {n, d});
    ASSERT_EQ(m.resultInt(), want.quotient) << std::hex << n << " / " << d;
    // LDI, BRD, 3 slots; PUSH PUSH CALL; POP POP LDI RETS
    if (divmodCycles(n, d) != 0) {
      ASSERT_EQ(cycles, 5 + 6 + divmodCycles(n, d) + 7) << std::hex << n << " / " << d;
    } else {
      ASSERT_LE(cycles, 111u) << std::hex << n << " / " << d;
    }
    m.call("_modu", {n, d});
    ASSERT_EQ(m.resultInt(), want.remainder) << std::hex << n << " % " << d;
  });
}

TEST(RuntimeInteger, SignedDivision) {
  RuntimeMachine m(Model::Register, Memory::Flat, {"intdiv"});
  forPairs(2, 3000, [&](std::uint32_t n, std::uint32_t d) {
    const Division want = divideSigned(n, d);
    m.call("_divi", {n, d});
    ASSERT_EQ(m.resultInt(), want.quotient) << std::hex << n << " / " << d;
    m.call("_modi", {n, d});
    ASSERT_EQ(m.resultInt(), want.remainder) << std::hex << n << " % " << d;
  });
}

// Compilers call these in the middle of anything: all but R0, R1 and the repeat registers stays.
TEST(RuntimeInteger, CompilerEntriesKeepRegisters) {
  RuntimeMachine m(Model::Register, Memory::Flat, {"intdiv", "intmul"});
  for (const char* name : {"DIV_U30", "MOD_U30", "DIV_I30", "MOD_I30", "MPY_I30"}) {
    for (unsigned n = 0; n < reg::SP; ++n) m.setReg(n, 0x1234567 * (n + 1));
    m.setReg(reg::R0, 1'000'003);
    m.setReg(reg::R1, 17);
    m.jump(name);
    for (unsigned n = reg::R0 + 2; n < reg::SP; ++n)
      EXPECT_EQ(m.reg(n), 0x1234567 * (n + 1)) << name << " register " << n;
  }
}

/// Compiled code branches on the flags behind these calls, as on those of an LDI of the result: a
/// public program's `CALL MOD_I30`, `LDFNZ`.
TEST(RuntimeInteger, CompilerEntriesLeaveTheFlagsOfTheResult) {
  RuntimeMachine m(Model::Register, Memory::Flat, {"intdiv", "intmul"});
  constexpr std::uint32_t kN = 1u << 3, kZ = 1u << 2;
  for (const char* name : {"DIV_U30", "MOD_U30", "DIV_I30", "MOD_I30", "MPY_I30"}) {
    forPairs(5, 100, [&](std::uint32_t a, std::uint32_t b) {
      m.setReg(reg::R0, a);
      m.setReg(reg::R1, b);
      m.setReg(reg::R3, b ^ 0x80000000);
      m.jump(name);
      const std::uint32_t flags = m.reg(reg::ST) & (kN | kZ), result = m.resultInt();
      ASSERT_EQ(flags, (result == 0 ? kZ : 0) | (result >> 31 != 0 ? kN : 0)) << name << a << b;
    });
  }
}

TEST(RuntimeInteger, StackModelAndBothMemories) {
  RuntimeMachine stack(Model::Stack, Memory::Flat, {"intdiv", "intmul"});
  RuntimeMachine inside(Model::Register, Memory::Internal, {"intdiv", "intmul"});
  forPairs(3, 300, [&](std::uint32_t n, std::uint32_t d) {
    const Division want = divideSigned(n, d);
    stack.call("_divi", {n, d});
    ASSERT_EQ(stack.resultInt(), want.quotient);
    stack.call("_modi", {n, d});
    ASSERT_EQ(stack.resultInt(), want.remainder);
    inside.call("_divi", {n, d});
    ASSERT_EQ(inside.resultInt(), want.quotient);
    stack.call("_mull", {n, d});
    ASSERT_EQ(stack.resultInt(), n * d);
  });
}

TEST(RuntimeInteger, Products) {
  RuntimeMachine m(Model::Register, Memory::Flat, {"intmul"});
  forPairs(4, 3000, [&](std::uint32_t a, std::uint32_t b) {
    ASSERT_EQ(m.call("_mull", {a, b}), 15u) << "10 and POP, BUD, 3 slots";
    ASSERT_EQ(m.resultInt(), a * b) << std::hex << a << " * " << b;
    m.call("_mulhu", {a, b});
    ASSERT_EQ(m.resultInt(), static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32))
        << std::hex << a << " * " << b;
    m.call("_mulhi", {a, b});
    const std::int64_t product =
        std::int64_t{static_cast<std::int32_t>(a)} * static_cast<std::int32_t>(b);
    ASSERT_EQ(m.resultInt(), static_cast<std::uint32_t>(product >> 32))
        << std::hex << a << " * " << b;
    m.setReg(reg::R0, a);
    m.setReg(reg::R1, b);
    m.jump("MPY_I30");
    ASSERT_EQ(m.resultInt(), a * b);
  });
}

}  // namespace
}  // namespace rtvp::c32::testing
