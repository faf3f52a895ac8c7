// An AMCC S5933 on a PCI bus, driven as a driver does: find it, place it, move words by DMA to an
// add-on of our own and back.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdio>
#include <cstring>
#include <rtvp/models/common/memory.hpp>
#include <rtvp/models/common/pci_bus.hpp>
#include <rtvp/models/common/tlm_payload.hpp>
#include <rtvp/models/tigershark/s5933.hpp>
#include <rtvp/models/tigershark/s5933_nv.hpp>
#include <rtvp/models/tigershark/s5933_registers.hpp>
#include <systemc>
#include <tlm>

using namespace rtvp;
using namespace rtvp::tigershark::s5933;  // register names
using sc_core::sc_time;

constexpr std::uint32_t kRegisters = 0xC0001000, kSource = 0x10000, kTarget = 0x20000, kWords = 64;

/// The add-on: takes words from the FIFO and gives back their complement. Its bus is not used.
struct AddOn : sc_core::sc_module {
  tigershark::AddOnFifo& fifo;
  tlm_utils::simple_target_socket<AddOn, 32> passthru{"passthru"};
  tlm_utils::simple_initiator_socket<AddOn, 32> registers{"registers"};

  AddOn(sc_core::sc_module_name name, tigershark::AddOnFifo& its) : sc_module(name), fifo(its) {
    passthru.register_b_transport(this, &AddOn::refuse);
    SC_HAS_PROCESS(AddOn);
    SC_THREAD(run);
  }
  void refuse(tlm::tlm_generic_payload& payload, sc_time&) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  void run() {
    for (;;) {
      while (fifo.p2aEmpty()) wait(fifo.p2aFilled());
      const std::uint32_t word = ~fifo.p2aPop();
      while (fifo.a2pFull()) wait(fifo.a2pDrained());
      fifo.a2pPush(word);
      wait(sc_time(60, sc_core::SC_NS));
    }
  }
};

struct Host : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Host, 32> bus{"bus"};
  sc_core::sc_in<bool> inta{"inta"};
  const common::PciBus& pci;
  common::Memory& memory;

  Host(sc_core::sc_module_name name, const common::PciBus& its, common::Memory& ram)
      : sc_module(name), pci(its), memory(ram) {
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
  }
  std::uint32_t access(bool write, std::uint64_t address, std::uint32_t word) {
    tlm::tlm_generic_payload payload;
    common::prepare(payload, write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address,
                    reinterpret_cast<std::uint8_t*>(&word), 4);
    sc_time delay = sc_core::SC_ZERO_TIME;
    bus->b_transport(payload, delay);
    if (payload.is_response_error())
      SC_REPORT_ERROR("/example/host", payload.get_response_string().c_str());
    wait(delay);
    return word;
  }
  std::uint32_t read(std::uint64_t address) { return access(false, address, 0); }
  void write(std::uint64_t address, std::uint32_t word) { access(true, address, word); }

  void run() {
    std::printf("slot 0: vendor %04x, slot 1: %08x (nobody)\n",
                static_cast<unsigned>(read(pci.configAddress(0)) & 0xFFFFU),
                static_cast<unsigned>(read(pci.configAddress(1))));
    write(pci.configAddress(0, CFG_BADR0), kRegisters);
    write(pci.configAddress(0, CFG_COMMAND), COMMAND_MEMORY | COMMAND_MASTER);
    for (std::uint32_t i = 0; i < kWords; ++i) {
      const std::uint32_t word = 0x1000 + i;
      std::memcpy(memory.bytes().data() + kSource + 4 * i, &word, 4);
    }
    // Out of memory into the FIFO and back, both at once; an interrupt when all has arrived.
    write(kRegisters + INTCSR, INTCSR_WRITE_ENABLE);
    write(kRegisters + MRAR, kSource);
    write(kRegisters + MRTC, 4 * kWords);
    write(kRegisters + MWAR, kTarget);
    write(kRegisters + MWTC, 4 * kWords);
    write(kRegisters + MCSR, MCSR_READ_ENABLE | MCSR_WRITE_ENABLE);
    if (!inta.read()) wait(inta.posedge_event());
    unsigned wrong = 0;
    for (std::uint32_t i = 0; i < kWords; ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, memory.bytes().data() + kTarget + 4 * i, 4);
      if (word != ~(0x1000 + i)) ++wrong;
    }
    std::printf("%u words there and back, %u wrong, counts left %u and %u\n",
                static_cast<unsigned>(kWords), wrong,
                static_cast<unsigned>(read(kRegisters + MRTC)),
                static_cast<unsigned>(read(kRegisters + MWTC)));
    sc_core::sc_stop();
  }
};

int sc_main(int, char**) {
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC",
                                          sc_core::SC_DO_NOTHING);  // "stopped by user"
  common::PciBus pci("pci", {});
  common::Memory memory("memory", {.size = 1 << 20});
  tigershark::S5933Config config;
  config.core.boot_memory =
      makeBoardNvImage(512 * 1024);  // what the card tells of itself: registers in memory space
  tigershark::S5933 chip("s5933", config);
  AddOn addon("addon", chip);
  Host host("host", pci, memory);
  sc_core::sc_signal<bool> inta("inta"), irq("irq"), reset("reset");

  host.bus.bind(pci.master_tsock);  // the first master is the host
  chip.pci_isock.bind(pci.master_tsock);
  pci.plug(chip, chip.pci_tsock);  // slot 0
  pci.memory_isock.bind(memory.bus_tsock);
  chip.passthru_isock.bind(addon.passthru);
  addon.registers.bind(chip.addon_tsock);
  chip.inta_o.bind(inta);
  chip.irq_o.bind(irq);
  chip.addon_reset_o.bind(reset);
  host.inta.bind(inta);
  sc_core::sc_start(sc_time(10, sc_core::SC_MS));
  return 0;
}
