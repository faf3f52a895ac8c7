#include "platform/xphmg_part.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <systemc>

#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "models/xphmg/unit.hpp"
#include "platform/host/host_process.hpp"
#include "platform/host/xphmg_driver.hpp"
#include "platform/host/xphmg_scene.hpp"
#include "platform/implicit_device.hpp"
#include "platform/reference_part.hpp"
#include "platform/report/statistics.hpp"
#include "platform/shading_device.hpp"
#include "platform/simulation.hpp"
#include "platform/xphmg_hart.hpp"

namespace rtvp::platform {
namespace {

constexpr std::uint64_t kPages = 0x20000000;   // units' registers (xphmg.md 16.1)
constexpr std::uint64_t kMemory = 0x80000000;  // the host's DRAM

unsigned number(const Settings& settings, const char* key) {
  return static_cast<unsigned>(settings.integer(key));
}

xphmg::Format formatOf(const Settings& settings) {
  const std::string& name = settings.text("xphmg.format");
  return name == "fp16"   ? xphmg::Format::Fp16
         : name == "bf16" ? xphmg::Format::Bf16
                          : xphmg::Format::Fp32;
}

xphmg::UnitConfig unitConfig(const Settings& settings, unsigned index) {
  xphmg::UnitConfig config;
  xphmg::UnitTiming& t = config.timing;
  t.bboxCycles = number(settings, "xphmg.bbox_cycles");
  t.triCycles = number(settings, "xphmg.tri_cycles");
  t.t0 = number(settings, "xphmg.t0_cycles");
  t.t1 = number(settings, "xphmg.t1_cycles");
  t.t2 = number(settings, "xphmg.t2_cycles");
  t.t3 = number(settings, "xphmg.t3_cycles");
  t.memoryIsT2 = settings.text("xphmg.memory_tier") == "t2";
  t.descriptor = number(settings, "xphmg.descriptor_cycles");
  t.doorbell = number(settings, "xphmg.doorbell_cycles");
  config.lmemKib = number(settings, "xphmg.lmem_kib");
  config.queueDepth = number(settings, "xphmg.queue_depth");
  config.number = index;
  config.period = sc_core::sc_time(1 / settings.number("xphmg.clock_hz"), sc_core::SC_SEC);
  config.quantum = sc_core::sc_time(settings.number("xphmg.quantum_us"), sc_core::SC_US);
  config.dmi = settings.flag("xphmg.dmi");
  config.features.plain = settings.text("xphmg.datapath") == "plain";
  config.features.triangleFault = settings.text("xphmg.fault") == "tri";
  return config;
}

host::XphmgBvhOptions bvhOptions(const Settings& settings) {
  host::XphmgBvhOptions options;
  options.leafTriangles = number(settings, "xphmg.leaf_triangles");
  return options;
}

host::XphmgDriverConfig driverConfig(const Settings& settings) {
  host::XphmgDriverConfig config;
  for (unsigned i = 0; i < number(settings, "xphmg.units"); ++i)
    config.pages.push_back(kPages + xphmg::page::kSize * i);
  config.memoryBase = kMemory;
  config.memorySize = static_cast<std::uint64_t>(settings.integer("xphmg.memory_mib")) << 20U;
  if (hartDrives(settings)) {
    config.mailbox = HartDevice::kMailbox;
    config.memoryBase += HartDevice::kHartMemory;
    config.memorySize -= HartDevice::kHartMemory;
  }
  config.jobRays = number(settings, "xphmg.job_rays");
  config.jobsInFlight = number(settings, "xphmg.jobs_in_flight");
  config.prefetchDepth = number(settings, "xphmg.prefetch");
  config.memoryClass = number(settings, "xphmg.memory_class");
  config.packHint = settings.flag("xphmg.pack_hint");
  if (settings.text("host.output") == "verbose") {
    config.log = [](const std::string& line) {
      std::fprintf(stderr, "platform: %s: %s\n", sc_core::sc_time_stamp().to_string().c_str(),
                   line.c_str());
    };
  }
  return config;
}

// ---- the machine

class Computer {
 public:
  /// `hartProgram` is what the hart runs, where one drives the queue.
  Computer(const Settings& settings, const ShadingPlan* shading, const ImplicitPlan* implicit,
           const HartProgram* hartProgram, std::function<void(host::HostBus&)> program)
      : interconnect_("interconnect",
                      {sc_core::sc_time(settings.number("xphmg.bus_ns"), sc_core::SC_NS)}),
        dram_("dram", memoryConfig(settings)),
        host_("host", {number(settings, "xphmg.units") + (shading != nullptr ? 1U : 0U) +
                           (implicit != nullptr ? 1U : 0U),
                       std::move(program)}),
        lines_("irq", number(settings, "xphmg.units")) {
    interconnect_.attach(dram_.bus_tsock, "dram", kMemory, dram_.config().size);
    host_.bus_isock.bind(interconnect_.bus_tsock);
    for (unsigned i = 0; i < number(settings, "xphmg.units"); ++i) {
      const std::string name = "unit" + std::to_string(i);
      units_.push_back(std::make_unique<xphmg::RtUnit>(name.c_str(), unitConfig(settings, i)));
      interconnect_.attach(units_[i]->host_tsock, name, kPages + xphmg::page::kSize * i,
                           xphmg::page::kSize);
      units_[i]->bus_isock.bind(interconnect_.bus_tsock);
      units_[i]->irq_o.bind(lines_[i]);
    }
    if (hartDrives(settings)) {
      hart_.emplace(settings, unitConfig(settings, 0), interconnect_, dram_, *units_[0],
                    hartProgram);
      host_.inta_i[0].bind(hart_->hostLine());
    } else {
      for (unsigned i = 0; i < units_.size(); ++i) host_.inta_i[i].bind(lines_[i]);
    }
    if (shading != nullptr) {
      shading_.emplace(*shading, settings, interconnect_, host_, units_.size());
    }
    if (implicit != nullptr) {
      implicit_.emplace(*implicit, settings, interconnect_, host_,
                        units_.size() + (shading != nullptr ? 1U : 0U));
    }
  }

