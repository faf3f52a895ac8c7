// XPHMG_RT units of a host computer, with the hart that may drive them: configuration, wiring,
// driver, words of the summary.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iomanip>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <systemc>

#include "models/common/core/state.hpp"
#include "models/common/core/whole_number.hpp"
#include "models/common/report_ids.hpp"
#include "models/xphmg/csr_table.hpp"
#include "models/xphmg/debug/hart_profile.hpp"
#include "models/xphmg/debug/job_record.hpp"
#include "models/xphmg/mailbox_registers.hpp"
#include "models/xphmg/params.hpp"
#include "platform/debug/debugged_hart.hpp"
#include "platform/drivers/xphmg/scene.hpp"
#include "platform/machines/computer.hpp"
#include "platform/machines/instruction_source.hpp"
#include "platform/machines/kinds.hpp"
#include "platform/machines/processor.hpp"
#include "platform/machines/xphmg_hart.hpp"
#include "platform/machines/xphmg_params.hpp"

namespace rtvp::platform {
namespace {

constexpr std::uint64_t kPages = 0x20000000;  // units' registers (xphmg.md 16.1)
constexpr const char* kUnits = "xphmg.units";

xphmg::UnitConfig unitOf(const Settings& settings) {
  return settings.read<xphmg::UnitConfig>(xphmg::kUnitParams, xphmg::kUnitSpeedParams);
}

host::XphmgDriverConfig driverConfig(const Settings& settings, const XphmgOptions& options) {
  auto config = settings.read<host::XphmgDriverConfig>(kXphmgParams);
  config.pages.resize(options.units);  // their places come with the computer
  if (options.hart) {
    config.mailbox = 0;
    config.memorySize -= HartDevice::kHartMemory;
  }
  return config;
}

void describeDatabase(common::StatGroup& stats, const host::XphmgDatabase& database) {
  stats.count("triangles", "triangles", "in the unit's memory", database.elements.size());
  stats.count("tiles", "tiles", "BVHNode4 tiles", database.bvh.tiles);
  stats.count("leaves", "leaves", "TriRanges", database.bvh.leaves);
  stats.count("depth", "tiles", "longest path", database.bvh.depth);
  stats.count("max_stack", "entries", "stack that a ray can need", database.bvh.maxStack);
  stats.count("heap_bytes", "bytes", "tiles and TriRanges", database.bvh.heap.size());
  stats.count("triangle_bytes", "bytes", "triangles", database.triangles.size());
}

void checkXphmg(const scene::Scene& scene, unsigned kib, const XphmgOptions& options) {
  if (kib != 0 && !std::has_single_bit(kib)) {
    throw InputError("xphmg.lmem_kib: found " + std::to_string(kib) +
                     ", expected 0 or a power of two");
  }
  if (options.hart) {
    if (options.units != 1) {
      throw InputError("xphmg.units: found " + std::to_string(options.units) +
                       ", expected 1: the hart drives unit 0 only (xphmg.driver=hart)");
    }
  }
  if (scene.elements.empty()) throw InputError("XPHMG_RT: the scene has no triangle");
}

constexpr std::array<std::string_view, 1> kFaults = {report_ids::kHartFault};
constexpr std::array<Cost, 4> kCosts{
    {{Measure::Cycles, "unit.cycles - unit.cycles_idle",
      "of the unit, from reading the ray's entry to publishing its result; descriptors and ring "
      "headers are no ray's"},
     {Measure::Tests, "unit.triangles", "triangles that the triangle pipeline was given"},
     {Measure::NodeVisits, "unit.nodes",
      "nodes that the box pipeline was given; all boxes of a node are one visit"},
     {Measure::Bytes,
      "classes.cl0_bytes + classes.cl1_bytes + classes.cl2_bytes + classes.cl3_bytes",
      "on the bus between reading the ray's entry and publishing its result: a line of geometry "
      "is charged to the ray that missed it in LMEM, later ones have it for nothing"}}};
constexpr std::string_view kUncounted =
    "box tests: the unit tests all boxes of a node at once, see node visits; evaluations: it knows "
    "no f; instructions: its pipelines run no program";

constexpr std::array<RegisterSpace, 2> kRegisterSpaces{{
    {"xphmg", "XPHMG_RT, registers of unit 0: the hart's CSRs and those of a bus master alone",
     []() -> std::span<const common::RegisterDescriptor> { return xphmg::csrTable(); },
     xphmg::page::kSize, "unit0"},
    {"mailbox",
     "XPHMG_RT, mailbox between host and hart; in the address map with xphmg.driver=hart alone",
     []() -> std::span<const common::RegisterDescriptor> { return xphmg::mailbox::kRegisterTable; },
     xphmg::mailbox::kSize, "mailbox"},
}};

constexpr MachineInfo kInfo{
    .name = "xphmg",
    .help = "XPHMG_RT, ray-tracing units of a RISC-V vendor extension with an offload queue",
    .primitives = {.triangles = true},
    .faults = kFaults,
    .costs = kCosts,
    .uncounted = kUncounted,
    .registers = kRegisterSpaces};

class Xphmg final : public Machine, public DebuggedHart, public InstructionSource {
 public:
  [[nodiscard]] xphmg::HartModule* hart() override { return hart_ ? &hart_->module() : nullptr; }
  [[nodiscard]] const rv64::ElfImage& hartProgram() const override { return program_->image(); }
  [[nodiscard]] rv64::Observer* hartObserver() override { return hart_->observer(); }

