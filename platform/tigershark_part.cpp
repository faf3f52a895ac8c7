#include "platform/tigershark_part.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>
#include <systemc>

#include "firmware/tigershark_firmware.hpp"
#include "models/c32/asm/coff.hpp"
#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "models/common/pci_bus.hpp"
#include "models/tigershark/board.hpp"
#include "models/tigershark/protocol.hpp"
#include "platform/host/host_process.hpp"
#include "platform/host/shader_programs.hpp"
#include "platform/host/tigershark_database.hpp"
#include "platform/host/tigershark_driver.hpp"
#include "platform/host/tigershark_shading.hpp"
#include "platform/implicit_device.hpp"
#include "platform/reference_part.hpp"
#include "platform/report/file_io.hpp"
#include "platform/report/statistics.hpp"
#include "platform/shading_device.hpp"
#include "platform/simulation.hpp"

namespace rtvp::platform {
namespace {

// ---- the host's address map
constexpr std::uint64_t kDramBytes = std::uint64_t{64} << 20U;
constexpr std::uint64_t kWindowBase = 0x80000000;
constexpr std::uint64_t kWindowBytes = 0x40000000;
constexpr std::uint64_t kConfigBytes = std::uint64_t{1} << 20U;

int count(const Settings& settings, const char* key) {
  return static_cast<int>(settings.integer(key));
}
std::uint32_t clocks(const Settings& settings, const char* key) {
  return static_cast<std::uint32_t>(settings.integer(key));
}

c32::Image readFirmware(const Settings& settings) {
  const std::string& file = settings.text("tigershark.firmware");
  if (file.empty()) return c32::loadCoff(tigersharkFirmware());
  try {
    constexpr std::uint64_t kLargest = 16U << 20U;
    return c32::loadCoff(report::readBytes(file, kLargest));
  } catch (const c32::CoffError& e) {
    throw InputError(file + ": " + e.what());
  } catch (const std::system_error& e) {
    throw InputError(e.what());
  }
}

std::vector<host::MemoryImage> loadable(const c32::Image& image, std::uint32_t sramWords) {
  std::vector<host::MemoryImage> sections;
  for (const c32::Section& section : image.sections) {
    if (section.words.empty()) continue;
    if (section.loadAddress >= sramWords ||
        section.words.size() > sramWords - section.loadAddress) {
      throw InputError("tigershark.firmware: section '" + section.name +
                       "' does not fit into the SRAM, see tigershark.sram_words");
    }
    sections.push_back({section.loadAddress, section.words});
  }
  return sections;
}

std::uint32_t endOf(const std::vector<host::MemoryImage>& sections) {
  std::uint32_t end = tigershark::kFirmwareBase;
  for (const host::MemoryImage& s : sections) {
    end = std::max(end, s.address + static_cast<std::uint32_t>(s.words.size()));
  }
  return end;
}

// The database of every board, placed behind the firmware.
std::vector<host::Database> databases(const scene::Scene& scene, const Settings& settings,
                                      std::uint32_t pageBase) {
  host::DatabaseOptions options;
  options.baseAddress = pageBase;
  const auto sram = static_cast<std::uint32_t>(settings.integer("tigershark.sram_words"));
  // The firmware may read the word behind a page's terminator before it knows that it is one: that
  // word must exist.
  options.pageWords = sram - pageBase - 1;
  options.vote = settings.flag("tigershark.vote");
  options.boards = count(settings, "tigershark.boards");
  options.origin = host::machineOrigin(scene);
  if (options.pageWords < host::minimumPageWords(options)) {
    throw InputError("tigershark.sram_words: found " + std::to_string(sram) +
                     ", expected at least " +
                     std::to_string(pageBase + 1 + host::minimumPageWords(options)) +
                     " for firmware and the smallest page");
  }
  return host::buildDatabases(scene, options);
}

common::PciBusConfig pciConfig(const Settings& settings) {
  common::PciBusConfig config;
  common::PciTiming& t = config.timing;
  t.period = sc_core::sc_time(1 / settings.number("pci.clock_hz"), sc_core::SC_SEC);
  t.arbitration_idle = clocks(settings, "pci.arbitration_idle");
  t.arbitration_busy = clocks(settings, "pci.arbitration_busy");
  t.devsel = clocks(settings, "pci.devsel");
  t.read_turnaround = clocks(settings, "pci.read_turnaround");
  t.idle = clocks(settings, "pci.idle");
  t.host_burst_words = clocks(settings, "pci.host_burst_words");
  t.memory_first_wait = clocks(settings, "pci.memory_first_wait");
  t.memory_next_wait = clocks(settings, "pci.memory_next_wait");
  t.memory_disconnect_words = clocks(settings, "pci.memory_disconnect_words");
  config.memory_size = kDramBytes;
  return config;
}

tigershark::EngineChoice engineChoice(const Settings& settings) {
  using Kind = tigershark::EngineChoice::Kind;
  tigershark::EngineChoice choice;
  const std::string& engine = settings.text("array.engine");
  choice.kind = engine == "simt" ? Kind::Simt : engine == "scalar" ? Kind::Scalar : Kind::Auto;
  const std::string& isa = settings.text("array.isa");
  for (const c32::simt::Isa known : c32::simt::kAllIsas) {
    if (isa == c32::simt::isaName(known)) choice.isa = known;
  }
  if (choice.isa && !c32::simt::isaUsable(*choice.isa)) {
    throw InputError("array.isa: found " + isa + ", but this host does not have it");
  }
  return choice;
}

tigershark::BoardConfig boardConfig(const Settings& settings, const c32::Image& firmware) {
  tigershark::BoardConfig config;
  config.dsps = count(settings, "tigershark.dsps");
  config.sramWords = clocks(settings, "tigershark.sram_words");
  config.waitStates = clocks(settings, "tigershark.wait_states");
  config.doubleBuffer = settings.flag("tigershark.double_buffer");
  config.clockHz = static_cast<std::uint64_t>(settings.number("tigershark.clock_hz"));
  config.bitClockHz = static_cast<std::uint64_t>(settings.number("tigershark.bit_clock_hz"));
  config.riseCycles = clocks(settings, "tigershark.rise_cycles");
  config.syncCycles = clocks(settings, "tigershark.sync_cycles");
  config.releaseCycles = clocks(settings, "tigershark.release_cycles");
  config.holdCycles = clocks(settings, "tigershark.hold_cycles");
  config.fifoDepth = clocks(settings, "tigershark.fifo_depth");
  config.strictTiming = settings.text("array.timing") == "strict";
  config.dmi = settings.flag("array.dmi");
  config.burst = clocks(settings, "array.burst");
  config.quantum = clocks(settings, "array.quantum");
  config.engine = engineChoice(settings);
  config.s5933.pci_period = pciConfig(settings).timing.period;
  config.locate = [firmware](std::uint32_t pc) { return firmware.sourceLine(pc); };
  return config;
}

// ---- the machine

class Computer {
 public:
  Computer(const Settings& settings, const c32::Image& firmware, const ShadingPlan* shading,
           const ImplicitPlan* implicit, std::function<void(host::HostBus&)> program)
      : pci_("pci", pciConfig(settings)),
        dram_("dram", memoryConfig()),
        interconnect_("interconnect"),
        host_("host", {static_cast<std::size_t>(count(settings, "tigershark.boards")) +
                           (shading != nullptr ? 1U : 0U) + (implicit != nullptr ? 1U : 0U),
                       std::move(program)}),
        inta_("inta", static_cast<std::size_t>(count(settings, "tigershark.boards"))) {
    host_.bus_isock.bind(interconnect_.bus_tsock);
    interconnect_.attach(dram_.bus_tsock, "dram", 0, kDramBytes);
    const auto absolute = common::Interconnect::Addressing::Absolute;
    const int bridge =
        interconnect_.attach(pci_.master_tsock, "pci_memory", kWindowBase, kWindowBytes, absolute);
    interconnect_.map(bridge, "pci_config", pci_.config().config_base, kConfigBytes, absolute);
    interconnect_.map(bridge, "pci_io", pci_.config().io_base, pci_.config().io_size, absolute);
    pci_.memory_isock.bind(interconnect_.bus_tsock);

    const tigershark::BoardConfig config = boardConfig(settings, firmware);
    for (std::size_t i = 0; i < inta_.size(); ++i) {
      const std::string name = "board" + std::to_string(i);
      auto& board = boards_.emplace_back(std::make_unique<tigershark::Board>(name.c_str(), config));
      tigershark::S5933& bridgeChip = board->s5933();
      bridgeChip.pci_isock.bind(pci_.master_tsock);
      pci_.plug(bridgeChip, bridgeChip.pci_tsock);
      bridgeChip.inta_o.bind(inta_[i]);
      host_.inta_i[i].bind(inta_[i]);
    }
    if (shading != nullptr) {
      shading_.emplace(*shading, settings, interconnect_, host_, inta_.size());
    }
    if (implicit != nullptr) {
      implicit_.emplace(*implicit, settings, interconnect_, host_,
                        inta_.size() + (shading != nullptr ? 1U : 0U));
    }
  }

