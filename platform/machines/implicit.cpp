// The implicit-surface unit of a host computer: it finds surfaces f = 0, beside a machine for
// triangles and spheres or alone.
#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <systemc>

#include "models/common/core/state.hpp"
#include "models/common/memory.hpp"
#include "models/common/report_ids.hpp"
#include "models/implicit/params.hpp"
#include "models/implicit/unit/layout.hpp"
#include "models/implicit/unit/memory_map.hpp"
#include "models/implicit/unit/object_record.hpp"
#include "models/implicit/unit/registers.hpp"
#include "platform/debug/implicit_surfaces.hpp"
#include "platform/machines/computer.hpp"
#include "platform/machines/implicit_params.hpp"
#include "platform/machines/kinds.hpp"

namespace rtvp::platform {
namespace {

namespace render = implicit::render;
namespace unit = implicit::unit;

common::MemoryConfig memoryConfig(const ImplicitOptions& options) {
  common::MemoryConfig config;
  config.size = options.memoryBytes;
  config.read_latency = options.memoryLatency;
  config.write_latency = options.memoryLatency;
  return config;
}

/// As the mode has it, and as the user has it otherwise.
render::Settings renderSettings(const Settings& settings, const ImplicitOptions& options) {
  render::Settings s = options.mode == render::Mode::Seed    ? render::Settings::seedReport()
                       : options.mode == render::Mode::Brute ? render::Settings::brute()
                                                             : render::Settings::improved();
  settings.read(kImplicitParams, s);
  s.prune = options.prune.value_or(s.prune);
  s.smooth_prune = options.smoothPrune.value_or(s.smooth_prune);
  s.early_depth = options.earlyDepth.value_or(s.early_depth);
  s.compact = options.compact.value_or(s.compact);
  s.trim = options.trim.value_or(s.trim);
  s.front_to_back = options.frontToBack.value_or(s.front_to_back);
  s.exact_exit = options.exactExit.value_or(s.exact_exit);
  s.front_faces = options.frontFaces.value_or(s.front_faces);
  s.near_patch = options.nearPatch.value_or(s.near_patch);
  s.carry = options.carry.value_or(s.carry);
  s.slopes = options.slopes.value_or(s.slopes);
  s.last_step = options.lastStep.value_or(s.last_step);
  s.best_candidate = options.bestCandidate.value_or(s.best_candidate);
  s.stepping = options.stepping.value_or(s.stepping);
  s.normals = options.normals.value_or(s.normals);
  if (options.relaxation != 0) {
    s.relaxation = static_cast<float>(options.relaxation);
  } else if (s.stepping == render::Stepping::Relaxed) {
    s.relaxation = 1.4F;  // Keinert's range is 1.2 to 1.6 (sdf.md 14)
  }
  return unit::rounded(s);
}

unit::ImplicitUnitConfig unitOf(const Settings& settings) {
  auto config = settings.read<unit::ImplicitUnitConfig>(unit::kUnitParams, unit::kUnitSpeedParams);
  unit::Timing& t = config.timing;
  for (unit::CacheConfig* const cache : {&t.opcodes, &t.constants, &t.leaves}) {
    if (cache->lines > 0) cache->ways = std::min(cache->ways, cache->lines);
  }
  config.report_faults = false;  // the driver does, with the scene's line
  return config;
}

void checkSettings(const render::Settings& chosen, const unit::Timing& timing) {
  if (const std::string_view fault = chosen.fault(); !fault.empty()) {
    throw InputError("implicit options: " + std::string(fault));
  }
  try {
    timing.check();
  } catch (const std::invalid_argument& e) {
    throw InputError(std::string("implicit options: ") + e.what());
  }
}

/// Objects that the chosen mode cannot run.
void checkObjects(const scene::Scene& scene, const render::Settings& chosen) {
  const bool seed = chosen.mode == render::Mode::Seed;
  for (const scene::Implicit& object : scene.implicits) {
    if (chosen.compact) continue;
    const std::string what = object.where + object.model->file.filename().string() + ": found ";
    if (!object.model->tape) {
      throw InputError(what + std::to_string(object.model->instructions()) +
                       " clauses without a stack order, expected a tape: implicit.mode = seed and "
                       "implicit.code = masks run tapes only");
    }
    if (seed && object.model->instructions() > implicit::kSeedInstructions) {
      throw InputError(what + std::to_string(object.model->instructions()) +
                       " instructions, expected at most " +
                       std::to_string(implicit::kSeedInstructions) + " with implicit.mode = seed");
    }
  }
}

constexpr std::array<std::string_view, 1> kFaults = {report_ids::kImplicitFault};

constexpr std::array<Cost, 2> kCosts{
    {{Measure::Cycles, "core.cycles - core.cycles_idle - core.cycles_lost",
      "of the cores while they have a warp, all cores of a job, divided among its pixels or rays "
      "in proportion to their evaluations: a warp's lanes are rays of one leaf and wait for each "
      "other; jobs that build hulls are no pixel's"},
     {Measure::Evaluations,
      "implicit.trace_evaluations + implicit.normal_evaluations + implicit.material_evaluations + "
      "implicit.side_evaluations",
      "of f at points, as the ray's record says: steps, normals, materials and the side on which "
      "it starts"}}};
constexpr std::string_view kUncounted =
    "tests, box tests and node visits: a ray meets leaves of hulls, as fragments that the "
    "rasteriser makes for a whole job; instructions and bytes: a warp's lanes have them together";

constexpr std::array<RegisterSpace, 1> kRegisterSpaces{{
    {"implicit", "registers of the unit for implicit surfaces",
     []() -> std::span<const common::RegisterDescriptor> { return implicit::unit::kRegisterTable; },
     implicit::unit::kSize, "implicit"},
}};

constexpr MachineInfo kInfo{.name = "implicit",
                            .help = "implicit-surface unit: tapes, hulls, sphere tracing (2024)",
                            .primitives = {.functions = true},
                            .faults = kFaults,
                            .costs = kCosts,
                            .uncounted = kUncounted,
                            .registers = kRegisterSpaces};

/// Listens for the hull of one object and for one job that traces it.
class ObjectRecorder final : public unit::JobTap {
 public:
  ObjectRecorder(const unit::Timing& timing, const NodeOrder& order, std::string unitName)
      : order_(order), wanted_(order.run.value_or(0)) {
    recording_.unit = std::move(unitName);
    recording_.moment =
        "object " + std::to_string(order.number) + ", run " + std::to_string(wanted_);
    recording_.timing = timing;
    recording_.object = static_cast<std::uint32_t>(order.number);
  }

