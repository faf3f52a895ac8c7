// TigerSHARK boards of a host computer: configuration, wiring, driver, words of the summary.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <system_error>
#include <systemc>

#include "firmware/tigershark_firmware.hpp"
#include "models/c32/asm/coff.hpp"
#include "models/common/report_ids.hpp"
#include "models/tigershark/board.hpp"
#include "models/tigershark/protocol.hpp"
#include "platform/drivers/tigershark/database.hpp"
#include "platform/drivers/tigershark/driver.hpp"
#include "platform/drivers/tigershark/shading.hpp"
#include "platform/machines/computer.hpp"
#include "platform/machines/kinds.hpp"
#include "platform/raytree/shader_programs.hpp"
#include "platform/report/file_io.hpp"

namespace rtvp::platform {
namespace {

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
  config.s5933.pci_period = sc_core::sc_time(1 / settings.number("pci.clock_hz"), sc_core::SC_SEC);
  config.locate = [firmware](std::uint32_t pc) { return firmware.sourceLine(pc); };
  return config;
}

host::TigersharkDriverConfig driverConfig(const scene::Scene& scene, const Settings& settings,
                                          const c32::Image& firmware,
                                          std::vector<host::Database>& boards) {
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
  boards = databases(scene, settings, pageBase);
  for (const host::Database& database : boards) {
    auto& pages = config.pages.emplace_back();
    for (const host::Database::Page& page : database.pages) pages.push_back({pageBase, page.words});
  }
  return config;
}

// What the boards run at surfaces with a shader.
host::ShadingFirmwares shadingFirmwares(const scene::Scene& scene, const Settings& settings) {
  if (!host::hasShaders(scene)) return {};
  return host::buildShadingFirmwares(scene, host::loadPrograms(scene),
                                     clocks(settings, "tigershark.sram_words"));
}

constexpr std::uint64_t kDramBytes = std::uint64_t{64} << 20U;
constexpr std::uint64_t kBuffers = 0x0010'0000;                   // of the driver, in main memory
constexpr std::uint64_t kBoardWindow = std::uint64_t{64} << 20U;  // what the driver gives a board

constexpr std::array<std::string_view, 5> kFaults = {report_ids::kLockstep, report_ids::kSlaveWrite,
                                                     report_ids::kDspFault, report_ids::kContention,
                                                     report_ids::kChain};

constexpr MachineInfo kInfo{
    .name = "tigershark",
    .help = "lockstep boards of TMS320C32 DSPs behind a PCI bridge (Princeton, 1996)",
    .primitives = {.triangles = true, .spheres = true},
    .shades = Shades::Surfaces,
    .faults = kFaults};

class Tigershark final : public Machine {
 public:
  Tigershark(std::string name, const Settings& settings)
      : Machine(kInfo, std::move(name), settings), firmware_(readFirmware(settings)) {}

  void prepare(const Job& job) override {
    warnAboutBitClock();
    config_ = driverConfig(job.scene, settings_, firmware_, databases_);
    if (job.shades) shaders_ = shadingFirmwares(job.whole, settings_);
  }

  // Enough rays at a time to fill the array a few hundred times over, and few enough for the
  // progress line to move.
  void tune(host::RenderOptions& options) const override {
    const auto lanes = static_cast<std::size_t>(settings_.integer("tigershark.dsps"));
    options.batch = std::clamp<std::size_t>(256 * lanes, 4096, options.batch);
  }

  [[nodiscard]] std::string describeNeed() const override;
  [[nodiscard]] Estimate estimate() const override;

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.lines = boardCount();
    needs.pciSlots = boardCount();
    needs.dramBytes = kDramBytes;
    needs.dramOffset = kBuffers;
    return needs;
  }

