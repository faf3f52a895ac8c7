// Instruction cache (c32.md 7.6), data sizes and memory widths (2.5, 8.4), HOLD (9.3), timing modes
// and the observer (7.5, 7.8).
#include "models/c32/cache.hpp"

#include <gtest/gtest.h>

#include "tests/models/c32/cpu_asm_support.hpp"

namespace rtvp::c32 {
namespace {

using testing::AsmMachine;
using testing::kNop;
using testing::Machine;

TEST(Cache, SegmentsPresentFlagsAndReplacement) {
  InstructionCache cache;
  cache.reset();
  cache.control(true, false);
  EXPECT_EQ(cache.mostRecent(), 0u);
  EXPECT_TRUE(cache.fill(0x100, 1));  // segment miss: segment 1 is the least recent
  EXPECT_EQ(cache.mostRecent(), 1u);
  EXPECT_FALSE(cache.fill(0x101, 2));  // same tag: a word only
  EXPECT_EQ(cache.present(1), 3u);
  EXPECT_FALSE(cache.lookup(0x102).has_value());
  EXPECT_TRUE(cache.fill(0x200, 3));
  EXPECT_EQ(cache.mostRecent(), 0u);
  EXPECT_EQ(*cache.lookup(0x100), 1u);  // a hit makes its segment the most recent
  EXPECT_TRUE(cache.fill(0x300, 4));    // so 200h goes
  EXPECT_FALSE(cache.lookup(0x200).has_value());
  EXPECT_EQ(*cache.lookup(0x101), 2u);
  cache.control(true, true);  // frozen: hits are served, nothing changes
  EXPECT_EQ(*cache.lookup(0x300), 4u);
  EXPECT_EQ(cache.mostRecent(), 1u);
  EXPECT_FALSE(cache.fill(0x301, 5));
  EXPECT_FALSE(cache.lookup(0x301).has_value());
  cache.clear();
  EXPECT_FALSE(cache.lookup(0x100).has_value());
  EXPECT_EQ(cache.tag(1), 0x100u / 32);
}

/// The cache against a model that keeps lists, on random fetches.
TEST(Cache, AgreesWithADefinitionOnRandomFetches) {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    testing::Random random(seed);
    InstructionCache cache;
    cache.reset();
    struct Segment {
      std::uint32_t tag = ~0u;
      std::map<std::uint32_t, std::uint32_t> words;
    };
    std::vector<Segment> stack(2);  // most recent first
    bool frozen = false;
    for (int i = 0; i < 2000; ++i) {
      if (random() % 64 == 0) frozen = random() % 2 != 0;
      if (random() % 256 == 0) {
        cache.clear();
        for (Segment& s : stack) s.words.clear();
      }
      cache.control(true, frozen);
      const std::uint32_t address = random() % 4 * 0x1000 + random() % 40;
      const std::uint32_t word = random();
      auto found = std::find_if(stack.begin(), stack.end(),
                                [&](const Segment& s) { return s.tag == address >> 5; });
      const bool hit = found != stack.end() && found->words.contains(address);
      const auto got = cache.lookup(address);
      ASSERT_EQ(got.has_value(), hit) << "seed " << seed << " step " << i;
      if (hit) {
        ASSERT_EQ(*got, found->words[address]);
      } else {
        cache.fill(address, word);
      }
      if (frozen) continue;
      if (found == stack.end()) {
        stack.back() = {address >> 5, {}};
        found = stack.end() - 1;
      }
      if (!hit) found->words[address] = word;
      if (found != stack.begin()) std::swap(stack[0], stack[1]);
    }
  }
}

/// A loop in external memory with an external load: first pass at bus speed, later ones from the
/// cache.
struct External : Machine {
  explicit External(std::uint32_t st, CpuConfig config = {}) : Machine({}, config) {
    load(0x2000, {0x13FB0000 | 9, kNop});  // RPTS 9; NOP
    load(0x2002, {0x0840C000, 0x0840C000, 0x60002002});
    cpu.setRegister(reg::AR0, 0x1000);
    cpu.setRegister(reg::ST, st);
    cpu.setPc(0x2002);
  }
};

TEST(Cache, LaterPassesRunAtInternalSpeed) {
  External off(0);
  off.steps(9);
  EXPECT_EQ(off.cpu.statistics().externalFetches, 9u);
  External on(kCE);
  on.steps(9);
  EXPECT_EQ(on.cpu.statistics().externalFetches, 3u);
  EXPECT_EQ(on.cpu.statistics().cacheHits, 6u);
  EXPECT_EQ(on.cpu.statistics().cacheMisses, 3u);
  EXPECT_EQ(on.cpu.statistics().cacheSegmentMisses, 1u);
  // Off: each load delays the next fetch by a cycle, the last one that of the branch.
  EXPECT_EQ(off.cpu.cycle(), 3u * (1 + 1 + 4 + 2));
  EXPECT_EQ(on.cpu.cycle(), (1 + 1 + 4 + 2) + 2u * (1 + 1 + 4));
  EXPECT_EQ(on.cpu.statistics().totalCycles(), on.cpu.cycle());
}

TEST(Cache, ServesStaleWordsUntilCleared) {
  External m(kCE);
  m.steps(3);
  m.board.memory[0x2002] = 0x08600007;  // LDI 7,R0
  m.cpu.setRegister(0, 1);
  m.board.memory[0x1000] = 5;
  m.steps(3);
  EXPECT_EQ(m.r(0), 5u);                                         // the old load
  m.load(kRamBase, {0x10751800, kNop, kNop, kNop, 0x60002002});  // OR 1800h,ST; ... ; BR
  m.cpu.setPc(kRamBase);
  m.steps(6);
  EXPECT_EQ(m.r(0), 7u);
  EXPECT_EQ(m.r(reg::ST) & kCC, 0u);
}

TEST(Cache, ControlActsAfterThreeMoreWords) {
  Machine m;
  m.load(0x2000, {0x10750800, kNop, kNop, kNop, kNop, kNop, kNop});  // OR 800h,ST
  m.cpu.setPc(0x2000);
  m.steps(7);
  EXPECT_EQ(m.cpu.statistics().cacheMisses, 3u);
  EXPECT_EQ(m.cpu.statistics().externalFetches, 7u);
}

TEST(Widths, BusCyclesOfEveryCombination) {
  EXPECT_EQ(busCycle(8, 32, 0x1007, 0).address, 0x401u);
  EXPECT_EQ(busCycle(8, 32, 0x1007, 0).byteEnable, 8u);
  EXPECT_EQ(busCycle(8, 32, 0x1007, 0).lane, 24u);
  EXPECT_EQ(busCycle(16, 32, 0x1001, 0).byteEnable, 0xCu);
  EXPECT_EQ(busCycle(8, 16, 0x1001, 0).address, 0x800u);
  EXPECT_EQ(busCycles(32, 8), 4u);
  EXPECT_EQ(busCycle(32, 8, 0x1001, 2).address, 0x4006u);
  EXPECT_EQ(busCycle(32, 8, 0x1001, 2).shift, 16u);
  EXPECT_EQ(busCycles(32, 16), 2u);
  EXPECT_EQ(busCycles(16, 32), 1u);
}

/// Memory of bytes behind STRB1, whatever its width: what a load after a store gives.
TEST(Widths, StoreThenLoadIsTheIdentityForEachSizeAndWidth) {
  for (const std::uint32_t size : {0u, 1u, 3u}) {
    for (const std::uint32_t width : {0u, 1u, 3u}) {
      for (const std::uint32_t zeroFill : {0u, 1u}) {
        Machine m({0x1540C000, 0x0841C000, 0x1442C100, 0x0743C100});
        // STI R0,*AR0; LDI *AR0,R1; STF R2,*AR1; LDF *AR1,R3
        m.cpu.poke(0x808068, 8 | size << 16 | width << 18 | zeroFill << 20);
        std::map<std::uint64_t, std::uint32_t> bytes;
        const unsigned unit = width == 0 ? 1 : width == 1 ? 2 : 4;
        m.board.onAccess = [&](const BusRequest& r) {
          EXPECT_EQ(r.strobe, Strobe::Strb1);
          EXPECT_EQ(r.width, unit * 8);
          for (unsigned b = 0; b < 4; ++b) {
            if ((r.byteEnable >> b & 1u) == 0) continue;
            EXPECT_LT(b, unit);
            auto& byte = bytes[std::uint64_t{r.address} * unit + b];
            if (r.op == BusOp::Write) byte = r.data >> (8 * b) & 0xFF;
            auto& word = m.board.memory[r.address];
            word = (word & ~(0xFFu << 8 * b)) | byte << (8 * b);
          }
          return BusReply{};
        };
        m.cpu.setRegister(reg::AR0, 0x900003);
        m.cpu.setRegister(reg::AR1, 0x900005);
        m.cpu.setRegister(0, 0x89ABCDEF);
        m.cpu.setExtended(2, {static_cast<std::int8_t>(0x12), 0x89ABCDEF});
        // Byte lanes merge in the map above; the fake board's own store would not.
        m.board.merge = true;
        m.steps(4);
        const unsigned bits = size == 0 ? 8 : size == 1 ? 16 : 32;
        const std::uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
        std::uint32_t expected = 0x89ABCDEF & mask;
        if (zeroFill == 0 && bits != 32 && (expected >> (bits - 1)) != 0) expected |= ~mask;
        EXPECT_EQ(m.r(1), expected) << size << width << zeroFill;
        const std::uint32_t single = 0x1289ABCD & ~(mask == ~0u ? 0 : ~0u >> bits);
        EXPECT_EQ(m.cpu.extended(3), extendedFromSingle(single)) << size << width;
        const unsigned cycles = size == 3 && width == 0   ? 4
                                : size == 3 && width == 1 ? 2
                                : size == 1 && width == 0 ? 2
                                                          : 1;
        EXPECT_EQ(m.board.log.size(), 4u * cycles);
      }
    }
  }
}

TEST(Widths, SixteenBitProgramMemoryTakesTwoFetches) {
  CpuConfig config;
  config.prgwPin = true;
  Machine m({}, config);
  EXPECT_EQ(*m.cpu.peek(0x808068), 0x000710F8u);  // the width field follows the pin
  EXPECT_NE(m.r(reg::ST) & kPRGW, 0u);
  m.board.memory[0x4000] = 0x0005;  // LDI 5,R0 at 2000h
  m.board.memory[0x4001] = 0x0860;
  m.cpu.setPc(0x2000);
  m.steps(1);
  EXPECT_EQ(m.r(0), 5u);
  EXPECT_EQ(m.cpu.cycle(), 2u);
  EXPECT_EQ(m.cpu.statistics().busWaitBy[static_cast<unsigned>(StallCause::FetchIncomplete)], 1u);
}

TEST(Widths, Strobe0MayCoverStrobe1) {
  Machine m({0x0840C000});
  m.cpu.poke(0x808064, 0x000F0008 | 1u << 21);
  m.cpu.setRegister(reg::AR0, 0x900000);
  m.steps(1);
  EXPECT_EQ(m.board.log.back().strobe, Strobe::Strb0);
}

TEST(Hold, ExternalAccessesWaitAndInternalOnesRunOn) {
  Machine m({kNop, kNop, kNop, kNop, 0x0840C000, kNop});
  m.cpu.setRegister(reg::AR0, 0x1000);
  m.cpu.setHold(true, 0);
  EXPECT_TRUE(m.cpu.holding());
  EXPECT_EQ(*m.cpu.peek(0x808064) & 1u, 1u);  // HOLDST
  EXPECT_EQ(m.cpu.run(1000), StopReason::Blocked);
  EXPECT_EQ(m.cpu.pending().kind, Pending::Kind::Hold);
  EXPECT_EQ(m.cpu.cycle(), 4u);
  EXPECT_TRUE(m.board.log.empty());
  m.cpu.setHold(false, 100);
  EXPECT_EQ(m.steps(1), StopReason::Steps);
  EXPECT_EQ(m.cpu.cycle(), 101u);
  EXPECT_EQ(m.cpu.statistics().held, 96u);
  EXPECT_EQ(m.cpu.pending().kind, Pending::Kind::None);
  EXPECT_EQ(m.board.holds, (std::vector<std::pair<bool, Cycle>>{{true, 3}, {false, 100}}));
}

TEST(Hold, ActsAfterItsLatencyAndNoholdRefuses) {
  Machine m({0x0840C000, 0x0840C000, 0x0840C000, 0x0840C000});
  m.cpu.setRegister(reg::AR0, 0x1000);
  m.cpu.setHold(true, 0);
  EXPECT_EQ(m.cpu.run(1000), StopReason::Blocked);
  EXPECT_EQ(m.cpu.statistics().instructions, 3u);  // three cycles until HOLD acts
  Machine n({0x0840C000, kNop, kNop, kNop, 0x0840C000});
  n.cpu.poke(0x808064, 0x000F0008 | 2u);
  n.cpu.setRegister(reg::AR0, 0x1000);
  n.cpu.setHold(true, 0);
  EXPECT_FALSE(n.cpu.holding());
  EXPECT_EQ(n.steps(5), StopReason::Steps);
}

TEST(Hold, SoftwareHoldByHiz) {
  Machine m({0x1540C100, kNop, kNop, kNop, 0x0840C000});
  m.cpu.setRegister(reg::AR1, 0x808064);
  m.cpu.setRegister(0, 0x000F0008 | 4u);
  m.cpu.setRegister(reg::AR0, 0x1000);
  EXPECT_EQ(m.cpu.run(1000), StopReason::Blocked);
  EXPECT_EQ(m.cpu.pending().kind, Pending::Kind::Hold);
  m.cpu.poke(0x808064, 0x000F0008);
  EXPECT_EQ(m.steps(1), StopReason::Steps);
}

// --- timing modes ---

Cycle cyclesWith(Timing timing, std::initializer_list<std::uint32_t> code, std::uint64_t steps,
                 CpuStatistics& stats) {
  CpuConfig config;
  config.timing = timing;
  Machine m(code, config);
  m.cpu.setRegister(reg::AR0, 0x87FF00);
  m.cpu.setRegister(reg::AR1, 0x87FF08);
  m.steps(steps);
  stats = m.cpu.statistics();
  EXPECT_EQ(stats.totalCycles(), m.cpu.cycle());
  return m.cpu.cycle();
}

TEST(TimingModes, EachAddsItsConflicts) {
  const std::uint32_t twoReads = 0xC440C1C0;   // LDF *AR0,R1 || LDF *AR1,R0
  const std::uint32_t twoWrites = 0xC042C1C0;  // STF R1,*AR0 || STF R2,*AR1
  const std::uint32_t load = 0x0840C000, store = 0x1540C100;
  const std::uint32_t point = 0x08080009;  // LDI AR1,AR0
  CpuStatistics s;
  EXPECT_EQ(cyclesWith(Timing::Static, {point, load}, 2, s), 2u);
  EXPECT_EQ(cyclesWith(Timing::Interlock, {0x50700087, 0x0820FF00}, 2, s), 4u);
  EXPECT_EQ(cyclesWith(Timing::Static, {0x50700087, 0x0820FF00}, 2, s), 2u);
  EXPECT_EQ(cyclesWith(Timing::Pipeline, {0x50700087, 0x0820FF00}, 2, s), 4u);
  EXPECT_EQ(s.registerConflict, 2u);
  EXPECT_EQ(cyclesWith(Timing::Interlock, {twoWrites, load}, 2, s), 2u);
  EXPECT_EQ(cyclesWith(Timing::Pipeline, {twoWrites, load}, 2, s), 3u);
  EXPECT_EQ(s.executeOnly, 1u);
  EXPECT_EQ(cyclesWith(Timing::Pipeline, {store, twoReads}, 2, s), 3u);
  EXPECT_EQ(s.executeOnly, 1u);
  EXPECT_EQ(cyclesWith(Timing::Pipeline, {store, load}, 2, s), 2u);
  EXPECT_EQ(cyclesWith(Timing::Pipeline, {store, kNop, twoReads}, 3, s), 3u);
}

TEST(TimingModes, ThirdAccessToABlockWaits) {
  for (const Timing timing : {Timing::Static, Timing::Interlock, Timing::Pipeline}) {
    CpuConfig config;
    config.timing = timing;
    Machine m({0xC440C1C0}, config);
    m.cpu.setRegister(reg::AR0, 0x87FE80);
    m.cpu.setRegister(reg::AR1, 0x87FE88);
    m.steps(1);
    EXPECT_EQ(m.cpu.cycle(), timing == Timing::Static ? 1u : 2u);
  }
}

// --- observer ---

struct Recorder : CpuObserver {
  void executed(const TraceRecord& r) override {
    TraceRecord copy = r;
    copy.registers = {};
    copy.accesses = {};
    records.push_back(copy);
    registers.emplace_back(r.registers.begin(), r.registers.end());
    accesses.emplace_back(r.accesses.begin(), r.accesses.end());
  }
  void interrupted(unsigned flag, std::uint32_t from, std::uint32_t to, Cycle, Cycle) override {
    interrupts.push_back({flag, from, to});
  }
  std::vector<TraceRecord> records;
  std::vector<std::vector<RegisterWrite>> registers;
  std::vector<std::vector<MemoryAccess>> accesses;
  std::vector<std::array<std::uint32_t, 3>> interrupts;
};

TEST(Observer, SeesWhatAnInstructionDidAndWhy) {
  Machine m({0x50700087, 0x0820FF00, 0x1540C100});  // LDP; LDI @FF00h,R0; STI R0,*AR1
  Recorder seen;
  m.cpu.setObserver(&seen);
  m.load(0x87FF00, {0x1234});
  m.cpu.setRegister(reg::AR1, 0x1000);
  m.steps(3);
  ASSERT_EQ(seen.records.size(), 3u);
  EXPECT_EQ(seen.registers[0].size(), 1u);
  EXPECT_EQ(seen.registers[0][0].number, reg::DP);
  EXPECT_EQ(seen.registers[1][0].value, 0x1234u);
  EXPECT_EQ(seen.accesses[1][0].address, 0x87FF00u);
  EXPECT_FALSE(seen.accesses[1][0].write);
  EXPECT_EQ(seen.records[1].stalls[static_cast<unsigned>(StallCause::RegisterConflict)], 2u);
  EXPECT_EQ(seen.records[1].start, 1u);
  EXPECT_EQ(seen.records[1].end, 4u);
  EXPECT_TRUE(seen.accesses[2][0].write);
  EXPECT_EQ(seen.accesses[2][0].word, 0x1234u);
  EXPECT_EQ(seen.records[2].pc, kRamBase + 2);
}

/// An observed run is the same run: cycles, statistics and state.
TEST(Observer, ChangesNothing) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    testing::Random random(seed);
    Machine a;
    Machine b;
    for (std::uint32_t i = 0; i < kRamWords; ++i) {
      const std::uint32_t word = random();
      a.cpu.poke(kRamBase + i, word);
      b.cpu.poke(kRamBase + i, word);
    }
    for (unsigned n = 8; n < 20; ++n) {
      const std::uint32_t value = kRamBase + random() % kRamWords;
      a.cpu.setRegister(n, value);
      b.cpu.setRegister(n, value);
    }
    Recorder seen;
    b.cpu.setObserver(&seen);
    const StopReason why = a.cpu.run(5000, 1000);
    EXPECT_EQ(why, b.cpu.run(5000, 1000)) << "seed " << seed;
    EXPECT_EQ(a.cpu.cycle(), b.cpu.cycle()) << "seed " << seed;
    EXPECT_EQ(a.cpu.pc(), b.cpu.pc());
    EXPECT_EQ(a.cpu.fault().text, b.cpu.fault().text);
    for (unsigned n = 0; n < reg::kCount; ++n) EXPECT_EQ(a.r(n), b.r(n)) << n;
    EXPECT_EQ(a.cpu.statistics().stalls(), b.cpu.statistics().stalls());
    EXPECT_EQ(seen.records.size(), b.cpu.statistics().instructions);
    for (std::uint32_t i = 0; i < kRamWords; ++i) ASSERT_EQ(a.ram(i), b.ram(i));
  }
}

