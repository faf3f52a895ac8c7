// The S5933 on a PCI bus with a host, main memory and a stand-in for the PLD.
#pragma once

#include <gtest/gtest.h>

#include <map>

#include "models/common/memory.hpp"
#include "models/tigershark/s5933.hpp"
#include "tests/models/common/bus_test_support.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::tigershark::test {

using namespace s5933;  // NOLINT(google-build-using-namespace): register names
using common::PciBus;
using common::PciBusConfig;
using rtvp::test::inChild;
using rtvp::test::Master;
using rtvp::test::Script;
using sc_core::SC_NS;
using sc_core::sc_time;
using sc_core::SC_US;

inline constexpr std::uint64_t kRegisters = 0xC0001000, kSram = 0xC0080000, kPld = 0xC0002000;
inline constexpr std::uint64_t kReadBuffer = 0x10000, kWriteBuffer = 0x20000;

/// Pass-thru target: word storage per region, with a delay of its own and a count of accesses.
struct AddOn : sc_core::sc_module {
  tlm_utils::simple_target_socket<AddOn, 32> tsock{"tsock"};
  tlm_utils::simple_initiator_socket<AddOn, 32> registers{"registers"};
  std::map<std::uint64_t, std::uint32_t> cells;
  sc_time latency = sc_core::SC_ZERO_TIME;
  std::uint64_t accesses = 0;
  bool broken = false;

  explicit AddOn(sc_core::sc_module_name name) : sc_module(name) {
    tsock.register_b_transport(this, &AddOn::transport);
    tsock.register_transport_dbg(this, &AddOn::debug);
  }
  void transport(tlm::tlm_generic_payload& payload, sc_time& delay) {
    ++accesses;
    delay += latency;
    const common::DwordLane lane = common::dwordLane(payload, 0);
    std::uint32_t& cell = cells[lane.address];
    if (payload.is_write()) {
      cell = (cell & ~lane.byte_mask) | (lane.load() & lane.byte_mask);
    } else {
      lane.store(cell);
    }
    payload.set_response_status(broken ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) {
    const common::DwordLane lane = common::dwordLane(payload, 0);
    if (payload.is_read()) lane.store(cells[lane.address]);
    return 4;
  }
};

struct Bench {
  PciBus bus;
  common::Memory memory;
  S5933 chip;
  AddOn addon{"addon"};
  Master host{"host"}, rival{"rival"};
  sc_core::sc_signal<bool> inta{"inta"}, irq{"irq"}, reset{"reset"};

  explicit Bench(const S5933Config& config, const PciBusConfig& bus_config = {})
      : bus("bus", bus_config),
        memory("memory", common::MemoryConfig{bus_config.memory_size, {}, {}, true}),
        chip("chip", config) {
    host.isock.bind(bus.master_tsock);
    chip.pci_isock.bind(bus.master_tsock);
    rival.isock.bind(bus.master_tsock);
    bus.memory_isock.bind(memory.bus_tsock);
    bus.plug(chip, chip.pci_tsock);
    chip.passthru_isock.bind(addon.tsock);
    addon.registers.bind(chip.addon_tsock);
    chip.inta_o.bind(inta);
    chip.irq_o.bind(irq);
    chip.addon_reset_o.bind(reset);
  }

  /// What a BIOS and the driver do first.
  void enumerate(std::uint32_t latency_timer = 64) {
    host.write(bus.configAddress(0, CFG_BADR0), static_cast<std::uint32_t>(kRegisters));
    host.write(bus.configAddress(0, CFG_BADR0 + 4), static_cast<std::uint32_t>(kSram));
    host.write(bus.configAddress(0, CFG_BADR0 + 8), static_cast<std::uint32_t>(kPld));
    host.writeByte(bus.configAddress(0, CFG_MISC + 1), static_cast<std::uint8_t>(latency_timer));
    host.write(bus.configAddress(0, CFG_COMMAND), COMMAND_MEMORY | COMMAND_MASTER);
  }
  void put(std::uint64_t address, std::uint32_t word) {
    for (unsigned i = 0; i < 4; ++i)
      memory.bytes()[address + i] = static_cast<std::uint8_t>(word >> (8 * i));
  }
  std::uint32_t get(std::uint64_t address) {
    std::uint32_t word = 0;
    for (unsigned i = 0; i < 4; ++i)
      word |= static_cast<std::uint32_t>(memory.bytes()[address + i]) << (8 * i);
    return word;
  }
  void startRead(std::uint32_t words, std::uint32_t mcsr = 0) {
    host.write(kRegisters + MRAR, kReadBuffer);
    host.write(kRegisters + MRTC, 4 * words);
    host.write(kRegisters + INTCSR, INTCSR_READ_ENABLE);
    host.write(kRegisters + MCSR, MCSR_READ_ENABLE | mcsr);
  }
  void startWrite(std::uint32_t words, std::uint32_t mcsr = 0) {
    host.write(kRegisters + MWAR, kWriteBuffer);
    host.write(kRegisters + MWTC, 4 * words);
    host.write(kRegisters + INTCSR, INTCSR_WRITE_ENABLE);
    host.write(kRegisters + MCSR, MCSR_WRITE_ENABLE | mcsr);
  }
  void awaitInterrupt() {
    if (!inta.read()) sc_core::wait(sc_time(100, sc_core::SC_MS), inta.posedge_event());
    EXPECT_TRUE(inta.read()) << "no interrupt within 100 ms";
  }
};

inline S5933Config config(std::uint32_t depth = 8) {
  S5933Config result;
  result.core.fifo_depth = depth;
  result.core.boot_memory = makeBoardNvImage(512 * 1024);
  return result;
}

}  // namespace rtvp::tigershark::test
