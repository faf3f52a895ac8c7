// The S5933 on a PCI bus with a host, main memory and a stand-in for the PLD (board.md 4.3 to 4.5).
#include <numeric>
#include <random>
#include <vector>

#include "tests/models/tigershark/s5933_bench.hpp"
#include "tests/support/trace_recorder.hpp"

namespace rtvp::tigershark::test {
namespace {

TEST(S5933, TS_040_TheHostFindsTheCardByConfigurationCycles) {
  inChild([] {
    Bench bench(config());
    Script script("script", [&] {
      Master& host = bench.host;
      EXPECT_EQ(host.read(bench.bus.configAddress(0)), 0x475010E8U);
      EXPECT_EQ(host.read(bench.bus.configAddress(1)), 0xFFFFFFFFU);
      const std::uint32_t sizes[] = {64, 512 * 1024, 4096};
      for (std::uint32_t i = 0; i < 3; ++i) {
        const std::uint64_t bar = bench.bus.configAddress(0, CFG_BADR0 + 4 * i);
        host.write(bar, 0xFFFFFFFF);
        EXPECT_EQ(~(host.read(bar) & 0xFFFFFFF0U) + 1, sizes[i]);
      }
      std::uint32_t value = 0;
      EXPECT_EQ(host.access(false, kRegisters, &value, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
      bench.enumerate();
      EXPECT_EQ(host.read(kRegisters + MCSR), 0xE6U);
      EXPECT_EQ(host.read(bench.bus.configAddress(0, CFG_MISC)) >> 8 & 0xFF, 64U);
    });
    sc_core::sc_start();
  });
}

TEST(S5933, IoMappedRegistersWithoutBootMemory) {
  inChild([] {
    Bench bench(S5933Config{});
    Script script("script", [&] {
      bench.host.write(bench.bus.configAddress(0, CFG_BADR0), 0x300);
      bench.host.write(bench.bus.configAddress(0, CFG_COMMAND), COMMAND_IO);
      EXPECT_EQ(bench.host.read(bench.bus.config().io_base + 0x300 + MCSR), 0xE6U);
      bench.host.write(bench.bus.config().io_base + 0x300 + OMB1, 9);
      EXPECT_EQ(bench.chip.core().addonPeek(AIMB1), 9U);
    });
    sc_core::sc_start();
  });
}

/// One transfer of `words` with the add-on moving a word every `pace`.
void dma(std::uint32_t depth, std::uint32_t words, bool write, const sc_time& pace,
         std::uint32_t scheme) {
  SCOPED_TRACE(testing::Message() << "depth " << depth << " words " << words
                                  << (write ? " write" : " read"));
  Bench bench(config(depth));
  std::vector<std::uint32_t> received;
  Script addon(
      "addon_side",
      [&] {
        for (std::uint32_t i = 0; i < words; ++i) {
          if (write) {
            while (bench.chip.a2pFull()) sc_core::wait(bench.chip.a2pDrained());
            EXPECT_TRUE(bench.chip.a2pPush(0xB0000000 + i));
          } else {
            while (bench.chip.p2aEmpty()) sc_core::wait(bench.chip.p2aFilled());
            received.push_back(bench.chip.p2aPop());
          }
          sc_core::wait(pace);
        }
      },
      false);
  Script script("script", [&] {
    for (std::uint32_t i = 0; i < words; ++i) bench.put(kReadBuffer + 4 * i, 0xA0000000 + i);
    bench.enumerate();
    if (write) {
      bench.startWrite(words, scheme);
    } else {
      bench.startRead(words, scheme);
    }
    bench.awaitInterrupt();
    EXPECT_EQ(bench.host.read(kRegisters + (write ? MWTC : MRTC)), 0U);
    EXPECT_EQ(bench.host.read(kRegisters + (write ? MWAR : MRAR)),
              (write ? kWriteBuffer : kReadBuffer) + 4 * words);
    bench.host.write(kRegisters + INTCSR, write ? INTCSR_WRITE_INT : INTCSR_READ_INT);
    sc_core::wait(1, SC_US);
    EXPECT_FALSE(bench.inta.read());
    sc_core::wait(pace * (words + 1));
  });
  sc_core::sc_start();
  for (std::uint32_t i = 0; write && i < words; ++i) {
    ASSERT_EQ(bench.get(kWriteBuffer + 4 * i), 0xB0000000 + i) << i;
  }
  EXPECT_EQ(bench.get(kWriteBuffer + 4 * words), 0U);
  if (write) return;
  ASSERT_EQ(received.size(), words);
  for (std::uint32_t i = 0; i < words; ++i) ASSERT_EQ(received[i], 0xA0000000 + i);
  EXPECT_LE(bench.chip.core().p2a().highWater(), depth);
}

TEST(S5933, TS_042_TS_043_TransfersOfEverySizeArriveWhole) {
  for (const std::uint32_t depth : {8U, 32U}) {
    for (const std::uint32_t words : {1U, 7U, 8U, 9U, 33U, 1000U}) {
      for (const std::uint32_t pace : {0U, 30U, 60U, 2800U}) {
        inChild([=] { dma(depth, words, false, sc_time(pace, SC_NS), 0); });
        inChild([=] { dma(depth, words, true, sc_time(pace, SC_NS), 0); });
      }
      inChild([=] { dma(depth, words, false, sc_time(100, SC_NS), MCSR_READ_4PLUS); });
      inChild([=] { dma(depth, words, true, sc_time(100, SC_NS), MCSR_WRITE_4PLUS); });
    }
  }
}

/// MB/s of a read transfer into an add-on that empties the FIFO at once whenever a burst has filled
/// it.
double readBandwidth(std::uint32_t depth) {
  Bench bench(config(depth));
  double rate = 0;
  constexpr std::uint32_t kWords = 8000;
  Script addon(
      "addon_side",
      [&] {
        for (std::uint32_t i = 0; i < kWords; ++i) {
          while (bench.chip.p2aEmpty()) sc_core::wait(bench.chip.p2aFilled());
          bench.chip.p2aPop();
        }
      },
      false);
  Script script("script", [&] {
    bench.enumerate();
    bench.startRead(kWords);
    const sc_time start = sc_core::sc_time_stamp();
    bench.awaitInterrupt();
    rate = 4.0 * kWords / (sc_core::sc_time_stamp() - start).to_seconds() / 1e6;
  });
  sc_core::sc_start();
  common::StatGroup stats("chip", "");
  bench.chip.report(stats);
  EXPECT_EQ(bench.chip.core().p2a().highWater(), depth);
  return rate;
}

TEST(S5933, TS_047_AFifoDeepBurstGivesTheSeedsEightyMegabytes) {
  inChild([] { EXPECT_NEAR(readBandwidth(8), 82, 1); });
}

TEST(S5933, TS_042_TS_047_TheSeedsFifoWouldGiveMore) {
  inChild([] { EXPECT_NEAR(readBandwidth(32), 115, 1.5); });
}

TEST(S5933, TS_047_ApplicationNoteExample) {
  inChild([] {
    PciBusConfig bus;
    bus.timing.memory_disconnect_words = 4;
    bus.timing.memory_first_wait = 3;
    Bench bench(config(), bus);
    constexpr std::uint32_t kWords = 4000;
    Script addon(
        "addon_side",
        [&] {
          for (std::uint32_t i = 0; i < kWords; ++i) {
            while (bench.chip.a2pFull()) sc_core::wait(bench.chip.a2pDrained());
            bench.chip.a2pPush(i);
          }
        },
        false);
    Script script("script", [&] {
      bench.enumerate();
      bench.startWrite(kWords);
      const sc_time start = sc_core::sc_time_stamp();
      bench.awaitInterrupt();
      const double rate = 4.0 * kWords / (sc_core::sc_time_stamp() - start).to_seconds() / 1e6;
      EXPECT_NEAR(rate, 41, 1) << "4 dwords every 390 ns";
    });
    sc_core::sc_start();
  });
}

TEST(S5933, DisablingStopsATransferAndEnablingResumesIt) {
  inChild([] {
    Bench bench(config());
    std::vector<std::uint32_t> received;
    Script addon(
        "addon_side",
        [&] {
          for (;;) {
            while (bench.chip.p2aEmpty()) sc_core::wait(bench.chip.p2aFilled());
            received.push_back(bench.chip.p2aPop());
            sc_core::wait(300, SC_NS);
          }
        },
        false);
    Script script("script", [&] {
      for (std::uint32_t i = 0; i < 100; ++i) bench.put(kReadBuffer + 4 * i, i);
      bench.enumerate();
      bench.startRead(100);
      sc_core::wait(10, SC_US);
      bench.host.write(kRegisters + MCSR, 0);
      const std::uint32_t left = bench.host.read(kRegisters + MRTC);
      sc_core::wait(20, SC_US);
      EXPECT_EQ(bench.host.read(kRegisters + MRTC), left);
      EXPECT_GT(left, 0U);
      EXPECT_LT(left, 400U);
      EXPECT_EQ(received.size(), 100 - left / 4) << "the FIFO still drains";
      EXPECT_FALSE(bench.inta.read());
      bench.host.write(kRegisters + MCSR, MCSR_READ_ENABLE);
      bench.awaitInterrupt();
      sc_core::wait(10, SC_US);
      ASSERT_EQ(received.size(), 100U);
      for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(received[i], i);
    });
    sc_core::sc_start();
  });
}

/// Words of the longest write burst while another master asks for the bus all the time.
std::uint64_t longestBurst(std::uint32_t latency_timer, bool contended) {
  S5933Config chip = config(32);
  Bench bench(chip);
  Script addon(
      "addon_side",
      [&] {
        for (std::uint32_t i = 0; i < 2000; ++i) {
          while (bench.chip.a2pFull()) sc_core::wait(bench.chip.a2pDrained());
          bench.chip.a2pPush(i);
          sc_core::wait(10, SC_NS);  // faster than PCI: the FIFO never runs dry
        }
      },
      false);
  Script rival(
      "rival_side",
      [&] {
        while (contended) {
          std::uint32_t word = 0;
          bench.rival.access(false, 0x100, &word, 4);
          sc_core::wait(bench.rival.delay);
        }
      },
      false);
  Script script("script", [&] {
    bench.enumerate(latency_timer);
    bench.host.write(kRegisters + MWAR, kWriteBuffer);
    bench.host.write(kRegisters + MWTC, 4 * 2000);
    bench.host.write(kRegisters + INTCSR, INTCSR_WRITE_ENABLE);
    sc_core::wait(1, SC_US);  // the FIFO is full before the transfer starts
    bench.host.write(kRegisters + MCSR, MCSR_WRITE_ENABLE);
    bench.awaitInterrupt();
  });
  sc_core::sc_start();
  common::StatGroup stats("chip", "");
  bench.chip.report(stats);
  for (const auto& figure : stats.groups().at(1).figures()) {
    if (figure.name == "longest_burst") return std::get<std::uint64_t>(figure.value);
  }
  return 0;
}

TEST(S5933, LatencyTimerLimitsABurstOnlyUnderContention) {
  inChild([] { EXPECT_GT(longestBurst(0, false), 1000U) << "nobody asks: the burst runs on"; });
  inChild(
      [] { EXPECT_LE(longestBurst(0, true), 3U) << "it gives way after the current data phase"; });
  inChild([] {
    const std::uint64_t words = longestBurst(16, true);
    EXPECT_GE(words, 14U);
    EXPECT_LE(words, 18U);
  });
}

TEST(S5933, ATransferToNowhereAbortsAndSaysSo) {
  inChild([] {
    Bench bench(config());
    Script script("script", [&] {
      bench.enumerate();
      bench.host.write(kRegisters + MRAR, 0x70000000);
      bench.host.write(kRegisters + MRTC, 64);
      bench.host.write(kRegisters + INTCSR, INTCSR_READ_ENABLE);
      bench.host.write(kRegisters + MCSR, MCSR_READ_ENABLE);
      bench.awaitInterrupt();
      EXPECT_NE(bench.host.read(kRegisters + INTCSR) & INTCSR_MASTER_ABORT, 0U);
      EXPECT_EQ(bench.host.read(kRegisters + MRTC), 64U);
      EXPECT_NE(
          bench.host.read(bench.bus.configAddress(0, CFG_COMMAND)) & STATUS_RECEIVED_MASTER_ABORT,
          0U);
    });
    sc_core::sc_start();
    EXPECT_EQ(bench.bus.totals().master_aborts, 1U);
  });
}

TEST(S5933, TS_041_PassThruBurstsReachSramAndPld) {
  inChild([] {
    Bench bench(config());
    Script script("script", [&] {
      bench.enumerate();
      std::vector<std::uint32_t> data(4096);
      std::iota(data.begin(), data.end(), 5U);
      const sc_time start = sc_core::sc_time_stamp();
      EXPECT_EQ(bench.host.access(true, kSram + 0x40, data.data(), 4 * data.size()),
                tlm::TLM_OK_RESPONSE);
      sc_core::wait(bench.host.delay);
      const double rate = 4.0 * 4096 / (sc_core::sc_time_stamp() - start).to_seconds() / 1e6;
      EXPECT_NEAR(rate, 82, 1) << "cache-line bursts";
      EXPECT_EQ(bench.addon.cells[0x10000040], 5U);
      EXPECT_EQ(bench.addon.cells[0x10000040 + 4 * 4095], 5U + 4095);
      std::vector<std::uint32_t> back(4096);
      EXPECT_EQ(bench.host.access(false, kSram + 0x40, back.data(), 4 * back.size()),
                tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(back, data);
      bench.host.write(kPld + 8, 77);
      EXPECT_EQ(bench.addon.cells[0x20000008], 77U);
      bench.host.writeByte(kPld + 9, 1);
      EXPECT_EQ(bench.host.read(kPld + 8), 256U + 77);
      EXPECT_EQ(bench.chip.core().addonPeek(APTD), 256U + 77);
      EXPECT_EQ(bench.chip.core().addonPeek(APTA), kPld + 8);
    });
    sc_core::sc_start();
  });
}

TEST(S5933, PassThruOfASlowAddOn) {
  inChild([] {
    Bench bench(config());
    Script script("script", [&] {
      bench.enumerate();
      std::uint32_t word = 0x55;
      // 10 clocks: within the 16 of a first data phase
      bench.addon.latency = sc_time(300, SC_NS);
      EXPECT_EQ(bench.host.access(true, kSram, &word, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(bench.host.attributes.transactions, 1U);
      EXPECT_EQ(bench.host.attributes.wait_clocks, 11U);
      sc_core::wait(bench.host.delay);
      // the same in a burst: later data phases have 8, so each is cut and taken up again
      std::uint32_t words[4] = {1, 2, 3, 4};
      bench.addon.accesses = 0;
      EXPECT_EQ(bench.host.access(true, kSram, words, 16), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(bench.addon.accesses, 4U) << "no word reaches the add-on twice";
      EXPECT_EQ(bench.addon.cells[0x1000000C], 4U);
      EXPECT_GT(bench.host.attributes.transactions, 1U);
      sc_core::wait(bench.host.delay);
      // 2 us: retries until the word is there
      bench.addon.latency = sc_time(2, SC_US);
      bench.addon.accesses = 0;
      word = 0;
      EXPECT_EQ(bench.host.access(false, kSram + 8, &word, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(word, 3U);
      EXPECT_EQ(bench.addon.accesses, 1U);
      EXPECT_GE(bench.host.delay, sc_time(2, SC_US));
      EXPECT_LT(bench.host.delay, sc_time(3, SC_US));
      sc_core::wait(bench.host.delay);
      // never ready in time: bounded, and the part recovers
      bench.addon.latency = sc_time(1, sc_core::SC_MS);
      EXPECT_EQ(bench.host.access(false, kSram, &word, 4), tlm::TLM_GENERIC_ERROR_RESPONSE);
      sc_core::wait(2, sc_core::SC_MS);
      bench.addon.latency = sc_core::SC_ZERO_TIME;
      EXPECT_EQ(bench.host.access(false, kSram + 12, &word, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(word, 4U);
      bench.addon.broken = true;
      EXPECT_EQ(bench.host.access(true, kSram, &word, 4), tlm::TLM_GENERIC_ERROR_RESPONSE);
      EXPECT_EQ(bench.host.attributes.stop, common::PciStop::TargetAbort);
    });
    sc_core::sc_start();
  });
}

TEST(S5933, PassThruWordOfTwoClocks) {
  inChild([] {
    S5933Config chip = config();
    chip.passthru_word_clocks = 2;
    Bench bench(chip);
    Script script("script", [&] {
      bench.enumerate();
      std::vector<std::uint32_t> data(8);
      EXPECT_EQ(bench.host.access(true, kSram, data.data(), 32), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(bench.host.attributes.wait_clocks, 9U) << "one for PTATN#, one a word";
    });
    sc_core::sc_start();
  });
}

TEST(S5933, MailboxEventInterruptsTheHost) {
  inChild([] {
    Bench bench(config());
    bool served = false;
    Script addon(
        "addon_side",
        [&] {
          sc_core::wait(5, SC_US);
          EXPECT_TRUE(bench.chip.postMailbox(1, 2));
          EXPECT_FALSE(bench.chip.postMailbox(1, 3)) << "the first is still unread";
          if (!bench.irq.read()) sc_core::wait(bench.irq.posedge_event());
          std::uint32_t command = 0;
          tlm::tlm_generic_payload payload;
          payload.set_command(tlm::TLM_READ_COMMAND);
          payload.set_address(AIMB2);
          payload.set_data_ptr(reinterpret_cast<std::uint8_t*>(&command));
          payload.set_data_length(4);
          payload.set_streaming_width(4);
          sc_time delay;
          bench.addon.registers->b_transport(payload, delay);
          EXPECT_EQ(command, 0xC0DEU);
          served = true;
        },
        false);
    Script script("script", [&] {
      bench.enumerate();
      bench.host.write(kRegisters + INTCSR, INTCSR_IN_ENABLE);
      std::uint32_t enable = AINT_IN_ENABLE | 1U << 2;
      tlm::tlm_generic_payload payload;
      payload.set_command(tlm::TLM_WRITE_COMMAND);
      payload.set_address(AINT);
      payload.set_data_ptr(reinterpret_cast<std::uint8_t*>(&enable));
      payload.set_data_length(4);
      payload.set_streaming_width(4);
      sc_time delay;
      bench.addon.registers->b_transport(payload, delay);
      payload.set_address(0x60);
      bench.addon.registers->b_transport(payload, delay);
      EXPECT_EQ(payload.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
      bench.awaitInterrupt();
      EXPECT_EQ(sc_core::sc_time_stamp(), sc_time(5, SC_US));
      EXPECT_EQ(bench.host.read(kRegisters + IMB1), 3U);
      bench.host.write(kRegisters + INTCSR, bench.host.read(kRegisters + INTCSR));
      sc_core::wait(1, SC_US);
      EXPECT_FALSE(bench.inta.read());
      EXPECT_FALSE(bench.chip.mailboxFull(1));
      bench.host.write(kRegisters + OMB2, 0xC0DE);
      sc_core::wait(1, SC_US);
    });
    sc_core::sc_start();
    EXPECT_TRUE(served) << "the interrupt of the add-on side";
  });
}

TEST(S5933, AddOnResetPinFollowsMcsr) {
  inChild([] {
    Bench bench(config());
    rtvp::test::TraceRecorder recorder;
    bench.chip.trace(common::TraceScope(recorder, "chip"));
    Script script("script", [&] {
      bench.enumerate();
      bench.host.write(kRegisters + MCSR, MCSR_ADDON_RESET);
      sc_core::wait(1, SC_US);
      EXPECT_TRUE(bench.reset.read());
      bench.host.write(kRegisters + MCSR, 0);
      sc_core::wait(1, SC_US);
      EXPECT_FALSE(bench.reset.read());
    });
    sc_core::sc_start();
    EXPECT_EQ(recorder.values["chip.addon_reset"], (std::vector<std::uint64_t>{0, 1, 0}))
        << "the trace shows the pin";
  });
}

TEST(S5933, DebugTransportChangesNothing) {
  inChild([] {
    Bench bench(config());
    Script script("script", [&] {
      bench.enumerate();
      bench.host.write(kRegisters + OMB1, 1);
      bench.host.write(kRegisters + FIFO, 0xF1F0);
      bench.chip.postMailbox(2, 7);
      bench.chip.a2pPush(0xA2);
      sc_core::wait(1, SC_US);
      const std::string before = bench.chip.core().dump();
      const std::uint64_t transactions = bench.bus.totals().transactions;
      const sc_time now = sc_core::sc_time_stamp();
      std::uint32_t view[16] = {};
      EXPECT_EQ(bench.host.debug(false, kRegisters, view, 64), 64U);
      EXPECT_EQ(view[IMB2 / 4], 7U);
      EXPECT_EQ(view[FIFO / 4], 0xA2U);
      EXPECT_EQ(bench.host.debug(false, bench.bus.configAddress(0), view, 64), 64U);
      EXPECT_EQ(view[0], 0x475010E8U);
      bench.addon.cells[0x10000010] = 99;
      EXPECT_EQ(bench.host.debug(false, kSram + 0x10, view, 4), 4U);
      EXPECT_EQ(view[0], 99U);
      std::uint32_t addon_view[24] = {};
      Master& host = bench.host;
      host.prepare(false, 0, addon_view, 96);
      EXPECT_EQ(bench.addon.registers->transport_dbg(host.payload), 96U);
      EXPECT_EQ(addon_view[AFIFO / 4], 0xF1F0U);
      host.prepare(false, 0x58, addon_view, 8);
      EXPECT_EQ(bench.addon.registers->transport_dbg(host.payload), 8U);
      host.prepare(false, 0x58, addon_view, 12);
      EXPECT_EQ(bench.addon.registers->transport_dbg(host.payload), 0U) << "not in the view";
      EXPECT_EQ(bench.chip.core().dump(), before);
      EXPECT_EQ(bench.bus.totals().transactions, transactions);
      EXPECT_EQ(sc_core::sc_time_stamp(), now);
    });
    sc_core::sc_start();
  });
}

TEST(S5933, ReadsAndWritesOverlapWithChainPacedTraffic) {
  // Rays in and results out at chain speed, as in a run: both directions at once, exact order, all
  // interrupts.
  inChild([] {
    Bench bench(config());
    constexpr std::uint32_t kWords = 2000;
    std::uint32_t taken = 0;
    Script in(
        "in",
        [&] {
          for (; taken < kWords; ++taken) {
            while (bench.chip.p2aEmpty()) sc_core::wait(bench.chip.p2aFilled());
            EXPECT_EQ(bench.chip.p2aPop(), taken);
            sc_core::wait(2783, SC_NS);
          }
        },
        false);
    Script out(
        "out",
        [&] {
          for (std::uint32_t i = 0; i < kWords; ++i) {
            EXPECT_TRUE(bench.chip.a2pPush(i)) << "no back-pressure is needed at chain speed";
            sc_core::wait(2783, SC_NS);
          }
        },
        false);
    Script script("script", [&] {
      for (std::uint32_t i = 0; i < kWords; ++i) bench.put(kReadBuffer + 4 * i, i);
      bench.enumerate();
      bench.startRead(kWords);
      bench.host.write(kRegisters + MWAR, kWriteBuffer);
      bench.host.write(kRegisters + MWTC, 4 * kWords);
      bench.host.write(kRegisters + INTCSR, INTCSR_READ_ENABLE | INTCSR_WRITE_ENABLE);
      bench.host.write(kRegisters + MCSR, MCSR_READ_ENABLE | MCSR_WRITE_ENABLE);
      std::uint32_t seen = 0;
      while (seen != (INTCSR_READ_INT | INTCSR_WRITE_INT)) {
        bench.awaitInterrupt();
        const std::uint32_t status = bench.host.read(kRegisters + INTCSR);
        seen |= status & (INTCSR_READ_INT | INTCSR_WRITE_INT);
        bench.host.write(kRegisters + INTCSR, status);
        sc_core::wait(100, SC_NS);
      }
      EXPECT_NEAR(sc_core::sc_time_stamp() / sc_time(2783, SC_NS), kWords, 20);
      for (std::uint32_t i = 0; i < kWords; ++i) ASSERT_EQ(bench.get(kWriteBuffer + 4 * i), i);
    });
    sc_core::sc_start();
    // One dword a transaction, 4 clocks each (address, decode, wait, data), both ways every 2783
    // ns.
    EXPECT_NEAR(bench.bus.utilisation(), 8 * 30.0 / 2783, 0.002);
  });
}

TEST(S5933, RandomBusTrafficNeverCrashes) {
  inChild([] {
    constexpr unsigned kSeed = 5933;
    SCOPED_TRACE(kSeed);
    Bench bench(config());
    std::mt19937 random(kSeed);
    const auto word = [&] { return static_cast<std::uint32_t>(random()); };
    Script script("script", [&] {
      bench.enumerate();
      std::vector<std::uint8_t> data(256);
      for (int i = 0; i < 20000; ++i) {
        const std::size_t length = 1 + word() % (word() % 8 == 0 ? 200 : 4);
        std::uint64_t address = kRegisters + word() % 64;
        switch (word() % 6) {
          case 0:
            address = kSram + word() % 0x80010;
            break;
          case 1:
            address = kPld + word() % 0x1010;
            break;
          case 2:
            address = bench.bus.configAddress(static_cast<int>(word() % 2), word() % 0x120);
            break;
          case 3:
            address = word();
            break;
          default:
            break;
        }
        for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(word());
        bench.host.access((word() & 1) != 0, address, data.data(), length);
        if (word() % 4 == 0) sc_core::wait(bench.host.delay);
        if (word() % 8 == 0) bench.chip.a2pPush(word());
        if (word() % 8 == 0) bench.chip.p2aPop();
        if (word() % 16 == 0) bench.enumerate(word() % 256);
        if (word() % 500 == 0) bench.chip.reset();
      }
    });
    sc_core::sc_start();
    EXPECT_GT(bench.bus.totals().transactions, 10000U);
  });
}

TEST(S5933, BadParametersAreRefused) {
  inChild([] {
    S5933Config bad = config();
    bad.pci_period = sc_core::SC_ZERO_TIME;
    EXPECT_THROW(S5933("a", bad), std::invalid_argument);
    bad = config();
    bad.passthru_word_clocks = 0;
    EXPECT_THROW(S5933("b", bad), std::invalid_argument);
    EXPECT_THROW(S5933("c", config(2)), std::invalid_argument);
  });
}

}  // namespace
}  // namespace rtvp::tigershark::test
