// The SystemC unit over its socket: the same words and clocks as the plain model, in any grouping
// of transactions; its registers, signals, faults and what it refuses.
#include <tlm_utils/simple_initiator_socket.h>

#include "models/common/report_ids.hpp"
#include "models/theia/gpu_statistics.hpp"
#include "models/theia/theia_unit.hpp"
#include "models/theia/tlm_host_port.hpp"
#include "tests/models/common/register_rule.hpp"
#include "tests/models/theia/scene_support.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/trace_recorder.hpp"

namespace rtvp::theia {
namespace {

using namespace test;
using sc_core::sc_time;

/// Runs a function in a SystemC thread with an initiator socket bound to a unit.
struct Bench : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Bench, 32> isock{"isock"};
  TheiaUnit unit;
  sc_core::sc_signal<bool> hda{"hda"}, hdl{"hdl"}, rcommit{"rcommit"};
  std::vector<Clock> commits;
  std::function<void(Bench&)> body;

  Bench(sc_core::sc_module_name name, const TheiaUnitConfig& config,
        std::function<void(Bench&)> run)
      : sc_module(name), unit("theia", config, microcodeRom()), body(std::move(run)) {
    isock.bind(unit.host_tsock);
    unit.hda_o.bind(hda);
    unit.hdl_o.bind(hdl);
    unit.rcommit_o.bind(rcommit);
    SC_HAS_PROCESS(Bench);
    SC_THREAD(thread);
    SC_METHOD(onCommit);
    sensitive << rcommit.posedge_event();
    dont_initialize();
  }
  void thread() { body(*this); }
  void onCommit() { commits.push_back(unit.clock().now()); }

  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address,
                                  std::vector<unsigned char>& data, sc_time& delay,
                                  unsigned streaming = 0) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(streaming != 0 ? streaming : static_cast<unsigned>(data.size()));
    isock->b_transport(payload, delay);
    return payload.get_response_status();
  }
  Word read(std::uint64_t address) {
    std::vector<unsigned char> data(4);
    sc_time delay;
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, address, data, delay), tlm::TLM_OK_RESPONSE);
    return data[0] | static_cast<Word>(data[1]) << 8 | static_cast<Word>(data[2]) << 16 |
           static_cast<Word>(data[3]) << 24;
  }
};

void simulate(const TheiaUnitConfig& config, const std::function<void(Bench&)>& body) {
  rtvp::test::inChild([&] {
    Bench bench("bench", config, body);
    sc_core::sc_start();
  });
}

TheiaUnitConfig configFor(const Frame& frame) {
  TheiaUnitConfig config;
  config.gpu.cores = frame.cores;
  return config;
}

void expectFrame(const std::string& name) {
  const Frame frame = loadFrame(name);
  Gpu plain = makeGpu(frame, microcodeRom());
  GpuPort plain_port(plain);
  const Clock expected = playFrame(plain_port, frame, 0);
  simulate(configFor(frame), [&](Bench& b) {
    TlmHostPort port(b.isock, sc_time(10, sc_core::SC_NS));
    port.loadTexture(frame.texture);
    const Clock done = playFrame(port, frame, 0);
    EXPECT_FALSE(port.failed());
    EXPECT_EQ(done, expected);
    EXPECT_EQ(storedText(b.unit.gpu(), frame), storedText(plain, frame));
    sc_core::wait(b.unit.clock().of(done + 1));
    EXPECT_EQ(b.commits.size(), frame.pixelsPerCore());
    EXPECT_EQ(b.commits.back() + 3, done);
    EXPECT_EQ(b.read(0x18), frame.pixelsPerCore());
    std::vector<Word> words(6);
    port.readOutput(done + 2, 1, 3, words);
    EXPECT_TRUE(std::equal(words.begin(), words.end(), plain.output(1).begin() + 3));
  });
}

TEST(TheiaUnit, FramesOverTheSocketHaveTheWordsAndClocksOfThePlainModel) {
  expectFrame("frame_tiny_4c");
  expectFrame("frame_bary_4c");
}

