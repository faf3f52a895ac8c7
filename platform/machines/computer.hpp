// One host computer: processor, interconnect, main memory, PCI bus, interrupt lines and the
// machines that hang off them, placed by a memory map.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <systemc>
#include <vector>

#include "models/common/contention.hpp"
#include "models/common/core/work_pool.hpp"
#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "models/common/pci_bus.hpp"
#include "models/common/socket_tap.hpp"
#include "models/common/statistics.hpp"
#include "platform/commands/trace_output.hpp"
#include "platform/drivers/host_process.hpp"
#include "platform/exit_status.hpp"
#include "platform/machines/machine.hpp"
#include "platform/machines/memory_map.hpp"
#include "platform/options/settings.hpp"

namespace rtvp::common {
class StateArchive;
}  // namespace rtvp::common

namespace rtvp::platform {

class Computer {
  struct NobodyAsks {
    void setContention(common::Contention& /*contention*/, unsigned /*master*/) {}
  };

 public:
  using Machines = std::span<const std::unique_ptr<Machine>>;
  using Interrupt = sc_core::sc_signal<bool>;

  /// Elaborates; at most once a process. Builds `machines` in their order, which must outlive the
  /// computer; `program` is what its processor runs. Throws InputError if they do not go together.
  Computer(const Settings& settings, Machines machines,
           std::function<void(host::HostBus&)> program);
  ~Computer();
  Computer(const Computer&) = delete;
  Computer& operator=(const Computer&) = delete;

  // ---- for machines, while they are built
  /// Puts a target on the interconnect and says where it lies.
  std::uint64_t attach(const Machine& machine, common::Interconnect::Target& target,
                       const RangeNeed& need);
  /// A master of the interconnect. `parameter`: what a user sets to have more or fewer of them.
  /// `asker`: what asks for the places of its accesses itself, where masters wait for one another
  /// (setContention()); for others the interconnect does, for those that make their transactions in
  /// a thread and close to simulated time.
  template <typename Socket, typename Asker = NobodyAsks>
  void addMaster(const Machine& machine, Socket& socket, const std::string& name,
                 unsigned addressBits, const std::string& parameter = {}, Asker* asker = nullptr) {
    common::bindSockets(socket, interconnect_->bus_tsock);
    map_.addMaster({name, machine.name(), parameter, socket.get_bus_width(), addressBits});
    if (!contention_) return;
    const unsigned number = contend(map_.shared() ? machine.name() + "." + name : name);
    if (asker != nullptr) asker->setContention(*contention_, number);
  }
  /// The processor's next interrupt line becomes `signal`'s; returns its number.
  std::size_t connect(const Machine& machine, Interrupt& signal, std::string parameter = {});
  /// The same by a signal of the computer's, for a machine that needs none of its own.
  template <typename Port>
  std::size_t connectPort(const Machine& machine, Port& port, const char* signal) {
    port.bind(*signals_.emplace_back(std::make_unique<Interrupt>(signal)));
    return connect(machine, *signals_.back());
  }
  /// What reports call the machine where there are several; empty for one alone.
  [[nodiscard]] std::string instance(const Machine& machine) const {
    return map_.shared() ? machine.name() : "";
  }
  /// The machine's part of main memory: its first address. Only for one that needs some.
  [[nodiscard]] std::uint64_t arena(const Machine& machine) const;
  [[nodiscard]] common::Memory& dram() { return *dram_; }
  /// Threads of the real computer that models may run ahead on; null where that would show: in a
  /// run that ends at a limit of time.
  [[nodiscard]] const std::shared_ptr<common::WorkPool>& pool() const { return pool_; }
  /// Only for a machine that needs slots.
  [[nodiscard]] common::PciBus& pci() { return *pci_; }
  /// The number of the machine's first slot.
  [[nodiscard]] std::size_t firstSlot(const Machine& machine) const;
  /// Where PCI memory windows may be put.
  [[nodiscard]] std::uint64_t pciWindow() const { return pciWindow_; }

  [[nodiscard]] const MemoryMap& map() const { return map_; }

  // ---- running
  /// Declares all signals; before run().
  void trace(PartTrace& part);
  /// Runs until the host's program ends; what ended the run otherwise.
  [[nodiscard]] std::optional<Failure> run(double limitMs,
                                           std::span<const std::string_view> faults);
  // ---- checkpoints, from the host's program between two batches of rays
  /// Nothing is under way, in the machines and on the buses.
  [[nodiscard]] bool quiescent() const;
  /// Stores memory, buses, machines and processor, or puts them back behind Machine::start().
  void state(common::StateArchive& a);

  /// Figures of drivers, of the computer and of the machines.
  void report(common::StatGroup& stats);
  [[nodiscard]] std::vector<std::string> problems() const;

 private:
  struct Share {
    const Machine* machine;
    Needs needs;
    std::uint64_t arena = 0;
    std::size_t firstSlot = 0;
    std::optional<std::size_t> nextLine = {};  ///< where a description puts its lines
  };
  void makePool();
  void layOutMemory();
  void makeBuses(std::function<void(host::HostBus&)> program);
  /// The master that was bound to the interconnect last, in the arbiter; its number there.
  unsigned contend(const std::string& name);
  void contendPci(unsigned processor, std::size_t slots);
  void makeContention();
  [[nodiscard]] std::uint64_t reportHz() const;
  void describeBuses(const common::InterconnectConfig& bus);
  void buildMachines();
  void tieUnusedLines();
  [[nodiscard]] const Share& shareOf(const Machine& machine) const;
  [[nodiscard]] common::StatGroup& groupOf(const Machine& machine, common::StatGroup& stats);
  void reportBuses(common::StatGroup& stats);
  [[nodiscard]] std::string states() const;

  const Settings& settings_;
  Machines machines_;
  MemoryMap map_;
  std::vector<Share> shares_;
  std::uint64_t dramBase_ = 0, dramSize_ = 0, pciWindow_ = 0;
  bool directMemory_ = false;  ///< transactions on the interconnect are a speed setting's matter
  bool directMainMemory_ = false;  ///< and so are those of main memory

  std::shared_ptr<common::WorkPool> pool_;
  std::unique_ptr<common::Contention> contention_;  ///< null: nothing has a limit
  int contenders_ = 0;
  std::unique_ptr<common::PciBus> pci_;
  std::unique_ptr<common::Memory> dram_;
  std::unique_ptr<common::Interconnect> interconnect_;
  std::unique_ptr<host::HostProcess> host_;
  std::vector<std::unique_ptr<sc_core::sc_module>> enclosures_;
  std::vector<std::unique_ptr<Interrupt>> signals_;
  std::vector<std::unique_ptr<Interrupt>> unused_;  ///< lines between those of devices
  std::vector<common::StatGroup*> groups_;          ///< of the report under way, one a machine
  PartTrace* trace_ = nullptr;
};

}  // namespace rtvp::platform
