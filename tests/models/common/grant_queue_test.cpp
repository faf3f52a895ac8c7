// Bandwidth, places and arbiters by hand, and against the slow simulation.
#include "models/common/grant_queue.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "tests/models/common/contention_reference.hpp"

namespace rtvp::common {
namespace {

using Grant = GrantQueue::Grant;
using Ps = GrantQueue::Ps;

constexpr unsigned kFirst = 1, kSecond = 2;

/// 4 bytes a clock of 1 ns.
LinkConfig wire() {
  return {.name = "wire", .widthBytes = 4};
}

GrantQueue queueOf(std::vector<LinkConfig> links, unsigned masters,
                   Arbitration arbitration = Arbitration::Fifo) {
  GrantQueue queue(std::move(links), arbitration);
  for (unsigned m = 0; m < masters; ++m) queue.addMaster("m" + std::to_string(m));
  return queue;
}

void expectGrant(GrantQueue& queue, Ps due, unsigned master, Ps at) {
  ASSERT_TRUE(queue.due());
  EXPECT_EQ(*queue.due(), due);
  const Grant grant = queue.decide();
  EXPECT_EQ(grant.master, master);
  EXPECT_EQ(grant.at, at);
}

TEST(GrantQueue, TransfersFollowOneAnother) {
  GrantQueue queue = queueOf({wire()}, 2);
  EXPECT_FALSE(queue.due());
  queue.ask({0, 100, 16, kFirst});
  expectGrant(queue, 100, 0, 100);  // to 4100
  queue.ask({1, 1100, 5, kFirst});
  expectGrant(queue, 1100, 1, 4100);  // two clocks for five bytes, to 6100
  queue.ask({0, 2100, 4, kFirst});
  expectGrant(queue, 2100, 0, 6100);  // to 7100
  queue.ask({1, 7100, 4, kFirst});
  expectGrant(queue, 7100, 1, 7100);
  const auto& m = queue.masters();
  EXPECT_EQ(m[0].requests, 2U);
  EXPECT_EQ(m[0].bytes, 20U);
  EXPECT_EQ(m[0].delayed, 1U);
  EXPECT_EQ(m[0].waited, 4000U);
  EXPECT_EQ(m[0].waitedFor, (std::vector<Ps>{2000, 2000})) << "first for itself, then for m1";
  EXPECT_EQ(m[1].waited, 3000U);
  EXPECT_EQ(m[1].longest, 3000U);
  EXPECT_EQ(m[1].waitedFor, (std::vector<Ps>{3000, 0}));
  EXPECT_EQ(queue.linkTotals()[0].busy, 8000U);
  EXPECT_EQ(queue.linkTotals()[0].bytes, 29U);
}

TEST(GrantQueue, TheOrderOfCallsDoesNotCount) {
  GrantQueue queue = queueOf({wire()}, 3);
  queue.ask({2, 50, 4, kFirst});
  queue.ask({1, 60, 4, kFirst});
  queue.ask({0, 60, 4, kFirst});
  expectGrant(queue, 50, 2, 50);
  expectGrant(queue, 60, 0, 1050);
  expectGrant(queue, 60, 1, 2050);
  EXPECT_FALSE(queue.due());
  EXPECT_THROW(queue.decide(), std::logic_error);
}

TEST(GrantQueue, PlacesAreGivenUpAfterTheLatency) {
  // Any number of bytes at once, two accesses under way, each for 10 ns.
  GrantQueue queue = queueOf({{.name = "dram", .latencyClocks = 10, .outstanding = 2}}, 3);
  queue.ask({0, 0, 64, kFirst});
  queue.ask({1, 3000, 64, kFirst});
  queue.ask({2, 4000, 64, kFirst});
  expectGrant(queue, 0, 0, 0);
  expectGrant(queue, 3000, 1, 3000);
  expectGrant(queue, 4000, 2, 10000);
  queue.ask({0, 9000, 64, kFirst});
  expectGrant(queue, 9000, 0, 13000);
  EXPECT_EQ(queue.masters()[2].waitedFor, (std::vector<Ps>{6000, 0, 0}));
  EXPECT_EQ(queue.masters()[0].waitedFor, (std::vector<Ps>{0, 3000, 1000}))
      << "behind m2 until it begins, then for the place of m1";
}

TEST(GrantQueue, AnAccessNeedsAllItsLinks) {
  GrantQueue queue = queueOf({wire(), {.name = "dram", .widthBytes = 1}}, 3);
  queue.ask({0, 0, 8, kFirst | kSecond});
  expectGrant(queue, 0, 0, 0);  // wire to 2000, dram to 8000
  queue.ask({1, 2000, 4, kFirst});
  expectGrant(queue, 2000, 1, 2000);
  queue.ask({2, 2500, 1, kFirst | kSecond});
  expectGrant(queue, 2500, 2, 8000);
  queue.ask({1, 4000, 4, kFirst});
  expectGrant(queue, 4000, 1, 9000);  // in order: not past the one that waits for the dram
}

TEST(GrantQueue, Priority) {
  GrantQueue queue = queueOf({wire()}, 3, Arbitration::Priority);
  queue.ask({2, 0, 8, kFirst});
  expectGrant(queue, 0, 2, 0);
  queue.ask({2, 100, 4, kFirst});
  queue.ask({1, 1900, 4, kFirst});
  EXPECT_EQ(queue.due(), 2000U) << "who comes first is known when the link is free";
  queue.ask({0, 2000, 4, kFirst});
  expectGrant(queue, 2000, 0, 2000);
  expectGrant(queue, 3000, 1, 3000);
  expectGrant(queue, 4000, 2, 4000);
}

TEST(GrantQueue, RoundRobin) {
  GrantQueue queue = queueOf({wire()}, 3, Arbitration::RoundRobin);
  for (unsigned m = 0; m < 3; ++m) queue.ask({m, 0, 4, kFirst});
  expectGrant(queue, 0, 0, 0);
  queue.ask({0, 1, 4, kFirst});
  expectGrant(queue, 1000, 1, 1000);
  queue.ask({1, 1001, 4, kFirst});
  expectGrant(queue, 2000, 2, 2000);
  expectGrant(queue, 3000, 0, 3000);
  expectGrant(queue, 4000, 1, 4000);
}

TEST(GrantQueue, WithdrawnRequestsLeaveNoTrace) {
  GrantQueue queue = queueOf({wire()}, 2);
  queue.ask({0, 0, 400, kFirst});
  EXPECT_THROW(queue.ask({0, 1, 4, kFirst}), std::logic_error);
  queue.ask({1, 5, 4, kFirst});
  EXPECT_TRUE(queue.withdraw(0));
  EXPECT_FALSE(queue.withdraw(0));
  expectGrant(queue, 5, 1, 5);
  EXPECT_EQ(queue.masters()[0].requests, 0U);
}

TEST(GrantQueue, ATurnTakesNothingAndWhoHasItIsServedNext) {
  GrantQueue queue = queueOf({wire()}, 2);
  queue.ask({1, 0, 8, kFirst});
  expectGrant(queue, 0, 1, 0);
  queue.ask({1, 1000, 4, kFirst});
  queue.ask({0, 500, 0, 0});
  expectGrant(queue, 500, 0, 500);
  EXPECT_EQ(queue.take({0, 500, 4, kFirst}).at, 2000U);
  expectGrant(queue, 1000, 1, 3000);
  EXPECT_EQ(queue.masters()[0].requests, 1U) << "the turn itself is none";
}

TEST(GrantQueue, RefusesWhatIsNoClock) {
  EXPECT_THROW(GrantQueue({{.name = "x", .periodPs = 0}}, Arbitration::Fifo),
               std::invalid_argument);
  EXPECT_THROW(GrantQueue(std::vector<LinkConfig>(9), Arbitration::Fifo), std::invalid_argument);
}

/// Masters ask ahead of time in random order; a decision is taken as soon as nobody can upset it.
std::vector<test::Served> runAhead(const test::RandomCase& c, unsigned seed, GrantQueue& queue) {
  std::mt19937 random(seed);
  struct Master {
    std::size_t index = 0;
    Ps next = 0;
    bool asked = false;
  };
  std::vector<Master> masters(c.scripts.size());
  const auto plan = [&](unsigned m, Ps last) {
    Master& state = masters[m];
    state.asked = false;
    if (state.index < c.scripts[m].size())
      state.next =
          std::max(last + c.scripts[m][state.index].gap, c.scripts[m][state.index].notBefore);
  };
  for (unsigned m = 0; m < masters.size(); ++m) plan(m, 0);
  std::vector<test::Served> served;
  for (;;) {
    std::vector<unsigned> silent;
    Ps bound = ~Ps{0};
    for (unsigned m = 0; m < masters.size(); ++m) {
      if (masters[m].asked || masters[m].index == c.scripts[m].size()) continue;
      silent.push_back(m);
      bound = std::min(bound, masters[m].next);
    }
    const bool safe = queue.due() && *queue.due() < bound;
    if (silent.empty() && !queue.due()) return served;
    if (safe && (silent.empty() || random() % 2 == 0)) {
      const Grant grant = queue.decide();
      served.push_back({grant.master, grant.asked, grant.at});
      ++masters[grant.master].index;
      plan(grant.master, grant.at);
      continue;
    }
    if (silent.empty()) continue;
    const unsigned m = silent[random() % silent.size()];
    const test::Access& access = c.scripts[m][masters[m].index];
    queue.ask({m, masters[m].next, access.bytes, access.links});
    masters[m].asked = true;
  }
}

TEST(GrantQueue, AgreesWithTheSlowSimulationHoweverFarMastersRunAhead) {
  for (unsigned seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::RandomCase c(seed);
    std::vector<test::Served> expected =
        test::SlowSimulation(c.links, c.arbitration, c.scripts).run();
    GrantQueue queue = queueOf(c.links, static_cast<unsigned>(c.scripts.size()), c.arbitration);
    std::vector<test::Served> found = runAhead(c, seed ^ 0x5A5A, queue);
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, expected);
    for (const GrantQueue::MasterTotals& m : queue.masters())
      ASSERT_EQ(std::accumulate(m.waitedFor.begin(), m.waitedFor.end(), Ps{0}), m.waited);
  }
}

}  // namespace
}  // namespace rtvp::common
