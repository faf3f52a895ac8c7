// See computer.hpp.
#include "platform/machines/computer.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/common/contention_params.hpp"
#include "models/common/core/state.hpp"
#include "models/common/pci_params.hpp"
#include "platform/machines/processor.hpp"
#include "platform/machines/simulation.hpp"
#include "platform/options/run_params.hpp"

namespace rtvp::platform {
namespace {

constexpr std::uint64_t kMainMemory = 0x8000'0000;  // of a computer with several machines
constexpr std::uint64_t kMostMainMemory = 0x6000'0000;
constexpr std::uint64_t kArenaStep = std::uint64_t{1} << 20U;
constexpr std::uint64_t kPciWindowBytes = 0x4000'0000;
constexpr std::uint64_t kPciConfigBytes = std::uint64_t{1} << 20U;

bool isSharedBy(Computer::Machines machines) {
  std::vector<const MachineInfo*> infos;
  for (const auto& machine : machines) infos.push_back(&machine->info());
  return isShared(infos);
}

/// For messages: the machine, after the file and line that describe it.
std::string who(const Machine& machine) {
  const std::string& where = machine.pinned().where;
  return where.empty() ? machine.name() : where + ": " + machine.name();
}

/// Parameters of several machines for one thing that they share.
std::string joined(std::string list, std::string_view parameter) {
  if (parameter.empty() || list.find(parameter) != std::string::npos) return list;
  return list + (list.empty() ? "" : " ") + std::string(parameter);
}

/// A module around the modules of one machine, where several need names of their own.
class Enclosure : public sc_core::sc_module {
 public:
  Enclosure(const sc_core::sc_module_name& name, Machine& machine, Computer& computer)
      : sc_module(name) {
    machine.build(computer);
  }
};

/// One that waits for rays which never came has no state but that after its reset.
bool hasStarted(Machine& machine) {
  return machine.finder() != nullptr || machine.shading() != nullptr;
}

}  // namespace

Computer::Computer(const Settings& settings, Machines machines,
                   std::function<void(host::HostBus&)> program)
    : settings_(settings), machines_(machines), map_(isSharedBy(machines)) {
  for (const auto& machine : machines_) {
    shares_.push_back({machine.get(), machine->needs()});
    shares_.back().nextLine = machine->pinned().line;
    const Machine::Pin& pin = machine->pinned();
    if (!pin.where.empty()) map_.describe(machine->name(), pin.where);
    if (pin.address) map_.pin(machine->name(), *pin.address);
  }
  makePool();
  layOutMemory();
  makeBuses(std::move(program));
  buildMachines();
}

Computer::~Computer() = default;

/// One part gains little by a thread of its own: the kernel waits for it.
void Computer::makePool() {
  const RunOptions run = runOptions(settings_);
  if (run.limitMs != 0) return;
  std::size_t side = 0;
  for (const Share& share : shares_) side += share.needs.side;
  const auto threads = std::min<std::size_t>(threadsOf(run), std::max<std::size_t>(side, 1));
  pool_ = std::make_shared<common::WorkPool>(static_cast<unsigned>(threads));
}

/// A part of main memory for each machine that wants one.
void Computer::layOutMemory() {
  std::vector<Share*> order;
  for (Share& share : shares_) {
    directMemory_ = directMemory_ || share.needs.directMemory;
    if (share.needs.dramBytes != 0) order.push_back(&share);
  }
  std::stable_partition(order.begin(), order.end(),
                        [](const Share* s) { return s->needs.dramFirst; });
  if (order.size() > 1 && order[1]->needs.dramFirst) {
    throw InputError(who(*order[1]->machine) + ": its program must lie first in main memory, as " +
                     order[0]->machine->name() + "'s");
  }
  dramBase_ = order.empty() || map_.shared() ? kMainMemory : order.front()->needs.dramBase;
  for (Share* const share : order) {
    directMainMemory_ = directMainMemory_ || share->needs.directMemory;
    share->arena = dramBase_ + dramSize_ + share->needs.dramOffset;
    dramSize_ += (share->needs.dramBytes + kArenaStep - 1) / kArenaStep * kArenaStep;
    if (map_.shared() && dramSize_ > kMostMainMemory) {
      throw InputError(who(*share->machine) + ": with it the machines need " +
                       std::to_string(dramSize_ >> 20U) + " MiB of main memory, expected at most " +
                       std::to_string(kMostMainMemory >> 20U));
    }
  }
}

void Computer::makeBuses(std::function<void(host::HostBus&)> program) {
  std::size_t lines = 0;
  std::size_t slots = 0;
  common::InterconnectConfig bus;
  for (Share& share : shares_) {
    lines = std::max(lines, share.nextLine.value_or(0)) + share.needs.lines;
    share.firstSlot = slots;
    slots += share.needs.pciSlots;
    if (lines > MemoryMap::kMostLines) {
      throw InputError(who(*share.machine) + ": with it the machines need " +
                       std::to_string(lines) + " interrupt lines, the processor has " +
                       std::to_string(MemoryMap::kMostLines));
    }
    if (slots > static_cast<std::size_t>(common::PciBus::kMaxDevices)) {
      throw InputError(who(*share.machine) + ": with it the machines need " +
                       std::to_string(slots) + " PCI slots, the bus has " +
                       std::to_string(common::PciBus::kMaxDevices));
    }
    bus.latency = std::max(bus.latency, share.needs.busLatency);
  }
  common::PciBusConfig pci;
  settings_.read(common::kPciParams, pci.timing);
  pci.memory_base = dramBase_;
  pci.memory_size = dramSize_;
  if (slots != 0) pci_ = std::make_unique<common::PciBus>("pci", pci);
  if (dramSize_ != 0) {
    common::MemoryConfig config;
    config.size = dramSize_;
    dram_ = std::make_unique<common::Memory>("dram", config);
  }
  interconnect_ = std::make_unique<common::Interconnect>("interconnect", bus);
  makeContention();
  host_ = std::make_unique<host::HostProcess>(
      "host", host::HostProcessConfig{.interruptLines = lines,
                                      .costs = workCosts(settings_),
                                      .reportHz = reportHz(),
                                      .program = std::move(program)});
  common::bindSockets(host_->bus_isock, interconnect_->bus_tsock);
  map_.addMaster({"processor", "processor", "", 32, 64});
  const unsigned processor = contention_ ? contend("processor") : 0;
  describeBuses(bus);
  if (dram_) {
    std::string parameters;
    for (const Share& share : shares_) parameters = joined(parameters, share.needs.dramParameter);
    interconnect_->attach(dram_->bus_tsock, "dram", dramBase_, dramSize_);
    map_.place("main memory", {"dram", dramSize_, Region::Main, dramBase_, parameters});
  }
  if (!pci_) return;
  const auto absolute = common::Interconnect::Addressing::Absolute;
  pciWindow_ = map_.place("pci", {"pci_memory", kPciWindowBytes, Region::PciWindow, 0x8000'0000});
  const int bridge = interconnect_->attach(pci_->master_tsock, "pci_memory", pciWindow_,
                                           kPciWindowBytes, absolute);
  interconnect_->map(
      bridge, "pci_config",
      map_.place("pci", {"pci_config", kPciConfigBytes, Region::PciConfig, pci.config_base}),
      kPciConfigBytes, absolute);
  interconnect_->map(bridge, "pci_io",
                     map_.place("pci", {"pci_io", pci.io_size, Region::PciIo, pci.io_base}),
                     pci.io_size, absolute);
  common::bindSockets(pci_->memory_isock, interconnect_->bus_tsock);
  map_.addMaster({"bus masters", "pci", "", 32, 32});
  if (contention_) contendPci(processor, slots);
}

/// Where the machines' reports count cycles of one clock, the host's times are given in them, too.
std::uint64_t Computer::reportHz() const {
  std::uint64_t hz = 0;
  for (const Share& share : shares_) {
    if (share.needs.reportHz == 0 || share.needs.reportHz == hz) continue;
    if (hz != 0) return 0;
    hz = share.needs.reportHz;
  }
  return hz;
}

void Computer::makeContention() {
  auto config = settings_.read<common::ContentionConfig>(common::kContentionParams);
  config.memory.name = "dram";
  if (!config.bus.limited() && !config.memory.limited()) return;
  contention_ = std::make_unique<common::Contention>("contention", config);
  if (dramSize_ != 0) contention_->addMemory(dramBase_, dramSize_);
}

/// The bridge asks for each of the bus masters; the processor is the first.
void Computer::contendPci(unsigned processor, std::size_t slots) {
  ++contenders_;
  std::vector<unsigned> masters{processor};
  for (std::size_t i = 0; i < slots; ++i)
    masters.push_back(contention_->addMaster("pci" + std::to_string(i)));
  pci_->setContention(*contention_, std::move(masters));
}

unsigned Computer::contend(const std::string& name) {
  const unsigned number = contention_->addMaster(name);
  interconnect_->arbitrate(*contention_, contenders_++, number);
  return number;
}

void Computer::describeBuses(const common::InterconnectConfig& bus) {
  std::string parameters;
  for (const Share& share : shares_) parameters = joined(parameters, share.needs.busParameter);
  map_.addBus({"interconnect", parameters, 32, 64, 0, bus.latency.value()});
  if (!pci_) return;
  const common::PciBusConfig& pci = pci_->config();
  map_.addBus({"pci", "pci.clock_hz", 32, 32, pci.timing.period.value(), 0});
  for (const Share& share : shares_) {
    for (std::size_t i = share.firstSlot; i < share.firstSlot + share.needs.pciSlots; ++i) {
      map_.addSlot({i, share.machine->name(), std::string(share.needs.slotParameter),
                    pci_->configAddress(static_cast<int>(i))});
    }
  }
}

void Computer::buildMachines() {
  for (const auto& machine : machines_) {
    if (map_.shared()) {
      enclosures_.push_back(std::make_unique<Enclosure>(machine->name().c_str(), *machine, *this));
    } else {
      machine->build(*this);
    }
  }
  tieUnusedLines();
}

/// A port must be bound, also one that no device drives.
void Computer::tieUnusedLines() {
  for (std::size_t line = 0; line < host_->inta_i.size(); ++line) {
    const auto driven = [&](const MapLine& l) { return l.number == line; };
    if (std::any_of(map_.lines().begin(), map_.lines().end(), driven)) continue;
    unused_.push_back(std::make_unique<Interrupt>(sc_core::sc_gen_unique_name("unused_line")));
    host_->inta_i[line].bind(*unused_.back());
  }
}

const Computer::Share& Computer::shareOf(const Machine& machine) const {
  for (const Share& share : shares_) {
    if (share.machine == &machine) return share;
  }
  throw std::logic_error(machine.name() + " is no machine of this computer");
}

std::uint64_t Computer::attach(const Machine& machine, common::Interconnect::Target& target,
                               const RangeNeed& need) {
  const std::uint64_t base = map_.place(machine.name(), need);
  const std::string name = map_.shared() ? machine.name() + "." + need.name : need.name;
  interconnect_->attach(target, name, base, need.size);
  return base;
}

std::size_t Computer::connect(const Machine& machine, Interrupt& signal, std::string parameter) {
  const auto share = std::find_if(shares_.begin(), shares_.end(),
                                  [&](const Share& s) { return s.machine == &machine; });
  const std::size_t line =
      map_.addLine(machine.name(), signal.basename(), std::move(parameter), share->nextLine);
  if (share->nextLine) ++*share->nextLine;
  host_->inta_i[line].bind(signal);
  return line;
}

std::uint64_t Computer::arena(const Machine& machine) const {
  return shareOf(machine).arena;
}

std::size_t Computer::firstSlot(const Machine& machine) const {
  return shareOf(machine).firstSlot;
}

void Computer::trace(PartTrace& part) {
  trace_ = &part;
  const common::TraceScope scope = part.scope();
  const auto own = [&](const Machine& machine) {
    return map_.shared() ? scope.module(machine.name()) : scope;
  };
  for (const auto& machine : machines_) {
    if (map_.shared()) machine->declareBusy(scope.module("assign"));
    machine->declareDriver(own(*machine));
  }
  host_->trace(scope.module("processor"));
  for (const auto& machine : machines_) machine->declare(own(*machine));
  part.declared();
}

std::string Computer::states() const {
  std::string text;
  for (const auto& machine : machines_) text += machine->states();
  return text;
}

std::optional<Failure> Computer::run(double limitMs, std::span<const std::string_view> faults) {
  return simulate(*host_, limitMs, faults,
                  {.states = [this] { return states(); },
                   .failure = [this]() -> std::optional<Failure> {
                     for (const auto& machine : machines_) {
                       if (auto failure = machine->failure()) return failure;
                     }
                     return std::nullopt;
                   },
                   .trace = trace_});
}

bool Computer::quiescent() const {
  return (!contention_ || contention_->queue().quiet()) &&
         std::all_of(machines_.begin(), machines_.end(),
                     [](const auto& m) { return !hasStarted(*m) || m->quiescent(); });
}

void Computer::state(common::StateArchive& a) {
  if (dram_) dram_->state(a);
  interconnect_->state(a);
  if (pci_) pci_->state(a);
  if (contention_) contention_->state(a);
  for (const auto& machine : machines_) {
    a.mark(machine->name());
    if (hasStarted(*machine)) machine->state(a);
  }
  host_->state(a);
}

/// In a computer with several machines each has a group of its own.
common::StatGroup& Computer::groupOf(const Machine& machine, common::StatGroup& stats) {
  if (!map_.shared()) return stats;
  const auto at =
      static_cast<std::size_t>(std::find_if(machines_.begin(), machines_.end(),
                                            [&](const auto& m) { return m.get() == &machine; }) -
                               machines_.begin());
  if (groups_[at] == nullptr) {
    groups_[at] = &stats.group(machine.name(), std::string(machine.info().help));
  }
  return *groups_[at];
}

void Computer::report(common::StatGroup& stats) {
  groups_.assign(machines_.size(), nullptr);
  for (const auto& machine : machines_) machine->reportDriver(groupOf(*machine, stats));
  reportBuses(stats);
  for (const auto& machine : machines_) machine->report(groupOf(*machine, stats));
}

void Computer::reportBuses(common::StatGroup& stats) {
  host_->report(stats.group("processor", "the host's processor as bus master"));
  // Bytes that move by DMI do not pass: a matter of speed settings.
  common::StatGroup* hostSide = nullptr;
  const auto groupFor = [&](bool direct) -> common::StatGroup& {
    if (!direct) return stats;
    if (hostSide == nullptr) hostSide = &stats.group("host_side", "transactions as simulated");
    return *hostSide;
  };
  if (dram_) dram_->report(groupFor(directMainMemory_).group("dram", "main memory"));
  interconnect_->report(
      groupFor(directMemory_).group("interconnect", "system interconnect, by address range"));
  if (pci_) pci_->report(stats.group("pci", "PCI bus"));
  if (contention_)
    contention_->report(stats.group("contention", "what interconnect and main memory carried"));
}

std::vector<std::string> Computer::problems() const {
  std::vector<std::string> all = host_->problems();
  for (const auto& machine : machines_) {
    for (std::string& problem : machine->problems()) all.push_back(std::move(problem));
  }
  return all;
}

}  // namespace rtvp::platform
