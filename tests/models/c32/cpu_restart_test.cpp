// The restart rule: a run in which the port refuses accesses and pin readings at random ends
// exactly like one in which it never does, and no completed access is repeated.
#include <gtest/gtest.h>

#include <sstream>

#include "models/c32/decode.hpp"
#include "models/c32/isa_table.hpp"
#include "tests/models/c32/cpu_test_support.hpp"

namespace rtvp::c32 {
namespace {

using testing::kNop;
using testing::Machine;

/// A random data instruction whose pointers stay where they are useful.
std::uint32_t randomInstruction(testing::Random& random) {
  for (;;) {
    const std::uint32_t word = random();
    const auto i = decode(word);
    if (!i) continue;
    const OpInfo& row = info(i->op);
    if (row.control || row.delayed || row.interlocked || i->op == Op::LOPOWER) continue;
    // Keep pointers, and what decides where things go, out of the destinations.
    if (row.writesRegister && row.destination == RegClass::Any && i->reg >= 8 && i->reg != reg::IOF)
      continue;
    return word;
  }
}

std::string state(const Machine& m) {
  std::ostringstream out;
  out << std::hex;
  for (unsigned n = 0; n < 8; ++n) {
    out << static_cast<int>(m.cpu.extended(n).exponent) << ":" << m.cpu.extended(n).mantissa << " ";
  }
  for (unsigned n = 8; n < reg::kCount; ++n) out << m.r(n) << " ";
  out << "pc " << m.cpu.pc() << " cycle " << m.cpu.cycle();
  for (std::uint32_t a = 0; a < kRamWords; ++a) out << " " << m.ram(a);
  for (const auto& [a, w] : m.board.memory) out << " " << a << "=" << w;
  const CpuStatistics& s = m.cpu.statistics();
  out << " stats " << s.instructions << " " << s.executing << " " << s.busWait << " " << s.held
      << " " << s.registerConflict << " " << s.ramConflict << " " << s.externalReads << " "
      << s.externalWrites << " " << s.externalFetches;
  return out.str();
}

void prepare(Machine& m, std::uint32_t seed, bool externalCode) {
  testing::Random random(seed);
  const std::uint32_t base = externalCode ? 0x4000 : kRamBase;
  for (std::uint32_t i = 0; i < 60; ++i) m.load(base + i, {randomInstruction(random)});
  m.load(base + 60, {0x60000000 | base});
  for (unsigned n = 0; n < 8; ++n) {
    // Half the pointers outside, some in block 1.
    m.cpu.setRegister(reg::AR0 + n,
                      random() % 2 != 0 ? 0x1000 + random() % 64 : 0x87FF20 + random() % 64);
    m.cpu.setExtended(n, {static_cast<std::int8_t>(random() % 20), random()});
  }
  m.cpu.setRegister(reg::IR0, random() % 4);
  m.cpu.setRegister(reg::IR1, random() % 4);
  m.cpu.setRegister(reg::BK, 8);
  m.cpu.setRegister(reg::SP, random() % 2 != 0 ? 0x1800 : 0x87FF80);
  m.cpu.setRegister(reg::DP, 0);
  for (std::uint32_t a = 0x0F00; a < 0x1900; ++a) m.board.memory[a] = random();
  m.cpu.setPc(base);
}

TEST(C32Restart, BlockedRunsEndLikeUnblockedOnes) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Machine plain;
    Machine blocked;
    prepare(plain, seed, seed % 3 == 0);
    prepare(blocked, seed, seed % 3 == 0);
    testing::Random random(seed);
    int refusals = 0;
    bool refusedLast = false;
    const auto refuse = [&] {  // never twice running, at least half the time
      refusedLast = !refusedLast && random() % 4 != 0;
      refusals += refusedLast ? 1 : 0;
      return refusedLast;
    };
    blocked.board.onAccess = [&](const BusRequest&) {
      return BusReply{.status = refuse() ? BusReply::Status::Blocked : BusReply::Status::Done};
    };
    blocked.board.onSample = [&](Cycle) { return PinReply{!refuse(), true, false}; };
    plain.board.onSample = [](Cycle) { return PinReply{true, true, false}; };
    constexpr std::uint64_t kInstructions = 200;
    const StopReason why = plain.steps(kInstructions);
    StopReason other = StopReason::Blocked;
    int attempts = 0;
    while (other == StopReason::Blocked) {
      ASSERT_LT(++attempts, 10'000) << blocked.cpu.pending().request.address;
      other = blocked.steps(kInstructions - blocked.cpu.statistics().instructions);
    }
    ASSERT_EQ(why, other);
    ASSERT_EQ(state(plain), state(blocked));
    ASSERT_EQ(plain.board.log.size(), blocked.board.log.size());
    for (std::size_t i = 0; i < plain.board.log.size(); ++i) {
      ASSERT_EQ(plain.board.log[i].address, blocked.board.log[i].address) << i;
      ASSERT_EQ(plain.board.log[i].cycle, blocked.board.log[i].cycle) << i;
      ASSERT_EQ(plain.board.log[i].data, blocked.board.log[i].data) << i;
    }
    if (seed % 3 == 0) {
      EXPECT_GT(refusals, 20);
    }
  }
}

TEST(C32Restart, NothingHappensBeforeTheAccessSucceeds) {
  Machine m({0xDA41C120, kNop});  // LDI *AR0++,R1 || STI R1,*AR1
  m.cpu.setRegister(reg::AR0, 0x87FF00);
  m.cpu.setRegister(reg::AR1, 0x1000);
  m.cpu.setRegister(1, 5);
  m.load(0x87FF00, {77});
  m.board.onAccess = [](const BusRequest&) {
    return BusReply{.status = BusReply::Status::Blocked};
  };
  EXPECT_EQ(m.steps(1), StopReason::Blocked);
  EXPECT_EQ(m.r(reg::AR0), 0x87FF00u);
  EXPECT_EQ(m.r(1), 5u);
  EXPECT_EQ(m.cpu.cycle(), 0u);
  EXPECT_EQ(m.cpu.pending().kind, Pending::Kind::Bus);
  EXPECT_EQ(m.cpu.pending().request.op, BusOp::Write);
  m.board.onAccess = nullptr;
  m.board.notBefore = 50;
  EXPECT_EQ(m.steps(1), StopReason::Steps);
  EXPECT_EQ(m.r(1), 77u);
  EXPECT_EQ(m.board.memory[0x1000], 5u);
  EXPECT_EQ(m.cpu.cycle(), 50u);
  EXPECT_EQ(m.cpu.statistics().held, 49u);
  EXPECT_EQ(m.cpu.pending().kind, Pending::Kind::None);
}

TEST(C32Restart, PinsNotReady) {
  Machine m({0x08000018});  // LDI IOF,R0
  m.board.onSample = [](Cycle) { return PinReply{false, true, true}; };
  EXPECT_EQ(m.steps(1), StopReason::Blocked);
  EXPECT_EQ(m.cpu.pending().kind, Pending::Kind::Pins);
  EXPECT_EQ(m.cpu.pending().cycle, 0u);
  m.board.onSample = nullptr;
  EXPECT_EQ(m.steps(1), StopReason::Steps);
  EXPECT_EQ(m.r(0), 0x88u);
}

}  // namespace
}  // namespace rtvp::c32
