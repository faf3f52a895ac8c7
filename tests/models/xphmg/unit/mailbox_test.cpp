// The mailbox by its registers; and with the hart, the RT unit and the platform's driver program
// behind it, where jobs fail.
#include "models/xphmg/mailbox.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "models/xphmg/hart_module.hpp"
#include "tests/models/common/register_rule.hpp"
#include "tests/models/xphmg/unit/unit_bench.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::xphmg {
namespace {

using mailbox::offsetOf;
using rtvp::test::inChild;
using test::JobScene;

constexpr std::uint64_t kMailbox = 0x200F0000;

/// A master with one mailbox, and where asked for the machine that answers it.
class Bench : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Bench, 32> bus_isock;
  common::Interconnect bus;
  Mailbox box;
  sc_core::sc_signal<bool> to_hart, to_host;

  Bench(sc_core::sc_module_name name, unsigned depth, std::function<void(Bench&)> program)
      : sc_module(name),
        bus_isock("bus_isock"),
        bus("bus"),
        box("box", {.depth = depth}),
        to_hart("to_hart"),
        to_host("to_host"),
        program_(std::move(program)) {
    bus_isock.bind(bus.bus_tsock);
    bus.attach(box.bus_tsock, "box", kMailbox, mailbox::kSize);
    box.hart_irq_o.bind(to_hart);
    box.host_irq_o.bind(to_host);
    SC_HAS_PROCESS(Bench);
    SC_THREAD(run);
  }
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address,
                                  std::uint8_t* data, unsigned size) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(size);
    payload.set_streaming_width(size);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    bus_isock->b_transport(payload, delay);
    wait(delay + sc_core::sc_time(1, sc_core::SC_NS));
    return payload.get_response_status();
  }
  std::uint64_t read(mailbox::Reg reg, unsigned size = 8) {
    std::array<std::uint8_t, 8> bytes{};
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, kMailbox + reg.offset(), bytes.data(), size),
              tlm::TLM_OK_RESPONSE);
    return loadU64(bytes.data());
  }
  void write(mailbox::Reg reg, std::uint64_t value, unsigned size = 8) {
    std::array<std::uint8_t, 8> bytes{};
    storeU64(bytes.data(), value);
    EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, kMailbox + reg.offset(), bytes.data(), size),
              tlm::TLM_OK_RESPONSE);
  }
  std::uint64_t figure(const std::string& name) const {
    common::StatGroup group;
    box.report(group);
    for (const common::Figure& f : group.figures()) {
      if (f.name == name) return std::get<std::uint64_t>(f.value);
    }
    ADD_FAILURE() << name;
    return 0;
  }

 private:
  void run() {
    program_(*this);
    sc_core::sc_stop();
  }
  std::function<void(Bench&)> program_;
};

void scenario(unsigned depth, const std::function<void(Bench&)>& program) {
  inChild([&] {
    bool ended = false;
    Bench bench("bench", depth, [&](Bench& b) {
      program(b);
      ended = true;
    });
    sc_core::sc_start();
    EXPECT_TRUE(ended);
  });
}

TEST(XphmgMailbox, PassesAddressesBothWaysInOrder) {
  scenario(4, [](Bench& b) {
    EXPECT_FALSE(b.to_hart.read());
    EXPECT_EQ(b.read("TAKE_LO"), 0U);
    b.write("POST_LO", 0x1'8000'0040);
    b.write("POST_LO", 0x2'0000'0000);
    EXPECT_TRUE(b.to_hart.read());
    EXPECT_FALSE(b.to_host.read());
    EXPECT_EQ(b.read("LEVEL", 4), 2U);
    EXPECT_EQ(b.read("TAKE_LO"), 0x1'8000'0040U);
    EXPECT_TRUE(b.to_hart.read());
    EXPECT_EQ(b.read("TAKE_LO", 4), 0U);
    EXPECT_EQ(b.read("TAKE_HI", 4), 2U);
    EXPECT_FALSE(b.to_hart.read());
    b.write("CODE", 2);
    b.write("DONE_LO", 0x1'8000'0040);
    b.write("CODE", 0, 4);
    b.write("DONE_LO", 0, 4);
    b.write("DONE_HI", 2, 4);
    EXPECT_TRUE(b.to_host.read());
    EXPECT_EQ(b.read("LEVEL", 4), 2U << 16U);
    EXPECT_EQ(b.read("COLLECT_LO"), 0x1'8000'0040U);
    EXPECT_EQ(b.read("COLLECT_CODE", 4), 2U);
    EXPECT_EQ(b.read("COLLECT_LO"), 0x2'0000'0000U);
    EXPECT_EQ(b.read("COLLECT_CODE", 4), 0U);
    EXPECT_FALSE(b.to_host.read());
    EXPECT_EQ(b.read("COLLECT_LO"), 0U);
    EXPECT_EQ(b.read("STATUS", 4), 4U << 16U);
    EXPECT_EQ(b.figure("posts"), 2U);
    EXPECT_EQ(b.figure("reports"), 2U);
    EXPECT_EQ(b.figure("failed"), 1U);
    EXPECT_EQ(b.figure("most"), 2U);
    EXPECT_EQ(b.figure("lost"), 0U);
  });
}

