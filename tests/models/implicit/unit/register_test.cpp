// Registers, ring, interrupt and reset of the unit over its sockets.
#include <fstream>
#include <sstream>

#include "models/common/report_ids.hpp"
#include "models/implicit/unit/manual.hpp"
#include "models/implicit/unit/registers.hpp"
#include "tests/models/common/register_rule.hpp"
#include "tests/models/implicit/unit/unit_bench.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::implicit::unit::test {
namespace {

constexpr const char* kManual = RTVP_SOURCE_DIR "/models/implicit/unit/MANUAL.md";

TEST(ImplicitUnitManual, PageIsTheTables) {
  std::ifstream file(kManual);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str() == manual())
      << "write it with test_implicit_unit --gtest_also_run_disabled_tests "
         "--gtest_filter=*WriteManual";
}

TEST(ImplicitUnitManual, DISABLED_WriteManual) {
  std::ofstream(kManual) << manual();
}

/// The settings after reset are the improved ones.
TEST(ImplicitUnitRegisters, ResetIsImproved) {
  const common::RegisterFile file(kRegisterTable);
  for (const RegisterValue& r : registersOf(render::Settings::improved(), false))
    EXPECT_EQ(file.peek(file.find(r.offset)), r.value) << r.offset;
  EXPECT_EQ(configurationOf(file).settings.fault(), "");
}

TEST(ImplicitUnitRegisters, ResetValuesAndAccessRules) {
  onBench([](Bench& bench) {
    for (std::size_t n = 0; n < kRegisterTable.size(); ++n) {
      const RegisterDescriptor& reg = kRegisterTable[n];
      if (reg.name == "CORES" || reg.name.starts_with("CYCLES")) continue;
      EXPECT_EQ(bench.read(reg.offset), reg.reset) << reg.name;
    }
    constexpr std::uint32_t cores = 4U | 32U << 16U;
    EXPECT_EQ(bench.read("CORES"), cores);
    // What may be written is kept, nothing else is. Registers that act are tested by themselves.
    for (const RegisterDescriptor& reg : kConfigurationRows) {
      if (reg.name == "CONTROL" || reg.name == "RING_TAIL" || reg.name == "CORES") continue;
      for (const std::uint32_t pattern : {0xFFFFFFFFU, 0x5A5A5A5AU, 0U}) {
        bench.write(reg.offset, pattern);
        const std::uint32_t kept = reg.mask(Access::Rw);
        const std::uint32_t fixed = reg.mask(Access::Wo) | reg.mask(Access::W1c) | kept;
        EXPECT_EQ(bench.read(reg.offset), (pattern & kept) | (reg.reset & ~fixed)) << reg.name;
      }
    }
    bench.write("CONTROL", control::kReset);
    for (const RegisterDescriptor& reg : kConfigurationRows)
      EXPECT_EQ(bench.read(reg.offset), reg.name == "CORES" ? cores : reg.reset) << reg.name;
  });
}

