// Four C32 in lockstep on one memory: a bus that makes an access when all four ask for it, and a
// line that any of them can pull.
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <rtvp/models/c32/asm/assembler.hpp>
#include <rtvp/models/c32/unit/module.hpp>
#include <rtvp/models/common/memory.hpp>
#include <systemc>
#include <tlm>
#include <vector>

using namespace rtvp;
using sc_core::sc_time;

constexpr unsigned kDsps = 4;

/// b_transport waits until every processor has asked for the same; the memory is asked once, and
/// all get the answer.
struct LockstepBus : sc_core::sc_module {
  tlm_utils::multi_passthrough_target_socket<LockstepBus, 32> socket{"socket"};
  tlm_utils::simple_initiator_socket<LockstepBus, 32> memory{"memory"};
  std::vector<tlm::tlm_generic_payload*> asked;
  sc_core::sc_event done;
  unsigned accesses = 0;

  explicit LockstepBus(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_b_transport(this, &LockstepBus::transport);
  }
  void transport(int, tlm::tlm_generic_payload& payload, sc_time& delay) {
    wait(delay);  // everybody comes in his own time
    delay = sc_core::SC_ZERO_TIME;
    asked.push_back(&payload);
    if (asked.size() < kDsps) {
      wait(done);
      return;
    }
    for (const auto* other : asked) {
      if (other->get_address() != payload.get_address() ||
          other->get_command() != payload.get_command()) {
        SC_REPORT_ERROR("/example/lockstep", "the processors are not in step");
      }
    }
    ++accesses;
    memory->b_transport(payload, delay);
    for (auto* other : asked) {
      if (other->is_read())
        std::memcpy(other->get_data_ptr(), payload.get_data_ptr(), payload.get_data_length());
      other->set_response_status(payload.get_response_status());
    }
    asked.clear();
    done.notify();
  }
};

/// Open drain: low if anybody pulls.
struct Line : sc_core::sc_module {
  sc_core::sc_vector<sc_core::sc_signal<bool>> pins{"pins", kDsps};
  sc_core::sc_signal<bool> level{"level", sc_core::SC_ONE_WRITER};
  unsigned votes = 0;

  explicit Line(sc_core::sc_module_name name) : sc_module(name) {
    SC_HAS_PROCESS(Line);
    SC_METHOD(drive);
    for (auto& pin : pins) {
      pin.write(true);
      sensitive << pin.value_changed_event();
    }
  }
  void drive() {
    bool high = true;
    for (const auto& pin : pins) high = high && pin.read();
    if (level.read() && !high) ++votes;
    level.write(high);
  }
};

int sc_main(int, char**) {
  const c32::AssemblyResult program = c32::assembleFile(PROGRAM);
  if (!program.image) {
    std::fputs(program.report().c_str(), stderr);
    return 1;
  }
  common::Memory memory("memory", {.size = 0x10000});
  LockstepBus bus("bus");
  Line line("vote");
  bus.memory.bind(memory.bus_tsock);
  c32::ModuleConfig config;
  config.dmi = false;  // every access is everybody's
  std::vector<std::unique_ptr<c32::Module>> dsps;
  for (unsigned i = 0; i < kDsps; ++i) {
    dsps.push_back(std::make_unique<c32::Module>(("dsp" + std::to_string(i)).c_str(), config));
    dsps[i]->bus_isock.bind(bus.socket);
    dsps[i]->xf_o[0].bind(line.pins[i]);
    dsps[i]->xf_i[0].bind(line.level);
    dsps[i]->load(*program.image);
  }
  constexpr std::uint32_t kNumbers[kDsps] = {3, 5, 9, 12}, kTable[] = {1, 3, 4, 9, 10, 12, 0};
  std::memcpy(memory.bytes().data() + 0x1000 * 4, kTable, sizeof kTable);
  for (unsigned i = 0; i < kDsps; ++i) dsps[i]->cpu().poke(0x87FFF0, kNumbers[i]);

  sc_core::sc_start(sc_time(1, sc_core::SC_MS));
  std::printf("found");
  for (const std::uint8_t* at = memory.bytes().data() + 0x2000 * 4; *at != 0; at += 4)
    std::printf(" %u", *at);
  std::printf("\n%u votes, %u accesses for %u processors\n", line.votes, bus.accesses, kDsps);
  return 0;
}
