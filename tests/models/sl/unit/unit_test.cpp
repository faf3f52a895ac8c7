// The shading unit over its sockets: registers, program store, interrupt, time, what it refuses.
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <string>
#include <systemc>

#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "models/common/report_ids.hpp"
#include "models/sl/assembler.hpp"
#include "models/sl/unit/sl_unit.hpp"
#include "tests/models/common/register_rule.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::sl::unit {
namespace {

using sc_core::sc_time;

constexpr std::uint64_t kMemory = 0x1'0000'0000;
constexpr std::uint64_t kSlots = kMemory + 0x1000, kRequests = kMemory + 0x4000,
                        kResults = kMemory + 0x5000;

/// A host with the unit and its memory on one interconnect.
struct Bench : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Bench, 32> isock{"isock"};
  common::Interconnect interconnect{"interconnect"};
  common::Memory memory;
  SlUnit unit;
  sc_core::sc_signal<bool> irq{"irq"};
  std::function<void(Bench&)> body;

  Bench(sc_core::sc_module_name name, const SlUnitConfig& config, std::function<void(Bench&)> run)
      : sc_module(name),
        memory("memory", memoryConfig()),
        unit("sl", config),
        body(std::move(run)) {
    isock.bind(interconnect.bus_tsock);
    interconnect.attach(unit.host_tsock, "sl", 0, kSize);
    interconnect.attach(memory.bus_tsock, "memory", kMemory, memory.config().size);
    unit.memory_isock.bind(interconnect.bus_tsock);
    unit.irq_o.bind(irq);
    SC_HAS_PROCESS(Bench);
    SC_THREAD(thread);
  }
  static common::MemoryConfig memoryConfig() {
    common::MemoryConfig config;
    config.size = 1U << 20U;
    config.read_latency = config.write_latency = sc_time(60, sc_core::SC_NS);
    return config;
  }
  void thread() {
    body(*this);
    sc_core::sc_stop();
  }

  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address,
                                  std::vector<std::uint32_t>& words, unsigned bytes = 0) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(words.data()));
    const auto length = bytes != 0 ? bytes : static_cast<unsigned>(4 * words.size());
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    sc_time delay;
    isock->b_transport(payload, delay);
    wait(delay);
    return payload.get_response_status();
  }
  void write(std::uint64_t address, std::vector<std::uint32_t> words) {
    EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, address, words), tlm::TLM_OK_RESPONSE) << address;
  }
  std::vector<std::uint32_t> read(std::uint64_t address, std::size_t count) {
    std::vector<std::uint32_t> words(count);
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, address, words), tlm::TLM_OK_RESPONSE) << address;
    return words;
  }
  void set(Reg reg, std::uint32_t value) { write(reg.offset(), {value}); }
  std::uint32_t get(Reg reg) { return read(reg.offset(), 1)[0]; }

  void addresses() {
    set("SURFACES_HIGH", kMemory >> 32U);
    set("SLOTS_LOW", static_cast<std::uint32_t>(kSlots));
    set("SLOTS_HIGH", kMemory >> 32U);
    set("REQUESTS_LOW", static_cast<std::uint32_t>(kRequests));
    set("REQUESTS_HIGH", kMemory >> 32U);
    set("RESULTS_LOW", static_cast<std::uint32_t>(kResults));
    set("RESULTS_HIGH", kMemory >> 32U);
    set("SURFACES", 1);
    set("ENTRIES", 16);
  }
  /// One surface with `lines` as its program, slot 0 all zero, one request for it.
  void prepare(const std::string& lines) {
    const AssemblyResult source = assemble("test.sl", "sl 1.0\n" + lines);
    ASSERT_TRUE(source.program) << source.report();
    std::vector<std::uint32_t> store;
    for (const std::uint64_t w : source.program->words()) {
      store.push_back(static_cast<std::uint32_t>(w));
      store.push_back(static_cast<std::uint32_t>(w >> 32U));
    }
    write(kProgramStore, store);
    addresses();
    write(kMemory + 4 * surface::kProgramCount, {source.program->size()});
  }
  bool waitInterrupt() {
    if (!irq.read()) wait(sc_time(1, sc_core::SC_MS), irq.posedge_event());
    return irq.read();
  }
};

