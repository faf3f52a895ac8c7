// A unit in somebody else's platform: reads the register that says who answers.
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <cstdio>
#include <rtvp/models/theia/theia_unit.hpp>
#include <systemc>

#include "models/theia/unit_registers.hpp"

static_assert(SC_CPLUSPLUS == 201703L, "libsystemc was built as C++17");

struct Host : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Host, 32> socket{"socket"};
  explicit Host(sc_core::sc_module_name name) : sc_module(name) {
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
  }
  void run() {
    std::uint32_t id = 0;
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(0);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&id));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    std::printf("%s %08x\n", payload.get_response_string().c_str(), id);
  }
};

int sc_main(int, char**) {
  rtvp::theia::TheiaUnit unit("theia", {}, {});
  Host host("host");
  host.socket.bind(unit.host_tsock);
  sc_core::sc_start();
  return 0;
}
