// PLD, SRAM and the array's shell without PCI: the bench plays the S5933's add-on side.
#include "models/tigershark/pld.hpp"

#include <cstring>
#include <deque>

#include "models/common/report_ids.hpp"
#include "models/tigershark/dsp.hpp"
#include "models/tigershark/pld_registers.hpp"
#include "tests/models/common/register_rule.hpp"
#include "tests/models/tigershark/pld_bench.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::tigershark::test {
namespace {

const char* const kIdleProgram = "stop:   IDLE\n        BU stop\n";

TEST(Pld, TS_049_RegistersFollowTheTable) {
  rtvp::test::inChild([] {
    PldBench b(assembled(kIdleProgram));
    simulate(b, [&] {
      EXPECT_EQ(b.reg(pld::CTRL), pld::CTRL_DSP_RESET) << "DSPs are in reset after power-on";
      EXPECT_EQ(b.reg(pld::NODES), 4U);
      EXPECT_EQ(b.reg(pld::STATUS) & pld::STATUS_HOLD_GRANTED, pld::STATUS_HOLD_GRANTED);
      for (const std::uint32_t ro :
           {pld::BARRIERS, pld::VOTES, pld::ERR_LANE, pld::ERR_ADDR, pld::ERR_CAUSE, pld::HELD}) {
        b.setReg(ro, 0xFFFFFFFF);
        EXPECT_EQ(b.reg(ro), 0U) << ro;
      }
      std::uint32_t value = 0;
      EXPECT_EQ(b.access(false, 2, 0x24, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
      EXPECT_EQ(b.access(false, 3, 0, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
      EXPECT_EQ(b.access(false, 2, pld::CTRL + 1, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
      // Debug access reads, as any bytes, and does not write.
      std::uint8_t byte = 0xEE;
      tlm::tlm_generic_payload p;
      p.set_read();
      p.set_address((std::uint64_t{2} << S5933::kRegionShift) | pld::NODES);
      p.set_data_ptr(&byte);
      p.set_data_length(1);
      EXPECT_EQ(b.host->transport_dbg(p), 1U);
      EXPECT_EQ(byte, 4U);
      p.set_write();
      p.set_address((std::uint64_t{2} << S5933::kRegionShift) | pld::CTRL);
      EXPECT_EQ(b.host->transport_dbg(p), 0U);
      EXPECT_EQ(b.reg(pld::CTRL), pld::CTRL_DSP_RESET);
    });
  });
}

TEST(Pld, TS_049_RegistersFollowTheRuleOfBlocks) {
  rtvp::test::inChild([] {
    PldBench b(assembled(kIdleProgram));
    simulate(b, [&] {
      common::test::sweepBlock({pld::kRegisterTable, 0x24, 4, 4},
                               {[&](auto& payload) {
                                  sc_core::sc_time delay;
                                  b.host->b_transport(payload, delay);
                                },
                                [&](auto& payload) { return b.host->transport_dbg(payload); },
                                std::uint64_t{2} << S5933::kRegionShift},
                               [](const common::RegisterDescriptor&) { return true; });
    });
  });
}

TEST(Pld, TS_024_BootThenTokenNumbersTheNodes) {
  rtvp::test::inChild([] {
    PldBench b(assembled(
        "        LDP result\n        STI R7,@result\nstop:   IDLE\n        BU stop\nresult: .word "
        "99\n"));
    simulate(b, [&] {
      b.boot();
      ASSERT_EQ(b.fifo.out.size(), 1U);
      EXPECT_EQ(b.fifo.out[0], 4U);
      for (int i = 0; i < 4; ++i) EXPECT_EQ(b.word(i, "result"), static_cast<std::uint32_t>(i));
    });
  });
}

TEST(Pld, TS_044_TheWindowNeedsTheBus) {
  rtvp::test::inChild([] {
    PldBench b(assembled(kIdleProgram));
    simulate(b, [&] {
      b.boot();
      EXPECT_FALSE(b.poke(100, 1)) << "the DSPs own the bus";
      b.setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE | pld::CTRL_HOLD_REQUEST);
      EXPECT_FALSE(b.poke(100, 1)) << "not granted yet";
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_US));
      EXPECT_EQ(b.fifo.events, (std::vector<std::uint32_t>{pld::EVENT_HOLD_GRANTED}));
      EXPECT_TRUE(b.poke(100, 0xABCD));
      EXPECT_EQ(b.peek(100), 0xABCDU);
      b.setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE);
      EXPECT_FALSE(b.poke(100, 2));
    });
  });
}

TEST(Pld, TS_044_ABarrierWaitsForTheHostAndSurvives) {
  rtvp::test::inChild([] {
    // Two barriers 300 cycles apart; the host asks for the bus between them.
    PldBench b(assembled(R"(
        LDI     0,AR0
        LDI     20h,IOF
        NOP
        NOP
        NOP
        LDI     *AR0,R2
        LDI     0,IOF
        RPTS    300
        NOP
        LDI     20h,IOF
        NOP
        NOP
        NOP
        LDI     *AR0,R3
        LDI     0,IOF
        LDP     result
        STI     R3,@result
stop:   IDLE
        BU      stop
result: .word   0
)"));
    simulate(b, [&] {
      b.load();
      b.setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE);
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
      b.fifo.push(0);
      while (b.reg(pld::BARRIERS) == 0) sc_core::wait(sc_core::sc_time(1, sc_core::SC_US));
      b.setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE | pld::CTRL_HOLD_REQUEST);
      sc_core::wait(sc_core::sc_time(100, sc_core::SC_US));
      EXPECT_EQ(b.reg(pld::STATUS) & (pld::STATUS_HOLD_GRANTED | pld::STATUS_ALL_ARRIVED),
                pld::STATUS_HOLD_GRANTED | pld::STATUS_ALL_ARRIVED);
      EXPECT_TRUE(b.poke(0, 0x77));
      EXPECT_EQ(b.reg(pld::BARRIERS), 1U);
      b.setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE);
      sc_core::wait(sc_core::sc_time(100, sc_core::SC_US));
      EXPECT_EQ(b.reg(pld::BARRIERS), 2U);
      EXPECT_EQ(b.word(3, "result"), 0x77U) << "the held access sees what the host wrote";
      const std::uint32_t held = b.reg(pld::HELD);
      EXPECT_GT(held, 2000U);
      EXPECT_LT(held, 3100U) << "about 90 us of 33 ns";
    });
  });
}

TEST(Pld, TS_045_ADoubleBufferedBoardNeedsNoHold) {
  rtvp::test::inChild([] {
    PldBench b(assembled(kIdleProgram), 4, true);
    simulate(b, [&] {
      b.setReg(pld::CTRL, pld::CTRL_DSP_RESET |
                              pld::CTRL_PAGE_SELECT);  // the array sees bank 1, the host bank 0
      b.load();
      EXPECT_TRUE(b.poke(100, 7));
      b.setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE);  // array: bank 0, host: bank 1
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
      EXPECT_EQ(b.peek(100), 0U);
      EXPECT_TRUE(b.poke(100, 8));
      b.fifo.push(0);
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
      ASSERT_EQ(b.fifo.out.size(), 1U) << "the DSPs booted from the other bank";
      b.setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE | pld::CTRL_PAGE_SELECT);
      EXPECT_EQ(b.peek(100), 7U);
    });
  });
}