void simulate(const std::function<void(Bench&)>& body, const SlUnitConfig& config = {}) {
  rtvp::test::inChild([&] {
    Bench bench("bench", config, body);
    sc_core::sc_start();
  });
}

TEST(SlUnit, EveryRegisterResetsAndObeysItsAccessRules) {
  simulate([](Bench& b) {
    for (const common::RegisterDescriptor& reg : kRegisterTable) {
      const std::uint32_t before = b.read(reg.offset, 1)[0];
      if (reg.name != "PIPELINES" && reg.name != "PROGRAM_WORDS") {
        EXPECT_EQ(before, reg.reset) << reg.name;
      }
      if (reg.side_effects) continue;
      for (const std::uint32_t bits : {0xFFFFFFFFU, 0x5A5A5A5AU, 0U}) {
        b.write(reg.offset, {bits});
        const std::uint32_t kept = reg.mask(common::Access::Rw);
        EXPECT_EQ(b.read(reg.offset, 1)[0], (before & ~kept) | (bits & kept)) << reg.name;
      }
    }
    EXPECT_EQ(b.get("ID"), kIdValue);
    EXPECT_EQ(b.get("PIPELINES"), 4U);
    EXPECT_EQ(b.get("PROGRAM_WORDS"), 4096U);
  });
}

TEST(SlUnit, ItsRegistersFollowTheRuleOfBlocks) {
  simulate([](Bench& b) {
    common::test::sweepBlock({kRegisterTable, 0x5C},
                             {[&](auto& payload) {
                                sc_time delay;
                                b.isock->b_transport(payload, delay);
                              },
                              [&](auto& payload) { return b.isock->transport_dbg(payload); }},
                             [](const common::RegisterDescriptor&) { return true; });
  });
}

TEST(SlUnit, RunsARequestAndInterrupts) {
  simulate([](Bench& b) {
    b.prepare("li s0, 2.5\nlc y v0, s0\n");
    b.set("ENABLE", 1);
    EXPECT_FALSE(b.irq.read());
    const sc_time begin = sc_core::sc_time_stamp();
    b.set("REQUEST_TAIL", 1);
    EXPECT_EQ(b.get("STATUS") & 1U, 1U);
    ASSERT_TRUE(b.waitInterrupt());
    // Three reads and one write of 60 ns, 81 words and 2 instructions of 10 ns, the doorbell.
    const std::uint64_t words = request::kWords + slot::kVectors + surface::kWords + result::kWords;
    EXPECT_NEAR((sc_core::sc_time_stamp() - begin) / sc_time(1, sc_core::SC_NS),
                4 * 60.0 + static_cast<double>(words + 2) * 10, 40);
    EXPECT_EQ(b.get("STATUS"), 0U);
    EXPECT_EQ(b.get("REQUEST_HEAD"), 1U);
    EXPECT_EQ(b.get("RESULT_TAIL"), 1U);
    EXPECT_EQ(b.get("RUNS"), 1U);
    const std::vector<std::uint32_t> result = b.read(kResults, result::kWords);
    EXPECT_EQ(result[result::kKind], result::kDone);
    EXPECT_EQ(result[result::kVector + 1], 0x40200000U);
    // Writing 1 clears the interrupt; a disabled one does not drive the line.
    b.set("INTERRUPT", 1);
    sc_core::wait(sc_core::SC_ZERO_TIME);
    EXPECT_FALSE(b.irq.read());
    b.set("ENABLE", 0);
    b.write(kRequests + 16, {0, request::kStart, 0, 0});
    b.set("REQUEST_TAIL", 2);
    EXPECT_FALSE(b.waitInterrupt());
    EXPECT_EQ(b.get("INTERRUPT"), 1U);
    EXPECT_EQ(b.get("RESULT_TAIL"), 2U);
    b.set("ENABLE", 1);
    EXPECT_TRUE(b.waitInterrupt());
    b.set("CONTROL", 1);
    sc_core::wait(sc_core::SC_ZERO_TIME);
    EXPECT_FALSE(b.irq.read());
    EXPECT_EQ(b.get("REQUEST_TAIL"), 0U);
    EXPECT_EQ(b.get("REQUEST_HEAD"), 0U);
  });
}