  Xphmg(const MachineInfo& info, std::string name, const Settings& settings)
      : Machine(info, std::move(name), settings),
        options_(settings.read<XphmgOptions>(kXphmgParams)),
        unitConfig_(unitOf(settings)) {}

  void load(InputFiles& files) override {
    if (options_.hart) program_.emplace(options_.hartElf, files);
  }
  void prepare(const Job& job) override;
  void tune(host::RenderOptions& options) const override {
    options.rayOffset = std::max(options.rayOffset, host::xphmgLeastOffset(job_->scene, space_));
  }
  [[nodiscard]] std::string describeNeed() const override;
  /// A node and a few triangles a level of the tree, of which some come from memory.
  [[nodiscard]] Estimate estimate() const override {
    constexpr double kTestsALevel = 3;
    const double cycle = unitConfig_.period.to_seconds();
    const double levels = std::log2(static_cast<double>(database_.elements.size()) + 2);
    const xphmg::UnitTiming& t = unitConfig_.timing;
    const auto latency = static_cast<double>(t.bboxCycles + t.t1);
    const auto memory = static_cast<double>(t.t3);
    Estimate e;
    e.perRay =
        (levels * kTestsALevel * latency + memory) * cycle / static_cast<double>(options_.units);
    e.perBatch = 10 * memory * cycle;
    const std::uint64_t bytes = database_.bvh.heap.size() + database_.triangles.size();
    e.setUp = 1e-6 + workCosts(settings_).port.timeOf(bytes).to_seconds();
    return e;
  }

  [[nodiscard]] bool dump(const NodeOrder& order) override;
  [[nodiscard]] std::string dumpable() const override {
    return options_.units == 1 ? "xphmg[@job=N]"
                               : "unit0[@job=N] to unit" + std::to_string(options_.units - 1);
  }

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.lines = options_.units;
    needs.dramBytes = settings_.read<host::XphmgDriverConfig>(kXphmgParams).memorySize;
    needs.dramParameter = "xphmg.memory_mib";
    needs.busParameter = "xphmg.bus_ns";
    needs.dramFirst = options_.hart;
    needs.directMemory = true;
    needs.busLatency = options_.busLatency;
    return needs;
  }
  void build(Computer& computer) override;
  void declare(const common::TraceScope& scope) override {
    for (std::size_t i = 0; i < units_.size(); ++i)
      units_[i]->trace(scope.module("unit" + std::to_string(i)));
    if (hart_) hart_->declare(scope.module("hart0"));
  }

  bool keepProfile() override {
    if (!hart_) return false;
    program_->checkLines(settings_.said("output.coverage"));
    hart_->keepAccount();
    return true;
  }
  [[nodiscard]] std::vector<debug::Profile> profiles() override {
    if (!hart_) return {};
    return {rv64::profileOf(name(), hartName(), program_->image(), hart_->account())};
  }

  [[nodiscard]] bool watchable() const override { return hart_ != nullptr; }
  bool logInstructions(const InstructionWish& wish) override {
    if (!wish.wants(hartName())) return false;
    program_->checkLines(false);
    hart_->logInstructions(hartName(), wish);
    return true;
  }
  void finishInstructions() override { hart_->finishInstructions(); }

  void start(host::HostBus& bus) override {
    driver_ = std::make_unique<host::XphmgDriver>(bus, database_, space_, config_);
    driver_->start();
  }
  [[nodiscard]] host::HitFinder* finder() override { return driver_.get(); }

