// Pieces of host code: what is kept runs, what went wrong is not kept, and callers find their
// registers and the stack as they should be.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "models/hostcode/convention.hpp"
#include "models/hostcode/piece.hpp"

namespace rtvp::hostcode {
namespace {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

class HostCode : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!hostHas({})) GTEST_SKIP() << "no code is made for this host";
  }
  asmjit::JitRuntime memory_;
};

TEST_F(HostCode, WhatIsKeptRuns) {
  Piece piece(memory_);
  piece.to().lea(rax, ptr(rdi, rsi));
  piece.to().ret();
  const std::uint8_t* const code = piece.keep(memory_);
  ASSERT_NE(code, nullptr);
  EXPECT_GE(piece.size(), 5U);
  const auto sum = asFunction<std::uint64_t (*)(std::uint64_t, std::uint64_t)>(code);
  EXPECT_EQ(sum(40, 2), 42U);
}

TEST_F(HostCode, AnEntryIsWhereItsBytesSay) {
  Piece piece(memory_);
  piece.to().mov(eax, 1);
  piece.to().ret();
  const std::size_t second = piece.entry();
  piece.to().mov(eax, 2);
  piece.to().ret();
  const std::size_t third = piece.entry();
  piece.to().mov(eax, 3);
  piece.to().ret();
  EXPECT_EQ(second % 16, 0U);
  EXPECT_EQ(third % 16, 0U);
  const std::uint8_t* const code = piece.keep(memory_);
  ASSERT_NE(code, nullptr);
  EXPECT_EQ(asFunction<int (*)()>(code)(), 1);
  EXPECT_EQ(asFunction<int (*)()>(code + second)(), 2);
  EXPECT_EQ(asFunction<int (*)()>(code + third)(), 3);
}

/// An operand that no encoding has, and a jump to nowhere.
TEST_F(HostCode, WhatWentWrongIsNotKept) {
  Piece wrong(memory_);
  wrong.to().mov(eax, 1);
  wrong.to().emit(Inst::kIdLea, eax, ecx);
  wrong.to().ret();
  EXPECT_EQ(wrong.keep(memory_), nullptr);
  Piece open(memory_);
  open.to().jmp(open.to().newLabel());
  open.to().ret();
  EXPECT_EQ(open.keep(memory_), nullptr);
}

TEST_F(HostCode, AHostHasAllOrIsRefused) {
  const auto& x86 = asmjit::CpuInfo::host().features().x86();
  using Id = asmjit::CpuFeatures::X86::Id;
  EXPECT_EQ(hostHas({Id::kBMI2}), x86.hasBMI2());
  EXPECT_EQ(hostHas({Id::kAVX, Id::kAVX512_F}), x86.hasAVX() && x86.hasAVX512_F());
  EXPECT_FALSE(hostHas({Id::kSSE2, Id::kFMA4, Id::kAVX512_4VNNIW})) << "no host has both";
}

/// Functions that have registers of their callers for themselves.
class Callers : public HostCode {
 protected:
  /// A function (spoiling, frame) that fills the registers with numbers of its own, calls
  /// `spoiling` and leaves what they are then in the frame.
  const std::uint8_t* observer() {
    Piece piece(memory_);
    Assembler& a = piece.to();
    const Saved saved(callersRegisters(), Saved::Inside::Calls);
    saved.enter(a);
    a.sub(rsp, 16);
    a.mov(ptr(rsp), rsi);
    std::uint32_t n = 0;
    for (const Gp& r : callersRegisters()) a.mov(r, 100 + n++);
    a.mov(rax, rdi);
    a.mov(rdi, rsi);
    a.call(rax);
    a.mov(rsi, ptr(rsp));
    n = 0;
    for (const Gp& r : callersRegisters()) a.mov(ptr(rsi, static_cast<int>(8 * n++)), r);
    a.add(rsp, 16);
    saved.leave(a);
    a.ret();
    return piece.keep(memory_);
  }
  /// A function (frame) with `registers` saved, spoiled and restored; where its stack was inside
  /// goes to frame[6].
  const std::uint8_t* spoiler(std::span<const Gp> registers, Saved::Inside inside) {
    Piece piece(memory_);
    Assembler& a = piece.to();
    const Saved saved(registers, inside);
    saved.enter(a);
    a.mov(ptr(rdi, 48), rsp);
    for (const Gp& r : registers) a.mov(r, 7);
    saved.leave(a);
    a.ret();
    return piece.keep(memory_);
  }
};

TEST_F(Callers, FindTheirRegistersAndFunctionsAnAlignedStack) {
  const std::uint8_t* const observe = observer();
  ASSERT_NE(observe, nullptr);
  const std::span<const Gp> all = callersRegisters();
  for (const auto inside : {Saved::Inside::Calls, Saved::Inside::NoCalls}) {
    for (std::size_t count = 0; count <= all.size(); ++count) {
      SCOPED_TRACE(count);
      const std::uint8_t* const spoil = spoiler(all.first(count), inside);
      ASSERT_NE(spoil, nullptr);
      std::array<std::uint64_t, 7> frame{};
      asFunction<void (*)(const void*, std::uint64_t*)>(observe)(spoil, frame.data());
      for (std::size_t n = 0; n < all.size(); ++n) EXPECT_EQ(frame[n], 100 + n);
      // Behind the call of spoil() the stack is 8 bytes off; what it calls wants 16.
      if (inside == Saved::Inside::Calls) {
        EXPECT_EQ(frame[6] % 16, 0U);
      } else {
        EXPECT_EQ(frame[6] % 16, count % 2 == 0 ? 8U : 0U) << "nothing is pushed in vain";
      }
    }
  }
}

}  // namespace
}  // namespace rtvp::hostcode