 private:
  /// The driver's first job makes the hulls, all others trace.
  void begins(unit::Engine& engine, const common::RegisterFile& registers, std::uint64_t address,
              unit::Clock at) override {
    job_ = jobs_ == 0 ? &recording_.hull : jobs_ == wanted_ + 1 ? &recording_.traced : nullptr;
    if (job_ != nullptr) unit::recordBegin(*job_, engine, registers, address, at);
    if (jobs_ == 0) recording_.hull.state.clear();  // the unit is as after power-on
    ++jobs_;
  }
  void moved(bool write, std::uint64_t address, std::span<const std::uint8_t> bytes,
             std::optional<unit::Clock> latency) override {
    if (job_ == nullptr) return;
    unit::recordMove(*job_, write, address, bytes);
    if (latency) (write ? recording_.writeLatency : recording_.readLatency) = *latency;
    if (job_->read.bytes() + job_->written.bytes() > unit::kMostObjectMemory) {
      order_.refuse(recording_.unit + ", " + recording_.moment + ": its jobs move more than " +
                    std::to_string(unit::kMostObjectMemory >> 20U) +
                    " MiB, expected a smaller picture (--size, --crop) or fewer objects");
    }
  }
  void ends(const unit::Engine& engine, const unit::JobResult& result) override {
    if (job_ == nullptr) return;
    unit::recordEnd(*job_, engine, result);
    if (job_ == &recording_.hull)
      recording_.leaves = unit::leavesOf(engine, recording_.object);
    else
      write();
    job_ = nullptr;
  }
  void write() const {
    unit::writeObject(order_.folder, recording_);
    order_.done(recording_.unit + ", " + recording_.moment + ": " +
                std::to_string(recording_.leaves.size()) + " leaves; hulls in " +
                std::to_string(recording_.hull.clocks) + " clocks; " +
                std::to_string(recording_.traced.count) + " hits in " +
                std::to_string(recording_.traced.clocks) + " clocks\nsdf-tape --object " +
                order_.folder.string() + "\n");
  }