/// Two frames; what the host sends is counted in words of its port: an instruction has 64 bits, a
/// register three words of 32 (theia.md).
TEST(TheiaUnit, TracesAndCountsWhatTheHostSends) {
  const Frame frame = loadFrame("frame_tiny_4c");
  simulate(configFor(frame), [&](Bench& b) {
    rtvp::test::TraceRecorder recorder;
    b.unit.trace(common::TraceScope(recorder, "theia"));
    TlmHostPort port(b.isock, sc_time(10, sc_core::SC_NS));
    port.loadTexture(frame.texture);
    EXPECT_EQ(b.unit.gpu().hostClocks().words, 0U);
    Clock at = port.writeInstruction(0, 1, 100, Instruction{});
    EXPECT_EQ(b.unit.gpu().hostClocks().words, 2U);
    at = port.writeRegister(at, 1, 70, Vec{1, 2, 3});
    EXPECT_EQ(b.unit.gpu().hostClocks().words, 5U);
    at = playFrame(port, frame, at);
    EXPECT_FALSE(port.failed());
    b.unit.finish();
    EXPECT_EQ(recorder.values["theia.frames"], std::vector<std::uint64_t>{1});
    EXPECT_EQ(recorder.values["theia.pixels"].back(), frame.pixelsPerCore());
  });
}

TEST(TheiaUnit, OneTransactionForAllTrianglesTakesTheSameClocks) {
  const Scene scene = randomScene(4, 20);
  const Frame frame = makeFrame(scene, 4, "hits");
  const Picture expected = render(frame);
  simulate(configFor(frame), [&](Bench& b) {
    TlmHostPort port(b.isock, sc_time(10, sc_core::SC_NS));
    port.loadTexture(frame.texture);
    Clock at = configureFrame(port, frame, 0);
    for (std::uint64_t pixel = 0; pixel < frame.pixelsPerCore(); ++pixel) {
      if (pixel == 0) {
        at = port.offer(at);
        at = port.offerAll(at, std::span(frame.triangles).subspan(1));
      } else {
        at = port.offerAll(at, frame.triangles);
      }
      at = port.streamTriangle(at, Triangle{});
      at = port.awaitCommit(at);
    }
    EXPECT_EQ(at, expected.clocks);
    for (unsigned c = 0; c < 4; ++c) {
      for (std::size_t p = 0; p < frame.pixelsPerCore(); ++p)
        EXPECT_EQ(b.unit.gpu().output(c)[3 * p], expected.colours[c * frame.pixelsPerCore() + p].x);
    }
    sc_core::wait(b.unit.clock().of(at));
    b.unit.finish();
    for (unsigned c = 0; c < 4; ++c) EXPECT_EQ(b.unit.gpu().controlClocks(c).sum(), at);
    common::StatGroup stats("theia");
    b.unit.report(stats);
    EXPECT_EQ(stats.groups().size(), 1U + 4U + 4U);
  });
}

