// The array ahead of the kernel beside its plain twin, in one simulation: words, their times,
// figures.
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "models/common/core/work_pool.hpp"
#include "tests/models/tigershark/pld_bench.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::tigershark::test {
namespace {

using sc_core::sc_time;

sc_time us(double n) {
  return {n, sc_core::SC_US};
}

/// 60 barriers, to which the lanes come at different times; after each the master writes a word and
/// every lane sends one, and one more at the end.
const char* const kWalk = R"(
        LDI     0,AR0
        LDI     100h,AR1
        LDI     60,R3
next:   RPTS    120
        NOP
        RPTS    R7
        NOP
        LDI     20h,IOF
        NOP
        NOP
        NOP
        LDI     *AR0,R2
        LDI     0,IOF
        CMPI    0,R7
        BNZ     skip
        STI     R3,*AR1
skip:   STI     R3,*+AR7(8)
        SUBI    1,R3
        BNZ     next
        STI     R7,*+AR7(8)
stop:   IDLE
        BU      stop
)";

/// Passes on what comes.
const char* const kPass = R"(
pass:   IDLE
        LDI     *+AR7(12),R0
        STI     R0,*+AR7(8)
        BU      pass
)";

/// Likewise, but takes longer over a word than the next one is away.
const char* const kSlow = R"(
slow:   IDLE
        RPTS    300
        NOP
        LDI     *+AR7(12),R0
        STI     R0,*+AR7(8)
        BU      slow
)";

/// Two boards with one program, of which `ahead` is left alone.
struct Twins {
  Twins(const char* program, int dsps, unsigned threads)
      : plain(assembled(program), dsps, false, 11'500'000, sc_core::sc_module_name("plain")),
        ahead(assembled(program), dsps, false, 11'500'000, sc_core::sc_module_name("ahead"),
              std::make_shared<common::WorkPool>(threads)) {
    ahead.body = [] { sc_core::wait(sc_time(10, sc_core::SC_SEC)); };
  }
  void both(const std::function<void(PldBench&)>& action) {
    action(plain);
    action(ahead);
  }
  /// Loaded and started; the nodes wait for the token.
  void boot() {
    both([](PldBench& b) {
      b.load();
      b.setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE);
    });
    sc_core::wait(sc_time(1, sc_core::SC_MS));
  }
  void expectSame() {
    EXPECT_EQ(ahead.fifo.out, plain.fifo.out);
    EXPECT_EQ(ahead.fifo.outTimes, plain.fifo.outTimes);
    EXPECT_EQ(ahead.fifo.events, plain.fifo.events);
    EXPECT_EQ(figures(ahead), figures(plain));
    EXPECT_EQ(ahead.reg(pld::STATUS), plain.reg(pld::STATUS));
  }
  static std::vector<std::string> figures(PldBench& b) {
    common::StatGroup stats;
    b.array->report(stats);
    b.sram->report(stats.group("sram", ""), b.array->uncountedReads());
    std::vector<std::string> out;
    for (const common::StatGroup* group : {&stats, &stats.group("sram", "")}) {
      for (const common::Figure& figure : group->figures()) {
        if (const auto* count = std::get_if<std::uint64_t>(&figure.value)) {
          out.push_back(figure.name + " " + std::to_string(*count));
        }
      }
    }
    return out;
  }

  PldBench plain, ahead;
};

class ArrayAhead : public ::testing::TestWithParam<unsigned> {};

