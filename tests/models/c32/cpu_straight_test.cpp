// The processor's fast path against the run loop that watches every step: random programs of legal
// instructions in internal RAM, operands inside and outside, a bus that waits and refuses. An
// observed processor takes the slow way (cpu_trace.cpp); both must end in the same state at the
// same time with the same account.
#include <gtest/gtest.h>

#include <random>

#include "models/c32/decode.hpp"
#include "models/c32/isa_table.hpp"
#include "tests/models/c32/cpu_test_support.hpp"

namespace rtvp::c32 {
namespace {

/// Keeps the account of its own: from what the records say.
struct Watcher : CpuObserver {
  void executed(const TraceRecord& r) override {
    PlaceCost& place = costs[r.pc];
    ++place.instructions;
    place.executing += r.end - r.start;
    for (unsigned c = 0; c < kStallCauses; ++c) {
      place.stalls[c] += r.stalls[c];
      place.executing -= r.stalls[c];
    }
  }
  void interrupted(unsigned /*flag*/, std::uint32_t /*from*/, std::uint32_t to, Cycle start,
                   Cycle end) override {
    (void)costs[to];
    entries[to] += end - start;
  }
  PlaceCosts costs;
  std::map<std::uint32_t, Cycle> entries;  ///< of interrupts, without their causes
};

void expectAccount(const PlaceCosts& account, const Watcher& watcher) {
  ASSERT_EQ(account.size(), watcher.costs.size());
  for (const auto& [pc, cost] : watcher.costs) {
    const auto own = account.find(pc);
    ASSERT_TRUE(own != account.end()) << std::hex << pc;
    EXPECT_EQ(own->second.instructions, cost.instructions) << std::hex << pc;
    const auto entry = watcher.entries.find(pc);
    if (entry != watcher.entries.end()) {
      EXPECT_EQ(own->second.cycles(), cost.cycles() + entry->second) << std::hex << pc;
      continue;
    }
    EXPECT_EQ(own->second.executing, cost.executing) << std::hex << pc;
    EXPECT_EQ(own->second.stalls, cost.stalls) << std::hex << pc;
  }
}

struct Random {
  std::mt19937 engine;
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine()); }
};

struct Machine {
  using Draw = std::uint32_t (*)(Random&);
  explicit Machine(std::uint32_t seed, Draw word = anyWord, const CpuConfig& config = {})
      : cpu(config, board) {
    Random random{std::mt19937(seed)};
    board.fill = 0x01234567;
    board.externalWait = seed % 3;
    board.onAccess = [this, seed](const BusRequest& r) {
      BusReply reply;
      const std::uint64_t mix = (r.address * 2654435761u + r.cycle * 40503u + seed) >> 5;
      if (mix % 5 == 0 && (r.address != refusedAddress || r.cycle != refusedCycle)) {
        refusedAddress = r.address;
        refusedCycle = r.cycle;
        reply.status = BusReply::Status::Blocked;
      }
      return reply;
    };
    for (std::uint32_t i = 0; i < 0x400; ++i) board.memory[0x1000 + i] = random();
    for (std::uint32_t i = 0; i < kRamWords; ++i) cpu.poke(kRamBase + i, word(random));
    for (unsigned n = 0; n < 8; ++n) {
      cpu.setExtended(n, {static_cast<std::int8_t>(random() % 64), random()});
      cpu.setRegister(reg::AR0 + n, place(random));
    }
    cpu.setRegister(reg::DP, random() % 2 == 0 ? 0x87 : 0);
    cpu.setRegister(reg::SP, place(random));
    cpu.setRegister(reg::IR0, random() % 4);
    cpu.setRegister(reg::IR1, random() % 4);
    cpu.setRegister(reg::BK, 16);
    cpu.setRegister(reg::RC, random() % 4);
    cpu.setPc(kRamBase + random() % 256);
  }
  static std::uint32_t anyWord(Random& random) {
    for (;;) {
      const std::uint32_t w = random();
      if (decode(w)) return w;
    }
  }
  /// Many delayed branches, a little forward or back; no other instruction that branches.
  static std::uint32_t delayedBranches(Random& random) {
    if (random() % 8 == 0) {
      const std::uint32_t cond = random() % 3 == 0 ? 0 : random() % 11;
      const std::uint32_t distance =
          (random() % 4 == 0 ? 0u - random() % 9 : random() % 9) & 0xFFFFu;
      return 0x6A200000u | cond << 16 | distance;
    }
    for (;;) {
      const std::uint32_t w = anyWord(random);
      if (!info(decode(w)->op).control) return w;
    }
  }
  static std::uint32_t place(Random& random) {
    return (random() % 3 == 0 ? 0x1100 : kRamBase + 0x100) + random() % 128;
  }
  testing::FakeBoard board;
  std::uint32_t refusedAddress = ~0u;
  Cycle refusedCycle = kNever;
  Cpu cpu;
};

