// Small testers for bus benches: a master that issues one payload at a time, and a device with
// programmable manners.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/pci_bus.hpp"
#include "models/common/tlm_dwords.hpp"

namespace rtvp::test {

/// A bus master driven from the test's process; its time is the sum of what the bus charged.
struct Master : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Master, 32> isock{"isock"};
  common::PciAttributes attributes;
  tlm::tlm_generic_payload payload;
  sc_core::sc_time delay;

  explicit Master(sc_core::sc_module_name name) : sc_module(name) {}
  ~Master() override { payload.clear_extension(&attributes); }

  tlm::tlm_response_status access(bool write, std::uint64_t address, void* data, std::size_t length,
                                  const common::PciAttributes* request = nullptr) {
    attributes = request != nullptr ? *request : common::PciAttributes{};
    payload.set_extension(&attributes);
    prepare(write, address, data, length);
    delay = sc_core::SC_ZERO_TIME;
    isock->b_transport(payload, delay);
    return payload.get_response_status();
  }
  void prepare(bool write, std::uint64_t address, void* data, std::size_t length) {
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<std::uint8_t*>(data));
    payload.set_data_length(static_cast<unsigned>(length));
    payload.set_streaming_width(static_cast<unsigned>(length));
    payload.set_byte_enable_ptr(nullptr);
    payload.set_byte_enable_length(0);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
  unsigned debug(bool write, std::uint64_t address, void* data, std::size_t length) {
    prepare(write, address, data, length);
    return isock->transport_dbg(payload);
  }
  std::uint32_t read(std::uint64_t address) {
    std::uint32_t value = 0;
    access(false, address, &value, 4);
    sc_core::wait(delay);
    return value;
  }
  void write(std::uint64_t address, std::uint32_t value) {
    access(true, address, &value, 4);
    sc_core::wait(delay);
  }
  void writeByte(std::uint64_t address, std::uint8_t value) {
    access(true, address, &value, 1);
    sc_core::wait(delay);
  }
};

/// Runs a function as the simulation's one process and stops.
struct Script : sc_core::sc_module {
  std::function<void()> body;
  bool stops;
  Script(sc_core::sc_module_name name, std::function<void()> script, bool stop = true)
      : sc_module(name), body(std::move(script)), stops(stop) {
    SC_HAS_PROCESS(Script);
    SC_THREAD(run);
  }
  void run() {
    body();
    if (stops) sc_core::sc_stop();
  }
};

/// A PCI device: dword storage at `base`, with wait states and disconnects as the test sets them.
struct Device : sc_core::sc_module, common::PciDevice {
  tlm_utils::simple_target_socket<Device, 32> tsock{"tsock"};
  std::uint64_t base;
  std::vector<std::uint32_t> cells;
  std::uint32_t first_wait = 0, disconnect = 0, retries = 0;
  bool abort = false;
  std::vector<std::uint32_t> bursts;

  Device(sc_core::sc_module_name name, std::uint64_t at, std::size_t words)
      : sc_module(name), base(at), cells(words) {
    tsock.register_b_transport(this, &Device::transport);
  }
  bool claims(common::PciSpace space, std::uint64_t address) const override {
    return space == common::PciSpace::Memory && address >= base &&
           address - base < 4 * cells.size();
  }
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    auto& answer = *payload.get_extension<common::PciAttributes>();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (retries != 0) {
      --retries;
      answer.stop = common::PciStop::Retry;
      return;
    }
    if (abort) {
      answer.stop = common::PciStop::TargetAbort;
      return;
    }
    std::uint32_t words = common::dwordCount(payload);
    if (disconnect != 0 && words > disconnect) {
      words = disconnect;
      answer.stop = common::PciStop::Disconnect;
    }
    bursts.push_back(words);
    for (std::uint32_t i = 0; i < words; ++i) {
      const common::DwordLane lane = common::dwordLane(payload, i);
      std::uint32_t& cell = cells[(lane.address - base) / 4 % cells.size()];
      if (payload.is_write()) {
        cell = (cell & ~lane.byte_mask) | (lane.load() & lane.byte_mask);
      } else {
        lane.store(cell);
      }
    }
    answer.words_done = words;
    delay += first_wait * sc_core::sc_time(30, sc_core::SC_NS);
  }
};

}  // namespace rtvp::test
