// The implicit-surface unit of a host computer: it finds surfaces f = 0, beside a machine for
// triangles and spheres or alone.
#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <systemc>

#include "models/common/memory.hpp"
#include "models/common/report_ids.hpp"
#include "models/implicit/render/settings.hpp"
#include "models/implicit/unit/implicit_unit.hpp"
#include "models/implicit/unit/memory_map.hpp"
#include "platform/drivers/implicit/driver.hpp"
#include "platform/machines/computer.hpp"
#include "platform/machines/kinds.hpp"

namespace rtvp::platform {
namespace {

namespace render = implicit::render;
namespace unit = implicit::unit;

std::uint32_t number(const Settings& settings, const std::string& key) {
  return static_cast<std::uint32_t>(settings.integer("implicit." + key));
}

std::uint64_t memorySize(const Settings& settings) {
  return static_cast<std::uint64_t>(settings.integer("implicit.memory_mib")) << 20U;
}

common::MemoryConfig memoryConfig(const Settings& settings) {
  common::MemoryConfig config;
  config.size = memorySize(settings);
  config.read_latency = sc_core::sc_time(settings.number("implicit.memory_ns"), sc_core::SC_NS);
  config.write_latency = config.read_latency;
  return config;
}

/// A switch that the mode decides unless the user does.
void choose(bool& value, const Settings& settings, const std::string& key, std::string_view on) {
  const std::string& word = settings.text("implicit." + key);
  if (word != "mode") value = word == on;
}

render::Settings renderSettings(const Settings& settings) {
  const std::string& mode = settings.text("implicit.mode");
  render::Settings s = mode == "seed"    ? render::Settings::seedReport()
                       : mode == "brute" ? render::Settings::brute()
                                         : render::Settings::improved();
  s.eps = static_cast<float>(settings.number("implicit.eps"));
  s.step_limit = number(settings, "steps");
  s.near = settings.number("implicit.near");
  s.materials = settings.flag("implicit.materials");
  choose(s.prune, settings, "prune", "on");
  choose(s.smooth_prune, settings, "smooth_prune", "on");
  choose(s.early_depth, settings, "early_depth", "on");
  choose(s.compact, settings, "code", "programs");
  const std::string& stepping = settings.text("implicit.stepping");
  if (stepping == "plain") s.stepping = render::Stepping::Plain;
  if (stepping == "relaxed") s.stepping = render::Stepping::Relaxed;
  if (stepping == "planar") s.stepping = render::Stepping::Planar;
  const std::string& normals = settings.text("implicit.normals");
  if (normals == "forward") s.normals = render::Normals::Forward;
  if (normals == "tetrahedron") s.normals = render::Normals::Tetrahedron;
  if (normals == "derivative") s.normals = render::Normals::Derivative;
  const double relaxation = settings.number("implicit.relaxation");
  if (relaxation != 0) {
    s.relaxation = static_cast<float>(relaxation);
  } else if (s.stepping == render::Stepping::Relaxed) {
    s.relaxation = 1.4F;  // Keinert's range is 1.2 to 1.6 (sdf.md 14)
  }
  return unit::rounded(s);
}

unit::CacheConfig cache(const Settings& settings, const std::string& key,
                        unit::CacheConfig config) {
  config.lines = number(settings, key);
  if (config.lines > 0) config.ways = std::min(config.ways, config.lines);
  return config;
}

unit::Timing timing(const Settings& settings) {
  unit::Timing t;
  for (unsigned c = 0; c < unit::kClasses; ++c) {
    const std::string name(unit::kClassCosts[c].name);
    t.cycles[c] = number(settings, "cycles." + name);
    t.interval[c] = number(settings, "interval." + name);
    t.gradient[c] = number(settings, "gradient." + name);
  }
  t.decode = number(settings, "decode_cycles");
  t.skipped = number(settings, "skip_cycles");
  t.constant_advance = number(settings, "constant_cycles");
  t.prune = number(settings, "prune_cycles");
  t.warp_start = number(settings, "warp_cycles");
  t.step = number(settings, "step_cycles");
  t.resolve = number(settings, "resolve_cycles");
  t.face_setup = number(settings, "face_cycles");
  t.raster_rate = number(settings, "raster_rate");
  t.job_start = number(settings, "job_cycles");
  t.port_bytes = number(settings, "port_bytes");
  t.cores = number(settings, "cores");
  t.lanes = number(settings, "lanes");
  t.opcodes = cache(settings, "opcode_lines", t.opcodes);
  t.constants = cache(settings, "constant_lines", t.constants);
  t.leaves = cache(settings, "leaf_lines", t.leaves);
  return t;
}

unit::ImplicitUnitConfig unitConfig(const Settings& settings) {
  unit::ImplicitUnitConfig config;
  config.timing = timing(settings);
  config.period = sc_core::sc_time(1 / settings.number("implicit.clock_hz"), sc_core::SC_SEC);
  config.quantum = sc_core::sc_time(settings.number("implicit.quantum_us"), sc_core::SC_US);
  config.dmi = settings.flag("implicit.dmi");
  config.report_faults = false;  // the driver does, with the scene's line
  return config;
}

void checkSettings(const render::Settings& chosen, const Settings& settings) {
  if (const std::string_view fault = chosen.fault(); !fault.empty()) {
    throw InputError("implicit options: " + std::string(fault));
  }
  try {
    timing(settings).check();
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

constexpr MachineInfo kInfo{.name = "implicit",
                            .help = "implicit-surface unit: tapes, hulls, sphere tracing (2024)",
                            .primitives = {.functions = true},
                            .faults = kFaults};

class ImplicitSurfaces final : public Machine {
 public:
  ImplicitSurfaces(std::string name, const Settings& settings)
      : Machine(kInfo, std::move(name), settings), chosen_(renderSettings(settings)) {}

  void prepare(const Job& job) override;
  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.lines = 1;
    needs.directMemory = true;
    return needs;
  }
  void build(Computer& computer) override;
  void declare(const common::TraceScope& scope) override { unit_->trace(scope.module("implicit")); }

  void start(host::HostBus& bus, Others others) override {
    driver_ = std::make_unique<host::ImplicitDriver>(bus, job_->whole, database_, config_, others);
    driver_->start();
  }
  [[nodiscard]] host::HitFinder* finder() override { return driver_.get(); }

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

 private:
  std::optional<Job> job_;
  render::Settings chosen_;
  host::ImplicitDatabase database_;
  host::ImplicitDriverConfig config_;
  std::unique_ptr<common::Memory> memory_;
  std::unique_ptr<unit::ImplicitUnit> unit_;
  std::unique_ptr<Computer::Interrupt> irq_;
  std::unique_ptr<host::ImplicitDriver> driver_;
};

void ImplicitSurfaces::prepare(const Job& job) {
  job_.emplace(job);
  checkSettings(chosen_, settings_);
  checkObjects(job.whole, chosen_);
  try {
    database_ = host::implicitDatabase(job.whole);
  } catch (const std::runtime_error& e) {
    throw InputError(job.whole.implicits.front().where + e.what());
  }
  const std::uint64_t need = host::ImplicitDriver::memoryNeeded(database_);
  if (need > memorySize(settings_)) {
    throw InputError("implicit.memory_mib: the implicit surfaces need at least " +
                     std::to_string((need >> 20U) + 1) + " MiB");
  }
  // Nobody asks for materials of tapes that have none.
  chosen_.materials = chosen_.materials && database_.materials;
  for (const auto& [offset, value] : unit::registersOf(chosen_, database_.tapes.wide)) {
    config_.registers.emplace_back(offset, value);
  }
  config_.materials = chosen_.materials;
  config_.eps = double{chosen_.eps};
  config_.jobRays = number(settings_, "job_rays");
  config_.log = log();
}

void ImplicitSurfaces::build(Computer& computer) {
  memory_ = std::make_unique<common::Memory>("implicit_memory", memoryConfig(settings_));
  unit_ = std::make_unique<unit::ImplicitUnit>("implicit", unitConfig(settings_));
  irq_ = std::make_unique<Computer::Interrupt>("implicit_irq");
  config_.unitBase = computer.attach(
      *this, unit_->host_tsock, {"implicit", unit::kSize, Region::Far, std::uint64_t{8} << 32U});
  config_.memoryBase = computer.attach(*this, memory_->bus_tsock,
                                       {"implicit_memory", memory_->config().size, Region::Far,
                                        std::uint64_t{9} << 32U, "implicit.memory_mib"});
  config_.memorySize = memory_->config().size;
  computer.addMaster(*this, unit_->memory_isock, "implicit", 64, unit_.get());
  unit_->irq_o.bind(*irq_);
  config_.interruptLine = computer.connect(*this, *irq_);
}

// Nothing where the scene has no implicit surfaces.
std::vector<report::SummaryLine> summarise(const report::RunFigures& run) {
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

class Kind final : public MachineKind {
 public:
  [[nodiscard]] const MachineInfo& info() const override { return kInfo; }
  [[nodiscard]] std::unique_ptr<Machine> make(std::string name,
                                              const Settings& settings) const override {
    return std::make_unique<ImplicitSurfaces>(std::move(name), settings);
  }
  [[nodiscard]] double slack(const Settings& settings) const override {
    return 2 * settings.number("implicit.eps");
  }
  [[nodiscard]] std::vector<report::SummaryLine> summary(
      const report::RunFigures& run) const override {
    return summarise(run);
  }
};

}  // namespace

const MachineKind& implicitKind() {
  static const Kind kKind;
  return kKind;
}

}  // namespace rtvp::platform
