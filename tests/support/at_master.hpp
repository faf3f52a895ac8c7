// An approximately timed initiator: four phases with a transaction pool of its own, in the two ways
// in which an initiator may end a response.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

namespace rtvp::test {

template <unsigned kWidth = 32>
struct AtMaster : sc_core::sc_module, tlm::tlm_mm_interface {
  enum class Ends { ByReturn, ByCall };  ///< of a response: TLM_UPDATED, or END_RESP forward
  tlm_utils::simple_initiator_socket<AtMaster, kWidth> isock{"isock"};
  Ends ends = Ends::ByReturn;
  std::vector<const tlm::tlm_generic_payload*> answered;  ///< in the order of BEGIN_RESP
  unsigned freed = 0;

  explicit AtMaster(sc_core::sc_module_name name) : sc_module(name) {
    isock.register_nb_transport_bw(this, &AtMaster::backward);
  }
  void free(tlm::tlm_generic_payload* payload) override {
    payload->reset();
    ++freed;
  }

  /// A payload with memory management and one reference, which release() gives back.
  tlm::tlm_generic_payload& payload(bool write, std::uint64_t address, void* data,
                                    std::size_t length) {
    pool_.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
    tlm::tlm_generic_payload& p = *pool_.back();
    p.acquire();
    p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    p.set_address(address);
    p.set_data_ptr(static_cast<unsigned char*>(data));
    p.set_data_length(static_cast<unsigned>(length));
    p.set_streaming_width(static_cast<unsigned>(length));
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return p;
  }
  /// BEGIN_REQ; waits for its end, however it comes.
  void request(tlm::tlm_generic_payload& p) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    requested_ = false;
    switch (isock->nb_transport_fw(p, phase, delay)) {
      case tlm::TLM_COMPLETED:
        answered.push_back(&p);
        wait(delay);
        return;
      case tlm::TLM_UPDATED:
        if (phase == tlm::BEGIN_RESP) {
          answered.push_back(&p);
          end(p, delay);
        }
        wait(delay);
        return;
      case tlm::TLM_ACCEPTED:
        while (!requested_) wait(change_);
    }
  }
  tlm::tlm_response_status access(bool write, std::uint64_t address, void* data,
                                  std::size_t length) {
    tlm::tlm_generic_payload& p = payload(write, address, data, length);
    request(p);
    while (std::find(answered.begin(), answered.end(), &p) == answered.end()) wait(change_);
    const auto status = p.get_response_status();
    wait(sc_core::sc_time(1, sc_core::SC_NS));  // END_RESP is through
    p.release();
    answered.clear();
    return status;
  }

 private:
  void end(tlm::tlm_generic_payload& p, sc_core::sc_time delay) {
    tlm::tlm_phase phase = tlm::END_RESP;
    (void)isock->nb_transport_fw(p, phase, delay);
  }
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) {
      requested_ = true;
      change_.notify(sc_core::SC_ZERO_TIME);
      return tlm::TLM_ACCEPTED;
    }
    requested_ = true;
    answered.push_back(&p);
    change_.notify(sc_core::SC_ZERO_TIME);
    if (ends == Ends::ByReturn) {
      phase = tlm::END_RESP;
      return tlm::TLM_UPDATED;
    }
    sc_core::sc_spawn([this, &p, delay] {
      wait(delay + sc_core::sc_time(100, sc_core::SC_PS));
      end(p, sc_core::SC_ZERO_TIME);
    });
    return tlm::TLM_ACCEPTED;
  }

  std::deque<std::unique_ptr<tlm::tlm_generic_payload>> pool_;
  bool requested_ = false;
  sc_core::sc_event change_;
};

}  // namespace rtvp::test
