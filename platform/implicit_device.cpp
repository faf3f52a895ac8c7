// See implicit_device.hpp.
#include "platform/implicit_device.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string_view>

#include "models/implicit/unit/memory_map.hpp"
#include "platform/exit_status.hpp"

namespace rtvp::platform {
namespace {

namespace render = implicit::render;
namespace unit = implicit::unit;

// Beyond everything the other devices occupy.
constexpr std::uint64_t kUnitBase = std::uint64_t{8} << 32U;
constexpr std::uint64_t kMemoryBase = std::uint64_t{9} << 32U;

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

void checkSettings(const ImplicitPlan& plan, const Settings& settings) {
  if (const std::string_view fault = plan.settings.fault(); !fault.empty()) {
    throw InputError("implicit options: " + std::string(fault));
  }
  try {
    timing(settings).check();
  } catch (const std::invalid_argument& e) {
    throw InputError(std::string("implicit options: ") + e.what());
  }
}

/// Objects that the chosen mode cannot run.
void checkObjects(const scene::Scene& scene, const ImplicitPlan& plan) {
  const bool seed = plan.settings.mode == render::Mode::Seed;
  for (const scene::Implicit& object : scene.implicits) {
    if (plan.settings.compact) continue;
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

void separate(const scene::Scene& scene, ImplicitPlan& plan) {
  plan.others = scene;
  plan.others.implicits.clear();
  plan.others.elements.clear();
  plan.others.elsewhere = scene.bounds();
  for (std::uint32_t e = 0; e < scene.elements.size(); ++e) {
    if (scene.elements[e].kind == scene::Element::Kind::Implicit) continue;
    plan.others.elements.push_back(scene.elements[e]);
    plan.elements.push_back(e);
  }
}

}  // namespace

std::unique_ptr<ImplicitPlan> planImplicit(const scene::Scene& scene, const Settings& settings) {
  if (scene.implicits.empty()) return nullptr;
  auto plan = std::make_unique<ImplicitPlan>(emptyImplicitPlan(settings));
  checkSettings(*plan, settings);
  checkObjects(scene, *plan);
  try {
    plan->database = host::implicitDatabase(scene);
  } catch (const std::runtime_error& e) {
    throw InputError(scene.implicits.front().where + e.what());
  }
  const std::uint64_t need = host::ImplicitDriver::memoryNeeded(plan->database);
  if (need > memorySize(settings)) {
    throw InputError("implicit.memory_mib: the implicit surfaces need at least " +
                     std::to_string((need >> 20U) + 1) + " MiB");
  }
  // Nobody asks for materials of tapes that have none.
  plan->settings.materials = plan->settings.materials && plan->database.materials;
  separate(scene, *plan);
  return plan;
}

ImplicitPlan emptyImplicitPlan(const Settings& settings) {
  ImplicitPlan plan;
  plan.settings = renderSettings(settings);
  return plan;
}

const scene::Scene& machineScene(const scene::Scene& scene, const ImplicitPlan* plan,
                                 const char* engine) {
  if (plan == nullptr) return scene;
  if (plan->others.elements.empty()) {
    throw InputError(std::string("engine = ") + engine +
                     ": the scene has implicit surfaces only, expected engine = implicit");
  }
  return plan->others;
}

ImplicitDevice::ImplicitDevice(const ImplicitPlan& plan, const Settings& settings,
                               common::Interconnect& interconnect, host::HostProcess& host,
                               std::size_t line)
    : plan_(plan),
      settings_(settings),
      line_(line),
      memory_("implicit_memory", memoryConfig(settings)),
      unit_("implicit", unitConfig(settings)),
      irq_("implicit_irq") {
  interconnect.attach(unit_.host_tsock, "implicit", kUnitBase, unit::kSize);
  interconnect.attach(memory_.bus_tsock, "implicit_memory", kMemoryBase, memory_.config().size);
  unit_.memory_isock.bind(interconnect.bus_tsock);
  unit_.irq_o.bind(irq_);
  host.inta_i[line].bind(irq_);
}

std::unique_ptr<host::ImplicitDriver> ImplicitDevice::start(host::HostBus& bus,
                                                            const scene::Scene& scene,
                                                            host::HitFinder* other) const {
  host::ImplicitDriverConfig config;
  config.unitBase = kUnitBase;
  config.memoryBase = kMemoryBase;
  config.memorySize = memory_.config().size;
  config.interruptLine = line_;
  for (const auto& [offset, value] : unit::registersOf(plan_.settings, plan_.database.tapes.wide)) {
    config.registers.emplace_back(offset, value);
  }
  config.materials = plan_.settings.materials;
  config.eps = double{plan_.settings.eps};
  config.jobRays = number(settings_, "job_rays");
  if (settings_.text("host.output") == "verbose") {
    config.log = [](const std::string& text) {
      std::fprintf(stderr, "platform: %s: %s\n", sc_core::sc_time_stamp().to_string().c_str(),
                   text.c_str());
    };
  }
  auto driver = std::make_unique<host::ImplicitDriver>(
      bus, scene, plan_.database, std::move(config), host::OtherFinder{other, plan_.elements});
  driver->start();
  return driver;
}

void ImplicitDevice::trace(const common::TraceScope& computer) {
  unit_.trace(computer.module("implicit"));
}

void ImplicitDevice::report(common::StatGroup& stats) {
  unit_.finish();
  unit_.report(stats.group("implicit", "the implicit-surface unit"));
  // Bytes that move by DMI do not pass: a matter of speed settings.
  memory_.report(stats.group("host_side", "transactions as simulated")
                     .group("implicit_memory", "memory of the implicit-surface unit"));
}

}  // namespace rtvp::platform