TEST(XphmgMailbox, WhatFindsNoPlaceIsDroppedAndSaid) {
  scenario(2, [](Bench& b) {
    for (std::uint64_t i = 1; i <= 3; ++i) b.write("POST_LO", i * 64);
    EXPECT_EQ(b.read("STATUS", 4), 2U << 16U | mailbox::kPostLost);
    EXPECT_EQ(b.read("LEVEL", 4), 2U);
    b.write("STATUS", mailbox::kPostLost, 4);
    EXPECT_EQ(b.read("STATUS", 4), 2U << 16U);
    for (std::uint64_t i = 1; i <= 3; ++i) b.write("DONE_LO", i * 64);
    EXPECT_EQ(b.read("STATUS", 4), 2U << 16U | mailbox::kReportLost);
    EXPECT_EQ(b.read("TAKE_LO"), 64U);
    EXPECT_EQ(b.read("TAKE_LO"), 128U);
    EXPECT_EQ(b.read("TAKE_LO"), 0U);
    EXPECT_EQ(b.read("COLLECT_LO"), 64U);
    b.write("POST_LO", 0);  // 0 means none
    EXPECT_FALSE(b.to_hart.read());
    EXPECT_EQ(b.read("STATUS", 4) & 3U, mailbox::kPostLost | mailbox::kReportLost);
    EXPECT_EQ(b.figure("lost"), 3U);
    b.write("CONTROL", 1, 4);
    EXPECT_FALSE(b.to_host.read());
    EXPECT_EQ(b.read("STATUS", 4), 2U << 16U);
    EXPECT_EQ(b.read("LEVEL", 4), 0U);
    EXPECT_EQ(b.read("COLLECT_LO"), 0U);
  });
}

TEST(XphmgMailbox, RandomTrafficAgreesWithTwoQueues) {
  scenario(7, [](Bench& b) {
    constexpr unsigned kSeed = 6;
    std::printf("seed %u\n", kSeed);
    std::uint32_t random = kSeed;
    std::deque<std::uint64_t> posts, reports;
    for (unsigned i = 1; i <= 4000; ++i) {
      random = random * 1664525U + 1013904223U;
      const std::uint64_t value = std::uint64_t{i} << 30U;
      auto& fifo = (random >> 29U & 1U) != 0 ? posts : reports;
      const bool post = &fifo == &posts;
      const mailbox::Reg in = post ? mailbox::Reg("POST_LO") : mailbox::Reg("DONE_LO");
      const mailbox::Reg out = post ? mailbox::Reg("TAKE_LO") : mailbox::Reg("COLLECT_LO");
      if ((random >> 30U & 1U) != 0) {
        b.write(in, value);
        if (fifo.size() < 7) fifo.push_back(value);
      } else {
        const std::uint64_t expected = fifo.empty() ? 0 : fifo.front();
        if (!fifo.empty()) fifo.pop_front();
        ASSERT_EQ(b.read(out), expected);
      }
      ASSERT_EQ(b.to_hart.read(), !posts.empty());
      ASSERT_EQ(b.to_host.read(), !reports.empty());
    }
  });
}