TEST(Pld, TS_026_TheChainRunsAtItsBitClock) {
  // Every node passes words on; words sent in a row leave 32 bit clocks apart.
  const char* const relay = R"(
stop:   IDLE
        LDI     *+AR7(12),R0
        STI     R0,*+AR7(8)
        BU      stop
)";
  for (const std::uint64_t hz : {11'500'000ULL, 5'000'000ULL}) {
    rtvp::test::inChild([&] {
      PldBench b(assembled(relay), 4, false, hz);
      b.fifo.capacity = 64;
      simulate(b, [&] {
        b.boot();
        for (std::uint32_t w = 1; w <= 40; ++w) b.fifo.push(w);
        sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
        ASSERT_EQ(b.fifo.out.size(), 41U);
        EXPECT_EQ(b.fifo.out.back(), 40U);
        // A node starts a word on its next bit edge, so single gaps vary by a few bits; the mean
        // does not.
        const double mean = (b.fifo.outTimes.back() - b.fifo.outTimes[1]).to_seconds() / 39;
        EXPECT_NEAR(mean * static_cast<double>(hz), 32.0, 0.2);
      });
    });
  }
}

TEST(Pld, TS_042_AResultWithoutRoomIsLostAndFlagged) {
  rtvp::test::inChild([] {
    PldBench b(assembled(kIdleProgram));
    b.fifo.capacity = 0;
    simulate(b, [&] {
      b.boot();
      EXPECT_TRUE(b.fifo.out.empty());
      EXPECT_EQ(b.reg(pld::STATUS) & pld::STATUS_OVERRUN, pld::STATUS_OVERRUN);
      EXPECT_EQ(b.fifo.events, (std::vector<std::uint32_t>{pld::EVENT_OVERRUN}));
      b.setReg(pld::STATUS, pld::STATUS_OVERRUN);
      EXPECT_EQ(b.reg(pld::STATUS) & pld::STATUS_OVERRUN, 0U);
    });
  });
}