  [[nodiscard]] const std::optional<ShadingDevice>& shading() const { return shading_; }
  [[nodiscard]] const std::optional<ImplicitDevice>& implicit() const { return implicit_; }

  /// Signals for `--trace`; before run().
  void trace(PartTrace& part) {
    trace_ = &part;
    const common::TraceScope scope = part.scope();
    host_.trace(scope.module("processor"));
    for (std::size_t i = 0; i < boards_.size(); ++i)
      boards_[i]->trace(scope.module("board" + std::to_string(i)));
    if (shading_) shading_->trace(scope);
    if (implicit_) implicit_->trace(scope);
    part.declared();
  }

  /// Runs until the host's program ends; what ended the run otherwise.
  [[nodiscard]] std::optional<Failure> run(double limitMs) {
    return simulate(host_, limitMs, {.states = [this] { return states(); }, .trace = trace_});
  }

  void report(common::StatGroup& stats) {
    host_.report(stats.group("processor", "the host's processor as bus master"));
    dram_.report(stats.group("dram", "main memory"));
    // What the implicit-surface unit reads by DMI does not pass: a matter of speed settings.
    common::StatGroup& bus =
        implicit_ ? stats.group("host_side", "transactions as simulated") : stats;
    interconnect_.report(bus.group("interconnect", "system interconnect, by address range"));
    pci_.report(stats.group("pci", "PCI bus"));
    for (std::size_t i = 0; i < boards_.size(); ++i) {
      boards_[i]->report(stats.group("board" + std::to_string(i), "one TigerSHARK board"));
    }
    if (shading_) shading_->report(stats);
    if (implicit_) implicit_->report(stats);
  }