  void build(Computer& computer) override {
    inta_ = std::make_unique<sc_core::sc_vector<Computer::Interrupt>>("inta", boardCount());
    const tigershark::BoardConfig config = boardConfig(settings_, firmware_);
    for (std::size_t i = 0; i < boardCount(); ++i) {
      const std::string name = "board" + std::to_string(i);
      auto& board = boards_.emplace_back(std::make_unique<tigershark::Board>(name.c_str(), config));
      tigershark::S5933& bridgeChip = board->s5933();
      bridgeChip.pci_isock.bind(computer.pci().master_tsock);
      computer.pci().plug(bridgeChip, bridgeChip.pci_tsock);
      bridgeChip.inta_o.bind((*inta_)[i]);
      config_.lines.push_back(computer.connect(*this, (*inta_)[i]));
    }
    const common::PciBusConfig& pci = computer.pci().config();
    config_.configBase = pci.config_base;
    config_.ioBase = pci.io_base;
    if (computer.map().shared()) {
      config_.firstSlot = static_cast<int>(computer.firstSlot(*this));
      config_.slots = config_.boards;
    }
    config_.windowBase = computer.pciWindow() + kBoardWindow * computer.firstSlot(*this);
    config_.bufferBase = computer.arena(*this);
    config_.log = log();
  }

  void declareDriver(const common::TraceScope& scope) override {
    config_.signals = host::TigersharkDriverSignals::declare(scope.module("driver"),
                                                             static_cast<int>(boardCount()));
  }
  void declare(const common::TraceScope& scope) override {
    for (std::size_t i = 0; i < boards_.size(); ++i)
      boards_[i]->trace(scope.module("board" + std::to_string(i)));
  }

  void start(host::HostBus& bus, Others /*others*/) override {
    driver_ = std::make_unique<host::TigersharkDriver>(bus, config_);
    driver_->start();
    if (!shaders_.empty()) {
      shading_ = std::make_unique<host::TigersharkShading>(*driver_, shaders_);
    }
  }
  [[nodiscard]] host::HitFinder* finder() override { return driver_.get(); }
  [[nodiscard]] host::SurfaceShading* shading() override { return shading_.get(); }

  void reportDriver(common::StatGroup& stats) const override {
    (driver_ ? driver_->counters() : host::TigersharkDriver::Counters{})
        .report(stats.group("driver", "device driver of the boards"));
    if (driver_ && !shading_) return;
    (shading_ ? shading_->counters() : host::TigersharkShading::Counters{})
        .report(stats.group("shading", "surface shaders as the boards' firmware"));
  }
  void report(common::StatGroup& stats) override {
    for (std::size_t i = 0; i < boards_.size(); ++i) {
      boards_[i]->report(stats.group("board" + std::to_string(i), "one TigerSHARK board"));
    }
  }
  [[nodiscard]] std::string states() const override {
    std::string text;
    for (std::size_t i = 0; i < boards_.size(); ++i) {
      text += "\nboard" + std::to_string(i) + ":\n" + boards_[i]->describe();
    }
    return text;
  }

 private:
  [[nodiscard]] std::size_t boardCount() const {
    return static_cast<std::size_t>(count(settings_, "tigershark.boards"));
  }
  void warnAboutBitClock() const;

  c32::Image firmware_;
  std::vector<host::Database> databases_;
  host::TigersharkDriverConfig config_;
  host::ShadingFirmwares shaders_;
  std::unique_ptr<sc_core::sc_vector<Computer::Interrupt>> inta_;
  std::vector<std::unique_ptr<tigershark::Board>> boards_;
  std::unique_ptr<host::TigersharkDriver> driver_;
  std::unique_ptr<host::TigersharkShading> shading_;
};

void Tigershark::warnAboutBitClock() const {
  // c32.md 8.6: an externally clocked receiver needs a period of at least 2.6 H1.
  const double limit = settings_.number("tigershark.clock_hz") / 2.6;
  const double bit = settings_.number("tigershark.bit_clock_hz");
  if (bit <= limit) return;
  std::array<char, 160> text{};
  std::snprintf(
      text.data(), text.size(),
      "tigershark.bit_clock_hz = %.0f breaks the receive limit of the part, H1/2.6 = %.0f", bit,
      limit);
  warn(text.data());
}