TEST(XphmgMailbox, RefusesOddAccessesWithoutEffect) {
  scenario(2, [](Bench& b) {
    std::array<std::uint8_t, 16> bytes{};
    b.write("POST_LO", 64);
    const auto read = [&](std::uint64_t offset, unsigned size) {
      return b.access(tlm::TLM_READ_COMMAND, kMailbox + offset, bytes.data(), size);
    };
    EXPECT_EQ(read(8, 1), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(read(8, 16), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(read(6, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(read(4, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(b.access(tlm::TLM_IGNORE_COMMAND, kMailbox + 8, bytes.data(), 8),
              tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(read(0x800, 8), tlm::TLM_OK_RESPONSE) << "a hole reads 0";
    EXPECT_EQ(loadU64(bytes.data()), 0U);
    EXPECT_EQ(b.access(tlm::TLM_WRITE_COMMAND, kMailbox + 0x800, bytes.data(), 8),
              tlm::TLM_OK_RESPONSE);
    tlm::tlm_generic_payload payload;  // debug transport takes nothing
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(kMailbox + offsetOf("LEVEL"));
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(4);
    EXPECT_EQ(b.bus_isock->transport_dbg(payload), 4U);
    EXPECT_EQ(loadU32(bytes.data()), 1U);
    payload.set_address(kMailbox + offsetOf("TAKE_LO"));
    EXPECT_EQ(b.bus_isock->transport_dbg(payload), 4U);
    EXPECT_EQ(b.read("TAKE_LO"), 64U);
    EXPECT_EQ(b.figure("register_errors"), 4U);
  });
}

TEST(XphmgMailbox, ItsRegistersFollowTheRuleOfBlocks) {
  scenario(2, [](Bench& b) {
    b.write("POST_LO", 64);
    common::test::sweepBlock(
        {mailbox::kRegisterTable, 0x1000, 4, 8},
        {[&](auto& payload) {
           sc_core::sc_time delay;
           b.bus_isock->b_transport(payload, delay);
         },
         [&](auto& payload) { return b.bus_isock->transport_dbg(payload); }, kMailbox, 0x1000},
        [](const common::RegisterDescriptor& reg) { return !reg.name.starts_with("TAKE"); });
    EXPECT_EQ(b.read("LEVEL", 4), 0U) << "a read of TAKE_LO has taken the post";
  });
}

TEST(XphmgMailbox, DepthIsBounded) {
  inChild([] {
    EXPECT_THROW(Mailbox("a", {.depth = 0}), std::invalid_argument);
    EXPECT_THROW(Mailbox("b", {.depth = 65536}), std::invalid_argument);
  });
}

// ---- the driver program behind it

class Silent : public rv64::Console {
 public:
  void write(std::span<const std::uint8_t> /*bytes*/, bool /*error_stream*/) override {}
  int read() override { return -1; }
};

std::vector<std::uint8_t> queueDriver() {
  std::ifstream in(RTVP_BINARY_DIR "/firmware/xphmg/queue_driver.elf", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Bench, and a machine that runs the driver program. Memory: the program, then `scene` moved by
/// kMove, parameters at kParameters.
struct Machine {
  static constexpr std::uint64_t kMemory = std::uint64_t{4} << 20U;
  static constexpr std::uint64_t kParameters = rv64::kRamBase + (std::uint64_t{1} << 20U);
  static constexpr std::uint64_t kMove = std::uint64_t{2} << 20U;

  Machine(const std::vector<std::uint8_t>& elf, std::function<void(Bench&, Machine&)> program)
      : bench("bench", 16, [this, program = std::move(program)](Bench& b) { program(b, *this); }),
        ram("ram", {.size = kMemory}),
        lds("lds", {.size = rv64::kLdsSize}),
        unit("unit", {}),
        hart("hart", {}, {ram.bytes(), lds.bytes()}, console, unit) {
    bench.bus.attach(ram.bus_tsock, "ram", rv64::kRamBase, kMemory);
    bench.bus.attach(lds.bus_tsock, "lds", rv64::kLdsBase, rv64::kLdsSize);
    bench.bus.attach(unit.host_tsock, "unit", rv64::kDeviceBase, page::kSize);
    unit.bus_isock.bind(bench.bus.bus_tsock);
    hart.bus_isock.bind(bench.bus.bus_tsock);
    hart.irq_i.bind(bench.to_hart);
    hart.load(rv64::readElf(elf));
  }
  std::uint8_t* at(std::uint64_t address) {
    return ram.bytes().data() + (address - rv64::kRamBase);
  }
  /// Puts the scene's bytes and a descriptor of it kMove further; returns the descriptor's address.
  std::uint64_t load(JobScene& scene) {
    RtDesc desc = scene.desc;
    for (std::uint64_t* field :
         {&desc.bvhBase, &desc.rayQueue, &desc.hitQueue, &desc.missQueue, &desc.triBuf})
      *field += kMove;
    for (const std::uint64_t header :
         {JobScene::kRayQueue, JobScene::kHitQueue, scene.desc.missQueue}) {
      Queue queue = decodeQueue(scene.at(header));
      queue.base += kMove;
      encodeQueue(queue, scene.at(header));
    }
    encodeDesc(desc, scene.at(JobScene::kDesc));
    const auto bytes = scene.memory.bytes();
    std::copy(bytes.begin(), bytes.end(), at(JobScene::kBase + kMove));
    return JobScene::kDesc + kMove;
  }
  /// Posts, and waits for the report: its code.
  std::uint64_t roundTrip(Bench& b, std::uint64_t address) {
    b.write("POST_LO", address);
    if (!b.to_host.read())
      sc_core::wait(sc_core::sc_time(10, sc_core::SC_MS), b.to_host.posedge_event());
    EXPECT_EQ(b.read("COLLECT_LO"), address);
    return b.read("COLLECT_CODE", 4);
  }
  std::uint64_t configure(Bench& b) {
    std::uint8_t* const block = at(kParameters);
    storeU64(block, cap::kModeFp32);
    storeU64(block + 8, 2);
    storeU64(block + 16, kRayEntryBytes);
    storeU64(block + 24, 1);
    return roundTrip(b, kParameters);
  }

  Silent console;
  Bench bench;
  common::Memory ram, lds;
  RtUnit unit;
  HartModule hart;
};

void withDriver(const std::function<void(Bench&, Machine&)>& program) {
  const std::vector<std::uint8_t> elf = queueDriver();
  if (elf.empty()) {
    FAIL() << "queue_driver.elf was not built (Debian package gcc-riscv64-unknown-elf)";
  }
  inChild([&] {
    bool ended = false;
    Machine machine(elf, [&](Bench& b, Machine& m) {
      program(b, m);
      ended = true;
    });
    sc_core::sc_start();
    EXPECT_TRUE(ended);
  });
}

TEST(XphmgQueueDriver, SetsUpTheUnitAndRunsJobs) {
  withDriver([](Bench& b, Machine& m) {
    EXPECT_EQ(m.configure(b), 0U);
    EXPECT_EQ(loadU64(m.at(Machine::kParameters) + 32) >> 28U,
              static_cast<std::uint64_t>(Format::Fp32));
    JobScene scene(Format::Fp32);
    const std::uint64_t desc = m.load(scene);
    EXPECT_EQ(m.roundTrip(b, desc), 0U);
    EXPECT_EQ(m.unit.totals().rays, 4U);
    EXPECT_EQ(decodeQueue(m.at(JobScene::kHitQueue + Machine::kMove)).tail, 3U);
    // The ring is empty now: a job without rays.
    EXPECT_EQ(m.roundTrip(b, desc), 0U);
    EXPECT_EQ(m.unit.totals().rays, 4U);
  });
}

TEST(XphmgQueueDriver, ReportsErrorsWithTheJobTheyBelongTo) {
  withDriver([](Bench& b, Machine& m) {
    EXPECT_EQ(m.configure(b), 0U);
    JobScene scene(Format::Fp32);
    const std::uint64_t good = m.load(scene);
    EXPECT_EQ(m.roundTrip(b, good + 4), 1U) << "misaligned: never submitted";
    EXPECT_EQ(m.roundTrip(b, 0x7000'0000), 1U) << "unreadable: LAST_EC 1";
    EXPECT_EQ(m.roundTrip(b, good), 0U) << "LAST_EC stays, ERR_TICKET is another's";
    storeU32(m.at(good + 40), 1U << 20U);  // opts: an unknown bit
    EXPECT_EQ(m.roundTrip(b, good), 2U) << "LAST_EC 2";
    EXPECT_EQ(b.figure("failed"), 3U);
    EXPECT_EQ(b.figure("lost"), 0U);
  });
}

TEST(XphmgQueueDriver, SleepsWithoutWork) {
  withDriver([](Bench& b, Machine& m) {
    EXPECT_EQ(m.configure(b), 0U);
    sc_core::wait(sc_core::sc_time(10, sc_core::SC_US));
    const std::uint64_t before = m.hart.hart().instructionsRetired();
    sc_core::wait(sc_core::sc_time(1, sc_core::SC_SEC));
    EXPECT_EQ(m.hart.hart().instructionsRetired(), before);
    JobScene scene(Format::Fp32);
    EXPECT_EQ(m.roundTrip(b, m.load(scene)), 0U);
    EXPECT_LT(m.hart.hart().instructionsRetired(), before + 1000);
  });
}

}  // namespace
}  // namespace rtvp::xphmg
