// The SL shading unit of a host computer: it runs the programs of surfaces for whichever machine
// finds the hits.
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "models/common/core/state.hpp"
#include "models/common/memory.hpp"
#include "models/common/report_ids.hpp"
#include "models/sl/debug/sl_profile.hpp"
#include "models/sl/params.hpp"
#include "models/sl/unit/run_record.hpp"
#include "models/sl/unit/unit_registers.hpp"
#include "models/sl/vm.hpp"
#include "platform/debug/sl_port.hpp"
#include "platform/drivers/sl/driver.hpp"
#include "platform/machines/computer.hpp"
#include "platform/machines/kinds.hpp"
#include "platform/machines/sl_params.hpp"
#include "platform/raytree/shader_programs.hpp"

namespace rtvp::platform {
namespace {

constexpr std::uint64_t kSmallestMemory = std::uint64_t{16} << 20U;

constexpr std::array<std::string_view, 1> kFaults = {report_ids::kSlFault};

constexpr std::array<Cost, 2> kCosts{
    {{Measure::Cycles, "pipeline.cycles - pipeline.cycles_idle",
      "of the pipeline that a run is on, waits for memory and for the port included"},
     {Measure::Instructions, "sl.instructions", "of the surface's program at the pixel's points"}}};
constexpr std::string_view kUncounted =
    "tests, box tests, node visits and evaluations: it meets no surface; bytes: texels are cached "
    "for all runs together";

constexpr std::array<RegisterSpace, 1> kRegisterSpaces{{
    {"sl", "SL, registers of the shading unit",
     []() -> std::span<const common::RegisterDescriptor> { return sl::unit::kRegisterTable; },
     sl::unit::kRegisterBlockEnd, "sl"},
}};

constexpr MachineInfo kInfo{.name = "sl",
                            .help = "shading unit for surface programs in SL (2001)",
                            .primitives = {},
                            .shades = Shades::Surfaces,
                            .faults = kFaults,
                            .costs = kCosts,
                            .uncounted = kUncounted,
                            .registers = kRegisterSpaces};

class ShadingUnit final : public Machine {
 public:
  ShadingUnit(const MachineInfo& info, std::string name, const Settings& settings)
      : Machine(info, std::move(name), settings),
        unitConfig_(
            settings.read<sl::unit::SlUnitConfig>(sl::unit::kUnitParams, sl::unit::kCycleParams)),
        memoryLatency_(settings.read<SlOptions>(kSlParams).memoryLatency) {}

  void prepare(const Job& job) override {
    job_.emplace(job);
    lines_.clear();
    config_.programs = host::loadPrograms(job.whole, &lines_);
    memoryBytes_ = host::SlDriver::memoryBytes(job.whole);
    config_.programWords = unitConfig_.core.programWords;
    const std::uint64_t needed = host::SlDriver::instructions(config_.programs);
    if (needed > config_.programWords) {
      throw InputError("sl.program_words: found " + std::to_string(config_.programWords) +
                       ", expected at least " + std::to_string(needed) +
                       " for the scene's shaders");
    }
  }

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.lines = 1;
    return needs;
  }

  void build(Computer& computer) override {
    common::MemoryConfig memory;
    memory.size = std::max(memoryBytes_, kSmallestMemory);
    memory.read_latency = memoryLatency_;
    memory.write_latency = memory.read_latency;
    memory_ = std::make_unique<common::Memory>("sl_memory", memory);
    unit_ = std::make_unique<sl::unit::SlUnit>("sl", unitConfig_);
    config_.unitBase = computer.attach(
        *this, unit_->host_tsock, {"sl", sl::unit::kSize, Region::Far, std::uint64_t{1} << 32U});
    config_.memoryBase =
        computer.attach(*this, memory_->bus_tsock,
                        {"sl_memory", memory.size, Region::Far, std::uint64_t{2} << 32U,
                         "sl.memory_ns", memory.read_latency.value()});
    computer.addMaster(*this, unit_->memory_isock, "sl", 64, {}, unit_.get());
    config_.instance = computer.instance(*this);
    config_.interruptLine = computer.connectPort(*this, unit_->irq_o, "sl_irq");
    observeRuns();
    recordRun();
  }

  [[nodiscard]] bool dump(const NodeOrder& order) override;
  [[nodiscard]] std::string dumpable() const override { return "sl@pixel=X,Y[,run=K]"; }

  void declare(const common::TraceScope& scope) override { unit_->trace(scope.module("sl")); }

  [[nodiscard]] std::unique_ptr<DebugPort> debugPort() override {
    return std::make_unique<SlPort>(
        *unit_, prefix() + "sl.", sl::debugProgram(placedPrograms()),
        SlPort::Picture{static_cast<std::uint32_t>(job_->scene.width),
                        static_cast<std::uint32_t>(job_->scene.height),
                        [this](std::uint32_t slot) { return driver_->pixelOf(slot); }});
  }

