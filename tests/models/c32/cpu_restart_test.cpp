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
      << s.externalWrites << " " << s.externalFetches << " " << s.interruptsTaken << " "
      << s.dmaReads << " " << s.dmaWrites << " " << s.cacheHits << " " << s.cacheMisses;
  for (const std::uint64_t cycles : s.stalls()) out << " " << cycles;
  for (std::uint32_t a = 0x808000; a < 0x808070; ++a) out << " " << *m.cpu.peek(a);
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

/// One store of the program to a peripheral register.
void poke(Machine& m, std::uint32_t address, std::uint32_t value) {
  m.load(kRamBase + 0x1FF, {0x1540C600});  // STI R0,*AR6
  m.cpu.setRegister(reg::AR6, address);
  m.cpu.setRegister(0, value);
  m.cpu.setPc(kRamBase + 0x1FF);
  m.steps(1);
}

/// Timers that interrupt, DMA on both channels between all kinds of memory, the cache.
void startPeripherals(Machine& m, std::uint32_t seed) {
  testing::Random random(seed + 77);
  m.cpu.setRegister(reg::IE, random() & 0xFFFF0700u);
  poke(m, 0x808028, 5 + random() % 200);
  poke(m, 0x808038, 3 + random() % 50);
  poke(m, 0x808020, random() % 4 != 0 ? 0x2C1 : 0);
  poke(m, 0x808030, random() % 2 != 0 ? 0x3C1 : 0x2C1);
  for (std::uint32_t channel = 0; channel < 2; ++channel) {
    const std::uint32_t base = 0x808000 + 0x10 * channel;
    const auto place = [&] {
      return random() % 2 != 0 ? 0x3000 + random() % 64 : 0x87FF80 + random() % 32;
    };
    poke(m, base + 4, place());
    poke(m, base + 6, place());
    poke(m, base + 8, 1 + random() % 30);
    const std::uint32_t sync = random() % 3 == 0 ? random() % 4 << 8 : 0;
    const std::uint32_t priority = random() % 4 << 12 | (random() & 1u << 14);
    poke(m, base, 3u | (random() & 0xC50u) | sync | priority);
  }
}

void compareRuns(std::uint32_t seed, bool peripherals, Timing timing) {
  CpuConfig config;
  config.timing = timing;
  config.prgwPin = peripherals && seed % 7 == 0;
  {
    SCOPED_TRACE("seed " + std::to_string(seed) + " timing " +
                 std::to_string(static_cast<int>(timing)));
    Machine plain({}, config);
    Machine blocked({}, config);
    for (Machine* m : {&plain, &blocked}) {
      if (peripherals) startPeripherals(*m, seed);
      prepare(*m, seed, seed % 3 == 0);
      if (!peripherals) continue;
      // Vectors at 2000h lead to RETI at 2100h, in either program width.
      for (std::uint32_t v = 0; v < 16; ++v) {
        m->board.memory[0x2000 + v] = 0x2100;
        m->board.memory[0x4000 + 2 * v] = 0x2100;
      }
      m->board.memory[0x2100] = 0x78000000;
      m->board.memory[0x4201] = 0x7800;
      m->cpu.setRegister(reg::IF, 0x00200000);
      m->cpu.setRegister(reg::ST, (seed % 2 != 0 ? kGIE : 0) | (seed % 5 < 3 ? kCE : 0));
    }
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
    const std::uint64_t before = plain.cpu.statistics().instructions;
    const StopReason why = plain.steps(kInstructions);
    StopReason other = StopReason::Blocked;
    int attempts = 0;
    while (other == StopReason::Blocked) {
      ASSERT_LT(++attempts, 20'000) << blocked.cpu.pending().request.address;
      other = blocked.steps(kInstructions + before - blocked.cpu.statistics().instructions);
    }
    ASSERT_EQ(why, other);
    ASSERT_EQ(state(plain), state(blocked));
    ASSERT_EQ(plain.board.log.size(), blocked.board.log.size());
    for (std::size_t i = 0; i < plain.board.log.size(); ++i) {
      ASSERT_EQ(plain.board.log[i].address, blocked.board.log[i].address) << i;
      ASSERT_EQ(plain.board.log[i].cycle, blocked.board.log[i].cycle) << i;
      ASSERT_EQ(plain.board.log[i].data, blocked.board.log[i].data) << i;
    }
    if (seed % 3 == 0 && why == StopReason::Steps && !peripherals) {
      EXPECT_GT(refusals, 20);
    }
  }
}

TEST(C32Restart, BlockedRunsEndLikeUnblockedOnes) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    compareRuns(seed, false, Timing::Interlock);
    if (HasFatalFailure()) return;
  }
}

TEST(C32Restart, AlsoWithDmaTimersInterruptsAndCache) {
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    compareRuns(seed, true, static_cast<Timing>(seed % 3));
    if (HasFatalFailure()) return;
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