  [[nodiscard]] const std::optional<ShadingDevice>& shading() const { return shading_; }
  [[nodiscard]] const std::optional<ImplicitDevice>& implicit() const { return implicit_; }

  /// Signals for `--trace`; before run().
  void trace(PartTrace& part) {
    trace_ = &part;
    const common::TraceScope scope = part.scope();
    host_.trace(scope.module("processor"));
    for (std::size_t i = 0; i < units_.size(); ++i)
      units_[i]->trace(scope.module("unit" + std::to_string(i)));
    if (shading_) shading_->trace(scope);
    if (implicit_) implicit_->trace(scope);
    part.declared();
  }

  /// Runs until the host's program ends; what ended the run otherwise.
  [[nodiscard]] std::optional<Failure> run(double limitMs) {
    if (!hart_) return simulate(host_, limitMs, {.trace = trace_});
    return simulate(host_, limitMs,
                    {.states = [this] { return "; " + hart_->describe(); },
                     .failure = [this] { return hart_->failure(); },
                     .trace = trace_});
  }

  void report(common::StatGroup& stats) {
    host_.report(stats.group("processor", "the host's processor as bus master"));
    for (std::size_t i = 0; i < units_.size(); ++i)
      units_[i]->report(stats.group("unit" + std::to_string(i), "an XPHMG_RT unit"));
    if (hart_) hart_->report(stats);
    if (shading_) shading_->report(stats);
    if (implicit_) implicit_->report(stats);
    // Bytes that move by DMI pass neither: a matter of speed settings.
    common::StatGroup& host = stats.group("host_side", "transactions as simulated");
    interconnect_.report(host.group("interconnect", "system interconnect, by address range"));
    dram_.report(host.group("dram", "the host's memory"));
  }
  [[nodiscard]] std::vector<std::unique_ptr<xphmg::RtUnit>>& units() { return units_; }

 private:
  static common::MemoryConfig memoryConfig(const Settings& settings) {
    common::MemoryConfig config;
    config.size = static_cast<std::uint64_t>(settings.integer("xphmg.memory_mib")) << 20U;
    return config;
  }