TEST(Pld, FlushEmptiesTheInputFifo) {
  rtvp::test::inChild([] {
    PldBench b(assembled(kIdleProgram));
    simulate(b, [&] {
      b.fifo.push(1);
      b.fifo.push(2);
      b.setReg(pld::CTRL, pld::CTRL_DSP_RESET | pld::CTRL_CHAIN_FLUSH);
      EXPECT_TRUE(b.fifo.in.empty());
      EXPECT_EQ(b.reg(pld::CTRL), pld::CTRL_DSP_RESET);
    });
  });
}

TEST(Pld, AResetRestartsTheBoard) {
  rtvp::test::inChild([] {
    PldBench b(assembled(kIdleProgram));
    simulate(b, [&] {
      b.boot();
      const std::uint64_t first = b.array->engine().counters(0).instructions;
      EXPECT_GT(first, 0U);
      b.setReg(pld::CTRL, pld::CTRL_DSP_RESET);
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_US));
      EXPECT_TRUE(b.poke(100, 5)) << "the bus is the host's while the DSPs are in reset";
      b.setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE);
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
      b.fifo.push(10);
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
      ASSERT_EQ(b.fifo.out.size(), 2U);
      EXPECT_EQ(b.fifo.out[1], 14U) << "a new token numbers the nodes again";
      // What was before the reset stays in the figures: the same boot and token twice.
      common::StatGroup stats;
      b.array->report(stats);
      for (const common::Figure& figure : stats.figures()) {
        if (figure.name == "instructions") {
          EXPECT_EQ(std::get<std::uint64_t>(figure.value), 2 * first);
        }
      }
    });
  });
}

TEST(Pld, AResetFreesTheBoardFromAnEndlessLoop) {
  rtvp::test::inChild([] {
    // The array runs a million cycles of the loop at a time; a reset must not wait for their end.
    PldBench b(assembled("loop:   BU loop\n"));
    simulate(b, [&] {
      b.boot();
      ASSERT_EQ(b.fifo.out.size(), 1U);
      b.setReg(pld::CTRL, pld::CTRL_DSP_RESET);
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_US));
      b.setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE);
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
      b.fifo.push(10);
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
      ASSERT_EQ(b.fifo.out.size(), 2U);
      EXPECT_EQ(b.fifo.out[1], 14U);
    });
  });
}

