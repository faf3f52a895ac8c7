// Errors of sections 3.5, 10 and 16.1 on the bus: every job completes its ticket, LAST_EC and
// EVENTS tell, memory outside the rings stays as it was.
#include "tests/models/common/register_rule.hpp"
#include "tests/models/xphmg/unit/unit_bench.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::xphmg {
namespace {

using rtvp::test::inChild;
using test::JobScene;
using test::onBench;
using test::RandomScene;
using test::UnitBench;

void scenario(const std::function<void(UnitBench&)>& program, const UnitConfig& config = {},
              bool with_monitor = false) {
  inChild([&] { onBench(config, with_monitor, program); });
}

struct Bad {
  const char* what;
  std::function<void(JobScene&)> damage;
  unsigned code;
  std::uint32_t events;
  std::uint64_t desc = JobScene::kDesc;
  bool slow = false;  ///< 2^24 visits until the guard acts
};

TEST(XphmgUnitErrors, RT102_EveryBadJobCompletesItsTicket) {
  constexpr std::uint64_t kNowhere = 0x40000000;
  const auto ring = [](std::uint64_t at, Queue q) {
    return [at, q](JobScene& s) { s.queue(at, q); };
  };
  const std::vector<Bad> jobs = {
      {"misaligned descriptor", [](JobScene&) {}, 1, event::kDmaErr, JobScene::kDesc + 4},
      {"descriptor nowhere", [](JobScene&) {}, 1, event::kInvMiss, kNowhere},
      {"descriptor at the end", [](JobScene&) {}, 1, event::kInvMiss, 0x80100000 - 64},
      {"unknown option", [](JobScene& s) { s.desc.opts = 1U << 4U; }, 2, 0},
      {"reserved option 1", [](JobScene& s) { s.desc.opts = 2; }, 2, 0},
      {"misaligned heap", [](JobScene& s) { s.desc.bvhBase += 32; }, 1, event::kDmaErr},
      {"heap nowhere", [](JobScene& s) { s.desc.bvhBase = kNowhere; }, 1, event::kInvMiss},
      {"triangles nowhere", [](JobScene& s) { s.desc.triBuf = kNowhere; }, 1, event::kInvMiss},
      {"no hit ring", [](JobScene& s) { s.desc.hitQueue = 0; }, 1, event::kDmaErr},
      {"ray ring nowhere", [](JobScene& s) { s.desc.rayQueue = kNowhere; }, 1, event::kInvMiss},
      {"misaligned ring", [](JobScene& s) { s.desc.missQueue += 4; }, 1, event::kDmaErr},
      {"capacity 0", ring(JobScene::kRayQueue, {0, 0, 0, JobScene::kRays}), 1, event::kDmaErr},
      {"head outside", ring(JobScene::kRayQueue, {8, 0, 8, JobScene::kRays}), 1, event::kDmaErr},
      {"tail outside", ring(JobScene::kHitQueue, {0, 9, 8, JobScene::kHits}), 1, event::kDmaErr},
      {"indices of 2^32 - 1", ring(JobScene::kMissQueue, {~0U, ~0U, ~0U, JobScene::kMisses}), 1,
       event::kDmaErr},
      {"hit ring full", ring(JobScene::kHitQueue, {1, 0, 8, JobScene::kHits}), 1, event::kDmaErr},
      {"hits nowhere", ring(JobScene::kHitQueue, {0, 0, 8, kNowhere}), 1, event::kInvMiss},
      {"rays nowhere", ring(JobScene::kRayQueue, {0, 4, 8, kNowhere}), 1, event::kInvMiss},
      {"odd ray base", ring(JobScene::kRayQueue, {0, 4, 8, JobScene::kRays + 1}), 1,
       event::kDmaErr},
      {"rays at the top of the address space", ring(JobScene::kRayQueue, {0, 4, 8, ~63ULL}), 1,
       event::kInvMiss},
      {"reserved child", [](JobScene& s) { *s.at(JobScene::kHeap + 60) = 0x0B; }, 2, 0},
      {"child nowhere", [](JobScene& s) { storeU32(s.at(JobScene::kHeap + 48), 0x7FFFFFFF); }, 1,
       event::kInvMiss},
      {"a tile that is its own child",
       [](JobScene& s) {
         *s.at(JobScene::kHeap + 60) = 0x09;
         storeU32(s.at(JobScene::kHeap + 48), 0);
       },
       1, event::kDmaErr, JobScene::kDesc, true}};
  for (const Bad& bad : jobs) {
    for (const bool monitor : {false, true}) {
      if (bad.slow && monitor) continue;
      scenario(
          [&](UnitBench& b) {
            SCOPED_TRACE(bad.what);
            JobScene scene(Format::Fp16);
            bad.damage(scene);
            b.load(scene);
            b.write(Csr::IRQ_EN, irq::kJobFailed);
            const std::vector<std::uint8_t> before(b.memory.bytes().begin(),
                                                   b.memory.bytes().end());
            EXPECT_TRUE(b.runJob(bad.desc)) << "the ticket never completed";
            EXPECT_EQ(b.lastEc(), bad.code);
            EXPECT_EQ(b.read(Csr::RTSTAT) & 3U, 2U) << "RT-010, RT-011";
            EXPECT_EQ(b.read(Csr::XMEM_EVENTS), bad.events);
            EXPECT_EQ(b.read(Csr::ERR_TICKET), 1U);
            EXPECT_EQ(b.read(Csr::IRQ_PEND), irq::kJobEnd | irq::kJobFailed);
            EXPECT_TRUE(b.irq.read());
            // RT-037: nothing outside the rings and their headers has changed.
            std::vector<std::uint8_t> after(b.memory.bytes().begin(), b.memory.bytes().end());
            const auto restore = [&](std::uint64_t at, std::uint64_t bytes) {
              const auto from = static_cast<std::ptrdiff_t>(at - UnitBench::kMemory);
              std::copy_n(before.begin() + from, bytes, after.begin() + from);
            };
            restore(JobScene::kRayQueue, 0x60);
            restore(JobScene::kHits, 0x300);
            EXPECT_TRUE(after == before);
            // The unit goes on: a good job afterwards.
            JobScene good(Format::Fp16);
            b.load(good);
            EXPECT_TRUE(b.runJob(JobScene::kDesc));
            EXPECT_EQ(b.queue(JobScene::kHitQueue).tail, 3U);
            EXPECT_EQ(b.lastEc(), bad.code) << "RT-024";
            EXPECT_EQ(b.read(Csr::ERR_TICKET), 1U);
          },
          {}, monitor);
    }
  }
}

TEST(XphmgUnitErrors, AFailingTargetIsADmaError) {
  scenario(
      [](UnitBench& b) {
        JobScene scene(Format::Fp16);
        b.load(scene);
        b.monitor->failFrom = JobScene::kDesc;
        EXPECT_TRUE(b.runJob(JobScene::kDesc));
        EXPECT_EQ(b.lastEc(), 1U);
        EXPECT_EQ(b.read(Csr::XMEM_EVENTS), event::kDmaErr);
      },
      {}, true);
}

TEST(XphmgUnitErrors, GeometryAtTheEndOfMemoryIsReadAsItIs) {
  // Triangles whose last line is cut off by the end of the memory.
  for (const bool monitor : {false, true}) {
    scenario(
        [](UnitBench& b) {
          JobScene scene(Format::Fp16);
          scene.desc.triBuf = 0x80100000 - 54;
          b.load(scene);
          std::copy_n(scene.at(JobScene::kTris), 54, b.at(scene.desc.triBuf));
          EXPECT_TRUE(b.runJob(JobScene::kDesc));
          EXPECT_EQ(b.lastEc(), 0U);
          EXPECT_EQ(b.queue(JobScene::kHitQueue).tail, 3U);
        },
        {}, monitor);
  }
}

TEST(XphmgUnitErrors, RT095_WithoutDescqNoTicket) {
  UnitConfig config;
  config.features.rtcap &= ~rtcap::kDescq;
  scenario(
      [](UnitBench& b) {
        JobScene scene(Format::Fp16);
        b.load(scene);
        b.write(Csr::DOORBELL, JobScene::kDesc);
        EXPECT_EQ(b.read(Csr::TICKET_LAST), 0U);
        EXPECT_EQ(b.lastEc(), 2U);
        EXPECT_EQ(b.queue(JobScene::kHitQueue).tail, 0U);
      },
      config);
}

TEST(XphmgUnitErrors, RT001_WithoutCapNothingIsSupported) {
  UnitConfig config;
  config.features.cap = false;
  scenario(
      [](UnitBench& b) {
        b.write(Csr::DOORBELL, JobScene::kDesc);
        EXPECT_EQ(b.read(Csr::TICKET_LAST), 0U);
        EXPECT_EQ(b.lastEc(), 1U);
      },
      config);
}

TEST(XphmgUnitErrors, StrictEnableIsAnOption) {
  UnitConfig config;
  config.features.enStrict = true;
  scenario(
      [](UnitBench& b) {
        JobScene scene(Format::Fp16);
        b.load(scene);
        b.write(Csr::DOORBELL, JobScene::kDesc);
        EXPECT_EQ(b.read(Csr::TICKET_LAST), 0U);
        EXPECT_EQ(b.lastEc(), 1U);
        b.write(Csr::RTCFG, 1);
        EXPECT_TRUE(b.runJob(JobScene::kDesc));
        EXPECT_EQ(b.queue(JobScene::kHitQueue).tail, 3U);
      },
      config);
}

TEST(XphmgUnitErrors, RT014_CapabilitiesOfOptions) {
  const std::pair<std::uint64_t, std::uint32_t> pairs[] = {{rtcap::kNode8, opts::kNode8},
                                                           {rtcap::kPackHint, opts::kPackHint},
                                                           {rtcap::kEpsCtl, opts::kEpsCtl},
                                                           {rtcap::kNode4, 0}};
  for (const auto& [capability, option] : pairs) {
    UnitConfig config;
    config.features.rtcap &= ~capability;
    scenario(
        [&](UnitBench& b) {
          JobScene scene(Format::Fp16);
          scene.desc.opts = option;
          b.load(scene);
          EXPECT_TRUE(b.runJob(JobScene::kDesc));
          EXPECT_EQ(b.lastEc(), 2U);
          EXPECT_EQ(b.read(Csr::XMEM_EVENTS), 0U);
        },
        config);
  }
}

TEST(XphmgUnitErrors, StrictDomains) {
  scenario([](UnitBench& b) {
    JobScene scene(Format::Fp16);
    b.load(scene);  // memctl.dom = RT
    b.write(Csr::XMEM_DESCPOL, 0x44);
    b.write(Csr::XMEM_DOM, domain::kMtx);
    EXPECT_TRUE(b.runJob(JobScene::kDesc));
    EXPECT_EQ(b.lastEc(), 1U);
    b.write(Csr::XMEM_DOM, domain::kRt);
    EXPECT_TRUE(b.runJob(JobScene::kDesc));
    EXPECT_EQ(b.queue(JobScene::kHitQueue).tail, 3U);
  });
}

TEST(XphmgUnitErrors, RT075_EnabledFlagsInterruptAndNeverTrap) {
  scenario([](UnitBench& b) {
    JobScene scene(Format::Fp16);
    storeU32(scene.at(JobScene::kRays), 0x7D007D00);  // signalling NaNs in ray 0
    b.load(scene);
    b.write(Csr::PREC_EXC_EN, 0x10);
    b.write(Csr::IRQ_EN, irq::kFpFlag);
    EXPECT_TRUE(b.runJob(JobScene::kDesc));
    EXPECT_EQ(b.read(Csr::PREC_EXC_ST), 0x50U);
    EXPECT_EQ(b.read(Csr::IRQ_PEND), irq::kJobEnd | irq::kFpFlag);
    EXPECT_EQ(b.lastEc(), 0U);
    EXPECT_EQ(b.queue(JobScene::kMissQueue).tail, 2U);
    b.write(Csr::PREC_EXC_ST, 0x7F);
    EXPECT_EQ(b.read(Csr::PREC_EXC_ST), 0U);
  });
}

TEST(XphmgUnitErrors, PageAccessesAreEightBytesAtMultiplesOfEight) {
  scenario([](UnitBench& b) {
    std::array<std::uint8_t, 16> bytes{};
    EXPECT_EQ(b.access(tlm::TLM_READ_COMMAND, 0, bytes.data(), 4), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(b.access(tlm::TLM_WRITE_COMMAND, 0, bytes.data(), 16), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(b.access(tlm::TLM_READ_COMMAND, 4, bytes.data(), 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.access(tlm::TLM_READ_COMMAND, page::kSize, bytes.data(), 8),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    // Offsets without a register read 0 and ignore writes.
    for (std::uint64_t offset = 0; offset < page::kSize; offset += 8) {
      if (csrOfOffset(offset) != Csr::kCount) continue;
      b.writeAt(offset, ~0ULL);
      EXPECT_EQ(b.readAt(offset), 0U) << offset;
    }
    EXPECT_EQ(b.readAt(page::kCapBase), 0x50484D47U);
  });
}

TEST(XphmgUnitErrors, ThePageFollowsTheRuleOfBlocks) {
  scenario([](UnitBench& b) {
    common::test::sweepBlock({csrTable(), 0x2000, 8, 8},
                             {[&](auto& payload) {
                                sc_core::sc_time delay;
                                b.host_isock->b_transport(payload, delay);
                              },
                              [&](auto& payload) { return b.host_isock->transport_dbg(payload); }},
                             [](const common::RegisterDescriptor&) { return true; });
  });
}

TEST(XphmgUnitErrors, DebugReadsHaveNoSideEffect) {
  scenario([](UnitBench& b) {
    b.write(Csr::RTBASE, 0x1122334455667788);
    tlm::tlm_generic_payload payload;
    std::array<std::uint8_t, 12> bytes{};
    payload.set_read();
    payload.set_address(descriptor(Csr::RTBASE).offset + 2U);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(5);
    EXPECT_EQ(b.host_isock->transport_dbg(payload), 5U);
    EXPECT_EQ(bytes[0], 0x66);
    EXPECT_EQ(bytes[4], 0x22);
    payload.set_address(page::kSize - 4);
    payload.set_data_length(8);
    EXPECT_EQ(b.host_isock->transport_dbg(payload), 0U);
    payload.set_write();
    payload.set_address(0);
    EXPECT_EQ(b.host_isock->transport_dbg(payload), 0U);
  });
}

TEST(XphmgUnitErrors, RT003_ControlResetsTheUnit) {
  scenario([](UnitBench& b) {
    RandomScene scene(2);
    b.useFp32();
    scene.load(b);
    b.write(Csr::IRQ_EN, 1);
    b.submit(RandomScene::kDesc);
    b.submit(0x80000004);
    sc_core::wait(sc_core::sc_time(20, sc_core::SC_US));
    b.write(Csr::CONTROL, 1);
    EXPECT_EQ(b.read(Csr::TICKET_LAST), 0U);
    EXPECT_EQ(b.read(Csr::TICKET_DONE), 0U);
    EXPECT_EQ(b.read(Csr::QUEUE), 16U);
    EXPECT_EQ(b.read(Csr::RTSTAT), 0U);
    EXPECT_EQ(b.read(Csr::IRQ_EN), 0U);
    EXPECT_EQ(b.read(Csr::PREC_STAT), cap::kStatReset);
    // The running job ended at an entry boundary: as many results as rays were taken.
    const std::uint32_t taken = b.queue(RandomScene::kRings).head;
    EXPECT_GT(taken, 0U);
    EXPECT_LT(taken, 400U);
    EXPECT_EQ(b.queue(RandomScene::kRings + 64).tail + b.queue(RandomScene::kRings + 128).tail,
              taken);
    JobScene good(Format::Fp16);
    b.load(good);
    EXPECT_EQ(b.submit(JobScene::kDesc), 1U) << "tickets start at 1";
    EXPECT_TRUE(b.await(1));
    EXPECT_EQ(b.queue(JobScene::kHitQueue).tail, 3U);
  });
}

TEST(XphmgUnitErrors, FaultInjectionMissesEverything) {
  UnitConfig config;
  config.features.triangleFault = true;
  scenario(
      [](UnitBench& b) {
        JobScene scene(Format::Fp16);
        b.load(scene);
        EXPECT_TRUE(b.runJob(JobScene::kDesc));
        EXPECT_EQ(b.queue(JobScene::kHitQueue).tail, 0U);
        EXPECT_EQ(b.queue(JobScene::kMissQueue).tail, 4U);
      },
      config);
}

TEST(XphmgUnitErrors, ConfigurationsOutOfRangeAreRefused) {
  inChild([] {
    UnitConfig config;
    config.queueDepth = 0;
    EXPECT_THROW(RtUnit("a", config), std::invalid_argument);
    config.queueDepth = 16;
    config.lmemKib = 7;
    EXPECT_THROW(RtUnit("b", config), std::invalid_argument);
    config.lmemKib = 0;
    config.period = sc_core::SC_ZERO_TIME;
    EXPECT_THROW(RtUnit("c", config), std::invalid_argument);
  });
}

}  // namespace
}  // namespace rtvp::xphmg
