// c32::Module against the bare core: the same program gives the same accesses at the same times,
// whatever the quantum and the way to memory; pins, reset, serial port and faults on the bus.
#include "models/c32/unit/module.hpp"

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <array>
#include <cstring>
#include <map>

#include "models/c32/asm/assembler.hpp"
#include "models/common/report_ids.hpp"
#include "tests/models/c32/cpu_test_support.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::c32 {
namespace {

using sc_core::sc_time;
using test::inChild;

/// Words behind the external bus; remembers accesses with their times. 4000h up is slow to grant.
struct Outside : sc_core::sc_module {
  struct Access {
    bool write;
    std::uint32_t address, data;
    Cycle cycle;
    friend bool operator==(const Access&, const Access&) = default;
    friend void PrintTo(const Access& a, std::ostream* out) {
      *out << (a.write ? "write " : "read ") << std::hex << a.address << "=" << a.data << std::dec
           << " at " << a.cycle;
    }
  };
  tlm_utils::multi_passthrough_target_socket<Outside, 32> tsock{"tsock"};
  std::vector<std::uint32_t> words = std::vector<std::uint32_t>(0x8000);
  std::vector<Access> log;
  sc_time latency, grantAfter;
  bool dmi = false;

  explicit Outside(sc_core::sc_module_name name) : sc_module(name) {
    tsock.register_b_transport(this, &Outside::transport);
    tsock.register_transport_dbg(this, &Outside::debug);
    tsock.register_get_direct_mem_ptr(this, &Outside::pointer);
  }
  bool move(tlm::tlm_generic_payload& payload) {
    const std::uint64_t end = payload.get_address() + payload.get_data_length();
    if (end > words.size() * 4) return false;
    auto* const at = reinterpret_cast<unsigned char*>(words.data()) + payload.get_address();
    unsigned char* const data = payload.get_data_ptr();
    const unsigned char* const enables = payload.get_byte_enable_ptr();
    for (unsigned i = 0; i < payload.get_data_length(); ++i) {
      if (enables != nullptr && enables[i % payload.get_byte_enable_length()] == 0) continue;
      (payload.is_write() ? at[i] : data[i]) = payload.is_write() ? data[i] : at[i];
    }
    return true;
  }
  void transport(int, tlm::tlm_generic_payload& payload, sc_time& delay) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (!move(payload)) return;
    const auto address = static_cast<std::uint32_t>(payload.get_address() / 4);
    const common::HertzClock clock(30'000'000);
    log.push_back({payload.is_write(), address, words[address],
                   clock.cycleAt(sc_core::sc_time_stamp() + delay)});
    if (address >= 0x4000) {
      wait(delay + grantAfter);
      delay = sc_core::SC_ZERO_TIME;
    }
    delay += latency;
    payload.set_dmi_allowed(dmi);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned debug(int, tlm::tlm_generic_payload& payload) {
    return move(payload) ? payload.get_data_length() : 0;
  }
  bool pointer(int, tlm::tlm_generic_payload&, tlm::tlm_dmi& grant) {
    if (!dmi) return false;
    grant.init();
    grant.set_dmi_ptr(reinterpret_cast<unsigned char*>(words.data()));
    grant.set_start_address(0);
    grant.set_end_address(0xFFFF);  // below what is slow to grant
    grant.set_granted_access(tlm::tlm_dmi::DMI_ACCESS_READ_WRITE);
    grant.set_read_latency(latency);
    grant.set_write_latency(latency);
    return true;
  }
};

Image assembled(const std::string& source) {
  AssemblerOptions options;
  options.warnings.dataPage = false;
  const AssemblyResult result = assemble("test.asm", source, options);
  EXPECT_TRUE(result.image) << result.report();
  return result.image.value_or(Image{});
}

// Timer 0 wakes it five times; each time it notes the count outside. Zero wait states of the
// processor's own; the memory says how many it wants.
const char* const kTimer = R"(
        .text
        .org    100h
main:   LDI     @stack,SP
        LDI     @control,AR0
        LDI     @plain,R0
        STI     R0,*+AR0(4)             ; STRB0: no internal wait states
        LDI     @vectors,R0
        LSH     8,R0
        LDI     R0,IF
        LDI     @timer,AR1
        LDI     50,R0
        STI     R0,*+AR1(8)
        LDI     2C1h,R0
        STI     R0,*AR1
        LDI     100h,IE
        LDI     @out,AR2
        LDI     0,R5
sleep:  IDLE
        CMPI    5,R5
        BLT     sleep
        ANDN    2000h,ST
        LDI     *+AR2(1),R3             ; what it wrote
        STI     R3,*+AR2(9)
stop:   B       stop
tick:   ADDI    1,R5
        STI     R5,*AR2++
        RETI
stack:  .word   87FFF0h
control: .word  808060h
plain:  .word   0F0000h
timer:  .word   808020h
out:    .word   2000h
vectors: .word  200h
        .org    209h                    ; 200h + 9
        .word   tick
)";

