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
#include "models/c32/debug/unit.hpp"
#include "models/c32/peripheral_registers.hpp"
#include "models/common/core/shared_files.hpp"
#include "models/common/core/state.hpp"
#include "models/common/core/text.hpp"
#include "models/common/core/unreadable.hpp"
#include "models/common/pci_params.hpp"
#include "models/common/report_ids.hpp"
#include "models/common/socket_tap.hpp"
#include "models/tigershark/cpu_params.hpp"
#include "models/tigershark/params.hpp"
#include "models/tigershark/pld_registers.hpp"
#include "models/tigershark/protocol.hpp"
#include "models/tigershark/s5933_registers.hpp"
#include "platform/debug/board_port.hpp"
#include "platform/debug/board_seeing.hpp"
#include "platform/debug/node_dump.hpp"
#include "platform/drivers/tigershark/driver.hpp"
#include "platform/drivers/tigershark/shading.hpp"
#include "platform/machines/computer.hpp"
#include "platform/machines/declared_records.hpp"
#include "platform/machines/instruction_source.hpp"
#include "platform/machines/kinds.hpp"
#include "platform/machines/tigershark_params.hpp"
#include "platform/options/run_params.hpp"
#include "platform/raytree/shader_programs.hpp"

namespace rtvp::platform {
namespace {

/// About 10 us of the PCI bus: a third of what a board's FIFO takes to fill.
constexpr std::size_t kSharedWriteWords = 32;

c32::Image readFirmware(const std::string& file, InputFiles& files) {
  try {
    constexpr std::uint64_t kLargest = 16U << 20U;
    return c32::loadCoff(
        files.read("tigershark.firmware", common::inputFile(file, "firmware"), kLargest));
  } catch (const c32::CoffError& e) {
    throw InputError(file + ": " + e.what());
  } catch (const std::system_error&) {
    throw InputError("tigershark.firmware: " + file + ": " +
                     common::unreadable(common::inputFile(file, "firmware"), "a COFF file"));
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

/// Where the firmware says that it walks, if it does: by the labels of traverse.asm.
std::optional<tigershark::WalkMarks> walkOf(const c32::Image& image) {
  const auto tmax = image.find("best");
  const auto code = image.find("record");
  if (!tmax || !code) return std::nullopt;
  for (const c32::Section& section : image.sections) {
    const std::uint32_t offset = *code - section.runAddress;
    if (*code < section.runAddress || offset >= section.words.size()) continue;
    return tigershark::WalkMarks{*tmax, *code, section.words[offset]};
  }
  return std::nullopt;
}

std::uint32_t endOf(const std::vector<host::MemoryImage>& sections) {
  std::uint32_t end = tigershark::kFirmwareBase;
  for (const host::MemoryImage& s : sections) {
    end = std::max(end, s.address + static_cast<std::uint32_t>(s.words.size()));
  }
  return end;
}

// The database of every board, placed behind the firmware.
std::vector<host::Database> databases(const scene::Scene& scene, host::DatabaseOptions options,
                                      std::uint32_t sram, std::uint32_t pageBase) {
  options.baseAddress = pageBase;
  // The firmware may read the word behind a page's terminator before it knows that it is one: that
  // word must exist.
  options.pageWords = sram - pageBase - 1;
  options.origin = host::machineOrigin(scene);
  if (options.pageWords < host::minimumPageWords(options)) {
    throw InputError("tigershark.sram_words: found " + std::to_string(sram) +
                     ", expected at least " +
                     std::to_string(pageBase + 1 + host::minimumPageWords(options)) +
                     " for firmware and the smallest page");
  }
  return host::buildDatabases(scene, options);
}

tigershark::BoardConfig boardOf(const Settings& settings) {
  auto config =
      settings.read<tigershark::BoardConfig>(tigershark::kBoardParams, tigershark::kFaultParams,
                                             tigershark::kCpuParams, tigershark::kBoardSpeedParams);
  config.s5933.pci_period = settings.read<common::PciTiming>(common::kPciParams).period;
  return config;
}

void checkIsa(const tigershark::EngineChoice& choice) {
  if (!choice.isa || c32::simt::isaUsable(*choice.isa)) return;
  throw InputError("array.isa: found " + std::string(c32::simt::isaName(*choice.isa)) +
                   ", but this host does not have it");
}

host::TigersharkDriverConfig driverConfig(const scene::Scene& scene,
                                          const host::DatabaseOptions& chosen,
                                          const tigershark::BoardConfig& board,
                                          const c32::Image& firmware,
                                          std::vector<host::Database>& boards) {
  host::TigersharkDriverConfig config;
  config.dsps = board.dsps;
  config.clockHz = static_cast<double>(board.clockHz);
  config.bitClockHz = static_cast<double>(board.bitClockHz);
  config.waitStates = static_cast<int>(board.waitStates);
  config.doubleBuffer = board.doubleBuffer;
  config.origin = host::machineOrigin(scene);
  config.firmware = loadable(firmware, board.sramWords);
  const std::uint32_t pageBase = endOf(config.firmware);
  boards = databases(scene, chosen, board.sramWords, pageBase);
  for (const host::Database& database : boards) {
    auto& pages = config.pages.emplace_back();
    for (const host::Database::Page& page : database.pages) pages.push_back({pageBase, page.words});
  }
  return config;
}

// What the boards run at surfaces with a shader.
host::ShadingFirmwares shadingFirmwares(const scene::Scene& scene, std::uint32_t sramWords) {
  if (!host::hasShaders(scene)) return {};
  return host::buildShadingFirmwares(scene, host::loadPrograms(scene), sramWords);
}

constexpr const char* kBoards = "tigershark.boards";
constexpr std::uint64_t kDramBytes = std::uint64_t{64} << 20U;
constexpr std::uint64_t kBuffers = 0x0010'0000;                   // of the driver, in main memory
constexpr std::uint64_t kBoardWindow = std::uint64_t{64} << 20U;  // what the driver gives a board

constexpr std::array<std::string_view, 5> kFaults = {report_ids::kLockstep, report_ids::kSlaveWrite,
                                                     report_ids::kDspFault, report_ids::kContention,
                                                     report_ids::kChain};

constexpr std::array<FigureInfo, 8> kFigures{
    {{"rays", "rays/s", "driver.rays_traced / driver.batches_ps * 1e12"},
     {"tests", "tests/s", "array.tests / driver.batches_ps * 1e12"},
     {"box_tests", "tests/s", "array.box_tests / driver.batches_ps * 1e12"},
     {"busy", "share of DSP time", "array.cycles_busy / array.cycles"},
     {"barrier", "share of DSP time", "array.cycles_barrier / array.cycles"},
     {"idle", "share of DSP time", "array.cycles_idle / array.cycles"},
     {"chain", "share of time", "pld.chain_in_utilisation / (tigershark.boards * system.hosts)"},
     {"pci", "share of time", "pci.utilisation / system.hosts"}}};

constexpr std::array<Cost, 3> kCosts{
    {{Measure::Cycles,
      "(driver.batches_ps + shading.batches_ps) * tigershark.clock_hz / 1000000000000",
      "H1 cycles from a batch's first ray to its last result, chain and walk together, in equal "
      "parts to its rays: the nodes walk in lockstep and none can end before the others; so with "
      "points that the boards shade"},
     {Measure::Tests, "array.tests",
      "triangles and spheres that the array came to while the ray was open"},
     {Measure::BoxTests, "array.box_tests",
      "boxes that the array came to while the ray was open: an array goes into a box that one of "
      "its rays hits, and all of them see what is in it"}}};
constexpr std::string_view kUncounted =
    "node visits: a node of the tree is a box, see box tests; evaluations: it knows no f; "
    "instructions and bytes: words and code are broadcast, all nodes have them together";

/// The array's speed settings, and the bus that only its boards are on.
constexpr std::array<std::string_view, 2> kKeyGroups{"array", "pci"};

constexpr std::array<RegisterSpace, 5> kRegisterSpaces{{
    {"s5933_config", "S5933 of board 0, PCI configuration space",
     []() -> std::span<const common::RegisterDescriptor> {
       return tigershark::s5933::kConfigRegisters;
     },
     tigershark::s5933::kConfigBytes, "pci_config"},
    {"s5933", "S5933, operation registers of the PCI side; they begin where BADR0 says",
     []() -> std::span<const common::RegisterDescriptor> {
       return tigershark::s5933::kPciRegisters;
     },
     tigershark::s5933::kPciBytes},
    {"s5933_addon", "S5933, operation registers of the add-on side, on the board's add-on bus",
     []() -> std::span<const common::RegisterDescriptor> {
       return tigershark::s5933::kAddonRegisters;
     },
     tigershark::s5933::kAddonBytes},
    {"pld", "PLD of a board, host side; they begin where BADR2 says",
     []() -> std::span<const common::RegisterDescriptor> {
       return tigershark::pld::kRegisterTable;
     },
     tigershark::pld::kRegisterBlockEnd},
    {"c32",
     "peripherals of a TMS320C32, on its own bus, four bytes a word address: 808000h is 2020000h",
     []() -> std::span<const common::RegisterDescriptor> { return c32::kPeripheralRegisters; },
     0x800, "", std::uint64_t{4} * c32::kPeripheralBase},
}};

constexpr MachineInfo kInfo{
    .name = "tigershark",
    .help = "lockstep boards of TMS320C32 DSPs behind a PCI bridge (Princeton, 1996)",
    .primitives = {.triangles = true, .spheres = true},
    .shades = Shades::Surfaces,
    .functionsParameter = "tigershark.records",
    .keyGroups = kKeyGroups,
    .faults = kFaults,
    .costs = kCosts,
    .uncounted = kUncounted,
    .figures = kFigures,
    .registers = kRegisterSpaces};

class Tigershark final : public Machine, public InstructionSource {
 public:
  Tigershark(const MachineInfo& info, std::string name, const Settings& settings)
      : Machine(info, std::move(name), settings),
        databaseOptions_(settings.read<host::DatabaseOptions>(kTigersharkParams)),
        board_(boardOf(settings)),
        firmwareFile_(settings.read<TigersharkOptions>(kTigersharkParams).firmware),
        records_(settings.read<TigersharkOptions>(kTigersharkParams)),
        firmware_(c32::loadCoff(tigersharkFirmware())) {
    board_.walk = walkOf(firmware_);
    board_.locate = [this](std::uint32_t pc) { return placeOf(pc); };
  }

  void load(InputFiles& files) override {
    records_.load(files);
    databaseOptions_.records = records_.layout();
    if (firmwareFile_.empty()) return;
    firmware_ = readFirmware(firmwareFile_, files);
    board_.walk = walkOf(firmware_);
  }

  void prepare(const Job& job) override {
    warnAboutBitClock();
    shared_ = job.shared;
    costs_ = job.costs;
    records_.check(job.scene, runOptions(settings_).hosts);
    config_ = driverConfig(job.scene, databaseOptions_, board_, firmware_, databases_);
    if (shared_) config_.writeWords = kSharedWriteWords;
    if (job.shades) shaders_ = shadingFirmwares(job.whole, board_.sramWords);
  }

  // Enough rays at a time to fill the array a few hundred times over, and few enough for the
  // progress line to move. Where rays are dealt out, a batch is no more the board's than others'.
  void tune(host::RenderOptions& options) const override {
    if (shared_) return;
    const auto lanes = static_cast<std::size_t>(board_.dsps);
    options.batch = std::clamp<std::size_t>(256 * lanes, 4096, options.batch);
  }

  [[nodiscard]] std::string describeNeed() const override;
  [[nodiscard]] Estimate estimate() const override;

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.lines = boardCount();
    needs.side = boardCount();
    needs.pciSlots = boardCount();
    needs.slotParameter = kBoards;
    needs.dramBytes = kDramBytes;
    needs.dramBase = 0;
    needs.dramOffset = kBuffers;
    needs.reportHz = board_.clockHz;
    return needs;
  }

  void build(Computer& computer) override {
    inta_ = std::make_unique<sc_core::sc_vector<Computer::Interrupt>>("inta", boardCount());
    checkIsa(board_.engine);
    board_.pool = computer.pool();
    config_.leavesAlone = [this](std::size_t board, const sc_core::sc_time& until) {
      boards_[board]->array().leaveAlone(until);
    };
    for (std::size_t i = 0; i < boardCount(); ++i) {
      const std::string name = "board" + std::to_string(i);
      auto& board = boards_.emplace_back(std::make_unique<tigershark::Board>(name.c_str(), board_));
      tigershark::S5933& bridgeChip = board->s5933();
      common::bindSockets(bridgeChip.pci_isock, computer.pci().master_tsock);
      computer.pci().plug(bridgeChip, bridgeChip.pci_tsock);
      bridgeChip.inta_o.bind((*inta_)[i]);
      config_.lines.push_back(computer.connect(*this, (*inta_)[i], kBoards));
      if (costs_ != nullptr) board->array().countLanes();
    }
    observeBatches();
    const common::PciBusConfig& pci = computer.pci().config();
    config_.configBase = pci.config_base;
    config_.ioBase = pci.io_base;
    if (computer.map().shared()) {
      config_.firstSlot = static_cast<int>(computer.firstSlot(*this));
      config_.slots = databaseOptions_.boards;
    }
    config_.windowBase = computer.pciWindow() + kBoardWindow * computer.firstSlot(*this);
    config_.bufferBase = computer.arena(*this);
    config_.instance = computer.instance(*this);
    config_.log = log();
    records_.open(config_.instance);
    records_.observe(config_, [] { return sc_core::sc_time_stamp(); });
  }

  void declareDriver(const common::TraceScope& scope) override {
    config_.signals = host::TigersharkDriverSignals::declare(scope.module("driver"),
                                                             static_cast<int>(boardCount()));
  }
  void declare(const common::TraceScope& scope) override {
    for (std::size_t i = 0; i < boards_.size(); ++i)
      boards_[i]->trace(scope.module("board" + std::to_string(i)));
  }

  [[nodiscard]] std::unique_ptr<DebugPort> debugPort() override {
    if (records_.logs()) {
      throw InputError(
          "tigershark.result_log: found it with a debugger, which runs parts of the run again; "
          "expected one of the two");
    }
    return std::make_unique<BoardPort>(boards_, firmware_, prefix());
  }

  bool keepProfile() override {
    if (!shaders_.empty()) {
      throw InputError("output.profile: the boards of " + name() +
                       " run shaders, each a program of its own; expected render.shade other "
                       "than tigershark");
    }
    for (const auto& board : boards_) board->array().keepAccounts();
    return true;
  }
  [[nodiscard]] std::vector<debug::Profile> profiles() override {
    return {boardProfile(boards_, firmware_, name(), prefix())};
  }
  bool logInstructions(const InstructionWish& wish) override {
    log_ = watchBoards(boards_, firmware_, prefix(), wish.wants, wish.from, wish.to, wish.sink);
    return log_ != nullptr;
  }
  void finishInstructions() override { log_->finish(); }

  [[nodiscard]] bool dump(const NodeOrder& order) override;
  [[nodiscard]] std::string dumpable() const override { return "boardN.dspM[@batch=K]"; }

  void start(host::HostBus& bus) override {
    driver_ = std::make_unique<host::TigersharkDriver>(bus, config_);
    chargeDatabases(bus);
    driver_->start();
    if (records_.dumps()) dumpMemory();
    if (!shaders_.empty()) {
      shading_ = std::make_unique<host::TigersharkShading>(*driver_, shaders_);
    }
  }
  [[nodiscard]] host::HitFinder* finder() override { return driver_.get(); }
  [[nodiscard]] host::SurfaceShading* shading() override { return shading_.get(); }

  /// Masters that ask for the PCI bus in the same picosecond are served as the kernel calls them,
  /// which depends on events before the checkpoint that are no state of the modules. One board and
  /// a host that sleeps meanwhile never do.
  [[nodiscard]] std::string noCheckpoint() const override {
    return records_.logs() ? "a log of results (tigershark.result_log)" : "";
  }
  [[nodiscard]] bool quiescent() const override {
    return std::all_of(boards_.begin(), boards_.end(),
                       [](const auto& board) { return board->quiescent(); });
  }
  void state(common::StateArchive& a) override {
    for (auto& board : boards_) a(*board);
    a(*driver_);
    if (shading_) a(*shading_);
  }

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

  [[nodiscard]] std::vector<DiagnosticFile> finishFiles() override { return records_.finish(); }

  static std::vector<report::SummaryLine> summary(const report::RunFigures& run);
  static std::optional<std::string> tooLittle(const report::RunFigures& run);
  static report::MachineFigures comparison(const report::RunFigures& run);
  static double instructions(const report::RunFigures& run) {
    return run.sum("array", "instructions");
  }

 private:
  /// Symbol and source line, where the firmware has them.
  [[nodiscard]] std::string placeOf(std::uint32_t pc) const {
    const debug::Program program = c32::debugProgram(firmware_);
    const std::string symbol = program.symbolic(pc);
    std::string line = program.lineText(pc);
    if (symbol == common::hex(pc, 6)) return line;
    return symbol + (line.empty() ? "" : " (" + line + ")");
  }
  /// Before the names of its units.
  [[nodiscard]] std::string prefix() const {
    return config_.instance.empty() ? "" : config_.instance + ".";
  }
  [[nodiscard]] std::size_t boardCount() const {
    return static_cast<std::size_t>(databaseOptions_.boards);
  }
  void warnAboutBitClock() const;
  void recordNode(const DspPlace& place, const NodeOrder& order, std::uint64_t batch, bool begins);
  void observeBatches();
  void chargeDatabases(host::WorkMeter& meter) const;
  void dumpMemory();

  host::DatabaseOptions databaseOptions_;
  bool shared_ = false;           ///< Job::shared
  CostAccount* costs_ = nullptr;  ///< Job::costs
  sc_core::sc_time charged_;      ///< of batches so far
  tigershark::BoardConfig board_;
  std::string firmwareFile_;  ///< empty: the one built with the platform
  DeclaredRecords records_;
  c32::Image firmware_;
  std::vector<host::Database> databases_;
  host::TigersharkDriverConfig config_;
  host::ShadingFirmwares shaders_;
  std::unique_ptr<sc_core::sc_vector<Computer::Interrupt>> inta_;
  std::vector<std::unique_ptr<tigershark::Board>> boards_;
  std::unique_ptr<DspRecorder> recorder_;            ///< while a DSP is recorded
  std::unique_ptr<tigershark::InstructionLog> log_;  ///< null: nobody asks
  std::unique_ptr<host::TigersharkDriver> driver_;
  std::unique_ptr<host::TigersharkShading> shading_;
};

void Tigershark::dumpMemory() {
  for (std::size_t i = 0; i < boards_.size(); ++i) {
    tigershark::LockstepArray& array = boards_[i]->array();
    records_.dump({"board" + std::to_string(i), board_.sramWords, firmware_,
                   [&](std::uint32_t address) { return array.look(0, address).value_or(0); }});
  }
}

void Tigershark::warnAboutBitClock() const {
  // c32.md 8.6: an externally clocked receiver needs a period of at least 2.6 H1.
  const double limit = static_cast<double>(board_.clockHz) / 2.6;
  const auto bit = static_cast<double>(board_.bitClockHz);
  if (bit <= limit) return;
  std::array<char, 160> text{};
  std::snprintf(
      text.data(), text.size(),
      "tigershark.bit_clock_hz = %.0f breaks the receive limit of the part, H1/2.6 = %.0f", bit,
      limit);
  warn(text.data());
}

bool Tigershark::dump(const NodeOrder& order) {
  const auto place = dspPlace(order.unit);
  if (!place) return false;
  if (place->board >= boardCount() || place->lane >= board_.dsps) {
    throw InputError("--dump-node: found " + order.unit + ", expected board0.dsp0 to board" +
                     std::to_string(boardCount() - 1) + ".dsp" + std::to_string(board_.dsps - 1));
  }
  if (!order.what.empty() && order.what != "batch") {
    throw InputError("--dump-node: found " + order.unit + "@" + order.what +
                     ", expected @batch=N, batches of rays counted from 0 on");
  }
  config_.atBatch = [this, place = *place, order](std::uint64_t batch, bool begins) {
    if (batch == order.number) recordNode(place, order, batch, begins);
  };
  return true;
}

void Tigershark::recordNode(const DspPlace& place, const NodeOrder& order, std::uint64_t batch,
                            bool begins) {
  tigershark::Board& board = *boards_.at(place.board);
  if (begins) {
    recorder_ = std::make_unique<DspRecorder>(board, place.lane, order.unit);
    recorder_->begin("batch " + std::to_string(batch));
    return;
  }
  const c32::NodeRecord record = recorder_->end();
  recorder_.reset();
  c32::writeNode(order.folder, record, firmware_);
  order.done(order.unit + ", batch " + std::to_string(batch) + ": " +
             std::to_string(record.received.size()) + " words received, " +
             std::to_string(record.sent.size()) + " sent, " +
             std::to_string(record.releases.size()) + " barriers\n" + "c32-run --node " +
             order.folder.string() + " [-i]\n");
}

/// Charges rays and shading points to their pixels, if somebody wants to know.
void Tigershark::observeBatches() {
  if (costs_ == nullptr) return;
  if (!board_.walk) {
    for (const Measure none : {Measure::Tests, Measure::BoxTests}) {
      costs_->withdraw(none, std::string(infoOf(none).title) +
                                 ": the firmware has no labels best and record to tell them by");
    }
  }
  costs_->setClock(static_cast<std::uint64_t>(std::llround(1e12 / config_.clockHz)));
  config_.batchDone = [this](std::span<const std::uint32_t> pixels, const sc_core::sc_time& taken) {
    // Whole cycles, so that those of all batches add up to their time.
    const auto cyclesBy = [&](const sc_core::sc_time& time) {
      return static_cast<std::uint64_t>(static_cast<double>(time.value()) * config_.clockHz / 1e12);
    };
    const std::uint64_t before = cyclesBy(charged_);
    charged_ += taken;
    costs_->share(pixels, Measure::Cycles, cyclesBy(charged_) - before);
    for (const auto& board : boards_) {
      const auto lanes = board->array().takeLaneTests();
      for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        // Fillers are not open, and meet nothing that counts.
        const std::uint32_t pixel = lane < pixels.size() ? pixels[lane] : host::kNoPixel;
        costs_->charge(pixel, Measure::Tests, lanes[lane].tests);
        costs_->charge(pixel, Measure::BoxTests, lanes[lane].boxTests);
      }
    }
  };
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
                        static_cast<double>(board.statistics.triangles + board.statistics.spheres +
                                            board.statistics.declared));
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

/// They were built before the simulation, but by this computer.
void Tigershark::chargeDatabases(host::WorkMeter& meter) const {
  for (const host::Database& database : databases_) {
    const host::Database::Statistics& s = database.statistics;
    meter.work(host::Work::ProjectTriangle, std::uint64_t{s.triangles} + s.spheres + s.declared);
    meter.work(host::Work::BinTriangle, s.binned);
    meter.work(host::Work::TreeNode, s.cuts);
    meter.work(host::Work::EncodeWord, s.words);
  }
}

std::string Tigershark::describeNeed() const {
  const std::uint32_t sram = board_.sramWords;
  const std::uint32_t pageBase = endOf(loadable(firmware_, sram));
  std::string text;
  for (std::size_t i = 0; i < databases_.size(); ++i) {
    const host::Database::Statistics& s = databases_[i].statistics;
    text += "tigershark board " + std::to_string(i) + ": " + std::to_string(s.words) +
            " words of database (" + std::to_string(s.triangles) + " triangles, " +
            std::to_string(s.spheres) + " spheres, " +
            (s.declared > 0 ? std::to_string(s.declared) + " declared records, " : "") +
            std::to_string(s.boxes) + " boxes), " + std::to_string(databases_[i].pages.size()) +
            " page(s) of at most " + std::to_string(sram - pageBase - 1) + " words\n";
  }
  return text;
}

std::optional<std::string> Tigershark::tooLittle(const report::RunFigures& run) {
  constexpr double kMuch = 0.1;
  const double fillers = run.sum("driver", "rays_filler");
  const double all = run.sum("driver", "rays_sent") + fillers;
  if (all <= 0 || fillers <= kMuch * all) return std::nullopt;
  return report::percent(fillers / all) +
         " of the rays only filled up arrays: there are too few for so many DSPs, expected a "
         "larger picture";
}

std::vector<report::SummaryLine> Tigershark::summary(const report::RunFigures& run) {
  const auto array = [&](const char* figure) { return run.sum("array", figure); };
  std::vector<report::SummaryLine> lines;
  const double instructions = array("instructions");
  lines.push_back({"DSPs", report::scaled(array("lanes"), "") + "on " +
                               std::to_string(run.count("array", "lanes")) + " board(s): " +
                               report::scaled(instructions, "instructions") + ", simulated at " +
                               report::scaled(instructions / 1e6 / run.wallSeconds(), "MIPS")});
  const double votes = array("votes");
  const double skips = array("skips");
  const double tests = array("tests");
  const double simulated = run.simulatedSeconds();
  if (run.count("array", "tests") > 0) {
    lines.push_back(
        {"tests", report::scaled(tests, "ray-primitive tests, ") +
                      report::scaled(simulated > 0 ? tests / simulated : 0, "tests/s")});
  } else {
    lines.push_back({"tests", "not counted: the firmware has no labels best and record"});
  }
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

report::MachineFigures Tigershark::comparison(const report::RunFigures& run) {
  const auto array = [&](const char* figure) { return run.sum("array", figure); };
  const double boards = std::max(1, run.count("array", "lanes"));
  const double lanes = run.mean("array", "lanes");
  const double cycles = array("cycles") / std::max(1.0, lanes * boards);
  const double of = std::max(1.0, cycles) * boards;
  report::MachineFigures f;
  f.cycles = cycles;
  // Firmware whose walk the array does not know has no such figures.
  if (run.count("array", "tests") > 0) {
    f.tests = array("tests");
    f.boxTests = array("box_tests");
    f.nodeVisits = f.boxTests;
  }
  constexpr double kWordBytes = 4;
  const double broadcast = array("broadcast_data_words") + array("broadcast_fetch_words");
  f.traffic = {{"PCI", kWordBytes * run.sum("pci", "data_phases")},
               {"shared SRAM", kWordBytes * broadcast, true}};
  f.resources = {
      {"chain in", run.mean("pld", "chain_in_utilisation"), "bits of rays on the serial chain"},
      {"chain out", run.mean("pld", "chain_out_utilisation"), "bits of results on it"},
      {"walk", array("walk_cycles") / of, "the array is on its way through the database"},
      {"DSPs", array("cycles_busy") / of / std::max(1.0, lanes), "executing, mean of all DSPs"},
      {"shared bus", run.mean("array", "bus_utilisation"), "a word moves on it"},
      {"PCI", run.mean("pci", "utilisation"), "a transaction is on it"}};
  f.idle = array("cycles_idle") / of / std::max(1.0, lanes);
  return f;
}

}  // namespace

const MachineKind& tigersharkKind() {
  static const KindOf<Tigershark, kInfo> kKind;
  return kKind;
}

}  // namespace rtvp::platform
