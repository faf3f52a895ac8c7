// One C32 with memory and a console of our own, in a SystemC platform of our own.
#include <tlm_utils/simple_target_socket.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <rtvp/models/c32/asm/assembler.hpp>
#include <rtvp/models/c32/unit/module.hpp>
#include <rtvp/models/common/interconnect.hpp>
#include <rtvp/models/common/memory.hpp>
#include <systemc>
#include <tlm>

using namespace rtvp;
using sc_core::sc_time;

/// Two words: what is written to the first is printed with the time since the last, the second ends
/// the simulation.
struct Console : sc_core::sc_module {
  tlm_utils::simple_target_socket<Console, 32> socket{"socket"};
  sc_time last;

  explicit Console(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_b_transport(this, &Console::transport);
  }
  void transport(tlm::tlm_generic_payload& payload, sc_time& delay) {
    std::uint32_t word = 0;
    if (payload.is_write()) std::memcpy(&word, payload.get_data_ptr(), 4);
    const sc_time now = sc_core::sc_time_stamp() + delay;
    if (payload.get_address() != 0) {
      sc_core::sc_stop();
    } else {
      std::printf("tick %u", static_cast<unsigned>(word));
      if (word > 1) std::printf(", %.0f us after the one before", (now - last).to_seconds() * 1e6);
      std::printf("\n");
      last = now;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

int sc_main(int, char**) {
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC",
                                          sc_core::SC_DO_NOTHING);  // "stopped by user"
  const c32::AssemblyResult program = c32::assembleFile(PROGRAM);
  if (!program.image) {
    std::fputs(program.report().c_str(), stderr);
    return 1;
  }
  c32::ModuleConfig config;  // 30 MHz
  c32::Module dsp("dsp", config);
  common::Interconnect bus("bus");
  common::Memory memory("memory", {.size = 0x100000});
  Console console("console");
  dsp.bus_isock.bind(bus.bus_tsock);
  bus.attach(memory.bus_tsock, "memory", 0, 0x100000);        // words 0 to 3FFFFh
  bus.attach(console.socket, "console", 0x82FFF0ULL * 4, 8);  // words 82FFF0h, 82FFF1h
  dsp.load(*program.image);

  sc_core::sc_start(sc_time(1, sc_core::SC_SEC));
  const c32::CpuStatistics& s = dsp.cpu().statistics();
  std::printf(
      "%u interrupts; asleep %.0f%% of the time\n", static_cast<unsigned>(s.interruptsTaken),
      std::floor(100.0 * static_cast<double>(s.idle) / static_cast<double>(dsp.cpu().cycle())));
  return 0;
}