  bool keepProfile() override {
    if (settings_.said("output.coverage")) {
      if (const std::string why = sl::noCoverage(placedPrograms()); !why.empty())
        throw InputError("output.coverage: " + name() + ": " + why);
    }
    unit_->keepAccounts();
    return true;
  }
  [[nodiscard]] std::vector<debug::Profile> profiles() override;

  void start(host::HostBus& bus) override {
    driver_ = std::make_unique<host::SlDriver>(bus, job_->whole, config_);
    driver_->start();
  }
  [[nodiscard]] host::SurfaceShading* shading() override { return driver_.get(); }

  [[nodiscard]] std::string noCheckpoint() const override { return {}; }
  [[nodiscard]] bool quiescent() const override { return unit_->quiescent(); }
  void state(common::StateArchive& a) override { a(*memory_, *unit_, *driver_); }

  void reportDriver(common::StatGroup& stats) const override {
    (driver_ ? driver_->counters() : host::SlDriver::Counters{})
        .report(stats.group("sl_driver", "device driver of the shading unit"));
  }
  void report(common::StatGroup& stats) override {
    unit_->finish();
    unit_->report(stats.group("sl", "the SL shading unit"));
    memory_->report(stats.group("sl_memory", "memory of the shading unit"));
  }
  [[nodiscard]] std::string states() const override { return "\n" + unit_->describe(); }

  static std::vector<report::SummaryLine> summary(const report::RunFigures& run);
  static std::vector<std::string> warnings(const report::RunFigures& run);

 private:
  void recordRun();
  [[nodiscard]] std::vector<sl::PlacedProgram> placedPrograms() const;
  /// Before the names of its units.
  [[nodiscard]] std::string prefix() const {
    return config_.instance.empty() ? "" : config_.instance + ".";
  }
  /// Charges runs to their pixels, if somebody wants to know.
  void observeRuns() {
    if (!job_ || job_->costs == nullptr) return;
    job_->costs->setClock(unitConfig_.period.value());
    unit_->setRequestObserver([this](const sl::unit::ShadingCore::RequestReport& done) {
      const std::uint32_t pixel = driver_->pixelOf(done.slot);
      job_->costs->charge(pixel, Measure::Cycles, done.clocks);
      job_->costs->charge(pixel, Measure::Instructions, done.instructions);
    });
  }