  common::Interconnect interconnect_;
  common::Memory dram_;
  host::HostProcess host_;
  sc_core::sc_vector<sc_core::sc_signal<bool>> lines_;
  std::vector<std::unique_ptr<xphmg::RtUnit>> units_;
  std::optional<HartDevice> hart_;
  std::optional<ShadingDevice> shading_;
  std::optional<ImplicitDevice> implicit_;
  PartTrace* trace_ = nullptr;
};

void describeDatabase(common::StatGroup& stats, const host::XphmgDatabase& database) {
  stats.count("triangles", "triangles", "in the unit's memory", database.elements.size());
  stats.count("tiles", "tiles", "BVHNode4 tiles", database.bvh.tiles);
  stats.count("leaves", "leaves", "TriRanges", database.bvh.leaves);
  stats.count("depth", "tiles", "longest path", database.bvh.depth);
  stats.count("max_stack", "entries", "stack that a ray can need", database.bvh.maxStack);
  stats.count("heap_bytes", "bytes", "tiles and TriRanges", database.bvh.heap.size());
  stats.count("triangle_bytes", "bytes", "triangles", database.triangles.size());
}

/// Per-pixel sums over the eye rays of a part.
class CostMap {
 public:
  CostMap(const host::Crop& crop, std::vector<std::uint64_t>& cost) : crop_(crop), cost_(cost) {
    cost_.assign(std::size_t{3} * static_cast<std::size_t>(crop.width) *
                     static_cast<std::size_t>(crop.height),
                 0);
  }
  void add(const host::EyePosition& at, const xphmg::RayReport& ray) {
    const auto pixel =
        static_cast<std::size_t>(at.row - crop_.y) * static_cast<std::size_t>(crop_.width) +
        static_cast<std::size_t>(at.column - crop_.x);
    cost_[3 * pixel] += ray.tiles;
    cost_[3 * pixel + 1] += ray.triangles;
    cost_[3 * pixel + 2] += ray.cycles;
  }