void expectSame(const Machine& a, const Machine& b) {
  for (unsigned n = 0; n < reg::kCount; ++n) {
    EXPECT_EQ(a.cpu.registerValue(n), b.cpu.registerValue(n)) << "register " << n;
  }
  for (unsigned n = 0; n < 8; ++n) EXPECT_EQ(a.cpu.extended(n), b.cpu.extended(n));
  EXPECT_EQ(a.cpu.pc(), b.cpu.pc());
  EXPECT_EQ(a.cpu.cycle(), b.cpu.cycle());
  EXPECT_EQ(a.cpu.fault().text, b.cpu.fault().text);
  EXPECT_EQ(a.cpu.statistics().instructions, b.cpu.statistics().instructions);
  EXPECT_EQ(a.cpu.statistics().stalls(), b.cpu.statistics().stalls());
  EXPECT_EQ(a.cpu.statistics().externalReads, b.cpu.statistics().externalReads);
  EXPECT_EQ(a.cpu.statistics().externalWrites, b.cpu.statistics().externalWrites);
  EXPECT_EQ(a.cpu.internalRam(), b.cpu.internalRam());
  ASSERT_EQ(a.board.log.size(), b.board.log.size());
  for (std::size_t i = 0; i < a.board.log.size(); ++i) {
    EXPECT_EQ(a.board.log[i].cycle, b.board.log[i].cycle) << "access " << i;
    EXPECT_EQ(a.board.log[i].address, b.board.log[i].address) << "access " << i;
    EXPECT_EQ(a.board.log[i].data, b.board.log[i].data) << "access " << i;
    EXPECT_EQ(a.board.log[i].pc, b.board.log[i].pc) << "access " << i;
  }
}

struct Done {
  std::uint64_t instructions = 0;
  std::uint64_t reads = 0;
};

/// Programs of such words, the fast way and the watched one.
void compare(Machine::Draw draw, Done& done) {
  for (std::uint32_t seed = 1; seed <= 4000; ++seed) {
    Machine fast(seed, draw);
    Machine watched(seed, draw);
    Watcher watcher;
    watched.cpu.setObserver(&watcher);
    CycleAccount account;
    if (seed % 2 == 0) fast.cpu.setAccount(&account);
    for (Cycle horizon = 37; horizon < 1500; horizon += 211) {
      for (Machine* m : {&fast, &watched}) {
        for (int turn = 0; turn < 400; ++turn) {
          if (m->cpu.run(horizon) != StopReason::Blocked) break;
        }
      }
      expectSame(fast, watched);
      if (seed % 2 == 0) expectAccount(account.costs(), watcher);
      if (::testing::Test::HasFailure()) {
        FAIL() << "seed " << seed << ", horizon " << horizon;
      }
      if (fast.cpu.fault().kind != Fault::Kind::None) break;
    }
    done.instructions += fast.cpu.statistics().instructions;
    done.reads += fast.cpu.statistics().externalReads;
  }
}

// Processors that share what they know about programs which differ in a few words, and run for a
// few cycles at a time, so that sequences are cut.
TEST(Straight, AlmostTheSameProgramsShareAPool) {
  std::uint64_t instructions = 0;
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    CpuConfig config;
    config.decodePool = std::make_shared<DecodePool>();
    const auto step = 3 + seed % 40;
    for (std::uint32_t change = 0; change < 4; ++change) {
      Machine fast(seed, Machine::delayedBranches, config);
      Machine watched(seed, Machine::delayedBranches);
      Watcher watcher;
      watched.cpu.setObserver(&watcher);
      CycleAccount account;
      fast.cpu.setAccount(&account);
      Random random{std::mt19937(seed * 4 + change)};
      for (std::uint32_t n = 0; n < 8 * change; ++n) {
        const std::uint32_t offset = random() % kRamWords;
        const std::uint32_t word = Machine::anyWord(random);
        for (Machine* m : {&fast, &watched}) m->cpu.poke(kRamBase + offset, word);
      }
      for (Cycle horizon = step; horizon < 400; horizon += step) {
        for (Machine* m : {&fast, &watched}) {
          for (int turn = 0; turn < 400; ++turn) {
            if (m->cpu.run(horizon) != StopReason::Blocked) break;
          }
        }
        if (fast.cpu.fault().kind != Fault::Kind::None) break;
      }
      expectSame(fast, watched);
      expectAccount(account.costs(), watcher);
      ASSERT_FALSE(HasFailure()) << "seed " << seed << ", change " << change;
      instructions += fast.cpu.statistics().instructions;
    }
  }
  EXPECT_GT(instructions, 20'000u);
}

// Programs that do nothing would agree, too.

TEST(Straight, RandomProgramsAsTheWatchedLoop) {
  Done done;
  compare(Machine::anyWord, done);
  EXPECT_GT(done.instructions, 40'000u);
  EXPECT_GT(done.reads, 2'000u);
}

TEST(Straight, DelayedBranchesAsTheWatchedLoop) {
  Done done;
  compare(Machine::delayedBranches, done);
  EXPECT_GT(done.instructions, 40'000u);
  EXPECT_GT(done.reads, 2'000u);
}

}  // namespace
}  // namespace rtvp::c32