  sl::unit::SlUnitConfig unitConfig_;
  sc_core::sc_time memoryLatency_;
  std::optional<Job> job_;
  std::uint64_t memoryBytes_ = 0;
  host::SlDriverConfig config_;
  std::vector<std::vector<std::uint32_t>> lines_;  ///< of the sources of its programs, by surface
  std::unique_ptr<common::Memory> memory_;
  std::unique_ptr<sl::unit::SlUnit> unit_;
  std::unique_ptr<host::SlDriver> driver_;
  std::optional<NodeOrder> order_;
  std::uint64_t seen_ = 0;  ///< new runs of its pixel
  std::unique_ptr<sl::unit::RunRecorder> recorder_;
};

bool ShadingUnit::dump(const NodeOrder& order) {
  if (order.unit != "sl" && order.unit != name()) return false;
  if (order.what != "pixel" || !order.second) {
    throw InputError("--dump-node: found " + order.unit + "@" + order.what +
                     ", expected @pixel=X,Y or @pixel=X,Y,run=K, K counted from 0 on");
  }
  const auto width = static_cast<std::uint64_t>(job_->scene.width);
  const auto height = static_cast<std::uint64_t>(job_->scene.height);
  if (order.number >= width || *order.second >= height) {
    throw InputError("--dump-node: found pixel " + std::to_string(order.number) + "," +
                     std::to_string(*order.second) + ", expected one of a picture of " +
                     std::to_string(width) + " x " + std::to_string(height));
  }
  order_ = order;
  return true;
}

/// Listens for the run of --dump-node: the K-th that the unit takes for the pixel, whatever sample,
/// depth and light it is for.
void ShadingUnit::recordRun() {
  if (!order_) return;
  if (unit_->contended()) {
    throw InputError(
        "--dump-node: found a bus or memory that units wait for (bus.*, dram.*), expected a run in "
        "which they do not: their waiting is no run's own");
  }
  const std::string moment = "pixel " + std::to_string(order_->number) + "," +
                             std::to_string(order_->second.value_or(0)) + ", run " +
                             std::to_string(order_->run.value_or(0));
  const auto wanted = [this](std::uint32_t slot) {
    const std::uint64_t pixel =
        order_->second.value_or(0) * static_cast<std::uint64_t>(job_->scene.width) + order_->number;
    return driver_->pixelOf(slot) == pixel && seen_++ == order_->run.value_or(0);
  };
  const auto look = [this](std::uint64_t address, std::span<std::uint8_t> bytes) {
    const std::span<std::uint8_t> all = memory_->bytes();
    const std::uint64_t at = address - config_.memoryBase;
    if (at > all.size() || bytes.size() > all.size() - at) return false;
    std::ranges::copy(all.subspan(at, bytes.size()), bytes.begin());
    return true;
  };
  const auto done = [this, moment](sl::unit::RunRecord record) {
    record.unit = name();
    record.moment = moment;
    sl::unit::writeRun(order_->folder, record);
    order_->done(name() + ", " + moment + ": " + std::to_string(record.instructions) +
                 " instructions, " + std::to_string(record.segments.size() - 1) +
                 " rays asked for\nsl-run --pixel " + order_->folder.string() + "\n");
  };
  const auto refuse = [this, moment](const std::string& why) {
    order_->refuse(name() + ", " + moment + ": " + why);
  };
  recorder_ = std::make_unique<sl::unit::RunRecorder>(unit_->core(), wanted, look,
                                                      sl::unit::RunRecorder::Ends{done, refuse});
  unit_->setRunProbe(recorder_->probe());
}

/// One of each different program, where the driver has put it.
std::vector<sl::PlacedProgram> ShadingUnit::placedPrograms() const {
  const std::vector<std::uint32_t> starts = host::SlDriver::programPlaces(config_.programs);
  std::vector<sl::PlacedProgram> placed;
  for (std::size_t n = 0; n < config_.programs.size(); ++n) {
    const sl::Program* const program = config_.programs[n].get();
    const bool known = std::any_of(placed.begin(), placed.end(),
                                   [&](const auto& p) { return p.program == program; });
    if (known) continue;
    placed.push_back({starts[n], program, job_->whole.surfaces[n].file.string(), lines_[n]});
  }
  return placed;
}

std::vector<debug::Profile> ShadingUnit::profiles() {
  unit_->finish();
  std::vector<std::string> causes(sl::unit::kSlSpentNames.begin(), sl::unit::kSlSpentNames.end());
  causes.emplace_back("idle");
  debug::Profile profile = sl::emptyProfile(name(), std::move(causes), placedPrograms());
  // What belongs to no instruction lies behind the store.
  const std::uint64_t nowhere = unitConfig_.core.programWords;
  profile.program.labels[nowhere] = "(no program)";
  const sl::unit::ShadingCore& core = unit_->core();
  for (std::size_t n = 0; n < core.accounts().size(); ++n) {
    const sl::unit::CoreAccount& account = core.accounts()[n];
    debug::Profile::Unit& pipeline = profile.units.emplace_back();
    pipeline.name = prefix() + "sl.pipeline" + std::to_string(n);
    const auto add = [&](std::uint64_t address, const sl::unit::CoreAccount::Place& place,
                         std::uint64_t idle) {
      std::vector<std::uint64_t> cycles(place.clocks.begin(), place.clocks.end());
      cycles.push_back(idle);
      const bool any = std::any_of(cycles.begin(), cycles.end(), [](auto c) { return c != 0; });
      if (any || place.executions != 0)
        pipeline.places.push_back({address, place.executions, std::move(cycles)});
    };
    for (std::size_t word = 0; word < account.places().size(); ++word)
      add(word, account.places()[word], 0);
    const sl::unit::PipelineCounters& counters = core.pipelines()[n];
    add(nowhere, account.nowhere(), unit_->cycles(counters) - counters.worked());
  }
  return {std::move(profile)};
}

std::vector<std::string> ShadingUnit::warnings(const report::RunFigures& run) {
  const auto over = static_cast<std::uint64_t>(run.sum("sl", "over_budget"));
  if (over == 0) return {};
  return {"SL: " + std::to_string(over) + " of " +
          std::to_string(static_cast<std::uint64_t>(run.sum("sl", "runs"))) +
          " runs of surface programs were stopped at the budget of " + std::to_string(sl::kBudget) +
          " instructions; their colour is black"};
}

std::vector<report::SummaryLine> ShadingUnit::summary(const report::RunFigures& run) {
  const auto unit = [&](const char* figure) { return run.sum("sl", figure); };
  if (unit("runs") <= 0) return {};
  const auto pipelines = [&](const char* figure) {
    return run.sumOfNumbered("sl", "pipeline", figure);
  };
  static constexpr std::array<report::Part, 6> kParts{{{"cycles_busy", "executing"},
                                                       {"cycles_request", "requests"},
                                                       {"cycles_texture", "texture"},
                                                       {"cycles_result", "results"},
                                                       {"cycles_port", "port"},
                                                       {"cycles_idle", "idle"}}};
  return {{"SL unit", report::scaled(unit("instructions"), "instructions, ") +
                          report::scaled(unit("texture_samples"), "texture samples, ") +
                          report::scaled(unit("over_budget"), "runs over the budget")},
          {"SL cycles", report::shares(pipelines, kParts, pipelines("cycles"))}};
}

}  // namespace

const MachineKind& slKind() {
  static const KindOf<ShadingUnit, kInfo> kKind;
  return kKind;
}

}  // namespace rtvp::platform