/// The bare core with the same program, the same wait states, for as long.
std::vector<Outside::Access> bare(const Image& image, std::uint32_t waits, Cycle cycles) {
  struct Port : testing::FakeBoard {
    std::vector<Outside::Access> accesses;
    BusReply busAccess(const BusRequest& request) override {
      const BusReply reply = FakeBoard::busAccess(request);
      accesses.push_back({request.op == BusOp::Write, request.address,
                          request.op == BusOp::Write ? request.data : reply.data, reply.start});
      return reply;
    }
  } port;
  port.externalWait = waits;
  Cpu cpu({}, port);
  cpu.reset(0);
  for (const Section& section : image.sections) {
    for (std::uint32_t i = 0; i < section.words.size(); ++i) {
      port.memory[section.loadAddress + i] = section.words[i];
    }
  }
  cpu.setPc(image.entry);
  cpu.run(cycles);
  return port.accesses;
}

struct Case {
  Cycle quantum;
  bool dmi;
  unsigned waits;
};

class Timer : public ::testing::TestWithParam<Case> {};

TEST_P(Timer, MakesTheAccessesOfTheBareCore) {
  inChild([] {
    const Case& c = GetParam();
    ModuleConfig config;
    config.quantum = c.quantum;
    config.dmi = c.dmi;
    Module dsp("dsp", config);
    Outside outside("outside");
    outside.dmi = c.dmi;
    outside.latency = dsp.clock().timeOf(c.waits);
    dsp.bus_isock.bind(outside.tsock);
    const Image image = assembled(kTimer);
    dsp.load(image);
    constexpr Cycle kCycles = 3000;
    sc_core::sc_start(dsp.clock().timeOf(kCycles));
    EXPECT_EQ(outside.words[0x2004], 5U);
    EXPECT_EQ(outside.words[0x2000 + 5 + 9], outside.words[0x2000 + 5 + 1]);
    EXPECT_EQ(dsp.cpu().statistics().interruptsTaken, 5U);
    if (c.dmi) {
      EXPECT_GT(dsp.master().dmiAccesses(), 100U);
      return;
    }
    std::vector<Outside::Access> expected = bare(image, c.waits, kCycles - 100);
    ASSERT_GT(expected.size(), 50U);
    ASSERT_GE(outside.log.size(), expected.size());
    outside.log.resize(expected.size());
    EXPECT_EQ(outside.log, expected);
  });
}
INSTANTIATE_TEST_SUITE_P(Module, Timer,
                         ::testing::Values(Case{1, false, 0}, Case{1000, false, 0},
                                           Case{7, false, 3}, Case{1000, false, 3},
                                           Case{1000, true, 3}),
                         [](const auto& tested) {
                           return "q" + std::to_string(tested.param.quantum) +
                                  (tested.param.dmi ? "dmi" : "") + "w" +
                                  std::to_string(tested.param.waits);
                         });