  const NodeOrder& order_;
  std::uint64_t wanted_, jobs_ = 0;
  unit::ObjectRecording recording_;
  unit::RecordedJob* job_ = nullptr;
};

class ImplicitSurfaces final : public Machine, public DebuggedCores {
 public:
  ImplicitSurfaces(const MachineInfo& info, std::string name, const Settings& settings)
      : Machine(info, std::move(name), settings),
        options_(settings.read<ImplicitOptions>(kImplicitParams, kImplicitMemoryParams)),
        chosen_(renderSettings(settings, options_)),
        unitConfig_(unitOf(settings)),
        config_(settings.read<host::ImplicitDriverConfig>(kImplicitMemoryParams)) {}

  void prepare(const Job& job) override;
  /// Each job goes through all leaves, however few pixels it has.
  [[nodiscard]] Estimate estimate() const override {
    constexpr std::size_t kGrain = 16384;
    Estimate e;
    e.grain = kGrain;
    return e;
  }
  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.lines = 1;
    needs.directMemory = true;
    return needs;
  }
  [[nodiscard]] std::unique_ptr<Debuggee> debuggee(const DebugSurroundings& around) override {
    return std::make_unique<ImplicitDebuggee>(
        *unit_, name(), 1 / unitConfig_.period.to_seconds(), job_->whole,
        chosen_.compact ? implicit::DebugForm::Rows : implicit::DebugForm::Masks, around);
  }
  [[nodiscard]] bool yields() const override { return true; }
  [[nodiscard]] bool dump(const NodeOrder& order) override;
  [[nodiscard]] std::string dumpable() const override { return "implicit@object=N[,run=K]"; }
  void build(Computer& computer) override;
  void declare(const common::TraceScope& scope) override { unit_->trace(scope.module("implicit")); }

  void chargeRest() override;
  void start(host::HostBus& bus) override {
    driver_ = std::make_unique<host::ImplicitDriver>(bus, job_->whole, database_, config_);
    driver_->start();
  }
  [[nodiscard]] host::HitFinder* finder() override { return driver_.get(); }

  [[nodiscard]] std::string noCheckpoint() const override { return {}; }
  [[nodiscard]] bool quiescent() const override { return unit_->quiescent(); }
  void state(common::StateArchive& a) override { a(*memory_, *unit_, *driver_); }

  void reportDriver(common::StatGroup& stats) const override {
    (driver_ ? driver_->counters() : host::ImplicitDriver::Counters{})
        .report(stats.group("implicit_driver", "device driver of the implicit-surface unit"));
  }
  void report(common::StatGroup& stats) override {
    unit_->finish();
    unit_->report(stats.group("implicit", "the implicit-surface unit"));
    // Bytes that move by DMI do not pass: a matter of speed settings.
    memory_->report(stats.group("host_side", "transactions as simulated")
                        .group("implicit_memory", "memory of the implicit-surface unit"));
  }
  [[nodiscard]] std::string states() const override { return "\n" + unit_->describe(); }

  static std::vector<report::SummaryLine> summary(const report::RunFigures& run);
  static std::vector<std::string> warnings(const report::RunFigures& run);
  static report::MachineFigures comparison(const report::RunFigures& run);
  static double slack(const Settings& settings) {
    return 2 * double{settings.read<render::Settings>(kImplicitParams).eps};
  }

 private:
  void observeJobs();