  [[nodiscard]] std::string noCheckpoint() const override { return {}; }
  [[nodiscard]] bool quiescent() const override {
    return std::all_of(units_.begin(), units_.end(),
                       [](const auto& unit) { return unit->quiescent(); }) &&
           (!hart_ || hart_->quiescent());
  }
  void state(common::StateArchive& a) override {
    for (auto& unit : units_) a(*unit);
    if (hart_) a(*hart_);
    a(*driver_);
  }

  void reportDriver(common::StatGroup& stats) const override {
    describeDatabase(stats.group("database", "what the driver put into memory"), database_);
    (driver_ ? driver_->counters() : host::XphmgDriver::Counters{})
        .report(stats.group("driver", "device driver of the XPHMG_RT units"));
  }
  void report(common::StatGroup& stats) override {
    for (std::size_t i = 0; i < units_.size(); ++i)
      units_[i]->report(stats.group("unit" + std::to_string(i), "an XPHMG_RT unit"));
    if (hart_) hart_->report(stats);
  }
  [[nodiscard]] std::string states() const override {
    return hart_ ? "; " + hart_->describe() : std::string();
  }
  void chargeRest() override;
  [[nodiscard]] std::optional<Failure> failure() const override {
    return hart_ ? hart_->failure() : std::nullopt;
  }

  static std::vector<report::SummaryLine> summary(const report::RunFigures& run);
  static std::optional<std::string> tooLittle(const report::RunFigures& run);
  static report::MachineFigures comparison(const report::RunFigures& run);

 private:
  [[nodiscard]] host::XphmgBvhOptions treeOptions(unsigned threads) const {
    auto options = settings_.read<host::XphmgBvhOptions>(kXphmgParams);
    options.threads = threads;
    return options;
  }
  void observeRays();
  void recordJob();
  /// As the debugger, profiles and logs call it.
  [[nodiscard]] std::string hartName() const {
    return config_.instance.empty() ? "hart0" : config_.instance + ".hart0";
  }