// An interrupt from outside wakes IDLE; what the routine does starts when the bare core's would.
const char* const kInterrupt = R"(
        .text
        .org    100h
main:   LDI     @stack,SP
        LDI     @vectors,R0
        LSH     8,R0
        LDI     R0,IF
        LDI     4,IE                    ; INT2
        LDI     @out,AR2
sleep:  IDLE
        B       sleep
serve:  STI     R5,*AR2
        ADDI    1,R5
        RETI
stack:  .word   87FFF0h
out:    .word   2000h
vectors: .word  200h
        .org    203h
        .word   serve
)";

TEST(Module, IsWokenByAnInterruptPin) {
  inChild([] {
    Module dsp("dsp", {});
    Outside outside("outside");
    sc_core::sc_signal<bool> pin("pin");
    dsp.bus_isock.bind(outside.tsock);
    dsp.int_i[2].bind(pin);
    const Image image = assembled(kInterrupt);
    dsp.load(image);
    sc_core::sc_start(dsp.clock().timeOf(2000));
    outside.log.clear();
    pin.write(true);
    sc_core::sc_start(dsp.clock().timeOf(4));
    pin.write(false);
    sc_core::sc_start(dsp.clock().timeOf(2000));

    testing::FakeBoard port;
    Cpu cpu({}, port);
    cpu.reset(0);
    for (const Section& section : image.sections) {
      for (std::uint32_t i = 0; i < section.words.size(); ++i) {
        port.memory[section.loadAddress + i] = section.words[i];
      }
    }
    cpu.setPc(image.entry);
    cpu.run(2000);
    port.log.clear();
    cpu.setInterruptLine(2, true, 2000);
    cpu.setInterruptLine(2, false, 2004);
    cpu.run(4000);
    ASSERT_FALSE(outside.log.empty());
    ASSERT_EQ(outside.log.size(), port.log.size());
    for (std::size_t i = 0; i < port.log.size(); ++i) {
      EXPECT_EQ(outside.log[i].address, port.log[i].address);
      EXPECT_EQ(outside.log[i].cycle, port.log[i].cycle) << i;
    }
    EXPECT_EQ(outside.words[0x2000], port.memory[0x2000]);
    EXPECT_EQ(dsp.cpu().registerValue(reg::R0 + 5), cpu.registerValue(reg::R0 + 5));
    EXPECT_GE(cpu.registerValue(reg::R0 + 5), 1U) << "it was served";
  });
}