TEST(TheiaUnit, EveryRegisterObeysItsTable) {
  simulate({}, [](Bench& b) {
    for (const common::RegisterDescriptor& r : unit::kRegisterTable) {
      const Word before = b.read(r.offset);
      if (r.name == "ID") {
        EXPECT_EQ(before, unit::kIdValue);
      }
      if (r.name == "CONTROL") continue;
      std::vector<unsigned char> ones(4, 0xFF);
      sc_time delay;
      EXPECT_EQ(b.access(tlm::TLM_WRITE_COMMAND, r.offset, ones, delay), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(delay, sc_time(10, sc_core::SC_NS));
      const Word writable = r.mask(common::Access::Rw);
      EXPECT_EQ(b.read(r.offset), (before & ~writable) | writable) << r.name;
    }
    EXPECT_EQ(b.read(0x14), 4U);
  });
}

TEST(TheiaUnit, ItsRegistersFollowTheRuleOfBlocks) {
  simulate({}, [](Bench& b) {
    constexpr std::uint64_t kBytes = 0x30;  // beyond them the rule is that of the windows
    common::test::sweepBlock(
        {unit::kRegisterTable, kBytes},
        {[&](auto& payload) {
           sc_time delay;
           b.isock->b_transport(payload, delay);
         },
         [&](auto& payload) { return b.isock->transport_dbg(payload); }, 0, kBytes},
        [](const common::RegisterDescriptor&) { return true; });
  });
}

TEST(TheiaUnit, RefusesWhatItCannotDoAndDoesNothing) {
  simulate({}, [](Bench& b) {
    const auto status = [&b](tlm::tlm_command c, std::uint64_t address, unsigned length,
                             unsigned streaming = 0) {
      std::vector<unsigned char> data(length, 0);
      sc_time delay;
      return b.access(c, address, data, delay, streaming);
    };
    constexpr auto kRead = tlm::TLM_READ_COMMAND, kWrite = tlm::TLM_WRITE_COMMAND;
    EXPECT_EQ(status(kRead, unit::kStream, 84), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(status(kWrite, unit::kStream, 80), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status(kWrite, unit::kInstructions + 4, 8), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status(kWrite, unit::kRegistersWindow, 8), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status(kWrite, unit::kTexture + 2, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(status(kRead, unit::kTexture + (std::uint64_t{4} << 20), 4),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(status(kRead, unit::kSize, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(status(kRead, unit::kTexture, 8, 4), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_FALSE(b.unit.gpu().fault());
  });
}

TEST(TheiaUnit, AHangingOpcodeIsReportedWithItsPlace) {
  Scene scene = randomScene(2, 3);
  Frame frame = makeFrame(scene, 4, "original", "DEBUG_PRINT R1 VOID VOID\nRETURN RT_TRUE\n");
  simulate(configFor(frame), [&](Bench& b) {
    TlmHostPort port(b.isock, sc_time(10, sc_core::SC_NS));
    try {
      playFrame(port, frame, 0);
      ADD_FAILURE() << "no report";
    } catch (const sc_core::sc_report& report) {
      EXPECT_STREQ(report.get_msg_type(), report_ids::kTheiaFault);
      EXPECT_NE(std::string(report.get_msg()).find("core 0, PC 800Ch"), std::string::npos);
    }
    EXPECT_EQ(b.read(0x1C), 0x0100800CU);
    EXPECT_EQ(b.read(0x08) & 8U, 8U);
    playFrame(port, frame, 0);
    EXPECT_TRUE(port.failed());
  });
}

TEST(TheiaUnit, RandomTrafficNeverBreaksIt) {
  for (unsigned seed = seedBase() + 1; seed <= seedBase() + 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TheiaUnitConfig config;
    config.report_faults = false;
    config.gpu.core.outputWords = 100;
    config.gpu.textureWords = 4096;
    config.gpu.core.instructionLimit = 2000;
    simulate(config, [seed](Bench& b) {
      std::mt19937 random(seed);
      static constexpr std::array<std::uint64_t, 7> kBases{0,
                                                           unit::kInstructions,
                                                           unit::kRegistersWindow,
                                                           unit::kStream,
                                                           unit::kTriangles,
                                                           unit::kTexture,
                                                           unit::kOutput};
      static constexpr std::array<unsigned, 8> kLengths{4, 8, 12, 16, 84, 168, 3, 1};
      for (int i = 0; i < 2000; ++i) {
        std::vector<unsigned char> data(kLengths[random() % kLengths.size()]);
        for (auto& byte : data)
          byte = static_cast<unsigned char>(random() % 3 != 0 ? random() % 4 : random());
        const std::uint64_t address = kBases[random() % kBases.size()] + random() % 64 / 4 * 4;
        sc_time delay;
        b.access(random() % 4 == 0 ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND, address, data,
                 delay);
        if (b.unit.gpu().fault() && random() % 4 == 0) {
          std::vector<unsigned char> reset{1, 0, 0, 0};
          b.access(tlm::TLM_WRITE_COMMAND, 4, reset, delay);
        }
      }
    });
  }
}

}  // namespace
}  // namespace rtvp::theia