TEST(ImplicitUnitRegisters, RefusedAccesses) {
  onBench([](Bench& bench) {
    std::array<std::uint8_t, 64> data{};
    const auto access = [&](std::uint64_t address, unsigned bytes) {
      return bench.access(tlm::TLM_READ_COMMAND, address, data.data(), bytes);
    };
    // A hole reads 0 and ignores writes.
    data.fill(0x55);
    EXPECT_EQ(access(offsetOf("GRID") + 4, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(wordAt(data.data(), 0), 0U);
    EXPECT_EQ(access(offsetOf("GRID"), 8), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(wordAt(data.data(), 0), 0x0008'1010U);
    EXPECT_EQ(wordAt(data.data(), 4), 0U);
    EXPECT_EQ(access(kRegisterBlockEnd, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(access(kRegisterBlockEnd - 2, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(access(0, 0), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(access(0, 16), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(wordAt(data.data(), 0), kIdValue);
    EXPECT_EQ(wordAt(data.data(), 4), kVersionValue);
    // A refused write has changed nothing.
    std::array<std::uint32_t, 2> words{1, 1};
    EXPECT_EQ(bench.access(tlm::TLM_WRITE_COMMAND, kRegisterBlockEnd - 4, words.data(), 8),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(bench.access(tlm::TLM_WRITE_COMMAND, offsetOf("GRID"), words.data(), 8),
              tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(access(offsetOf("GRID"), 8), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(wordAt(data.data(), 0), 0x0008'1010U);
    EXPECT_EQ(wordAt(data.data(), 4), 0U);
    // Bytes of a register.
    std::uint8_t byte = 0x12;
    EXPECT_EQ(bench.access(tlm::TLM_WRITE_COMMAND, offsetOf("STEP_LIMIT") + 1, &byte, 1),
              tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bench.read("STEP_LIMIT"), 0x1232U);
  });
}

TEST(ImplicitUnitRegisters, FollowTheRuleOfBlocks) {
  onBench([](Bench& bench) {
    common::test::sweepBlock(
        {kRegisterTable, kRegisterBlockEnd},
        {[&](auto& payload) {
           sc_time delay;
           bench.isock->b_transport(payload, delay);
         },
         [&](auto& payload) { return bench.isock->transport_dbg(payload); }, kUnit},
        [](const common::RegisterDescriptor& reg) {
          // The high halves are as of the low halves' last read.
          return reg.offset < kCounterBase;
        });
  });
}

unsigned debugRead(Bench& bench, std::uint64_t offset, void* data, unsigned bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(kUnit + offset);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  return bench.isock->transport_dbg(payload);
}

TEST(ImplicitUnitRegisters, DebugReadsWithoutTimeAndEffects) {
  onBench([](Bench& bench) {
    const sc_time before = sc_core::sc_time_stamp();
    std::uint32_t value = 0;
    EXPECT_EQ(debugRead(bench, offsetOf("ID"), &value, 4), 4U);
    EXPECT_EQ(value, kIdValue);
    EXPECT_EQ(debugRead(bench, kRegisterBlockEnd, &value, 4), 0U);
    EXPECT_EQ(debugRead(bench, offsetOf("GRID") + 4, &value, 4), 4U);
    EXPECT_EQ(value, 0U);
    EXPECT_EQ(sc_core::sc_time_stamp(), before);
  });
}

/// A scene, its hull made.
void prepare(Bench& bench) {
  bench.load(defaultScene());
  bench.hullJob(1);
  ASSERT_EQ(bench.run(), job::kDone);
}

TEST(ImplicitUnitRing, JobsInOrderAndAroundTheEnd) {
  onBench([](Bench& bench) {
    prepare(bench);
    // More jobs than entries, one after the other, then as many at once as fit.
    for (unsigned n = 0; n < kRingEntries + 3; ++n) {
      const std::uint64_t d = bench.hullJob(1);
      EXPECT_EQ(bench.run(), job::kDone);
      EXPECT_EQ(bench.word(d + job::kCount), 647U);  // sdf.md 9.3
      EXPECT_EQ(bench.read("RING_HEAD"), n + 2);
    }
    std::vector<std::uint64_t> jobs;
    for (unsigned n = 0; n < kRingEntries; ++n) {
      jobs.push_back(bench.hullJob(n % 2));
      ++bench.queued;
    }
    bench.write("RING_TAIL", bench.queued);
    EXPECT_NE(bench.read("STATUS") & status::kBusy, 0U);
    bench.waitIdle();
    for (const std::uint64_t d : jobs) EXPECT_EQ(bench.word(d + job::kState), job::kDone);
    EXPECT_EQ(bench.read("RING_HEAD"), bench.queued);
    EXPECT_EQ(bench.counter(Counter::Jobs), bench.queued);
    EXPECT_EQ(bench.read("STATUS"), 0U);
  });
}

TEST(ImplicitUnitRing, DoorbellsBeyondTheRingHalt) {
  onBench([](Bench& bench) {
    prepare(bench);
    bench.write("RING_TAIL", bench.queued + kRingEntries + 1);
    bench.waitIdle();
    EXPECT_EQ(bench.read("STATUS"), status::kFault | status::kHalted);
    EXPECT_EQ(bench.read("FAULT"), static_cast<std::uint32_t>(Fault::Ring));
    EXPECT_EQ(bench.read("RING_HEAD"), bench.queued);
    // Mended and told to go on.
    bench.hullJob(1);
    const std::uint64_t d = bench.slot();
    bench.write("RING_TAIL", ++bench.queued);
    sc_core::wait(sc_time(1, sc_core::SC_MS));
    EXPECT_EQ(bench.word(d + job::kState), job::kPending);
    bench.write("CONTROL", control::kStart);
    bench.waitIdle();
    EXPECT_EQ(bench.word(d + job::kState), job::kDone);
    EXPECT_EQ(bench.read("STATUS"), status::kFault);
  });
}

TEST(ImplicitUnitRing, EmptyRingAndUnmappedRingHalt) {
  onBench([](Bench& bench) {
    bench.load(defaultScene());
    bench.write("RING_ENTRIES", 0);
    bench.write("RING_TAIL", 1);
    bench.waitIdle();
    EXPECT_EQ(bench.read("FAULT"), static_cast<std::uint32_t>(Fault::Ring));
    bench.write("FAULT", 0x8000'0000);
    EXPECT_EQ(bench.read("FAULT"), 0U);
    // A ring where nothing answers: the descriptor cannot be read.
    bench.write("RING_ENTRIES", kRingEntries);
    bench.write("RING_HIGH", 0x77);
    bench.write("CONTROL", control::kStart);
    bench.waitIdle();
    EXPECT_EQ(bench.read("STATUS"), status::kFault | status::kHalted);
    EXPECT_EQ(bench.read("FAULT"), static_cast<std::uint32_t>(Fault::Bus));
    EXPECT_EQ(bench.read("FAULT_ADDRESS_HIGH"), 0x77U);
    EXPECT_EQ(bench.read("FAULT_ADDRESS_LOW"), at::kRing);
    EXPECT_EQ(bench.read("RING_HEAD"), 0U);
  });
}

TEST(ImplicitUnitInterrupt, DoneAndFaultAsEnabled) {
  onBench([](Bench& bench) {
    prepare(bench);
    EXPECT_EQ(bench.read("INTERRUPT"), interrupt::kDone);
    EXPECT_FALSE(bench.irq.read());
    bench.write("INTERRUPT_ENABLE", interrupt::kDone);
    sc_core::wait(sc_time(2, sc_core::SC_NS));
    EXPECT_TRUE(bench.irq.read());
    bench.write("INTERRUPT", interrupt::kDone);
    sc_core::wait(sc_time(2, sc_core::SC_NS));
    EXPECT_FALSE(bench.irq.read());
    bench.write("INTERRUPT_ENABLE", interrupt::kFault);
    bench.hullJob(1);
    bench.run();
    EXPECT_FALSE(bench.irq.read());
    bench.write("INTERRUPT", interrupt::kDone);
    bench.describe(99, 0);
    EXPECT_EQ(bench.run() & 0xFFU, job::kFaulted);
    EXPECT_EQ(bench.read("INTERRUPT"), interrupt::kDone | interrupt::kFault);
    EXPECT_TRUE(bench.irq.read());
    bench.write("INTERRUPT", interrupt::kFault);
    sc_core::wait(sc_time(2, sc_core::SC_NS));
    EXPECT_FALSE(bench.irq.read());
  });
}

/// The line rises at the clock at which the job ends, not before.
TEST(ImplicitUnitInterrupt, ComesWithTheResult) {
  onBench([](Bench& bench) {
    bench.load(defaultScene());
    bench.write("INTERRUPT_ENABLE", interrupt::kDone);
    const std::uint64_t d = bench.hullJob(1);
    bench.ring();
    sc_core::wait(bench.irq.posedge_event());
    EXPECT_EQ(bench.word(d + job::kState), job::kDone);
    EXPECT_EQ(bench.read("RING_HEAD"), 1U);
    EXPECT_GT(sc_core::sc_time_stamp(), sc_time(5, sc_core::SC_US));
  });
}

TEST(ImplicitUnitReset, InTheMiddleOfAJob) {
  onBench([](Bench& bench) {
    bench.load(defaultScene());
    const std::uint64_t d = bench.hullJob(1);
    bench.ring();
    sc_core::wait(sc_time(3, sc_core::SC_US));
    EXPECT_NE(bench.read("STATUS") & status::kBusy, 0U);
    const auto resets = [&] {
      common::StatGroup stats("unit", "");
      bench.unit.report(stats);
      for (const common::Figure& f : stats.figures()) {
        if (f.name == "resets") return std::get<std::uint64_t>(f.value);
      }
      ADD_FAILURE() << "no such statistic";
      return std::uint64_t{99};
    };
    EXPECT_EQ(resets(), 0U);
    bench.write("CONTROL", control::kReset);
    EXPECT_EQ(resets(), 1U);
    EXPECT_EQ(bench.read("STATUS"), 0U);
    EXPECT_EQ(bench.read("RING_TAIL"), 0U);
    sc_core::wait(sc_time(10, sc_core::SC_MS));
    EXPECT_EQ(bench.word(d + job::kState), job::kPending);
    EXPECT_EQ(bench.counter(Counter::Jobs), 0U);
    EXPECT_EQ(bench.counter(Counter::TaskTested), 0U);
    EXPECT_EQ(bench.read("STATUS"), 0U);
    // Nothing of the lost job is left, and the unit works.
    bench.queued = 0;
    bench.load(defaultScene());
    const render::Camera camera =
        render::Camera::lookAt({3, 2, 3}, {0, 0.6, 0}, {0, 1, 0}, 50, 8, 8);
    bench.frameJob(1, camera, {0, 0, 8, 8}, 8);
    EXPECT_EQ(bench.run(), job::kFaulted | static_cast<std::uint32_t>(Fault::NoHull) << 8U);
    bench.hullJob(1);
    EXPECT_EQ(bench.run(), job::kDone);
    EXPECT_EQ(bench.counter(Counter::MeshKept), 647U);
    EXPECT_EQ(bench.counter(Counter::Jobs), 2U);
    EXPECT_EQ(bench.counter(Counter::Faults), 1U);
  });
}

TEST(ImplicitUnitReset, DoorbellRightBehindTheReset) {
  onBench([](Bench& bench) {
    bench.load(defaultScene());
    bench.hullJob(1);
    bench.ring();
    sc_core::wait(sc_time(3, sc_core::SC_US));
    // Both writes before the unit's process has seen the reset.
    std::uint32_t value = control::kReset;
    bench.access(tlm::TLM_WRITE_COMMAND, offsetOf("CONTROL"), &value, 4);
    bench.queued = 0;
    bench.load(defaultScene());
    const std::uint64_t d = bench.hullJob(1);
    EXPECT_EQ(bench.run(), job::kDone);
    EXPECT_EQ(bench.word(d + job::kCount), 647U);
  });
}

TEST(ImplicitUnitReset, FlushForgetsObjects) {
  onBench([](Bench& bench) {
    prepare(bench);
    EXPECT_GT(bench.read("LEAF_PROGRAMS_USED"), 0U);
    bench.write("CONTROL", control::kFlush);
    EXPECT_EQ(bench.read("LEAF_PROGRAMS_USED"), 0U);
    bench.raysJob(1, {});
    EXPECT_EQ(bench.run(), job::kFaulted | static_cast<std::uint32_t>(Fault::NoHull) << 8U);
    EXPECT_EQ(bench.read("FAULT_OBJECT"), 0U);
  });
}

TEST(ImplicitUnitCounters, PairsAreReadConsistently) {
  onBench([](Bench& bench) {
    prepare(bench);
    const std::uint32_t low = bench.read(offsetOf(Counter::Cycles));
    sc_core::wait(sc_time(20, sc_core::SC_SEC));  // beyond 32 bits of core clocks
    EXPECT_EQ(bench.read(offsetOf(Counter::Cycles) + 4), 0U);
    EXPECT_GT(bench.counter(Counter::Cycles), 0xFFFF'FFFFULL);
    EXPECT_NE(bench.read(offsetOf(Counter::Cycles)), low);
    // All clocks have a cause.
    std::uint32_t value = 0;
    std::uint64_t parts = 0;
    for (auto c = Counter::CyclesBusy; c <= Counter::CyclesIdle;
         c = static_cast<Counter>(static_cast<int>(c) + 1))
      parts += bench.unit.counter(c);
    EXPECT_EQ(parts, bench.unit.counter(Counter::Cycles));
    EXPECT_EQ(debugRead(bench, offsetOf(Counter::Cycles) + 4, &value, 4), 4U);
    EXPECT_NE(value, 0U);
  });
}

}  // namespace
}  // namespace rtvp::implicit::unit::test