  ImplicitOptions options_;
  render::Settings chosen_;
  unit::ImplicitUnitConfig unitConfig_;
  std::optional<Job> job_;
  host::ImplicitDatabase database_;
  host::ImplicitDriverConfig config_;
  std::unique_ptr<common::Memory> memory_;
  std::unique_ptr<unit::ImplicitUnit> unit_;
  std::unique_ptr<host::ImplicitDriver> driver_;
  std::deque<std::uint64_t> jobs_;  ///< core clocks of jobs that the driver has not read yet
  std::optional<NodeOrder> order_;
  std::unique_ptr<ObjectRecorder> recorder_;
};

bool ImplicitSurfaces::dump(const NodeOrder& order) {
  if (order.unit != "implicit" && order.unit != name()) return false;
  if (order.what != "object" || order.second) {
    throw InputError("--dump-node: found " + order.unit + "@" + order.what +
                     ", expected @object=N or @object=N,run=K: the scene's N-th implicit surface "
                     "and the K-th job that traces, counted from 0 on");
  }
  if (order.number >= database_.count) {
    throw InputError("--dump-node: found object " + std::to_string(order.number) +
                     ", expected one of the scene's " + std::to_string(database_.count));
  }
  order_ = order;
  return true;
}

void ImplicitSurfaces::prepare(const Job& job) {
  job_.emplace(job);
  checkSettings(chosen_, unitConfig_.timing);
  checkObjects(job.whole, chosen_);
  try {
    database_ = host::implicitDatabase(job.whole);
  } catch (const std::runtime_error& e) {
    throw InputError(job.whole.implicits.front().where + e.what());
  }
  const std::uint64_t need = host::ImplicitDriver::memoryNeeded(database_);
  if (need > options_.memoryBytes) {
    throw InputError("implicit.memory_mib: the implicit surfaces need at least " +
                     std::to_string((need >> 20U) + 1) + " MiB");
  }
  // Nobody asks for materials of tapes that have none.
  chosen_.materials = chosen_.materials && database_.materials;
  for (const auto& [offset, value] : unit::registersOf(chosen_, database_.tapes.wide)) {
    // A register of objects without a bound.
    if (offset == unit::offsetOf("SLOPE_STEPS") && !database_.slopes) continue;
    config_.registers.emplace_back(offset, value);
  }
  config_.materials = chosen_.materials;
  config_.eps = double{chosen_.eps};
  config_.log = log();
}

void ImplicitSurfaces::build(Computer& computer) {
  memory_ = std::make_unique<common::Memory>("implicit_memory", memoryConfig(options_));
  // One thread beside the kernel's: there is never more than one part of a list to be traced ahead.
  // Not the computer's pool: whoever waits there runs jobs of boards meanwhile, and this unit waits
  // in the middle of a job of its own.
  unitConfig_.ahead.pool = std::make_shared<common::WorkPool>(std::min(job_->threads, 2U));
  unit_ = std::make_unique<unit::ImplicitUnit>("implicit", unitConfig_);
  config_.unitBase = computer.attach(
      *this, unit_->host_tsock, {"implicit", unit::kSize, Region::Far, std::uint64_t{8} << 32U});
  config_.memoryBase = computer.attach(
      *this, memory_->bus_tsock,
      {"implicit_memory", memory_->config().size, Region::Far, std::uint64_t{9} << 32U,
       "implicit.memory_mib implicit.memory_ns", memory_->config().read_latency.value()});
  config_.instance = computer.instance(*this);
  config_.memorySize = memory_->config().size;
  computer.addMaster(*this, unit_->memory_isock, "implicit", 64, {}, unit_.get());
  config_.interruptLine = computer.connectPort(*this, unit_->irq_o, "implicit_irq");
  observeJobs();
  if (!order_) return;
  if (unit_->contended()) {
    throw InputError(
        "--dump-node: found a bus or memory that units wait for (bus.*, dram.*), expected a run in "
        "which they do not: their waiting is no object's own");
  }
  recorder_ = std::make_unique<ObjectRecorder>(unitConfig_.timing, *order_, name());
  unit_->setJobTap(recorder_.get());
}

/// Charges jobs to their pixels, if somebody wants to know.
void ImplicitSurfaces::observeJobs() {
  if (!job_ || job_->costs == nullptr) return;
  job_->costs->setClock(unitConfig_.period.value());
  unit_->setJobObserver([this](const unit::Engine::JobReport& done) {
    if (done.kind != unit::job::kHull) jobs_.push_back(done.worked);
  });
  config_.jobDone = [this](std::span<const std::uint32_t> pixels,
                           std::span<const std::uint64_t> evaluations) {
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      job_->costs->charge(pixels[i], Measure::Evaluations, evaluations[i]);
    }
    job_->costs->share(pixels, evaluations, Measure::Cycles, jobs_.front());
    jobs_.pop_front();
  };
}