TEST_P(ArrayAhead, GoesFromBarrierToBarrierAsThePlainOneDoes) {
  const unsigned threads = GetParam();
  rtvp::test::inChild([threads] {
    Twins twins(kWalk, 4, threads);
    twins.plain.fifo.capacity = twins.ahead.fifo.capacity = 100;
    simulate(twins.plain, [&] {
      twins.boot();
      twins.ahead.array->leaveAlone(sc_core::sc_time_stamp() + us(50'000));
      twins.both([](PldBench& b) { b.fifo.push(0); });
      sc_core::wait(us(40));
      EXPECT_LT(twins.plain.reg(pld::BARRIERS), 60U);
      sc_core::wait(us(5000));
      std::vector<std::uint32_t> expected{4};  // the token
      for (std::uint32_t n = 60; n > 0; --n) expected.push_back(n);
      expected.push_back(3);
      ASSERT_EQ(twins.plain.fifo.out, expected);
      twins.expectSame();
    });
  });
}

TEST_P(ArrayAhead, IsAheadOfTheKernel) {
  const unsigned threads = GetParam();
  rtvp::test::inChild([threads] {
    Twins twins(kWalk, 4, threads);
    simulate(twins.plain, [&] {
      twins.boot();
      twins.ahead.array->leaveAlone(sc_core::sc_time_stamp() + us(50'000));
      twins.both([](PldBench& b) { b.fifo.push(0); });
      while (twins.plain.array->engine().counters(0).barriers == 0) sc_core::wait(us(1));
      sc_core::wait(us(1));
      EXPECT_LT(twins.plain.array->engine().counters(0).barriers, 10U);
      EXPECT_EQ(twins.ahead.array->engine().counters(0).barriers, 60U);
    });
  });
}

TEST_P(ArrayAhead, EndsWithThePromise) {
  const unsigned threads = GetParam();
  rtvp::test::inChild([threads] {
    Twins twins(kWalk, 4, threads);
    simulate(twins.plain, [&] {
      twins.boot();
      const sc_time until = sc_core::sc_time_stamp() + us(60);
      twins.ahead.array->leaveAlone(until);
      twins.both([](PldBench& b) { b.fifo.push(0); });
      sc_core::wait(until - sc_core::sc_time_stamp() + us(1));
      EXPECT_GT(twins.plain.reg(pld::BARRIERS), 2U);
      EXPECT_EQ(twins.ahead.reg(pld::BARRIERS), twins.plain.reg(pld::BARRIERS));
      // The host has the bus for a while, then the walk goes on.
      twins.both([](PldBench& b) {
        b.setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE | pld::CTRL_HOLD_REQUEST);
      });
      sc_core::wait(us(30));
      EXPECT_NE(twins.plain.reg(pld::STATUS) & pld::STATUS_HOLD_GRANTED, 0U);
      twins.both([](PldBench& b) { b.setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE); });
      sc_core::wait(us(5000));
      EXPECT_GT(twins.plain.reg(pld::HELD), 0U);
      twins.expectSame();
    });
  });
}

/// Two batches; of the second, words come one after the other, so that many are taken before their
/// time if the first went well.
void sendWords(Twins& twins) {
  twins.plain.fifo.capacity = twins.ahead.fifo.capacity = 10'000;
  twins.boot();
  twins.both([](PldBench& b) { b.fifo.push(0); });
  sc_core::wait(us(2000));
  twins.ahead.array->leaveAlone(sc_core::sc_time_stamp() + us(50'000));
  for (std::uint32_t word = 1; word <= 20; ++word) {
    twins.both([&](PldBench& b) { b.fifo.push(word); });
  }
  sc_core::wait(us(2000));
  twins.ahead.fifo.coming = true;
  for (std::uint32_t word = 1; word <= 300; ++word) {
    twins.both([&](PldBench& b) { b.fifo.push(word * 0x01010101); });
    if (word % 7 == 0) sc_core::wait(us(word % 5 * 13));
  }
  sc_core::wait(us(20'000));
}

TEST_P(ArrayAhead, TakesWordsOfTheChainBeforeTheirTime) {
  const unsigned threads = GetParam();
  rtvp::test::inChild([threads] {
    Twins twins(kPass, 16, threads);
    simulate(twins.plain, [&] {
      sendWords(twins);
      ASSERT_EQ(twins.plain.fifo.out.size(), 321U);
      twins.expectSame();
    });
  });
}

TEST_P(ArrayAhead, LosesTheSameWordsOfFirmwareThatIsTooSlow) {
  const unsigned threads = GetParam();
  rtvp::test::inChild([threads] {
    Twins twins(kSlow, 16, threads);
    simulate(twins.plain, [&] {
      sendWords(twins);
      ASSERT_LT(twins.plain.fifo.out.size(), 321U);
      twins.expectSame();
    });
  });
}

TEST_P(ArrayAhead, ABrokenPromiseEndsTheRun) {
  const unsigned threads = GetParam();
  rtvp::test::inChild([threads] {
    Twins twins(kWalk, 4, threads);
    simulate(twins.plain, [&] {
      twins.boot();
      twins.ahead.array->leaveAlone(sc_core::sc_time_stamp() + us(50'000));
      twins.both([](PldBench& b) { b.fifo.push(0); });
      while (twins.plain.array->engine().counters(0).barriers == 0) sc_core::wait(us(1));
      try {
        twins.ahead.setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE | pld::CTRL_HOLD_REQUEST);
        ADD_FAILURE() << "nobody has noticed";
      } catch (const std::logic_error& e) {
        const std::string text = e.what();
        EXPECT_NE(text.find("ahead.array was asked for its bus at "), std::string::npos) << text;
        EXPECT_NE(text.find("promised to leave it alone until "), std::string::npos) << text;
      }
    });
  });
}

INSTANTIATE_TEST_SUITE_P(Threads, ArrayAhead, ::testing::Values(1U, 2U, 64U));

}  // namespace
}  // namespace rtvp::tigershark::test
