// See shading_device.hpp.
#include "platform/shading_device.hpp"

#include <algorithm>
#include <optional>

#include "platform/host/shader_programs.hpp"
#include "platform/reference/reference_finder.hpp"
#include "platform/reference/seed_finder.hpp"
#include "platform/reference_part.hpp"
#include "platform/report/statistics.hpp"
#include "platform/simulation.hpp"

namespace rtvp::platform {
namespace {

// Beyond everything the other devices occupy.
constexpr std::uint64_t kUnitBase = std::uint64_t{1} << 32U;
constexpr std::uint64_t kMemoryBase = std::uint64_t{2} << 32U;
constexpr std::uint64_t kSmallestMemory = std::uint64_t{16} << 20U;

common::MemoryConfig memoryConfig(const ShadingPlan& plan, const Settings& settings) {
  common::MemoryConfig config;
  config.size = std::max(plan.memoryBytes, kSmallestMemory);
  config.read_latency = sc_core::sc_time(settings.number("sl.memory_ns"), sc_core::SC_NS);
  config.write_latency = config.read_latency;
  return config;
}

sl::unit::SlUnitConfig unitConfig(const Settings& settings) {
  sl::unit::SlUnitConfig config;
  config.core.pipelines = static_cast<unsigned>(settings.integer("sl.pipelines"));
  config.core.programWords = static_cast<unsigned>(settings.integer("sl.program_words"));
  config.core.cacheLines = static_cast<unsigned>(settings.integer("sl.cache_lines"));
  config.wordClocks = static_cast<unsigned>(settings.integer("sl.word_clocks"));
  for (unsigned form = 0; form < sl::kForms; ++form) {
    config.core.cycles[form] =
        static_cast<std::uint32_t>(settings.integer(slCycleKey(static_cast<sl::Form>(form))));
  }
  config.period = sc_core::sc_time(1 / settings.number("sl.clock_hz"), sc_core::SC_SEC);
  return config;
}

// The host computer of a picture whose hits need no machine.
class Computer {
 public:
  Computer(const ShadingPlan& plan, const Settings& settings,
           std::function<void(host::HostBus&)> program)
      : interconnect_("interconnect"),
        host_("host", {1, std::move(program)}),
        shading_(plan, settings, interconnect_, host_, 0) {
    host_.bus_isock.bind(interconnect_.bus_tsock);
  }

  /// Signals for `--trace`; before run().
  void trace(PartTrace& part) {
    trace_ = &part;
    const common::TraceScope scope = part.scope();
    host_.trace(scope.module("processor"));
    shading_.trace(scope);
    part.declared();
  }

  [[nodiscard]] std::optional<Failure> run(double limitMs) {
    return simulate(host_, limitMs,
                    {.states = [this] { return "\n" + shading_.describe(); }, .trace = trace_});
  }

  [[nodiscard]] const ShadingDevice& shading() const { return shading_; }
  void report(common::StatGroup& stats) {
    host_.report(stats.group("processor", "the host's processor as bus master"));
    interconnect_.report(stats.group("interconnect", "system interconnect, by address range"));
    shading_.report(stats);
  }

 private:
  common::Interconnect interconnect_;
  host::HostProcess host_;
  ShadingDevice shading_;
  PartTrace* trace_ = nullptr;
};

}  // namespace

std::unique_ptr<ShadingPlan> planShading(const scene::Scene& scene, const Settings& settings) {
  const std::string& shade = settings.text("render.shade");
  if ((shade != "host" && shade != "sl") || !host::hasShaders(scene)) return nullptr;
  auto plan = std::make_unique<ShadingPlan>();
  plan->programs = host::loadPrograms(scene);
  plan->memoryBytes = host::SlDriver::memoryBytes(scene);
  const std::uint64_t needed = host::SlDriver::instructions(plan->programs);
  if (needed > static_cast<std::uint64_t>(settings.integer("sl.program_words"))) {
    throw InputError("sl.program_words: found " +
                     std::to_string(settings.integer("sl.program_words")) + ", expected at least " +
                     std::to_string(needed) + " for the scene's shaders");
  }
  return plan;
}

ShadingPlan emptyPlan() {
  return {};
}

ShadingDevice::ShadingDevice(const ShadingPlan& plan, const Settings& settings,
                             common::Interconnect& interconnect, host::HostProcess& host,
                             std::size_t line)
    : plan_(plan),
      line_(line),
      programWords_(static_cast<std::uint32_t>(settings.integer("sl.program_words"))),
      memory_("sl_memory", memoryConfig(plan, settings)),
      unit_("sl", unitConfig(settings)),
      irq_("sl_irq") {
  interconnect.attach(unit_.host_tsock, "sl", kUnitBase, sl::unit::kSize);
  interconnect.attach(memory_.bus_tsock, "sl_memory", kMemoryBase, memory_.config().size);
  unit_.memory_isock.bind(interconnect.bus_tsock);
  unit_.irq_o.bind(irq_);
  host.inta_i[line].bind(irq_);
}

std::unique_ptr<host::SlDriver> ShadingDevice::start(host::HostBus& bus,
                                                     const scene::Scene& scene) const {
  host::SlDriverConfig config;
  config.unitBase = kUnitBase;
  config.memoryBase = kMemoryBase;
  config.interruptLine = line_;
  config.programWords = programWords_;
  config.programs = plan_.programs;
  auto driver = std::make_unique<host::SlDriver>(bus, scene, std::move(config));
  driver->start();
  return driver;
}

void ShadingDevice::trace(const common::TraceScope& computer) {
  unit_.trace(computer.module("sl"));
}

void ShadingDevice::report(common::StatGroup& stats) {
  unit_.finish();
  unit_.report(stats.group("sl", "the SL shading unit"));
  memory_.report(stats.group("sl_memory", "memory of the shading unit"));
}

PartResult renderReferenceShaded(const scene::Scene& scene, const host::RenderOptions& options,
                                 const Settings& settings, const ShadingPlan& plan,
                                 const host::ProgressFn& progress, PartTrace& trace) {
  PartResult part;
  std::unique_ptr<host::HitFinder> finder;
  if (options.seedCompat) {
    finder = std::make_unique<reference::SeedFinder>(scene);
  } else {
    finder = std::make_unique<reference::ReferenceFinder>(scene);
  }
  std::unique_ptr<host::SlDriver> driver;
  std::unique_ptr<Computer> computer;
  computer = std::make_unique<Computer>(plan, settings, [&](host::HostBus& bus) {
    driver = computer->shading().start(bus, scene);
    part = renderWith(*finder, scene, options, progress, driver.get());
  });
  computer->trace(trace);
  if (const auto failure = computer->run(settings.number("run.limit_ms"))) {
    PartResult failed;
    failed.failure = failure;
    return failed;
  }
  part.simulatedPs = sc_core::sc_time_stamp().value();
  common::StatGroup stats("pc", "one host computer");
  driver->counters().report(stats.group("sl_driver", "device driver of the shading unit"));
  computer->report(stats);
  part.problems = report::checkClosedSums(stats);
  for (auto& [key, value] : report::statisticsJson(stats)) part.modules[key] = std::move(value);
  part.hostModules = report::hostStatisticsJson(stats);
  return part;
}

}  // namespace rtvp::platform