TEST(Pld, TS_044_HoldAtTheEndOfResetKeepsTheBusTheHosts) {
  rtvp::test::inChild([] {
    PldBench b(assembled(kIdleProgram));
    simulate(b, [&] {
      b.setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE | pld::CTRL_HOLD_REQUEST);  // out of reset
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
      b.load();  // nothing has run from the empty memory meanwhile
      b.setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE);
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
      b.fifo.push(3);
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
      ASSERT_EQ(b.fifo.out.size(), 1U);
      EXPECT_EQ(b.fifo.out[0], 7U);
    });
  });
}

TEST(Pld, AResetCutsTheWordThatIsUnderWay) {
  rtvp::test::inChild([] {
    PldBench b(assembled(kIdleProgram));
    simulate(b, [&] {
      b.load();
      b.setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE);
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
      b.fifo.push(0);
      // Five links of 34 bits at 11.5 MHz: the last node sends since 11.8 us.
      sc_core::wait(sc_core::sc_time(14, sc_core::SC_US));
      ASSERT_TRUE(b.fifo.out.empty());
      b.setReg(pld::CTRL, pld::CTRL_CHAIN_ENABLE | pld::CTRL_DSP_RESET);
      sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
      EXPECT_TRUE(b.fifo.out.empty()) << "a transmitter in reset does not finish its word";
    });
  });
}

TEST(Pld, TS_048_F1_FlushEndsAlthoughTheStrobeIsBroken) {
  rtvp::test::inChild([] {
    PldBench b(assembled(kIdleProgram));
    simulate(b, [&] {
      b.fifo.brokenStrobe = true;
      b.fifo.push(1);
      b.setReg(pld::CTRL, pld::CTRL_DSP_RESET | pld::CTRL_CHAIN_FLUSH);
      EXPECT_EQ(b.fifo.in.size(), 1U);
    });
  });
}

