// An XPHMG_RT unit with its RV64 hart: the program on the hart, an ELF file, offloads rays to the
// unit's queue and traces them with the hart's own instructions, too.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <rtvp/models/common/interconnect.hpp>
#include <rtvp/models/common/memory.hpp>
#include <rtvp/models/xphmg/hart/elf.hpp>
#include <rtvp/models/xphmg/hart_module.hpp>
#include <rtvp/models/xphmg/unit.hpp>
#include <systemc>
#include <vector>

using namespace rtvp;

struct Terminal : rv64::Console {
  void write(std::span<const std::uint8_t> bytes, bool error) override {
    std::fwrite(bytes.data(), 1, bytes.size(), error ? stderr : stdout);
  }
  int read() override { return -1; }
};

int sc_main(int argc, char** argv) {
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC",
                                          sc_core::SC_DO_NOTHING);  // "stopped by user"
  if (argc != 2) {
    std::fputs("usage: example-xphmg PROGRAM.elf\n", stderr);
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};

  constexpr std::uint64_t kRam = 16U << 20U;
  common::Interconnect bus("bus");
  common::Memory ram("ram", {.size = kRam}), lds("lds", {.size = rv64::kLdsSize});
  xphmg::RtUnit unit("rt", {});
  sc_core::sc_signal<bool> line("line");
  Terminal terminal;
  xphmg::HartModuleConfig config;
  config.stop_simulation = true;
  xphmg::HartModule hart("hart", config, {ram.bytes(), lds.bytes()}, terminal, unit);

  bus.attach(ram.bus_tsock, "ram", rv64::kRamBase, kRam);
  bus.attach(lds.bus_tsock, "lds", rv64::kLdsBase, rv64::kLdsSize);
  bus.attach(unit.host_tsock, "rt", rv64::kDeviceBase, xphmg::page::kSize);
  unit.bus_isock.bind(bus.bus_tsock);
  hart.bus_isock.bind(bus.bus_tsock);
  unit.irq_o.bind(line);
  hart.irq_i.bind(line);
  hart.load(rv64::readElf(bytes));
  sc_core::sc_start();
  std::printf("the program ended with %d\n", static_cast<int>(hart.outcome().code));
  return hart.outcome().kind == rv64::Outcome::Kind::Exit ? static_cast<int>(hart.outcome().code)
                                                          : 1;
}