 private:
  host::Crop crop_;
  std::vector<std::uint64_t>& cost_;
};

}  // namespace

void checkXphmg(const scene::Scene& scene, const Settings& settings) {
  const unsigned kib = number(settings, "xphmg.lmem_kib");
  if (kib != 0 && !std::has_single_bit(kib)) {
    throw InputError("xphmg.lmem_kib: found " + std::to_string(kib) +
                     ", expected 0 or a power of two");
  }
  if (hartDrives(settings)) {
    if (settings.integer("xphmg.units") != 1) {
      throw InputError("xphmg.units: found " + std::to_string(settings.integer("xphmg.units")) +
                       ", expected 1: the hart drives unit 0 only (xphmg.driver=hart)");
    }
    const HartProgram program(settings);
  }
  if (scene.elements.empty()) throw InputError("XPHMG_RT: the scene has no triangle");
}

PartResult renderXphmg(const scene::Scene& whole, const host::RenderOptions& options,
                       const Settings& settings, const host::ProgressFn& progress,
                       PartTrace& trace) {
  const std::unique_ptr<ImplicitPlan> implicitPlan = planImplicit(whole, settings);
  const scene::Scene& scene = machineScene(whole, implicitPlan.get(), "xphmg");
  checkXphmg(scene, settings);
  const host::XphmgSpace space = host::xphmgSpace(scene, formatOf(settings));
  host::XphmgDatabase database;
  try {
    database = host::xphmgDatabase(scene, space, bvhOptions(settings));
    const host::XphmgDriverConfig config = driverConfig(settings);
    const std::uint64_t ownMemory = hartDrives(settings) ? HartDevice::kHartMemory : 0;
    if (const std::uint64_t need = host::XphmgDriver::memoryNeeded(database, config);
        need > config.memorySize) {
      throw InputError("xphmg.memory_mib: the scene and its rings need " +
                       std::to_string(((need + ownMemory) >> 20U) + 1) + " MiB");
    }
  } catch (const std::invalid_argument& e) {
    throw InputError(e.what());
  }
  host::RenderOptions mine = options;
  mine.rayOffset = std::max(options.rayOffset, host::xphmgLeastOffset(scene, space));

  PartResult part;
  std::vector<std::uint64_t> cost;
  std::unique_ptr<host::XphmgDriver> driver;
  const std::unique_ptr<ShadingPlan> plan = planShading(whole, settings);
  std::unique_ptr<host::SlDriver> shading;
  std::unique_ptr<host::ImplicitDriver> implicit;
  std::optional<HartProgram> program;
  if (hartDrives(settings)) program.emplace(settings);
  std::unique_ptr<Computer> computer;
  computer = std::make_unique<Computer>(
      settings, plan.get(), implicitPlan.get(), program ? &*program : nullptr,
      [&](host::HostBus& bus) {
        driver = std::make_unique<host::XphmgDriver>(bus, database, space, driverConfig(settings));
        driver->start();
        if (computer->shading()) shading = computer->shading()->start(bus, whole);
        if (computer->implicit()) implicit = computer->implicit()->start(bus, whole, driver.get());
        part = renderWith(implicit ? static_cast<host::HitFinder&>(*implicit) : *driver, whole,
                          mine, progress, shading.get());
      });
  std::optional<CostMap> map;
  if (!settings.text("output.cost_map").empty()) {
    map.emplace(options.crop, cost);
    for (auto& unit : computer->units()) {
      unit->setRayObserver([&](const xphmg::RayReport& ray) {
        if (const auto at = driver->eyePosition(ray.tag)) map->add(*at, ray);
      });
    }
  }
  computer->trace(trace);
  if (const auto failure = computer->run(settings.number("run.limit_ms"))) {
    PartResult failed;
    failed.failure = failure;
    return failed;
  }
  part.costMap = std::move(cost);
  part.simulatedPs = sc_core::sc_time_stamp().value();

  common::StatGroup stats("pc", "one host computer");
  describeDatabase(stats.group("database", "what the driver put into memory"), database);
  driver->counters().report(stats.group("driver", "device driver of the XPHMG_RT units"));
  if (shading) {
    shading->counters().report(stats.group("sl_driver", "device driver of the shading unit"));
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

void describeXphmg(common::StatGroup& stats, const Settings& settings) {
  const ShadingPlan plan = emptyPlan();
  const ImplicitPlan implicit = emptyImplicitPlan(settings);
  Computer computer(settings, &plan, &implicit, nullptr, [](host::HostBus&) {});
  host::ImplicitDriver::Counters{}.report(stats.group(
      "implicit_driver", "device driver of the implicit-surface unit, for scenes with them"));
  host::SlDriver::Counters{}.report(
      stats.group("sl_driver", "device driver of the shading unit, for surfaces with a shader"));
  describeDatabase(stats.group("database", "what the driver put into memory"), {});
  host::XphmgDriver::Counters{}.report(
      stats.group("driver", "device driver of the XPHMG_RT units"));
  computer.report(stats);
}

std::string describeXphmgNeed(const scene::Scene& whole, const Settings& settings) {
  const std::unique_ptr<ImplicitPlan> plan = planImplicit(whole, settings);
  const scene::Scene& scene = machineScene(whole, plan.get(), "xphmg");
  checkXphmg(scene, settings);
  const host::XphmgDatabase database =
      host::xphmgDatabase(scene, host::xphmgSpace(scene, formatOf(settings)), bvhOptions(settings));
  const host::XphmgBvh& bvh = database.bvh;
  return "xphmg: " + std::to_string(database.elements.size()) + " triangles of " +
         std::to_string(database.triangles.size()) + " bytes, " + std::to_string(bvh.tiles) +
         " tiles and " + std::to_string(bvh.leaves) + " leaves of " +
         std::to_string(bvh.heap.size()) + " bytes, depth " + std::to_string(bvh.depth) +
         ", stack at most " + std::to_string(bvh.maxStack) + "; with rings " +
         std::to_string(host::XphmgDriver::memoryNeeded(database, driverConfig(settings))) +
         " bytes\n";
}

}  // namespace rtvp::platform