TEST(Uninitialised, ReadsOutsideIfTheMemoryKnows) {
  for (const bool trap : {true, false}) {
    CpuConfig config;
    config.trapUninitialised = trap;
    struct Unknown : testing::FakeBoard {
      BusReply busAccess(const BusRequest& r) override {
        BusReply reply = testing::FakeBoard::busAccess(r);
        reply.neverWritten = r.op == BusOp::Read;
        return reply;
      }
    } board;
    Cpu cpu(config, board);
    cpu.poke(kRamBase, 0x0840C000);  // LDI *AR0,R0
    cpu.setPc(kRamBase);
    cpu.setRegister(reg::AR0, 0x1234);
    if (trap) {
      EXPECT_EQ(cpu.run(100, 1), StopReason::Fault);
      EXPECT_EQ(cpu.fault().kind, Fault::Kind::UninitialisedRead);
      EXPECT_EQ(cpu.fault().address, 0x1234u);
    } else {
      EXPECT_EQ(cpu.run(100, 1), StopReason::Steps);
    }
  }
}

TEST(Uninitialised, ReadsOfUnwrittenRamAreFaultsIfAsked) {
  CpuConfig config;
  config.trapUninitialised = true;
  Machine m({0x1540C100, 0x0840C100, 0x0840C000}, config);
  m.cpu.setRegister(reg::AR1, 0x87FF10);
  m.cpu.setRegister(reg::AR0, 0x87FF11);
  EXPECT_EQ(m.cpu.run(100), StopReason::Fault);
  EXPECT_EQ(m.cpu.fault().kind, Fault::Kind::UninitialisedRead);
  EXPECT_EQ(m.cpu.fault().address, 0x87FF11u);
  EXPECT_EQ(m.cpu.fault().pc, kRamBase + 2);
}

}  // namespace
}  // namespace rtvp::c32