// Chain bits there and back, a walk through some dozen records a level of the tree, pages over PCI.
Estimate Tigershark::estimate() const {
  constexpr double kBits = 32.0 * (tigershark::kRayWords + tigershark::kResultWords);
  constexpr double kCyclesALevel = 540;
  constexpr double kSecondsAWord = 50e-9;
  double words = 0, elements = 2;
  for (const host::Database& board : databases_) {
    words += static_cast<double>(board.statistics.words);
    elements = std::max(elements,
                        static_cast<double>(board.statistics.triangles + board.statistics.spheres));
  }
  const auto lanes = static_cast<double>(config_.dsps);
  const double walk = kCyclesALevel * std::log2(elements + 1) / config_.clockHz;
  Estimate e;
  // Every board sees every ray: its database is a part of the scene.
  e.perRay = kBits / config_.bitClockHz + walk / lanes;
  e.perBatch = walk;
  e.setUp = 1e-3 + words * kSecondsAWord;
  e.grain = static_cast<std::size_t>(config_.dsps);
  return e;
}

std::string Tigershark::describeNeed() const {
  const std::uint32_t sram = clocks(settings_, "tigershark.sram_words");
  const std::uint32_t pageBase = endOf(loadable(firmware_, sram));
  std::string text;
  for (std::size_t i = 0; i < databases_.size(); ++i) {
    const host::Database::Statistics& s = databases_[i].statistics;
    text += "tigershark board " + std::to_string(i) + ": " + std::to_string(s.words) +
            " words of database (" + std::to_string(s.triangles) + " triangles, " +
            std::to_string(s.spheres) + " spheres, " + std::to_string(s.boxes) + " boxes), " +
            std::to_string(databases_[i].pages.size()) + " page(s) of at most " +
            std::to_string(sram - pageBase - 1) + " words\n";
  }
  return text;
}

std::vector<report::SummaryLine> summarise(const report::RunFigures& run) {
  const auto array = [&](const char* figure) { return run.sum("array", figure); };
  std::vector<report::SummaryLine> lines;
  const double instructions = array("instructions");
  const double lanes = run.mean("array", "lanes");
  lines.push_back({"DSPs", report::scaled(array("lanes"), "") + "on " +
                               std::to_string(run.count("array", "lanes")) + " board(s): " +
                               report::scaled(instructions, "instructions") + ", simulated at " +
                               report::scaled(instructions / 1e6 / run.wallSeconds(), "MIPS")});
  const double votes = array("votes");
  const double skips = array("skips");
  // One barrier a record (design.md section 10): what is no vote is a triangle or sphere for every
  // lane.
  const double tests = (array("barriers") - votes) * lanes;
  const double simulated = run.simulatedSeconds();
  lines.push_back({"tests", report::scaled(tests, "ray-primitive tests, ") +
                                report::scaled(simulated > 0 ? tests / simulated : 0, "tests/s")});
  lines.push_back({"votes", report::scaled(votes, "votes, ") +
                                report::percent(votes > 0 ? skips / votes : 0) +
                                " skipped the box's contents"});
  lines.push_back(
      {"links", "shared bus " + report::percent(run.mean("array", "bus_utilisation")) +
                    ", chain in " + report::percent(run.mean("pld", "chain_in_utilisation")) +
                    ", out " + report::percent(run.mean("pld", "chain_out_utilisation")) +
                    ", PCI " + report::percent(run.mean("pci", "utilisation")) +
                    " of the time busy"});
  const double cycles = array("cycles");
  if (cycles <= 0) return lines;
  static constexpr std::array<report::Part, 7> kParts{{{"cycles_busy", "executing"},
                                                       {"cycles_bus_wait", "bus wait"},
                                                       {"cycles_barrier", "barrier"},
                                                       {"cycles_conflict", "pipeline"},
                                                       {"cycles_interrupt", "interrupt"},
                                                       {"cycles_other", "other"},
                                                       {"cycles_idle", "idle"}}};
  lines.push_back({"DSP cycles", report::shares(array, kParts, cycles)});
  return lines;
}

class Kind final : public MachineKind {
 public:
  [[nodiscard]] const MachineInfo& info() const override { return kInfo; }
  [[nodiscard]] std::unique_ptr<Machine> make(std::string name,
                                              const Settings& settings) const override {
    return std::make_unique<Tigershark>(std::move(name), settings);
  }
  [[nodiscard]] std::vector<report::SummaryLine> summary(
      const report::RunFigures& run) const override {
    return summarise(run);
  }
  [[nodiscard]] double instructions(const report::RunFigures& run) const override {
    return run.sum("array", "instructions");
  }
};

}  // namespace

const MachineKind& tigersharkKind() {
  static const Kind kKind;
  return kKind;
}

}  // namespace rtvp::platform