/// Hulls.
void ImplicitSurfaces::chargeRest() {
  if (!job_ || job_->costs == nullptr) return;
  unit::Clock worked = 0;
  for (const unit::CoreCounters& core : unit_->engine().totals().cores) worked += core.worked();
  job_->costs->settle(Measure::Cycles, worked);
}

// Nothing where the scene has no implicit surfaces.
std::vector<report::SummaryLine> ImplicitSurfaces::summary(const report::RunFigures& run) {
  const auto driver = [&](const char* figure) { return run.sum("implicit_driver", figure); };
  const auto unit = [&](const char* figure) { return run.sum("implicit", figure); };
  if (driver("jobs") <= 0) return {};
  std::string rays = report::scaled(driver("hits"), "rays hit, ") +
                     report::scaled(driver("capped"), "did not converge somewhere");
  if (const double n = driver("undefined"); n > 0) {
    rays += ", " + report::scaled(n, "met points without f");
  }
  const auto cores = [&](const char* figure) {
    return run.sumOfNumbered("implicit", "core", figure);
  };
  static constexpr std::array<report::Part, 7> kParts{{{"cycles_busy", "executing"},
                                                       {"cycles_fetch", "opcodes"},
                                                       {"cycles_constant", "constants"},
                                                       {"cycles_leaf", "leaves"},
                                                       {"cycles_data", "data"},
                                                       {"cycles_port", "port"},
                                                       {"cycles_idle", "idle"}}};
  return {{"implicit", report::scaled(driver("leaves"), "leaves, ") +
                           report::scaled(unit("trace_evaluations"), "evaluations, ") +
                           report::scaled(unit("executed"), "instructions")},
          {"", rays},
          {"its cycles", report::shares(cores, kParts, cores("cycles"))}};
}

std::vector<std::string> ImplicitSurfaces::warnings(const report::RunFigures& run) {
  const double rays = run.sum("implicit", "overshoots");
  if (rays <= 0) return {};
  return {
      "on " + std::to_string(static_cast<std::uint64_t>(rays)) +
      " rays a function fell faster than its bound allows: hits may be missing or too far away "
      "(a smaller `lipschitz` than the function has? without one the unit finds bounds itself)"};
}

report::MachineFigures ImplicitSurfaces::comparison(const report::RunFigures& run) {
  const auto unit = [&](const char* figure) { return run.sum("implicit", figure); };
  const auto cores = [&](const char* figure) {
    return run.sumOfNumbered("implicit", "core", figure);
  };
  const double cycles = std::max(1.0, cores("cycles"));
  report::MachineFigures f;
  if (run.sum("implicit_driver", "jobs") <= 0) return f;
  f.cycles = run.mean("core0", "cycles");
  f.tests = unit("traces");
  f.boxTests = unit("task_tested") + unit("mesh_tested") + unit("trim_tested");
  double bytes = 0;
  for (const char* const path :
       {"bytes_opcodes", "bytes_floats", "bytes_vec2s", "bytes_vec4s", "bytes_mat2s", "bytes_mat3s",
        "bytes_mat4s", "bytes_materials", "bytes_dependencies", "bytes_records",
        "bytes_leaves_read", "bytes_leaves_written", "bytes_depth", "bytes_hits", "bytes_rays",
        "bytes_jobs"}) {
    bytes += unit(path);
  }
  f.traffic = {{"memory port", bytes}};
  const auto share = [&](const char* figure) { return cores(figure) / cycles; };
  f.resources = {
      {"cores", share("cycles_busy"), "executing, mean of all cores"},
      {"tape", share("cycles_fetch") + share("cycles_constant"),
       "a core waits for opcodes and constants"},
      {"leaves", share("cycles_leaf"), "a core waits for masks and leaf programs"},
      {"rays and depth", share("cycles_data"), "a core waits for rays, depths and records of hits"},
      {"memory port", share("cycles_port"), "a core waits for another core's transfer"}};
  f.idle = share("cycles_idle");
  f.own = {{"evaluations of f", "1", unit("trace_evaluations")},
           {"instructions", "1", unit("executed")}};
  return f;
}

}  // namespace

const MachineKind& implicitKind() {
  static const KindOf<ImplicitSurfaces, kInfo> kKind;
  return kKind;
}

}  // namespace rtvp::platform