  XphmgOptions options_;
  xphmg::UnitConfig unitConfig_;
  std::optional<Job> job_;
  host::XphmgSpace space_;
  host::XphmgDatabase database_;
  host::XphmgDriverConfig config_;
  std::optional<HartProgram> program_;
  std::unique_ptr<sc_core::sc_vector<Computer::Interrupt>> lines_;
  std::vector<std::unique_ptr<xphmg::RtUnit>> units_;
  std::unique_ptr<HartDevice> hart_;
  std::unique_ptr<host::XphmgDriver> driver_;
  std::optional<NodeOrder> order_;
  std::size_t recorded_ = 0;  ///< unit whose job is
  std::unique_ptr<xphmg::JobRecorder> recorder_;
};

bool Xphmg::dump(const NodeOrder& order) {
  constexpr std::string_view kUnit = "unit";
  const bool alone = (order.unit == "xphmg" || order.unit == name()) && options_.units == 1;
  if (!alone && !order.unit.starts_with(kUnit) && order.unit != "xphmg") return false;
  const auto number =
      alone ? 0
            : common::wholeNumber(
                  std::string_view(order.unit).substr(std::min(kUnit.size(), order.unit.size())));
  if (!number || *number >= options_.units) {
    throw InputError("--dump-node: found " + order.unit + ", expected " + dumpable());
  }
  if ((!order.what.empty() && order.what != "job") || order.second || order.run) {
    throw InputError("--dump-node: found " + order.unit + "@" + order.what +
                     ", expected @job=N, the unit's jobs counted from 0 on");
  }
  recorded_ = *number;
  order_ = order;
  return true;
}

/// Listens for the job of --dump-node. Tickets count from 1 on since the driver's reset.
void Xphmg::recordJob() {
  if (!order_) return;
  xphmg::RtUnit& unit = *units_[recorded_];
  if (unit.port().contended()) {
    throw InputError(
        "--dump-node: found units that wait for each other at the bus or at main memory, expected "
        "a run in which they do not (bus.*, dram.*): their waiting is no job's own");
  }
  const auto done = [this](xphmg::JobRecord record) {
    record.unit = "xphmg.unit" + std::to_string(recorded_);
    record.moment = "job " + std::to_string(order_->number);
    xphmg::writeJob(order_->folder, record);
    order_->done(record.unit + ", " + record.moment + ": " +
                 std::to_string(record.end.outcome.rays) + " rays, " +
                 std::to_string(record.memory.bytes()) + " bytes of memory, " +
                 std::to_string(record.end.cycles) + " cycles\nxphmg-run --job " +
                 order_->folder.string() + "\n");
  };
  const auto refuse = [this](const std::string& why) {
    order_->refuse("xphmg.unit" + std::to_string(recorded_) + ", job " +
                   std::to_string(order_->number) + ": " + why);
  };
  recorder_ = std::make_unique<xphmg::JobRecorder>(unit, order_->number + 1, done, refuse);
}

void Xphmg::prepare(const Job& job) {
  checkXphmg(job.scene, unitConfig_.lmemKib, options_);
  job_.emplace(job);
  space_ = host::xphmgSpace(job.scene, options_.format);
  config_ = driverConfig(settings_, options_);
  config_.log = log();
  try {
    database_ = host::xphmgDatabase(job.scene, space_, treeOptions(job.threads));
  } catch (const std::invalid_argument& e) {
    throw InputError(e.what());
  }
  const std::uint64_t ownMemory = options_.hart ? HartDevice::kHartMemory : 0;
  if (const std::uint64_t need = host::XphmgDriver::memoryNeeded(database_, config_);
      need > config_.memorySize) {
    throw InputError("xphmg.memory_mib: the scene and its rings need " +
                     std::to_string(((need + ownMemory) >> 20U) + 1) + " MiB");
  }
}

void Xphmg::build(Computer& computer) {
  const unsigned count = options_.units;
  lines_ = std::make_unique<sc_core::sc_vector<Computer::Interrupt>>("irq", count);
  config_.pages.resize(count);
  // The hart's programs know where the unit is.
  const Region region = options_.hart ? Region::Private : Region::Registers;
  for (unsigned i = 0; i < count; ++i) {
    const std::string name = "unit" + std::to_string(i);
    xphmg::UnitConfig config = unitConfig_;
    config.number = i;
    auto& unit = units_.emplace_back(std::make_unique<xphmg::RtUnit>(name.c_str(), config));
    config_.pages[i] = computer.attach(
        *this, unit->host_tsock,
        {name, xphmg::page::kSize, region, kPages + xphmg::page::kSize * i, kUnits});
    computer.addMaster(*this, unit->bus_isock, name, 64, kUnits, unit.get());
    unit->irq_o.bind((*lines_)[i]);
  }
  config_.memoryBase = computer.arena(*this);
  config_.instance = computer.instance(*this);
  if (options_.hart) {
    hart_ = std::make_unique<HartDevice>(options_.hartLimit, unitConfig_, computer, *this,
                                         *units_[0], program_ ? &*program_ : nullptr);
    config_.mailbox = hart_->mailbox();
    config_.memoryBase += HartDevice::kHartMemory;
    config_.lines.push_back(computer.connect(*this, hart_->hostLine(), "xphmg.driver"));
  } else {
    for (unsigned i = 0; i < count; ++i) {
      config_.lines.push_back(computer.connect(*this, (*lines_)[i], kUnits));
    }
  }
  observeRays();
  recordJob();
}

/// Charges rays to their pixels, if somebody wants to know.
void Xphmg::observeRays() {
  if (!job_ || job_->costs == nullptr) return;
  job_->costs->setClock(unitConfig_.period.value());
  for (auto& unit : units_) {
    unit->setRayObserver([this](const xphmg::RayReport& ray) {
      const std::uint32_t pixel = driver_->pixelOf(ray.tag);
      CostAccount& costs = *job_->costs;
      costs.charge(pixel, Measure::Cycles, ray.cycles);
      costs.charge(pixel, Measure::Tests, ray.triangles);
      costs.charge(pixel, Measure::NodeVisits, ray.nodes);
      costs.charge(pixel, Measure::Bytes, ray.bytes);
    });
  }
}

/// Descriptors, ring headers and their bytes.
void Xphmg::chargeRest() {
  if (!job_ || job_->costs == nullptr) return;
  std::uint64_t cycles = 0, bytes = 0;
  for (const auto& unit : units_) {
    cycles += unit->port().cycles().sum();
    bytes += unit->port().busBytes();
  }
  job_->costs->settle(Measure::Cycles, cycles);
  job_->costs->settle(Measure::Bytes, bytes);
}

std::string Xphmg::describeNeed() const {
  const host::XphmgBvh& bvh = database_.bvh;
  return "xphmg: " + std::to_string(database_.elements.size()) + " triangles of " +
         std::to_string(database_.triangles.size()) + " bytes, " + std::to_string(bvh.tiles) +
         " tiles and " + std::to_string(bvh.leaves) + " leaves of " +
         std::to_string(bvh.heap.size()) + " bytes, depth " + std::to_string(bvh.depth) +
         ", stack at most " + std::to_string(bvh.maxStack) + "; with rings " +
         std::to_string(host::XphmgDriver::memoryNeeded(database_, config_)) + " bytes\n";
}

std::vector<report::SummaryLine> Xphmg::summary(const report::RunFigures& run) {
  const auto unit = [&](const char* figure) { return run.sumOfNumbered("", "unit", figure); };
  int units = 0;
  while (run.count("unit" + std::to_string(units), "register_accesses") > 0) ++units;
  const double rays = std::max(1.0, unit("rays"));
  const double cycles = std::max(1.0, unit("cycles"));
  const auto mean = [&](const char* figure) {
    std::ostringstream text;
    text << std::setprecision(3) << unit(figure) / rays;
    return text.str();
  };
  const double lines = unit("lmem_hits") + unit("lmem_misses");
  static constexpr std::array<report::Part, 7> kParts{{{"cycles_box", "boxes"},
                                                       {"cycles_triangle", "triangles"},
                                                       {"cycles_stall_lmem", "LMEM"},
                                                       {"cycles_stall_memory", "memory"},
                                                       {"cycles_stall_queue", "queues"},
                                                       {"cycles_stall_descriptor", "descriptors"},
                                                       {"cycles_idle", "idle"}}};
  return {
      {"XPHMG_RT", std::to_string(units) + " unit(s), " +
                       report::scaled(unit("jobs"), "jobs; a ray meets ") + mean("nodes") +
                       " nodes and " + mean("triangles") + " triangles"},
      {"LMEM", report::percent(lines > 0 ? unit("lmem_hits") / lines : 0) + " of the lines found"},
      {"cycles", report::shares(unit, kParts, cycles)}};
}

std::optional<std::string> Xphmg::tooLittle(const report::RunFigures& run) {
  int units = 0, idle = 0;
  for (; run.count("unit" + std::to_string(units), "jobs") > 0; ++units) {
    idle += run.sum("unit" + std::to_string(units), "jobs") <= 0 ? 1 : 0;
  }
  if (idle == 0) return std::nullopt;
  return std::to_string(idle) + " of " + std::to_string(units) +
         " units had no job: a larger picture or a smaller xphmg.job_rays gives them some";
}

report::MachineFigures Xphmg::comparison(const report::RunFigures& run) {
  const auto unit = [&](const char* figure) { return run.sumOfNumbered("", "unit", figure); };
  const auto classes = [&](const char* figure) { return run.sum("classes", figure); };
  const auto scene = [&](const char* figure) {
    return run.sum("tile", figure) + run.sum("tri_range", figure) + run.sum("triangle", figure);
  };
  int units = 0;
  while (run.count("unit" + std::to_string(units), "register_accesses") > 0) ++units;
  const double cycles = std::max(1.0, unit("cycles"));
  report::MachineFigures f;
  f.cycles = unit("cycles") / std::max(1, units);
  f.tests = unit("triangles");
  f.nodeVisits = unit("nodes");
  const double bus =
      classes("cl0_bytes") + classes("cl1_bytes") + classes("cl2_bytes") + classes("cl3_bytes");
  f.traffic = {{"bus to memory", bus}, {"LMEM", scene("bytes") - scene("bus_bytes"), true}};
  const auto share = [&](const char* figure) { return unit(figure) / cycles; };
  f.resources = {
      {"box pipeline", share("cycles_box"), "nodes in it, mean of all units"},
      {"triangle pipeline", share("cycles_triangle"), "triangles in it"},
      {"LMEM", share("cycles_stall_lmem"), "a unit waits for lines that LMEM has"},
      {"memory", share("cycles_stall_memory"), "a unit waits for lines from main memory"},
      {"queues", share("cycles_stall_queue"), "a unit waits for rays or for places of results"},
      {"descriptors", share("cycles_stall_descriptor"), "a unit reads what to do"}};
  f.idle = share("cycles_idle");
  return f;
}

}  // namespace

const MachineKind& xphmgKind() {
  static const KindOf<Xphmg, kInfo> kKind;
  return kKind;
}

}  // namespace rtvp::platform