// One drives XF0 low for a while, the other polls it and notes how often it saw what.
TEST(Module, XfPinsAreExactInTime) {
  inChild([] {
    Module a("a", {}), b("b", {});
    Outside outsideA("outside_a"), outsideB("outside_b");
    sc_core::sc_signal<bool, sc_core::SC_MANY_WRITERS> wire("wire", true);
    a.bus_isock.bind(outsideA.tsock);
    b.bus_isock.bind(outsideB.tsock);
    a.xf_o[0].bind(wire);
    b.xf_i[0].bind(wire);
    a.load(assembled(R"(
        .text
        .org    100h
main:   RPTS    99
        NOP
        LDI     2,IOF                   ; XF0 output, low
        RPTS    199
        NOP
        LDI     6,IOF                   ; high
stop:   B       stop
)"));
    b.load(assembled(R"(
        .text
        .org    100h
main:   LDI     @out,AR0
wait:   TSTB    8,IOF                   ; INXF0
        BNZ     wait
        STI     R0,*AR0
low:    TSTB    8,IOF
        BZ      low
        STI     R0,*+AR0(1)
stop:   B       stop
out:    .word   2000h
)"));
    std::vector<sc_time> edges;
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.dont_initialize();
    options.set_sensitivity(&wire.value_changed_event());
    sc_core::sc_spawn([&] { edges.push_back(sc_core::sc_time_stamp()); }, "edges", &options);
    sc_core::sc_start(a.clock().timeOf(5000));
    ASSERT_EQ(edges.size(), 2U);
    std::vector<Cycle> writes;
    for (const auto& access : outsideB.log) {
      if (access.write) writes.push_back(access.cycle);
    }
    ASSERT_EQ(writes.size(), 2U);
    // The poll's loop with reset's seven internal wait states takes 70 cycles at most.
    for (std::size_t i = 0; i < 2; ++i) {
      const Cycle edge = a.clock().cycleAt(edges[i]);
      EXPECT_GT(writes[i], edge);
      EXPECT_LT(writes[i], edge + 100);
    }
  });
}

TEST(Module, ResetStartsTheProgramAgain) {
  inChild([] {
    Module dsp("dsp", {});
    Outside outside("outside");
    sc_core::sc_signal<bool> reset("reset", true);
    dsp.bus_isock.bind(outside.tsock);
    dsp.reset_i.bind(reset);
    dsp.load(assembled(R"(
        .text
        .org    100h
main:   LDI     @out,AR0
        LDI     *AR0,R0
        ADDI    1,R0
        STI     R0,*AR0
sleep:  IDLE
        B       sleep
out:    .word   2000h
)"));
    const auto run = [&] { sc_core::sc_start(dsp.clock().timeOf(1000)); };
    run();
    EXPECT_EQ(outside.words[0x2000], 0U) << "held in reset";
    for (std::uint32_t passes = 1; passes <= 3; ++passes) {
      reset.write(false);
      run();
      EXPECT_EQ(outside.words[0x2000], passes);
      reset.write(true);
      run();
    }
  });
}

TEST(Module, WithoutAProgramItFetchesItsResetVector) {
  inChild([] {
    Module dsp("dsp", {});
    Outside outside("outside");
    dsp.bus_isock.bind(outside.tsock);
    for (const Section& section :
         assembled("        .text\n        .org 100h\nmain:   LDI 77,R1\nstop:   B stop\n")
             .sections) {
      std::copy(section.words.begin(), section.words.end(),
                outside.words.begin() + section.loadAddress);
    }
    outside.words[0] = 0x100;
    sc_core::sc_start(dsp.clock().timeOf(500));
    ASSERT_FALSE(outside.log.empty());
    EXPECT_EQ(outside.log.front().address, 0U);
    EXPECT_EQ(dsp.cpu().registerValue(reg::R0 + 1), 77U);
  });
}

TEST(Module, ATargetThatWaitsHoldsTheAccess) {
  inChild([] {
    Module dsp("dsp", {});
    Outside outside("outside");
    outside.grantAfter = sc_time(5, sc_core::SC_US);  // 150 cycles
    dsp.bus_isock.bind(outside.tsock);
    dsp.load(assembled(R"(
        .text
        .org    100h
main:   LDI     @out,AR0
        LDI     *AR0,R0
        STI     R0,*+AR0(1)
sleep:  IDLE
        B       sleep
out:    .word   4000h
)"));
    sc_core::sc_start(dsp.clock().timeOf(2000));
    EXPECT_EQ(dsp.cpu().statistics().held, 300U) << "two accesses of 150";
    ASSERT_FALSE(dsp.cpu().idle() == false);
  });
}

TEST(Module, BytesOfNarrowDataGoByByteEnables) {
  inChild([] {
    Module dsp("dsp", {});
    Outside outside("outside");
    dsp.bus_isock.bind(outside.tsock);
    outside.words[0x2000] = 0xAABBCCDD;
    // STRB0: 8-bit data in 32-bit memory; the program is 32 bits wide all the same, from the RAM.
    dsp.load(assembled(R"(
        .text
        .org    87FE00h
main:   LDP     @control
        LDI     @control,AR0
        LDI     @bytes,R0
        STI     R0,*+AR0(4)
        LDI     @out,AR1
        LDI     11h,R0
        STI     R0,*+AR1(1)
        LDI     22h,R0
        STI     R0,*+AR1(2)
stop:   B       stop
control: .word  808060h
bytes:  .word   0C0000h
out:    .word   8000h                   ; byte 8000h is in word 2000h
)"));
    sc_core::sc_start(dsp.clock().timeOf(1000));
    EXPECT_EQ(outside.words[0x2000], 0xAA2211DDU);
  });
}

TEST(Module, ABusErrorIsAReportAndStopsTheProcessor) {
  inChild([] {
    Module dsp("dsp", {});
    Outside outside("outside");
    dsp.bus_isock.bind(outside.tsock);
    dsp.load(assembled("        .text\n        .org 100h\nmain:   B 8000h\n"));
    bool told = false;
    try {
      sc_core::sc_start(dsp.clock().timeOf(1000));
    } catch (const sc_core::sc_report& report) {
      told = std::strcmp(report.get_msg_type(), report_ids::kC32Fault) == 0;
      EXPECT_NE(std::string(report.get_msg()).find("dsp: "), std::string::npos);
      EXPECT_NE(std::string(report.get_msg()).find("8000"), std::string::npos) << report.get_msg();
    }
    EXPECT_TRUE(told);
    EXPECT_EQ(dsp.cpu().fault().kind, Fault::Kind::BusError);
  });
}

TEST(Module, AProgramThatNothingTakesIsAReport) {
  inChild([] {
    Module dsp("dsp", {});
    Outside outside("outside");
    dsp.bus_isock.bind(outside.tsock);
    dsp.load(assembled("        .text\n        .org 9000h\nmain:   B main\n"));
    EXPECT_THROW(sc_core::sc_start(sc_core::SC_ZERO_TIME), sc_core::sc_report);
  });
}

TEST(Module, SerialPortsTalk) {
  inChild([] {
    Module a("a", {}), b("b", {});
    Outside outsideA("outside_a"), outsideB("outside_b");
    a.bus_isock.bind(outsideA.tsock);
    b.bus_isock.bind(outsideB.tsock);
    a.serial_o.bind(b.serial_i);
    // A frame sync for each word, 32 bits, external clock.
    constexpr std::uint32_t kGlobal =
        serial::kXRESET | serial::kRRESET | 1U << 2 | 3U << 18 | 3U << 20;  // FSX is an output
    const auto program = [](const std::string& body) {
      char global[16];
      std::snprintf(global, sizeof global, "0%Xh", kGlobal);
      return assembled(std::string(R"(
        .text
        .org    100h
main:   LDI     @port,AR0
        LDI     @pins,R0
        STI     R0,*+AR0(2)
        STI     R0,*+AR0(3)
        LDI     @global,R0
        STI     R0,*AR0
        BR      go
port:   .word   808040h
pins:   .word   111h                    ; CLK, D, FS are the port's
out:    .word   2000h
word:   .word   12345678h
global: .word   )") + global +
                       "\n" + body);
    };
    a.load(program("go:     LDI @word,R0\n        STI R0,*+AR0(8)\nstop:   BR stop\n"));
    b.load(
        program("go:     LDI *AR0,R1\n        TSTB 1,R1\n        BZ go\n"
                "        LDI *+AR0(12),R0\n        LDI @out,AR1\n        STI R0,*AR1\n"
                "stop:   BR stop\n"));
    sc_core::sc_start(a.clock().timeOf(10'000));
    EXPECT_EQ(outsideB.words[0x2000], 0x12345678U);
  });
}

TEST(Module, RefusesAConfigurationThatCannotRun) {
  inChild([] {
    ModuleConfig config;
    config.quantum = 0;
    EXPECT_THROW(Module("a", config), std::invalid_argument);
    config = {};
    config.cpu.h1Hz = 0;
    EXPECT_THROW(Module("b", config), std::invalid_argument);
    config = {};
    config.cpu.flatMemory = true;
    EXPECT_THROW(Module("c", config), std::invalid_argument);
  });
}

}  // namespace
}  // namespace rtvp::c32