 private:
  static common::MemoryConfig memoryConfig() {
    common::MemoryConfig config;
    config.size = kDramBytes;
    return config;
  }

  [[nodiscard]] std::string states() const {
    std::string text;
    for (std::size_t i = 0; i < boards_.size(); ++i) {
      text += "\nboard" + std::to_string(i) + ":\n" + boards_[i]->describe();
    }
    if (shading_) text += "\n" + shading_->describe();
    if (implicit_) text += "\n" + implicit_->describe();
    return text;
  }

  common::PciBus pci_;
  common::Memory dram_;
  common::Interconnect interconnect_;
  host::HostProcess host_;
  sc_core::sc_vector<sc_core::sc_signal<bool>> inta_;
  std::vector<std::unique_ptr<tigershark::Board>> boards_;
  std::optional<ShadingDevice> shading_;
  std::optional<ImplicitDevice> implicit_;
  PartTrace* trace_ = nullptr;
};

host::TigersharkDriverConfig driverConfig(const scene::Scene& scene, const Settings& settings,
                                          const c32::Image& firmware) {
  host::TigersharkDriverConfig config;
  config.boards = count(settings, "tigershark.boards");
  config.dsps = count(settings, "tigershark.dsps");
  config.clockHz = settings.number("tigershark.clock_hz");
  config.bitClockHz = settings.number("tigershark.bit_clock_hz");
  config.waitStates = count(settings, "tigershark.wait_states");
  config.doubleBuffer = settings.flag("tigershark.double_buffer");
  config.origin = host::machineOrigin(scene);
  config.firmware = loadable(firmware, clocks(settings, "tigershark.sram_words"));
  const std::uint32_t pageBase = endOf(config.firmware);
  for (const host::Database& database : databases(scene, settings, pageBase)) {
    auto& pages = config.pages.emplace_back();
    for (const host::Database::Page& page : database.pages) pages.push_back({pageBase, page.words});
  }
  const common::PciBusConfig pci;
  config.configBase = pci.config_base;
  config.ioBase = pci.io_base;
  config.windowBase = kWindowBase;
  if (settings.text("host.output") == "verbose") {
    config.log = [](const std::string& line) {
      std::fprintf(stderr, "platform: %s: %s\n", sc_core::sc_time_stamp().to_string().c_str(),
                   line.c_str());
    };
  }
  return config;
}

// Enough rays at a time to fill the array a few hundred times over, and few enough for the progress
// line to move.
host::RenderOptions batched(host::RenderOptions options, const Settings& settings) {
  const auto lanes = static_cast<std::size_t>(settings.integer("tigershark.dsps"));
  options.batch = std::clamp<std::size_t>(256 * lanes, 4096, options.batch);
  return options;
}

// With --shade tigershark: what the boards run at surfaces with a shader.
host::ShadingFirmwares shadingFirmwares(const scene::Scene& scene, const Settings& settings) {
  if (settings.text("render.shade") != "tigershark" || !host::hasShaders(scene)) return {};
  return host::buildShadingFirmwares(scene, host::loadPrograms(scene),
                                     clocks(settings, "tigershark.sram_words"));
}

void warnAboutBitClock(const Settings& settings) {
  // c32.md 8.6: an externally clocked receiver needs a period of at least 2.6 H1.
  const double limit = settings.number("tigershark.clock_hz") / 2.6;
  const double bit = settings.number("tigershark.bit_clock_hz");
  if (bit > limit && settings.text("host.output") != "quiet") {
    std::fprintf(
        stderr,
        "platform: warning: tigershark.bit_clock_hz = %.0f breaks the receive limit of the "
        "part, H1/2.6 = %.0f\n",
        bit, limit);
  }
}

}  // namespace

PartResult renderTigershark(const scene::Scene& whole, const host::RenderOptions& options,
                            const Settings& settings, const host::ProgressFn& progress,
                            PartTrace& trace) {
  warnAboutBitClock(settings);
  const std::unique_ptr<ImplicitPlan> implicitPlan = planImplicit(whole, settings);
  const scene::Scene& scene = machineScene(whole, implicitPlan.get(), "tigershark");
  const c32::Image firmware = readFirmware(settings);
  host::TigersharkDriverConfig config = driverConfig(scene, settings, firmware);
  PartResult part;
  std::unique_ptr<host::TigersharkDriver> driver;
  const std::unique_ptr<ShadingPlan> plan = planShading(whole, settings);
  const host::ShadingFirmwares firmwares = shadingFirmwares(whole, settings);
  std::unique_ptr<host::SlDriver> shading;
  std::unique_ptr<host::ImplicitDriver> implicit;
  std::unique_ptr<host::TigersharkShading> boards;
  std::unique_ptr<Computer> computer;
  computer = std::make_unique<Computer>(
      settings, firmware, plan.get(), implicitPlan.get(), [&](host::HostBus& bus) {
        driver = std::make_unique<host::TigersharkDriver>(bus, config);
        driver->start();
        if (computer->shading()) shading = computer->shading()->start(bus, whole);
        if (computer->implicit()) implicit = computer->implicit()->start(bus, whole, driver.get());
        if (!firmwares.empty())
          boards = std::make_unique<host::TigersharkShading>(*driver, firmwares);
        host::SurfaceShading* const shader =
            boards ? static_cast<host::SurfaceShading*>(boards.get()) : shading.get();
        host::HitFinder& finder = implicit ? static_cast<host::HitFinder&>(*implicit) : *driver;
        part = renderWith(finder, whole, batched(options, settings), progress, shader);
      });
  config.signals =
      host::TigersharkDriverSignals::declare(trace.scope().module("driver"), config.boards);
  computer->trace(trace);
  if (const auto failure = computer->run(settings.number("run.limit_ms"))) {
    PartResult failed;
    failed.failure = failure;
    return failed;
  }
  part.simulatedPs = sc_core::sc_time_stamp().value();

  common::StatGroup stats("pc", "one host computer");
  driver->counters().report(stats.group("driver", "device driver of the boards"));
  if (shading) {
    shading->counters().report(stats.group("sl_driver", "device driver of the shading unit"));
  }
  if (boards) {
    boards->counters().report(stats.group("shading", "surface shaders as the boards' firmware"));
  }
  if (implicit) {
    implicit->counters().report(
        stats.group("implicit_driver", "device driver of the implicit-surface unit"));
  }
  computer->report(stats);
  part.problems = report::checkClosedSums(stats);
  for (auto& [key, value] : report::statisticsJson(stats)) part.modules[key] = std::move(value);
  part.hostModules = report::hostStatisticsJson(stats);
  return part;
}

void describeTigershark(common::StatGroup& stats, const Settings& settings) {
  const c32::Image firmware = readFirmware(settings);
  const ShadingPlan plan = emptyPlan();
  const ImplicitPlan implicit = emptyImplicitPlan(settings);
  Computer computer(settings, firmware, &plan, &implicit, [](host::HostBus&) {});
  host::ImplicitDriver::Counters{}.report(stats.group(
      "implicit_driver", "device driver of the implicit-surface unit, for scenes with them"));
  host::SlDriver::Counters{}.report(
      stats.group("sl_driver", "device driver of the shading unit, for surfaces with a shader"));
  host::TigersharkDriver::Counters{}.report(stats.group("driver", "device driver of the boards"));
  host::TigersharkShading::Counters{}.report(
      stats.group("shading", "surface shaders as the boards' firmware, with --shade tigershark"));
  computer.report(stats);
}

std::string describeNeed(const scene::Scene& whole, const Settings& settings) {
  const std::unique_ptr<ImplicitPlan> plan = planImplicit(whole, settings);
  if (plan && plan->others.elements.empty()) return {};
  const scene::Scene& scene = machineScene(whole, plan.get(), "tigershark");
  const c32::Image firmware = readFirmware(settings);
  const std::uint32_t sram = clocks(settings, "tigershark.sram_words");
  const std::uint32_t pageBase = endOf(loadable(firmware, sram));
  std::string text;
  const std::vector<host::Database> all = databases(scene, settings, pageBase);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const host::Database::Statistics& s = all[i].statistics;
    text += "tigershark board " + std::to_string(i) + ": " + std::to_string(s.words) +
            " words of database (" + std::to_string(s.triangles) + " triangles, " +
            std::to_string(s.spheres) + " spheres, " + std::to_string(s.boxes) + " boxes), " +
            std::to_string(all[i].pages.size()) + " page(s) of at most " +
            std::to_string(sram - pageBase - 1) + " words\n";
  }
  return text;
}

}  // namespace rtvp::platform