TEST(SlUnit, TheProgramStoreTakesWholeInstructions) {
  simulate([](Bench& b) {
    b.write(kProgramStore + 8, {1, 2, 3, 4});
    EXPECT_EQ(b.read(kProgramStore, 6), (std::vector<std::uint32_t>{0, 0, 1, 2, 3, 4}));
    std::vector<std::uint32_t> words(2);
    const auto status = [&](std::uint64_t address, unsigned bytes) {
      return b.access(tlm::TLM_WRITE_COMMAND, address, words, bytes);
    };
    EXPECT_EQ(status(kProgramStore + 4, 8), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status(kProgramStore, 4), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status(kProgramStore + 8 * 4096, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(status(kRegisterBlockEnd, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(status(kRegisterBlockEnd - 4, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(status(kSize - 4, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

TEST(SlUnit, ABusyUnitKeepsItsProgramStore) {
  simulate([](Bench& b) {
    b.prepare("jmp -1\n");
    b.set("ENABLE", 1);
    b.set("REQUEST_TAIL", 1);
    sc_core::wait(sc_time(10, sc_core::SC_US));
    std::vector<std::uint32_t> words(2);
    EXPECT_EQ(b.access(tlm::TLM_WRITE_COMMAND, kProgramStore, words),
              tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(b.get("STATUS"), 1U);
    ASSERT_TRUE(b.waitInterrupt());
    EXPECT_EQ(b.get("OVER_BUDGET"), 1U);
    EXPECT_GE(sc_core::sc_time_stamp(), sc_time(655.36, sc_core::SC_US));
    EXPECT_EQ(b.access(tlm::TLM_WRITE_COMMAND, kProgramStore, words), tlm::TLM_OK_RESPONSE);
  });
}

TEST(SlUnit, AFaultIsReportedOnceAndShownInItsRegister) {
  SlUnitConfig quiet;
  quiet.report_faults = false;
  simulate(
      [](Bench& b) {
        b.prepare("nop\n");
        b.set("SURFACES", 0);
        b.set("ENABLE", 1);
        b.write(kRequests, {5, request::kStart});
        b.set("REQUEST_TAIL", 1);
        ASSERT_TRUE(b.waitInterrupt());
        EXPECT_EQ(b.get("STATUS"), 2U);
        EXPECT_EQ(b.get("FAULT"), 5U << 8U | 1U);
        EXPECT_EQ(b.read(kResults, 2), (std::vector<std::uint32_t>{5, result::kFault}));
      },
      quiet);
  rtvp::test::inChild([] {
    Bench bench("bench", {}, [](Bench& b) {
      b.prepare("nop\n");
      b.set("SURFACES", 0);
      b.set("REQUEST_TAIL", 1);
      sc_core::wait(sc_time(1, sc_core::SC_MS));
      ADD_FAILURE() << "no report";
    });
    try {
      sc_core::sc_start();
      ADD_FAILURE() << "no exception";
    } catch (const sc_core::sc_report& report) {
      EXPECT_STREQ(report.get_msg_type(), report_ids::kSlFault);
    }
  });
}

TEST(SlUnit, StatisticsAddUp) {
  simulate([](Bench& b) {
    b.prepare("pow s0, s1, s2\nlookup v0, t0, uv\n");
    for (std::uint32_t n = 0; n < 16; ++n) {
      b.write(kRequests + 16 * n, {n % 8, request::kStart, 0, 0});
    }
    b.set("ENABLE", 1);
    b.set("REQUEST_TAIL", 16);
    ASSERT_TRUE(b.waitInterrupt());
    sc_core::wait(sc_time(5, sc_core::SC_US));
    b.unit.finish();
    common::StatGroup stats("sl", "");
    b.unit.report(stats);
    ASSERT_EQ(stats.groups().size(), 4U);
    for (const common::StatGroup& pipeline : stats.groups()) {
      std::uint64_t sum = 0;
      std::uint64_t cycles = 0;
      for (const common::Figure& f : pipeline.figures()) {
        if (f.name == "cycles") cycles = std::get<std::uint64_t>(f.value);
        if (f.name.starts_with("cycles_")) sum += std::get<std::uint64_t>(f.value);
      }
      EXPECT_EQ(sum, cycles);
      EXPECT_EQ(cycles, sc_core::sc_time_stamp() / sc_time(10, sc_core::SC_NS));
    }
  });
}

std::string textOf(const common::StatGroup& group) {
  std::string text = group.name() + "\n";
  for (const common::Figure& f : group.figures())
    if (const auto* const count = std::get_if<std::uint64_t>(&f.value))
      text += "  " + f.name + " " + std::to_string(*count) + "\n";
  for (const common::StatGroup& sub : group.groups()) text += textOf(sub);
  return text;
}

// Also after a grant has ended in the middle of things.
TEST(SlUnit, DirectMemoryAccessChangesNoWordTimeOrStatistic) {
  rtvp::test::inChild([&] {
    const auto body = [](Bench& b) {
      b.prepare("lc x v0, s1\ntrace v0, N, V\nadd v0, v0, uv\n");
      for (std::uint32_t slot = 0; slot < 12; ++slot) {
        std::vector<std::uint32_t> words(slot::kRequestWords);
        words[slot::kFlags] = slot % 3 == 0 ? slot::kTraceLive : 0;
        for (std::uint32_t n = slot::kVectors; n < slot::kAxes; ++n)
          words[n] = std::bit_cast<std::uint32_t>(static_cast<float>(n + slot));
        b.write(kSlots + 4 * slot::kWords * slot, words);
        b.write(kRequests + 16 * slot, {slot, request::kStart, 0, 0});
      }
      b.set("ENABLE", 1);
      b.set("REQUEST_TAIL", 12);
      ASSERT_TRUE(b.waitInterrupt());
      b.set("INTERRUPT", 1);
      b.memory.bus_tsock[0]->invalidate_direct_mem_ptr(0, 0);
      sc_core::wait(sc_core::SC_ZERO_TIME);
      b.write(kRequests + 16 * 12, {0, request::kResume, 0, 0});
      b.set("REQUEST_TAIL", 13);
      ASSERT_TRUE(b.waitInterrupt());
      sc_core::wait(sc_time(1, sc_core::SC_MS) - sc_core::sc_time_stamp());
    };
    SlUnitConfig by_calls;
    by_calls.dmi = false;
    Bench fast("fast", {}, body), slow("slow", by_calls, body);
    sc_core::sc_start();
    EXPECT_GT(fast.unit.dmiAccesses(), 40U);
    EXPECT_EQ(slow.unit.dmiAccesses(), 0U);
    const auto told = [](Bench& b) {
      common::StatGroup stats("bench", "");
      b.unit.finish();
      b.unit.report(stats.group("sl", ""));
      b.interconnect.report(stats.group("interconnect", ""));
      b.memory.report(stats.group("memory", ""));
      return textOf(stats);
    };
    EXPECT_EQ(told(fast), told(slow));
    EXPECT_NE(told(fast).find("traces 4"), std::string::npos) << told(fast);
    const auto a = fast.memory.bytes(), b = slow.memory.bytes();
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin()));
  });
}

TEST(SlUnit, ARefusedAccessIsAnErrorAndNothingElseIs) {
  simulate([](Bench& b) {
    const auto counted = [&](const char* name) {
      common::StatGroup stats("sl", "");
      b.unit.report(stats);
      for (const common::Figure& f : stats.figures()) {
        if (f.name == name) return std::get<std::uint64_t>(f.value);
      }
      ADD_FAILURE() << name;
      return std::uint64_t{0};
    };
    EXPECT_EQ(counted("transactions"), 0U);
    EXPECT_EQ(counted("errors"), 0U);
    b.set("ENABLE", 1);
    EXPECT_EQ(counted("transactions"), 1U);
    EXPECT_EQ(counted("errors"), 0U);
    std::vector<std::uint32_t> half(1);  // of an instruction
    EXPECT_NE(b.access(tlm::TLM_WRITE_COMMAND, kProgramStore, half), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(counted("transactions"), 2U);
    EXPECT_EQ(counted("errors"), 1U);
  });
}

TEST(SlUnit, TheRegisterPageNamesEveryRegister) {
  const std::string page = common::registerMarkdown("SL shading unit", kRegisterTable);
  for (const common::RegisterDescriptor& reg : kRegisterTable) {
    EXPECT_NE(page.find(reg.name), std::string::npos) << reg.name;
  }
}

}  // namespace
}  // namespace rtvp::sl::unit
