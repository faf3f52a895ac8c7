// A bus of one width against a bus of another: sockets of different BUSWIDTH do not bind. The base
// protocol's payloads carry any length on any width, so everything passes as it is.
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <systemc>
#include <tlm>

namespace rtvp::common {

/// Initiators of `From` bits at tsock, targets of `To` bits at isock. No time, no statistics.
template <unsigned From, unsigned To>
class BusWidth : public sc_core::sc_module {
 public:
  tlm_utils::passthrough_target_socket<BusWidth, From> tsock;
  tlm_utils::simple_initiator_socket<BusWidth, To> isock;

  explicit BusWidth(sc_core::sc_module_name name)
      : sc_module(name), tsock("tsock"), isock("isock") {
    tsock.register_b_transport(this, &BusWidth::blocking);
    tsock.register_nb_transport_fw(this, &BusWidth::forward);
    tsock.register_get_direct_mem_ptr(this, &BusWidth::pointer);
    tsock.register_transport_dbg(this, &BusWidth::debug);
    isock.register_nb_transport_bw(this, &BusWidth::backward);
    isock.register_invalidate_direct_mem_ptr(this, &BusWidth::invalidate);
  }

 private:
  using Payload = tlm::tlm_generic_payload;

  void blocking(Payload& payload, sc_core::sc_time& delay) { isock->b_transport(payload, delay); }
  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    return isock->nb_transport_fw(payload, phase, delay);
  }
  bool pointer(Payload& payload, tlm::tlm_dmi& dmi) {
    return isock->get_direct_mem_ptr(payload, dmi);
  }
  unsigned debug(Payload& payload) { return isock->transport_dbg(payload); }
  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    return tsock->nb_transport_bw(payload, phase, delay);
  }
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
    tsock->invalidate_direct_mem_ptr(first, last);
  }
};

}  // namespace rtvp::common
