#include "platform/implicit_part.hpp"

#include <memory>
#include <optional>
#include <systemc>
#include <utility>

#include "models/common/interconnect.hpp"
#include "platform/host/host_process.hpp"
#include "platform/implicit_device.hpp"
#include "platform/reference_part.hpp"
#include "platform/report/statistics.hpp"
#include "platform/shading_device.hpp"
#include "platform/simulation.hpp"

namespace rtvp::platform {
namespace {

class Computer {
 public:
  Computer(const ImplicitPlan& plan, const ShadingPlan* shading, const Settings& settings,
           std::function<void(host::HostBus&)> program)
      : interconnect_("interconnect"),
        host_("host", {shading != nullptr ? 2U : 1U, std::move(program)}),
        implicit_(plan, settings, interconnect_, host_, 0) {
    host_.bus_isock.bind(interconnect_.bus_tsock);
    if (shading != nullptr) shading_.emplace(*shading, settings, interconnect_, host_, 1);
  }

  [[nodiscard]] const ImplicitDevice& implicit() const { return implicit_; }
  [[nodiscard]] const std::optional<ShadingDevice>& shading() const { return shading_; }

  /// Signals for `--trace`; before run().
  void trace(PartTrace& part) {
    trace_ = &part;
    const common::TraceScope scope = part.scope();
    host_.trace(scope.module("processor"));
    implicit_.trace(scope);
    if (shading_) shading_->trace(scope);
    part.declared();
  }

  [[nodiscard]] std::optional<Failure> run(double limitMs) {
    return simulate(host_, limitMs, {.states = [this] { return states(); }, .trace = trace_});
  }

  void report(common::StatGroup& stats) {
    host_.report(stats.group("processor", "the host's processor as bus master"));
    implicit_.report(stats);
    if (shading_) shading_->report(stats);
    // Bytes that move by DMI do not pass: a matter of speed settings.
    interconnect_.report(stats.group("host_side", "transactions as simulated")
                             .group("interconnect", "system interconnect, by address range"));
  }

 private:
  [[nodiscard]] std::string states() const {
    return "\n" + implicit_.describe() + (shading_ ? "\n" + shading_->describe() : "");
  }

  common::Interconnect interconnect_;
  host::HostProcess host_;
  ImplicitDevice implicit_;
  std::optional<ShadingDevice> shading_;
  PartTrace* trace_ = nullptr;
};

}  // namespace

PartResult renderImplicit(const scene::Scene& scene, const host::RenderOptions& options,
                          const Settings& settings, const host::ProgressFn& progress,
                          PartTrace& trace) {
  const std::unique_ptr<ImplicitPlan> plan = planImplicit(scene, settings);
  if (!plan || !plan->elements.empty()) {
    const std::size_t count = plan ? plan->elements.size() : scene.elements.size();
    throw InputError("engine = implicit: found " + std::to_string(count) +
                     " triangles and spheres, expected implicit surfaces only; engine = xphmg, "
                     "tigershark or theia finds them and has this unit beside it");
  }
  const std::unique_ptr<ShadingPlan> shadingPlan = planShading(scene, settings);
  PartResult part;
  std::unique_ptr<host::ImplicitDriver> driver;
  std::unique_ptr<host::SlDriver> shading;
  std::unique_ptr<Computer> computer;
  computer =
      std::make_unique<Computer>(*plan, shadingPlan.get(), settings, [&](host::HostBus& bus) {
        driver = computer->implicit().start(bus, scene, nullptr);
        if (computer->shading()) shading = computer->shading()->start(bus, scene);
        part = renderWith(*driver, scene, options, progress, shading.get());
      });
  computer->trace(trace);
  if (const auto failure = computer->run(settings.number("run.limit_ms"))) {
    PartResult failed;
    failed.failure = failure;
    return failed;
  }
  part.simulatedPs = sc_core::sc_time_stamp().value();
  common::StatGroup stats("pc", "one host computer");
  driver->counters().report(
      stats.group("implicit_driver", "device driver of the implicit-surface unit"));
  if (shading) {
    shading->counters().report(stats.group("sl_driver", "device driver of the shading unit"));
  }
  computer->report(stats);
  part.problems = report::checkClosedSums(stats);
  for (auto& [key, value] : report::statisticsJson(stats)) part.modules[key] = std::move(value);
  part.hostModules = report::hostStatisticsJson(stats);
  return part;
}

void describeImplicit(common::StatGroup& stats, const Settings& settings) {
  const ImplicitPlan plan = emptyImplicitPlan(settings);
  const ShadingPlan shading = emptyPlan();
  Computer computer(plan, &shading, settings, [](host::HostBus&) {});
  host::SlDriver::Counters{}.report(
      stats.group("sl_driver", "device driver of the shading unit, for surfaces with a shader"));
  host::ImplicitDriver::Counters{}.report(
      stats.group("implicit_driver", "device driver of the implicit-surface unit"));
  computer.report(stats);
}

}  // namespace rtvp::platform