TEST(Pld, TS_005_AViolationStopsTheSimulationWithItsId) {
  rtvp::test::inChild([] {
    PldBench b(assembled(R"(
        LDI     0,AR0
        LDI     20h,IOF
        NOP
        NOP
        NOP
        LDI     *AR0,R2
        CMPI    2,R7
        BNZ     stop
        STI     R7,*AR0
stop:   IDLE
        BU      stop
)"));
    b.body = [&] {
      b.boot();
      FAIL() << "the violation must stop the simulation";
    };
    try {
      sc_core::sc_start();
      FAIL() << "no report";
    } catch (const sc_core::sc_report& report) {
      EXPECT_STREQ(report.get_msg_type(), report_ids::kSlaveWrite);
      EXPECT_NE(std::string(report.get_msg()).find("lane 2"), std::string::npos)
          << report.get_msg();
      EXPECT_NE(std::string(report.get_msg()).find("STI"), std::string::npos) << report.get_msg();
    }
  });
}

TEST(Pld, TS_004_ALaneOnAnotherPathStopsTheSimulationWithItsId) {
  rtvp::test::inChild([] {
    // Lane 3 skips the second shared read.
    PldBench b(assembled(R"(
        LDI     0,AR0
        LDI     20h,IOF
        NOP
        NOP
        NOP
        LDI     *AR0,R2
        CMPI    3,R7
        BZ      stop
        LDI     *AR0,R3
stop:   IDLE
        BU      stop
)"));
    b.body = [&] {
      b.boot();
      FAIL() << "the violation must stop the simulation";
    };
    try {
      sc_core::sc_start();
      FAIL() << "no report";
    } catch (const sc_core::sc_report& report) {
      EXPECT_STREQ(report.get_msg_type(), report_ids::kLockstep);
      const std::string text = report.get_msg();
      EXPECT_NE(text.find("lane 3"), std::string::npos) << text;
      EXPECT_NE(text.find("the master makes a read of 0h"), std::string::npos) << text;
      EXPECT_NE(text.find("cycle"), std::string::npos) << text;
    }
    // The host finds the violation latched (board.md 4.5) and an event in its mailbox.
    EXPECT_EQ(b.reg(pld::STATUS) & pld::STATUS_LOCKSTEP, pld::STATUS_LOCKSTEP);
    EXPECT_EQ(b.reg(pld::ERR_LANE), 3U);
    EXPECT_EQ(b.fifo.events.back(), pld::EVENT_LOCKSTEP);
  });
}

TEST(Sram, DebugAccessHasNoSideEffects) {
  rtvp::test::inChild([] {
    PldBench b(assembled(kIdleProgram));
    simulate(b, [&] {
      b.poke(5, 0x11223344);
      std::uint32_t value = 0;
      tlm::tlm_generic_payload p;
      p.set_command(tlm::TLM_READ_COMMAND);
      p.set_address((1ULL << S5933::kRegionShift) | 20);
      p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
      p.set_data_length(4);
      EXPECT_EQ(b.host->transport_dbg(p), 4U);
      EXPECT_EQ(value, 0x11223344U);
      common::StatGroup stats;
      b.sram->report(stats);
      EXPECT_EQ(std::get<std::uint64_t>(stats.figures()[3].value), 0U) << "host_reads";
    });
  });
}

/// c32.md 4.5: LOPOWER makes ten NOPs 150 cycles longer; the DSP's figures add up to its clock.
TEST(Dsp, ItsCyclesAddUpToItsClock) {
  rtvp::test::inChild([] {
    PldBench b(
        assembled("        LOPOWER\n        RPTS 9\n        NOP\n        MAXSPEED\n"
                  "stop:   IDLE\n        BU stop\n"));
    const Dsp dsp("dsp", *b.array, 2);
    simulate(b, [&] {
      b.boot();
      common::StatGroup stats;
      dsp.report(stats);
      std::uint64_t sum = 0, other = 0;
      for (const common::Figure& figure : stats.figures()) {
        if (figure.name.starts_with("cycles_")) sum += std::get<std::uint64_t>(figure.value);
        if (figure.name == "cycles_other") other = std::get<std::uint64_t>(figure.value);
      }
      EXPECT_EQ(sum, b.array->laneTotals(2).totalCycles());
      EXPECT_GE(other, 150U);
      EXPECT_LT(other, 1000U);
    });
  });
}

/// board.md 1.4: the array sees the whole of a bank, its last word included.
TEST(Sram, ThePointerCoversABank) {
  rtvp::test::inChild([] {
    PldBench b(assembled(kIdleProgram), 4, true);
    simulate(b, [&] {
      tlm::tlm_generic_payload p;
      p.set_command(tlm::TLM_READ_COMMAND);
      p.set_address(0);
      tlm::tlm_dmi dmi;
      ASSERT_TRUE(b.array->bus_isock->get_direct_mem_ptr(p, dmi));
      EXPECT_EQ(dmi.get_start_address(), 0U);
      EXPECT_EQ(dmi.get_end_address(), 4U * PldBench::kWords - 1);
      EXPECT_TRUE(dmi.is_read_allowed());
    });
  });
}

TEST(BoardClock, CyclesAndTimesAreInverse) {
  const BoardClock clock(30'000'000, 11'500'000);
  for (Cycle c : {0ULL, 1ULL, 2ULL, 3ULL, 999'999ULL, 123'456'789'012ULL}) {
    EXPECT_EQ(clock.cycleAt(clock.timeOf(c)), c);
    EXPECT_EQ(clock.bitAt(clock.timeOfBit(c)), c);
  }
  EXPECT_EQ(clock.timeOf(3).to_string(), "100 ns");
  EXPECT_EQ(clock.cycleOfBit(34), 89U) << "34 bit clocks are 88.7 cycles";
}

}  // namespace
}  // namespace rtvp::tigershark::test
